"""The interval around a score: a model of its error, stretched until it holds nine in ten."""

from typing import NamedTuple

import lightgbm
import numpy as np
from numpy.typing import NDArray

from benchmarks.iqa.fit import train
from benchmarks.iqa.fit.targets import FOLDS, Table
from proveout.apps.iqa.fitted_models import Doubles

HELD = 0.9
RATED_BY_PEOPLE = {"tid": 1.0, "agiqa": 1.0, "ring": 0.25, "doubt": 0.0}
"""The interval is a promise about people: pictures that they rated weigh most."""


class Interval(NamedTuple):
    arrays: train.Arrays
    quantile: float
    limits: tuple[float, float]
    coverage: dict[str, float]
    """Out of fold, by source and of all, weighted."""


def quantile_of(values: Doubles, weight: Doubles, share: float) -> float:
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weight[order]) / weight.sum()
    return float(values[order][int(np.searchsorted(reached, share))])


def fit_interval(table: Table, final: Doubles) -> Interval:
    """Model of the absolute error, its conformal quantile, and the coverage out of fold."""
    known = np.isfinite(table.score) & (table.source != "doubt")
    error = np.where(known, np.abs(final - table.score), 0.0)
    fold = table.fold()
    weight = np.array([RATED_BY_PEOPLE[source] for source in table.source])
    limits = (float(np.quantile(error[known], 0.15)), float(np.quantile(error[known], 0.97)))
    spread = np.zeros(len(error))
    for number in range(FOLDS):
        model = _model(table, error, weight, known & (fold != number))
        out = fold == number
        spread[out] = model.predict(table.features[out].astype(np.float32))
    ratio = error / np.clip(spread, *limits)
    held = np.zeros(len(error), bool)
    for number in range(FOLDS):
        rows, out = known & (fold != number), fold == number
        held[out] = ratio[out] <= quantile_of(ratio[rows], weight[rows], HELD)
    model = _model(table, error, weight, known)
    arrays = train.tree_arrays(model, "trees") | train.scaling(table.features[known])
    arrays |= {"networks": np.array(0)}
    return Interval(
        arrays,
        quantile_of(ratio[known], weight[known], HELD),
        limits,
        _coverage(table, held, weight, known),
    )


def _model(
    table: Table, error: Doubles, weight: Doubles, rows: NDArray[np.bool_]
) -> lightgbm.LGBMRegressor:
    return train.boosted_scores(
        table.features[rows], error[rows], weight[rows], rounds=90, leaves=8
    )


def _coverage(
    table: Table, held: NDArray[np.bool_], weight: Doubles, known: NDArray[np.bool_]
) -> dict[str, float]:
    found = {
        source: float(held[known & (table.source == source)].mean())
        for source in sorted(set(table.source[known]))
    }
    return found | {"all": float(np.average(held[known], weights=weight[known]))}
