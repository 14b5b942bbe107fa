"""A part of the rows, for studies that run many variants of a script."""

import csv
import shutil
from pathlib import Path

import numpy as np
import pandas as pd

from proveout.apps.mle.arena import Arena
from proveout.apps.mle.problem import FOLDS_FILE, TEST_FILE, TRAIN_FILE
from proveout.apps.mle.searching import Search

MOST_ROWS = 3_000
MOST_TEST_ROWS = 200


def small_data(search: Search) -> Path:
    """The search's input with fewer rows, made once; the fewest rows of a class are kept."""
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
        kept = _kept(search, train)
        _write(train.iloc[kept], folder / TRAIN_FILE)
        _write(folds.iloc[kept], folder / FOLDS_FILE)
    test = pd.read_csv(arena.input / TEST_FILE, dtype=str, keep_default_na=False)
    _write(test.head(MOST_TEST_ROWS), folder / TEST_FILE)
    (folder / "complete").touch()
    return folder


def _kept(search: Search, train: pd.DataFrame) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
    problem = search.problem
    if problem.time:
        # The latest rows: a gap in time would change what the script sees.
        return np.arange(len(train) - MOST_ROWS, len(train))
    chance = np.random.default_rng(search.context.seed)
    drawn = chance.permutation(len(train))[:MOST_ROWS]
    if problem.kind != "regression":
        target = train[problem.targets[0]] if problem.targets[0] in train else None
        if target is not None:
            rare = target.map(target.value_counts()).to_numpy() < 30
            drawn = np.union1d(drawn, np.flatnonzero(rare))
    return np.sort(drawn)


def _write(frame: pd.DataFrame, path: Path) -> None:
    frame.to_csv(path, index=False, quoting=csv.QUOTE_MINIMAL, lineterminator="\n")
