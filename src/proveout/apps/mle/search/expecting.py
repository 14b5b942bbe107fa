"""What to expect: of the test, if nothing leaks, and of an answer that is the same for all rows.

Folds say how sure their mean is. The test is a sample too: a few hundred rows, or few of the rarer
class, may come out better or worse by luck. Whoever compares the two needs both uncertainties.

And the best of many was lucky where it was chosen: what it is worth elsewhere is told by parts of
the rows that had no say in a choice.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from proveout.apps.mle.experts.card_values import ABSOLUTE
from proveout.apps.mle.harness.arena import Arena
from proveout.apps.mle.problem import Problem
from proveout.apps.mle.tables.metrics import METRICS, Array

RESAMPLES = 400
"""An error from so many is itself uncertain by a 28th; with a tenth of them, by a ninth."""
MOST_DRAWN = 3_000
"""Groups per resample; more are inferred, for the spread falls with the root of their number."""
HITS = tuple(
    name
    for name, metric in METRICS.items()
    if metric.direction == "maximize" and metric.needs != "values"
)
"""Metrics whose best value, one, stands for no miss at all."""
UNSEEN_MISSES = 1.5
"""Misses to reckon with, at one standard error, where none was seen."""
Rows = NDArray[np.int64]


def test_error(
    arena: Arena,
    rows: Rows,
    given: Array,
    fold_error: float,
    classes: Rows | None = None,  # noqa: PT028 - an error on the test, no test
) -> float:
    """One standard error of the difference between the score on the folds and on the test.

    `given` are predictions for these rows of the training file, `classes` what was chosen if that
    is not the most probable. Whole groups are drawn, so that copies of a row do not pass for
    further evidence.
    """
    case = arena.case()
    truth = case.truth[rows]
    rows_of = _rows_of(arena.groups[rows])
    drawn = min(len(rows_of), MOST_DRAWN)
    rng = np.random.default_rng([arena.seed, len(truth)])
    scores = []
    for _ in range(RESAMPLES):
        chosen = np.concatenate([rows_of[at] for at in rng.integers(0, len(rows_of), drawn)])
        decided = classes[chosen] if classes is not None else None
        scores.append(case.metric.score(case.problem, truth[chosen], given[chosen], decided))
    if np.isfinite(scores).sum() < 2:
        return fold_error
    spread = float(np.nanstd(scores, ddof=1) * np.sqrt(drawn))
    of_one_group = max(spread, _least_spread(case.problem, len(rows_of)))
    # Test rows come in groups like the others; that rows were copied says nothing about them.
    size = len(truth) / len(rows_of) if case.problem.groups else 1.0
    tested = max(1.0, len(arena.real_rows) / size)
    validated = max(fold_error, of_one_group / np.sqrt(len(rows_of)))
    return float(np.hypot(validated, of_one_group / np.sqrt(tested)))


def optimism(scores: Sequence[Sequence[float]], weights: Sequence[float], sign: float) -> float:
    """By how much the best of many looks better than it is, never below nought.

    `scores` hold a row for whatever could have been chosen, with its score on each part (the folds,
    the hold-out), which weigh so much; `sign` is 1 if more is better. On each part counts what was
    best on all others together.
    """
    table, share = sign * np.array(scores, dtype=float), np.array(weights, dtype=float)
    if table.shape[1] < 2:
        return 0.0
    whole = table @ share
    # Of equals the first one, on every part: nothing is to be seen where nothing differs.
    elsewhere = [(whole - table[:, at] * share[at]).argmax() for at in range(table.shape[1])]
    fair = table[elsewhere, np.arange(table.shape[1])] @ share
    return max(0.0, float((whole.max() - fair) / share.sum()))


def least_error(problem: Problem) -> float:
    """What a score on the folds is uncertain by at least, however equal the folds are."""
    count = max(1, problem.rows)
    spread = _least_spread(problem, count)
    return float(np.hypot(spread / np.sqrt(count), spread / np.sqrt(max(1, problem.test_rows))))


def _least_spread(problem: Problem, count: int) -> float:
    """Of what one row adds to a score of hits and misses, if none of so many was a miss.

    By the rule of three up to three in so many may be one all the same, at two standard errors.
    """
    if problem.metric not in HITS:
        return 0.0
    share = min(0.5, UNSEEN_MISSES / count)
    return float(np.sqrt(share * (1 - share)))


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
