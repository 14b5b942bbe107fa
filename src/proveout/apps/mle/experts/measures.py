"""What is learnt, and which rows count, so that a model errs in the measure of the metric."""

from proveout.apps.mle.experts.recipe import Form, Weigh
from proveout.apps.mle.problem import Problem

SHARES = ("mape", "smape")
"""Metrics of errors as shares of the value: a large one may be far off, a small one may not."""


def form_for(problem: Problem, levels: bool = False) -> Form:
    """The form that a target is learnt in at first; `levels` tells whether time is followed."""
    if problem.kind != "regression":
        return "plain"
    if problem.metric == "rmsle":
        return "log"
    if levels and problem.time:
        return "level ratio"
    return "share" if problem.metric in SHARES else "plain"


def weighs_for(problem: Problem, form: Form) -> tuple[Weigh, ...]:
    """Reasons for rows to count more that the metric gives; of several targets each has its own,
    and ratios to a level are shares already."""
    single = problem.metric == "mape" and len(problem.targets) == 1
    return ("small",) if single and form == "share" else ()
