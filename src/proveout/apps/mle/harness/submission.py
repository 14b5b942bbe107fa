"""Whether a submission can be handed in: its form, and whether it says what the script found."""

import csv
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

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
Cells = list[str]
"""Of a row, or of a column, as they are written."""


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
        columns = _aligned(problem, _read(out / SUBMISSION_FILE, problem, wanted), wanted)
        block = [columns[name] for name in problem.answer_columns]
        values = _labels(problem, block[0]) if _is_labels(problem) else _numbers(problem, block)
        _not_the_sample(problem, block, wanted)
    except _Bad as bad:
        return (bad.finding,)
    return tuple(_doubts(problem, values, given))


def _read(path: Path, problem: Problem, wanted: Expected) -> list[Cells]:
    """The header, and all rows that have as many cells. Every script comes past here: a table with
    types would be thrown away after one look."""
    if not os.path.lexists(path):
        message = f"there is no {SUBMISSION_FILE}"
        raise _Bad(message, "missing", "Write the submission where the protocol says.")
    width = max(1, len(problem.submission_columns))
    most = CELL_BYTES * width * (wanted.rows + 10)
    try:
        stream = os.fdopen(open_plain(path, most), encoding="utf-8-sig", newline="")
        with stream:
            rows = [row for row in csv.reader(stream, strict=True) if row]
        odd = next((at for at, row in enumerate(rows) if len(row) != len(rows[0])), None)
        if not rows or odd is not None:
            shape = f"row {odd} has {len(rows[odd])} cells" if odd is not None else "it is empty"
            raise ValueError(shape)  # noqa: TRY301
    except (OSError, ValueError, csv.Error) as error:
        message = f"{SUBMISSION_FILE} cannot be read: {str(error)[:200]}"
        raise _Bad(message, "unreadable", "Write it with DataFrame.to_csv(index=False).") from None
    return rows


def _is_labels(problem: Problem) -> bool:
    return problem.kind != "regression" and problem.submission == "value"


def _aligned(problem: Problem, table: list[Cells], wanted: Expected) -> dict[str, Cells]:
    """Columns, in the order of the test file."""
    names = list(problem.submission_columns)
    header, rows = table[0], table[1:]
    if header != names:
        message = f"columns {_few(header)}; wanted are {_few(names)}"
        raise _Bad(message, "columns", "Write exactly the columns of the sample, in its order.")
    if len(rows) != wanted.rows:
        message = f"{len(rows)} rows; the test file has {wanted.rows}"
        raise _Bad(message, "rows", "Write one row for every row of the test file.")
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    for name, cells in wanted.copied.items():
        if [cell.strip() for cell in columns[name]] != list(cells):
            message = f"column {name!r} is not that of the test file"
            raise _Bad(message, "ids", "Take it over as it is spelled there, row by row.")
    if not wanted.ids:
        return columns
    keys = [key.strip() for key in columns[problem.id_column]]
    if keys == list(wanted.ids):
        # Row by row the same: then it does no harm that copies of a row share their key.
        return columns
    places = {key: at for at, key in enumerate(keys)}
    strange = set(keys) - set(wanted.ids)
    if len(places) < len(keys) or strange or len(places) < len(set(wanted.ids)):
        twice = len(keys) - len(places)
        message = f"{twice} repeated and {len(strange)} unknown keys {sorted(strange)[:3]}"
        raise _Bad(message, "ids", "Take the keys from the test file, as they are spelled there.")
    order = [places[key] for key in wanted.ids]
    return {name: [cells[at] for at in order] for name, cells in columns.items()}


def _numbers(problem: Problem, block: list[Cells]) -> Any:
    values = np.column_stack([_parsed(cells) for cells in block])
    empty = sum("" in row for row in zip(*block, strict=True))
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


def _parsed(cells: Cells) -> NDArray[np.float64]:
    """Numbers; what is none is not finite."""
    try:
        if not any("_" in cell for cell in cells):
            return np.array(cells, dtype=np.float64)
    except ValueError:
        pass
    return np.array([_number(cell) for cell in cells])


def _number(cell: str) -> float:
    # Python's own numbers may have underscores in them, those of a table may not.
    plain = _plain(cell) if "_" not in cell else cell
    return plain if isinstance(plain, float) else float("nan")


def _labels(problem: Problem, block: Cells) -> Any:
    empty = sum(not cell.strip() for cell in block)
    if empty:
        msg = f"{empty} rows have no label"
        raise _Bad(msg, "gaps", "Predict every row.")
    known = {as_label(label): at for at, label in enumerate(problem.labels)}
    places = {cell: known.get(as_label(cell), -1) for cell in set(block)}
    found = np.array([places[cell] for cell in block])
    if (found < 0).any():
        odd = sorted(cell for cell, at in places.items() if at < 0)[:3]
        message = f"{int((found < 0).sum())} unknown labels, for instance {odd}"
        raise _Bad(message, "labels", "Write labels as the training file spells them.")
    return found


def _not_the_sample(problem: Problem, block: list[Cells], wanted: Expected) -> None:
    if wanted.sample is None or not wanted.sample.is_file():
        return
    sample = _sample(wanted.sample, wanted.sample.stat().st_mtime_ns)
    names, rows = list(problem.answer_columns), len(block[0])
    if any(name not in sample.columns for name in names) or len(sample) != rows:
        return
    if rows > 1 and _says_the_same([sample[name].tolist() for name in names], block):
        message = "every value is that of the sample submission"
        raise _Bad(message, "is_sample", "Predict; do not copy the sample.")


@lru_cache(maxsize=4)
def _sample(path: Path, changed: int) -> pd.DataFrame:
    """Read once: every script is held against it."""
    del changed
    return pd.read_csv(path, dtype=object, keep_default_na=False)


def _says_the_same(sample: list[Cells], block: list[Cells]) -> bool:
    """Cell by cell until they differ, which is nearly always in the first row."""
    pairs = chain.from_iterable(map(zip, sample, block))
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
