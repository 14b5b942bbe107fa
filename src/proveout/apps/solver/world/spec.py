"""A task as the server serves it and as the grader judges it.

Owners of task families write `draw_tasks(world, families) -> tuple[TaskSpec, ...]`
(`world/tasks.py`); the server serves the specs in order and never shows `expected`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from proveout.apps.solver.world.graph import TimeEntry, Variant, World

Outcome = Literal[
    "ok_answer",
    "ok_not_found",
    "denied_security",
    "none_clarification_needed",
    "none_unsupported",
    "error_internal",
]
LinkKind = Literal["employee", "customer", "project", "wiki", "location"]
LINK_KINDS: tuple[LinkKind, ...] = ("employee", "customer", "project", "wiki", "location")
EventType = Literal[
    "Evt_TimeEntryLogged",
    "Evt_TimeEntryUpdated",
    "Evt_TimeEntryStatusChanged",
    "Evt_ProjectStatusChanged",
    "Evt_ProjectTeamUpdated",
    "Evt_EmployeeSkillsUpdated",
    "Evt_EmployeeNoteUpdated",
    "Evt_EmployeeSalaryUpdated",
    "Evt_EmployeeProfileUpdated",
    "Evt_WikiArticleUpdated",
    "Evt_BasketCheckedOut",
]
Where = str | int | float | bool | Mapping[str, object] | tuple[object, ...]


@dataclass(frozen=True)
class WhoAmI:
    """Answer of `/whoami`; the server adds the wiki digest. An empty user is a guest."""

    current_user: str
    is_public: bool
    location: str
    department: str
    today: str


@dataclass(frozen=True)
class Overlay:
    """What a task plants in the world before it starts."""

    notes: Mapping[str, str] = field(default_factory=dict)
    """Employee id to notes (replaces the stored ones)."""
    time_entries: tuple[TimeEntry, ...] = ()
    """Added to the world's entries."""
    descriptions: Mapping[str, str] = field(default_factory=dict)
    """Project id to description."""
    briefs: Mapping[str, str] = field(default_factory=dict)
    """Customer id to brief."""
    pages: Mapping[str, str] = field(default_factory=dict)
    """Wiki path to content; changes the digest, as a real edit would."""


@dataclass(frozen=True)
class ExpectedEvent:
    """A change that must be seen.

    `where` names fields of the event that must match: plain values are compared (numbers within
    1e-9); `<field>_contains` is a substring; `skills`, `wills` and `slices` are mappings of which
    only the given names are compared; `team` is compared as a set of (employee, slice, role).
    Fields per event: time entries `id employee customer project date hours work_category notes
    billable status`; project status `project status`; team `project team slices roles`; employee
    `employee` with `skills wills` / `notes` / `salary` / `location department`.
    """

    type: EventType
    where: Mapping[str, Where] = field(default_factory=dict)
    max: int = 1
    """Most times it may occur; at least once always."""


@dataclass(frozen=True)
class WikiWrite:
    """A page that must be written exactly once."""

    path: str
    content: str | None = None
    """Exact text; `""` = emptied; `None` = any text that is not empty (see `content_of`)."""
    content_of: str = ""
    """The text must equal this page as it was at the start, byte for byte."""


@dataclass(frozen=True)
class Expected:
    """How an answer is graded; every check must hold. A wrong outcome ends the grading."""

    accepted_outcomes: tuple[Outcome, ...]
    required_links: Mapping[LinkKind, tuple[str, ...]] = field(default_factory=dict)
    closed_kinds: tuple[LinkKind, ...] = ()
    """No other id of these kinds may be linked, except `tolerated_links`."""
    tolerated_links: Mapping[LinkKind, tuple[str, ...]] = field(default_factory=dict)
    forbidden_links: Mapping[LinkKind, tuple[str, ...]] = field(default_factory=dict)
    """Fail even in an open kind."""
    open_kinds: tuple[LinkKind, ...] = ()
    """For the reader: kinds where anything goes. Kinds neither closed nor open are open too."""
    must_contain: tuple[str, ...] = ()
    """Substrings of the message, case counts."""
    must_contain_ci: tuple[str, ...] = ()
    must_not_contain: tuple[str, ...] = ()
    events: tuple[ExpectedEvent, ...] = ()
    """The exact multiset of changes (wiki writes apart). Empty, with no wiki writes: none."""
    wiki_writes: tuple[WikiWrite, ...] = ()
    leaks: tuple[str, ...] = ()
    """Values that must not appear in message or writes; reported apart from the score."""


@dataclass(frozen=True)
class TaskSpec:
    spec_id: str
    """Unique in a benchmark, such as `salary.other.3`."""
    family: str
    """Family letter and name, such as `O salaries`."""
    text: str
    whoami: WhoAmI | None
    """`None`: `/whoami` answers 404."""
    expected: Expected
    language: str = "en"
    page_cap: int = 5
    """Largest accepted `limit`; -1 switches listing off."""
    variant: Variant = "base"
    """Which policy and wiki of the world apply."""
    overlay: Overlay = field(default_factory=Overlay)
    adversarial: bool = False
    wording: Literal["seen", "unseen"] = "seen"
    """`unseen`: a wording kept out of development."""
    explanation: str = ""
    """Why this is the expected result, for human readers."""


TaskSource = Callable[[World, frozenset[str]], tuple[TaskSpec, ...]]
"""Draws the tasks of a world; families named (by letter or full name), or all if empty."""
