"""Which of two pictures is better, or has more of what is asked about."""

import re

from proveout.apps.iqa.experts.ground import Ground, concept_loss
from proveout.apps.iqa.experts.options import subject_of
from proveout.apps.iqa.experts.wording import Notes
from proveout.apps.iqa.language.question import Reading

NAMES = ("the first", "the second")
SAME = "no visible difference"
_LEAST_DIFFERENCE = 0.1
_FIRST = re.compile(r"(?i)\b(?:first|1st|test|distorted|left|former|image 1|image a|this)\b")
_SECOND = re.compile(
    r"(?i)\b(?:second|2nd|reference|original|right|latter|image 2|image b|other)\b"
)
_BOTH = re.compile(r"(?i)\b(?:both|same|equal|equally|neither|no difference|similar)\b")
_COMPARING = re.compile(
    r"(?i)\bwhich (?:one|of (?:the |these )?(?:two|both|images|pictures|photos))\b|"
    r"\bwhich (?:image|picture|photo)\b|\bcompare\b|\bthe (?:first|second)\b|"
    r"\b(?:better|worse) than\b"
)
_WORSE = frozenset({"worse", "worst", "poorer", "lower", "less", "least", "inferior"})


def compares(reading: Reading) -> bool:
    """Whether a question puts one picture against another."""
    return reading.kind == "compare" or bool(_COMPARING.search(reading.stem))


def preferred(reading: Reading, pair: tuple[Ground, Ground], notes: Notes) -> tuple[str, float]:
    """The picture that the question asks for, as an option where there are options."""
    subject = subject_of(reading)
    if subject.concepts:
        losses = [max(concept_loss(c, ground.seen()) for c in subject.concepts) for ground in pair]
        good = any(concept.sign != "fault" for concept in subject.concepts)
        values = [5.0 - lost if good else lost for lost in losses]
    else:
        values = [ground.quality() or 3.0 for ground in pair]
    for name, ground in zip(("first", "second"), pair, strict=True):
        if ground.score is not None:
            notes.say(f"The {name} picture rates {ground.score:.2f} of 5.")
            notes.used[f"{name}.score"] = ground.score
    if {token.text for token in reading.tokens} & _WORSE:
        values = [-value for value in values]
    difference = values[0] - values[1]
    confidence = min(1.0, abs(difference) / 2)
    if abs(difference) < _LEAST_DIFFERENCE:
        return _named(reading, None), confidence
    return _named(reading, 0 if difference > 0 else 1), confidence


def _named(reading: Reading, winner: int | None) -> str:
    """The winner in the question's own options; in words where it has none."""
    patterns = {0: _FIRST, 1: _SECOND, None: _BOTH}
    for option in reading.options:
        if patterns[winner].search(option.text):
            return option.answer
    return SAME if winner is None else NAMES[winner]
