"""What a question is about, and when people say that a distortion is there."""

import math
from dataclasses import dataclass

from proveout.apps.iqa.language.lexicon import Concept, Mention, lexicon
from proveout.apps.iqa.language.question import Part, Reading
from proveout.apps.iqa.models import GLOBAL

NOTICED = 0.7
"""Loss from which people say that a distortion is there."""
SOFTNESS = 0.3
_DIRECTED: dict[tuple[str, str], str] = {
    ("contrast", "high"): "high_contrast",
    ("contrast", "low"): "low_contrast",
    ("saturation", "high"): "oversaturated",
    ("saturation", "low"): "desaturated",
    ("brightness", "high"): "overexposed",
    ("brightness", "low"): "underexposed",
    ("sharpness", "high"): "oversharpened",
    ("sharpness", "low"): "lacking_sharpness",
    ("color", "high"): "oversaturated",
    ("color", "low"): "desaturated",
}
_HIGH = frozenset(["high", "higher", "strong", "excessive", "much", "over", "raised", "increased"])
_LOW = frozenset(
    [
        "low",
        "lower",
        "weak",
        "little",
        "insufficient",
        "poor",
        "lacking",
        "under",
        "reduced",
        "decreased",
    ]
)


@dataclass(frozen=True)
class Subject:
    """What the question is about: regions and concepts; without concepts, quality as such."""

    scopes: tuple[str, ...]
    concepts: tuple[Concept, ...]
    superlative: bool
    """`most`, `main`, `dominant`: one is wanted, however slight."""


def subject_of(reading: Reading) -> Subject:
    part = Part(reading.tokens, reading.mentions, (), ())
    concepts = tuple(dict.fromkeys(directed(m, part) for m in reading.mentions))
    words = {token.text for token in reading.tokens}
    return Subject(
        scopes=reading.asked or (GLOBAL,),
        concepts=concepts,
        superlative=bool(
            words & {"most", "main", "dominant", "biggest", "major", "worst", "largest"}
        ),
    )


def directed(mention: Mention, part: Part) -> Concept:
    """`contrast too low` is low contrast: a property with a direction is a fault."""
    if mention.concept.sign != "matter":
        return mention.concept
    near = {token.stem for token in part.tokens[max(mention.first - 3, 0) : mention.last + 4]}
    family = {"focus": "sharpness"}.get(mention.concept.name, mention.concept.name)
    for word, side in (("high", _HIGH), ("low", _LOW)):
        if near & side and ("too" in near or word == "low") and (family, word) in _DIRECTED:
            return lexicon().concepts[_DIRECTED[(family, word)]]
    return mention.concept


def present(lost: float) -> float:
    """How likely people say that a distortion with this loss is there."""
    return 1.0 / (1.0 + math.exp(-(lost - NOTICED) / SOFTNESS))
