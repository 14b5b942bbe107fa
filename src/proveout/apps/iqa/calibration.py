"""From strength to people's scores: a monotone curve per distortion, and bands of severity."""

import json
from functools import lru_cache
from importlib.resources import files

import numpy as np

from proveout.apps.iqa.detection import Severity

BANDS: tuple[tuple[float, Severity], ...] = (
    (4.4, "none"),
    (3.5, "slight"),
    (2.5, "moderate"),
    (1.6, "severe"),
)


def severity_of(quality: float) -> Severity:
    """The word for a score from 1 to 5."""
    for least, word in BANDS:
        if quality >= least:
            return word
    return "extreme"


@lru_cache(maxsize=1)
def _curves() -> dict[str, dict[str, list[float]]]:
    text = (files("proveout.apps.iqa") / "fitted" / "severity.json").read_text("utf-8")
    curves: dict[str, dict[str, list[float]]] = json.loads(text)["curves"]
    return curves


def quality_of(name: str, strength: float) -> float:
    """Expected mean score if this distortion of this strength were the only one."""
    curve = _curves().get(name)
    if curve is None:
        return 5.0
    return float(np.interp(strength, curve["strength"], curve["quality"]))
