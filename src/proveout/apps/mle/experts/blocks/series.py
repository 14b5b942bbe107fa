"""Rows in the order of time: levels to carry forward, days that come round again, lags."""

from functools import partial

import numpy as np
import pandas as pd

from proveout.apps.mle.experts.blocks.part import Part, Restore
from proveout.apps.mle.experts.blocks.rows import parsed_dates
from proveout.apps.mle.experts.blocks.settings import CATEGORIES, DATES, NUMBERS, TIMES
from proveout.apps.mle.experts.blocks.views import inner_parts


def row_days(frame: pd.DataFrame) -> np.ndarray:
    """When each row was: days for dates, else numbers that grow with time."""
    if TIMES[0] in DATES:
        since = parsed_dates(frame[TIMES[0]]) - pd.Timestamp(2000, 1, 1)
        total = (since / pd.Timedelta(days=1)).to_numpy(dtype="float64")
    else:
        total = np.zeros(len(frame))
        for name in TIMES:
            value = pd.to_numeric(frame[name], errors="coerce").to_numpy(dtype="float64")
            total = total * (np.nanmax(value) + 1) + value
    return np.where(np.isnan(total), np.nanmedian(total), total)


def series_columns(frame: pd.DataFrame) -> list[str]:
    """Columns that tell several series apart: with them, a moment occurs once."""
    days = row_days(frame)
    if pd.Series(days).duplicated().mean() < 0.1:
        return []
    whole = [
        name for name in NUMBERS if (pd.to_numeric(frame[name], errors="coerce") % 1 == 0).all()
    ]
    names = [name for name in [*CATEGORIES, *whole] if 1 < frame[name].nunique() < len(frame) / 10]
    tried = [[name] for name in names] + [[a, b] for a in names for b in names if a < b][:60]
    for columns in tried:
        if frame[columns].assign(day=days).duplicated().mean() < 0.02:
            return columns
    return []


def row_times(frame: pd.DataFrame, like: pd.DataFrame) -> pd.DataFrame:
    """The day and the series of each row."""
    columns = series_columns(like)
    names = frame[columns].astype("str").agg("|".join, axis=1) if columns else ""
    return pd.DataFrame({"day": row_days(frame), "series": names}, index=frame.index)


def trailing_level(y: np.ndarray, days: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Days in order, and the mean of the last year (or third of the time) up to each of them."""
    daily = pd.Series(y).groupby(days).mean()
    when, value = daily.index.to_numpy(dtype="float64"), daily.to_numpy()
    window = min(365.0, (when[-1] - when[0] + 1) / 3)
    total = np.concatenate([[0.0], np.cumsum(value)])
    first = np.searchsorted(when, when - window, side="right")
    level = (total[1:] - total[first]) / (np.arange(len(when)) + 1 - first)
    # Before a whole window has passed, the first whole one is the best guess.
    early = when < when[0] + window - 1
    level[early] = level[min(int(early.sum()), len(level) - 1)]
    return when, level


def levels(y: np.ndarray, fit: pd.DataFrame, others: list[pd.DataFrame]) -> list[np.ndarray]:
    """The level of each row's series. After the last training day it stays as it was."""
    tables = [fit, *others]
    found = [np.zeros(len(rows)) for rows in tables]
    days = fit["day"].to_numpy()
    for name, place in [(None, slice(None)), *fit.groupby("series").indices.items()]:
        when, level = trailing_level(y[place], days[place])
        for values, rows in zip(found, tables, strict=True):
            mine = np.ones(len(rows), bool) if name is None else (rows["series"] == name).to_numpy()
            day = rows["day"].to_numpy()[mine]
            at = np.clip(np.searchsorted(when, day, side="right") - 1, 0, len(level) - 1)
            values[mine] = level[at]
    return found


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


def calendar_means(part: Part, smoothing: float = 2.0) -> list[pd.DataFrame]:
    """How unusual this day, the day before and the day after were in other years."""
    days = [rows["day"].to_numpy() for rows in part.times]
    weekday = [np.floor(day) % 7 for day in days]
    month = [pd.Series(np.floor(day / 30.44) % 12) for day in days]
    usual = pd.Series(part.y).groupby([month[0], weekday[0]]).transform("median")
    unusual = part.y - usual.to_numpy()
    year = np.floor(days[0] / 365.25).astype(int)
    inner = inner_parts(int(year.max()) + 1)[year]
    results = [pd.DataFrame(index=rows.index) for rows in part.tables]
    for shift in (-1, 0, 1):
        keys = [calendar_keys(day + shift) for day in days]
        own = calendar_keys(days[0])
        for kind, source in enumerate(own):
            for number, result in enumerate(results):
                wanted = keys[number][kind]
                column = np.zeros(len(wanted))
                for block in np.unique(inner) if number == 0 else [-1]:
                    rest, mine = inner != block, inner == block
                    grouped = pd.Series(unusual[rest]).groupby(source[rest])
                    means = grouped.sum() / (grouped.count() + smoothing)
                    place = mine if number == 0 else np.ones(len(wanted), dtype=bool)
                    column[place] = pd.Series(wanted[place]).map(means).fillna(0.0)
                result[f"calendar {kind} {shift:+d}"] = column
    return results


def lagged_values(part: Part) -> list[pd.DataFrame]:
    """Values so long ago that they are known for all rows to predict: that day, weeks before it,
    and the same season of earlier years."""
    last = part.times[0]["day"].max()
    ahead = max(rows["day"].max() for rows in part.times[1:]) - last
    shift = 7.0 * np.ceil(max(ahead, 1.0) / 7.0)
    daily = (
        pd.Series(part.y).groupby([part.times[0]["series"].to_numpy(), part.times[0]["day"]]).mean()
    )
    results = []
    for rows, table in zip(part.times, part.tables, strict=True):
        columns = {}
        for name, lags in lag_sets(shift).items():
            found = [lookup(daily, rows, lag) for lag in lags]
            columns[name] = pd.DataFrame(found).mean().to_numpy()
        results.append(pd.DataFrame(columns, index=table.index))
    return results


def lag_sets(shift: float) -> dict[str, list[float]]:
    """Sets of lags whose values are averaged."""
    weeks = {f"lag of {n} weeks": [shift + 7.0 * week for week in range(n)] for n in (1, 4, 12)}
    days = {"lag of a week's days": [shift + day for day in range(7)]}
    return {
        **weeks,
        **days,
        "same season": [364.0 * year for year in range(1, 5) if 364 * year >= shift],
    }


def lookup(daily: pd.Series, rows: pd.DataFrame, lag: float) -> np.ndarray:
    """Values of the same series so many days before; missing where there is none."""
    wanted = pd.MultiIndex.from_arrays([rows["series"].to_numpy(), rows["day"].to_numpy() - lag])
    return daily.reindex(wanted).to_numpy()
