"""What the company API answers, as typed values.

Lenient in what is read: unknown fields are ignored, `null` counts as absent (the API says `null`
for every empty collection), and words of a closed vocabulary are brought to their canonical case,
so that one careless server does not end a task. Strict in meaning: a missing id or a wrong type is
an error. Fields that hold an id of something else say of what (`Ref`): the API map is read off
them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Annotated, Literal, get_args

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from proveout.apps.solver.words import PHASES, ROLES, TimeStatus

Entity = Literal["employee", "customer", "project", "time_entry", "wiki_page"]


@dataclass(frozen=True)
class Ref:
    """Marks a field that holds the id of an entity."""

    to: Entity


def _spelled(known: tuple[str, ...]) -> Callable[[object], object]:
    by_fold = {word.casefold(): word for word in known}

    def canonical(value: object) -> object:
        return by_fold.get(value.strip().casefold(), value) if isinstance(value, str) else value

    return canonical


EmployeeId = Annotated[str, Ref("employee")]
CustomerId = Annotated[str, Ref("customer")]
ProjectId = Annotated[str, Ref("project")]
TimeEntryId = Annotated[str, Ref("time_entry")]
PagePath = Annotated[str, Ref("wiki_page")]
Phase = Annotated[str, BeforeValidator(_spelled(PHASES))]
Role = Annotated[str, BeforeValidator(_spelled(ROLES))]
Whole = Annotated[int, Field(ge=-(2**53), le=2**53)]
"""What JSON, SQLite and every language between can hold."""
Amount = Annotated[float, Field(ge=-1e9, le=1e9)]
EntryStatus = Annotated[str, BeforeValidator(_spelled(get_args(TimeStatus)))]


class Payload(BaseModel):
    """A value that came from the API."""

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _null_is_absent(cls, given: object) -> object:
        if isinstance(given, dict):
            return {name: value for name, value in given.items() if value is not None}
        return given


class Identity(Payload):
    """Who asks, and when: the only source of identity, date and wiki digest."""

    current_user: EmployeeId = ""
    """Empty for a guest."""
    is_public: bool = False
    location: str = ""
    department: str = ""
    today: str
    wiki_sha1: str = ""

    @model_validator(mode="before")
    @classmethod
    def _nobody_is_a_guest(cls, given: object) -> object:
        """Whoever has no name is a guest, whatever else the answer claims."""
        if isinstance(given, dict) and not given.get("current_user"):
            return {**given, "is_public": True}
        return given

    @model_validator(mode="after")
    def _today_is_a_date(self) -> "Identity":
        date.fromisoformat(self.today)
        return self


class SkillLevel(Payload):
    name: str
    level: Whole


def _by_name(levels: tuple[SkillLevel, ...]) -> tuple[SkillLevel, ...]:
    return tuple(sorted(levels, key=lambda level: level.name))


SkillLevels = Annotated[tuple[SkillLevel, ...], AfterValidator(_by_name)]
"""In the order that the registry keeps them: by name."""


class EmployeeBrief(Payload):
    id: EmployeeId
    name: str = ""
    email: str = ""
    salary: Whole = 0
    location: str = ""
    department: str = ""


class EmployeeView(EmployeeBrief):
    notes: str = ""
    skills: SkillLevels = ()
    wills: SkillLevels = ()


class CompanyBrief(Payload):
    id: CustomerId
    name: str = ""
    location: str = ""
    deal_phase: Phase = ""
    high_level_status: str = ""


class CompanyDetail(CompanyBrief):
    brief: str = ""
    primary_contact_name: str = ""
    primary_contact_email: str = ""
    account_manager: EmployeeId = ""


class Workload(Payload):
    """One person's part in a project."""

    employee: EmployeeId
    time_slice: Amount = 0.0
    role: Role = ""

    @property
    def slice_milli(self) -> int:
        return scaled(self.time_slice, 1000)


class ProjectBrief(Payload):
    id: ProjectId
    name: str = ""
    customer: CustomerId = ""
    """May name a pseudo customer of internal projects that the customer registry does not know."""
    status: Phase = ""


class ProjectDetail(ProjectBrief):
    description: str = ""
    team: tuple[Workload, ...] = ()


class TimeEntry(Payload):
    id: TimeEntryId = ""
    """Absent in the answer of `/time/get`, which was asked by id."""
    employee: EmployeeId
    customer: CustomerId = ""
    project: ProjectId = ""
    date: str
    hours: Amount = 0.0
    work_category: str = ""
    notes: str = ""
    billable: bool = False
    status: EntryStatus = ""

    @property
    def hours_centi(self) -> int:
        return scaled(self.hours, 100)


class Page(Payload):
    """Part of a list. `next_offset` is where the next part starts, -1 after the last."""

    next_offset: int = -1


class EmployeePage(Page):
    employees: tuple[EmployeeBrief, ...] = ()


class CompanyPage(Page):
    companies: tuple[CompanyBrief, ...] = ()


class ProjectPage(Page):
    projects: tuple[ProjectBrief, ...] = ()


class TimeEntryPage(Page):
    """The totals are over everything that matches, not over this part."""

    entries: tuple[TimeEntry, ...] = ()
    total_hours: Amount = 0.0
    total_billable: Amount = 0.0
    total_non_billable: Amount = 0.0


class EmployeeFound(Payload):
    employee: EmployeeView


class CompanyFound(Payload):
    company: CompanyDetail | None = None
    found: bool = False


class ProjectFound(Payload):
    project: ProjectDetail | None = None
    found: bool = False


class TimeEntryFound(Payload):
    entry: TimeEntry


class WikiIndex(Payload):
    paths: tuple[PagePath, ...] = ()
    sha1: str = ""


class WikiPage(Payload):
    file: PagePath
    content: str = ""


class SearchSnippet(Payload):
    content: str = ""
    linum: int = 0
    path: PagePath


class WikiHits(Payload):
    results: tuple[SearchSnippet, ...] = ()


class ProjectSummary(Payload):
    customer: CustomerId = ""
    project: ProjectId = ""
    total_hours: Amount = 0.0
    billable_hours: Amount = 0.0
    non_billable_hours: Amount = 0.0
    distinct_employees: int = 0


class EmployeeSummary(Payload):
    employee: EmployeeId = ""
    total_hours: Amount = 0.0
    billable_hours: Amount = 0.0
    non_billable_hours: Amount = 0.0


class ProjectSummaries(Payload):
    summaries: tuple[ProjectSummary, ...] = ()


class EmployeeSummaries(Payload):
    summaries: tuple[EmployeeSummary, ...] = ()


class Done(Payload):
    """The answer of a write that has nothing to tell."""


def scaled(amount: float, per_unit: int) -> int:
    """An amount in whole parts, so that sums do not depend on their order."""
    parts = Decimal(repr(amount)) * per_unit
    return int(parts.to_integral_value(rounding=ROUND_HALF_EVEN))


def title_of(path: str, content: str) -> str:
    """The first heading of a page, or what its file name says."""
    for line in content.splitlines():
        if line.startswith("#"):
            return line.lstrip("#").strip()
    return path.rsplit("/", 1)[-1].removesuffix(".md").replace("_", " ")
