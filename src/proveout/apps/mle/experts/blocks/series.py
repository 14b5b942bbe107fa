"""Rows in the order of time: levels to carry forward, days that come round again, lags."""

from dataclasses import dataclass
from functools import partial
from itertools import combinations, islice
from typing import Any

import numpy as np
import pandas as pd

from proveout.apps.mle.experts.blocks.part import Part, Restore
from proveout.apps.mle.experts.blocks.rows import parsed_dates, whole_names
from proveout.apps.mle.experts.blocks.settings import (
    CATEGORIES,
    CODES,
    DATES,
    LABELS,
    NUMBERS,
    SEED,
    TEXTS,
    TIMES,
)
from proveout.apps.mle.experts.blocks.views import inner_parts

YEAR = 365.25
UNITS = ((1900.0, 2100.0, YEAR), (3e8, 3e9, 1 / 86_400), (3e11, 3e12, 1 / 86_400_000))
"""Least and largest number, and days of one: years, seconds and milliseconds since 1970."""
DATE_UNITS = ("year", "month", "day", "hour", "minute")
DATE_RANGES = ((1900, 2100), (1, 12), (1, 31), (0, 23), (0, 59))
MOST_LAGS = 24
"""Lags that stand for a whole cycle; each takes as much memory as a column."""


def row_days(frame: pd.DataFrame, like: pd.DataFrame) -> np.ndarray:
    """When each row was, in days; of numbers without a known unit the usual step is a day."""
    if TIMES[0] in DATES:
        since = parsed_dates(frame[TIMES[0]]) - pd.Timestamp(2000, 1, 1)
        total = (since / pd.Timedelta(days=1)).to_numpy(dtype="float64")
    elif dated(like):
        parts = {unit: numeric(frame, name) for unit, name in zip(DATE_UNITS, TIMES, strict=False)}
        since = pd.to_datetime(pd.DataFrame(parts), errors="coerce") - pd.Timestamp(2000, 1, 1)
        total = (since / pd.Timedelta(days=1)).to_numpy(dtype="float64")
    else:
        total = counted(frame, like) * unit_days(like)
    return np.where(np.isnan(total), np.nanmedian(total), total)


def numeric(frame: pd.DataFrame, name: str) -> np.ndarray:
    return pd.to_numeric(frame[name], errors="coerce").to_numpy(dtype="float64")


def within(like: pd.DataFrame, name: str, least: float, largest: float) -> bool:
    values = numeric(like, name)
    return bool(np.nanmin(values) >= least and np.nanmax(values) <= largest)


def dated(like: pd.DataFrame) -> bool:
    """Whether the columns are a date in parts: year, month, day and perhaps the time."""
    ranges = zip(TIMES, DATE_RANGES, strict=False)
    return len(TIMES) >= 3 and all(within(like, name, *ends) for name, ends in ranges)


def counted(frame: pd.DataFrame, like: pd.DataFrame) -> np.ndarray:
    """Number columns as one number that grows with time, in units of the first of them."""
    total, size = np.zeros(len(frame)), 1.0
    for place, name in enumerate(TIMES):
        own, usual = numeric(frame, name), numeric(like, name)
        # What follows the first column is a part of its unit: the third of twelve months.
        least = np.nanmin(usual) if place else 0.0
        size *= np.nanmax(usual) - least + 1.0 if place else 1.0
        total += (own - least) / size
    return total


def unit_days(like: pd.DataFrame) -> float:
    """Days of one unit of the first column that tells the time."""
    for least, largest, days in UNITS:
        if within(like, TIMES[0], least, largest):
            return days
    steps = np.diff(np.unique(counted(like, like)))
    return 1.0 / float(np.nanmedian(steps)) if len(steps) else 1.0


def series_columns(frame: pd.DataFrame) -> list[str]:
    """Columns that tell several series apart: with them, a moment occurs once. Outcomes of the same
    person may be two; two values make no series."""
    fewest = 2 if LABELS else 3
    days = row_days(frame, frame)
    if pd.Series(days).duplicated().mean() < 0.1:
        return []
    whole = [
        name for name in NUMBERS if (pd.to_numeric(frame[name], errors="coerce") % 1 == 0).all()
    ]
    sizes = {name: frame[name].nunique() for name in [*CATEGORIES, *whole, *TEXTS]}
    names = [name for name in sizes if 1 < sizes[name] <= len(frame) / fewest]
    # Names before amounts, and few long series before many short ones.
    names.sort(key=lambda name: (name in whole and name not in CODES, sizes[name]))
    names = [name for name in names if name not in TIMES]
    tried = [[name] for name in names]
    tried += [list(pair) for pair in islice(combinations(names, 2), 60)]
    return next((columns for columns in tried if once_a_moment(frame[columns], days)), [])


def once_a_moment(names: pd.DataFrame, days: np.ndarray) -> bool:
    """Whether hardly any name occurs twice at a moment, and many would by chance."""
    number = names.groupby(list(names.columns), dropna=False).ngroup().to_numpy()
    twice = pd.DataFrame({"name": number, "day": days}).duplicated().mean()
    if twice >= 0.02:
        return False
    dealt = np.random.default_rng(SEED).permutation(number)
    by_chance = pd.DataFrame({"name": dealt, "day": days}).duplicated().mean()
    return bool(by_chance > 5 * max(twice, 0.004))


def row_times(frame: pd.DataFrame, like: pd.DataFrame) -> pd.DataFrame:
    """The day and the series of each row."""
    names = pd.Series("", index=frame.index)
    for place, column in enumerate(series_columns(like)):
        names = names + ("|" if place else "") + whole_names(frame[column])
    return pd.DataFrame({"day": row_days(frame, like), "series": names}, index=frame.index)


def level_window(days: np.ndarray) -> float:
    return float(min(365.0, (days.max() - days.min() + 1) / 3))


def few_moments(times: pd.DataFrame) -> bool:
    """Whether a level would be that of one or two moments."""
    return usual_step(times) > level_window(times["day"].to_numpy()) / 3


def trailing_level(y: np.ndarray, days: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Days in order, and the mean of the last year (or third of the time) up to each of them."""
    daily = pd.Series(y).groupby(days).mean()
    when, value = daily.index.to_numpy(dtype="float64"), daily.to_numpy()
    window = level_window(when)
    total = np.concatenate([[0.0], np.cumsum(value)])
    first = np.searchsorted(when, when - window, side="right")
    level = (total[1:] - total[first]) / (np.arange(len(when)) + 1 - first)
    # Before a whole window has passed, the first whole one is the best guess.
    early = when < when[0] + window - 1
    if early.sum() > 1:
        level[early] = level[min(int(early.sum()), len(level) - 1)]
    return when, level


def levels(y: np.ndarray, fit: pd.DataFrame, others: list[pd.DataFrame]) -> list[np.ndarray]:
    """The level of each row's series. After the last training day it stays as it was; a series that
    is new has the level of all."""
    when, level = trailing_level(y, fit["day"].to_numpy())
    names = pd.Index(fit["series"].unique())
    line = series_levels(y, names.get_indexer(fit["series"]), fit["day"].to_numpy())
    # A level of one or two rows is the row itself: training rows see that of the row before.
    early = few_moments(fit)
    found = []
    for rows in [fit, *others]:
        day, number = rows["day"].to_numpy(), names.get_indexer(rows["series"])
        at = np.searchsorted(when, day, side="right") - 1
        general = level[np.clip(at, 0, len(level) - 1)]
        own = line.at(number, day, "left" if early and rows is fit else "right")
        found.append(np.where(number >= 0, own, general))
    return found


@dataclass
class Levels:
    """Levels of all series on one line, each too far from the next to be mistaken for it."""

    places: np.ndarray
    values: np.ndarray
    begins: np.ndarray
    """Where in the line the series begin, and at last its end."""
    first: float
    apart: float

    def at(self, number: np.ndarray, days: np.ndarray, side: Any) -> np.ndarray:
        """Of the series with these numbers, up to these days or before them; else the nearest."""
        wanted = number * self.apart + np.clip(days - self.first, -1.0, self.apart - 2.0)
        found = np.searchsorted(self.places, wanted, side=side) - 1
        return self.values[np.clip(found, self.begins[number], self.begins[number + 1] - 1)]


def series_levels(y: np.ndarray, number: np.ndarray, days: np.ndarray) -> Levels:
    """What `trailing_level` says of each series; all at once, for they may be thousands."""
    moments = pd.DataFrame({"series": number, "day": days, "y": y})
    daily = moments.groupby(["series", "day"])["y"].mean().reset_index()
    own, when = daily["series"].to_numpy(), daily["day"].to_numpy(dtype="float64")
    begins = np.searchsorted(own, np.arange(own[-1] + 2))
    start, end = when[begins[:-1]], when[begins[1:] - 1]
    window = np.minimum(365.0, (end - start + 1) / 3)
    apart = float(days.max() - days.min()) + 370.0
    places = own * apart + when - days.min()
    total = np.concatenate([[0.0], np.cumsum(daily["y"].to_numpy())])
    first = np.searchsorted(places, places - window[own], side="right")
    values = (total[1:] - total[first]) / (np.arange(len(places)) + 1 - first)
    early = when < (start + window - 1)[own]
    count = np.bincount(own[early], minlength=len(start))
    whole = values[np.minimum(begins[:-1] + count, begins[1:] - 1)]
    values = np.where(early & (count > 1)[own], whole[own], values)
    return Levels(places, values, begins, float(days.min()), apart)


def level_form(
    y: np.ndarray, fit: pd.DataFrame, others: list[pd.DataFrame]
) -> tuple[np.ndarray, list[Restore]]:
    """The distance from the level is learnt."""
    own, *later = levels(y, fit, others)
    return y - own, [partial(np.add, level[:, None]) for level in later]


def level_ratio_form(
    y: np.ndarray, fit: pd.DataFrame, others: list[pd.DataFrame]
) -> tuple[np.ndarray, list[Restore]]:
    """The ratio to the level is learnt."""
    own, *later = levels(y, fit, others)
    if min(level.min() for level in [own, *later]) <= 0:
        return level_form(y, fit, others)
    return y / own, [partial(np.multiply, level[:, None]) for level in later]


def weekday_ratio_form(
    y: np.ndarray, fit: pd.DataFrame, others: list[pd.DataFrame]
) -> tuple[np.ndarray, list[Restore]]:
    """The ratio to the level of the same weekday: weekdays may drift apart."""

    def by_weekday(rows: pd.DataFrame) -> pd.DataFrame:
        weekday = (rows["day"] // 1 % 7).astype("int64").astype("str")
        return rows.assign(series=rows["series"].astype("str") + "|" + weekday)

    return level_ratio_form(y, by_weekday(fit), [by_weekday(rows) for rows in others])


def calendar_keys(days: np.ndarray) -> list[np.ndarray]:
    """What holidays go by: the date, or the weekday's place in the month."""
    date = pd.DatetimeIndex(pd.Timestamp(2000, 1, 1) + pd.to_timedelta(np.floor(days), unit="D"))
    fixed = date.month * 100 + date.day
    floating = date.month * 100 + (date.day - 1) // 7 * 10 + date.day_of_week
    last = (date.days_in_month - date.day) // 7 == 0
    from_end = np.where(last, date.month * 100 + 50 + date.day_of_week, -1)
    return [np.asarray(fixed), np.asarray(floating), from_end]


def unusual_days(part: Part) -> np.ndarray:
    """How far each training row is from what its series mostly has on such weekdays at that time.

    From the same two months, not from those of other years: else a row of a good year would look
    unusual, and the rows of other years would tell how good it was.
    """
    days = part.times[0]["day"].to_numpy()
    around = [part.times[0]["series"].to_numpy(), np.floor(6 * days / YEAR), np.floor(days) % 7]
    return part.y - pd.Series(part.y).groupby(around).transform("median").to_numpy()


def calendar_means(part: Part, smoothing: float = 2.0) -> list[pd.DataFrame]:
    """How unusual this day, the day before and the day after were in other years."""
    results = [pd.DataFrame(index=rows.index) for rows in part.tables]
    days = [rows["day"].to_numpy() for rows in part.times]
    years, year = np.unique(np.floor(days[0] / YEAR), return_inverse=True)
    if len(years) < 2:
        return results
    inner = inner_parts(len(years))[year]
    own, unusual = calendar_keys(days[0]), unusual_days(part)
    for shift in (-1, 0, 1):
        keys = [calendar_keys(day + shift) for day in days]
        for kind, source in enumerate(own):
            wanted = [key[kind] for key in keys]
            found = other_years(source, unusual, inner, wanted, smoothing)
            for result, values in zip(results, found, strict=True):
                result[f"calendar {kind} {shift:+d}"] = values
    if results[0]["calendar 0 +0"].isna().mean() > 0.5:
        # Rows to predict would know of days that training rows have no other year to learn from.
        return [pd.DataFrame(index=rows.index) for rows in part.tables]
    return results


def other_years(
    source: np.ndarray,
    unusual: np.ndarray,
    inner: np.ndarray,
    wanted: list[np.ndarray],
    smoothing: float,
) -> list[np.ndarray]:
    """Mean of each wanted key; missing where it is not known. The first are training rows: they
    learn from the other parts, and all others as if there were as many."""
    known = np.unique(source)
    place, parts = np.searchsorted(known, source), int(inner.max()) + 1
    sums, counts = np.zeros((len(known), parts)), np.zeros((len(known), parts))
    np.add.at(sums, (place, inner), unusual)
    np.add.at(counts, (place, inner), 1.0)
    found = []
    for number, keys in enumerate(wanted):
        at = np.minimum(np.searchsorted(known, keys), len(known) - 1)
        total, count = (table[at].sum(axis=1) * (1 - 1 / parts) for table in (sums, counts))
        if number == 0:
            total, count = (table[at].sum(axis=1) - table[at, inner] for table in (sums, counts))
        held = (known[at] == keys) & (count > 0)
        found.append(np.where(held, total / (count + smoothing), np.nan))
    return found


def usual_step(times: pd.DataFrame) -> float:
    """Days from one moment of a series to the next, mostly."""
    moments = times[["series", "day"]].drop_duplicates().sort_values(["series", "day"])
    gaps = moments.groupby("series")["day"].diff()
    return float(gaps.median()) if gaps.notna().any() else 1.0


def cycles(step: float) -> list[float]:
    """Days after which things come round again, the shortest first, for rows so far apart."""
    if step < 0.75:
        return [1.0, 7.0, 364.0]
    if step < 20:
        return [7.0, 364.0]
    # Months and quarters differ in length: what counts is how many make a year.
    return [YEAR / round(YEAR / step), YEAR] if step < 250 else [YEAR * round(step / YEAR)]


def lag_sets(step: float, ahead: float) -> dict[str, list[float]]:
    """Sets of lags whose values are averaged, all so long that they reach back to known rows."""
    first, *longer = cycles(step)
    # Months are not all of a length: a little too far ahead is not a whole step too far.
    least = max(ahead, step) - 0.25 * step
    sets: dict[str, list[float]] = {}
    for cycle in [first, *longer[:-1]]:
        begin = cycle * float(np.ceil(least / cycle))
        for count in (1, 4, 12):
            lags = [begin + cycle * number for number in range(count)]
            sets[f"lag of {count} times {cycle:.4g} days"] = lags
    begin, steps = first * float(np.ceil(least / first)), round(first / step)
    if steps > 1:
        # Of many steps, some that are spread evenly over the cycle tell its mean as well.
        count = min(steps, MOST_LAGS)
        spread = [round(number * steps / count) for number in range(count)]
        sets["lag of all of a cycle"] = [begin + step * number for number in spread]
    if longer:
        sets["same season"] = [longer[-1] * n for n in range(1, 5) if longer[-1] * n >= least]
    return {name: lags for name, lags in sets.items() if lags}


def nearest(
    known: np.ndarray, values: np.ndarray, wanted: np.ndarray, tolerance: float
) -> np.ndarray:
    """Values at the known places nearest to those wanted; missing where none is near."""
    right = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
    left = np.maximum(right - 1, 0)
    at = np.where(wanted - known[left] <= known[right] - wanted, left, right)
    return np.where(np.abs(known[at] - wanted) <= tolerance, values[at], np.nan)


def lagged_values(part: Part) -> list[pd.DataFrame]:
    """Values so long ago that they are known for all rows to predict: of the last cycles before,
    of the same season of earlier years, and the last one, whenever that was."""
    fit = part.times[0]
    first, last = fit["day"].min(), fit["day"].max()
    ahead = max(rows["day"].max() for rows in part.times[1:]) - last
    step = usual_step(fit)
    sets = lag_sets(step, ahead)
    # Steps may differ: what is known that far ahead counts, not what is usual.
    least = ahead - 0.25 * min(step, ahead) if ahead > 0 else 0.75 * step
    # All series on one line, each too far from the next to be mistaken for it.
    apart = last - first + max(ahead, 0.0) + max(map(max, sets.values())) + step
    series = pd.Index(fit["series"].unique())
    begins = [series.get_indexer(rows["series"]) * apart for rows in part.times]
    places = [
        begin + rows["day"].to_numpy() - first
        for begin, rows in zip(begins, part.times, strict=True)
    ]
    known = pd.Series(part.y).groupby(places[0]).mean()
    line, values = known.index.to_numpy(), known.to_numpy()
    results = []
    for place, begin, table in zip(places, begins, part.tables, strict=True):
        columns = {"last known": last_before(line, values, place - least, begin)}
        for name, lags in sets.items():
            found = [nearest(line, values, place - lag, step / 2) for lag in lags]
            columns[name] = pd.DataFrame(np.column_stack(found)).mean(axis=1).to_numpy()
        results.append(pd.DataFrame(columns, index=table.index))
    return results


def last_before(
    known: np.ndarray, values: np.ndarray, wanted: np.ndarray, begin: np.ndarray
) -> np.ndarray:
    """Values at the last known places up to those wanted; missing if that is before the begin."""
    at = np.searchsorted(known, wanted, side="right") - 1
    return np.where((at >= 0) & (known[at] >= begin), values[at], np.nan)
