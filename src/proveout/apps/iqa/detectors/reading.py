"""What a detector measures, before anything is said about how much it hurts."""

from dataclasses import dataclass, field

import cv2
import numpy as np

from proveout.apps.iqa.frame import Floats
from proveout.apps.iqa.view import View

CELL = 8
"""Maps are kept at one value per this many pixels until somebody needs to see them."""


@dataclass(frozen=True)
class Reading:
    """A strength in the detector's own unit, where it is, and the facts behind it."""

    strength: float
    facts: dict[str, float] = field(default_factory=dict)
    note: str = ""
    cells: Floats | None = field(default=None, repr=False)
    """How strong it is per cell, relative to nothing: only proportions count. None: everywhere."""
    confidence: float = 0.7
    applicable: bool = True

    @classmethod
    def not_applicable(cls, why: str) -> "Reading":
        return cls(strength=0.0, note=why, confidence=0.0, applicable=False)


def cell_mean(plane: Floats, view: View) -> Floats:
    """Mean of a plane per cell, whatever the plane's own size."""
    size = (max(view.width // CELL, 1), max(view.height // CELL, 1))
    return np.asarray(cv2.resize(plane, size, interpolation=cv2.INTER_AREA), np.float32)


def spread_over(values: Floats, weights: Floats, view: View, reach: float = 2.5) -> Floats:
    """Weighted mean per cell, carried over to cells without weight from their surroundings."""
    top = np.asarray(cv2.GaussianBlur(cell_mean(values * weights, view), (0, 0), reach))
    bottom = np.asarray(cv2.GaussianBlur(cell_mean(weights, view), (0, 0), reach))
    return np.asarray(top / (bottom + 1e-3), np.float32)


def rounded(facts: dict[str, float]) -> dict[str, float]:
    """Facts as reported: three digits behind the point are more than any of them is worth."""
    return {name: round(float(value), 3) for name, value in facts.items()}
