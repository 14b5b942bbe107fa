"""What was known when rows are predicted, each as far ahead as it is.

Rows to predict lie near and far: next week's may look at this week, those of next year may not. So
a training row is given the distance of one of them, drawn by chance, and sees nothing closer.
"""

from functools import partial

import numpy as np
import pandas as pd

from proveout.apps.mle.experts.blocks.part import Part, Restore
from proveout.apps.mle.experts.blocks.series import cycles, last_before, usual_step
from proveout.apps.mle.experts.blocks.settings import SEED
from proveout.apps.mle.experts.blocks.views import target_columns

Places = list[np.ndarray]
FEW_SEEN = 3.0
"""Rows as many as which the share among all counts, where somebody's own is told."""


def distances(times: list[pd.DataFrame]) -> Places:
    """Days from the last row that is known; for training rows as if they were asked about, too."""
    last, step = times[0]["day"].max(), usual_step(times[0])
    asked = [np.maximum(rows["day"].to_numpy() - last, step) for rows in times[1:]]
    drawn = np.random.default_rng(SEED).choice(np.concatenate(asked), len(times[0]))
    return [drawn, *asked]


def on_one_line(times: list[pd.DataFrame], reach: float = 0.0) -> tuple[Places, Places]:
    """A place for each row, and that where its series begins: each series too far from the next for
    rows to look into it, so many days more than all that there are. A series that is new lies
    before all others."""
    days = [rows["day"].to_numpy(dtype="float64") for rows in times]
    first, last = np.concatenate(days).min(), np.concatenate(days).max()
    names, apart = pd.Index(times[0]["series"].unique()), 2 * (last - first) + reach + 1.0
    begins = [names.get_indexer(rows["series"]) * apart for rows in times]
    places = [begin + day - first for begin, day in zip(begins, days, strict=True)]
    return places, begins


def sums_up_to(
    line: np.ndarray, values: np.ndarray, ends: np.ndarray, begins: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Sum and number of the values that lie from the begins to the ends, both included."""
    total = np.concatenate([[0.0], np.cumsum(values)])
    first = np.searchsorted(line, begins - 1e-6, side="right")
    end = np.maximum(np.searchsorted(line, ends, side="right"), first)
    return total[end] - total[first], end - first


def mean_up_to(
    line: np.ndarray, values: np.ndarray, ends: np.ndarray, begins: np.ndarray
) -> np.ndarray:
    """Of the values from the begins to the ends; missing where there is none."""
    total, count = sums_up_to(line, values, ends, begins)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def nearest_known(
    line: np.ndarray, values: np.ndarray, wanted: np.ndarray, latest: np.ndarray, tolerance: float
) -> np.ndarray:
    """Values at the places nearest to those wanted, as far as known by then; else missing."""
    right = np.minimum(np.searchsorted(line, wanted), len(line) - 1)
    left = np.maximum(right - 1, 0)
    later = (line[right] <= latest) & (line[right] - wanted < wanted - line[left])
    at = np.where(later | (line[left] > latest), right, left)
    near = (np.abs(line[at] - wanted) <= tolerance) & (line[at] <= latest)
    return np.where(near, values[at], np.nan)


def guesses(y: np.ndarray, times: list[pd.DataFrame]) -> list[pd.DataFrame]:
    """What simple rules say of each row: the last value, the last few, the same season, and that
    season with the growth that the series has had since; missing where too little is known."""
    step = usual_step(times[0])
    seasons = [cycle for cycle in cycles(step) if cycle > step] or [step]
    places, begins = on_one_line(times, seasons[-1] + step)
    known = pd.Series(y).groupby(places[0]).mean()
    line, values = known.index.to_numpy(), known.to_numpy()
    found = []
    for place, begin, far in zip(places, begins, distances(times), strict=True):
        latest = place - far + 0.25 * step

        made = {"distance": far, "last value": last_before(line, values, latest, begin)}
        for season in seasons:
            turns = np.ceil((far - 0.25 * step) / season)
            same = nearest_known(line, values, place - turns * season, latest, step / 2)
            # Half a step on: the value of a season before is one of the season before.
            recent, before = (
                mean_up_to(line, values, end, np.maximum(end - season + step / 2, begin))
                for end in (latest, latest - season)
            )
            # Half a season would be compared with a whole one.
            before[latest - 2 * season + 0.75 * step < begin] = np.nan
            made[f"season of {season:.4g}"] = same
            made[f"mean of {season:.4g}"] = recent
            made[f"grown season of {season:.4g}"] = same + turns * (recent - before)
        found.append(pd.DataFrame(made, index=range(len(place))))
    return found


def recent_values(part: Part) -> list[pd.DataFrame]:
    """Simple guesses as columns."""
    made = guesses(part.y, part.times)
    return [it.set_index(table.index) for it, table in zip(made, part.tables, strict=True)]


def closest(own: pd.DataFrame, y: np.ndarray) -> str:
    """Which of these columns was nearest to what came; one that is hardly ever known is none. Where
    all values are above nought errors count as shares: large series are not to decide for all."""
    wrong = own.sub(y, axis=0).abs()
    if y.min() > 0:
        wrong = wrong.div(y, axis=0)
    common = wrong.count() >= 0.5 * wrong.count().max()
    return str(wrong.loc[:, common].mean().fillna(np.inf).idxmin())


def guess_form(
    y: np.ndarray, fit: pd.DataFrame, others: list[pd.DataFrame]
) -> tuple[np.ndarray, list[Restore]]:
    """The distance from the simple guess that comes closest to training rows is learnt, as a ratio
    where all are above nought. A row about which nothing was known teaches nothing."""
    own, *later = (it.drop(columns="distance") for it in guesses(y, [fit, *others]))
    best = closest(own, y)
    usual = float(np.median(y))
    base = own[best].fillna(pd.Series(y)).to_numpy()
    ahead = [it[best].fillna(it["last value"]).fillna(usual).to_numpy() for it in later]
    if min(values.min() for values in [y, base, *ahead]) > 0:
        return y / base, [partial(np.multiply, values[:, None]) for values in ahead]
    return y - base, [partial(np.add, values[:, None]) for values in ahead]


def earlier_outcomes(part: Part) -> list[pd.DataFrame]:
    """Of whom a row is about: how often it was seen before, and which share had each outcome; of
    few rows the share is drawn towards that of all until then."""
    if part.times[0]["series"].nunique() < 2:
        return [pd.DataFrame(index=rows.index) for rows in part.tables]
    slack = 0.25 * usual_step(part.times[0])
    places, begins = on_one_line(part.times)
    known, outcomes = part.times[0]["day"].to_numpy(dtype="float64"), target_columns(part.y)
    own, all_rows = (np.argsort(it, kind="stable") for it in (places[0], known))
    results = []
    for place, begin, far, rows, table in zip(
        places, begins, distances(part.times), part.times, part.tables, strict=True
    ):
        made: dict[str, np.ndarray] = {}
        by_then = rows["day"].to_numpy(dtype="float64") - far + slack
        for number, values in enumerate(outcomes.T, start=1):
            line = places[0][own], values[own]
            total, count = sums_up_to(*line, place - far + slack, begin)
            usual = mean_up_to(
                known[all_rows], values[all_rows], by_then, np.full(len(rows), -np.inf)
            )
            # Counts grow with time, and the test is later: by their logarithm they grow least.
            made["seen before"] = np.log1p(count)
            made[f"share {number} before"] = (total + FEW_SEEN * usual) / (count + FEW_SEEN)
            made[f"last {number}"] = last_before(*line, place - far + slack, begin)
        results.append(pd.DataFrame(made, index=table.index))
    return results
