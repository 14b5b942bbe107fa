"""What scripts make of further tables, and of keys with gaps."""

import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from proveout.apps.mle import leakage
from proveout.apps.mle.experts.blocks import further
from proveout.apps.mle.experts.ranking import first_recipe
from proveout.apps.mle.experts.writer import write_script
from proveout.apps.mle.problem import Table
from tests.unit.mle.test_writer import mixed_problem, put_mixed, run, small

SALES = pd.DataFrame(
    {
        "who": ["1", "1", "1", "2", "2", "3"],
        "day": ["2024-03-01", "2024-01-01", "2024-02-01", "2024-02-10", "2024-02-10", None],
        "kind": ["card", "cash", "card", "cash", None, "cash"],
        "spent": [4.0, 1.0, 7.0, np.nan, 5.0, 2.0],
        "paid": [True, True, False, True, True, True],
        "remark": ["a", "b", "c", "d", "e", "f"],
        "land": ["DE"] * 6,
    }
)


def agree(found: pd.DataFrame, wanted: dict[str, list[float]]) -> None:
    for name, values in wanted.items():
        np.testing.assert_allclose(found.loc[["1", "2", "3"], name], values, err_msg=name)


def test_several_lines_are_summed_up() -> None:
    found = further.several_lines(SALES, "who")
    wanted: dict[str, list[float]] = {
        "lines": [3, 2, 1],
        "day: days since the last": [0, 20, np.nan],
        "day: days from first to last": [60, 0, np.nan],
        "spent: mean": [4, 5, 2],
        "spent: sum": [12, 5, 2],
        "kind: share of card": [2 / 3, 0, 0],
        "paid: mean": [2 / 3, 1, 1],
    }
    agree(found, wanted)
    assert not [name for name in found if name.startswith(("remark", "land"))]


def test_details_of_several_lines() -> None:
    found = further.line_details(SALES, "who")
    wanted: dict[str, list[float]] = {
        "spent: max": [7, 5, 2],
        "spent: min": [1, 5, 2],
        "spent: last": [4, 5, 2],
        "spent: std": [3, np.nan, np.nan],
        "kind: different": [2, 1, 1],
        "kind card: times": [2, 0, 0],
        "day: first": [8766, 8806, np.nan],
    }
    agree(found, wanted)
    # The same for everybody.
    assert "kind cash: times" not in found
    assert list(found.loc[["1", "2"], "kind: last"]) == ["card", "cash"]
    bare = further.line_details(SALES[["who", "land"]], "who")
    assert bare.shape == (3, 0)


def test_a_name_that_belongs_to_the_key_stays_a_name() -> None:
    towns = SALES.assign(town=SALES["who"].map({"1": "A", "2": "B", "3": "A"}))
    found = further.several_lines(towns, "who")
    assert list(found.loc[["1", "2", "3"], "town"]) == ["A", "B", "A"]


def test_single_lines_stay_as_they_are() -> None:
    one = SALES.drop_duplicates("who").assign(kind=["card", "cash", "cash"], land=["A", "B", "A"])
    found = further.single_lines(one, "who")
    assert list(found["spent"].fillna(-1)) == [4.0, -1.0, 2.0]
    assert found["day"].iloc[0] - found["day"].iloc[1] == 20
    assert set(found.columns) == {"day", "spent", "lines"}
    # Names come back, so they are kinds: two of four lines.
    more = pd.concat([one, one.assign(who=["4", "5", "6"])])
    assert {"kind", "land"} <= set(further.single_lines(more, "who").columns)


def test_only_dates_are_taken_for_dates() -> None:
    assert further.as_days(pd.Series(["may", "april"])) is None
    assert further.as_days(pd.Series(["1.5.3", "2.0.1"])) is None
    assert further.as_days(pd.Series([None, None], dtype="object")) is None
    days = further.as_days(pd.Series(["31.01.2000", "01.02.2000", None]))
    assert days is not None
    assert list(days.fillna(-1)) == [30.0, 31.0, -1.0]
    moments = further.as_days(pd.Series(pd.to_datetime(["2000-01-02", "2000-01-01"])))
    assert moments is not None
    assert list(moments) == [1.0, 0.0]


def test_the_number_of_columns_is_bounded_and_the_plainest_stay() -> None:
    rng = np.random.default_rng(0)
    wide = pd.DataFrame(rng.random((400, 60)), columns=[f"n{at}" for at in range(60)])
    wide["n3"] = wide["n3"].where(rng.random(400) < 0.2)
    found = further.several_lines(wide.assign(who=(np.arange(400) % 50).astype(str)), "who")
    assert len(found.columns) == further.MOST_FURTHER + 1
    assert "n0: mean" in found
    assert "n3: sum" not in found


def test_a_million_lines_take_seconds() -> None:
    rng = np.random.default_rng(0)
    count = 1_000_000
    table = pd.DataFrame({"who": rng.integers(0, 50_000, count).astype(str)})
    table["spent"] = rng.random(count)
    table["kind"] = rng.choice(["a", "b", "c", "d"], count)
    table["day"] = rng.choice(pd.date_range("2024-01-01", periods=300).strftime("%Y-%m-%d"), count)
    begin = time.process_time()
    found = further.several_lines(table, "who")
    further.line_details(table, "who")
    assert time.process_time() - begin < 20
    assert len(found) == table["who"].nunique()


def test_scripts_join_keys_of_any_spelling(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "input").mkdir()
    SALES.assign(who=SALES["who"] + ".0").to_csv(tmp_path / "input/sales.csv", index=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(further, "JOINS", [("sales.csv", "who")])
    further.table_facts.cache_clear()
    frame = pd.DataFrame({"who": ["2", "9", "1.0", None]}, index=[4, 3, 2, 1], dtype="str")
    found = further.further_tables(frame)
    assert list(found.index) == [4, 3, 2, 1]
    assert list(found["sales.csv lines"]) == [2.0, 0.0, 3.0, 0.0]
    assert list(found["sales.csv spent: sum"]) == [5.0, 0.0, 12.0, 0.0]
    details = further.further_tables(frame, "details")
    assert list(details["sales.csv kind: last"]) == ["cash", "(none)", "card", "(none)"]
    assert list(details["sales.csv kind card: times"]) == [0.0, 0.0, 2.0, 0.0]
    assert found["sales.csv spent: mean"].isna().tolist() == [False, True, False, True]


def test_scripts_with_tables_and_groups_with_gaps_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`cabin` is missing in some rows; each of these is a group of its own."""
    tables = (Table(file="sales.csv", key="cabin", columns=("spent",)),)
    problem = mixed_problem("binary", "auc", groups="cabin", tables=tables)
    train = put_mixed(tmp_path, problem)
    assert train["cabin"].isna().any()
    named = train["cabin"].dropna().iloc[:30]
    lines = pd.DataFrame({"cabin": [*named, *named], "spent": np.arange(60.0), "kind": "x"})
    lines["day"] = pd.date_range("2024-01-01", periods=60).strftime("%d.%m.%Y")
    lines.to_csv(tmp_path / "input/sales.csv", index=False)
    for card in ("lightgbm", "linear"):
        recipe = small(first_recipe(problem, card))
        every = recipe.members[0].having(add=("further_details",))
        source = write_script(problem, recipe.with_members([every]))
        assert leakage.examine(source).leaks == ()
        assert np.isfinite(run(source, tmp_path, monkeypatch)["test"]).all()
