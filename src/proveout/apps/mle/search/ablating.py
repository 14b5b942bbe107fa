"""A part of the rows, for studies that run many variants of a script."""

import csv
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proveout.apps.mle.harness.arena import Arena
from proveout.apps.mle.problem import FOLDS_FILE, TEST_FILE, TRAIN_FILE
from proveout.apps.mle.search.searching import Search
from proveout.apps.mle.tables.keys import time_columns, time_keys

MOST_ROWS = 3_000
MOST_TEST_ROWS = 200
FEW_OF_A_CLASS = 30
Rows = NDArray[np.int64]


def small_data(search: Search) -> Path:
    """The search's input with fewer rows, made once; rare classes are kept whole."""
    work = Path(search.work)
    folder = work / "small"
    if (folder / "complete").exists():
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    arena = Arena.prepare(search.problem, Path(search.task.folder), work, seed=search.context.seed)
    shutil.copytree(arena.input, folder)
    train = pd.read_csv(arena.input / TRAIN_FILE, dtype=str, keep_default_na=False)
    folds = pd.read_csv(arena.input / FOLDS_FILE)
    if len(train) > MOST_ROWS:
        kept = _kept(search, train, folds["fold"].to_numpy())
        _write(train.iloc[kept], folder / TRAIN_FILE)
        part = folds.iloc[kept]
        _write(_renumbered(part) if search.problem.time else part, folder / FOLDS_FILE)
    test = pd.read_csv(arena.input / TEST_FILE, dtype=str, keep_default_na=False)
    _write(test.head(MOST_TEST_ROWS), folder / TEST_FILE)
    (folder / "complete").touch()
    return folder


def _kept(search: Search, train: pd.DataFrame, folds: Rows) -> Rows:
    """Positions of the rows to keep, in the order of the file."""
    problem = search.problem
    if problem.time:
        # The latest rows of all series: a gap in time would change what the script sees.
        path = search.arena.input / TRAIN_FILE
        when = time_keys(problem, pd.read_csv(path, usecols=list(time_columns(problem))))
        known = folds.astype(float) if when is None else np.nan_to_num(when, nan=-np.inf)
        return np.sort(np.lexsort((known, folds))[-MOST_ROWS:])
    chance = np.random.default_rng(search.context.seed)
    drawn = chance.permutation(len(train))[:MOST_ROWS]
    target = train.get(problem.targets[0])
    if problem.kind != "regression" and target is not None:
        rare = target.map(target.value_counts()).to_numpy() < FEW_OF_A_CLASS
        drawn = np.union1d(drawn, np.flatnonzero(rare))
    return np.sort(drawn)


def _renumbered(folds: pd.DataFrame) -> pd.DataFrame:
    """The oldest rows that were kept are never validated; the rest counts from nought."""
    values = folds["fold"].to_numpy()
    if len(np.unique(values)) == 1:
        values = np.arange(len(values)) * 2 // max(1, len(values))
    places = np.searchsorted(np.unique(values), values)
    return pd.DataFrame({"fold": places - 1})


def _write(frame: pd.DataFrame, path: Path) -> None:
    frame.to_csv(path, index=False, quoting=csv.QUOTE_MINIMAL, lineterminator="\n")
