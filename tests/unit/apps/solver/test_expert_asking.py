"""An unclear request still says what it touches, so that the rules can refuse it outright."""

import pytest

from proveout.apps.solver.experts.asking import touched


@pytest.mark.parametrize(
    ("concepts", "operation"),
    [
        ({"SALARY"}, "employee.salary"),
        ({"SALARY", "RAISE"}, "employee.salary.write"),
        ({"NOTE", "ADD"}, "employee.note.write"),
        ({"NOTE"}, ""),
        ({"ARCHIVE", "PROJECT"}, "project.status.write"),
        ({"WHO", "LEAD"}, ""),
        (set(), ""),
    ],
)
def test_the_most_sensitive_part_is_named(concepts: set[str], operation: str) -> None:
    assert touched(frozenset(concepts)) == operation


def test_nobody_is_refused_their_own() -> None:
    assert touched(frozenset({"MY", "SALARY"})) == ""
