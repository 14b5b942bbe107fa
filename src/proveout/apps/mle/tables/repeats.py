"""Rows that are there more than once in training, but not again at test time.

Copies on both sides of a split let a model look its answers up. Whether that is cheating depends on
the test: where test rows are copies of training rows just as often, looking up is part of the task.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proveout.apps.mle.problem import Problem

LEAST_SHARE = 0.01
"""Of rows that have a copy, before it is worth a thought."""
LEAST_ROWS = 10
AS_OFTEN = 0.5
"""Test rows with a copy in training, relative to training rows with one, that make it natural."""


@dataclass(frozen=True)
class Copies:
    keys: NDArray[np.int64]
    """The same number for rows that are copies of each other."""
    share: float
    test_share: float

    @property
    def message(self) -> str:
        return (
            f"{self.share:.1%} of the training rows have an exact copy in training, "
            f"{self.test_share:.1%} of the test rows do: copies are kept in one fold"
        )


def copies(problem: Problem, train: pd.DataFrame, test: pd.DataFrame) -> Copies | None:
    """None where rows are not repeated, or test rows repeat training rows just as much."""
    barred = {problem.id_column, *problem.targets}
    names = [it.name for it in problem.columns if it.name not in barred and it.kind != "id"]
    names = [name for name in names if name in train.columns and name in test.columns]
    if not names or len(train) < LEAST_ROWS:
        return None
    keys = row_hashes(train, names)
    _, place, count = np.unique(keys, return_inverse=True, return_counts=True)
    repeated = count[place] > 1
    share = float(repeated.mean())
    if share < LEAST_SHARE or repeated.sum() < LEAST_ROWS:
        return None
    test_share = float(np.isin(row_hashes(test, names), keys).mean()) if len(test) else 0.0
    if test_share >= AS_OFTEN * share:
        return None
    return Copies(place.astype(np.int64), share, test_share)


def row_hashes(frame: pd.DataFrame, names: list[str]) -> NDArray[np.uint64]:
    """One number per row; numbers are compared as numbers, whatever type a file made of them."""
    total = np.zeros(len(frame), dtype=np.uint64)
    for at, name in enumerate(names):
        values = frame[name]
        if pd.api.types.is_numeric_dtype(values.dtype):
            plain = values.astype("float64")
        else:
            plain = values.astype("object").where(values.notna(), "").astype(str)
        hashed = pd.util.hash_array(plain.to_numpy(), categorize=True)
        total = total * np.uint64(1_000_003) + hashed + np.uint64(at)
    return total
