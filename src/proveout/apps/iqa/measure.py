"""One call: a frame in, everything measured without a reference out; and the same for a region."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from proveout.apps.iqa.applicability import warnings_for
from proveout.apps.iqa.calibration import severity_of
from proveout.apps.iqa.detection import Detection
from proveout.apps.iqa.detectors.judging import CLEAN, judge
from proveout.apps.iqa.features import fingerprint
from proveout.apps.iqa.frame import Floats, Frame
from proveout.apps.iqa.scorehead import likeliest

_WIDER = 0.25
"""Every warning widens the interval by this share of its reach."""
_LEAST_REGION = 16


@dataclass(frozen=True)
class Measurement:
    """What a frame shows, in people's units and in physical ones."""

    score: float
    """1 bad to 5 excellent: the mean score that people would give."""
    interval: tuple[float, float]
    """Holds the people's mean with a chance of 90 %, on pictures like those that were fitted."""
    level_probabilities: tuple[float, ...]
    """Chance of bad, poor, fair, good, excellent."""
    detections: tuple[Detection, ...]
    """All of the catalogue, the greatest expected loss first; those without one keep its order."""
    warnings: tuple[str, ...]
    """Why the numbers may not hold here: `screen`, `line_art`, `tiny`, `monochrome`, …"""
    features_sha256: str
    chances: dict[str, float] = field(default_factory=dict, repr=False)
    """The naming model's chance per class, `clean` and `generated` among them."""

    @property
    def likeliest(self) -> str:
        """The distortion that it would be if it had to be one, present or not."""
        return likeliest(self.chances)

    @property
    def present(self) -> tuple[Detection, ...]:
        """The detections that are more than `none`."""
        return tuple(found for found in self.detections if found.severity != "none")

    def detection(self, name: str) -> Detection:
        """The detection of that name; all of the catalogue's names have one."""
        return next(found for found in self.detections if found.name == name)


@dataclass(frozen=True)
class RegionMeasurement:
    """What the maps of a measurement say inside a mask."""

    score: float
    share: float
    """Part of the picture that the region covers, 0 to 1."""
    detections: tuple[Detection, ...]
    """Those of the whole picture with the quality and severity that they have in the region."""


def measure(frame: Frame) -> Measurement:
    """Look at a frame once; the same pixels always give the same measurement."""
    judged = judge(frame)
    warnings = warnings_for(frame, judged.view, judged.chances)
    ordered = sorted(judged.detections, key=lambda found: found.quality)
    widened = 1 + _WIDER * len(warnings)
    low = max(judged.score.value - (judged.score.value - judged.score.low) * widened, 1.0)
    high = min(judged.score.value + (judged.score.high - judged.score.value) * widened, 5.0)
    return Measurement(
        score=judged.score.value,
        interval=(round(low, 3), round(high, 3)),
        level_probabilities=judged.score.levels,
        detections=tuple(ordered),
        warnings=warnings,
        features_sha256=fingerprint(judged.values),
        chances={name: round(chance, 4) for name, chance in judged.chances.items()},
    )


def measure_region(
    frame: Frame, measurement: Measurement, mask: NDArray[np.bool_]
) -> RegionMeasurement:
    """Quality inside a mask at full or working size, from the maps.

    Raises:
        ValueError: if the mask is empty or fits neither the picture nor its working size.
    """
    inside = _at_working_size(frame, mask)
    count = int(inside.sum())
    if count < _LEAST_REGION:
        message = "the region is empty"
        raise ValueError(message)
    found = [_inside(detection, inside) for detection in measurement.detections]
    loss = sum(5 - detection.quality for detection in measurement.present)
    local = sum(
        5 - after.quality
        for before, after in zip(measurement.detections, found, strict=True)
        if before.severity != "none"
    )
    ratio = local / loss if loss > 0 else 1.0
    value = float(np.clip(5 - (5 - measurement.score) * ratio, 1, 5))
    ordered = tuple(sorted(found, key=lambda detection: detection.quality))
    return RegionMeasurement(round(value, 3), round(count / inside.size, 4), ordered)


def _at_working_size(frame: Frame, mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    height, width = frame.working.shape[:2]
    if mask.shape == (height, width):
        return mask.astype(bool)
    if mask.shape != (frame.height, frame.width):
        message = f"the mask is {mask.shape[1]} × {mask.shape[0]}, the picture is not"
        raise ValueError(message)
    rows = np.minimum(np.arange(height) * frame.height // height, frame.height - 1)
    columns = np.minimum(np.arange(width) * frame.width // width, frame.width - 1)
    return mask[np.ix_(rows, columns)].astype(bool)


def _inside(detection: Detection, inside: NDArray[np.bool_]) -> Detection:
    if detection.map is None:
        return detection
    height, width = inside.shape
    cut: Floats = detection.map[:height, :width]
    quality = float(np.clip(5 - cut[inside].mean(), 1, CLEAN if cut[inside].mean() < 0.2 else 5))
    return Detection(
        name=detection.name,
        category=detection.category,
        strength=detection.strength,
        unit=detection.unit,
        quality=round(quality, 3),
        severity=severity_of(quality),
        confidence=detection.confidence,
        applicable=detection.applicable,
        note=detection.note,
        facts=detection.facts,
        map=detection.map,
    )
