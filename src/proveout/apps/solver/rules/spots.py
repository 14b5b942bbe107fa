"""Where a clause names people, data and actions, and which signs of permission it holds."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from proveout.apps.solver.rules import lexicon
from proveout.apps.solver.rules.cast import Cast, Mention
from proveout.apps.solver.rules.lexicon import Action, Topic
from proveout.apps.solver.rules.text import phrase, plain

_TOPICS = tuple((topic, phrase(pattern)) for topic, pattern in lexicon.TOPICS)
_ACTIONS = tuple((action, phrase(pattern)) for action, pattern in lexicon.ACTIONS)
_NOT_ONLY = re.compile(r"\bnot (?:only|just|merely|solely|limited to)\b")
_OTHER_NOTES = re.compile(
    r"\b(?:application|release|meeting|technical|delivery|lecture|credit|entry)\s+$"
)
_ENTRY_STATUS = re.compile(r"\W*(?:draft|submitted|approved|invoiced|voided)\b")
_NOT_THEM = re.compile(r",\s+(?:and\s+|but\s+)?not\s+(?:by|to|for)\b")
_NO_SECRET = re.compile(
    r"\bno secret\b|\bno restrictions?\b|\bnot (?:a )?(?:secret|confidential)\b"
)
_DOUBLE = re.compile(r"\b(?:not|never)\b(?=[^,;]{0,40}\bwithout\b)")

_NO_NOUN = re.compile(r"(?:^|[:,;]|\bor|\band)\s*\bno\s+$")
_BY_WHOM = re.compile(
    r"\s+by\b(?:(?!\b(?:is|are|was|were|may|can|cannot|must|shall|should|will|has|have|and)\b)"
    r"[^,;:.]){1,40}(?=\b(?:is|are|may|can|cannot|must|shall|should|will|has|have)\b)"
)

Sign = Literal[
    "negation", "only", "exception", "modal", "others", "own", "team", "approval", "secret"
]
_SIGNS: tuple[tuple[Sign, re.Pattern[str]], ...] = (
    ("negation", phrase(lexicon.NEGATION)),
    ("only", phrase(lexicon.ONLY)),
    ("exception", phrase(lexicon.EXCEPTION)),
    ("modal", phrase(lexicon.MODAL)),
    ("others", phrase(lexicon.OTHERS)),
    ("own", phrase(lexicon.OWN)),
    ("team", phrase(lexicon.IN_TEAM)),
    ("approval", phrase(lexicon.APPROVAL)),
    ("secret", phrase(lexicon.CONFIDENTIAL)),
)


@dataclass(frozen=True)
class Spot:
    start: int
    end: int


@dataclass(frozen=True)
class TopicSpot(Spot):
    topic: Topic


@dataclass(frozen=True)
class ActionSpot(Spot):
    action: Action


@dataclass(frozen=True)
class Spots:
    """A clause, taken apart."""

    text: str
    """Folded."""
    people: tuple[Mention, ...]
    topics: tuple[TopicSpot, ...]
    actions: tuple[ActionSpot, ...]
    signs: dict[Sign, tuple[Spot, ...]]

    def has(self, sign: Sign) -> bool:
        return bool(self.signs[sign])


@lru_cache(maxsize=4096)
def spot(text: str, cast: Cast) -> Spots:
    """Take a text apart; kept for a while, as many matchers look at the same sentence."""
    folded = plain(text)
    for harmless in (_NOT_ONLY, _NO_SECRET, _DOUBLE):
        folded = harmless.sub(_blank, folded)
    signs = {
        sign: tuple(Spot(*found.span()) for found in pattern.finditer(folded))
        for sign, pattern in _SIGNS
    }
    signs["exception"] += tuple(Spot(*found.span()) for found in _NOT_THEM.finditer(folded))
    closed = signs["only"] + tuple(
        one for one in signs["negation"] if one.end - one.start > len("cannot")
    )
    people = tuple(one for one in cast.mentions(text) if not _within(one, closed))
    topics = _spot_topics(folded, people)
    people = tuple(one for one in people if not _within(one, topics))
    # "External staff: no salaries, no workloads."
    signs["negation"] += tuple(
        Spot(one.start - len(found[0]), one.start)
        for one in topics
        if people and (found := _NO_NOUN.search(folded[: one.start]))
    )
    # "Guests who are not signed in" names people and denies nothing.
    taken: tuple[Spot | Mention, ...] = people + signs["exception"]
    signs["negation"] = tuple(
        one for one in signs["negation"] if not any(_overlap(one, other) for other in taken)
    )
    actions = _spot_actions(folded, (*people, *topics))
    described = _describing(folded, topics, actions)
    people = tuple(one for one in people if not _within(one, described))
    actions = tuple(one for one in actions if not any(_overlap(one, it) for it in described))
    return Spots(folded, people, topics, actions, signs)


def _describing(
    folded: str, topics: tuple[TopicSpot, ...], actions: tuple[ActionSpot, ...]
) -> tuple[Spot, ...]:
    """`hours booked by colleagues`: a participle that says which ones, and by whom, if a verb of
    the clause's own follows."""
    ends = {one.end for one in topics}
    found = []
    for one in actions:
        by = _BY_WHOM.match(folded[one.end :])
        noun = one.start - len(folded[: one.start]) + len(folded[: one.start].rstrip())
        if by and noun in ends and any(it.start >= one.end + by.end() for it in actions):
            found.append(Spot(one.start, one.end + by.end()))
    return tuple(found)


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])


def _spot_topics(folded: str, people: tuple[Mention, ...]) -> tuple[TopicSpot, ...]:
    found = [
        TopicSpot(*match.span(), topic)
        for topic, pattern in _TOPICS
        for match in pattern.finditer(folded)
    ]
    found.sort(key=lambda one: (one.start, -one.end))
    kept: list[TopicSpot] = []
    for one in found:
        longer_person = any(
            _overlap(one, person) and person.end - person.start >= one.end - one.start
            for person in people
        )
        if one.topic == "status" and _ENTRY_STATUS.match(folded[one.end :]):
            continue
        if one.topic == "notes" and _OTHER_NOTES.search(folded[: one.start]):
            continue
        if not longer_person and (not kept or one.start >= kept[-1].end):
            kept.append(one)
    return tuple(kept)


def _spot_actions(folded: str, taken: tuple[Mention | TopicSpot, ...]) -> tuple[ActionSpot, ...]:
    found = [
        ActionSpot(*match.span(), action)
        for action, pattern in _ACTIONS
        for match in pattern.finditer(folded)
    ]
    found.sort(key=lambda one: (one.start, -one.end))
    kept: list[ActionSpot] = []
    for one in found:
        free = not any(_overlap(one, other) for other in taken)
        if free and (not kept or one.start >= kept[-1].end):
            kept.append(one)
    return tuple(kept)


def _overlap(one: Spot | Mention, other: Spot | Mention) -> bool:
    return one.start < other.end and other.start < one.end


def _within(one: Mention, others: tuple[Spot, ...]) -> bool:
    return any(other.start <= one.start and one.end <= other.end for other in others)
