"""Whether one column alone gives the target away: learned on every other row, tried on the rest."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proveout.apps.mle.tables.columns import as_dates, is_number

MOST_ROWS = 20_000
TOO_GOOD = 0.98
"""Share of the target's variance (or of the error of always guessing the commonest class) that one
column explains on rows it has not seen."""
BINS = 64


@dataclass(frozen=True)
class Known:
    """The target in some rows, made ready once for many columns."""

    step: int
    answers: NDArray[Any]
    """Class numbers, or numbers."""
    classes: bool

    @classmethod
    def of(cls, target: pd.Series, *, classes: bool) -> "Known":
        step = max(1, len(target) // MOST_ROWS)
        some = target.iloc[::step]
        if classes:
            return cls(step, pd.factorize(some.astype(str))[0], classes=True)
        numbers = pd.to_numeric(some, errors="coerce").to_numpy(dtype=float)
        return cls(step, numbers, classes=False)


def gives_away(values: pd.Series, known: Known) -> float:
    """Share that is explained, at most 1; below zero counts as nothing."""
    # Values near the end of what a number can hold overflow; they explain nothing then.
    with np.errstate(all="ignore"):
        share = _explained(values.iloc[:: known.step], known)
    return share if np.isfinite(share) else 0.0


def _explained(values: pd.Series, known: Known) -> float:
    cells = _cells(values)
    if known.classes:
        return _classes_explained(cells, known.answers)
    numbers = known.answers
    whole = np.isfinite(numbers)
    explained = _variance_explained(cells[whole], numbers[whole])
    if is_number(values) or as_dates(values) is not None:
        explained = max(explained, _straight_line(values, numbers))
    return explained


def _cells(values: pd.Series) -> NDArray[np.int64]:
    codes, different = pd.factorize(values, use_na_sentinel=False)
    if not is_number(values) or len(different) <= BINS:
        return np.asarray(codes, dtype=np.int64)
    numbers = values.to_numpy(dtype=float)
    gaps = np.isnan(numbers)
    cuts = np.unique(np.quantile(numbers[~gaps], np.linspace(0, 1, BINS + 1)))
    return np.where(gaps, -1, np.searchsorted(cuts, numbers)).astype(np.int64)


def _variance_explained(cells: NDArray[np.int64], numbers: NDArray[np.float64]) -> float:
    if len(numbers) < 20:
        return 0.0
    learned = pd.Series(numbers[::2]).groupby(cells[::2]).mean()
    guess = pd.Series(cells[1::2]).map(learned).fillna(float(numbers[::2].mean())).to_numpy()
    spread = float(np.var(numbers[1::2]))
    return 1.0 - float(np.mean((numbers[1::2] - guess) ** 2)) / spread if spread > 0 else 0.0


def _straight_line(values: pd.Series, numbers: NDArray[np.float64]) -> float:
    if not is_number(values):
        return 0.0
    plain = values.to_numpy(dtype=float)
    whole = np.isfinite(plain) & np.isfinite(numbers)
    if whole.mean() < 0.9 or np.std(plain[whole]) == 0 or np.std(numbers[whole]) == 0:
        return 0.0
    return float(np.corrcoef(plain[whole], numbers[whole])[0, 1] ** 2)


def _classes_explained(cells: NDArray[np.int64], classes: NDArray[np.int64]) -> float:
    if len(classes) < 20:
        return 0.0
    common = int(np.bincount(classes).argmax())
    seen, learned = _commonest(cells[::2], classes[::2])
    place = np.minimum(np.searchsorted(seen, cells[1::2]), len(seen) - 1)
    guess = np.where(seen[place] == cells[1::2], learned[place], common)
    wrong, blind = np.mean(guess != classes[1::2]), np.mean(common != classes[1::2])
    return float(1.0 - wrong / blind) if blind > 0 else 0.0


def _commonest(
    cells: NDArray[np.int64], classes: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Cells in order, and the commonest class of each; of equals the first."""
    width = int(classes.max(initial=0)) + 1
    pairs, counts = np.unique(cells * width + classes, return_counts=True)
    best = np.lexsort((pairs, -counts, pairs // width))
    cell, first = np.unique((pairs // width)[best], return_index=True)
    return cell, (pairs % width)[best[first]]
