"""How test rows were taken: later in time, or from other groups than training rows."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proveout.apps.mle.tables.columns import as_dates, is_calendar_name, is_number, name_words
from proveout.apps.mle.tables.keys import cut, moments

LEAST_TEST_ROWS = 20
LATER = 0.01
"""Share of rows on the wrong side of the border that is tolerated, of training and of test each."""
UNLIKELY = -14.0
"""Natural logarithm of the chance (about one in a million) below which a split is no accident."""
STRADDLING = 0.02
"""Share of groups on both sides that is tolerated."""
MARKS = ("_", "-", "/", ":", ".", "|", " ")
FEWEST_GROUPS = 3
MOST_GROUPS = 0.95
"""Groups per row; with more, nearly every row is a group of its own."""
_CLOCK = ("year", "quarter", "month", "week", "day", "hour", "minute")
_SHORT = {
    "yr": "year",
    "mnth": "month",
    "mon": "month",
    "dom": "day",
    "hr": "hour",
    "min": "minute",
}
_DURATIONS = {"since", "last", "ago", "age", "per", "in", "avg", "mean", "total", "count"}
"""In a name, these make of a time a span or a statistic."""
_EPOCHS = ((3e8, 3e9), (3e11, 3e12))
"""Seconds and milliseconds since 1970, from 1979 to 2065."""
_RANGES = {
    "year": (1900, 2100),
    "quarter": (1, 4),
    "month": (1, 12),
    "week": (0, 53),
    "day": (1, 31),
    "hour": (0, 24),
    "minute": (0, 59),
}


@dataclass(frozen=True)
class Both:
    """Training and test rows of the feature columns."""

    train: pd.DataFrame
    test: pd.DataFrame

    def thinned(self, column: str, mark: str) -> "Both":
        """One row per group, on either side."""
        return Both(
            *(it[~cut(it[column], mark).duplicated()].reset_index(drop=True) for it in self._sides)
        )

    @property
    def _sides(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        return self.train, self.test

    @property
    def shared(self) -> list[str]:
        return [str(name) for name in self.train.columns if name in self.test.columns]


def time_in(both: Both, names: list[str]) -> str:
    """Which of these columns make test rows later; empty if none does."""
    if len(both.test) < LEAST_TEST_ROWS:
        return ""
    dates = [name for name in names if as_dates(both.train[name]) is not None]
    clock = _clock_columns(both, names)
    ordered: list[tuple[str, ...]] = [(name,) for name in dates if _is_later(both, (name,))]
    if clock and _is_later(both, clock):
        ordered.append(clock)
    if not ordered:
        counts = [name for name in names if name not in dates and _counts_up(both, name)]
        ordered = [(name,) for name in counts if _is_later(both, (name,))]
    if not ordered:
        return ""
    # The finest one: most different moments in training.
    best = max(ordered, key=lambda it: len(np.unique(moments(both.train, it))))
    return "+".join(best)


def _is_later(both: Both, names: tuple[str, ...]) -> bool:
    before, after = moments(both.train, names), moments(both.test, names)
    before, after = before[np.isfinite(before)], after[np.isfinite(after)]
    if len(after) < LEAST_TEST_ROWS or len(np.unique(before)) < FEWEST_GROUPS:
        return False
    if len(before) < 0.9 * len(both.train) or len(after) < 0.9 * len(both.test):
        return False
    border = float(np.quantile(before, 1 - LATER))
    return bool(np.mean(after < border) <= LATER and np.median(after) > border)


def _clock_columns(both: Both, names: list[str]) -> tuple[str, ...]:
    """Whole-number columns for year, month, day, …, one per unit, from the longest unit on."""
    found: dict[str, str] = {}
    for name in names:
        words = [_SHORT.get(word, word) for word in name_words(name)]
        unit = next((unit for unit in _CLOCK if unit in words), "")
        plain = unit and not _DURATIONS & set(words)
        if plain and unit not in found and _fits(both, name, *_RANGES[unit]):
            found[unit] = name
    if "year" not in found:
        spans = [
            name for name in names if name not in found.values() and _fits(both, name, 1900, 2100)
        ]
        if len(spans) == 1 and found:
            found["year"] = spans[0]
    if "month" in found:
        found.pop("quarter", None)
        found.pop("week", None)
    # Only whole chains: a day without its month orders nothing.
    if not {"year", "month"} & set(found):
        return ()
    return tuple(found[unit] for unit in _CLOCK if unit in found)


def _fits(both: Both, name: str, low: int, high: int) -> bool:
    return all(
        is_number(values)
        and values.notna().all()
        and bool(values.between(low, high).all())
        and bool((values % 1 == 0).all())
        for values in (both.train[name], both.test[name])
    )


def _counts_up(both: Both, name: str) -> bool:
    """A number that is called like a time, or that looks like seconds since 1970."""
    values = both.train[name]
    if not is_number(values):
        return False
    words = {_SHORT.get(word, word) for word in name_words(name)}
    if is_calendar_name(name) or words & {*_CLOCK, "period", "step", "t", "seq", "epoch"}:
        return not words & _DURATIONS
    whole = bool((values.dropna() % 1 == 0).all())
    return whole and any(bool(values.dropna().between(*span).all()) for span in _EPOCHS)


def groups_in(both: Both, key: str, usable: set[str]) -> str:
    """A column (or the beginning of the key) whose values are never on both sides."""
    found: list[tuple[int, str]] = []
    for name in both.shared:
        if name not in usable or is_measured(both.train[name]):
            continue
        marks = ("",) if name != key else MARKS
        for mark in marks:
            if mark and not _has_mark(both.train[name], mark):
                continue
            count = _disjoint_groups(cut(both.train[name], mark), cut(both.test[name], mark))
            if count:
                found.append((count, f"{name}|{mark}" if mark else name))
                break
    # The coarsest keeps the finer ones together, too.
    return min(found)[1] if found else ""


def is_measured(values: pd.Series) -> bool:
    """Fractions are measurements, not names of groups."""
    return is_number(values) and not bool((values.dropna() % 1 == 0).all())


def _has_mark(values: pd.Series, mark: str) -> bool:
    if is_number(values):
        return False
    return bool(values.dropna().astype(str).str.contains(mark, regex=False).mean() > 0.99)


def _disjoint_groups(train: pd.Series, test: pd.Series) -> int:
    """How many groups training has, if that none is on both sides cannot be an accident."""
    before, after = train.value_counts(), test.value_counts()
    if not FEWEST_GROUPS <= len(before) <= MOST_GROUPS * len(train):
        return 0
    total = before.add(after, fill_value=0)
    several = total[total > 1]
    if len(several) == 0:
        return 0
    shared = several.index.isin(before.index) & several.index.isin(after.index)
    if shared.mean() > STRADDLING:
        return 0
    return len(before) if _log_chance(several.to_numpy(), train, test) < UNLIKELY else 0


def _log_chance(sizes: NDArray[Any], train: pd.Series, test: pd.Series) -> float:
    """That rows dealt out by chance leave every group whole (natural logarithm)."""
    here = len(train) / (len(train) + len(test))
    whole = np.exp(sizes * np.log(here)) + np.exp(sizes * np.log1p(-here))
    return float(np.log(np.maximum(whole, 1e-300)).sum())
