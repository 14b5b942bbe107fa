"""By which rule classes are chosen: the same for a script and for a blend of saved predictions."""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from proveout.apps.mle.experts.blending import Array, Choose, Rule
from proveout.apps.mle.experts.blocks.decisions import (
    Score,
    choose_by_cuts,
    choose_by_threshold,
    choose_by_weights,
    label_values,
)
from proveout.apps.mle.problem import Problem

POORLY_MAXIMAL = ("f1", "macro_f1", "mcc", "balanced_accuracy", "qwk", "kappa")
"""Metrics for which the largest probability is a poor choice."""
DECIDABLE = (*POORLY_MAXIMAL, "accuracy", "weighted_f1")
"""Metrics for which another choice may be better."""


def decides(problem: Problem, members_do: bool) -> bool:
    """Whether a blend finds itself a rule: where scripts begin with one, or some of its own do."""
    known = problem.metric in POORLY_MAXIMAL
    return bool(problem.labels) and (known or (members_do and problem.metric in DECIDABLE))


def named_rule(problem: Problem) -> str:
    """What a script calls it."""
    if problem.metric == "qwk":
        return "partial(choose_by_cuts, values=label_values(LABELS))"
    return "choose_by_threshold" if len(problem.labels) == 2 else "choose_by_weights"


def chooser(problem: Problem, score: Score) -> Choose:
    """The same rule, found by the score of truth, probabilities and classes."""
    find = choose_by_threshold if len(problem.labels) == 2 else choose_by_weights
    if problem.metric == "qwk":
        find = partial(choose_by_cuts, values=label_values(problem.labels))

    def choose(truth: NDArray[Any], given: Array) -> Rule:
        return find(np.asarray(truth, dtype=np.int64).ravel(), given, score)

    return choose
