"""The rules' intermediate form: what a sentence of the wiki means, with the sentence itself.

A rule is only as good as its quote: `quote` must stand on `page` under `anchor`, and every constant
of the rule must occur in the quote (or be a synonym that the matcher declares). A rule that fails
this is rejected, whoever proposed it.
"""

from typing import Annotated, Literal

from pydantic import Field

from proveout.apps.solver.words import DealPhase, Operation
from proveout.kernel.types import Frozen

Who = Literal[
    "guest",
    "employee",
    "external",
    "department",
    "executive",
    "self",
    "project_lead",
    "project_member",
    "account_manager",
    "page_owner",
    "nobody",
    "everyone",
]


class Audience(Frozen):
    """Whom a rule speaks of."""

    who: Who
    department: str = ""
    """Of `department`: its name as the registry spells it."""


class Source(Frozen):
    page: str
    anchor: str
    """Headings that lead to the quote, joined by ` > `."""
    quote: str
    start: int = 0
    """Offset of the quote in the page."""


class Cited(Frozen):
    """What every rule has: a name, and the words it stands on."""

    id: str
    """Stable for the same meaning on the same page: kind, subject and a short digest."""
    source: Source
    profile: str = ""
    """Set where the rule comes from an interpretation profile instead of a page."""
    supersedes: bool = False
    """The page says that it replaces what others say (after a merger, say)."""


class AccessRule(Cited):
    """Who may, or may not, do something."""

    kind: Literal["access"] = "access"
    effect: Literal["allow", "deny"]
    audience: tuple[Audience, ...]
    operations: tuple[Operation, ...]
    statuses: tuple[str, ...] = ()
    """Of time entries: the only statuses that the permission covers (`draft`)."""
    needs: tuple[str, ...] = ()
    """Further facts that must hold: `subject_in_team`, `ceo_approval`; `not_` negates one."""


class DeriveRule(Cited):
    """How a measure is computed: workload from slices over projects in these phases."""

    kind: Literal["derive"] = "derive"
    measure: Literal["workload"]
    statuses: tuple[DealPhase, ...]


class ScaleRule(Cited):
    """A word of a rating scale and the levels it covers."""

    kind: Literal["scale"] = "scale"
    term: str
    low: int
    high: int


class MeaningRule(Cited):
    """What an everyday phrase stands for: "my projects" are those led, or all taken part in."""

    kind: Literal["meaning"] = "meaning"
    phrase: Literal["my projects"]
    means: Literal["led", "member"]


class EnumRule(Cited):
    kind: Literal["enum"] = "enum"
    field: str
    values: tuple[str, ...]


class LifecycleRule(Cited):
    """States in order, and those after which nothing may change."""

    kind: Literal["lifecycle"] = "lifecycle"
    field: str
    order: tuple[str, ...]
    locked: tuple[str, ...] = ()


class ProcedureRule(Cited):
    """How something is done that the API has no route for."""

    kind: Literal["procedure"] = "procedure"
    operation: Literal["wiki.delete", "wiki.rename"]
    steps: tuple[str, ...]


class CodeRule(Cited):
    """A code that a request must carry."""

    kind: Literal["code"] = "code"
    operations: tuple[Operation, ...]
    name: str
    """As the wiki calls it: `cost centre`, `ticket`."""
    pattern: str
    """Regular expression of a valid code."""
    into: Literal["", "notes"] = ""
    """Where the code is kept, if the wiki says so."""


class ReplyRule(Cited):
    """Words that every reply to an audience must hold."""

    kind: Literal["reply"] = "reply"
    audience: tuple[Audience, ...]
    must_mention: str


class CapabilityRule(Cited):
    """What the assistant can do at all."""

    kind: Literal["capability"] = "capability"
    operations: tuple[Operation, ...]
    able: bool = True
    """False: the page says that it cannot."""


class OwnerRule(Cited):
    """Which department looks after a part of the wiki."""

    kind: Literal["owner"] = "owner"
    section: str
    """Path prefix, such as `hr/`."""
    department: str


class SiteRule(Cited):
    """A place where the company is, which anyone may know."""

    kind: Literal["site"] = "site"
    name: str
    city: str = ""
    near: tuple[str, ...] = ()
    """Cities that the site lies near or between."""
    country: str = ""


class LabelRule(Cited):
    """The readable name of a skill's or will's id."""

    kind: Literal["label"] = "label"
    term: str
    label: str


Rule = Annotated[
    AccessRule
    | DeriveRule
    | ScaleRule
    | MeaningRule
    | EnumRule
    | LifecycleRule
    | ProcedureRule
    | CodeRule
    | ReplyRule
    | CapabilityRule
    | OwnerRule
    | SiteRule
    | LabelRule,
    Field(discriminator="kind"),
]


class Unmapped(Frozen):
    """A normative sentence that no matcher understood."""

    source: Source
    denies: bool
    """It looks like a prohibition."""
    touches: tuple[Operation, ...] = ()
    """What it may take away: only rules that were understood still give that."""
    audience: tuple[Audience, ...] = ()
    """Guests or external people, if it speaks of nobody else."""
    supersedes: bool = False
    """Its page replaces others: what those allowed does not hold any more."""


class Conflict(Frozen):
    """Rules that disagree, and how the profile settled it."""

    about: str
    rules: tuple[str, ...]
    chosen: tuple[str, ...]
    profile: str
    reason: str


class RuleBook(Frozen):
    """All that was compiled from one state of the wiki."""

    digest: str
    """The wiki digest as `who_am_i()` gives it."""
    profile: str
    rules: tuple[Rule, ...]
    unmapped: tuple[Unmapped, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    rejected: tuple[str, ...] = ()
    """Rules that failed verification, with the reason."""
    normative: int = 0
    """Normative sentences seen; coverage is the share of them that became rules."""
    pages: dict[str, str] = Field(default_factory=dict)
    """Digest per page, to recompile only what changed."""
    basis: str = ""
    """Digest of what every page was read against: the departments and the paths of all pages."""
    normative_by_page: dict[str, int] = Field(default_factory=dict)
    departments: tuple[str, ...] = ()
    """As the registry spells them, or as the wiki lists them."""

    @property
    def coverage(self) -> float:
        """Share of the normative sentences that became rules."""
        return 1.0 - len(self.unmapped) / self.normative if self.normative else 1.0
