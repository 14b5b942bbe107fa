"""Words of a task that are to be stored as they stand: notes and contents, cut out literally."""

import re

from proveout.apps.solver.experts.reading import Reading, clauses

_THAT = re.compile(
    r"^\W*(?:(?:that|saying|stating|which says|reading|to|dass|mit dem text|che|dicendo|que|disant"
    r"|diciendo|da|sa tekstom|что|о том,? что|with the text|says|说|内容为|为)"
    r"(?!\w)[:,]?"
    r"|[:：])\s*",
    re.IGNORECASE,
)
_NEAR = 30
"""Characters between a word for a note and the quote that follows."""
_COLON = re.compile(r"[:：]\s*(.+)$", re.DOTALL)


def stored_text(reading: Reading, *signs: str) -> str:
    """A quote if there is one; else what follows a colon; else the clause after the given word."""
    quotes = reading.of("quote")
    if quotes:
        # A quote may be part of a name; the one after the word for a note is the note.
        marks = [place for sign in signs for place in reading.where(sign)]
        noted = [it for it in quotes if any(0 <= it.start - mark <= _NEAR for mark in marks)]
        return (noted or quotes)[0].text
    starts = [reading.tokens[it.last - 1].end for it in reading.signs if it.concept in signs]
    if not starts:
        return ""
    first = min(starts)
    colon = _COLON.search(reading.text[first:])
    if colon:
        return colon.group(1).strip()
    after = max(it for it in starts if _same_clause(reading, it, first))
    end = next((last for start, last in clauses(reading.text) if start <= after <= last), after)
    rest = reading.text[after:end].strip().rstrip(".!。")
    people = [it for it in reading.people() if after <= it.start < end]
    if people:
        rest = reading.text[people[-1].end : end].strip().rstrip(".!。") or rest
        rest = re.sub(r"^(?:'s|’s)?\s*(?:profile|record|profil\w*)\s*", "", rest)
    previous = None
    while previous != rest:
        previous, rest = rest, _THAT.sub("", rest, count=1)
    return rest.strip()


def content_after(text: str, place: int) -> str:
    """What follows the first colon after a place, whole; quotes around all of it are taken off."""
    colon = re.search(r"[:：]\s+(.+)$", text[place:], re.DOTALL)
    if not colon:
        return ""
    whole = colon.group(1).strip()
    quoted = re.fullmatch(r"[\"'“„«`‘](.*)[\"'”“»`’]", whole, re.DOTALL)
    inner = quoted.group(1) if quoted else ""
    return inner if inner and not re.search(r"[\"“”„«»]", inner) else whole


def _same_clause(reading: Reading, one: int, other: int) -> bool:
    return any(
        start <= one <= end and start <= other <= end for start, end in clauses(reading.text)
    )
