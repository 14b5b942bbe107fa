"""Whether names of rows say something about the target that carries over to the test: a licence
number by its prefix, an order number by its size."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proveout.apps.mle.intake.ordering import LEAST_TEST_ROWS
from proveout.apps.mle.tables.columns import as_dates, is_number
from proveout.apps.mle.tables.key_parts import MOST_PREFIXES, key_numbers, key_prefixes
from proveout.apps.mle.tables.keys import key_text

Numbers = NDArray[np.float64]
Whole = NDArray[np.int64]

FEWEST_ROWS, MOST_ROWS = 100, 5_000
STRANGERS = 0.01
"""Share of test rows whose prefix training does not have that is tolerated."""
AMONG = 0.8
"""Of the changes between training and test, in the order of the numbers, that chance would make."""
CELL_ROWS, MOST_CELLS = 20, 50
"""Neighbours by number that are judged together."""
PARTS = 5
CAUTION = 10.0
"""Rows' worth of the mean of all that each cell's mean is mixed with."""
NOTHING = 1e-9
"""What rounding leaves where all rows are in one cell."""
BEYOND_CHANCE = 4.0
"""Standard errors by which the parts must beat the same answer for every row."""


def key_tells(train: pd.DataFrame, test: pd.DataFrame, key: str, targets: tuple[str, ...]) -> bool:
    """Whether test keys lie among those of training, and their parts predict the target there."""
    if key not in train.columns or key not in test.columns or as_dates(train[key]) is not None:
        return False
    before, after = key_text(train[key]), key_text(test[key])
    if len(before) < FEWEST_ROWS or len(after) < LEAST_TEST_ROWS:
        return False
    if before.isin(after).any():
        # Both files count their own rows: a number means something else in each.
        return False
    prefixes = key_prefixes(pd.concat([before, after], ignore_index=True))
    kinds = np.zeros(len(prefixes), dtype=np.int64)
    if prefixes.nunique() <= MOST_PREFIXES:
        kinds += pd.factorize(prefixes)[0]
    first = len(before)
    if not np.isin(kinds[first:], kinds[:first]).mean() >= 1 - STRANGERS:
        return False
    some = np.random.default_rng(0).permutation(first)[:MOST_ROWS]
    answers = _answers(train[list(targets)].iloc[some])
    numbers = key_numbers(pd.concat([before, after], ignore_index=True)).to_numpy()
    if not _among(kinds, numbers, first):
        return False
    return any(
        _standard_errors(cells, answers) > BEYOND_CHANCE
        for cells in _cells(kinds[some], numbers[some])
    )


def _answers(targets: pd.DataFrame) -> Numbers:
    """A column for each class, or places in the order of numbers: no single one weighs much."""
    columns: list[Numbers] = []
    for name in targets:
        values = targets[name]
        if is_number(values) and values.nunique() > 2:
            columns.append(values.rank(pct=True).to_numpy(dtype=float))
        else:
            common = values.astype(str).value_counts().index[:MOST_CELLS]
            columns += [(values.astype(str) == it).to_numpy(dtype=float) for it in common]
    return np.column_stack(columns)


def _among(kinds: Whole, numbers: Numbers, first: int) -> bool:
    """Whether training and test rows alternate, in the order of their numbers, as by chance."""
    # Of equal numbers either may come first.
    luck = np.random.default_rng(1).random(len(kinds))
    order = np.lexsort((luck, *np.nan_to_num(numbers, nan=-1.0).T[::-1], kinds))
    later = order >= first
    share = float(later.mean())
    changes = float(np.mean(later[1:] != later[:-1]))
    return changes >= AMONG * 2 * share * (1 - share)


def _cells(kinds: Whole, numbers: Numbers) -> Iterator[Whole]:
    """Rows with the same prefix; those with about the same number, too, the first or the second."""
    size = max(CELL_ROWS, len(kinds) // MOST_CELLS)
    yield kinds
    for column in numbers.T[~np.isnan(numbers).all(axis=0)]:
        places = pd.Series(column).groupby(kinds).rank(method="average").fillna(0).to_numpy()
        yield kinds * len(kinds) + (places // size).astype(np.int64)


def _standard_errors(cells: Whole, answers: Numbers) -> float:
    """How clearly the mean of a row's cell is nearer to its answer than the mean of all rows, both
    learned on other rows."""
    part = np.arange(len(cells)) % PARTS
    gains = np.zeros(len(cells))
    for number in range(PARTS):
        known, asked = part != number, part == number
        usual = answers[known].mean(axis=0)
        sums = pd.DataFrame(answers[known] - usual).groupby(cells[known])
        shifts = sums.sum().div(sums.size() + CAUTION, axis=0).reindex(cells[asked]).fillna(0)
        away = answers[asked] - usual
        gains[asked] = (away**2 - (away - shifts.to_numpy()) ** 2).sum(axis=1)
    spread = float(gains.std())
    return float(gains.mean()) / spread * float(np.sqrt(len(gains))) if spread > NOTHING else 0.0
