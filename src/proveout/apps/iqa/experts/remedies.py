"""Options that name a cure: `brighten it` is right where the picture is too dark."""

import re
from collections.abc import Sequence

from proveout.apps.iqa.experts.ground import Seen, concept_loss
from proveout.apps.iqa.language.lexicon import lexicon

_LEAST = 2
"""Options that name a cure before all are read so: `sharpen` alone may be a description."""
_MOST_LOSS = 4.0
_MORE = r"(?:more|add\w*|rais\w*|increas\w*|boost\w*|lift\w*|enhanc\w*|strengthen\w*|turn up)"
_LESS = (
    r"(?:less|remov\w*|reduc\w*|lower\w*|decreas\w*|cut\w*|suppress\w*|get rid|clean\w*|tone down|"
    r"turn down|recover\w*)"
)
_NEAR = r"\b(?:\W+\w+){0,3}?\W+"
_CURES: tuple[tuple[str, str], ...] = (
    ("noise", rf"\bde-?nois\w*|\bnoise reduction|\b{_LESS}{_NEAR}(?:noise|grain)"),
    ("compression", rf"\bde-?block\w*|\b{_LESS}{_NEAR}(?:block\w*|compression|jpe?g|artifacts?)"),
    ("haze", rf"\bde-?(?:haz|fog)\w*|\b{_LESS}{_NEAR}(?:haze|fog|mist)"),
    ("blur", rf"\bsharpen\w*|\bde-?blur\w*|\bre-?focus\w*|\b{_MORE}{_NEAR}(?:sharpness|clarity)"),
    ("blur", rf"\b{_LESS}{_NEAR}(?:blur|softness)"),
    ("low_contrast", rf"\b{_MORE}{_NEAR}contrast"),
    ("high_contrast", rf"\b{_LESS}{_NEAR}contrast"),
    ("oversaturated", rf"\bdesaturat\w*|\b{_LESS}{_NEAR}(?:saturation|vibrance|colou?rs?)"),
    ("desaturated", rf"\b{_MORE}{_NEAR}(?:saturation|vibrance|colou?rs?)"),
    ("color_cast", r"\bwhite balance|\b(?:cool|warm)\w* (?:\w+ )?(?:down|up|off|colou?rs)"),
    ("color_cast", r"\b(?:remov|correct|neutrali[sz])\w*(?: \w+){0,2} (?:cast|tint|colou?rs?)"),
    ("overexposed", rf"\bdarken\w*|\b{_LESS}{_NEAR}(?:exposure|brightness|light|highlights?)"),
    ("underexposed", r"\b(?:bright|light)en\w*|\bexpos\w+ (?:it )?(?:longer|more)"),
    ("underexposed", rf"\b{_MORE}{_NEAR}(?:exposure|brightness|light|shadows?)"),
)


def cured(text: str) -> str | None:
    """The concept that an option would cure."""
    lower = text.lower()
    return next((name for name, words in _CURES if re.search(words, lower)), None)


def cures(texts: Sequence[str]) -> bool:
    """Whether options name cures."""
    return sum(cured(text) is not None for text in texts) >= _LEAST


def cure_support(text: str, seen: Sequence[Seen]) -> float | None:
    """How much what an option cures disturbs, 0 to 1; None for an option that cures nothing."""
    name = cured(text)
    return None if name is None else concept_loss(lexicon().concepts[name], seen) / _MOST_LOSS
