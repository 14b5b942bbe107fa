"""Skills and wills by their ids: every word of the id must be in the phrase, in some form."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from proveout.apps.solver.resolve.folding import words

LONGEST = 7
"""Words over which a name may be spread."""


@dataclass(frozen=True)
class Cover:
    """Words `first` to `last` (exclusive) of a text hold all words of an id."""

    id: str
    first: int
    last: int
    size: int
    """Words of the id."""


def bare_id(ability: str) -> str:
    """An id without the part that says what it is an id of."""
    for head in ("skill_", "will_", "skill-", "will-", "skill.", "will."):
        if ability.startswith(head):
            return ability.removeprefix(head)
    return ability


def covers(text: Sequence[str], ids: Sequence[str], breaks: Collection[int] = ()) -> list[Cover]:
    """Where a text names which ability; ids with more words first, then the tightest place.

    No name goes on over a word in `breaks`.
    """
    found = []
    for id_ in ids:
        wanted = words(bare_id(id_))
        best: Cover | None = None
        for first in range(len(text)):
            last = _reached(text, first, wanted, breaks)
            if last and (best is None or last - first < best.last - best.first):
                best = Cover(id_, first, last, len(wanted))
        if best is not None:
            found.append(best)
    return sorted(found, key=lambda it: (-it.size, it.last - it.first, it.first, it.id))


def _reached(
    text: Sequence[str], first: int, wanted: Sequence[str], breaks: Collection[int]
) -> int:
    """Where the last of the wanted words is found, if one stands at `first` and all are near."""
    open_ = list(wanted)
    place = first
    while place < min(len(text), first + LONGEST):
        if place > first and place in breaks:
            return 0
        word = text[place]
        match = next((it for it in open_ if _says(word, it)), None)
        size = 1
        if match is None:
            match, size = _initials(text, place, open_)
        if match is not None:
            open_.remove(match)
        elif place == first:
            return 0
        place += size
        if not open_:
            return place
    return 0


def _says(word: str, wanted: str) -> bool:
    """The same word, one begun by the other, or one that the id shortens (`mgmt`)."""
    if word == wanted:
        return True
    short, long = sorted((word, wanted), key=len)
    if len(short) >= 4 and long.startswith(short[: max(4, len(short) - 1)]):
        return len(short) > 4 or long.startswith(short)
    return len(wanted) >= 3 and _shortens(wanted, word)


def _shortens(short: str, long: str) -> bool:
    if len(long) < len(short) + 3 or short[0] != long[0] or short[-1] != long[-1]:
        return False
    letters = iter(long)
    return all(letter in letters for letter in short)


def _initials(text: Sequence[str], place: int, wanted: Sequence[str]) -> tuple[str | None, int]:
    """A word of the id that the next words spell by their first letters (`crm`)."""
    for it in wanted:
        run = text[place : place + len(it)]
        if len(it) >= 3 and len(run) == len(it) and "".join(word[:1] for word in run) == it:
            return it, len(it)
    return None, 1
