"""All models of one fold, put together as the product has them, and what the product then says.

Models of a fold have not seen its pictures. Whatever is decided, the product's own functions decide
it: its models are only replaced for as long as it takes.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.iqa.fit import fit, mood, train
from benchmarks.iqa.fit.taken import Taken
from benchmarks.iqa.fit.targets import Table
from benchmarks.iqa.fit.thresholds import fitted_thresholds
from proveout.apps.iqa.detectors.judging import verdict
from proveout.apps.iqa.fitted_models import Doubles
from proveout.apps.iqa.scorehead import Fitted, name_chances, standing_in
from proveout.apps.iqa.second_look import evidence, judged, mood_chances

Models = dict[str, Fitted]
Rows = NDArray[np.bool_]


class Moods(NamedTuple):
    """The second look's own pictures."""

    features: Doubles
    label: NDArray[np.int64]
    fold: NDArray[np.int64]
    places: list[int]


class Said(NamedTuple):
    """What the product says of a picture."""

    names: tuple[str, ...]
    score: float
    generated: float
    """Chance that it is no photo."""


class Made(NamedTuple):
    """A model as it is stored."""

    arrays: train.Arrays
    facts: dict[str, object]


class First(NamedTuple):
    """Models of the first two looks and of the score, and what they say of every picture."""

    arrays: dict[str, train.Arrays]
    chances: Doubles
    raw: Doubles
    means: Doubles
    moods: Doubles
    """Of the second look's own pictures."""


def first_models(table: Table, moods: Moods, rows: Rows, mood_rows: Rows, nets: int) -> First:
    """Fitted on `rows` of the one table and on `mood_rows` of the other."""
    classes = fit.classes_of(table)
    chances, naming = fit.predict_names(table, rows, classes, nets)
    scores, scoring, means = fit.predict_scores(table, rows, classes, chances)
    raw = fit.with_clean(scores, chances[:, classes.index("clean")])
    said, second = mood.fitted(moods.features, moods.label, mood_rows)
    return First({"naming": naming, "score": scoring, "mood": second}, chances, raw, means, said)


def with_limits(
    table: Table, moods: Moods, first: First, unseen: First, rows: Rows, mood_rows: Rows
) -> dict[str, Made]:
    """These models with the limits that `unseen`, what all folds say of theirs, gives `rows`."""
    classes = fit.classes_of(table)
    best, odds = fit.likeliest(table, unseen.chances, classes)
    worth = fit.worth(table)
    found, _ = fitted_thresholds(best[rows], odds[rows], table.name[rows], worth[rows])
    points, values = fit.calibrated(unseen.raw, table, rows)
    said, label = unseen.moods[mood_rows], moods.label[mood_rows]
    least = mood.limits(said[:, 2:].argmax(axis=1) + 2, mood.odds_of(said), label == 0)
    facts: dict[str, dict[str, object]] = {
        "naming": fit.naming_facts(classes, found),
        "score": fit.score_facts(points, values, first.means),
        "mood": {"classes": list(mood.CLASSES), "least_odds": least, "places": moods.places},
    }
    return {name: Made(first.arrays[name], facts[name]) for name in facts}


def asked(models: Mapping[str, Fitted], rows: Sequence[Taken]) -> Doubles:
    """What the third model is asked about each picture, the first two looks being these."""
    with standing_in(models):
        return np.array(
            [
                evidence(
                    row.values, row.moods, row.short,
                    name_chances(row.values), mood_chances(row.values, row.moods),
                )
                for row in rows
            ]
        )  # fmt: skip


def decided(models: Mapping[str, Fitted], rows: Sequence[Taken]) -> list[Said]:
    """What the product would say if these were its models."""
    found = []
    with standing_in(models):
        for row in rows:
            looks = judged(row.values, row.moods, row.short)
            given = verdict(row.values, looks, row.readings)
            generated = looks.chances.get("generated", 0.0)
            found.append(Said(given.reported, given.score.value, generated))
    return found
