"""What two members of a team exchange: their roles, their slices, or both."""

import re
from collections.abc import Sequence

from proveout.apps.solver.experts.concepts import Sign
from proveout.apps.solver.experts.mentions import Mention
from proveout.apps.solver.experts.reading import Reading
from proveout.apps.solver.resolve.folding import fold, word_set

_ROLES = frozenset({"ROLE", "LEAD"})
_SLICES = frozenset({"SLICE", "WORKLOAD", "HOURS", "PERCENT"})
_KEEPING = frozenset({"STAY", "NOT", "DO_NOT"})
_SHARES = word_set("share shares")
"""What people `share` elsewhere; when they swap, a part of their time."""
_SAME = frozenset(
    fold(word)
    for word in word_set(
        "same fine right correct ok okay before identical gleich gleichen stimmen passen"
        " richtig wie bisher stessi stesso uguali giusti corretti prima mêmes même"
        " corrects avant mismos mismo iguales correctos antes isti iste isto dobre"
        " ispravne те же прежние верны прежними правильные nichts nothing touching toucher"
        " toccare tocar anzufassen anzurühren diranja niente rien nada ništa ничего не 不变"
        " 不动 不改 照旧 没问题 正确"
    )
)
"""Words that say that something is as it should be."""
_BREAK = re.compile(
    r"[.,;()!?–—。，；（）]|:(?!\s*(?:no|not|same)\b)|：|\s-\s|\b(?:but|yet|while|whereas|aber|sondern|während|ma|mentre|mais"
    r"|pero|sino|ali|već|dok|но|а)\b|但|而",
    re.IGNORECASE,
)
_BEFORE, _AFTER = 3, 3
"""Words between something and what says that it stays."""


def pair(reading: Reading) -> list[Mention]:
    """The people named, each once."""
    return list({it.ids or (it.text,): it for it in reversed(reading.people())}.values())[::-1]


def exchanged(reading: Reading) -> tuple[bool, bool]:
    """Whether roles and whether slices change hands; both if nothing else is said."""
    wanted: set[str] = set()
    kept: set[str] = set()
    for start, end in _pieces(reading.text):
        # Read anew: what is `not to be done` is hidden from the request, and is wanted here.
        named = tuple(it for it in reading.mentions if start <= it.start < end)
        piece = Reading(reading.text, reading.requester, named, _around(reading, start, end))
        for theme, stays in _themes(piece):
            (kept if stays else wanted).add(theme)
    wanted -= kept
    if not wanted:
        wanted = {"roles", "slices"} - kept
    return "roles" in wanted, "slices" in wanted


def _pieces(text: str) -> list[tuple[int, int]]:
    ends = [*(match.span() for match in _BREAK.finditer(text)), (len(text), len(text))]
    starts = [0, *(end for _, end in ends)]
    return [(start, end) for start, (end, _) in zip(starts, ends, strict=False) if start < end]


def _around(reading: Reading, start: int, end: int) -> tuple[tuple[int, int], ...]:
    return ((0, start), (end, len(reading.text)))


def _themes(piece: Reading) -> list[tuple[str, bool]]:
    """Roles or slices in a piece of a sentence, each with whether it stays."""
    shares = [
        Sign("SLICE", place, place + 1)
        for place, token in enumerate(piece.tokens)
        if token.folded in _SHARES and piece.shows(token)
    ]
    signs = (*piece.signs, *shares)
    themes = [it for it in signs if it.concept in _ROLES | _SLICES]
    marks = [it for it in signs if it.concept in _KEEPING]
    wholes = {place for it in signs if it.whole for place in range(it.first, it.last)}
    marks += [
        Sign("STAY", place, place + 1)
        for place, token in enumerate(piece.tokens)
        if token.folded in _SAME and piece.shows(token) and place not in wholes
    ]
    lone = len({it.concept in _ROLES for it in themes}) == 1 and not piece.has("SWAP")
    return [
        (
            "roles" if it.concept in _ROLES else "slices",
            bool(marks) if lone else _beside(it, marks, themes),
        )
        for it in themes
    ]


def _beside(theme: Sign, marks: Sequence[Sign], themes: Sequence[Sign]) -> bool:
    """Whether a mark stands close to a theme, and nothing else that it may speak of between."""
    other = [it for it in themes if (it.concept in _ROLES) != (theme.concept in _ROLES)]
    for mark in marks:
        if 0 <= theme.first - mark.last <= _BEFORE:
            between = (mark.last, theme.first)
        elif 0 <= mark.first - theme.last < _AFTER:
            between = (theme.last, mark.first)
        else:
            continue
        if not any(between[0] <= it.first < between[1] for it in other):
            return True
    return False
