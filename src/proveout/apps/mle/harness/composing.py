"""A submission from predictions that are at hand, without running anything."""

import io

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proveout.apps.mle.harness.arena import Arena
from proveout.apps.mle.problem import TEST_FILE, Problem


def composed(arena: Arena, predictions: NDArray[np.float64]) -> bytes:
    """As CSV, for the real test rows, from predictions for the rows that scripts were shown."""
    problem = arena.problem
    real = predictions[arena.real_rows]
    made = pd.DataFrame(index=range(len(real)))
    if problem.id_column in problem.submission_columns:
        path = arena.full_input / TEST_FILE
        ids = pd.read_csv(path, usecols=[problem.id_column], dtype=str, keep_default_na=False)
        made[problem.id_column] = ids[problem.id_column]
    for name, values in _answers(problem, real).items():
        made[name] = values
    held = io.StringIO()
    made[list(problem.submission_columns)].to_csv(held, index=False, lineterminator="\n")
    return held.getvalue().encode()


def _answers(problem: Problem, values: NDArray[np.float64]) -> dict[str, NDArray[np.generic]]:
    names = [name for name in problem.submission_columns if name != problem.id_column]
    if problem.kind == "regression" or problem.submission == "wide":
        return {name: values[:, place] for place, name in enumerate(names)}
    if problem.submission == "probability":
        return {names[0]: values[:, 1]}
    labels = np.array(problem.labels)
    return {names[0]: labels[values.argmax(axis=1)]}
