"""How test rows were taken: later in time, or from other groups than training rows."""

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proveout.apps.mle.tables.columns import (
    as_dates,
    is_calendar_name,
    is_number,
    is_whole,
    lies_within,
    name_words,
)
from proveout.apps.mle.tables.keys import cut, joint, moments

Ints = NDArray[np.int64]

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
MOST_PARTS, MOST_PAIRED, WIDE = 0.5, 16, 2**32
"""Of names in two columns: values per row, columns that are looked at, room for numbers."""
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

    def thinned(self, columns: tuple[str, ...], mark: str) -> "Both":
        """One row per group, on either side."""
        return Both(
            *(
                it[~joint(it, columns, mark).duplicated()].reset_index(drop=True)
                for it in self._sides
            )
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
        and lies_within(values, low, high)
        and not values.hasnans
        and is_whole(values)
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
    return any(lies_within(values, *span) for span in _EPOCHS) and is_whole(values)


def groups_in(both: Both, key: str, usable: set[str]) -> str:
    """A column (or the beginning of the key) whose values are never on both sides; else two that
    name something together, like a storm by name and year."""
    names = [it for it in both.shared if it in usable and not is_measured(both.train[it])]
    found: list[tuple[int, str]] = []
    for name in names:
        marks = ("",) if name != key else MARKS
        for mark in marks:
            if mark and not _has_mark(both.train[name], mark):
                continue
            count = _disjoint_groups(*_numbered(both.train[name], both.test[name], mark))
            if count:
                found.append((count, f"{name}|{mark}" if mark else name))
                break
    # The coarsest keeps the finer ones together, too.
    return min(found)[1] if found else _pair_in(both, [it for it in names if it != key])


def _pair_in(both: Both, names: list[str]) -> str:
    """Two columns, each of which repeats, and with it the pair; the coarsest such pair."""
    frames = {
        name: _numbered(both.train[name], both.test[name], "")
        for name in names
        if both.train[name].nunique() <= MOST_PARTS * len(both.train)
    }
    found: list[tuple[int, str]] = []
    for one, other in combinations(list(frames)[:MOST_PAIRED], 2):
        sides = [
            first * WIDE + second for first, second in zip(frames[one], frames[other], strict=True)
        ]
        codes = np.unique(np.concatenate(sides), return_inverse=True)[1]
        train, test = codes[: len(sides[0])], codes[len(sides[0]) :]
        count = _disjoint_groups(train, test)
        if count and count <= MOST_PARTS * len(train):
            found.append((count, f"{one}+{other}"))
    return min(found)[1] if found else ""


def is_measured(values: pd.Series) -> bool:
    """Fractions are measurements, not names of groups."""
    return is_number(values) and not is_whole(values)


def _has_mark(values: pd.Series, mark: str) -> bool:
    if is_number(values):
        return False
    return bool(values.dropna().astype(str).str.contains(mark, regex=False).mean() > 0.99)


def _numbered(train: pd.Series, test: pd.Series, mark: str) -> tuple[Ints, Ints]:
    """A number for each row's group, the same in both tables; see `cut`."""
    if mark or not (is_number(train) and is_number(test)):
        train, test = cut(train, mark), cut(test, mark)
    codes, groups = pd.factorize(np.concatenate([train.to_numpy(), test.to_numpy()]))
    place = np.concatenate([np.arange(len(train)), np.arange(len(test))])
    numbers = np.where(codes < 0, len(groups) + place, codes)
    return numbers[: len(train)], numbers[len(train) :]


def _disjoint_groups(train: Ints, test: Ints) -> int:
    """How many groups training has, if that none is on both sides cannot be an accident."""
    size = int(max(train.max(initial=0), test.max(initial=0))) + 1
    before, after = np.bincount(train, minlength=size), np.bincount(test, minlength=size)
    count = int((before > 0).sum())
    if not FEWEST_GROUPS <= count <= MOST_GROUPS * len(train):
        return 0
    total = before + after
    several = total > 1
    if not several.any():
        return 0
    shared = (before > 0) & (after > 0)
    if shared[several].mean() > STRADDLING:
        return 0
    return count if _log_chance(total[several], train, test) < UNLIKELY else 0


def _log_chance(sizes: NDArray[Any], train: Ints, test: Ints) -> float:
    """That rows dealt out by chance leave every group whole (natural logarithm)."""
    here = len(train) / (len(train) + len(test))
    whole = np.exp(sizes * np.log(here)) + np.exp(sizes * np.log1p(-here))
    return float(np.log(np.maximum(whole, 1e-300)).sum())
