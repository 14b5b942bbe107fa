"""What a detector says."""

from dataclasses import dataclass, field
from typing import Literal

from proveout.apps.iqa.frame import Floats

Severity = Literal["none", "slight", "moderate", "severe", "extreme"]
SEVERITIES: tuple[Severity, ...] = ("none", "slight", "moderate", "severe", "extreme")
Category = Literal[
    "Blurs",
    "Color distortions",
    "Compression",
    "Noise",
    "Brightness change",
    "Sharpness",
    "Contrast",
    "Spatial distortions",
]


@dataclass(frozen=True)
class Detection:
    """One distortion, measured: `strength` in the detector's unit, `quality` in people's."""

    name: str
    """Stable: `gaussian_blur`, `motion_blur`, `jpeg`, …"""
    category: Category
    strength: float
    """0 where there is none; grows with the distortion; `unit` says what it counts."""
    unit: str
    quality: float
    """Mean score that people would give if this were the only distortion, from 1 to 5."""
    severity: Severity
    confidence: float
    """0 to 1: how sure the detector is that it saw what it says."""
    applicable: bool = True
    """False where the picture gives nothing to go by (no edges, no flat areas, too small)."""
    note: str = ""
    """Measured facts in words, with numbers that stand in `facts`."""
    facts: dict[str, float] = field(default_factory=dict)
    """Numbers behind the note: the only ones that a sentence may quote."""
    map: Floats | None = field(default=None, repr=False, compare=False)
    """Expected loss of quality per place, 0 to 4, at working size."""
