"""The company as plain objects: what the API serves, plus what only the task writer may know.

Amounts are integers (`slice_milli` thousandths of a full-time job, `hours_centi` hundredths of an
hour), so that sums are exact; the server turns them into the decimals that the API shows.
Fields under "never served" describe things in words other than the stored ones: they feed task
texts and the oracle, and no route returns them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from proveout.apps.solver.world.policy import Policy

Phase = Literal["idea", "exploring", "active", "paused", "archived"]
Role = Literal["Lead", "Engineer", "Designer", "QA", "Ops", "Other"]
TimeStatus = Literal["draft", "submitted", "approved", "invoiced", "voided"]
WorkCategory = Literal["customer_project", "internal", "support", "admin"]
Variant = Literal["base", "merged"]

PHASES: tuple[Phase, ...] = ("idea", "exploring", "active", "paused", "archived")
ROLES: tuple[Role, ...] = ("Lead", "Engineer", "Designer", "QA", "Ops", "Other")
TIME_STATUSES: tuple[TimeStatus, ...] = ("draft", "submitted", "approved", "invoiced", "voided")
WORK_CATEGORIES: tuple[WorkCategory, ...] = ("customer_project", "internal", "support", "admin")


@dataclass(frozen=True)
class Trait:
    """A skill or a will: the id that the registry stores and the words that people use."""

    id: str
    label: str
    """As the wiki writes it, such as "Hull inspection"."""
    kind: Literal["skill", "will"]


@dataclass(frozen=True)
class Level:
    name: str
    """Trait id."""
    level: int


@dataclass(frozen=True)
class Site:
    location: str
    """Registry spelling, the exact value of a person's `location`."""
    city: str
    country: str
    exonyms: Mapping[str, str] = field(default_factory=dict)
    """The city in other languages by language tag (`de`, `it`, `sr`, `zh`, `ru` …)."""
    near: tuple[str, ...] = ()
    """Cities that the site lies near or between; for yes/no questions they count as the place."""
    demonym: str = ""
    headquarters: bool = False


@dataclass(frozen=True)
class Department:
    name: str
    kind: Literal[
        "executive", "hr", "finance", "it", "sales", "delivery", "production", "other", "external"
    ]


@dataclass(frozen=True)
class Person:
    id: str
    name: str
    """Stored "Given Family" string; the only form that the API's search knows."""
    email: str
    salary: int
    location: str
    department: str
    notes: str = ""
    skills: tuple[Level, ...] = ()
    wills: tuple[Level, ...] = ()
    # never served
    given: str = ""
    family: str = ""
    phone: str = ""
    """As it stands in the notes; empty if the notes hold none."""
    approved_salary: int = 0
    """Amount that the CEO's approval in the notes names; 0 where the notes hold no approval (talk
    of other budgets, of refused or undecided raises, or of somebody else's word is none)."""

    @property
    def swapped_name(self) -> str:
        return f"{self.family} {self.given}"

    def level(self, trait_id: str) -> int:
        """Rating of a skill or will; 0 where the person has none."""
        return next((x.level for x in (*self.skills, *self.wills) if x.name == trait_id), 0)


@dataclass(frozen=True)
class Customer:
    id: str
    name: str
    """Stored name, often a corrupted spelling of `real_name`."""
    location: str
    deal_phase: Phase
    high_level_status: str
    brief: str
    primary_contact_name: str
    """Empty for the few customers without one."""
    primary_contact_email: str
    account_manager: str
    # never served
    real_name: str = ""
    aliases: tuple[str, ...] = ()
    """Descriptions that single the customer out, such as "the Dutch barge operator"."""


@dataclass(frozen=True)
class Member:
    employee: str
    slice_milli: int
    role: Role

    @property
    def time_slice(self) -> float:
        return self.slice_milli / 1000


@dataclass(frozen=True)
class Project:
    id: str
    name: str
    description: str
    customer: str
    """A customer id, or the world's `internal_customer` which no customer route knows."""
    status: Phase
    team: tuple[Member, ...]
    """In id order. Several leads, or none, are possible."""
    # never served
    paraphrases: tuple[str, ...] = ()
    """Other wordings that point to this project alone (as far as words can)."""

    def members(self, role: Role | None = None) -> tuple[str, ...]:
        return tuple(m.employee for m in self.team if role is None or m.role == role)

    @property
    def leads(self) -> tuple[str, ...]:
        return self.members("Lead")


@dataclass(frozen=True)
class TimeEntry:
    id: str
    employee: str
    customer: str
    project: str
    date: str
    hours_centi: int
    work_category: WorkCategory
    notes: str
    billable: bool
    status: TimeStatus
    logged_by: str = ""

    @property
    def hours(self) -> float:
        return self.hours_centi / 100


@dataclass(frozen=True)
class Merger:
    """A takeover that changed rules; tasks of variant `merged` play after it."""

    acquirer: str
    policy: Policy
    wiki: Mapping[str, str]


@dataclass(frozen=True)
class Company:
    name: str
    short: str
    """What people say: "Kestrelmoor" for "Kestrelmoor Shipyards"."""
    industry: str
    """Theme key, see `themes.py`."""
    domain: str
    """Mail domain."""
    ceo: str
    """Employee id."""
    ceo_title: str


@dataclass(frozen=True)
class World:
    """One company at rest. Tasks put small overlays on it; nothing changes it."""

    seed: int
    profile: str
    company: Company
    today: str
    """Default day of the tasks; a task's whoami may say another one."""
    sites: tuple[Site, ...]
    departments: tuple[Department, ...]
    skills: tuple[Trait, ...]
    wills: tuple[Trait, ...]
    people: tuple[Person, ...]
    customers: tuple[Customer, ...]
    internal_customer: str
    projects: tuple[Project, ...]
    time_entries: Sequence[TimeEntry]
    """In date order; computed on demand in big worlds."""
    policy: Policy
    wiki: Mapping[str, str]
    """Path to Markdown, in path order."""
    topics: Mapping[str, str]
    """What an internal page tells about, such as "how to ask for leave", to its path."""
    merger: Merger | None = None

    @cached_property
    def person_by_id(self) -> dict[str, Person]:
        return {person.id: person for person in self.people}

    @cached_property
    def customer_by_id(self) -> dict[str, Customer]:
        return {customer.id: customer for customer in self.customers}

    @cached_property
    def project_by_id(self) -> dict[str, Project]:
        return {project.id: project for project in self.projects}

    @cached_property
    def projects_of(self) -> dict[str, tuple[Project, ...]]:
        """Employee id to the projects that name them in the team, in project order."""
        found: dict[str, list[Project]] = {}
        for project in self.projects:
            for employee in dict.fromkeys(project.members()):
                found.setdefault(employee, []).append(project)
        return {employee: tuple(projects) for employee, projects in found.items()}

    def department(self, kind: str) -> str:
        """Name of the first department of a kind (`hr`, `finance`, `external` …)."""
        return next(d.name for d in self.departments if d.kind == kind)

    def staff_of(self, kind: str) -> tuple[Person, ...]:
        """People of all departments of a kind."""
        names = {d.name for d in self.departments if d.kind == kind}
        return tuple(p for p in self.people if p.department in names)

    def policy_of(self, variant: Variant) -> Policy:
        if variant == "merged" and self.merger is not None:
            return self.merger.policy
        return self.policy

    def wiki_of(self, variant: Variant) -> Mapping[str, str]:
        if variant == "merged" and self.merger is not None:
            return self.merger.wiki
        return self.wiki
