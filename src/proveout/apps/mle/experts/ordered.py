"""Classes in an order, learnt as one number: for metrics that count how many places one is off."""

from collections.abc import Callable

from proveout.apps.mle.experts.card_values import Parameters, table_prior
from proveout.apps.mle.problem import Problem


def as_number(problem: Problem) -> Problem:
    """The same rows, with the place of a class in their order as the target."""
    return problem.model_copy(update={"kind": "regression", "metric": "rmse", "labels": ()})


def ordered_start(start: Callable[[Problem], Parameters]) -> Callable[[Problem], Parameters]:
    """How a model of numbers begins; its script makes probabilities of what it says."""
    return lambda problem: {**start(as_number(problem)), "ordered": True}


def ordered_cost(cost: Callable[[Problem], float]) -> Callable[[Problem], float]:
    """One tree in a round, not one for each class."""
    return lambda problem: cost(as_number(problem))


def ordered_prior(value: float, small: float) -> Callable[[Problem], float]:
    """How promising where places count; nought elsewhere."""
    usual = table_prior(value, small)
    return lambda problem: (
        usual(problem) if problem.metric == "qwk" and len(problem.labels) > 2 else 0.0
    )
