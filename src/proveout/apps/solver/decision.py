"""What validation gives back: the response, or diagnostics; and in both cases the evidence."""

from typing import Literal

from pydantic import JsonValue

from proveout.apps.solver.words import LinkKind, OutcomeCode
from proveout.kernel.types import Finding, Frozen


class Link(Frozen):
    kind: LinkKind
    id: str


class Response(Frozen):
    """What is sent to the API, exactly once per task."""

    message: str
    outcome: OutcomeCode
    links: tuple[Link, ...] = ()


class RuleRef(Frozen):
    """A rule as cited: anyone can open the page and find the words."""

    id: str
    page: str
    anchor: str
    quote: str
    profile: str = ""
    """Named where the rule is a convention of an interpretation profile, not of a page."""


class ProofBundle(Frozen):
    """Why something was allowed or denied."""

    operation: str
    identity: dict[str, JsonValue]
    """Only the fields of `who_am_i()` that the decision used."""
    rules: tuple[RuleRef, ...]
    predicates: dict[str, JsonValue]
    """Every fact the rules asked for, with its value."""
    result: Literal["allow", "deny"]


class TraceEntry(Frozen):
    """One executed tool call (7.1.2)."""

    tool: str
    args: dict[str, JsonValue]
    bind: str = ""
    ok: bool = True
    error: str = ""
    rows: int = 0
    ids: tuple[str, ...] = ()
    """Identifiers in the result, at most twenty."""
    digest: str = ""
    """Of the canonical result."""
    api_calls: int = 0


class SqlEvidence(Frozen):
    """One executed statement with the rows it gave."""

    bind: str
    statement: str
    """As re-serialised and run, not as proposed."""
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[JsonValue, ...], ...] = ()
    """At most fifty; `count` tells how many there are."""
    count: int = 0
    digest: str = ""


class WriteRecord(Frozen):
    """One change: what was asked of the API, and what was read back."""

    intent: str
    route: str
    body: dict[str, JsonValue]
    key: str
    """Idempotency key: the same write of the same task has the same one."""
    sent: bool = False
    before: JsonValue = None
    after: JsonValue = None
    verified: bool = False


class Decision(Frozen):
    """The verdict on one plan. `ok` means: the response may be sent as it stands."""

    ok: bool
    response: Response | None = None
    findings: tuple[Finding, ...] = ()
    """The diagnostics: stable codes with structured context in `where` and message."""
    proofs: tuple[ProofBundle, ...] = ()
    trace: tuple[TraceEntry, ...] = ()
    sql: tuple[SqlEvidence, ...] = ()
    writes: tuple[WriteRecord, ...] = ()
    steps: tuple[str, ...] = ()
    """The ordered procedure by which the outcome was found, one line per step taken."""
    api_calls: int = 0
    from_snapshot: bool = True
    """Whether the answer needed nothing beyond the snapshot."""
    influenced_by: tuple[str, ...] = ()
    """Lessons that were in the proposer's hands."""
