"""What is taken of a picture, once, for all models and for the decision that follows from them.

A table keeps it as plain arrays: the measures of both looks, the short side, and of the detectors'
readings what decides (their maps are for showing only).
"""

import hashlib
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.iqa.fit.distort import Pixels
from proveout.apps.iqa import features_mood
from proveout.apps.iqa.catalogue import CATALOGUE
from proveout.apps.iqa.detectors.reading import Reading
from proveout.apps.iqa.detectors.readings import read_all
from proveout.apps.iqa.features import rounded, vector
from proveout.apps.iqa.fitted_models import Doubles
from proveout.apps.iqa.frame import Frame, ImageFacts
from proveout.apps.iqa.view import view_of

Arrays = dict[str, NDArray[np.generic]]


class Taken(NamedTuple):
    """Of one picture."""

    values: Doubles
    """The first look's measures."""
    moods: Doubles
    """The second look's own measures."""
    short: int
    """The short side at working size."""
    readings: dict[str, Reading]


def frame_of(picture: Pixels) -> Frame:
    """A frame of pixels in memory."""
    digest = hashlib.sha256(picture.tobytes()).hexdigest()
    facts = ImageFacts(
        sha256=digest,
        pixels_sha256=digest,
        format="ARRAY",
        width=picture.shape[1],
        height=picture.shape[0],
        bytes=picture.nbytes,
    )
    return Frame(rgb=np.asarray(picture / 255, np.float32), facts=facts)


def taken(frame: Frame) -> Taken:
    view = view_of(frame)
    readings = read_all(view, frame.facts)
    moods = rounded(features_mood.features(view))
    return Taken(vector(view), moods, min(view.height, view.width), readings)


def columns(rows: Sequence[Taken]) -> Arrays:
    """A table of what was taken; facts that a reading does not have are NaN."""
    facts = [_facts(row.readings) for row in rows]
    names = sorted({name for row in facts for name in row})
    return {
        "X": np.array([row.values for row in rows]),
        "moods": np.array([row.moods for row in rows]),
        "short": np.array([row.short for row in rows]),
        "strength": np.array([[row.readings[n].strength for n in CATALOGUE] for row in rows]),
        "applicable": np.array([[row.readings[n].applicable for n in CATALOGUE] for row in rows]),
        "facts": np.array([[row.get(name, np.nan) for name in names] for row in facts]),
        "fact_names": np.array(names),
    }


def _facts(readings: dict[str, Reading]) -> dict[str, float]:
    return {
        f"{name}.{fact}": value
        for name, reading in readings.items()
        for fact, value in reading.facts.items()
    }


def rows_of(kept: Mapping[str, NDArray[np.generic]]) -> list[Taken]:
    """The rows of a table, as they were taken."""
    facts, names = np.asarray(kept["facts"], float), [str(name) for name in kept["fact_names"]]
    parted = [name.partition(".")[::2] for name in names]
    strength, applicable = np.asarray(kept["strength"], float), np.asarray(kept["applicable"], bool)
    values, moods = np.asarray(kept["X"], float), np.asarray(kept["moods"], float)
    found = []
    for place in range(len(values)):
        by_name: dict[str, dict[str, float]] = {name: {} for name in CATALOGUE}
        for (name, fact), value in zip(parted, facts[place], strict=True):
            if np.isfinite(value):
                by_name[name][fact] = float(value)
        readings = {
            name: Reading(
                strength=float(strength[place, k]),
                facts=by_name[name],
                applicable=bool(applicable[place, k]),
            )
            for k, name in enumerate(CATALOGUE)
        }
        short = int(np.asarray(kept["short"])[place])
        found.append(Taken(values[place], moods[place], short, readings))
    return found
