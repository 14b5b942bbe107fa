"""A key that is a person's, not a row's: the test has one row of each, training several."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from proveout.apps.mle.harness.arena import Arena
from proveout.apps.mle.intake import inspect
from proveout.apps.mle.problem import Problem
from tests.mle_tables import write_task


def years(people: int = 120, first: int = 2020, last: int = 2024) -> pd.DataFrame:
    chance = np.random.default_rng(2)
    frame = pd.DataFrame(
        [
            {"person": 1000 + 7 * who, "year": year, "visits": int(chance.integers(0, 30))}
            for who in range(people)
            for year in range(first, last)
        ]
    )
    frame["ill"] = np.where(chance.random(len(frame)) < 0.4, "yes", "no")
    return frame


def task(folder: Path, train: pd.DataFrame, test: pd.DataFrame) -> Problem:
    test = test.drop(columns="ill")
    sample = test[["person"]].assign(ill=0.5)
    write_task(folder, train, test, "Metric: area under the ROC curve.", sample)
    return inspect(folder)


def features(problem: Problem) -> set[str]:
    return {column.name for column in problem.features}


def test_whom_rows_are_about_is_a_feature(tmp_path: Path) -> None:
    frame = years()
    later = frame["year"] == 2023
    problem = task(tmp_path, frame[~later], frame[later])
    assert (problem.id_column, problem.time) == ("person", "year")
    assert "person" in features(problem)


def test_hidden_rows_are_still_about_the_same(tmp_path: Path) -> None:
    frame = years()
    later = frame["year"] == 2023
    problem = task(tmp_path / "task", frame[~later], frame[later])
    arena = Arena.prepare(problem, tmp_path / "task", tmp_path / "work")
    shown = pd.read_csv(arena.input / "test.csv")
    assert len(arena.case().hidden) > 0
    assert len(shown) == later.sum() + len(arena.case().hidden)
    assert set(shown["person"]) <= set(frame["person"])


@pytest.mark.parametrize("kind", ["once", "copies", "strangers"])
def test_a_key_of_rows_is_none(kind: str, tmp_path: Path) -> None:
    """It is there once; or again only with copies of a row; or the test is about others."""
    frame = years(people=400, first=2022)
    earlier, later = (frame[frame["year"] == year] for year in (2022, 2023))
    if kind == "copies":
        earlier = pd.concat([earlier] * 3)
    if kind == "strangers":
        earlier = pd.concat([earlier, earlier.assign(visits=earlier["visits"] + 1)])
        later = later.assign(person=later["person"] + 1)
    problem = task(tmp_path, earlier, later)
    assert problem.id_column == "person"
    assert "person" not in features(problem)
