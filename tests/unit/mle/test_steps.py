"""Steps that are left out: enough must remain to learn from."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from proveout.apps.mle.experts import ablation
from proveout.apps.mle.experts.blocks import rows
from proveout.apps.mle.experts.edits import EDITS
from proveout.apps.mle.experts.features import usual_steps
from proveout.apps.mle.experts.ranking import first_recipe
from proveout.apps.mle.experts.recipe import Recipe
from proveout.apps.mle.experts.steering import written
from proveout.apps.mle.intake import inspect
from proveout.apps.mle.problem import Column, Problem

ONLY_DATES = Problem(
    name="passengers",
    kind="regression",
    metric="rmse",
    direction="minimize",
    targets=("sold",),
    columns=(Column(name="when", kind="date", unique=900),),
    time="when",
    years=3.0,
    rows=900,
    test_rows=90,
)


def series_recipe(*steps: str) -> Recipe:
    recipe = first_recipe(ONLY_DATES, "lightgbm", series=True)
    return recipe.with_first(recipe.members[0].model_copy(update={"steps": steps}))


def applying(recipe: Recipe) -> set[str]:
    return {edit.name for edit in EDITS if edit.applies(ONLY_DATES, recipe)}


def test_edits_do_not_leave_fitted_steps_alone() -> None:
    """These add to the columns of other steps; a script of nothing else would fail."""
    whole = series_recipe("dates", "calendar", "lags")
    assert whole == first_recipe(ONLY_DATES, "lightgbm", series=True)
    drops = {name for name in applying(whole) if name.startswith("drop ")}
    assert drops == {"drop calendar", "drop lags"}
    assert "drop dates" in applying(series_recipe("dates", "day_names", "lags"))


def test_time_is_not_forgotten_where_only_fitted_steps_would_remain() -> None:
    assert "forget time" in applying(series_recipe("dates", "frequencies", "lags"))
    assert "forget time" not in applying(series_recipe("frequencies", "lags"))


def test_studies_do_not_leave_fitted_steps_alone() -> None:
    source = written(ONLY_DATES, series_recipe("dates", "calendar", "lags"))
    study = ablation.write(source, problem=ONLY_DATES)
    assert study is not None
    assert "'without lags'" in study
    assert "'without dates'" not in study


def test_weekdays_are_left_alone_where_there_is_one_date_a_week() -> None:
    daily = series_recipe("dates", "calendar", "lags")
    assert "learn weekday ratio" in applying(daily)
    weeks = (Column(name="when", kind="date", unique=157),)
    weekly = ONLY_DATES.model_copy(update={"columns": weeks})
    offered = {edit.name for edit in EDITS if edit.applies(weekly, daily)}
    assert "learn weekday ratio" not in offered
    assert "learn level" in offered


def test_copies_are_left_alone_where_there_are_none() -> None:
    """No row is a copy, whatever weights there are."""
    edits = {"count copies in full", "weigh repeats"}
    plain = Problem(
        name="copies",
        kind="regression",
        metric="rmse",
        direction="minimize",
        targets=("sold",),
        columns=(Column(name="size", kind="number", unique=400),),
        rows=900,
    )
    single = plain.model_copy(update={"repeats": False})
    begun = first_recipe(plain, "lightgbm")
    assert begun.members[0].weigh == ("repeats",)
    without = begun.with_first(begun.members[0].model_copy(update={"weigh": ()}))
    assert first_recipe(single, "lightgbm") == without

    def offered(problem: Problem) -> set[str]:
        made = (begun, without)
        return edits & {edit.name for edit in EDITS for it in made if edit.applies(problem, it)}

    assert offered(plain) == edits
    assert offered(plain.model_copy(update={"groups": "family"})) == edits
    assert offered(single) == set()


def looked_at(frame: pd.DataFrame, folder: Path) -> Problem:
    frame.to_csv(folder / "train.csv", index=False)
    frame.drop(columns="sold").head(40).to_csv(folder / "test.csv", index=False)
    (folder / "description.md").write_text("Predict `sold`. Metric: RMSE.")
    return inspect(folder)


@pytest.mark.parametrize("seed", range(6))
def test_columns_look_at_intake_as_they_do_to_scripts(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of what scripts would find, nothing is left out; of what they would not, nothing is made."""
    chance = np.random.default_rng(seed)
    count = 400
    hours, minutes = chance.integers(0, 24, count), chance.integers(0, 60, count)
    spent = chance.exponential(50, (4, count)) * (chance.random((4, count)) < 0.5)
    frame = pd.DataFrame(
        {
            "leaves": 100 * hours + minutes,
            "arrives": np.where(chance.random(count) < 0.1, np.nan, 100 * hours + minutes),
            "metres": chance.integers(0, 2400, count),
            "rooms": chance.integers(0, 4, count),
            "debt": -spent[0],
            **{f"spent {at}": spent[at].round(2) for at in range(1, 4)},
            "share": chance.random(count) * (chance.random(count) < 0.5),
        }
    )[
        [*chance.permutation(["leaves", "arrives", "metres", "rooms", "debt", "share"])]
        + [f"spent {at}" for at in range(1, 1 + chance.integers(1, 4))]
    ]
    problem = looked_at(frame.assign(sold=chance.normal(size=count)), tmp_path)
    numbers = [column.name for column in problem.features if column.kind == "number"]
    monkeypatch.setattr(rows, "NUMBERS", numbers)
    seen = {column.name: column.look for column in problem.features}
    clocks, amounts = rows.clock_columns(frame), rows.amount_columns(frame)
    assert (
        [name for name in numbers if seen[name] == "clock"]
        == clocks
        == [name for name in numbers if name in ("leaves", "arrives")]
    )
    steps = set(usual_steps(problem))
    assert "clocks" in steps
    assert ("amounts" in steps) == bool(amounts)
    if amounts:
        assert [name for name in numbers if seen[name] == "amount"] == amounts


def test_whether_rows_are_copies_is_told_by_columns_and_answer(tmp_path: Path) -> None:
    frame = pd.DataFrame({"size": np.arange(60) / 8, "sold": np.arange(60) / 16})
    other_answer = frame.iloc[:1].assign(sold=0.5)
    assert looked_at(pd.concat([frame, other_answer]), tmp_path).repeats is False
    assert looked_at(pd.concat([frame, frame.iloc[:1]]), tmp_path).repeats is True
