"""What was measured, as plain values: the only ground that an answer may stand on.

Pixels stay here; what leaves is JSON. A run records it once, so that a resumed or replayed run
neither measures again nor needs the picture.
"""

from collections.abc import Sequence
from functools import lru_cache

from proveout.apps.iqa.measure import Measurement, measure, measure_region
from proveout.apps.iqa.regions import resolve

from proveout.apps.iqa.detection import Category, Detection, Severity
from proveout.apps.iqa.frame import Frame, ImageFacts
from proveout.apps.iqa.intake import load
from proveout.apps.iqa.models import GLOBAL
from proveout.kernel.types import Frozen

DIGITS = 4
"""Reported numbers are rounded: the last bits differ between machines."""


class Measured(Frozen):
    """A detection without its map."""

    name: str
    category: Category
    strength: float
    unit: str
    quality: float
    severity: Severity
    confidence: float
    applicable: bool
    note: str
    facts: dict[str, float]


class RegionEvidence(Frozen):
    """A region of the picture; `found` is False where nobody could say which pixels were meant."""

    name: str
    found: bool
    how: str = ""
    share: float = 0.0
    """Of the picture's area."""
    score: float | None = None
    detections: tuple[Measured, ...] = ()


class Evidence(Frozen):
    """Everything measured without a reference."""

    facts: ImageFacts
    score: float
    interval: tuple[float, float]
    levels: tuple[float, ...]
    """Probability of bad, poor, fair, good, excellent."""
    detections: tuple[Measured, ...]
    warnings: tuple[str, ...] = ()
    regions: dict[str, RegionEvidence] = {}

    def of(self, scope: str) -> tuple[Measured, ...]:
        """The detections of a region; of the whole picture where the region is not known."""
        region = self.regions.get(scope)
        return region.detections if region is not None and region.found else self.detections

    def score_of(self, scope: str) -> float:
        region = self.regions.get(scope)
        known = region is not None and region.found and region.score is not None
        return region.score if known and region and region.score is not None else self.score


@lru_cache(maxsize=4)
def frame_of(path: str) -> Frame:
    """The decoded picture; a run looks at it several times."""
    return load(path)


@lru_cache(maxsize=4)
def measurement_of(path: str) -> Measurement:
    return measure(frame_of(path))


def gather(path: str, scopes: Sequence[str] = (GLOBAL,)) -> Evidence:
    """Measure the picture and each region that was asked about."""
    frame, measured = frame_of(path), measurement_of(path)
    low, high = measured.interval
    return Evidence(
        facts=frame.facts,
        score=_round(measured.score),
        interval=(_round(low), _round(high)),
        levels=tuple(_round(value) for value in measured.level_probabilities),
        detections=tuple(plain(detection) for detection in measured.detections),
        warnings=tuple(measured.warnings),
        regions={scope: _region(path, scope) for scope in scopes if scope != GLOBAL},
    )


def plain(detection: Detection) -> Measured:
    """A detection as it is written down."""
    return Measured(
        name=detection.name,
        category=detection.category,
        strength=_round(detection.strength),
        unit=detection.unit,
        quality=_round(detection.quality),
        severity=detection.severity,
        confidence=_round(detection.confidence),
        applicable=detection.applicable,
        note=detection.note,
        facts={name: _round(value) for name, value in detection.facts.items()},
    )


def _region(path: str, scope: str) -> RegionEvidence:
    frame = frame_of(path)
    region = resolve(scope, frame)
    if region is None:
        return RegionEvidence(name=scope, found=False)
    inside = measure_region(frame, measurement_of(path), region.mask)
    return RegionEvidence(
        name=scope,
        found=True,
        how=region.how,
        share=_round(float(region.mask.mean())),
        score=_round(inside.score),
        detections=tuple(plain(detection) for detection in inside.detections),
    )


def _round(value: float) -> float:
    return round(float(value), DIGITS)
