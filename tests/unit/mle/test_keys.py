"""Keys on both sides of a comparison: one spelling, gaps, and rows that keep what joins them."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from proveout.apps.mle import intake
from proveout.apps.mle.harness.arena import Arena
from proveout.apps.mle.intake.files import joined
from proveout.apps.mle.intake.ordering import Both, groups_in
from proveout.apps.mle.problem import Column, Problem
from proveout.apps.mle.tables.folds import choose
from proveout.apps.mle.tables.keys import cut, key_text
from tests.mle_tables import rows, write_task


def whole_numbers(count: int, seed: int) -> pd.Series:
    return pd.Series(np.random.default_rng(seed).integers(0, 200, count))


def test_a_gap_makes_no_groups_of_whole_numbers() -> None:
    train, test = whole_numbers(3000, 0), whole_numbers(1000, 1)
    assert groups_in(Both(train.to_frame("n"), test.to_frame("n")), "", {"n"}) == ""
    gapped = train.astype(float).mask(train.index == 7)
    assert groups_in(Both(gapped.to_frame("n"), test.to_frame("n")), "", {"n"}) == ""
    apart = Both(gapped.to_frame("n"), (test + 500).to_frame("n"))
    assert groups_in(apart, "", {"n"}) == "n"


def test_one_spelling_of_a_key() -> None:
    for values in ([27, -3], [27.0, -3.0], ["27", "-3"], ["27.0", "-3.00"]):
        assert list(key_text(pd.Series(values))) == ["27", "-3"]
    assert list(key_text(pd.Series([0.5, 2**60, 1.0]))) == ["0.5", str(float(2**60)), "1"]
    assert list(key_text(pd.Series(["007", "v1.0", "1.0.0", "2.50"]))) == [
        *("007", "v1.0", "1.0.0", "2.50")
    ]


def test_a_missing_key_is_a_group_of_its_own() -> None:
    for values in ([1.0, np.nan, 1.0, np.nan], ["a_1", None, "a_2", None]):
        groups = cut(pd.Series(values, index=[5, 5, 6, 7]), "_" if "a_1" in values else "")
        assert groups.iloc[0] == groups.iloc[2]
        assert groups.nunique() == 3


def test_folds_of_groups_with_gaps() -> None:
    frame = rows(400).assign(y=0.5, who=np.arange(400) // 4)
    frame["who"] = frame["who"].where(frame.index % 4 != 0)
    problem = Problem(
        name="p",
        kind="regression",
        metric="rmse",
        direction="minimize",
        targets=("y",),
        groups="who",
        columns=(Column(name="who", kind="number"), Column(name="signal", kind="number")),
    )
    found = choose(problem, frame, frame.head(0))
    assert frame.assign(fold=found.full).groupby("who")["fold"].nunique().max() == 1
    assert len(set(found.groups)) == 200


@pytest.mark.parametrize("gap", [np.nan, "x"])
def test_labels_beside_rows_are_found_by_any_spelling(gap: object) -> None:
    features = pd.DataFrame({"n": [1.0, 2.0, gap], "x": [5, 6, 7]})
    labels = pd.DataFrame({"n": [2, 1], "y": ["b", "a"]})
    found = joined([features, labels], ["features", "labels"])
    assert list(found.columns) == ["n", "x", "y"]
    assert list(found["y"].fillna("")) == ["a", "b", ""]
    pd.testing.assert_series_equal(found["n"], features["n"])


def test_a_sample_that_spells_keys_as_fractions(tmp_path: Path) -> None:
    train, test = rows(90), rows(30, 1)
    train.insert(0, "code", range(90))
    test.insert(0, "code", range(90, 120))
    train["y"] = train["signal"]
    sample = pd.DataFrame({"code": test["code"].astype(float), "y": 0.0})
    assert intake.inspect(write_task(tmp_path, train, test, sample=sample)).id_column == "code"


def test_hidden_rows_keep_the_key_that_joins_a_table(tmp_path: Path) -> None:
    """Members are in training and test alike, at different times."""
    train, test = rows(600), rows(200, 1)
    train.insert(0, "member", np.arange(600))
    test.insert(0, "member", np.arange(400, 600))
    train["y"] = train["signal"]
    folder = write_task(tmp_path / "t", train, test)
    visits = pd.DataFrame({"member": np.repeat(np.arange(600), 2), "spent": np.arange(1200) / 8})
    visits.to_csv(folder / "visits.csv", index=False)
    (folder / "task.toml").write_text('id_column = "member"\n', "utf-8")
    problem = intake.inspect(folder)
    assert [it.key for it in problem.tables] == ["member"] == [problem.id_column]
    arena = Arena.prepare(problem, folder, tmp_path / "w")
    shown = pd.read_csv(arena.input / "test.csv")
    assert len(shown) > 200
    assert shown["member"].isin(visits["member"]).all()
    hidden = shown[~np.isin(np.arange(len(shown)), arena.real_rows)]
    facts = hidden.merge(train, on=["member", "signal"])
    assert len(facts) == len(hidden)
