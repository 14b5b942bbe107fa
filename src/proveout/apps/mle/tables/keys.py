"""What `Problem.groups` and `Problem.time` say, and the keys that rows get from it.

`groups` is a column, or `COLUMN|MARK`: the part of its values before the last MARK (`0001_02` and
`0001_07` are one group under `PassengerId|_`), or columns that name a group together: `name+year`.
`time` is a column, or whole-number columns joined
by `+`, the longest unit first: `year+month+day`. A column that is really called so comes first.
The key of a further table is a column, or columns joined by `+`.
"""

import re
from collections.abc import Sequence
from itertools import permutations
from math import lgamma
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proveout.apps.mle.problem import Problem
from proveout.apps.mle.tables.columns import as_dates, is_number

_SECONDS_PER_DAY = 86_400.0
DAYS_PER_YEAR = 365.25
YEARS = (1900, 2100)
"""Numbers that may be years."""


def group_columns(problem: Problem) -> tuple[tuple[str, ...], str]:
    """The columns that groups come from together, and the mark that cuts the values of a single one
    (empty: not cut)."""
    named = problem.groups
    if not named or named in {column.name for column in problem.columns}:
        return ((named,) if named else ()), ""
    if "|" in named:
        column, _, mark = named.rpartition("|")
        return (column,), mark
    return tuple(named.split("+")) if named != problem.id_column else (named,), ""


def time_columns(problem: Problem) -> tuple[str, ...]:
    """The columns that order rows together, the longest unit first."""
    if not problem.time:
        return ()
    if problem.time in {column.name for column in problem.columns}:
        return (problem.time,)
    return tuple(problem.time.split("+"))


def key_text(values: pd.Series) -> pd.Series:
    """Keys in one spelling: a gap makes fractions of whole numbers, but 27.0 is the same as 27."""
    text = values.astype(str).astype("object")
    if not is_number(values):
        return text.str.replace(r"^(-?\d+)\.0+$", r"\1", regex=True)
    if not pd.api.types.is_float_dtype(values.dtype):
        return text
    # Beyond this, neighbouring whole numbers are one and the same fraction.
    whole = (values % 1 == 0) & (values.abs() < 2**53)
    text[whole] = values[whole].astype("int64").astype(str)
    return text


def cut(values: pd.Series, mark: str) -> pd.Series:
    """Values, or their part before the last mark. A missing value is a group of its own."""
    alone = pd.Series([f"\0{at}" for at in range(len(values))], index=values.index)
    if mark:
        named = values.astype(str).str.rsplit(mark, n=1).str[0].astype("object")
    else:
        named = key_text(values)
    return named.where(values.notna(), alone)


MARKS = ("_", "-", "/", ":", ".", "|", " ", "")


def composed(names: pd.Series, frame: pd.DataFrame) -> pd.Series | None:
    """Rows' names, if two columns with a mark between them make exactly these, in any order."""
    wanted = set(names.astype(str))
    if len(wanted) != len(frame) or len(frame) == 0:
        return None
    text = frame.astype(str)
    first = text.iloc[0]
    for one, other in permutations(text.columns, 2):
        for mark in MARKS:
            if f"{first[one]}{mark}{first[other]}" in wanted:
                made = text[one] + mark + text[other]
                if set(made) == wanted:
                    return made
    return None


def row_keys(frame: pd.DataFrame, key: str) -> pd.Series:
    """Values of a key, or of several columns that are one together: `station+day`."""
    if key in frame.columns:
        return key_text(frame[key])
    first, *rest = key.split("+")
    made = key_text(frame[first])
    for name in rest:
        made = made + "|" + key_text(frame[name])
    return made


def group_keys(problem: Problem, frame: pd.DataFrame) -> pd.Series | None:
    """One key per row; rows of one key belong together."""
    columns, mark = group_columns(problem)
    known = columns and all(name in frame.columns for name in columns)
    return joint(frame, columns, mark) if known else None


def joint(frame: pd.DataFrame, columns: Sequence[str], mark: str = "") -> pd.Series:
    """The group of each row; a row that lacks a part of its name is a group of its own."""
    first, *rest = (cut(frame[name], mark) for name in columns)
    for part in rest:
        first = first + "|" + part
    return first


NO_ACCIDENT = 7.0
"""Natural logarithm of the odds (about a thousand) against an order that means nothing."""


def later_groups(train: pd.Series, test: pd.Series) -> NDArray[np.float64] | None:
    """The place of each training row's group in the natural order of their numbered names, if all
    groups of the test come later and chance would hardly have it so."""
    before, after = (pd.Series(it.unique()) for it in (train, test))
    if len(before) == 0 or len(after) == 0 or pd.concat([before, after]).map(_shape).nunique() > 1:
        return None
    padded, later = before.map(_padded), after.map(_padded)
    if later.min() <= padded.max():
        return None
    # Of all ways to choose which groups the test has, one takes the last.
    sizes = len(before) + 1, len(after) + 1
    ways = lgamma(sum(sizes) - 1) - lgamma(sizes[0]) - lgamma(sizes[1])
    if ways < NO_ACCIDENT:
        return None
    places = dict(zip(before, padded.rank(method="dense"), strict=True))
    return np.asarray(train.map(places).to_numpy(dtype=float))


def _shape(name: str) -> str:
    return re.sub(r"\d+", "0", name)


def _padded(name: str) -> str:
    """So that the order of text is that of the numbers in it: `p9` comes before `p10`."""
    return re.sub(r"\d+", lambda found: found[0].zfill(20), name)


def time_keys(problem: Problem, frame: pd.DataFrame) -> NDArray[np.float64] | None:
    """One number per row, in days where the columns are dates; NaN where it is not known."""
    names = time_columns(problem)
    if not names or any(name not in frame.columns for name in names):
        return None
    return moments(frame, names)


def moments(frame: pd.DataFrame, names: tuple[str, ...]) -> NDArray[np.float64]:
    """Numbers that grow with time."""
    if len(names) == 1:
        return _moment(frame[names[0]])
    total = np.zeros(len(frame))
    for name in names:
        values = pd.to_numeric(frame[name], errors="coerce").to_numpy(dtype=float)
        # Each unit counts as its own range is wide: a month for twelve, an hour for twenty-four.
        total = total * unit_size(name, values) + values
    return total


def spanned_years(frame: pd.DataFrame, names: tuple[str, ...]) -> float:
    """From the first to the last row, if columns are dates or begin with a year; else nought."""
    if not names:
        return 0.0
    first, scale = frame[names[0]], 1.0
    if as_dates(first) is not None:
        names, scale = names[:1], DAYS_PER_YEAR
    elif not is_number(first) or not first.dropna().between(*YEARS).all():
        return 0.0
    else:
        for name in names[1:]:
            scale *= unit_size(name, frame[name].to_numpy(dtype=float))
    found = moments(frame, names)
    found = found[np.isfinite(found)]
    return round(float(np.ptp(found)) / scale, 2) if len(found) else 0.0


_UNITS = ((4, "quarter"), (12, "month"), (53, "week"), (31, "day"), (24, "hour"), (60, "minute"))


def unit_size(name: str, values: NDArray[Any]) -> float:
    low = name.lower()
    known = next((size for size, unit in _UNITS if unit in low), 0)
    most = float(np.nanmax(values, initial=0.0)) if len(values) else 0.0
    return float(max(known, most + 1 if known == 0 else known))


def _moment(values: pd.Series) -> NDArray[np.float64]:
    dates = as_dates(values)
    if dates is not None:
        plain = dates.dt.tz_convert(None) if dates.dt.tz is not None else dates
        since = (plain - pd.Timestamp("1970-01-01")).dt.total_seconds()
        return np.asarray(since.to_numpy(dtype=float) / _SECONDS_PER_DAY)
    if is_number(values):
        return np.asarray(values.to_numpy(dtype=float))
    return np.full(len(values), np.nan)
