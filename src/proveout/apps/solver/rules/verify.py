"""Whether a rule stands on its quote: on the page, under its anchor, with every constant in it.

The same check for rules that a matcher made and for rules that a model proposes.
"""

import re
from collections.abc import Callable, Iterator, Mapping

from proveout.apps.solver.rules import lexicon
from proveout.apps.solver.rules.blocks import Page, Span, parse_page
from proveout.apps.solver.rules.cast import Cast
from proveout.apps.solver.rules.contrast import takes_back
from proveout.apps.solver.rules.ir import (
    AccessRule,
    Audience,
    CapabilityRule,
    CodeRule,
    DeriveRule,
    EnumRule,
    LabelRule,
    LifecycleRule,
    MeaningRule,
    OwnerRule,
    ProcedureRule,
    ReplyRule,
    Rule,
    ScaleRule,
    SiteRule,
    Source,
)
from proveout.apps.solver.rules.lexicon import OWN_TWIN
from proveout.apps.solver.rules.precedence import is_stale
from proveout.apps.solver.rules.spots import Sign, Spots, spot
from proveout.apps.solver.rules.statements import countable, is_aside
from proveout.apps.solver.rules.text import NUMBER_WORDS, find_folded, plain, squeeze
from proveout.apps.solver.words import READS, Operation

_CLOSING = re.compile(r"\b(?:nobody|no one|nothing|none|no|neither|not|never|cannot|can't)\b")
_RELATED = {
    "project_lead": r"\b(?:leads?|led|leading|leaders?|runs?|heads?|project managers?)\b",
    "project_member": r"\b(?:members?|part of|works? on|assigned|belong|takes? part|team)\b",
    "account_manager": r"\b(?:account|relationship|manages?|looks? after|responsible)\b",
    "page_owner": r"\b(?:own(?:s|ed|er|ers|ership)?|looks? after|maintain\w*|responsible|in charge"
    r"|belongs?|keeps?|care of|edit\w*|editors?)\b",
    "self": r"\b(?:own|oneself|themselves|yourself|their|your|self|concerned|person|employees?"
    r"|members?|everyone|each|staff)\b",
    "guest": r"\b(?:guests?|visitors?|public|only|anonymous|employees?|staff|nobody else"
    r"|colleagues)\b",
    "employee": r"\b(?:employees?|staff|colleagues?|everyone|people|company)\b",
}
_NEED_WORDS = {
    "subject_in_team": r"\b(?:teams?|members?|mates?|crew|people|leads?|works? on)\b",
    "ceo_approval": r"\b(?:approv\w*|sign ?off|signed off|consent|agree\w*|go ahead|green light)\b",
    "self": r"\b(?:others?|else|another|colleagues?|behalf|anyone|team)\b",
}
_STATUS_WORDS = {
    "draft": r"drafts?", "submitted": r"submi\w+|hand\w* in", "approved": r"approv\w*",
    "invoiced": r"invoic\w*|approv\w*", "voided": r"void\w*",
}  # fmt: skip


def locate(source: Source, page: Page) -> Span | None:
    """Where the quote stands on the page under its anchor, among blocks that can hold rules."""
    if not source.quote.strip():
        return None
    for span in _occurrences(source, page):
        inside = [one for one in page.blocks if one.start < span.end and span.start < one.end]
        if inside and all(one.anchor == source.anchor and countable(page, one) for one in inside):
            return span
    return None


def _occurrences(source: Source, page: Page) -> Iterator[Span]:
    at = page.text.find(source.quote)
    if page.text.startswith(source.quote, source.start):
        yield Span(source.start, source.start + len(source.quote))
    while at >= 0:
        yield Span(at, at + len(source.quote))
        at = page.text.find(source.quote, at + 1)
    begin = 0
    while found := find_folded(source.quote, page.text[begin:]):
        yield Span(begin + found[0], begin + found[1])
        begin += found[0] + 1


def why_rejected(rule: Rule, page: Page | None, cast: Cast) -> str:
    """The reason against a rule, or nothing."""
    if page is None:
        return "no such page"
    if is_stale(page):
        return "the page is out of date"
    if is_aside(page):
        return "the page states no rules"
    if locate(rule.source, page) is None:
        return "the quote does not stand on the page under this anchor"
    text = f"{rule.source.anchor.replace(' > ', '. ')}. {rule.source.quote}"
    return _CHECKS[type(rule)](rule, text, cast)


def _access(rule: AccessRule, text: str, cast: Cast) -> str:
    spots = spot(text, cast)
    if not rule.audience or not rule.operations:
        return "it names nobody or nothing"
    for audience in rule.audience:
        if not _names(audience, rule.effect, spots, cast, text):
            return f"the quote does not name {audience.department or audience.who}"
    supported = _supported(spots)
    closing = spots.has("only") or "nothing" in spots.text
    for operation in rule.operations:
        rest = rule.effect == "deny" and closing and operation in READS
        if operation not in supported and not rest:
            return f"the quote does not speak of {operation}"
    signs: tuple[Sign, ...] = ("negation", "only", "exception", "secret", "approval")
    denies = _CLOSING.search(spots.text) or any(map(spots.has, signs)) or takes_back(text, cast)
    if rule.effect == "deny" and not (denies or "|" in text or "%" in text):
        return "the quote forbids nothing"
    if rule.effect == "allow" and _only_forbids(spots):
        return "the quote forbids what the rule allows"
    return _conditions(rule, spots)


def _only_forbids(spots: Spots) -> bool:
    escape = (
        spots.has("only") or spots.has("exception") or re.search(r"\bbut\b|\||;|:|\. ", spots.text)
    )
    return spots.has("negation") and not escape


def _conditions(rule: AccessRule, spots: Spots) -> str:
    for status in rule.statuses:
        if not re.search(_STATUS_WORDS.get(status, re.escape(status)), spots.text):
            return f"the quote does not speak of {status}"
    for need in rule.needs:
        if need == "not_self" and rule.effect == "deny":
            # What is closed to others only is never closed to more people than the quote says.
            continue
        words = _NEED_WORDS.get(need.removeprefix("not_"), "")
        if not words or not re.search(words, spots.text):
            return f"the quote does not ask for {need}"
    return ""


def _names(audience: Audience, effect: str, spots: Spots, cast: Cast, text: str) -> bool:
    if audience.who == "everyone" and effect == "deny":
        return True
    if audience in {one.audience for one in cast.mentions(text)}:
        return True
    pattern = _RELATED.get(audience.who)
    return pattern is not None and bool(re.search(pattern, spots.text))


def _supported(spots: Spots) -> set[Operation]:
    result: set[Operation] = set()
    for topic in spots.topics:
        for table in (lexicon.SIGHT, lexicon.CHANGE, lexicon.LOG):
            result.update(table.get(topic.topic, ()))
    return result | {OWN_TWIN[one] for one in result if one in OWN_TWIN}


def _derive(rule: DeriveRule, text: str, _: Cast) -> str:
    folded = plain(text)
    named = set(re.findall(r"\b(idea|exploring|active|paused|archived)s?\b", folded))
    left_out = re.search(
        r"exclud|except|ignor|not count|without|but not|leav|apart|never|skip|disregard|not includ",
        folded,
    )
    every = re.search(r"\b(?:all|every|any|whatever|regardless|irrespective|matter)\b", folded)
    if set(rule.statuses) <= named or (left_out and named) or every:
        return ""
    return "the quote does not name these phases"


def _scale(rule: ScaleRule, text: str, _: Cast) -> str:
    folded = squeeze(text)
    numbers = set(re.findall(r"\d+", folded)) | {
        str(n) for n, word in enumerate(NUMBER_WORDS, 1) if re.search(rf"\b{word}\b", folded)
    }
    if rule.term not in folded:
        return f"the quote does not say {rule.term}"
    if str(rule.low) not in numbers or (rule.high != 10 and str(rule.high) not in numbers):
        return "the quote does not give these levels"
    return ""


def _meaning(rule: MeaningRule, text: str, _: Cast) -> str:
    words = (
        r"\b(?:lead|leads|led|leading|head|run|manage)"
        if rule.means == "led"
        else r"\b(?:member|part|assigned|work|involved|team|belong|role)"
    )
    about = re.search(r"\bprojects?\b", plain(text)) and re.search(words, plain(text))
    return "" if about else "the quote does not say whose projects are meant"


def _literal(*names: str) -> Callable[[Rule, str, Cast], str]:
    """A check that the values of these fields stand in the quote as they are."""

    def check(rule: Rule, text: str, _: Cast) -> str:
        folded = squeeze(text)
        for name in names:
            value = getattr(rule, name)
            for one in value if isinstance(value, tuple) else (value,):
                if one and squeeze(str(one)) not in folded:
                    return f"the quote does not say {one}"
        return ""

    return check


def _code(rule: CodeRule, text: str, cast: Cast) -> str:
    try:
        re.compile(rule.pattern)
    except re.error:
        return "the pattern is not a regular expression"
    fixed = re.match(r"\^?((?:\\?[A-Z0-9](?![^\[]*\]))+)", rule.pattern)
    if fixed and fixed[1].replace("\\", "") not in text:
        return "the quote does not give this shape"
    return _literal("name")(rule, text.replace("centers", "center"), cast)


def _owner(rule: OwnerRule, text: str, cast: Cast) -> str:
    if not rule.section:
        return (
            ""
            if re.search(r"\b(?:other|remaining|rest|none of these|outside)\b", plain(text))
            else "no such section"
        )
    folder = rule.section.rstrip("/").replace("_", " ").lower()
    departments = {one.audience.department for one in cast.mentions(text)}
    if rule.department not in departments:
        return f"the quote does not name {rule.department}"
    return (
        ""
        if re.search(rf"\b{re.escape(folder)}\b", plain(text).replace("_", " "))
        else "no such section"
    )


def _procedure(rule: ProcedureRule, text: str, _: Cast) -> str:
    words = r"delet|remov|retir|tak" if rule.operation == "wiki.delete" else r"renam|mov"
    return "" if re.search(words, plain(text)) else f"the quote does not speak of {rule.operation}"


def _reply(rule: ReplyRule, text: str, cast: Cast) -> str:
    spots = spot(text, cast)
    for audience in rule.audience:
        if audience.who != "everyone" and not _names(audience, "allow", spots, cast, text):
            return f"the quote does not name {audience.who}"
    return _literal("must_mention")(rule, text, cast)


def _capability(rule: CapabilityRule, text: str, cast: Cast) -> str:
    missing = set(rule.operations) - _supported(spot(text, cast))
    return f"the quote does not speak of {min(missing)}" if missing else ""


_CHECKS: Mapping[type, Callable[..., str]] = {
    AccessRule: _access,
    DeriveRule: _derive,
    ScaleRule: _scale,
    MeaningRule: _meaning,
    EnumRule: _literal("values"),
    LifecycleRule: _literal("order", "locked"),
    ProcedureRule: _procedure,
    CodeRule: _code,
    ReplyRule: _reply,
    CapabilityRule: _capability,
    OwnerRule: _owner,
    SiteRule: _literal("city", "near", "country"),
    LabelRule: _literal("term", "label"),
}


def parse_all(pages: Mapping[str, str]) -> dict[str, Page]:
    return {path: parse_page(path, text) for path, text in sorted(pages.items())}
