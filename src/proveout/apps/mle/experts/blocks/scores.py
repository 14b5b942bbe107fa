"""Metrics of a fold, one function each: truth, predictions, chosen classes.

NaN where a metric is not defined, for instance the area under a curve where a fold has one class
only; of several targets, those for which it is defined count.
"""

import runpy
from collections.abc import Callable, Iterable

import numpy as np
from sklearn import metrics

from proveout.apps.mle.experts.blocks.settings import CUSTOM, FORM, LABELS


def mean_of_defined(values: Iterable[float]) -> float:
    known = [value for value in values if not np.isnan(value)]
    return float(np.mean(known)) if known else float("nan")


def rmse(truth: np.ndarray, given: np.ndarray, chosen: np.ndarray) -> float:
    del chosen
    return float(np.mean(np.sqrt(np.mean((truth - given) ** 2, axis=0))))


def mse(truth: np.ndarray, given: np.ndarray, chosen: np.ndarray) -> float:
    del chosen
    return float(np.mean((truth - given) ** 2))


def mae(truth: np.ndarray, given: np.ndarray, chosen: np.ndarray) -> float:
    del chosen
    return float(np.mean(np.abs(truth - given)))


def medae(truth: np.ndarray, given: np.ndarray, chosen: np.ndarray) -> float:
    del chosen
    return float(np.mean(np.median(np.abs(truth - given), axis=0)))


def rmsle(truth: np.ndarray, given: np.ndarray, chosen: np.ndarray) -> float:
    del chosen
    gap = np.log1p(np.maximum(given, 0)) - np.log1p(truth)
    return float(np.mean(np.sqrt(np.mean(gap**2, axis=0))))


def mape(truth: np.ndarray, given: np.ndarray, chosen: np.ndarray) -> float:
    del chosen
    return float(np.mean(np.abs(truth - given) / np.maximum(np.abs(truth), np.finfo(float).eps)))


def smape(truth: np.ndarray, given: np.ndarray, chosen: np.ndarray) -> float:
    del chosen
    below, gap = np.abs(truth) + np.abs(given), 2 * np.abs(truth - given)
    return float(np.mean(np.divide(gap, below, out=np.zeros(gap.shape), where=below > 0)))


def r2(truth: np.ndarray, given: np.ndarray, chosen: np.ndarray) -> float:
    del chosen
    spread = ((truth - truth.mean(axis=0)) ** 2).sum(axis=0)
    missed = ((truth - given) ** 2).sum(axis=0)
    return mean_of_defined(1 - missed / np.where(spread > 0, spread, np.nan))


def accuracy(truth: np.ndarray, given: np.ndarray, chosen: np.ndarray) -> float:
    del given
    return float(np.mean(truth == chosen))


def micro_f1(truth: np.ndarray, given: np.ndarray, chosen: np.ndarray) -> float:
    del given
    return float(np.mean(truth == chosen))


def balanced_accuracy(truth: np.ndarray, given: np.ndarray, chosen: np.ndarray) -> float:
    del given
    return float(np.mean([np.mean(chosen[truth == label] == label) for label in np.unique(truth)]))


def f1(truth: np.ndarray, given: np.ndarray, chosen: np.ndarray) -> float:
    del given
    return float(metrics.f1_score(truth == 1, chosen == 1, zero_division=0))


def macro_f1(truth: np.ndarray, given: np.ndarray, chosen: np.ndarray) -> float:
    del given
    return float(metrics.f1_score(truth, chosen, average="macro", zero_division=0))


def weighted_f1(truth: np.ndarray, given: np.ndarray, chosen: np.ndarray) -> float:
    del given
    return float(metrics.f1_score(truth, chosen, average="weighted", zero_division=0))


def mcc(truth: np.ndarray, given: np.ndarray, chosen: np.ndarray) -> float:
    del given
    if len(np.union1d(truth, chosen)) < 2:
        return 0.0
    return float(metrics.matthews_corrcoef(truth, chosen))


def kappa(truth: np.ndarray, given: np.ndarray, chosen: np.ndarray) -> float:
    del given
    if len(np.union1d(truth, chosen)) < 2:
        return 1.0
    every = np.arange(len(LABELS))
    return float(metrics.cohen_kappa_score(truth, chosen, labels=every))


def qwk(truth: np.ndarray, given: np.ndarray, chosen: np.ndarray) -> float:
    """By places in the order of the labels, whatever numbers they are."""
    del given
    wanted, said = truth.astype("float64"), chosen.astype("float64")
    # The mean over all pairs of rows, without making them.
    chance = wanted.var() + said.var() + (wanted.mean() - said.mean()) ** 2
    return float(1 - np.mean((wanted - said) ** 2) / chance) if chance > 0 else 1.0


def mean_over_classes(
    score: Callable[[np.ndarray, np.ndarray], float], truth: np.ndarray, given: np.ndarray
) -> float:
    """Two classes: the second. More: each against the rest. Several yes/no targets: each."""
    if not LABELS:
        pairs = zip(truth.T, given.T, strict=True)
        return mean_of_defined(score(wanted > 0.5, said) for wanted, said in pairs)
    if given.shape[1] == 2:
        return float(score(truth == 1, given[:, 1]))
    present = np.unique(truth)
    if len(present) < 2:
        return float("nan")
    return float(np.mean([score(truth == k, given[:, k]) for k in present]))


def auc_of_one(wanted: np.ndarray, said: np.ndarray) -> float:
    both = 0 < wanted.sum() < len(wanted)
    return float(metrics.roc_auc_score(wanted, said)) if both else float("nan")


def ap_of_one(wanted: np.ndarray, said: np.ndarray) -> float:
    return float(metrics.average_precision_score(wanted, said)) if wanted.any() else float("nan")


def auc(truth: np.ndarray, given: np.ndarray, chosen: np.ndarray) -> float:
    del chosen
    return mean_over_classes(auc_of_one, truth, given)


def ap(truth: np.ndarray, given: np.ndarray, chosen: np.ndarray) -> float:
    del chosen
    return mean_over_classes(ap_of_one, truth, given)


def logloss(truth: np.ndarray, given: np.ndarray, chosen: np.ndarray) -> float:
    del chosen
    shares = np.clip(given, 1e-15, 1 - 1e-15)
    if not LABELS:
        return float(-np.mean(truth * np.log(shares) + (1 - truth) * np.log(1 - shares)))
    shares = shares / shares.sum(axis=1, keepdims=True)
    return float(-np.mean(np.log(shares[np.arange(len(truth)), truth])))


def brier(truth: np.ndarray, given: np.ndarray, chosen: np.ndarray) -> float:
    del chosen
    if given.shape[1] == 2:
        return float(np.mean((given[:, 1] - truth) ** 2))
    return float(np.mean(((given - np.eye(given.shape[1])[truth]) ** 2).sum(axis=1)))


def custom(truth: np.ndarray, given: np.ndarray, chosen: np.ndarray) -> float:
    """The task's own metric, from its own file."""
    file, _, name = CUSTOM.rpartition(":")
    function = runpy.run_path(f"input/{file}")[name]
    if not LABELS:
        return float(function(truth.squeeze(), given.squeeze()))
    if FORM == "value":
        names = np.array(LABELS, dtype=object)
        return float(function(names[truth], names[chosen]))
    return float(function(truth, given[:, 1] if FORM == "probability" else given))
