"""What was measured, as plain values: the only ground that an answer may stand on.

Pixels stay here; what leaves is JSON. A run records it once, so that a resumed or replayed run
neither measures again nor needs the picture.
"""

from collections.abc import Sequence
from functools import lru_cache, partial
from pathlib import Path

import cv2
import numpy as np

from proveout.apps.iqa.detection import Category, Detection, Severity
from proveout.apps.iqa.drawing import Drawn
from proveout.apps.iqa.frame import Floats, Frame, ImageFacts, Pixels, unit
from proveout.apps.iqa.intake import from_array, load
from proveout.apps.iqa.measure import Measurement, RegionMeasurement, measure, measure_region
from proveout.apps.iqa.memory import hand_back_after
from proveout.apps.iqa.models import GLOBAL, ExecutorOutput
from proveout.apps.iqa.places import places
from proveout.apps.iqa.region_rules import Mask
from proveout.apps.iqa.regions import LEAST_PIXELS, Region, drawn_region, resolve
from proveout.apps.iqa.tools.bank import shared_bank
from proveout.apps.iqa.tools.curve import BEST, WORST
from proveout.kernel.errors import UsageError
from proveout.kernel.types import Frozen, Picture

FILLED = 0.9
LEAST_CROP = 64
"""Pixels; a smaller piece gives too little to go by, and the whole picture's maps know more."""
REFERENCE_TOOL = "FR-Score"
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


class ReferenceEvidence(Frozen):
    """What the comparison with the reference says."""

    score: float
    interval: tuple[float, float]
    facts: ImageFacts
    steps: tuple[str, ...] = ()
    """How the two were brought to cover each other."""


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
    reference: ReferenceEvidence | None = None
    places: dict[str, dict[str, float]] = {}
    """Detection (or `all`) → place in the frame → mean loss there."""
    other: "Evidence | None" = None
    """The same of a second picture, where two are compared."""

    def of(self, scope: str) -> tuple[Measured, ...]:
        """The detections of a region; of the whole picture where the region is not known."""
        region = self.regions.get(scope)
        return region.detections if region is not None and region.found else self.detections

    def score_of(self, scope: str) -> float:
        region = self.regions.get(scope)
        known = region is not None and region.found and region.score is not None
        return region.score if known and region and region.score is not None else self.score


Stamp = tuple[int, ...] | None
"""Changes whenever a file is written anew; None where there is no file to ask."""


def frame_of(path: str) -> Frame:
    """The decoded picture; a run looks at it several times, and decodes it once."""
    return _frame(path, _stamp(path))


def measurement_of(path: str) -> Measurement:
    """What was measured, once per content of the file."""
    return _measurement(path, _stamp(path))


@lru_cache(maxsize=4)
def _frame(path: str, stamp: Stamp) -> Frame:
    del stamp
    found = load(path)
    return Frame(found.pixels, found.facts, partial(_pixels_again, path, found.facts))


def _pixels_again(path: str, facts: ImageFacts) -> Pixels:
    found = load(path)
    if found.facts.pixels_sha256 != facts.pixels_sha256:
        message = f"{path} was changed while it was looked at"
        raise UsageError(message, hint="assess it again")
    return found.pixels


@lru_cache(maxsize=4)
def _measurement(path: str, stamp: Stamp) -> Measurement:
    frame = _frame(path, stamp)
    found = measure(frame)
    hand_back_after(frame)
    return found


def _stamp(path: str | None) -> Stamp:
    try:
        status = Path(path or "").stat()
    except (OSError, ValueError):
        return None
    return (status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def gather(
    path: str,
    scopes: Sequence[str] = (GLOBAL,),
    reference: str | None = None,
    drawn: Drawn | None = None,
) -> Evidence:
    """Measure the picture and each region that was asked about; the first may have been drawn."""
    return _gathered(path, _stamp(path), tuple(scopes), reference, _stamp(reference), drawn)


@lru_cache(maxsize=8)
def _gathered(  # noqa: PLR0913 - what the result depends on
    path: str,
    stamp: Stamp,
    scopes: tuple[str, ...],
    reference: str | None,
    reference_stamp: Stamp,
    drawn: Drawn | None,
) -> Evidence:
    frame, measured = _frame(path, stamp), _measurement(path, stamp)
    low, high = measured.interval
    return Evidence(
        facts=frame.facts,
        score=_round(measured.score),
        interval=(_round(low), _round(high)),
        levels=tuple(_round(value) for value in measured.level_probabilities),
        detections=tuple(plain(detection) for detection in measured.detections),
        warnings=tuple(measured.warnings),
        regions={
            scope: _region(path, stamp, scope, None if place else drawn)
            for place, scope in enumerate(scopes)
            if scope != GLOBAL
        },
        reference=_compared(path, stamp, reference, reference_stamp) if reference else None,
        places=places(measured.present),
    )


@lru_cache(maxsize=8)
def _compared(path: str, stamp: Stamp, reference: str, reference_stamp: Stamp) -> ReferenceEvidence:
    test, pristine, bank = _frame(path, stamp), _frame(reference, reference_stamp), shared_bank()
    bank.pair(pristine, test)
    # The tools compare the pair, which is smaller; in full, both would take most of the memory.
    test.let_go()
    pristine.let_go()
    hand_back_after(test)
    # Through the bank, which remembers: the same tool is usually asked for again.
    found = bank.run(REFERENCE_TOOL, test, pristine)
    hand_back_after(test)
    score = found.raw if found.quality is None else found.quality
    low, high = found.interval or (WORST, BEST)
    return ReferenceEvidence(
        score=_round(score),
        interval=(_round(low), _round(high)),
        facts=pristine.facts,
        steps=bank.pair(pristine, test).steps,
    )


def region_of(path: str, scope: str, drawn: Drawn | None = None) -> Region | None:
    """Which pixels are meant; `UsageError` where a drawn region does not fit the picture."""
    frame = frame_of(path)
    if drawn is None:
        return resolve(scope, frame)
    return drawn_region(scope, frame, drawn, frame_of(drawn.mask) if drawn.mask else None)


def region_frame(path: str, scope: str, *, like: str = "", drawn: Drawn | None = None) -> Frame:
    """The rectangle around a region, at full size; the whole picture where it is not known.

    `like` names the picture in which the region was found: a reference is cut as its test is.
    """
    frame, region = frame_of(path), region_of(like or path, scope, drawn)
    if region is None:
        return frame
    rows, columns = np.flatnonzero(region.mask.any(1)), np.flatnonzero(region.mask.any(0))
    high, wide = frame.height / region.mask.shape[0], frame.width / region.mask.shape[1]
    top, bottom = round(rows[0] * high), round((rows[-1] + 1) * high)
    left, right = round(columns[0] * wide), round((columns[-1] + 1) * wide)
    if drawn is not None and drawn.box is not None and not like:
        left, top, right, bottom = drawn.pixels
    part = unit(frame.pixels[top:bottom, left:right])
    return from_array(np.clip(np.rint(part * 255), 0, 255).astype(np.uint8))


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


@lru_cache(maxsize=16)
def _region(path: str, stamp: Stamp, scope: str, drawn: Drawn | None) -> RegionEvidence:
    frame, region = _frame(path, stamp), region_of(path, scope, drawn)
    if region is None or region.mask.sum() < LEAST_PIXELS:
        return RegionEvidence(name=scope, found=False)
    inside: Measurement | RegionMeasurement
    if _fills_its_box(region.mask) or (drawn is not None and drawn.side >= LEAST_CROP):
        inside = measure(region_frame(path, scope, drawn=drawn))
    else:
        inside = measure_region(frame, _measurement(path, stamp), region.mask)
    return RegionEvidence(
        name=scope,
        found=True,
        how=region.how,
        share=_round(float(region.mask.mean())),
        score=_round(inside.score),
        detections=tuple(plain(detection) for detection in inside.detections),
    )


def _fills_its_box(mask: Mask) -> bool:
    """Whether the rectangle around a region is the region, and large enough to stand alone."""
    rows, columns = np.flatnonzero(mask.any(1)), np.flatnonzero(mask.any(0))
    high, wide = rows[-1] - rows[0] + 1, columns[-1] - columns[0] + 1
    return bool(mask.sum() >= FILLED * high * wide and min(high, wide) >= LEAST_CROP)


def _round(value: float) -> float:
    return round(float(value), DIGITS)


def shown(*frames: Frame) -> tuple[Picture, ...]:
    """The pictures as a vision model gets them: at working size, without loss."""
    return tuple(Picture("image/png", _png(frame.working)) for frame in frames)


def numbers_in(evidence: Evidence, executed: ExecutorOutput | None) -> tuple[float, ...]:
    """Every number that was measured: what an answer may quote."""
    found = [evidence.score, *evidence.interval, *evidence.levels]
    found += [evidence.facts.width, evidence.facts.height]
    if evidence.facts.jpeg_quality is not None:
        found.append(evidence.facts.jpeg_quality)
    if evidence.reference:
        found += [evidence.reference.score, *evidence.reference.interval]
    groups = [evidence.detections, *(region.detections for region in evidence.regions.values())]
    for seen in (one for group in groups for one in group):
        found += [seen.strength, seen.quality, seen.confidence, *seen.facts.values()]
    for region in evidence.regions.values():
        found += [region.share, *([region.score] if region.score is not None else [])]
    found += [loss for places_of in evidence.places.values() for loss in places_of.values()]
    if executed:
        found += executed.scores()
        found += [log.raw_score for log in executed.tool_logs if log.raw_score is not None]
    if evidence.other:
        found += numbers_in(evidence.other, None)
    return tuple(found)


def _png(rgb: Floats) -> bytes:
    levels = np.clip(np.rint(rgb * 255), 0, 255).astype(np.uint8)
    _, content = cv2.imencode(".png", cv2.cvtColor(levels, cv2.COLOR_RGB2BGR))
    return bytes(content)
