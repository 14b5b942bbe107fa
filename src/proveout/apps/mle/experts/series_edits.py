"""Edits that take the order of time otherwise as a whole."""

import random
from collections.abc import Iterator

from proveout.apps.mle.experts.card_values import is_series
from proveout.apps.mle.experts.edit import Edit, to_first
from proveout.apps.mle.experts.features import SERIES, STEPS, suffices
from proveout.apps.mle.experts.measures import form_for
from proveout.apps.mle.experts.recipe import Form, Member, Recipe
from proveout.apps.mle.problem import Problem

LEVELS: tuple[Form, ...] = ("level", "level ratio", "weekday ratio")


def _has_lags(recipe: Recipe) -> bool:
    return bool(set(SERIES) & set(recipe.members[0].steps))


def guessing(member: Member) -> Member:
    """The same, beginning with simple guesses."""
    return member.having(add=("recent",)).model_copy(update={"form": "guess"})


def series_edits() -> Iterator[Edit]:
    """Lags, the calendar and levels together: one of them alone may be worse than none."""

    def follow(problem: Problem, recipe: Recipe, _chance: random.Random) -> Recipe:
        usual = [it for it in SERIES if STEPS[it].usual and STEPS[it].fits(problem)]
        member = recipe.members[0].having(add=usual)
        form = "level ratio" if member.form in ("plain", "share") else member.form
        return recipe.with_first(member.model_copy(update={"form": form}))

    def forget(problem: Problem, recipe: Recipe, _chance: random.Random) -> Recipe:
        member = recipe.members[0]
        form = form_for(problem) if member.form in (*LEVELS, "guess") else member.form
        changed = member.having(drop=SERIES).model_copy(update={"form": form})
        return recipe.with_first(changed)

    yield Edit(
        "follow time",
        "features",
        "Learn from earlier targets: lags, the calendar, the distance from the level.",
        lambda problem, recipe: is_series(problem) and not _has_lags(recipe),
        follow,
        1.3,
        0.2,
    )
    yield Edit(
        "improve on guesses",
        "features",
        "Learn the distance from what a simple rule says, such as the same season with the growth "
        "since; each row looks back from as far as it is ahead.",
        lambda problem, recipe: is_series(problem) and recipe.members[0].form != "guess",
        to_first(guessing),
        1.3,
        0.4,
    )
    yield Edit(
        "forget time",
        "features",
        "Learn from each row alone: neither lags nor the calendar, the target as it is.",
        lambda _problem, recipe: (
            _has_lags(recipe) and suffices(set(recipe.members[0].steps) - {*SERIES})
        ),
        forget,
        0.8,
        0.2,
    )
