"""Traps are found from training and test rows, and what is no trap is left alone."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from proveout.apps.mle import intake
from proveout.apps.mle.harness.arena import Arena
from tests.mle_tables import regression, rows, write_task


def task(folder: Path, train: pd.DataFrame, test: pd.DataFrame) -> intake.Inspection:
    train = train.copy()
    train["y"] = train["signal"] * 2 + np.random.default_rng(9).normal(size=len(train))
    return intake.look(write_task(folder, train, test))


def dropped(looked: intake.Inspection) -> dict[str, str]:
    return {it.column: it.code.removeprefix("mle.data.") for it in looked.problem.dropped}


def codes(looked: intake.Inspection) -> set[str]:
    return {finding.code for finding in looked.findings}


def test_columns_filled_in_after_the_outcome(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    train, test = rows(1000), rows(400, 1)
    for frame in (train, test):
        frame["amount"] = rng.integers(1000, 9000, len(frame))
    train["paid"] = rng.random(1000)
    test["paid"] = 0.0
    train["left"] = train["amount"] * rng.random(1000)
    test["left"] = test["amount"].astype(float)
    train["closed"] = np.where(rng.random(1000) < 0.8, "2020-01-05", "")
    test["closed"] = None
    train["fine"] = np.where(rng.random(1000) < 0.03, 5.0, 0.0)
    test["fine"] = 0.0
    train["always"], test["always"] = 7, 7
    looked = task(tmp_path, train, test)
    assert dropped(looked) == {
        "always": "constant",
        "paid": "collapsed_at_test",
        "fine": "collapsed_at_test",
        "left": "copy_at_test",
        "closed": "filled_differently",
    }
    assert "amount" in {column.name for column in looked.problem.features}
    assert (looked.problem.groups, looked.problem.time) == ("", "")


def test_rare_values_may_be_absent_from_few_test_rows(tmp_path: Path) -> None:
    train, test = rows(1000), rows(60, 1)
    train["rare"] = (np.arange(1000) % 50 == 0).astype(int)
    test["rare"] = 0
    assert dropped(task(tmp_path, train, test)) == {}


@pytest.mark.parametrize("seed", range(8))
def test_a_fair_split_has_no_traps(tmp_path: Path, seed: int) -> None:
    frame = rows(900, seed)
    rng = np.random.default_rng(seed)
    frame["shop"] = rng.integers(0, 30, 900)
    frame["day"] = pd.to_datetime("2020-01-01") + pd.to_timedelta(rng.integers(0, 90, 900), "D")
    frame["year"] = rng.integers(2000, 2010, 900)
    frame["code"] = [f"{at // 3:04d}_{at % 3}" for at in rng.permutation(900)]
    looked = task(tmp_path, frame.iloc[:600], frame.iloc[600:].reset_index(drop=True))
    assert dropped(looked) == {}
    assert (looked.problem.groups, looked.problem.time) == ("", "")
    assert codes(looked) <= {"mle.folds.no_holdout"}


def test_groups_that_are_never_on_both_sides(tmp_path: Path) -> None:
    train, test = rows(600), rows(200, 1)
    train["patient"] = [f"p{at // 4}" for at in range(600)]
    test["patient"] = [f"p{1000 + at // 4}" for at in range(200)]
    assert task(tmp_path, train, test).problem.groups == "patient"


def test_groups_inside_of_groups_give_the_larger(tmp_path: Path) -> None:
    train, test = rows(600), rows(200, 1)
    for frame, first in ((train, 0), (test, 5000)):
        frame["patient"] = [first + at // 4 for at in range(len(frame))]
        frame["ward"] = [f"w{first + at // 40}" for at in range(len(frame))]
    assert task(tmp_path, train, test).problem.groups == "ward"


def test_few_groups_are_little_evidence(tmp_path: Path) -> None:
    """Every row of a region has the region's climate: five regions without snow are no collapse."""
    train, test = rows(2000), rows(500, 1)
    for frame, first in ((train, 0), (test, 100)):
        region = first + np.arange(len(frame)) // 100
        frame["region"] = [f"r{at}" for at in region]
        frame["snow"] = np.where((region % 3 == 0) & (region < 100), "much", "none")
        frame["gauge"] = np.where((region < 100) & (region % 3 > 0), 0.5, np.nan)
    looked = task(tmp_path, train, test)
    assert looked.problem.groups == "region"
    assert dropped(looked) == {}


def test_a_handful_of_test_rows_proves_nothing(tmp_path: Path) -> None:
    train, test = rows(500), rows(4, 1)
    train["late"], test["late"] = np.arange(500) % 5 // 4, 0
    train["seen"], test["seen"] = 1.5, np.nan
    train.loc[::3, "seen"] = np.nan
    assert dropped(task(tmp_path, train, test)) == {}


def test_groups_in_the_beginning_of_the_key(tmp_path: Path) -> None:
    train, test = rows(600), rows(200, 1)
    train.insert(0, "key", [f"{at // 3:04d}-{at % 3}" for at in range(600)])
    test.insert(0, "key", [f"{900 + at // 3:04d}-{at % 3}" for at in range(200)])
    problem = task(tmp_path, train, test).problem
    assert (problem.id_column, problem.groups) == ("key", "key|-")


@pytest.mark.parametrize("form", ["%Y-%m-%d", "%d/%m/%Y", "%Y%m%d", "%b %d, %Y", "%Y-%m-%dT%H:%M"])
def test_later_dates(tmp_path: Path, form: str) -> None:
    train, test = rows(400), rows(100, 1)
    days = pd.date_range("2020-01-01", periods=500)
    train["when"], test["when"] = days[:400].strftime(form), days[400:].strftime(form)
    order = np.random.default_rng(0).permutation(400)
    looked = task(tmp_path, train.iloc[order].reset_index(drop=True), test)
    assert looked.problem.time == "when"
    assert dropped(looked) == {}


def test_year_month_and_day_in_columns_of_their_own(tmp_path: Path) -> None:
    train, test = rows(400), rows(60, 1)
    days = pd.date_range("2019-11-01", periods=460)
    for frame, some in ((train, days[:400]), (test, days[400:])):
        frame["Year"], frame["mnth"], frame["day"] = some.year, some.month, some.day
    problem = task(tmp_path, train, test).problem
    assert problem.time == "Year+mnth+day"


def test_a_counter_of_periods(tmp_path: Path) -> None:
    train, test = rows(600), rows(60, 1)
    train["period"], test["period"] = np.arange(600) // 20, 30
    looked = task(tmp_path, train, test)
    assert looked.problem.time == "period"
    assert dropped(looked) == {}


def test_a_running_number_is_no_time(tmp_path: Path) -> None:
    assert intake.inspect(regression(tmp_path)).time == ""


def test_a_season_is_no_collapse(tmp_path: Path) -> None:
    """Snow does not fall in summer: a stretch of training looks just like the test."""
    train, test = rows(1095), rows(60, 1)
    days = pd.date_range("2017-01-01", periods=1155)
    for frame, some in ((train, days[:1095]), (test, days[1095:])):
        frame["date"] = some.strftime("%Y-%m-%d")
        frame["swimmers"] = np.where(some.month.isin([6, 7, 8]), 1 + some.day, 0)
    looked = task(tmp_path, train, test)
    assert looked.problem.time == "date"
    assert dropped(looked) == {}


def test_one_column_gives_the_target_away(tmp_path: Path) -> None:
    train, test = rows(500), rows(100, 1)
    test["copy"] = test["signal"] * 5
    train["copy"] = 0.0
    train["y"] = train["signal"] * 2 + 1
    train["copy"] = train["y"] * 3
    looked = intake.look(write_task(tmp_path, train, test))
    assert {f.where for f in looked.findings if f.code == "mle.data.oracle"} == {"copy", "signal"}


@pytest.mark.parametrize(
    ("ordered", "warned"), [(True, {"size"}), (False, {"series", "no", "size"})]
)
def test_that_series_differ_in_size_is_no_leak(
    tmp_path: Path, ordered: bool, warned: set[str]
) -> None:
    chance = np.random.default_rng(0)
    days = pd.date_range("2022-01-01", periods=150).astype(str)
    made = pd.DataFrame(
        {"day": np.repeat(days, 9), "no": np.tile(np.arange(9) * 7013 + 10_000, 150)}
    )
    made["series"] = made["no"].map(lambda it: f"store {it % 91}")
    level = made["no"].map(dict(zip(made["no"].unique(), chance.permutation(9) * 100, strict=True)))
    made["sold"] = level + chance.normal(size=len(made)).round(3)
    made["size"] = made["sold"] + chance.normal(size=len(made)).round(3)
    if not ordered:
        made = made.sample(frac=1, random_state=0)
    train, test = made[:1170], made[1170:].drop(columns="sold").assign(row=range(180))
    train = train.assign(row=range(1000, 2170))
    looked = intake.look(write_task(tmp_path, train, test, "Predict `sold`. Metric: MAE."))
    assert bool(looked.problem.time) == ordered
    assert {f.where for f in looked.findings if f.code == "mle.data.oracle"} == warned


def test_columns_that_only_the_test_has_are_told_once(tmp_path: Path) -> None:
    train, test = rows(300), rows(100, 1)
    test["season"], test["clerk"] = "winter", range(100)
    looked = task(tmp_path, train, test)
    [told] = [f for f in looked.findings if f.code == "mle.data.only_at_test"]
    assert (told.severity, told.where) == ("info", "season")
    assert "'clerk'" in told.message
    plain = task(tmp_path / "plain", train, rows(100, 1))
    assert not [f for f in plain.findings if f.code == "mle.data.only_at_test"]


def test_a_moved_column_is_told_not_dropped(tmp_path: Path) -> None:
    train, test = rows(500), rows(300, 1)
    test["signal"] = test["signal"] + 3
    looked = task(tmp_path, train, test)
    assert [f.where for f in looked.findings if f.code == "mle.data.drift"] == ["signal"]
    assert dropped(looked) == {}


def test_what_task_toml_says_wins(tmp_path: Path) -> None:
    train, test = rows(600), rows(200, 1)
    train["patient"] = [f"p{at // 4}" for at in range(600)]
    test["patient"] = [f"p{1000 + at // 4}" for at in range(200)]
    train["paid"], test["paid"] = np.arange(600) * 0.5, 0.0
    train["y"] = train["signal"]
    folder = write_task(tmp_path, train, test, toml='groups = ""\ndropped = []\n')
    problem = intake.inspect(folder)
    assert (problem.groups, problem.dropped) == ("", ())


def test_what_is_the_same_of_many_columns_is_told_once(tmp_path: Path) -> None:
    train, test = rows(200), rows(80, 1)
    for place in range(20):
        train[f"flat{place}"] = test[f"flat{place}"] = 3
    for place in range(2):
        train[f"spare{place}"] = range(200)
    train["y"] = train["signal"] * 2
    sample = pd.DataFrame({"id": range(80), "y": 0.0})
    train.insert(0, "id", range(100, 300))
    test.insert(0, "id", range(80))
    looked = intake.look(write_task(tmp_path, train, test, sample=sample))
    told = [it.message for it in looked.findings]
    assert "20 columns ('flat0', 'flat1', 'flat2' and 17 more) are not used: one value only" in told
    assert "2 columns ('spare0', 'spare1') are in the training file only" in told


def test_a_brief_look_leaves_to_the_arena_what_the_arena_tells(tmp_path: Path) -> None:
    train, test = rows(200), rows(80, 1)
    train["flat"] = test["flat"] = 3
    train["y"] = train["signal"] * 2
    folder = write_task(tmp_path / "task", train, test)
    whole, brief = intake.look(folder), intake.look(folder, briefly=True)
    arena = Arena.prepare(brief.problem, folder, tmp_path / "work")
    assert brief.problem == whole.problem
    assert set(whole.findings) <= {*brief.findings, *arena.findings}
