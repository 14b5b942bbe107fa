"""What is learnt suits the metric: shares of the value, whatever its unit and sign."""

import runpy
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from proveout.apps.mle.experts.blocks.validate import Data, share_form, small_weights
from proveout.apps.mle.experts.edits import EDITS
from proveout.apps.mle.experts.ranking import first_recipe
from proveout.apps.mle.experts.recipe import Recipe
from proveout.apps.mle.experts.writer import write_script
from proveout.apps.mle.problem import Column, Problem

NOTHING = pd.DataFrame()
BY_NAME = {edit.name: edit for edit in EDITS}


def problem(metric: str, **more: object) -> Problem:
    columns = tuple(Column(name=f"c{n}", kind="number", unique=500) for n in range(4))
    known = {
        "name": "pay", "kind": "regression", "metric": metric, "direction": "minimize",
        "targets": ("pay",), "columns": columns, "submission_columns": ("pay",), "rows": 500,
    }  # fmt: skip
    return Problem.model_validate({**known, **more})


def put(folder: Path, unit: float) -> None:
    """Pay that is twice as much or half for what nobody knows."""
    chance = np.random.default_rng(0)
    table = pd.DataFrame(chance.normal(size=(600, 4)), columns=[f"c{n}" for n in range(4)])
    table["pay"] = unit * np.exp(table["c0"] + 0.5 * table["c1"] + chance.normal(0, 0.7, 600))
    folder.joinpath("input").mkdir()
    table[:500].to_csv(folder / "input/train.csv", index=False)
    table[500:].drop(columns="pay").to_csv(folder / "input/test.csv", index=False)
    pd.DataFrame({"fold": np.arange(500) % 3}).to_csv(folder / "input/folds.csv", index=False)


def score(source: str, capsys: pytest.CaptureFixture[str]) -> float:
    Path("script.py").write_text(source, encoding="utf-8")
    runpy.run_path("script.py")
    return float(capsys.readouterr().out.split("Performance:")[1])


def plainly(recipe: Recipe) -> Recipe:
    return recipe.with_first(
        recipe.members[0].model_copy(update={"form": "plain", "weigh": ("repeats",)})
    )


@pytest.mark.parametrize("card", ["linear", "lightgbm", "net"])
@pytest.mark.parametrize(("metric", "gain"), [("mape", 0.8), ("smape", 0.95)])
def test_scripts_begin_with_what_suits_shares(
    metric: str,
    gain: float,
    card: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    put(tmp_path, unit=0.01)
    monkeypatch.chdir(tmp_path)
    asked = problem(metric)
    recipe = first_recipe(asked, card, 10.0)
    begun = score(write_script(asked, recipe), capsys)
    assert begun < gain * score(write_script(asked, plainly(recipe)), capsys)


@pytest.mark.parametrize(
    "y",
    [
        np.array([0.0, 0.0, 3.0, 500.0]),
        np.array([-40.0, -1.0, 0.0, 2.0, 90.0]),
        np.array([1e-9, 5e-9, 1e-7]),
        np.zeros(3),
    ],
)
def test_shares_are_turned_back_whatever_the_sign(y: np.ndarray) -> None:
    shares, (back,) = share_form(y, NOTHING, [NOTHING])
    assert np.isfinite(shares).all()
    assert back(shares) == pytest.approx(y, rel=1e-9, abs=1e-15)
    # What was never seen is not predicted.
    assert np.abs(back(shares + 1e3)).max() <= np.abs(y).max() + 1e-12


def test_small_values_count_more_but_noughts_not_without_end() -> None:
    y = np.array([0.0, *np.arange(1.0, 100.0)]).reshape(-1, 1)
    data = Data({}, {}, y, np.zeros(100), NOTHING, NOTHING, np.arange(100))
    weights = small_weights(data, np.arange(100))
    assert np.all(np.diff(weights) <= 0.0)
    assert weights[0] == weights[1] < 50 * weights[-1]


def test_ratios_to_a_level_are_shares_already() -> None:
    later = problem("mape", time="c0", years=5.0)
    followed = first_recipe(later, "lightgbm", series=True).members[0]
    assert (followed.form, followed.weigh) == ("level ratio", ())
    plain = first_recipe(later, "lightgbm", series=False).members[0]
    assert (plain.form, plain.weigh) == ("share", ("small",))


def test_weights_of_one_target_are_not_those_of_another() -> None:
    both = first_recipe(problem("mape", targets=("pay", "tax")), "linear").members[0]
    assert (both.form, both.weigh) == ("share", ("repeats",))


def test_shares_are_learnt_by_an_edit_where_they_are_scored() -> None:
    recipe = plainly(first_recipe(problem("smape"), "linear"))
    assert BY_NAME["learn share"].applies(problem("smape"), recipe)
    assert not BY_NAME["learn share"].applies(problem("rmse"), recipe)
    assert BY_NAME["weigh small"].applies(problem("mape"), recipe)
    assert not BY_NAME["weigh small"].applies(problem("smape"), recipe)
