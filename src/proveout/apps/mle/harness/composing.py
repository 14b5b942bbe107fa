"""A submission from predictions that are at hand, without running anything."""

import io

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proveout.apps.mle.harness.arena import Arena
from proveout.apps.mle.harness.judging import Case
from proveout.apps.mle.problem import TEST_FILE, Problem, as_it_stands
from proveout.apps.mle.tables.metrics import METRICS

QUANTILES = np.linspace(0.05, 0.95, 19)
"""Of a target: among them is the best constant for most metrics of numbers."""


def composed(
    arena: Arena, predictions: NDArray[np.float64], decisions: NDArray[np.int64] | None = None
) -> bytes:
    """As CSV, for the real test rows, from predictions for the rows that scripts were shown.

    `decisions` are class numbers for these rows, if not the most probable ones are meant.
    """
    problem = arena.problem
    chosen = predictions.argmax(axis=1) if decisions is None else decisions
    real = arena.real_rows
    made = pd.DataFrame(index=range(len(real)))
    if problem.id_column in problem.submission_columns:
        path = arena.full_input / TEST_FILE
        ids = pd.read_csv(path, usecols=[problem.id_column], dtype=str, keep_default_na=False)
        made[problem.id_column] = ids[problem.id_column]
    for name in problem.copied:
        source = as_it_stands(name)
        held_back = pd.read_csv(
            arena.full_input / TEST_FILE, usecols=[source], dtype=str, keep_default_na=False
        )
        made[name] = held_back[source]
    for name, values in _answers(problem, predictions[real], chosen[real]).items():
        made[name] = values
    held = io.StringIO()
    made[list(problem.submission_columns)].to_csv(held, index=False, lineterminator="\n")
    return held.getvalue().encode()


def _answers(
    problem: Problem, values: NDArray[np.float64], chosen: NDArray[np.int64]
) -> dict[str, NDArray[np.generic]]:
    names = problem.answer_columns
    if problem.kind == "regression" or problem.submission == "wide":
        return {name: _allowed(problem, values[:, place]) for place, name in enumerate(names)}
    if problem.submission == "probability":
        return {names[0]: _allowed(problem, values[:, 1])}
    return {names[0]: np.array(problem.labels)[chosen]}


def _allowed(problem: Problem, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Within what can be handed in: blends may go beyond it, if only a little."""
    metric = METRICS.get(problem.metric)
    if problem.kind != "regression" or (metric and metric.needs == "probabilities"):
        return np.clip(values, 0.0, 1.0)
    return np.maximum(values, 0.0) if problem.metric == "rmsle" else values


def composed_constant(arena: Arena) -> bytes:
    """The same answer for every row: that which would have done best on the labelled rows."""
    answer = _best_constant(arena.case(full=True))
    return composed(arena, np.tile(answer, (arena.case().test_rows, 1)))


def _best_constant(case: Case) -> NDArray[np.float64]:
    """For all rows; where the metric prefers none, the shares of the classes or the mean."""
    truth, rows = case.truth, len(case.truth)
    if case.problem.kind == "regression":
        numbers = np.asarray(truth, dtype=np.float64).reshape(rows, -1)
        tried = [numbers.mean(axis=0), *np.quantile(numbers, QUANTILES, axis=0)]
    else:
        shares = np.bincount(truth.astype(np.int64).ravel(), minlength=case.width) / rows
        tried = [shares, *(np.eye(case.width) if case.metric.needs == "labels" else ())]
    best, found = tried[0], float("nan")
    for answer in tried:
        score = case.metric.score(case.problem, truth, np.tile(answer, (rows, 1)))
        if np.isfinite(score) and (np.isnan(found) or case.metric.better(score, found)):
            best, found = answer, score
    return np.asarray(best, dtype=np.float64)
