"""Whether a submission can be handed in: its form, and whether it says what the script found."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from proveout.apps.mle.harness.judging import Predictions, open_plain
from proveout.apps.mle.problem import SUBMISSION_FILE, Problem
from proveout.apps.mle.tables.columns import as_label
from proveout.kernel.types import Finding

CELL_BYTES = 400
"""Longest cell on average; a larger file is not read."""
APART = 0.5
"""Distance (Kolmogorov's, or total variation) between predictions for test and for own rows."""
SAME = 0.98
"""Share of rows in which submission and predictions must agree."""


@dataclass(frozen=True)
class Expected:
    """The test rows as the script saw them."""

    ids: tuple[str, ...]
    """Without blanks around them. Empty if rows have no key: then their order counts."""
    rows: int
    sample: Path | None = None
    copied: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Cells of the columns that a submission takes over."""


class _Bad(Exception):  # noqa: N818 - carries a finding
    def __init__(self, message: str, code: str, hint: str = "") -> None:
        super().__init__(message)
        self.finding = Finding(
            code=f"mle.submission.{code}", message=message, where=SUBMISSION_FILE, hint=hint
        )


def check(
    problem: Problem, out: Path, wanted: Expected, given: Predictions | None = None
) -> tuple[Finding, ...]:
    """The first thing that makes it invalid, or every doubt about a valid one."""
    try:
        frame = _aligned(problem, _read(out / SUBMISSION_FILE, problem, wanted), wanted)
        block = frame[list(problem.answer_columns)]
        values = _labels(problem, block) if _is_labels(problem) else _numbers(problem, block)
        _not_the_sample(problem, block, wanted)
    except _Bad as bad:
        return (bad.finding,)
    return tuple(_doubts(problem, values, given))


def _read(path: Path, problem: Problem, wanted: Expected) -> pd.DataFrame:
    if not os.path.lexists(path):
        message = f"there is no {SUBMISSION_FILE}"
        raise _Bad(message, "missing", "Write the submission where the protocol says.")
    width = max(1, len(problem.submission_columns))
    most = CELL_BYTES * width * (wanted.rows + 10)
    try:
        with os.fdopen(open_plain(path, most), "rb") as stream:
            # Cells as they are written; plain objects, which are quicker to make than a column.
            return pd.read_csv(stream, dtype=object, keep_default_na=False)
    except (OSError, ValueError, pd.errors.ParserError) as error:
        message = f"{SUBMISSION_FILE} cannot be read: {str(error)[:200]}"
        raise _Bad(message, "unreadable", "Write it with DataFrame.to_csv(index=False).") from None


def _is_labels(problem: Problem) -> bool:
    return problem.kind != "regression" and problem.submission == "value"


def _aligned(problem: Problem, frame: pd.DataFrame, wanted: Expected) -> pd.DataFrame:
    """In the order of the test file."""
    columns = list(problem.submission_columns)
    if list(frame.columns) != columns:
        message = f"columns {_few(list(frame.columns))}; wanted are {_few(columns)}"
        raise _Bad(message, "columns", "Write exactly the columns of the sample, in its order.")
    if len(frame) != wanted.rows:
        message = f"{len(frame)} rows; the test file has {wanted.rows}"
        raise _Bad(message, "rows", "Write one row for every row of the test file.")
    for name, cells in wanted.copied.items():
        if frame[name].str.strip().tolist() != list(cells):
            message = f"column {name!r} is not that of the test file"
            raise _Bad(message, "ids", "Take it over as it is spelled there, row by row.")
    if not wanted.ids:
        return frame
    keys = frame[problem.id_column].str.strip()
    if keys.tolist() == list(wanted.ids):
        # Row by row the same: then it does no harm that copies of a row share their key.
        return frame
    known = pd.Index(wanted.ids)
    if keys.duplicated().any() or set(keys) != set(known):
        odd = sorted(set(keys) - set(known))[:3]
        twice, unknown = int(keys.duplicated().sum()), len(set(keys) - set(known))
        message = f"{twice} repeated and {unknown} unknown keys {odd}"
        raise _Bad(message, "ids", "Take the keys from the test file, as they are spelled there.")
    return frame.set_index(keys).loc[known].reset_index(drop=True)


def _numbers(problem: Problem, block: pd.DataFrame) -> Any:
    values = block.apply(pd.to_numeric, errors="coerce").to_numpy(dtype=float)
    empty = int((block == "").any(axis=1).sum())
    if empty:
        msg = f"{empty} rows have missing values"
        raise _Bad(msg, "gaps", "Predict every row.")
    bad = int((~np.isfinite(values)).any(axis=1).sum())
    if bad:
        msg = f"{bad} rows hold something else than finite numbers"
        raise _Bad(msg, "values")
    if problem.kind != "regression" and (values.min() < 0 or values.max() > 1):
        message = f"probabilities from {values.min():.3g} to {values.max():.3g}"
        raise _Bad(message, "values", "Keep probabilities within 0 and 1.")
    if problem.submission == "wide" and (values.sum(axis=1) <= 0).any():
        msg = "a row has only zero probabilities"
        raise _Bad(msg, "values")
    if problem.metric == "rmsle" and values.min() < 0:
        message = f"{int((values < 0).any(axis=1).sum())} negative values, not allowed under rmsle"
        raise _Bad(message, "values", "Clip predictions at zero.")
    return values


def _labels(problem: Problem, block: pd.DataFrame) -> Any:
    cells = block.iloc[:, 0]
    empty = int((cells.str.strip() == "").sum())
    if empty:
        msg = f"{empty} rows have no label"
        raise _Bad(msg, "gaps", "Predict every row.")
    place = {as_label(label): at for at, label in enumerate(problem.labels)}
    found = cells.map(lambda value: place.get(as_label(value), -1)).to_numpy()
    if (found < 0).any():
        odd = sorted(set(cells[found < 0]))[:3]
        message = f"{int((found < 0).sum())} unknown labels, for instance {odd}"
        raise _Bad(message, "labels", "Write labels as the training file spells them.")
    return found


def _not_the_sample(problem: Problem, block: pd.DataFrame, wanted: Expected) -> None:
    if wanted.sample is None or not wanted.sample.is_file():
        return
    sample = _sample(wanted.sample, wanted.sample.stat().st_mtime_ns)
    names = list(problem.answer_columns)
    if any(name not in sample.columns for name in names) or len(sample) != len(block):
        return
    if len(block) > 1 and _says_the_same(sample[names], block):
        message = "every value is that of the sample submission"
        raise _Bad(message, "is_sample", "Predict; do not copy the sample.")


@lru_cache(maxsize=4)
def _sample(path: Path, changed: int) -> pd.DataFrame:
    """Read once: every script is held against it."""
    del changed
    return pd.read_csv(path, dtype=object, keep_default_na=False)


def _says_the_same(one: pd.DataFrame, other: pd.DataFrame) -> bool:
    """Cell by cell until they differ, which is nearly always in the first row."""
    pairs = zip(one.to_numpy().ravel(), other.to_numpy().ravel(), strict=True)
    return all(_plain(left) == _plain(right) for left, right in pairs)


def _plain(cell: str) -> float | str:
    try:
        return float(cell)
    except ValueError:
        return as_label(cell)


def _doubts(problem: Problem, values: Any, given: Predictions | None) -> list[Finding]:
    found: list[Finding] = []

    def doubt(code: str, message: str) -> None:
        found.append(
            Finding(
                code=f"mle.submission.{code}",
                message=message,
                where=SUBMISSION_FILE,
                severity="warning",
            )
        )

    rows = values.reshape(len(values), -1)
    if len(rows) > 1 and (rows == rows[0]).all():
        doubt("constant", "every row says the same")
    if given is None:
        return found
    share = _agreement(problem, values, given)
    if share < SAME:
        doubt("differs", f"only {share:.0%} of the rows say what the predictions for test rows say")
    apart = _distance(problem, given)
    if apart > APART:
        doubt("distribution", f"predictions for test rows are {apart:.0%} apart from those for own")
    return found


def _agreement(problem: Problem, values: Any, given: Predictions) -> float:
    """Rounding and clipping are fine; another answer is not."""
    if _is_labels(problem):
        decided = given.test_decisions
        return float(np.mean(values == (given.test.argmax(axis=1) if decided is None else decided)))
    wanted = given.test[:, 1:] if problem.submission == "probability" else given.test
    scale = 1.0 if problem.kind != "regression" else float(np.std(wanted)) or 1.0
    return float(np.mean(np.abs(values.reshape(wanted.shape) - wanted).max(axis=1) < 0.05 * scale))


def _distance(problem: Problem, given: Predictions) -> float:
    if problem.kind != "regression":
        own, test = given.predictions.mean(axis=0), given.test.mean(axis=0)
        return float(np.abs(own - test).sum() / 2)
    own, test = np.sort(given.predictions[:, 0]), np.sort(given.test[:, 0])
    points = np.concatenate([own, test])
    below = np.searchsorted(own, points, "right") / len(own)
    return float(np.abs(below - np.searchsorted(test, points, "right") / len(test)).max())


def _few(names: list[str]) -> str:
    return ", ".join(names[:8]) + (", …" if len(names) > 8 else "")
