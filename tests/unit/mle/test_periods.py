"""Weeks, quarters and numbered groups: whatever orders rows is seen to do so."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from proveout.apps.mle import intake
from proveout.apps.mle.experts.blocks import rows as script_rows
from proveout.apps.mle.experts.ranking import first_recipe
from proveout.apps.mle.experts.writer import write_script
from proveout.apps.mle.harness.arena import Arena
from proveout.apps.mle.problem import Column, Problem
from proveout.apps.mle.tables.columns import as_dates, easily_misread, iso_dates
from proveout.apps.mle.tables.folds import HELD_OUT, choose
from proveout.apps.mle.tables.keys import later_groups
from tests.mle_tables import rows, write_task

SPELLED = {
    "2021-W07": "2021-02-15",
    "2021W07": "2021-02-15",
    "2021-W07-3": "2021-02-17",
    "W07 2021": "2021-02-15",
    "2020-W53": "2020-12-28",
    "2021-Q3": "2021-07-01",
    "2021Q3": "2021-07-01",
    "Q3 2021": "2021-07-01",
    "2021-07": "2021-07-01",
    "Jul 2021": "2021-07-01",
    "2021 Jul": "2021-07-01",
    "2021-M07": "2021-07-01",
    "2021M7": "2021-07-01",
    "M07 2021": "2021-07-01",
    "07/2021": "2021-07-01",
    "7.2021": "2021-07-01",
    "Jul-21": "2021-07-01",
    "july-98": "1998-07-01",
    "Thu Jul  1 00:00:00 2021": "2021-07-01",
    "Thu 01 Jul 2021": "2021-07-01",
    "Thursday, July 1, 2021": "2021-07-01",
    "Thu, 2021-07-01": "2021-07-01",
}


@pytest.mark.parametrize("text", SPELLED)
def test_weeks_quarters_and_months_are_dates_for_intake_and_scripts(text: str) -> None:
    column = pd.Series([text, None, text])
    found = as_dates(column)
    assert found is not None
    assert found.dt.strftime("%Y-%m-%d").tolist()[0] == SPELLED[text]
    assert script_rows.parsed_dates(column)[2] == pd.Timestamp(SPELLED[text])
    assert iso_dates(column).tolist()[0] == SPELLED[text]


@pytest.mark.parametrize(
    "text",
    [
        "W07",
        "Mart-01",
        "Decile-05",
        "MARKER-07",
        "2021-Sat 07",
        "Monitor 201901",
        "Q3",
        "1021-W07",
        "2021-W71",
        "2021-Q5",
        "Q3-17",
        "AW2021",
        "2021-M13",
        "M07",
        "13/2021",
        "Apr-2x",
        "Abc-21",
    ],
)
def test_what_looks_a_little_like_it_is_none(text: str) -> None:
    assert as_dates(pd.Series([text] * 5)) is None


def test_packed_months_are_dates_and_few_of_them_are_numbers() -> None:
    months = pd.Series([201811, 201812, 201901, 201902, 201903, 201904, 201911], name="when")
    found = as_dates(months)
    assert found is not None
    assert found.dt.strftime("%Y-%m").tolist()[:3] == ["2018-11", "2018-12", "2019-01"]
    assert easily_misread(months, months[2:4])
    assert iso_dates(months[2:4]).tolist() == ["2019-01-01", "2019-02-01"]
    assert iso_dates(months).tolist()[2] == "2019-01-01"
    one_year = pd.Series(range(200001, 200013))
    codes = pd.Series([*one_year, 200101, 200102], name="store_id")
    for numbers in (months[:3], months + 2, months + 0.5, months * 10, one_year, codes):
        assert as_dates(numbers) is None
        assert as_dates(numbers.astype(str)) is None
        assert not easily_misread(numbers, numbers)
    assert as_dates(one_year.rename("Month")) is not None
    days = pd.Series([20181101, 20181202, 20190103])
    assert as_dates(days) is not None
    assert not easily_misread(days, days)


def test_packed_months_with_gaps_are_the_same_months_for_intake_and_scripts() -> None:
    """Numbers with gaps are fractions to most writers of tables."""
    cells = [f"{year}{month:02}.0" for year in (2015, 2016) for month in range(1, 13)]
    numbers, texts = pd.Series([*map(float, cells), np.nan]), pd.Series([*cells, ""])
    for column in (numbers, texts.where(texts != "")):
        assert easily_misread(column, column[:2])
        assert iso_dates(column[:2]).tolist() == ["2015-01-01", "2015-02-01"]
    assert script_rows.parsed_dates(texts[:2])[1] == pd.Timestamp("2015-02-01")


def test_a_cell_that_is_no_date_does_not_turn_the_others() -> None:
    for cells in (["05/2021", "06/2021"], ["May-21", "Jun-21"], ["2021-05-01", "2021-06-01"]):
        found = iso_dates(pd.Series([*cells * 30, "unknown"]))
        assert found.tolist()[:2] == ["2021-05-01", "2021-06-01"]
        assert found.iloc[-1] == "unknown"


def test_days_first_are_seen_wherever_they_stand_in_a_long_table() -> None:
    """The first thousands of rows are of the first twelve days."""
    days = pd.Series(pd.date_range("2021-01-01", "2021-02-28").strftime("%d/%m/%Y").repeat(300))
    assert easily_misread(days, days.iloc[:500])


def test_long_words_are_no_trouble() -> None:
    """Whoever goes back and forth in such a cell is not ready when the test's time is over."""
    assert as_dates(pd.Series(["mon" * 100_000] * 3)) is None


def test_days_with_their_name_and_times_of_day_are_moments() -> None:
    column = pd.Series(["Fri 03 Oct 2003, 07:05 AM", "Fri 03 Oct 2003, 07:05 PM", None])
    found = as_dates(column)
    assert found is not None
    assert found.dt.strftime("%d %H:%M").tolist()[:2] == ["03 07:05", "03 19:05"]
    assert script_rows.parsed_dates(column)[1] == pd.Timestamp("2003-10-03 19:05")
    assert iso_dates(column).tolist()[0] == "2003-10-03 07:05:00"
    assert as_dates(pd.Series(["Fri", "Saturn 7", "Sun 3000"])) is None


def weekly(folder: Path, form: str) -> Path:
    days = pd.date_range("2019-01-07", periods=120, freq="7D").repeat(6)
    frame = rows(720).assign(week=days.strftime(form), shop=np.tile(list("abcdef"), 120))
    frame["y"] = frame["signal"]
    return write_task(folder, frame[:600], frame[600:].drop(columns="y"))


def test_weeks_order_rows_and_scripts_see_plain_dates(tmp_path: Path) -> None:
    folder = weekly(tmp_path / "t", "%G-W%V")
    problem = intake.inspect(folder)
    assert (problem.time, problem.groups) == ("week", "")
    arena = Arena.prepare(problem, folder, tmp_path / "w")
    assert pd.read_csv(arena.full_input / "test.csv")["week"].min() == "2020-12-07"


def test_scripts_stand_alone_with_weeks_as_their_key() -> None:
    problem = Problem(
        name="sales",
        kind="regression",
        metric="mae",
        direction="minimize",
        targets=("y",),
        id_column="week",
        columns=(Column(name="week", kind="date", unique=150),),
        time="week",
        rows=150,
        test_rows=20,
    )
    script = write_script(problem, first_recipe(problem, "linear"))
    assert "def first_day(" in script
    assert "PERIODS = " in script
    assert "proveout" not in script


@pytest.mark.parametrize("names", ["p{}", "{}", "2020/{}-x"])
def test_numbered_groups_of_which_the_test_has_the_last_are_in_order(names: str) -> None:
    train = pd.Series([names.format(at) for at in range(20)]).repeat(3)
    test = pd.Series([names.format(at) for at in range(20, 28)])
    places = later_groups(train, test)
    assert places is not None
    assert (np.diff(places) >= 0).all()
    assert later_groups(test, train) is None
    assert later_groups(train, pd.Series([names.format(20)])) is None
    assert later_groups(train, pd.Series([*test, "another"])) is None


@pytest.mark.parametrize("kind", ["regression", "binary"])
def test_folds_follow_the_order_of_groups(kind: str) -> None:
    frame = pd.DataFrame({"lot": [f"lot {at // 10}" for at in range(1000)], "x": range(1000)})
    frame["y"] = np.arange(1000) % 2 if kind == "binary" else np.arange(1000.0)
    test = pd.DataFrame({"lot": [f"lot {100 + at // 10}" for at in range(200)], "x": range(200)})
    problem = Problem(
        name="lots",
        kind=kind,  # type: ignore[arg-type]
        metric="rmse" if kind == "regression" else "auc",
        direction="minimize" if kind == "regression" else "maximize",
        targets=("y",),
        labels=() if kind == "regression" else ("0", "1"),
        columns=(Column(name="lot", kind="category", unique=100), Column(name="x", kind="number")),
        groups="lot",
        rows=1000,
        test_rows=200,
    )
    folds = choose(problem, frame, test)
    assert folds.scheme == "grouped"
    assert folds.holdout[-100:].all()
    assert not folds.holdout[:800].any()
    for found in (folds.search[folds.search != HELD_OUT], folds.full):
        assert (np.diff(found) <= 0).all()
    assert "order" in folds.findings[0].message


def test_folds_do_not_follow_an_order_that_parts_the_classes() -> None:
    frame = pd.DataFrame({"lot": [f"lot {at // 10}" for at in range(1000)], "x": range(1000)})
    frame["y"] = np.arange(1000) // 100
    test = pd.DataFrame({"lot": [f"lot {100 + at // 10}" for at in range(200)], "x": range(200)})
    problem = Problem(
        name="lots",
        kind="multiclass",
        metric="accuracy",
        direction="maximize",
        targets=("y",),
        labels=tuple("0123456789"),
        columns=(Column(name="lot", kind="category", unique=100), Column(name="x", kind="number")),
        groups="lot",
        rows=1000,
        test_rows=200,
    )
    folds = choose(problem, frame, test)
    for label in range(10):
        assert len(set(folds.full[frame["y"] == label])) > 1
