"""Whole numbers that are names: each value has a level of its own, and their order stays."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from proveout.apps.mle import intake
from proveout.apps.mle.experts.blocks import rows as script_rows
from proveout.apps.mle.experts.blocks import views
from proveout.apps.mle.experts.blocks.part import Part
from proveout.apps.mle.experts.features import numbered_names, usual_steps
from proveout.apps.mle.experts.ranking import first_recipe
from proveout.apps.mle.experts.writer import write_script
from proveout.apps.mle.problem import Column, Problem
from proveout.apps.mle.tables.columns import described
from tests.mle_tables import rows, write_task

RNG = np.random.default_rng(4)
FAR_APART = np.unique(RNG.integers(100_000, 480_000, 200))


def is_code(name: str, values: np.ndarray) -> bool:
    column = pd.Series(values)
    return described(name, column, column).code


@pytest.mark.parametrize(
    "name", ["userId", "movie_id", "zip", "occupation code", "unitid", "House No", "key", "storenr"]
)
def test_names_say_that_numbers_are_names(name: str) -> None:
    column = pd.Series(RNG.integers(1, 60, 900))
    found = described(name, column, column)
    assert (found.kind, found.code) == ("number", True)


@pytest.mark.parametrize("name", ["rooms", "paid", "price index", "amount", "age"])
def test_amounts_are_no_names(name: str) -> None:
    assert not is_code(name, RNG.integers(1, 60, 900))
    assert not is_code(name, RNG.integers(100, 999, 900) * 100)
    assert not is_code(name, np.floor(RNG.lognormal(8, 2, 900)))


def test_values_say_so_where_names_do_not() -> None:
    assert is_code("college", RNG.choice(FAR_APART, 900))
    assert not is_code("timestamp", RNG.choice(FAR_APART, 900))


def test_keys_fractions_and_numbers_that_the_test_does_not_know_are_none() -> None:
    assert described("row_id", pd.Series(range(900)), pd.Series(range(900))).kind == "id"
    assert not is_code("part id", np.arange(900) // 1.5)
    assert not is_code("part id", RNG.random(900).round(1))
    assert not described("lot_id", pd.Series(range(90)), pd.Series(range(900, 990))).code
    apart = described("lot_id", pd.Series(np.arange(900) % 60), pd.Series(np.arange(60) + 60))
    assert not apart.code


def ratings(folder: Path) -> Path:
    frame = rows(900).assign(userId=RNG.integers(1, 40, 900))
    frame["y"] = RNG.normal(size=41)[frame["userId"]]
    return write_task(folder, frame[:700], frame[700:].drop(columns="y"))


def test_first_recipes_learn_a_level_for_each_numbered_name(tmp_path: Path) -> None:
    problem = intake.inspect(ratings(tmp_path))
    assert numbered_names(problem) == ["userId"]
    steps = usual_steps(problem)
    assert {"numbers", "numbered", "mean_targets", "frequencies"} <= set(steps)
    script = write_script(problem, first_recipe(problem, "lightgbm"))
    assert 'CODES = ["userId"]' in script
    assert "code_names(frame, CODES)" in script


def test_what_orders_or_groups_the_rows_has_no_levels() -> None:
    columns = tuple(Column(name=it, kind="number", unique=50, code=True) for it in ("a", "b", "c"))
    problem = Problem(
        name="p",
        kind="regression",
        metric="rmse",
        direction="minimize",
        targets=("y",),
        columns=columns,
        time="a",
        groups="b",
        rows=900,
    )
    assert numbered_names(problem) == ["c"]


def test_levels_of_numbered_names_come_from_other_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(script_rows, "NUMBERS", ["userId"])
    frame = pd.DataFrame({"userId": np.repeat(np.arange(20), 30)})
    named = script_rows.code_names(frame, ["userId"])
    y = np.repeat(np.arange(20.0), 30)
    y[0] = 1e6
    one = np.ones(600)
    part = Part(named, y, [named], [], (), weight=one, stop=one < 0, keys=np.arange(600))
    own, later = views.mean_targets(part)
    # The row itself does not know of its target, while others of that name do.
    assert own.iloc[0, 0] < 1e4 < later.iloc[0, 0]
    monkeypatch.setattr(script_rows, "CODES", ["userId"])
    assert script_rows.code_columns(frame) == []
