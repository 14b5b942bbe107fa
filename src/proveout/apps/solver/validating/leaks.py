"""The last look at what a plan says by itself: nothing in it that only data can hold.

A message holds the words of a template and values of results that the requester was cleared for.
The values are proved; the words are the proposer's, who may have put anything there.
"""

import re

from proveout.apps.solver.validating.grounding import Ground, folded

_KINDS = {
    "an address": re.compile(r"[\w.+'-]+@[\w-]+(?:\.[\w-]+)+"),
    "a location on the web": re.compile(r"\w+://\S+|\]\(|\bwww\.\S+"),
    "an id": re.compile(r"(?<!\w)(?=\w*[^\W_])\w*_\w+"),
    "a figure": re.compile(r"\d[\d.,'/()-]*"),
}


def loose_values(words: str, ground: Ground) -> tuple[str, ...]:
    """Kinds of values that stand in a proposer's words without being the task's."""
    found = []
    for kind, pattern in _KINDS.items():
        pieces = (folded(match[0]).strip(" .,()-/'") for match in pattern.finditer(words))
        if any(piece and not ground.quoted(piece) for piece in pieces):
            found.append(kind)
    return tuple(found)
