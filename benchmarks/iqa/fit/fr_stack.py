"""Fit the stacked full-reference score and its interval; used by `benchmarks.iqa.fit.tools`."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

from benchmarks.iqa.fit.curves import Agreement, Table, agreement, fit_curve, per_type
from proveout.apps.iqa.tools.bank import ENTRIES
from proveout.apps.iqa.tools.curve import Logistic
from proveout.apps.iqa.tools.fr_score import Stack, raw_metric

Array = NDArray[np.float64]
BASE = ("VSI", "MDSI", "HaarPSI", "FSIMc", "PSNR-HA")
GAMMA = 0.6
"""Over the number of features."""
RIDGE = 0.12
PERFECT_ROWS = 12
"""Weight of the identical pair, which is 5 by definition."""
MISCOVERAGE = 0.1


class Fitted(NamedTuple):
    stack: Stack
    left_out: Array
    """Clipped quality of each picture by a model that never saw its reference."""
    agreement: Agreement
    coverage: float
    mean_width: float


def fit_stack(table: Table) -> Fitted:
    predicted, novelty = np.empty(len(table.quality)), np.empty(len(table.quality))
    for group in np.unique(table.group):
        test = table.group == group
        model = fit_model(table.features[~test], table.quality[~test], table)
        predicted[test], novelty[test] = model.predict(table.features[test])
    predicted = np.clip(predicted, 1, 5)
    errors = np.abs(predicted - table.quality)
    floor, slope = _error_line(errors, novelty)
    relative = errors / (floor + slope * novelty)
    quantile = _quantile(relative)
    stack = fit_model(table.features, table.quality, table)._replace(
        error_floor=floor, error_slope=slope, quantile=quantile
    )
    covered = np.empty(len(errors), bool)
    for group in np.unique(table.group):
        test = table.group == group
        covered[test] = relative[test] <= _quantile(relative[~test])
    width = 2 * quantile * float(np.mean(floor + slope * novelty))
    found = agreement(predicted, table.quality)
    return Fitted(stack, predicted, found, float(covered.mean()), width)


def fit_model(features: Array, quality: Array, table: Table) -> Stack:
    centre = np.median(features, axis=0)
    low, high = np.percentile(features, (10, 90), axis=0)
    spread = np.maximum((high - low) / 2.56, 1e-3)
    squashed = np.arcsinh((features - centre) / spread)
    curves = tuple(
        fit_curve(raw_metric(name, features[:, table.names.index(name)]), quality, entry)
        for name in BASE
        for entry in ENTRIES
        if entry.name == name
    )
    model = Stack(
        names=tuple(table.names),
        centre=centre,
        spread=spread,
        mean=squashed.mean(axis=0),
        deviation=squashed.std(axis=0) + 1e-3,
        support=np.empty((0, 0)),
        weights=np.empty(0),
        gamma=GAMMA / features.shape[1],
        base_names=BASE,
        base_curves=curves,
        base_weights=_base_weights(features, quality, table.names, curves),
        error_floor=1.0,
        error_slope=0.0,
        quantile=1.0,
    )
    rows = np.vstack([features, table.perfect[None]])
    target = np.append(quality, 5.0) - model.base(rows)
    # Stored as 32-bit floats: the fit must see what will be loaded.
    standard = model.standard(rows).astype(np.float32).astype(np.float64)
    model = model._replace(support=standard)
    ridge = np.full(len(rows), RIDGE)
    ridge[-1] /= PERFECT_ROWS
    weights = np.linalg.solve(model.kernel(standard) + np.diag(ridge), target)
    return model._replace(weights=np.asarray(weights, np.float64))


def _base_weights(
    features: Array, quality: Array, names: list[str], curves: tuple[Logistic, ...]
) -> Array:
    columns = []
    for name, curve in zip(BASE, curves, strict=True):
        raw = raw_metric(name, features[:, names.index(name)])
        columns.append([curve.quality(float(value)) for value in raw])
    found, _ = nnls(np.array(columns).T, quality)
    return np.asarray(found / found.sum())


def _error_line(errors: Array, novelty: Array) -> tuple[float, float]:
    """Expected error as a line in novelty, neither part negative."""
    (floor, slope), _ = nnls(np.stack([np.ones_like(novelty), novelty], axis=1), errors)
    return max(float(floor), 0.02), float(slope)


def _quantile(relative: Array) -> float:
    level = min(1.0, np.ceil((len(relative) + 1) * (1 - MISCOVERAGE)) / len(relative))
    return float(np.quantile(relative, level))


def report(fitted: Fitted, table: Table) -> str:
    srcc, plcc, rmse = fitted.agreement
    lines = [
        f"stack, reference left out: SRCC {srcc:.4f} PLCC {plcc:.4f} RMSE {rmse:.4f} (scale 1..5)",
        f"90 % interval: coverage {fitted.coverage:.3f}, mean width {fitted.mean_width:.3f}",
    ]
    lines += [
        f"  {name:24s} {value:.3f}" for name, value in per_type(fitted.left_out, table).items()
    ]
    return "\n".join(lines)
