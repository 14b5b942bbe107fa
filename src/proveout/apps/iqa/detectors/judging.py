"""Presence and severity: models decide what is there, detectors say what was measured and where.

Both speak with one voice. A distortion that the naming model does not see is `none`, whatever a
detector measured, unless no fitted class exists for it; then its own curve decides. The quality of
the named distortion is the score itself, so that score, names and severities cannot contradict.
"""

from dataclasses import dataclass
from typing import NamedTuple

import cv2
import numpy as np

from proveout.apps.iqa.calibration import quality_of, severity_of
from proveout.apps.iqa.catalogue import CATALOGUE
from proveout.apps.iqa.detection import Detection
from proveout.apps.iqa.detectors.reading import Reading
from proveout.apps.iqa.detectors.readings import read_all
from proveout.apps.iqa.fitted_models import Doubles
from proveout.apps.iqa.frame import Floats, Frame
from proveout.apps.iqa.scorehead import (
    BELOW_NONE,
    NOTHING,
    Score,
    naming_number,
    score,
)
from proveout.apps.iqa.second_look import Looks
from proveout.apps.iqa.seeing import seen_in
from proveout.apps.iqa.view import View, view_of

CLEAN = 4.85
_FLAT_STRENGTH = 25.0
_BEHIND, _AT_MOST = 0.02, 0.98
"""How far behind the first a mere measurement stands, and what share of its loss others may have.

A measurement beyond doubt can put a name first that the models think less likely than another.
"""
_PALETTE, _LEVELS_PER_COLOUR, _COLOURLESS = 128, 0.35, 1.5
"""So few colours, nearly as many levels in a channel: a palette, whatever its dither looks like.

Channels that were coarsened one by one have far more colours than levels; grey is no palette.
"""
_DARK_END, _DARK_MEAN = 95.0, 60.0
"""Nineteen of twenty pixels below the one, the mean below the other: too dark by any measure.

Too few underexposed photos were at hand for the models to learn from, so the measurement decides.
"""
_BURNT, _ONE_SIDED, _SHADOWS, _POSSIBLE = 2.5, 2.0, 14.0, 0.1
"""Percent burnt out, at least so many times what is drowned, few shadows, and a chance that it is.

More light burns the bright end and opens the shadows; more contrast takes from both ends.
"""
_WASHED, _LIGHT = 15.0, 160.0
"""Percent burnt out, and the median, beyond which it is too much light, whatever else it may be."""


@dataclass(frozen=True)
class Judgement:
    """Everything that one look at a frame gives."""

    view: View
    values: Doubles
    chances: dict[str, float]
    score: Score
    detections: tuple[Detection, ...]
    """All of the catalogue, in its order."""


class Verdict(NamedTuple):
    """The score, and of everything that is there its quality, as if it were alone."""

    score: Score
    qualities: dict[str, float]

    @property
    def reported(self) -> tuple[str, ...]:
        """What is more than `none`, the greatest loss first, else in the catalogue's order."""
        there = [name for name in CATALOGUE if name in self.qualities]
        ordered = sorted(there, key=lambda name: round(self.qualities[name], 3))
        return tuple(n for n in ordered if severity_of(self.qualities[n]) != "none")


def judge(frame: Frame) -> Judgement:
    """Features, models and detectors on one frame."""
    view = view_of(frame)
    values, looks = seen_in(frame, view)
    chances = looks.chances
    readings = read_all(view, frame.facts)
    found = verdict(values, looks, readings)
    detections = tuple(
        _detection(name, readings[name], found.qualities.get(name), chances, view)
        for name in CATALOGUE
    )
    return Judgement(view, values, chances, found.score, detections)


def verdict(values: Doubles, looks: Looks, readings: dict[str, Reading]) -> Verdict:
    """What follows from the looks and the readings, however they were come by."""
    given = score(values, looks.chances, there=looks.there)
    present = present_names(looks, readings)
    given = _without_contradiction(given, present, readings)
    return Verdict(given, _qualities(present, looks.chances, readings, given))


def present_names(looks: Looks, readings: dict[str, Reading]) -> tuple[str, ...]:
    """Distortions that are there, the likeliest first; none when the picture looks clean."""
    chances = looks.chances
    flat = readings["flat"].strength > _FLAT_STRENGTH
    if flat:
        return ("flat",)
    dark = ("underexposure",) if _evidently_dark(readings) else ()
    if not looks.there:
        return dark + _unfitted(chances, readings)
    known = sorted(
        ((chance, name) for name, chance in chances.items() if name not in NOTHING), reverse=True
    )
    others = [name for chance, name in known[1:] if chance >= naming_number("second_chance")]
    first = known[0][1]
    if _evidently_palette(readings):
        first = "color_quantization"
    elif first == "contrast_change" and _evidently_lifted(chances, readings):
        first = "overexposure"
    named = (*dark, first, *others)
    merged = tuple(dict.fromkeys(_directed(name, readings) for name in named))
    return merged + tuple(n for n in _unfitted(chances, readings) if n not in merged)


def _directed(name: str, readings: dict[str, Reading]) -> str:
    """`saturation_change` in the direction that was measured."""
    if name != "saturation_change":
        return name
    chroma = readings["undersaturation"].facts.get("mean_chroma", 0.0)
    return "undersaturation" if chroma < naming_number("middle_chroma") else "oversaturation"


def _unfitted(chances: dict[str, float], readings: dict[str, Reading]) -> tuple[str, ...]:
    """Names without a fitted class whose own curve says that they are visible."""
    return tuple(
        name
        for name, reading in readings.items()
        if name not in chances
        and name not in ("oversaturation", "undersaturation", "flat")
        and reading.applicable
        and quality_of(name, reading.strength) < BELOW_NONE
    )


def _evidently_palette(readings: dict[str, Reading]) -> bool:
    facts = readings["color_quantization"].facts
    colours = facts["distinct_colours"]
    coloured = readings["undersaturation"].facts["mean_chroma"] >= _COLOURLESS
    few = colours <= _PALETTE and facts["most_levels"] >= _LEVELS_PER_COLOUR * colours
    return coloured and few


def _evidently_lifted(chances: dict[str, float], readings: dict[str, Reading]) -> bool:
    facts = readings["overexposure"].facts
    white, black = facts["white_percent"], facts["black_percent"]
    if white < max(_BURNT, _ONE_SIDED * black):
        return False
    washed = white >= _WASHED and facts["median_luma"] >= _LIGHT
    return washed or (facts["dark_percent"] < _SHADOWS and chances["overexposure"] > _POSSIBLE)


def _evidently_dark(readings: dict[str, Reading]) -> bool:
    facts = readings["underexposure"].facts
    return facts["bright_end"] < _DARK_END and facts["mean_luma"] < _DARK_MEAN


def _without_contradiction(
    given: Score, present: tuple[str, ...], readings: dict[str, Reading]
) -> Score:
    """What is measured beyond doubt bounds the score, whatever the models make of the picture."""
    if present == ("flat",):
        return Score(1.0, 1.0, max(given.low, 1.5), (1.0, 0.0, 0.0, 0.0, 0.0))
    if not _evidently_dark(readings):
        return given
    most = quality_of("underexposure", readings["underexposure"].strength)
    if given.value <= most:
        return given
    shift = given.value - most
    weights = [float(np.exp(-((most - level) ** 2))) for level in range(1, 6)]
    chances = tuple(weight / sum(weights) for weight in weights)
    return Score(most, max(1.0, given.low - shift), max(most, given.high - shift), chances)


def _qualities(
    present: tuple[str, ...],
    chances: dict[str, float],
    readings: dict[str, Reading],
    given: Score,
) -> dict[str, float]:
    """Quality if each were the only one: the score for the first, less loss for the unlikelier."""
    found: dict[str, float] = {}
    for place, name in enumerate(present):
        if place == 0 and (name in chances or name in _DIRECTED or name == "flat"):
            found[name] = min(given.value, 5.0)
        elif name in chances or name in _DIRECTED:
            share = _chance(name, chances) / max(_chance(present[0], chances), 1e-6)
            found[name] = CLEAN - (CLEAN - min(given.value, CLEAN)) * min(share, _AT_MOST)
        else:
            # Beside a distortion that the models name, a mere measurement stands behind.
            least = given.value + (_BEHIND if place else 0.0)
            found[name] = min(max(quality_of(name, readings[name].strength), least), 5.0)
    return found


_DIRECTED = ("oversaturation", "undersaturation")


def _chance(name: str, chances: dict[str, float]) -> float:
    return chances.get("saturation_change" if name in _DIRECTED else name, 0.0)


def _detection(
    name: str,
    reading: Reading,
    quality: float | None,
    chances: dict[str, float],
    view: View,
) -> Detection:
    entry = CATALOGUE[name]
    absent = quality is None
    value = CLEAN if quality is None else quality
    chance = _chance(name, chances)
    fitted = name in chances or name in _DIRECTED
    sure = (1 - chance if absent else chance) if fitted else reading.confidence
    if name == "underexposure" and _evidently_dark({name: reading}):
        sure = reading.confidence
    return Detection(
        name=name,
        category=entry.category,
        strength=round(reading.strength, 3),
        unit=entry.unit,
        quality=round(value, 3),
        severity="none" if absent else severity_of(value),
        confidence=round(float(sure), 3),
        applicable=reading.applicable,
        note=reading.note,
        facts=reading.facts,
        map=None if absent else loss_map(reading.cells, 5 - value, view),
    )


def loss_map(cells: Floats | None, loss: float, view: View) -> Floats:
    """The loss spread over the picture as the cells say, its mean kept as far as 4 allows."""
    size = (view.width, view.height)
    if cells is None or float(cells.mean()) <= 1e-9:
        return np.full((view.height, view.width), loss, np.float32)
    share = np.maximum(cells, 0) / float(np.maximum(cells, 0).mean())
    full = np.asarray(cv2.resize(share, size, interpolation=cv2.INTER_LINEAR), np.float32)
    return np.asarray(np.clip(full * loss, 0, 4), np.float32)
