"""What a page says that no matcher understood, and which matters it touches.

A sentence that nobody can read may still take something away. What it touches is therefore open
only to those whom a rule that was understood lets in: see `Policy`. A page that replaces others is
read with more care, because what it replaces is no longer there to fall back on.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from proveout.apps.solver.rules.blocks import Block, Page, Span, sentences
from proveout.apps.solver.rules.building import Ground, source_of
from proveout.apps.solver.rules.ir import AccessRule, Audience, CodeRule, Rule, Unmapped, Who
from proveout.apps.solver.rules.lexicon import CHANGE, LOG, SIGHT, Action, Topic, operations_for
from proveout.apps.solver.rules.precedence import is_link
from proveout.apps.solver.rules.signals import is_normative, is_prohibition
from proveout.apps.solver.rules.spots import Spots, spot
from proveout.apps.solver.rules.statements import (
    LONGEST,
    Statement,
    countable,
    is_aside,
    is_past,
    is_preamble,
)
from proveout.apps.solver.rules.text import plain
from proveout.apps.solver.words import Operation

OPEN_READS: frozenset[Operation] = frozenset(
    {
        "employee.directory",
        "employee.skills",
        "employee.workload",
        "project.directory",
        "project.team",
        "customer.directory",
        "customer.contact",
        "time.entries",
        "wiki.read",
    }
)
"""What silence leaves open: elsewhere a sentence that is not understood takes nothing away."""
_PROTECTED: frozenset[Topic] = frozenset({"salary", "notes", "workload", "contact", "time"})
_GUARDED: frozenset[Topic] = _PROTECTED | {"wiki", "status", "team", "skills", "profile", "place"}
_PUBLIC: frozenset[Topic] = frozenset({"sites", "date", "company"})
_KEPT_OUT: frozenset[Who] = frozenset({"guest", "external"})
"""People with pages of their own, which outrank others only as far as these people go."""
_OF_THE_ASSISTANT = re.compile(
    r"\b(?:assistant|bot|chat ?bot)\b.{0,60}\b(?:asks? back|mentions?|names?)\b"
    r"|^\W*(?:what )?(?:it|the (?:assistant|bot|chat ?bot))\b.{0,30}\b(?:can|cannot|can't)\b"
)
"""What it replies, and what it can do at all, is not what anybody may have."""
_UNCHANGED = re.compile(r"\b(?:the same as|unchanged|as before|what remains|nothing changes)\b")
_SETS_APART = re.compile(
    r"\b(?:but|except|unless|though|although|however|whereas|otherwise|different\w*|not|never|no"
    r"|secrets?|exclud\w+|excepted|apart|closed|denied|hidden|own rules|another matter)\b"
)
_GOES_ON = re.compile(r"\W*(?:it|this|that|they|these|those|things|matters|the same)\b")
_VERBS: Mapping[Action, tuple[Action, ...]] = {
    "log": ("log", "change"),
    "submit": ("log", "change"),
    "approve": ("log", "change"),
}
_ANY_VERB: tuple[Action, ...] = ("see", "change", "log")


def unread(
    page: Page, read: Sequence[tuple[Statement, bool]], rules: Sequence[Rule], ground: Ground
) -> tuple[Unmapped, ...]:
    """Sentences that sound like rules and gave none; `read` tells of each whether it gave one."""
    found = [
        _normative(one, rules, ground)
        for one, mapped in read
        if is_normative(one) and not mapped and not _rules_at(one.span, rules, whole=True)
    ]
    starts = {one.source.start for one in found}
    apart = (_set_apart(one, rules, ground) for one, _ in read if one.span.start not in starts)
    found += [one for one in apart if one]
    if ground.supersedes and not is_aside(page):
        # What repeats an earlier sentence is understood, although the rule quotes the first.
        known = {one.source.start for one in found} | {
            one.span.start for one, mapped in read if mapped and not _rules_at(one.span, rules)
        }
        found += [it for it in _suspected(page, rules, ground) if it.source.start not in known]
    return tuple(sorted(found, key=lambda it: it.source.start))


def _set_apart(statement: Statement, rules: Sequence[Rule], ground: Ground) -> Unmapped | None:
    """What a sentence takes from external people or guests whom none of its rules speaks of."""
    spots = spot(statement.text, ground.cast)
    told = {
        it
        for rule in _rules_at(statement.span, rules)
        if isinstance(rule, AccessRule)
        for it in rule.audience
    }
    named = dict.fromkeys(it.audience for it in spots.people if it.audience.who in _KEPT_OUT)
    left = tuple(it for it in named if it not in told)
    if not left or not _SETS_APART.search(spots.text):
        return None
    if not spots.topics and statement.previous and _GOES_ON.match(spots.text):
        before = statement.page.text[statement.previous.start : statement.previous.end]
        spots = spot(before, ground.cast)
    topics = {one.topic for one in spots.topics} - _PUBLIC
    touches = _touched(spots, topics, rules)
    if not touches:
        return None
    return Unmapped(
        source=source_of(statement.page, statement.anchor, statement.span),
        denies=True,
        touches=touches,
        audience=left,
        supersedes=ground.supersedes,
    )


def _normative(statement: Statement, rules: Sequence[Rule], ground: Ground) -> Unmapped:
    """What the sentence touches; on an ordinary page, only what it may close to somebody."""
    spots = spot(statement.text, ground.cast)
    denies = is_prohibition(statement)
    topics = {one.topic for one in spots.topics} - _PUBLIC
    if not topics and ground.supersedes and statement.headings:
        topics = {one.topic for one in spot(statement.headings[-1], ground.cast).topics} & _GUARDED
    touches = _touched(spots, topics, rules)
    if not ground.supersedes:
        sees = not spots.actions or any(it.action == "see" for it in spots.actions)
        closes = sees and ((denies and bool(spots.people)) or spots.has("secret"))
        touches = tuple(it for it in touches if closes and it in OPEN_READS)
    return Unmapped(
        source=source_of(statement.page, statement.anchor, statement.span),
        denies=denies,
        touches=touches,
        audience=_only_about(spots, statement.headings, ground),
        supersedes=ground.supersedes,
    )


def _only_about(spots: Spots, headings: Sequence[str], ground: Ground) -> tuple[Audience, ...]:
    """External people or guests, where a sentence or the headings over it name nobody else."""
    for named in (*(spot(it, ground.cast).people for it in headings), spots.people):
        audiences = tuple(dict.fromkeys(it.audience for it in named))
        if audiences and all(it.who in _KEPT_OUT for it in audiences):
            return audiences
    return ()


def _suspected(page: Page, rules: Sequence[Rule], ground: Ground) -> Iterable[Unmapped]:
    """Of a page that replaces others: whatever else touches a guarded matter, in any mood."""
    for block in page.blocks:
        for span, text in _pieces(page, block):
            touches = _left_over(text, span, rules, ground)
            if touches and not is_past(text) and not is_preamble(text):
                yield Unmapped(
                    source=source_of(page, block.anchor, span),
                    denies=True,
                    touches=touches,
                    audience=_only_about(spot(text, ground.cast), block.headings, ground),
                    supersedes=True,
                )


def _pieces(page: Page, block: Block) -> Iterable[tuple[Span, str]]:
    """Sentences, also those that are too long to be read, and rows with their header."""
    if block.kind not in {"paragraph", "item", "row"}:
        return
    if not countable(page, block) and block.end - block.start <= LONGEST:
        return
    if block.kind == "row":
        header = page.blocks[block.header]
        if header is not block:
            yield Span(block.start, block.end), f"{page.of(header)} {page.of(block)}"[:LONGEST]
        return
    for span in sentences(page.text, block.start, block.end):
        end = min(span.end, span.start + LONGEST)
        if not is_link(page.text[span.start : end]):
            yield Span(span.start, end), page.text[span.start : end]


def _left_over(
    text: str, span: Span, rules: Sequence[Rule], ground: Ground
) -> tuple[Operation, ...]:
    """What a piece of text touches beyond the rules that were read from it."""
    spots = spot(text, ground.cast)
    here = _rules_at(span, rules)
    if any(not isinstance(it, AccessRule) for it in here):
        return ()
    told = {one for it in here if isinstance(it, AccessRule) for one in it.operations}
    addressed = bool(spots.people) or spots.has("only") or spots.has("secret")
    guarded = _PROTECTED
    if not told:
        # "At any time" and "all hands on deck" are said of much that is nobody's rule.
        guarded = _GUARDED if addressed else _PROTECTED - {"time"}
    topics = {one.topic for one in spots.topics} & guarded
    return _touched(spots, {it for it in topics if not _matter(it) & told}, rules)


def _rules_at(span: Span, rules: Sequence[Rule], *, whole: bool = False) -> list[Rule]:
    """Rules whose quote has a part of this place, or all of it."""
    found = []
    for rule in rules:
        start, end = rule.source.start, rule.source.start + len(rule.source.quote)
        inside = start <= span.start and span.end <= end
        if inside or (not whole and start < span.end and span.start < end):
            found.append(rule)
    return found


def _matter(topic: Topic) -> frozenset[Operation]:
    """Everything that can be done with a matter, one's own included."""
    own: Mapping[Topic, tuple[Operation, ...]] = {
        "salary": ("self.salary",),
        "workload": ("self.profile",),
        "skills": ("self.skills.write", "self.profile"),
        "profile": ("self.skills.write", "self.profile"),
    }
    every = (SIGHT.get(topic, ()), CHANGE.get(topic, ()), LOG.get(topic, ()), own.get(topic, ()))
    return frozenset(operation for some in every for operation in some)


def _touched(spots: Spots, topics: Iterable[Topic], rules: Sequence[Rule]) -> tuple[Operation, ...]:
    """Operations on these matters by the verbs that are used; by any where none is known."""
    codes = [plain(it.name) for it in rules if isinstance(it, CodeRule)]
    # That a code is wanted, and what to reply without one, is told by its own rule.
    if any(it and it in spots.text for it in codes) or is_preamble(spots.text):
        return ()
    if _OF_THE_ASSISTANT.search(spots.text):
        return ()
    if _UNCHANGED.search(spots.text) and not (spots.has("only") or spots.has("negation")):
        return ()
    verbs = [near for it in spots.actions for near in _VERBS.get(it.action, (it.action,))]
    found: dict[Operation, None] = {}
    for topic in sorted(topics):
        by_verb = [one for verb in verbs for one in operations_for(verb, topic)]
        by_any = [one for verb in _ANY_VERB for one in operations_for(verb, topic)]
        found.update(dict.fromkeys(by_verb or by_any))
    return tuple(found)
