"""Names of measuring tools in a question, in the spellings people use."""

from collections.abc import Sequence
from typing import NamedTuple

from proveout.apps.iqa.language.lexicon import lexicon
from proveout.apps.iqa.language.text import Word, close

_MOST_PARTS = 6
_TOLERANT_FROM = 6
"""Shorter names must have the right letters: too many words lie one letter away."""
_SWAPPED_FROM = 4
_USING = frozenset(
    ["use", "using", "with", "via", "run", "apply", "compute", "calculate", "by", "metric", "tool"]
)


class ToolMention(NamedTuple):
    """A tool at a place in a text."""

    name: str
    first: int
    last: int


def tools(tokens: Sequence[Word]) -> tuple[ToolMention, ...]:
    """The tools named, in order of mention, each once."""
    found: list[ToolMention] = []
    place = 0
    while place < len(tokens):
        mention = _at(tokens, place)
        if mention is None:
            place += 1
            continue
        if mention.name not in {other.name for other in found}:
            found.append(mention)
        place = mention.last
    return tuple(found)


def _at(tokens: Sequence[Word], place: int) -> ToolMention | None:
    """The longest tool name that begins here."""
    joined, best = "", None
    for last in range(place, min(place + _MOST_PARTS, len(tokens))):
        text = tokens[last].text
        if text in {"-", "+", "/"} and joined:
            joined += "plus" if text == "+" else ""
            continue
        if not text.isalnum():
            break
        joined += text
        name = _named(joined, tokens, place, last)
        if name:
            best = ToolMention(name, place, last + 1)
    return best


def _named(joined: str, tokens: Sequence[Word], first: int, last: int) -> str | None:
    known = lexicon()
    if joined in known.tools:
        if joined in known.ordinary and not _meant(tokens, first):
            return None
        return known.tools[joined]
    if len(joined) < _SWAPPED_FROM or joined in known.ordinary or first != last:
        return None
    near = [key for key in known.tools if len(key) >= _SWAPPED_FROM and _meant_for(joined, key)]
    return known.tools[near[0]] if near else None


def _meant_for(joined: str, key: str) -> bool:
    """One slip in a long name; in a short one, two letters swapped (`SSMI`)."""
    short = min(len(joined), len(key)) < _TOLERANT_FROM
    return (not short or sorted(joined) == sorted(key)) and close(joined, key, 1)


def _meant(tokens: Sequence[Word], place: int) -> bool:
    """An ordinary word is a tool when it is written like one or said to be used."""
    raw = tokens[place].raw
    written = len(raw) > 1 and sum(letter.isupper() for letter in raw) > 1
    return written or (place > 0 and tokens[place - 1].text in _USING and not raw.islower())
