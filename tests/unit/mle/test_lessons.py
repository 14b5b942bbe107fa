"""Lessons of searches speak for data of their own kind, and for no other."""

from proveout.apps.mle.experts.edits import EDITS
from proveout.apps.mle.experts.steering import advice, signature, speaks_for
from proveout.apps.mle.problem import Column, Problem
from proveout.kernel.lessons import Lesson

NUMBERS = Problem(
    name="boats",
    kind="binary",
    metric="accuracy",
    direction="maximize",
    targets=("late",),
    columns=(Column(name="wind", kind="number"),),
    rows=500,
)
MIXED = NUMBERS.model_copy(
    update={"columns": (*NUMBERS.columns, Column(name="port", kind="category"))}
)
EDIT = EDITS[0]


def lesson(*problems: Problem, name: str = EDIT.name) -> Lesson:
    """As it is consolidated from what several searches learned."""
    return Lesson(
        signature="s",
        kind="rule",
        topic="operational",
        subject=f"edit {name}",
        advice=" ".join(advice(name, problem) for problem in problems),
        count=len(problems),
        patches=(),
    )


def test_a_lesson_speaks_for_its_own_kind_of_data_only() -> None:
    assert signature(NUMBERS) in signature(MIXED)
    assert not speaks_for(lesson(MIXED), EDIT, NUMBERS)
    assert not speaks_for(lesson(NUMBERS), EDIT, MIXED)
    for problem in (NUMBERS, MIXED):
        assert speaks_for(lesson(NUMBERS, MIXED), EDIT, problem)
    assert not speaks_for(lesson(NUMBERS, name=EDITS[1].name), EDIT, NUMBERS)
