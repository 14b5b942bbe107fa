"""Metrics as the harness computes them: from the truth it kept and the predictions it was given.

Truth is a class index per row for classes, a column of numbers per target otherwise. Predictions
have a column per class (probabilities, in the order of `Problem.labels`) or per target. Several
targets count alike: the metric is the mean over those of their columns for which it is defined.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from proveout.apps.mle.problem import Direction, Problem

Array = NDArray[np.float64]
Indices = NDArray[np.int64]
Needs = Literal["labels", "probabilities", "values"]
Formula = Callable[[Problem, NDArray[Any], Array, Indices], float]
"""Problem, truth, predictions, decided classes."""

SMALLEST_PROBABILITY = 1e-15
"""Probabilities are clipped to this and its complement before a logarithm, then each row is divided
by its sum."""


@dataclass(frozen=True)
class Metric:
    """How good predictions are, and in which direction."""

    name: str
    direction: Direction
    needs: Needs
    """`labels`: decided classes; `probabilities` of classes; `values`: numbers."""
    formula: Formula
    words: str
    """What it is, for a person."""

    def score(
        self,
        problem: Problem,
        truth: NDArray[Any],
        predictions: NDArray[Any],
        decisions: NDArray[Any] | None = None,
    ) -> float:
        """NaN where the metric is not defined: no rows, or one class only under `auc`."""
        given = np.asarray(predictions, dtype=np.float64)
        if given.ndim == 1:
            given = given[:, None]
        if len(given) == 0:
            return float("nan")
        if decisions is None:
            chosen = given.argmax(axis=1).astype(np.int64)
        else:
            chosen = np.asarray(decisions, dtype=np.int64).ravel()
        # An error beyond all numbers is infinite, and judged as that.
        with np.errstate(over="ignore"):
            return float(self.formula(problem, np.asarray(truth), given, chosen))

    def better(self, one: float, other: float) -> bool:
        """Whether the first is strictly better; NaN never is."""
        return one > other if self.direction == "maximize" else one < other


def _columnwise(one: Callable[[Array, Array], float]) -> Formula:
    def formula(problem: Problem, truth: NDArray[Any], given: Array, chosen: Indices) -> float:
        del problem, chosen
        wanted = truth.astype(np.float64).reshape(len(given), -1)
        scores = [one(wanted[:, at], given[:, at]) for at in range(wanted.shape[1])]
        known = [score for score in scores if not np.isnan(score)]
        return float(np.mean(known)) if known else float("nan")

    return formula


def _by_class(one: Callable[[NDArray[Any], Array], float]) -> Formula:
    """Two classes: the second against the first. More: each against the rest, present ones only."""

    def formula(problem: Problem, truth: NDArray[Any], given: Array, chosen: Indices) -> float:
        if problem.kind == "regression":
            return _columnwise(lambda wanted, value: one(wanted > 0.5, value))(
                problem, truth, given, chosen
            )
        classes = truth.astype(np.int64).ravel()
        if given.shape[1] <= 2:
            return one(classes == 1, given[:, -1])
        present = [at for at in range(given.shape[1]) if (classes == at).any()]
        if len(present) < 2:
            return float("nan")
        return float(np.mean([one(classes == at, given[:, at]) for at in present]))

    return formula


def _by_decision(one: Callable[[Indices, Indices, int], float]) -> Formula:
    def formula(problem: Problem, truth: NDArray[Any], given: Array, chosen: Indices) -> float:
        count = max(len(problem.labels), given.shape[1], 2)
        return one(truth.astype(np.int64).ravel(), chosen, count)

    return formula


def _auc(positive: NDArray[Any], value: Array) -> float:
    """Mann and Whitney's statistic; ties count half."""
    hits, rest = np.sort(value[positive]), np.sort(value[~positive])
    if not len(hits) or not len(rest):
        return float("nan")
    # Whole numbers: the result does not depend on the order of rows. Sorting both sides is several
    # times as quick as finding the rank of every row, and blends ask thousands of times.
    below, up_to = (np.searchsorted(rest, hits, side).sum() for side in ("left", "right"))
    return float((below + up_to) / 2.0 / (float(len(hits)) * len(rest)))


def _average_precision(positive: NDArray[Any], value: Array) -> float:
    order = np.argsort(-value, kind="stable")
    ends = np.append(np.flatnonzero(np.diff(value[order])), len(value) - 1)
    hits = np.cumsum(positive[order])[ends].astype(np.float64)
    if hits[-1] == 0:
        return float("nan")
    return float(np.sum(np.diff(hits, prepend=0.0) * hits / (ends + 1)) / hits[-1])


def _logloss(problem: Problem, truth: NDArray[Any], given: Array, chosen: Indices) -> float:
    del chosen
    least = SMALLEST_PROBABILITY
    if problem.kind == "regression":
        wanted = truth.astype(np.float64).reshape(len(given), -1)
        sure = np.clip(given, least, 1 - least)
        return float(-np.mean(wanted * np.log(sure) + (1 - wanted) * np.log(1 - sure)))
    shares = np.column_stack([1 - given[:, 0], given[:, 0]]) if given.shape[1] == 1 else given
    shares = np.clip(shares, least, 1 - least)
    shares = shares / shares.sum(axis=1, keepdims=True)
    return float(-np.mean(np.log(shares[np.arange(len(shares)), truth.astype(np.int64).ravel()])))


def _brier(problem: Problem, truth: NDArray[Any], given: Array, chosen: Indices) -> float:
    del chosen
    classes = truth.astype(np.int64).ravel()
    if problem.kind != "multiclass":
        return float(np.mean((given[:, -1] - classes) ** 2))
    wanted = np.eye(given.shape[1])[classes]
    return float(np.mean(((given - wanted) ** 2).sum(axis=1)))


def _confusion(truth: Indices, chosen: Indices, count: int) -> Array:
    return (
        np.bincount(truth * count + chosen, minlength=count * count)
        .reshape(count, count)
        .astype(np.float64)
    )


def _recall_mean(truth: Indices, chosen: Indices, count: int) -> float:
    table = _confusion(truth, chosen, count)
    present = table.sum(axis=1) > 0
    return float(np.mean(table.diagonal()[present] / table.sum(axis=1)[present]))


def _f1_scores(table: Array) -> Array:
    both = table.sum(axis=0) + table.sum(axis=1)
    shares: Array = np.divide(2 * table.diagonal(), both, out=np.zeros(len(table)), where=both > 0)
    return shares


def _f1(truth: Indices, chosen: Indices, count: int) -> float:
    return float(_f1_scores(_confusion(truth, chosen, count))[1])


def _f1_macro(truth: Indices, chosen: Indices, count: int) -> float:
    table = _confusion(truth, chosen, count)
    seen = table.sum(axis=0) + table.sum(axis=1) > 0
    return float(_f1_scores(table)[seen].mean())


def _f1_weighted(truth: Indices, chosen: Indices, count: int) -> float:
    table = _confusion(truth, chosen, count)
    return float(np.average(_f1_scores(table), weights=table.sum(axis=1)))


def _mcc(truth: Indices, chosen: Indices, count: int) -> float:
    table = _confusion(truth, chosen, count)
    true, said, total = table.sum(axis=1), table.sum(axis=0), table.sum()
    below = np.sqrt((total**2 - (said**2).sum()) * (total**2 - (true**2).sum()))
    return float((table.trace() * total - true @ said) / below) if below > 0 else 0.0


def _kappa(weights: Callable[[Array], Array]) -> Callable[[Indices, Indices, int], float]:
    def one(truth: Indices, chosen: Indices, count: int) -> float:
        table = _confusion(truth, chosen, count)
        places = np.arange(count, dtype=np.float64)
        cost = weights(places[:, None] - places[None, :])
        expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
        chance = float((cost * expected).sum())
        return 1.0 - float((cost * table).sum()) / chance if chance > 0 else 1.0

    return one


def _rmsle(wanted: Array, value: Array) -> float:
    """Negative predictions count as zero: a logarithm is not defined below minus one."""
    return float(np.sqrt(np.mean((np.log1p(np.maximum(value, 0)) - np.log1p(wanted)) ** 2)))


def _r2(wanted: Array, value: Array) -> float:
    spread = float(((wanted - wanted.mean()) ** 2).sum())
    return 1.0 - float(((wanted - value) ** 2).sum()) / spread if spread > 0 else float("nan")


def _mape(wanted: Array, value: Array) -> float:
    return float(np.mean(np.abs(wanted - value) / np.maximum(np.abs(wanted), np.finfo(float).eps)))


def _smape(wanted: Array, value: Array) -> float:
    below = np.abs(wanted) + np.abs(value)
    gap = 2 * np.abs(wanted - value)
    return float(np.mean(np.divide(gap, below, out=np.zeros(len(gap)), where=below > 0)))


def _of_classes() -> list[Metric]:
    up: Direction = "maximize"
    down: Direction = "minimize"
    decided, ranked = _by_decision, _by_class
    hits = decided(lambda truth, chosen, _: float(np.mean(truth == chosen)))
    plain_kappa = _kappa(lambda gap: (gap != 0).astype(np.float64))
    far_kappa = _kappa(lambda gap: gap**2)
    return [
        Metric("accuracy", up, "labels", hits, "share of rows with the right class"),
        Metric("balanced_accuracy", up, "labels", decided(_recall_mean), "mean recall of classes"),
        Metric("f1", up, "labels", decided(_f1), "F1 of the second class"),
        Metric("macro_f1", up, "labels", decided(_f1_macro), "mean F1 of the classes"),
        Metric("micro_f1", up, "labels", hits, "F1 over all decisions"),
        Metric("weighted_f1", up, "labels", decided(_f1_weighted), "F1 weighted by frequency"),
        Metric("mcc", up, "labels", decided(_mcc), "Matthews correlation"),
        Metric("kappa", up, "labels", decided(plain_kappa), "Cohen's kappa"),
        Metric("qwk", up, "labels", decided(far_kappa), "quadratic weighted kappa"),
        Metric("auc", up, "probabilities", ranked(_auc), "area under the ROC curve"),
        Metric("ap", up, "probabilities", ranked(_average_precision), "average precision"),
        Metric("logloss", down, "probabilities", _logloss, "logarithmic loss"),
        Metric("brier", down, "probabilities", _brier, "squared error of probabilities"),
    ]


def _of_numbers() -> list[Metric]:
    up: Direction = "maximize"
    down: Direction = "minimize"
    numbers = _columnwise
    return [
        Metric(
            "rmse",
            down,
            "values",
            numbers(lambda y, p: float(np.sqrt(np.mean((y - p) ** 2)))),
            "root mean squared error",
        ),
        Metric(
            "mse",
            down,
            "values",
            numbers(lambda y, p: float(np.mean((y - p) ** 2))),
            "mean squared error",
        ),
        Metric("rmsle", down, "values", numbers(_rmsle), "root mean squared logarithmic error"),
        Metric(
            "mae",
            down,
            "values",
            numbers(lambda y, p: float(np.mean(np.abs(y - p)))),
            "mean absolute error",
        ),
        Metric(
            "medae",
            down,
            "values",
            numbers(lambda y, p: float(np.median(np.abs(y - p)))),
            "median absolute error",
        ),
        Metric("mape", down, "values", numbers(_mape), "mean absolute percentage error"),
        Metric("smape", down, "values", numbers(_smape), "symmetric percentage error"),
        Metric("r2", up, "values", numbers(_r2), "coefficient of determination"),
    ]


METRICS: Mapping[str, Metric] = {metric.name: metric for metric in (*_of_classes(), *_of_numbers())}
