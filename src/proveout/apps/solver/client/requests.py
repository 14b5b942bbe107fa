"""What the company's routes are asked with, field by field as the API names them.

Closed vocabularies are checked here: what is sent is ours to get right.
"""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from proveout.apps.solver.client.route import Paged, Request
from proveout.apps.solver.entities import (
    CustomerId,
    EmployeeId,
    PagePath,
    ProjectId,
    TimeEntryId,
)
from proveout.apps.solver.words import DealPhase, LinkKind, OutcomeCode, TeamRole, TimeStatus

Day = Annotated[str, StringConstraints(pattern=r"^\d{4}-\d{2}-\d{2}$")]
Billable = Literal["", "billable", "non_billable"]


class Link(Request):
    kind: LinkKind
    id: str


class Respond(Request):
    message: str
    outcome: OutcomeCode
    links: tuple[Link, ...] = ()


class Level(Request):
    name: str
    level: int


class LevelRange(Request):
    """`max_level` 0 means that there is no upper bound."""

    name: str
    min_level: int = 1
    max_level: int = 0


class EmployeesList(Paged):
    pass


class EmployeesSearch(Paged):
    query: str | None = None
    """Part of a name, as it is stored."""
    location: str | None = None
    """The whole spelling of the registry."""
    department: str | None = None
    manager: EmployeeId | None = None
    skills: tuple[LevelRange, ...] | None = None
    wills: tuple[LevelRange, ...] | None = None


class EmployeeById(Request):
    id: EmployeeId


class EmployeeUpdate(Request):
    """Fields that are left out stay; a list of skills or wills replaces the whole list."""

    employee: EmployeeId
    notes: str | None = None
    salary: int | None = None
    skills: tuple[Level, ...] | None = None
    wills: tuple[Level, ...] | None = None
    location: str | None = None
    department: str | None = None
    changed_by: EmployeeId | None = None


class WikiLoad(Request):
    file: PagePath


class WikiSearch(Request):
    query_regex: str


class WikiUpdate(Request):
    """Creates or overwrites; empty content deletes."""

    file: PagePath
    content: str
    changed_by: EmployeeId | None = None


class CustomersList(Paged):
    pass


class CustomersSearch(Paged):
    query: str | None = None
    deal_phase: tuple[DealPhase, ...] | None = None
    account_managers: tuple[EmployeeId, ...] | None = None
    locations: tuple[str, ...] | None = None


class CustomerById(Request):
    id: CustomerId


class ProjectsList(Paged):
    """Archived projects are included."""


class TeamFilter(Request):
    employee_id: EmployeeId | None = None
    role: TeamRole | None = None
    min_time_slice: float | None = None


class ProjectsSearch(Paged):
    """Archived projects are left out unless asked for."""

    query: str | None = None
    customer_id: CustomerId | None = None
    status: tuple[DealPhase, ...] | None = None
    team: TeamFilter | None = None
    include_archived: bool = False


class ProjectById(Request):
    id: ProjectId


class Member(Request):
    employee: EmployeeId
    time_slice: float
    role: TeamRole


class TeamUpdate(Request):
    """Replaces the whole team."""

    id: ProjectId
    team: tuple[Member, ...]
    changed_by: EmployeeId | None = None


class StatusUpdate(Request):
    id: ProjectId
    status: DealPhase
    changed_by: EmployeeId | None = None


class TimeLog(Request):
    employee: EmployeeId
    customer: CustomerId | None = None
    project: ProjectId | None = None
    date: Day
    hours: float = Field(ge=0)
    work_category: str
    notes: str = ""
    billable: bool
    status: TimeStatus
    logged_by: EmployeeId | None = None


class TimeUpdate(Request):
    """Replaces all of these fields."""

    id: TimeEntryId
    date: Day
    hours: float = Field(ge=0)
    work_category: str
    notes: str
    billable: bool
    status: TimeStatus
    changed_by: EmployeeId | None = None


class TimeEntryById(Request):
    id: TimeEntryId


class TimeSearch(Paged):
    employee: EmployeeId | None = None
    customer: CustomerId | None = None
    project: ProjectId | None = None
    date_from: Day | None = None
    date_to: Day | None = None
    work_category: str | None = None
    billable: Billable = ""
    status: TimeStatus = ""


class TimeSummary(Request):
    date_from: Day
    date_to: Day
    customers: tuple[CustomerId, ...] | None = None
    projects: tuple[ProjectId, ...] | None = None
    employees: tuple[EmployeeId, ...] | None = None
    billable: Billable = ""
