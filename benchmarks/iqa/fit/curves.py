"""Curves from raw metric values to quality, and how well they agree with people."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares
from scipy.stats import pearsonr, spearmanr

from proveout.apps.iqa.catalogue import TID2013
from proveout.apps.iqa.tools.bank import Entry
from proveout.apps.iqa.tools.curve import Logistic
from proveout.apps.iqa.tools.fr_features import TINY, UNIT_METRICS

Column = NDArray[np.float64]
PERFECT_WEIGHT = 80
"""How many pictures the point "identical pair = 5" counts for when a curve is fitted."""


class Table(NamedTuple):
    """One row per distorted picture, in the order of the files."""

    features: NDArray[np.float64]
    names: list[str]
    quality: Column
    group: NDArray[np.str_]
    kind: NDArray[np.str_]
    perfect: Column
    """Features of an identical pair."""
    digest: str


class Agreement(NamedTuple):
    srcc: float
    plcc: float
    rmse: float


def raw_values(table: Table, name: str) -> Column:
    """The metric itself, back from the feature made of it."""
    column = table.features[:, table.names.index(name)]
    if name not in UNIT_METRICS:
        return column
    away = np.exp(-column) - TINY
    excess = f"{name}.excess"
    above = table.features[:, table.names.index(excess)] if excess in table.names else 0 * away
    return np.where(above > 0, 1 + above, 1 - away)


def agreement(predicted: Column, quality: Column) -> Agreement:
    return Agreement(
        float(spearmanr(predicted, quality).statistic),
        float(pearsonr(predicted, quality).statistic),
        float(np.sqrt(np.mean((predicted - quality) ** 2))),
    )


def fit_curve(raw: Column, quality: Column, entry: Entry) -> Logistic:
    """Least squares with every slope in the tool's direction, so the curve is monotone."""
    low, high = entry.range
    sign = 1.0 if entry.direction == "higher" else -1.0
    perfect = high if sign > 0 else low
    perfect = min(perfect, 1.0) if entry.name in UNIT_METRICS else perfect
    x = np.clip(np.concatenate([raw, [perfect]]), low, high)
    y = np.concatenate([quality, [5.0]])
    weight = np.concatenate([np.ones(len(raw)), [PERFECT_WEIGHT**0.5]])
    spread, middle = float(x.std()), float(np.median(x))

    def curve(p: Column, at: Column) -> Column:
        z = sign * (at - middle) / spread
        inner = np.clip(p[1] * (z - p[2]), -60, 60)
        return np.asarray(p[0] * (0.5 - 1 / (1 + np.exp(inner))) + p[3] * z + p[4])

    found = least_squares(
        lambda p: weight * (curve(p, x) - y),
        x0=[3.0, 1.5, 0.0, 0.2, 3.0],
        bounds=([0, 0.05, -4, 0, -5], [12, 40, 8, 3, 10]),
    ).x
    b4 = float(found[3] * sign / spread)
    return Logistic(
        float(found[0]),
        float(found[1] * sign / spread),
        float(middle + sign * spread * found[2]),
        b4,
        float(found[4] - b4 * middle),
    )


def per_type(predicted: Column, table: Table) -> dict[str, float]:
    """SRCC within each distortion."""
    found = {}
    for name in TID2013:
        rows = table.kind == name
        found[name] = round(float(spearmanr(predicted[rows], table.quality[rows]).statistic), 4)
    return found
