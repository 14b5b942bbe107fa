"""Options that say where the colours lean: warm or cold, red, blue or yellow."""

import math
import re
from collections.abc import Sequence

from proveout.apps.iqa.experts.ground import Seen

_TOWARDS: tuple[tuple[str, float, float], ...] = (
    (r"\b(?:red|reddish|pink|pinkish|magenta)\b", 1.0, 0.0),
    (r"\b(?:green|greenish)\b", -1.0, 0.0),
    (r"\b(?:blue|bluish|cold|cool|icy)\b", 0.0, -1.0),
    (r"\b(?:cyan|teal)\b", -0.7, -0.7),
    (r"\b(?:purple|purplish|violet)\b", 0.7, -0.7),
    (r"\b(?:yellow|yellowish|sepia|golden)\b", 0.0, 1.0),
    (r"\b(?:orange|orangish|brown|brownish|warm)\b", 0.45, 0.9),
)
"""Words with the direction that they mean, in the plane of the Lab colours a and b."""
_NEUTRAL = 4.0
"""Lab units below which nobody sees a cast."""


def leaning(text: str) -> tuple[float, float] | None:
    """The direction that an option names; None where it names none, or several."""
    found = {(a, b) for words, a, b in _TOWARDS if re.search(words, text.lower())}
    summed = (sum(a for a, _ in found), sum(b for _, b in found))
    size = math.hypot(*summed)
    return (summed[0] / size, summed[1] / size) if size > 0.5 else None


def tinted(texts: Sequence[str]) -> bool:
    """Whether options tell directions of colour apart."""
    return len({leaning(text) for text in texts} - {None}) > 1


def tint_support(text: str, seen: Sequence[Seen]) -> float | None:
    """How well the direction of the measured cast agrees with an option, 0 to 1."""
    wanted = leaning(text)
    cast = next((one for one in seen if "neutral_a" in one.facts), None)
    if wanted is None or cast is None:
        return None
    a, b = cast.facts["neutral_a"], cast.facts["neutral_b"]
    size = math.hypot(a, b)
    along = (a * wanted[0] + b * wanted[1]) / (size or 1.0)
    return max(along, 0.0) * size / (size + _NEUTRAL)
