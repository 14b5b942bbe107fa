"""Arguments of the tools. Values only: the validator has already replaced every reference."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from proveout.apps.solver.client.requests import Day
from proveout.apps.solver.entities import EmployeeId, ProjectId
from proveout.kernel.types import Frozen

Phrase = Annotated[str, StringConstraints(min_length=1, max_length=2_000)]
"""Words of the task."""
People = Annotated[tuple[EmployeeId, ...], Field(max_length=5_000)]


class NoArgs(Frozen):
    pass


class Text(Frozen):
    text: Phrase


class PersonText(Text):
    within_project: ProjectId | None = None
    """Only members of this project."""
    within_department: str | None = None
    among_mine: bool = False
    """Only people on the requester's own projects."""


class SkillText(Text):
    kind: Literal["skill", "will", ""] = ""


class PageAt(Frozen):
    path: str


class SomePeople(Frozen):
    employees: People | None = None
    """Everyone, if left out."""


class ThesePeople(Frozen):
    employees: People


class TimeRange(Frozen):
    employee: EmployeeId | None = None
    project: ProjectId | None = None
    customer: str | None = None
    date_from: Day | None = None
    date_to: Day | None = None
