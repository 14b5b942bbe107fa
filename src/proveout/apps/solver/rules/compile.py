"""From the pages of a wiki to its rule book: match, verify, settle, count what is left."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from proveout.apps.solver.rules.access import match_access, match_tables
from proveout.apps.solver.rules.blocks import Page
from proveout.apps.solver.rules.building import Ground, source_of
from proveout.apps.solver.rules.cast import Cast, cast_of
from proveout.apps.solver.rules.codes import match_codes
from proveout.apps.solver.rules.conflicts import settle
from proveout.apps.solver.rules.definitions import (
    match_meaning,
    match_scale,
    match_scale_rows,
    match_workload,
)
from proveout.apps.solver.rules.duties import (
    match_capability,
    match_owner,
    match_owner_rows,
    match_procedure,
    match_reply,
)
from proveout.apps.solver.rules.ir import Rule, RuleBook, Unmapped
from proveout.apps.solver.rules.precedence import is_stale, supersedes
from proveout.apps.solver.rules.profiles import profile_rules
from proveout.apps.solver.rules.signals import is_normative
from proveout.apps.solver.rules.sites import match_sites
from proveout.apps.solver.rules.statements import (
    Statement,
    is_aside,
    is_injection,
    statements,
)
from proveout.apps.solver.rules.unread import unread
from proveout.apps.solver.rules.verify import locate, parse_all, why_rejected
from proveout.apps.solver.rules.vocabulary import match_vocabulary

_BY_SENTENCE: tuple[Callable[[Statement, Ground], tuple[Rule, ...]], ...] = (
    match_access,
    match_scale,
    match_workload,
    match_meaning,
    match_reply,
    match_procedure,
    match_capability,
    match_owner,
)
_BY_PAGE: tuple[Callable[[Page, Ground], tuple[Rule, ...]], ...] = (
    match_tables,
    match_scale_rows,
    match_owner_rows,
    match_vocabulary,
    match_sites,
)


@dataclass(frozen=True)
class PageRules:
    """What one page gave."""

    rules: tuple[Rule, ...]
    unmapped: tuple[Unmapped, ...]
    rejected: tuple[str, ...]
    normative: int


def compile_wiki(
    pages: Mapping[str, str],
    digest: str,
    profile: str = "wiki",
    previous: RuleBook | None = None,
    departments: Sequence[str] = (),
) -> RuleBook:
    """The rule book of these pages. What `previous` knows of unchanged pages is taken over."""
    parsed = parse_all(pages)
    living = [page for page in parsed.values() if not is_stale(page) and not is_aside(page)]
    cast = cast_of(living, departments)
    basis = _hash("\n".join((*cast.departments, cast.executives, cast.externals, *sorted(parsed))))
    digests = {path: _hash(text) for path, text in sorted(pages.items())}
    results = {
        path: _reused(path, digests[path], basis, previous) or compile_page(page, parsed, cast)
        for path, page in parsed.items()
    }
    rules = tuple(rule for one in results.values() for rule in one.rules)
    rules += profile_rules(profile, cast, rules)
    rules, conflicts = settle(rules, profile)
    return RuleBook(
        digest=digest,
        profile=profile,
        rules=rules,
        unmapped=tuple(one for result in results.values() for one in result.unmapped),
        conflicts=conflicts,
        rejected=tuple(one for result in results.values() for one in result.rejected),
        normative=sum(one.normative for one in results.values()),
        pages=digests,
        basis=basis,
        normative_by_page={path: one.normative for path, one in results.items()},
        departments=cast.departments,
    )


def compile_page(page: Page, pages: Mapping[str, Page], cast: Cast) -> PageRules:
    """Match, verify, and list what looks like a rule but was not understood."""
    ground = Ground(cast, tuple(pages), supersedes(page))
    sentences = statements(page)
    found: dict[str, Rule] = {}
    rejected: dict[str, None] = dict.fromkeys(_suspicious(page))
    mapped: set[int] = set()
    for position, statement in enumerate(sentences):
        rules = [rule for match in _BY_SENTENCE for rule in match(statement, ground)]
        rules += match_codes(statement, sentences[position + 1 : position + 6], ground)
        if _keep(rules, page, cast, found, rejected):
            mapped.add(position)
    _keep([rule for match in _BY_PAGE for rule in match(page, ground)], page, cast, found, rejected)
    normative = {at for at, one in enumerate(sentences) if is_normative(one)} | mapped
    ordered = tuple(sorted(found.values(), key=lambda rule: rule.id))
    read = [(one, at in mapped) for at, one in enumerate(sentences)]
    left = unread(page, read, ordered, ground)
    places = {sentences[at].span.start for at in normative} | {it.source.start for it in left}
    return PageRules(ordered, left, tuple(rejected), len(places))


def _keep(
    rules: Sequence[Rule],
    page: Page,
    cast: Cast,
    found: dict[str, Rule],
    rejected: dict[str, None],
) -> bool:
    kept = False
    for rule in rules:
        if reason := why_rejected(rule, page, cast):
            rejected.setdefault(f"{page.path}: {rule.id}: {reason}")
        else:
            found.setdefault(rule.id, rule)
            kept = True
    return kept


def _suspicious(page: Page) -> list[str]:
    """Blocks that try to lift rules instead of stating one."""
    return [
        f"{page.path}: words that address the reader, not a rule (offset {block.start})"
        for block in page.blocks
        if is_injection(page.of(block))
    ]


def _reused(path: str, digest: str, basis: str, previous: RuleBook | None) -> PageRules | None:
    """What is known of an unchanged page, if departments and page names are unchanged too."""
    if previous is None or previous.basis != basis or previous.pages.get(path) != digest:
        return None
    return PageRules(
        tuple(rule for rule in previous.rules if rule.source.page == path and not rule.profile),
        tuple(one for one in previous.unmapped if one.source.page == path),
        tuple(one for one in previous.rejected if one.startswith(f"{path}: ")),
        previous.normative_by_page.get(path, 0),
    )


def accept_proposed(
    rules: Sequence[Rule], pages: Mapping[str, str], departments: Sequence[str] = ()
) -> tuple[tuple[Rule, ...], tuple[str, ...]]:
    """Rules that a model proposes, as far as they pass; and the reasons against the others.

    A rule that passes gets the page's own words as its quote. One that allows what a matcher reads
    as forbidden in the same words is refused.
    """
    parsed = parse_all(pages)
    cast = cast_of(list(parsed.values()), departments)
    accepted: list[Rule] = []
    reasons: list[str] = []
    for rule in rules:
        page = parsed.get(rule.source.page)
        plain_rule = rule.model_copy(
            update={"profile": "", "supersedes": bool(page and supersedes(page))}
        )
        reason = why_rejected(plain_rule, page, cast)
        if page is not None and not reason:
            span = locate(rule.source, page)
            if span is not None:
                source = source_of(page, rule.source.anchor, span)
                plain_rule = plain_rule.model_copy(update={"source": source})
            reason = _contradicted(plain_rule, compile_page(page, parsed, cast).rules)
        if reason:
            reasons.append(f"{rule.id}: {reason}")
        else:
            accepted.append(plain_rule)
    return tuple(accepted), tuple(reasons)


def _contradicted(rule: Rule, known: Sequence[Rule]) -> str:
    if rule.kind != "access":
        return ""
    start, end = rule.source.start, rule.source.start + len(rule.source.quote)
    for other in known:
        if other.kind != "access" or other.effect == rule.effect or rule.effect == "deny":
            continue
        overlaps = other.source.start < end and start < other.source.start + len(other.source.quote)
        same = set(other.operations) & set(rule.operations)
        if overlaps and same and set(other.audience) & set(rule.audience):
            return f"the same words forbid {min(same)}"
    return ""


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
