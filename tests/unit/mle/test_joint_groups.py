"""Groups that two columns name together, like a storm by name and year."""

import runpy
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from proveout.apps.mle.experts.ranking import first_recipe
from proveout.apps.mle.experts.steering import written
from proveout.apps.mle.harness.arena import Arena
from proveout.apps.mle.intake import IntakeError, inspect
from proveout.apps.mle.intake.ordering import Both, groups_in
from proveout.apps.mle.problem import Problem
from proveout.apps.mle.scripts.reading import parse_score
from proveout.apps.mle.tables.keys import group_columns, joint
from tests.mle_tables import write_task


def storms(seed: int = 0) -> pd.DataFrame:
    """Names come back in other years; a storm has its own strength."""
    chance = np.random.default_rng(seed)
    made = [
        pd.DataFrame(
            {
                "name": name,
                "year": year,
                "hour": chance.integers(0, 24, 6),
                "wind": chance.normal(size=6),
                "status": chance.normal() + chance.normal(scale=0.1, size=6),
            }
        )
        for year in range(2000, 2012)
        for name in chance.choice(["Ana", "Bob", "Cleo", "Dan", "Eve", "Flo"], 4, replace=False)
    ]
    return pd.concat(made, ignore_index=True)


def divided(by: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    frame = storms()
    chance = np.random.default_rng(1)
    whole = frame["name"] + frame["year"].astype(str)
    if by == "storm":
        later = whole.isin(chance.choice(whole.unique(), 14, replace=False))
    else:
        later = pd.Series(chance.random(len(frame)) < 0.3)
    return frame[~later].reset_index(drop=True), frame[later].reset_index(drop=True)


@pytest.mark.parametrize(("by", "found"), [("storm", "name+year"), ("row", "")])
def test_two_columns_are_a_group_only_if_chance_would_not_keep_it_whole(
    by: str, found: str
) -> None:
    train, test = divided(by)
    usable = {"name", "year", "hour", "wind"}
    assert groups_in(Both(train, test.drop(columns="status")), "", usable) == found


def test_one_column_that_is_a_group_comes_first() -> None:
    train, test = divided("storm")
    for side in (train, test):
        side["code"] = side["name"] + side["year"].astype(str)
    assert groups_in(Both(train, test), "", {"name", "year", "code"}) == "code"


def problem_of(folder: Path, toml: str = "") -> Problem:
    train, test = divided("storm")
    train.loc[3, "name"] = None
    write_task(folder, train, test.drop(columns="status"), toml=toml)
    return inspect(folder)


def test_folds_and_scripts_keep_them_together(tmp_path: Path) -> None:
    problem = problem_of(tmp_path / "task")
    assert group_columns(problem) == (("name", "year"), "")
    arena = Arena.prepare(problem, tmp_path / "task", tmp_path / "work")
    case = arena.case()
    train = pd.read_csv(arena.input / "train.csv")
    assert train["name+year"].isna().sum() == train["name"].isna().sum()
    known = case.fold >= 0
    folds_of = pd.Series(case.fold[known]).groupby(arena.groups[known]).nunique()
    assert folds_of.max() == 1
    fold = pd.read_csv(arena.input / "folds.csv")["fold"]
    assert fold.groupby(train["name"] + train["year"].astype(str)).nunique().max() == 1


def test_a_script_runs_on_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    problem = problem_of(tmp_path / "task")
    arena = Arena.prepare(problem, tmp_path / "task", tmp_path / "work")
    source = written(problem, first_recipe(problem, "linear"))
    assert 'GROUP = "name+year"' in source
    script = tmp_path / "script.py"
    script.write_text(source)
    (tmp_path / "input").symlink_to(arena.input)
    (tmp_path / "final").mkdir()
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(script), run_name="__main__")
    evaluation, held = arena.judged(tmp_path, parse_score(capsys.readouterr().out))
    assert evaluation.findings == ()
    assert held is not None


def test_a_group_without_a_part_of_its_name_is_alone() -> None:
    frame = pd.DataFrame({"a": ["x", "x", None, None], "b": [1, 1, 1, 1]})
    assert joint(frame, ("a", "b")).nunique() == 3


def test_a_part_that_is_no_column_is_told(tmp_path: Path) -> None:
    with pytest.raises(IntakeError, match="there is no column 'town'"):
        problem_of(tmp_path, toml='groups = "name+town"\n')
