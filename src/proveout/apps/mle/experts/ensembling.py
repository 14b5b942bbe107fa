"""Plans for ensembles by rule, and their execution on the recipes of scripts."""

import re
from collections.abc import Sequence

from proveout.apps.mle.experts.recipe import ensemble
from proveout.apps.mle.experts.steering import recipe_of, written
from proveout.apps.mle.problem import Problem

WEIGHTS = re.compile(r"weights? (?P<weights>\d+(?:\.\d+)?(?:, \d+(?:\.\d+)?)*)")


def planned(count: int, tried: Sequence[str]) -> str:
    """The next way to weigh `count` solutions that was not tried: equally, then one favoured."""
    for favourite in range(-1, count):
        raw = [2.0 if place == favourite else 1.0 for place in range(count)]
        shares = ", ".join(f"{weight / sum(raw):.2f}" for weight in raw)
        plan = (
            f"Blend the predictions of the {count} solutions by a weighted average "
            f"with weights {shares}. "
            "Keep every model and its settings as they are. Train each on the same folds."
        )
        if plan not in tried:
            return plan
    return tried[-1] if tried else ""


def carried_out(problem: Problem, solutions: Sequence[str], plan: str) -> str | None:
    """One script that trains them all; nothing if a solution was not written by an expert."""
    recipes = [recipe for source in solutions if (recipe := recipe_of(source)) is not None]
    if len(recipes) != len(solutions) or not recipes:
        return None
    found = WEIGHTS.search(plan)
    weights = [float(it) for it in found["weights"].split(", ")] if found else []
    if len(weights) != len(recipes):
        weights = [1.0] * len(recipes)
    return written(problem, ensemble(recipes, weights))
