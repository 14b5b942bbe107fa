"""What an edit is: one recipe made from another, where that makes sense."""

import random
from collections.abc import Callable
from dataclasses import dataclass

from proveout.apps.mle.experts.recipe import Member, Recipe
from proveout.apps.mle.problem import Problem

Applies = Callable[[Problem, Recipe], bool]
Apply = Callable[[Problem, Recipe, random.Random], Recipe]


@dataclass(frozen=True)
class Edit:
    """One idea for a better script."""

    name: str
    category: str
    """The block that it is about: `features`, `model`, `validate`, `predict`."""
    words: str
    """What it does, for a person."""
    applies: Applies
    apply: Apply
    cost: float = 1.0
    """How much longer the script takes, roughly, as a factor."""
    promise: float = 0.0
    """In standard errors of the score: what it mostly brings, beyond what is hoped of any edit."""


def to_first(change: Callable[[Member], Member]) -> Apply:
    """A change of the leading member."""
    return lambda _problem, recipe, _chance: recipe.with_first(change(recipe.members[0]))
