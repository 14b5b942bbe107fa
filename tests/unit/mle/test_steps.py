"""Steps that are left out: enough must remain to learn from."""

from proveout.apps.mle.experts import ablation
from proveout.apps.mle.experts.edits import EDITS
from proveout.apps.mle.experts.ranking import first_recipe
from proveout.apps.mle.experts.recipe import Recipe
from proveout.apps.mle.experts.steering import written
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
    """A column that is different in each row: no row is a copy, whatever weights there are."""
    edits = {"count copies in full", "weigh repeats"}
    number = Column(name="size", kind="number", unique=400)
    plain = Problem(
        name="copies",
        kind="regression",
        metric="rmse",
        direction="minimize",
        targets=("sold",),
        columns=(number,),
        rows=900,
    )
    single = plain.model_copy(update={"columns": (number.model_copy(update={"unique": 899}),)})
    grouped = single.model_copy(update={"groups": "family"})
    begun = first_recipe(plain, "lightgbm")
    assert begun.members[0].weigh == ("repeats",)
    without = begun.with_first(begun.members[0].model_copy(update={"weigh": ()}))

    def offered(problem: Problem) -> set[str]:
        made = (begun, without)
        return edits & {edit.name for edit in EDITS for it in made if edit.applies(problem, it)}

    assert offered(plain) == edits
    assert offered(grouped) == edits
    assert offered(single) == set()
