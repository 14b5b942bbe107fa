"""What to expect: of the test, if nothing leaks, and of an answer that is the same for all rows.

Folds say how sure their mean is. The test is a sample too: a few hundred rows, or few of the rarer
class, may come out better or worse by luck. Whoever compares the two needs both uncertainties.
"""

import numpy as np
from numpy.typing import NDArray

from proveout.apps.mle.experts.card_values import ABSOLUTE
from proveout.apps.mle.harness.arena import Arena
from proveout.apps.mle.tables.metrics import Array

RESAMPLES = 60
MOST_DRAWN = 3_000
"""Groups per resample; more are inferred, for the spread falls with the root of their number."""
Rows = NDArray[np.int64]


def test_error(arena: Arena, rows: Rows, given: Array, fold_error: float) -> float:
    """One standard error of the difference between the score on the folds and on the test.

    `given` are predictions for these rows of the training file. Whole groups are drawn, so that
    copies of a row do not pass for further evidence.
    """
    case = arena.case()
    truth = case.truth[rows]
    rows_of = _rows_of(arena.groups[rows])
    drawn = min(len(rows_of), MOST_DRAWN)
    rng = np.random.default_rng([arena.seed, len(truth)])
    scores = []
    for _ in range(RESAMPLES):
        chosen = np.concatenate([rows_of[at] for at in rng.integers(0, len(rows_of), drawn)])
        scores.append(case.metric.score(case.problem, truth[chosen], given[chosen]))
    if np.isfinite(scores).sum() < 2:
        return fold_error
    of_one_group = float(np.nanstd(scores, ddof=1) * np.sqrt(drawn))
    # Test rows come in groups like the others; that rows were copied says nothing about them.
    size = len(truth) / len(rows_of) if case.problem.groups else 1.0
    tested = max(1.0, len(arena.real_rows) / size)
    validated = max(fold_error, of_one_group / np.sqrt(len(rows_of)))
    return float(np.hypot(validated, of_one_group / np.sqrt(tested)))


def _rows_of(groups: Rows) -> list[Rows]:
    order = np.argsort(groups, kind="stable")
    ends = np.flatnonzero(np.diff(groups[order])) + 1
    return np.split(order, ends)


def constant_score(arena: Arena) -> float:
    """Mean over the folds of what an answer earns that is the same for every row."""
    case = arena.case()
    scores = []
    for number in range(case.count):
        own = case.fold == number
        rest = case.truth[~own]
        if case.problem.kind != "regression":
            answer = np.bincount(rest.astype(np.int64).ravel(), minlength=case.width) / len(rest)
        elif case.problem.metric in ABSOLUTE:
            answer = np.median(rest, axis=0)
        else:
            answer = rest.mean(axis=0)
        given = np.tile(answer, (int(own.sum()), 1))
        scores.append(case.metric.score(case.problem, case.truth[own], given))
    return float(np.nanmean(scores)) if np.isfinite(scores).any() else float("nan")
