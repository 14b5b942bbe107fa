"""Several requests in one text: where it can be taken apart, and what each part inherits."""

import re

from proveout.apps.solver.experts.reading import Reading, clauses

_JOINT = re.compile(
    r",?\s+(?:and|und|et|e|y|i|и)\s+(?=(?:also|then|while|please|afterwards|dann|außerdem|auch|poi"
    r"|anche|inoltre|ensuite|aussi|puis|luego|también|después|zatim|takođe|onda|затем|также|потом)\b)"
    r"|,\s+(?:and|und|et|e|y|i|и)\s+|[,，]\s*(?:并|然后|同时)|;\s+",
    re.IGNORECASE,
)
MOST = 12
"""Parts that are looked at; a text of thousands of sentences has no thousand requests."""


def parts(reading: Reading) -> list[Reading]:
    """The sentences and joined halves of a text, each read with the rest hidden.

    A part that names no person or project speaks of the one named before. Repeated sentences and
    those already hidden are left out.
    """
    found: list[Reading] = []
    seen: set[str] = set()
    for start, end in _pieces(reading.text):
        said = reading.text[start:end].strip().casefold()
        if said in seen or any(first <= start and end <= last for first, last in reading.hidden):
            continue
        seen.add(said)
        found.append(_alone(reading, start, end))
    telling = [it for it in found if it.concepts or it.mentions]
    return telling[:MOST] + telling[MOST:][-MOST:]


def _pieces(text: str) -> list[tuple[int, int]]:
    found = []
    for start, end in clauses(text):
        first = start
        for joint in _JOINT.finditer(text, start, end):
            found.append((first, joint.start()))
            first = joint.end()
        found.append((first, end))
    return found


def _alone(reading: Reading, start: int, end: int) -> Reading:
    own = [it for it in reading.mentions if start <= it.start < end]
    kinds = {it.kind for it in own}
    for kind in ("person", "project"):
        if kind not in kinds:
            own += [it for it in reading.mentions if it.kind == kind and it.end <= start][-1:]
    hidden = (*reading.hidden, (0, start), (end, len(reading.text)))
    return Reading(
        reading.text, reading.requester, tuple(sorted(own, key=lambda it: it.start)), hidden
    )
