"""Columns that mislead: constant, filled in after the outcome, drifting, or too good to be true.

Everything is told from training and test rows alone. Thresholds are chances and shares, stated
below; no name of a column counts.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proveout.apps.mle.intake.ordering import Both
from proveout.apps.mle.problem import Column, Dropped
from proveout.apps.mle.tables.columns import is_number, is_whole
from proveout.apps.mle.tables.keys import key_text, moments

IMPOSSIBLE = -18.0
"""Natural logarithm of the chance below which equal ways of filling in a column are ruled out."""
UNLIKELY = -7.0
"""The same in company: where two columns have surely collapsed, less is enough for a third."""
COMPANY = 2
ONE_VALUE = 0.999
"""Share of the test rows that have the same value, in a column that has collapsed."""
GAP = 0.5
"""Difference of shares of missing values that means another way of filling in."""
TWINS = 0.99
"""Share of test rows where two columns are equal, when one of them is a copy at test time."""
NO_TWINS = 0.5
"""Share of training rows where they are equal, at most."""
RUNNING = 0.98
"""Share of different values in a running number."""
ELSEWHERE = 0.8
"""Total variation between training and test that says: other numbers."""
DRIFT = 0.35
"""Total variation between training and test, over tenths or frequent values, worth telling."""
BINS = 10
MOST_STRETCHES = 40


@dataclass(frozen=True)
class Stretches:
    """Consecutive parts of training as long as the test; one part if order does not count."""

    parts: tuple[NDArray[Any], ...] = field(default_factory=tuple)

    def of(self, values: pd.Series) -> list[pd.Series]:
        return [values.iloc[part] for part in self.parts] or [values]


def stretches(both: Both, names: tuple[str, ...]) -> Stretches:
    """Parts of training that are as long as the test, if time orders the rows."""
    if not names:
        return Stretches()
    when, later = moments(both.train, names), moments(both.test, names)
    length = float(np.nanmax(later) - np.nanmin(later)) or 1.0
    number = np.floor((np.nanmax(when) - when) / length)
    number = np.where(np.isfinite(number), number, -1)
    parts = [np.flatnonzero(number == at) for at in range(MOST_STRETCHES)]
    return Stretches(tuple(part for part in parts if len(part) >= 20))


def barred_columns(
    both: Both, columns: tuple[Column, ...], kept: set[str], stretches: Stretches
) -> tuple[Dropped, ...]:
    """Features that must not be used. `kept` order or group rows: they differ by design."""
    found = {
        it.name: Dropped(column=it.name, code="mle.data.constant", reason="one value only")
        for it in columns
        if it.kind == "constant"
    }
    open_names = [it.name for it in columns if it.name in both.test.columns]
    open_names = [name for name in open_names if name not in kept and name not in found]
    for bound in (IMPOSSIBLE, UNLIKELY):
        for name in open_names:
            reason = _collapsed(both.train[name], both.test[name], stretches, bound)
            if reason and name not in found:
                found[name] = Dropped(column=name, code=reason[0], reason=reason[1])
        if sum(it.code != "mle.data.constant" for it in found.values()) < COMPANY:
            break
    for name in open_names:
        if name not in found and _is_running_number(both.train[name], both.test[name]):
            why = "a running number, and test rows have other ones"
            found[name] = Dropped(column=name, code="mle.data.key_drift", reason=why)
    for name, why in _copies(both, [it.name for it in columns if it.name not in kept]).items():
        found.setdefault(name, Dropped(column=name, code="mle.data.copy_at_test", reason=why))
    return tuple(found.values())


def _is_running_number(train: pd.Series, test: pd.Series) -> bool:
    """Whole, nearly all different, nearly without gaps, and test rows have other ones."""
    if not (is_number(train) and is_number(test)) or train.hasnans or test.hasnans:
        return False
    both = np.concatenate([train.to_numpy(), test.to_numpy()])
    spread = float(both.max() - both.min()) if len(both) else np.nan
    # So many whole numbers need so much room: most columns are done with here.
    if not RUNNING * len(both) - 1 <= spread <= 2 * len(both):
        return False
    whole = is_whole(train) and is_whole(test) and len(pd.unique(both)) >= RUNNING * len(both)
    return whole and distance(train, test) >= ELSEWHERE


def _collapsed(
    train: pd.Series, test: pd.Series, stretches: Stretches, bound: float
) -> tuple[str, str] | None:
    if all(_other_gaps(part, test) for part in stretches.of(train)):
        reason = (
            f"missing in {train.isna().mean():.0%} of training, {test.isna().mean():.0%} of test"
        )
        return "mle.data.filled_differently", reason
    if _is_varied(test):
        return None
    counts = test.value_counts(dropna=False)
    if len(counts) == 0 or counts.iloc[0] < ONE_VALUE * len(test):
        return None
    only = counts.index[0]
    for part in stretches.of(train):
        other = _smoothed(~_equal(part, only))
        # The chance that test rows, filled in like these, show no more other values than they do.
        seen = len(test) - int(counts.iloc[0])
        if _log_at_most(seen, len(test), other) > bound:
            return None
    share = 1.0 - float(_equal(train, only).mean())
    shown = "missing" if pd.isna(only) else f"{only!s:.40}"
    reason = f"always {shown} at test time, something else in {share:.1%} of training"
    return "mle.data.collapsed_at_test", reason


def _is_varied(values: pd.Series) -> bool:
    """Numbers of which surely no single one is nearly everywhere: the middle one is not."""
    if not is_number(values) or not len(values):
        return False
    numbers = values.to_numpy()
    middle = np.partition(numbers, len(numbers) // 2)[len(numbers) // 2]
    # Gaps are sorted to the end: where one is in the middle, nothing is told.
    return bool(np.mean(numbers == middle) < ONE_VALUE) and not pd.isna(middle)


def _equal(values: pd.Series, only: Any) -> pd.Series:
    """Whether values are that one, which may have been read as another type."""
    if pd.isna(only):
        return values.isna()
    if is_number(values) and isinstance(only, int | float | np.number):
        return values == float(only)
    return key_text(values) == key_text(pd.Series([only], dtype="object")).iloc[0]


def _other_gaps(train: pd.Series, test: pd.Series) -> bool:
    """Far more, or far fewer, values are missing than chance allows."""
    before, after = float(train.isna().mean()), float(test.isna().mean())
    if abs(after - before) < GAP:
        return False
    rare, usual = (test.notna(), train.notna()) if after > before else (test.isna(), train.isna())
    return _log_at_most(int(rare.sum()), len(test), _smoothed(usual)) < IMPOSSIBLE


def _smoothed(found: pd.Series) -> float:
    """A share that few rows cannot push to nothing or all."""
    return (float(found.sum()) + 0.5) / (len(found) + 1.0)


def _log_at_most(seen: int, rows: int, share: float) -> float:
    """Bound (Chernoff) on the logarithm of P(X <= seen), X binomial with this share."""
    if seen >= share * rows:
        return 0.0
    at = seen / rows
    gap = (at * np.log(at / share) if at > 0 else 0.0) + (1 - at) * np.log((1 - at) / (1 - share))
    return float(-rows * gap)


def _copies(both: Both, names: list[str]) -> dict[str, str]:
    """Of two columns that are equal at test time only, the one that drifted."""
    numbers = [name for name in names if name in both.test.columns and is_number(both.test[name])]
    numbers = [name for name in numbers if both.test[name].nunique() > 10]
    some = both.test[numbers].iloc[:: max(1, len(both.test) // 50)].to_numpy(dtype=float)
    found: dict[str, str] = {}
    for at, one in enumerate(numbers):
        alike = np.mean(some[:, at : at + 1] == some[:, at + 1 :], axis=0) > 0.9
        for other in (numbers[at + 1 + int(place)] for place in np.flatnonzero(alike)):
            equal = float((both.test[one] == both.test[other]).mean())
            before = float((both.train[one] == both.train[other]).mean())
            if equal >= TWINS and before <= NO_TWINS:
                shifts = {
                    name: distance(both.train[name], both.test[name]) for name in (one, other)
                }
                bad, good = (one, other) if shifts[one] >= shifts[other] else (other, one)
                found[bad] = (
                    f"equal to {good!r} in {equal:.0%} of test rows, {before:.0%} of training"
                )
    return found


def distance(train: pd.Series, test: pd.Series) -> float:
    """Total variation between training and test: 0 alike, 1 nothing in common."""
    if is_number(train) and is_number(test):
        numbers, later = (it.to_numpy(dtype=float, na_value=np.nan) for it in (train, test))
        known, then = np.isfinite(numbers), np.isfinite(later)
        if not known.any():
            return float(then.mean())
        cuts = np.unique(np.quantile(numbers[known], np.linspace(0, 1, BINS + 1)[1:-1]))
        before = _shares(np.searchsorted(cuts, numbers), ~known, len(cuts) + 1)
        after = _shares(np.searchsorted(cuts, later), ~then, len(cuts) + 1)
        return float(np.abs(before - after).sum() / 2)
    here, there = key_text(train), key_text(test)
    frequent = here.value_counts().index[:30]
    place = {value: at for at, value in enumerate(frequent)}
    before = _shares(here.map(place).fillna(len(place)), train.isna().to_numpy(), len(place) + 1)
    after = _shares(there.map(place).fillna(len(place)), test.isna().to_numpy(), len(place) + 1)
    return float(np.abs(before - after).sum() / 2)


def _shares(place: Any, missing: NDArray[np.bool_], count: int) -> NDArray[np.float64]:
    where = np.where(missing, count, np.asarray(place, dtype=np.int64))
    return np.bincount(where, minlength=count + 1) / max(1, len(where))


def drifting(both: Both, columns: tuple[Column, ...], kept: set[str]) -> list[tuple[str, float]]:
    """Columns whose values moved, the most moved first. A warning: they may still be needed."""
    # By chance alone two samples differ by about this much.
    noise = 2.0 * np.sqrt(BINS / max(1, min(len(both.train), len(both.test))))
    found = [
        (it.name, distance(both.train[it.name], both.test[it.name]))
        for it in columns
        if it.name in both.test.columns
        and it.name in both.train.columns
        and it.name not in kept
        and it.kind in ("number", "category", "boolean")
    ]
    return sorted([it for it in found if it[1] > DRIFT + noise], key=lambda it: -it[1])
