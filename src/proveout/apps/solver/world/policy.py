"""The hidden policy of a world: what its wiki says in words, as an object for the oracle.

Reading order of a decision (see `Policy.allows`): guests have the public operations only; an
operation barred for external staff is denied to them whatever else they are; otherwise an operation
is allowed when one of the parties that `grants` names for it fits the requester.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

PartyKind = Literal[
    "staff",  # every employee, external people included
    "self",  # the person whom the data is about (or whose time entry it is)
    "department",
    "executives",
    "project_lead",  # of the project in question, or of a project the person in question is in
    "project_member",  # of the project in question
    "account_manager",  # of the customer in question (or of the project's customer)
    "page_owner",  # works in the department that looks after the wiki section
]

READS = (
    "public.sites",
    "public.date",
    "public.company",
    "self.profile",
    "self.salary",
    "employee.directory",
    "employee.skills",
    "employee.workload",
    "employee.notes",
    "employee.salary",
    "project.directory",
    "project.team",
    "customer.directory",
    "customer.contact",
    "time.entries",
    "wiki.read",
)
WRITES = (
    "self.skills.write",
    "employee.skills.write",
    "employee.note.write",
    "employee.salary.write",
    "employee.profile.write",
    "project.status.write",
    "project.team.write",
    "time.log",  # for somebody else; see `own_log_statuses` for oneself
    "time.update",
    "wiki.write",
)
PUBLIC = frozenset({"public.sites", "public.date", "public.company"})
OWN_ALWAYS = frozenset({"employee.workload", "time.entries", "time.log", "time.update"})
"""Where a bar on external staff speaks of other people: their own records stay theirs."""


@dataclass(frozen=True)
class Party:
    kind: PartyKind
    department: str = ""
    """Of `department`: its registry name."""


STAFF = Party("staff")
SELF = Party("self")
EXECUTIVES = Party("executives")
PROJECT_LEAD = Party("project_lead")
PROJECT_MEMBER = Party("project_member")
ACCOUNT_MANAGER = Party("account_manager")
PAGE_OWNER = Party("page_owner")


@dataclass(frozen=True)
class Band:
    """One line of the rating scale: `label` covers the levels `low` to `high`."""

    label: str
    low: int
    high: int


@dataclass(frozen=True)
class Code:
    """A code that a request must state, else the assistant asks for it and does nothing."""

    name: str
    """As the wiki calls it, such as "cost centre code"."""
    operations: tuple[str, ...]
    pattern: str
    """Regular expression (full match) of a valid code."""
    shape: str
    """The pattern in the wiki's words, such as `QX-<two capital letters>-<three digits>`."""
    example: str
    """A valid code, also shown in the wiki."""
    goes_into: Literal["notes", ""] = ""
    """`notes`: the code must be written into the notes of the time entry."""


@dataclass(frozen=True)
class Section:
    """Wiki pages under `prefix` (such as `people/`) are looked after by `department`."""

    prefix: str
    department: str


@dataclass(frozen=True)
class Asker:
    """A requester as policy sees one. `None` for user means a guest."""

    user: str | None
    department: str = ""


@dataclass(frozen=True)
class Facts:
    """How the requester stands to the things that a request is about."""

    is_self: bool = False
    leads_project: bool = False
    member_of_project: bool = False
    manages_customer: bool = False
    owns_page: bool = False
    subject_in_team: bool = False
    """The person to be logged for is in the team of the project (see `log_needs_team`)."""
    ceo_approval: bool = False
    """The person's notes hold the CEO's approval of exactly the requested amount."""
    status: str = ""
    """Status that a time entry shall get."""
    old_status: str = ""
    """Status that the entry to be changed has now."""


@dataclass(frozen=True)
class Policy:
    executive_department: str
    external_department: str
    hr_department: str
    finance_department: str
    it_department: str
    sales_department: str

    strong_level: int
    """Lowest level that the scale calls strong, equal to the `strong` band's `low`. Everything at
    or above it counts as strong, the bands above included."""
    scale: tuple[Band, ...]
    workload_phases: tuple[str, ...]
    """Statuses of the projects whose slices count towards a person's workload."""
    my_projects: Literal["led", "member"]
    """What somebody means who says "my projects"."""

    grants: Mapping[str, tuple[Party, ...]]
    """Operation to the parties that have it. Every operation outside `PUBLIC` is a key."""
    external_barred: frozenset[str]
    """Operations that external staff never have, whatever else they are (for `OWN_ALWAYS`: as far
    as other people's records go)."""

    own_log_statuses: tuple[str, ...]
    """Statuses in which people may log their own time."""
    others_log_statuses: tuple[str, ...]
    """Statuses in which those who may log for others (`grants["time.log"]`) may do so."""
    log_needs_team: bool
    """Logging for somebody else needs that person to be in the project's team. For leads only:
    departments with the right are not bound by it."""
    locked_statuses: tuple[str, ...]
    """Entries in these statuses are no longer changed by anyone through the assistant."""
    salary_needs_approval: bool
    """A salary changes only by exactly the amount that the CEO approved in the person's notes."""

    sections: tuple[Section, ...]
    executives_own_wiki: bool
    """Executives may write every page, not only those of their own sections."""
    codes: tuple[Code, ...] = ()
    guest_must_mention: str = ""
    """Name that every reply to a guest must hold (after a merger)."""
    unsupported: tuple[str, ...] = ()
    """Things the wiki expressly says that the assistant cannot do, as short phrases."""
    extra: Mapping[str, str] = field(default_factory=dict)
    """Harmless facts that wiki pages state (holidays, canteen hours), for wiki questions."""

    def owner(self, path: str) -> str:
        """Department that looks after a page; the longest prefix wins; IT for the rest."""
        fitting = [s for s in self.sections if path.startswith(s.prefix)]
        longest = max(fitting, key=lambda s: len(s.prefix), default=None)
        return longest.department if longest else self.it_department

    def code_for(self, operation: str) -> Code | None:
        return next((code for code in self.codes if operation in code.operations), None)

    def is_external(self, asker: Asker) -> bool:
        return asker.department == self.external_department

    def barred(self, operation: str, asker: Asker) -> bool:
        """Denied whatever the request is about: no party that could ever fit the requester."""
        if asker.user is None:
            return operation not in PUBLIC
        if operation in PUBLIC:
            return False
        if self.is_external(asker) and operation in self.external_barred - OWN_ALWAYS:
            return True
        everything = Facts(True, True, True, True, True, True, True)
        return not any(self._fits(p, asker, everything) for p in self.grants[operation])

    def allows(self, operation: str, asker: Asker, facts: Facts) -> bool:
        """Whether the requester may do it, given how they stand to what it is about.

        For `time.log` with `is_self` the own-time rule applies; a status outside the allowed ones
        and a locked entry are denials. Required codes are no matter of permission: see `code_for`.
        """
        if operation in PUBLIC:
            return True
        if asker.user is None:
            return False
        own = facts.is_self and operation in OWN_ALWAYS
        if self.is_external(asker) and operation in self.external_barred and not own:
            return False
        if operation == "time.log":
            return self._allows_log(asker, facts)
        if operation == "time.update" and facts.old_status in self.locked_statuses:
            return False
        if operation == "employee.salary.write" and (
            self.salary_needs_approval and not facts.ceo_approval
        ):
            return False
        return any(self._fits(party, asker, facts) for party in self.grants[operation])

    def _allows_log(self, asker: Asker, facts: Facts) -> bool:
        if facts.is_self:
            return facts.status in self.own_log_statuses
        if facts.status not in self.others_log_statuses:
            return False
        for party in self.grants["time.log"]:
            if party.kind == "project_lead" and self.log_needs_team and not facts.subject_in_team:
                continue
            if self._fits(party, asker, facts):
                return True
        return False

    def _fits(self, party: Party, asker: Asker, facts: Facts) -> bool:
        match party.kind:
            case "staff":
                return True
            case "self":
                return facts.is_self
            case "department":
                return asker.department == party.department
            case "executives":
                return asker.department == self.executive_department
            case "project_lead":
                return facts.leads_project
            case "project_member":
                return facts.member_of_project
            case "account_manager":
                return facts.manages_customer
            case "page_owner":
                return facts.owns_page
