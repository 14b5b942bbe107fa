"""Rows in the order of time: how far apart they are, what came round again, and who may know it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pytest

from proveout.apps.mle.experts.blocks import classic, series, validate, views
from proveout.apps.mle.experts.blocks.part import Part
from proveout.apps.mle.experts.ranking import FEWEST_FIRST, first_cards, first_recipe, rank_cards
from proveout.apps.mle.experts.writer import write_script
from proveout.apps.mle.problem import Column, Problem
from proveout.apps.mle.tables.keys import spanned_years

DAY = pd.Timestamp(2000, 1, 1)


def days_of(dates: pd.DatetimeIndex) -> np.ndarray:
    return np.asarray((dates - DAY) / pd.Timedelta(days=1), dtype=float)


def part_of(
    days: np.ndarray, horizon: int, y: np.ndarray, names: tuple[str, ...] = ("a", "b")
) -> Part:
    """Some series with the same days; the last `horizon` of them are to be predicted."""

    def rows(some: np.ndarray) -> pd.DataFrame:
        return pd.DataFrame(
            {"day": np.tile(some, len(names)), "series": np.repeat(names, len(some))}
        )

    times = [rows(days[:-horizon]), rows(days[-horizon:])]
    tables = [pd.DataFrame(index=it.index) for it in times]
    values = np.tile(y[:-horizon], len(names)) + 1e6 * (times[0]["series"] == "b").to_numpy()
    ones = np.ones(len(values))
    stop, keys = ones < 0, np.arange(len(ones))
    return Part(tables[0], values, tables[1:], times, (), weight=ones, stop=stop, keys=keys)


STEPS = {
    "hours": ("h", 24 * 500, 24),
    "days": ("D", 1500, 28),
    "weeks": ("W", 300, 8),
    "months": ("MS", 120, 12),
    "quarters": ("QS", 60, 4),
    "years": ("YS", 40, 3),
}
"""Frequency, how many, how many of them are to be predicted."""


@pytest.mark.parametrize("step", STEPS)
def test_lags_fit_the_step_of_the_rows_and_reach_what_is_known(step: str) -> None:
    frequency, count, horizon = STEPS[step]
    days = days_of(pd.date_range("1991-01-01", periods=count, freq=frequency))
    part = part_of(days, horizon, days)
    last, usual = days[-horizon - 1], series.usual_step(part.times[0])
    own, later = series.lagged_values(part)
    # Of series `a` the value is the day: that it is known, and not that of series `b`.
    alone = [name for name in own.columns if name.startswith("lag of 1 ")]
    assert alone
    for table, rows in ((own, part.times[0]), (later, part.times[1])):
        first = (rows["series"] == "a").to_numpy()
        assert np.nanmax(table[first].to_numpy()) <= last
        for name in alone:
            ago = rows["day"][first] - table[name][first]
            # As far ahead as the last row to predict, or half a step less where steps differ.
            assert ago.min() >= days[-1] - last - usual / 2
    assert later.notna().mean().min() > 0.95
    known_for = own.loc[part.times[0]["day"] > days[0] + 2 * 366 + (days[-1] - last)]
    assert known_for.empty or known_for.notna().mean().min() > 0.95


@pytest.mark.parametrize("step", ["days", "weeks", "months", "quarters"])
def test_the_same_season_is_found_a_year_before(step: str) -> None:
    frequency, count, horizon = STEPS[step]
    dates = pd.date_range("1991-01-01", periods=count, freq=frequency)
    part = part_of(
        days_of(dates), horizon, np.cos(2 * np.pi * dates.day_of_year.to_numpy() / 365.25)
    )
    _, later = series.lagged_values(part)
    rows = (part.times[1]["series"] == "a").to_numpy()
    wanted = np.cos(2 * np.pi * dates[-horizon:].day_of_year.to_numpy() / 365.25)
    assert np.abs(later["same season"][rows] - wanted).max() < 0.15


@pytest.mark.parametrize("step", [1 / 86_400, 1 / 1440, 1 / 96, 1 / 25])
def test_fine_steps_have_few_lags_all_over_the_cycle(step: float) -> None:
    """Each lag is a column in memory: one for each second of a day would be gigabytes."""
    sets = series.lag_sets(step, 0.5)
    assert sum(map(len, sets.values())) < 70
    lags = np.array(sets["lag of all of a cycle"])
    assert lags[0] == 1.0
    assert np.diff(lags) == pytest.approx(1 / 24, abs=step)
    assert lags / step == pytest.approx(np.round(lags / step), abs=1e-6)


@pytest.mark.parametrize(("step", "count"), [(1 / 24, 24), (1 / 4, 4), (1.0, 7)])
def test_coarse_steps_have_a_lag_for_each(step: float, count: int) -> None:
    begin = max(1.0, step * count)
    lags = series.lag_sets(step, 0.5)["lag of all of a cycle"]
    assert lags == [begin + step * number for number in range(count)]


def test_levels_of_many_series_are_those_of_each_alone() -> None:
    chance = np.random.default_rng(3)

    def rows(count: int, names: int) -> pd.DataFrame:
        days = chance.integers(0, 300, count).astype(float)
        return pd.DataFrame({"day": days, "series": chance.integers(0, names, count).astype(str)})

    fit, later = rows(5000, 50), rows(500, 55)
    y = chance.normal(size=5000)
    found = series.levels(y, fit, [later])
    for values, table in zip(found, [fit, later], strict=True):
        for name in table["series"].unique():
            own = (fit["series"] == name).to_numpy()
            # One that is new has the level of all.
            own = own if own.any() else np.ones(len(fit), dtype=bool)
            when, level = series.trailing_level(y[own], fit["day"].to_numpy()[own])
            mine = (table["series"] == name).to_numpy()
            at = np.searchsorted(when, table["day"].to_numpy()[mine], side="right") - 1
            assert np.allclose(values[mine], level[np.maximum(at, 0)])


class Compared(str):
    """A name that counts how often it is compared with another."""

    __slots__ = ()
    times: ClassVar[list[str]] = []

    def __eq__(self, other: object) -> bool:
        self.times.append(str(self))
        return str(self) == str(other)

    __hash__ = str.__hash__


def test_levels_of_a_series_do_not_look_at_the_rows_of_all_others() -> None:
    names = np.array([Compared(f"n{number}") for number in range(40)], dtype=object)
    rows = pd.DataFrame({"day": np.arange(400.0)})
    rows["series"] = pd.Series(np.tile(names, 10), dtype="object")
    Compared.times.clear()
    series.levels(np.arange(400.0), rows, [rows])
    assert len(Compared.times) < 10 * len(rows)


def test_a_single_row_has_lags_of_nothing() -> None:
    part = part_of(np.array([3.0, 4.0]), 1, np.array([1.0, 1.0]), names=("a",))
    own, later = series.lagged_values(part)
    assert own.isna().all(axis=None)
    assert len(later) == 1


def when(monkeypatch: pytest.MonkeyPatch, frame: pd.DataFrame, *names: str) -> np.ndarray:
    monkeypatch.setattr(series, "TIMES", list(names))
    return series.row_days(frame, frame)


def test_numbers_that_are_years_become_days(monkeypatch: pytest.MonkeyPatch) -> None:
    """A month as a fraction, or in a column of its own, is a month and not a day."""
    months = np.arange(60)
    year, month = 1973 + months // 12, months % 12 + 1
    frame = pd.DataFrame({"time": (1973 + months / 12).round(4), "year": year, "month": month})
    for names in (("time",), ("year", "month")):
        steps = np.diff(when(monkeypatch, frame, *names))
        assert steps == pytest.approx(365.25 / 12, abs=0.1)
        assert series.cycles(float(np.median(steps))) == pytest.approx([30.4375, 365.25])


def test_a_date_in_parts_is_a_date(monkeypatch: pytest.MonkeyPatch) -> None:
    dates = pd.date_range("2019-11-05", periods=24 * 200, freq="h")
    frame = pd.DataFrame(
        {"y": dates.year, "m": dates.month, "d": dates.day, "h": dates.hour}, dtype="int64"
    )
    assert when(monkeypatch, frame, "y", "m", "d", "h") == pytest.approx(days_of(dates))


def test_seconds_and_counts_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pd.DataFrame({"epoch": 1.6e9 + 3600.0 * np.arange(100), "t": 5 * np.arange(100)})
    assert np.diff(when(monkeypatch, frame, "epoch")) == pytest.approx(1 / 24)
    assert np.diff(when(monkeypatch, frame, "t")) == pytest.approx(1.0)


def test_later_rows_are_counted_by_the_ranges_of_training(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows to predict that end in June would come before those of the year before, otherwise."""
    months = np.arange(30)
    frame = pd.DataFrame({"year": 2001 + months // 12, "month": months % 12 + 1})
    monkeypatch.setattr(series, "TIMES", ["year", "month"])
    found = series.row_days(frame.tail(6), frame.head(24))
    assert found.min() > series.row_days(frame.head(24), frame.head(24)).max()


def calendar(days: np.ndarray, horizon: int, y: np.ndarray) -> list[pd.DataFrame]:
    return series.calendar_means(part_of(days, horizon, y, names=("a",)))


def test_a_calendar_of_less_than_two_years_says_nothing() -> None:
    """Rows to predict would know days that no training row could learn from."""
    days = days_of(pd.date_range("2016-07-01", periods=420, freq="D"))
    y = np.random.default_rng(0).normal(size=420)
    own, later = calendar(days, 90, y)
    assert own.shape == (330, 0)
    assert later.shape == (90, 0)


def test_holidays_are_known_from_other_years_also_long_ago() -> None:
    dates = pd.date_range("1988-01-01", "1995-12-31", freq="D")
    y = np.where((dates.month == 7) & (dates.day == 4), -50.0, 0.0)
    own, later = calendar(days_of(dates), 365, y)
    known = dates[:-365]
    for table, some in ((own, known), (later, dates[-365:])):
        holiday = np.asarray((some.month == 7) & (some.day == 4))
        assert table["calendar 0 +0"][holiday].max() < -25
        assert np.abs(table["calendar 0 +0"][~holiday]).max() < 1e-9


def test_training_rows_are_told_as_much_as_rows_to_predict() -> None:
    """With few years, another one more would make all effects look larger."""
    dates = pd.date_range("2001-01-01", "2003-12-31", freq="D")
    y = np.where((dates.month == 7) & (dates.day == 4), -60.0, 0.0)
    own, later = calendar(days_of(dates), 365, y)
    assert own["calendar 0 +0"].min() == pytest.approx(later["calendar 0 +0"].min())


def test_the_calendar_does_not_tell_how_good_a_year_was() -> None:
    """Leaving a row's own year out, the mean of the others is low where its own is high."""
    dates = pd.date_range("2001-01-01", "2006-12-31", freq="D")
    level = np.array([10.0, 90.0, 40.0, 70.0, 20.0, 50.0])[dates.year.to_numpy() - 2001]
    y = level + np.random.default_rng(1).normal(size=len(dates))
    own, _ = calendar(days_of(dates), 365, y)
    told = own.apply(lambda column: abs(np.corrcoef(column.fillna(0), level[:-365])[0, 1]))
    assert told.max() < 0.2


@dataclass
class Clock:
    """Time that passes when it is told to."""

    now: float = 0.0

    def monotonic(self) -> float:
        return self.now


def ordered(rows: int) -> validate.Data:
    days = pd.DataFrame({"day": np.arange(float(rows)), "series": ""})
    facts = {"numbers": pd.DataFrame({"x": np.arange(float(rows))})}
    fold = np.repeat([-1, 0, 1], rows // 3)
    return validate.Data(facts, facts, days[["day"]].to_numpy(), fold, days, days, np.arange(rows))


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(validate, "time", made)
    monkeypatch.setattr(validate, "TIMES", ["day"])
    monkeypatch.setattr(validate, "TIME_LIMIT", 100.0)
    return made


def slow_step(clock: Clock, seconds: float) -> Callable[[Part], list[pd.DataFrame]]:
    def step(part: Part) -> list[pd.DataFrame]:
        clock.now += seconds * len(part.fit) / 60
        return [pd.DataFrame({"slow": np.arange(len(it))}, index=it.index) for it in part.tables]

    return step


@pytest.mark.parametrize("seconds", [0.0, 5.0, 20.0])
def test_columns_are_not_made_in_the_time_of_a_fit(
    clock: Clock, monkeypatch: pytest.MonkeyPatch, seconds: float
) -> None:
    monkeypatch.setattr(views, "FITTED", {"slow": slow_step(clock, seconds)})
    given = []

    def fit(part: Part, options: dict[str, Any]) -> list[np.ndarray]:
        del options
        views.tree_view(part)
        given.append(part.deadline - clock.now)
        clock.now = part.deadline
        return [np.zeros((len(rows), 1)) for rows in part.others]

    member = validate.Member("slow", fit, {}, ("numbers", "slow"))
    validate.run_members(ordered(90), [member])
    # Three fits share what three rounds of columns leave of the limit, none is left without.
    assert len(given) == 3
    assert min(given) >= min(5.0, 85.0 / 3 - seconds)
    assert clock.now == pytest.approx(85.0)


@pytest.mark.parametrize(
    ("names", "years"),
    [(("date",), 5.0), (("year", "month"), 5.0), (("decimal",), 5.0), (("count",), 0.0), ((), 0.0)],
)
def test_years_of_training_are_known_where_columns_tell_them(
    names: tuple[str, ...], years: float
) -> None:
    months = np.arange(61)
    frame = pd.DataFrame(
        {
            "date": pd.date_range("2001-01-01", periods=61, freq="MS").astype(str),
            "year": 2001 + months // 12,
            "month": months % 12 + 1,
            "decimal": 2001 + months / 12,
            "count": months,
        }
    )
    assert spanned_years(frame, names) == pytest.approx(years, abs=0.05)


def panel(names: int, moments: int) -> pd.DataFrame:
    """Many short series, with an amount that tells nothing apart."""
    chance = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "year": np.tile(2000 + np.arange(moments), names),
            "college": np.repeat(100_000 + 37 * np.arange(names), moments),
            "amount": chance.integers(0, names * moments // 4, names * moments),
        }
    )
    return frame.sample(frac=1, random_state=0).reset_index(drop=True)


@pytest.mark.parametrize("kind", ["NUMBERS", "CATEGORIES", "TEXTS"])
@pytest.mark.parametrize("moments", [3, 5, 40])
def test_short_series_are_told_apart(
    monkeypatch: pytest.MonkeyPatch, kind: str, moments: int
) -> None:
    for name in ("NUMBERS", "CATEGORIES", "TEXTS"):
        monkeypatch.setattr(series, name, ["college"] if name == kind else [])
    numbers = ["college", "year", "amount"] if kind == "NUMBERS" else ["year", "amount"]
    monkeypatch.setattr(series, "NUMBERS", numbers)
    monkeypatch.setattr(series, "TIMES", ["year"])
    frame = panel(300, moments)
    assert series.series_columns(frame) == ["college"]
    assert series.row_times(frame, frame)["series"].nunique() == 300
    # The same numbers beside gaps are fractions, but of the same series.
    gapped = frame.assign(college=frame["college"].astype(float))
    assert set(series.row_times(gapped, frame)["series"]) == set(frame["college"].astype(str))


def test_amounts_that_seldom_repeat_are_no_series(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(series, "NUMBERS", ["amount"])
    monkeypatch.setattr(series, "TIMES", ["year"])
    monkeypatch.setattr(series, "CATEGORIES", [])
    monkeypatch.setattr(series, "TEXTS", [])
    frame = panel(30, 400).assign(year=np.repeat(np.arange(400), 30))
    assert series.series_columns(frame) == []


def uneven(years: list[int], later: int) -> Part:
    """A panel whose moments are not evenly apart; each value tells series and year."""
    days = np.array([365.0 * year for year in [*years, later]])
    return part_of(days, 1, np.array([*years, later], dtype=float))


def test_the_last_value_is_known_where_steps_differ() -> None:
    own, later = series.lagged_values(uneven([2007, 2009, 2011, 2012, 2013], 2014))
    assert later["last known"].tolist() == [2013.0, 1e6 + 2013]
    assert own["last known"].tolist()[1:5] == [2007.0, 2009.0, 2011.0, 2012.0]
    assert own["last known"].isna().tolist() == [True, False, False, False, False] * 2


def test_levels_of_few_rows_do_not_tell_the_row_itself() -> None:
    part = uneven([2007, 2009, 2011, 2012, 2013], 2014)
    own, later = series.levels(part.y, part.times[0], part.times[1:])
    assert own[1:5].tolist() == [2007.0, 2009.0, 2011.0, 2012.0]
    assert later.tolist() == [2013.0, 1e6 + 2013]


def test_the_naive_model_repeats_the_last_value_or_the_season() -> None:
    (last,) = classic.fit_naive(uneven([2007, 2009, 2011, 2012, 2013], 2014), {})
    assert last[:, 0].tolist() == [2013.0, 1e6 + 2013]
    days = np.arange(600.0)
    (found,) = classic.fit_naive(part_of(days, 7, days % 7), {})
    assert found[:, 0].tolist() == [*(days[-7:] % 7), *(1e6 + days[-7:] % 7)]


def test_a_naive_model_is_among_the_first_where_time_orders_rows() -> None:
    problem = Problem(
        name="p",
        kind="regression",
        metric="mae",
        direction="minimize",
        targets=("y",),
        columns=(Column(name="year", kind="number"), Column(name="who", kind="category")),
        time="year",
        years=6.0,
        rows=3000,
    )
    first = first_cards(problem, FEWEST_FIRST, 60.0)
    assert "naive" in {card.name for card in first}
    member = first_recipe(problem, "naive").members[0]
    assert (member.form, len(member.steps)) == ("plain", 1)
    assert "def fit_naive(" in write_script(problem, first_recipe(problem, "naive"))
    unordered = problem.model_copy(update={"time": ""})
    assert "naive" not in {card.name for card in rank_cards(unordered, 60.0)}
