"""What each write intent may say: the shape of `WriteIntent.args` once references are replaced.

A relation (`$bind`) can stand wherever a tuple of objects is wanted: its rows are read by column
name and other columns are ignored. Ids are those of the API.
"""

from collections.abc import Mapping
from typing import Literal, Self, TypeVar

from pydantic import Field, model_validator

from proveout.apps.solver.words import DealPhase, TeamRole, TimeStatus, WriteOperation
from proveout.kernel.types import Frozen

LOWEST_LEVEL, HIGHEST_LEVEL = 1, 10
ChangeT = TypeVar("ChangeT", bound=Frozen)


class Level(Frozen):
    """A skill or will set to `level`, or moved by `delta` (kept within the scale)."""

    name: str = Field(min_length=1)
    kind: Literal["", "skill", "will"] = ""
    level: int | None = None
    delta: int | None = None

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        return _exactly_one(self, "level", "delta")


class SkillsChange(Frozen):
    """`self.skills.write`, `employee.skills.write`: levels not named stay as they are."""

    employee: str = ""
    """Empty means the requester."""
    levels: tuple[Level, ...] = Field(min_length=1)


class NoteChange(Frozen):
    """`employee.note.write`: kept below what is there already, or instead of it."""

    employee: str = Field(min_length=1)
    note: str = Field(min_length=1, max_length=4_000)
    mode: Literal["append", "replace"] = "append"


class SalaryChange(Frozen):
    """`employee.salary.write`: to an amount, by an amount, or by a percentage."""

    employee: str = Field(min_length=1)
    salary: int | None = None
    delta: int | None = None
    percent: float | None = None

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        return _exactly_one(self, "salary", "delta", "percent")


class ProfileChange(Frozen):
    """`employee.profile.write`."""

    employee: str = ""
    location: str = ""
    department: str = ""

    @model_validator(mode="after")
    def _something(self) -> Self:
        if not (self.location or self.department):
            message = "nothing is to be changed"
            raise ValueError(message)
        return self


class StatusChange(Frozen):
    """`project.status.write`: sent even if the project has that status already."""

    project: str = Field(min_length=1)
    status: DealPhase


class Member(Frozen):
    """One seat in a team; the slice as a fraction or in thousandths."""

    employee: str = Field(min_length=1)
    role: TeamRole | Literal[""] = ""
    time_slice: float | None = Field(default=None, ge=0, le=1)
    slice_milli: int | None = Field(default=None, ge=0, le=1000)


class Swap(Frozen):
    """Two members who exchange their roles, their slices, or both."""

    first: str = Field(min_length=1)
    second: str = Field(min_length=1)
    roles: bool = True
    slices: bool = True


class TeamChange(Frozen):
    """`project.team.write`: members who are not named keep their seats, unless `team` is given."""

    project: str = Field(min_length=1)
    team: tuple[Member, ...] = ()
    """The whole new team."""
    swap: Swap | None = None
    change: tuple[Member, ...] = ()
    """Members with a new role or slice; what is left out stays."""
    add: tuple[Member, ...] = ()
    remove: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if bool(self.team) == bool(self.swap or self.change or self.add or self.remove):
            message = "give either the whole team or what changes"
            raise ValueError(message)
        return self


class TimeLog(Frozen):
    """`time.log`. The customer is the project's; the category follows from the customer."""

    employee: str = ""
    """Empty means the requester."""
    project: str = ""
    date: str = ""
    hours: float | None = None
    work_category: str = ""
    notes: str = Field(default="", max_length=4_000)
    billable: bool | None = None
    status: TimeStatus = "draft"
    copy_of: str = ""
    """An entry that gives whatever is left out here."""

    @model_validator(mode="after")
    def _enough(self) -> Self:
        if not self.copy_of and not (self.project and self.date and self.hours is not None):
            message = "an entry needs project, date and hours, or another entry to copy"
            raise ValueError(message)
        return self


class TimeChange(Frozen):
    """`time.update`: what is left out stays."""

    entry: str = Field(min_length=1)
    date: str | None = None
    hours: float | None = None
    work_category: str | None = None
    notes: str | None = None
    billable: bool | None = None
    status: TimeStatus | None = None


class WikiChange(Frozen):
    """`wiki.write`. A page is renamed by two writes: a copy, then the old path deleted."""

    path: str = Field(min_length=1, max_length=300)
    content: str | None = Field(default=None, max_length=100_000)
    """Words of the task, taken over literally."""
    content_of: str = ""
    """Another page, copied byte for byte as it was before any write of this plan."""
    template: str = Field(default="", max_length=4_000)
    """Text with `{bind.column}` and `{bind.column*}` as in messages."""
    delete: bool = False

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        given = (self.content is not None, bool(self.content_of), bool(self.template), self.delete)
        if sum(given) != 1:
            message = "give exactly one of content, content_of, template, delete"
            raise ValueError(message)
        return self


Change = (
    SkillsChange
    | NoteChange
    | SalaryChange
    | ProfileChange
    | StatusChange
    | TeamChange
    | TimeLog
    | TimeChange
    | WikiChange
)
INTENTS: Mapping[WriteOperation, type[Change]] = {
    "self.skills.write": SkillsChange,
    "employee.skills.write": SkillsChange,
    "employee.note.write": NoteChange,
    "employee.salary.write": SalaryChange,
    "employee.profile.write": ProfileChange,
    "project.status.write": StatusChange,
    "project.team.write": TeamChange,
    "time.log": TimeLog,
    "time.update": TimeChange,
    "wiki.write": WikiChange,
}
TARGETS: Mapping[WriteOperation, str] = {
    "self.skills.write": "employee",
    "employee.skills.write": "employee",
    "employee.note.write": "employee",
    "employee.salary.write": "employee",
    "employee.profile.write": "employee",
    "project.status.write": "project",
    "project.team.write": "project",
    "time.log": "project",
    "time.update": "entry",
    "wiki.write": "path",
}
"""The argument that names what is changed."""

ROW_NAMES = {"employee_id": "employee", "project_id": "project", "id": "employee"}
"""Columns of a relation that stand for an argument of another name."""


def _exactly_one(change: ChangeT, *names: str) -> ChangeT:
    if sum(getattr(change, name) is not None for name in names) != 1:
        message = f"give exactly one of {', '.join(names)}"
        raise ValueError(message)
    return change
