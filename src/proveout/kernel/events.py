"""The closed list of what can be written in a journal: thirteen kinds, past participles.

`key` is the step's place in the run's tree (`branch/branch#round`). A kind and a key name one step,
so a resumed run finds what it has already done. Long texts are blobs; events carry their ids.
"""

from typing import Annotated, Literal, NamedTuple

from pydantic import Field, JsonValue, TypeAdapter

from proveout.kernel.budget import Budget
from proveout.kernel.lessons import Patch
from proveout.kernel.types import Frozen, Outcome, Usage, Verdict


class RunStarted(Frozen):
    kind: Literal["run.started"] = "run.started"
    key: str = ""
    app: str
    task: JsonValue
    model: str
    seed: int
    budget: Budget
    settings: JsonValue = None
    """Effective settings without secrets: a run can be repeated from its journal alone."""
    version: str
    """Of the product."""


class RunResumed(Frozen):
    kind: Literal["run.resumed"] = "run.resumed"
    key: str = ""
    budget: Budget
    """Possibly raised by the person who resumed it."""
    model: str
    version: str
    task: JsonValue = None
    """As it is wanted from here on; None if nobody said anything else than before."""


class RunInterrupted(Frozen):
    kind: Literal["run.interrupted"] = "run.interrupted"
    key: str = ""
    reason: str


class RunEnded(Frozen):
    kind: Literal["run.ended"] = "run.ended"
    key: str = ""
    outcome: Outcome
    spent: str = ""
    """The bound that ended it, if one did."""
    usage: Usage


class PromptRendered(Frozen):
    """Written before a paid call: without its `model.called` twin the outcome is unknown."""

    kind: Literal["prompt.rendered"] = "prompt.rendered"
    key: str
    role: str
    model: str
    template_id: str
    prompt: str
    """Blob id of the text as sent."""
    schema_id: str = ""
    pictures: tuple[str, ...] = ()
    lessons: tuple[str, ...] = ()
    """Signatures of the patches behind the lessons that the prompt showed."""


class ModelCalled(Frozen):
    kind: Literal["model.called"] = "model.called"
    key: str
    role: str
    model: str
    text: str
    """Blob id of the reply's text."""
    value: JsonValue = None
    stop: Literal["end", "length", "refusal", "oversized"] = "end"
    usage: Usage = Usage()
    seconds: float = 0.0


class ProposalMade(Frozen):
    kind: Literal["proposal.made"] = "proposal.made"
    key: str
    returns: str
    """Name of the proposal's type; `Malformed` if it could not be read."""
    proposal: JsonValue
    lessons: tuple[str, ...] = ()
    """Signatures of the patches behind the lessons its proposer was given: the audit trail."""
    usage: Usage = Usage()


class EvidenceObserved(Frozen):
    """Something learned from outside; a replay reads it instead of looking again."""

    kind: Literal["evidence.observed"] = "evidence.observed"
    key: str
    """The attempt's key, a colon and the observation's name."""
    content: str
    """Blob id."""
    media_type: str = "application/json"


class VerdictGiven(Frozen):
    kind: Literal["verdict.given"] = "verdict.given"
    key: str
    verdict: Verdict


class LessonLearned(Frozen):
    kind: Literal["lesson.learned"] = "lesson.learned"
    key: str
    app: str
    patch: Patch


class BudgetWarned(Frozen):
    """Four fifths of a bound are used."""

    kind: Literal["budget.warned"] = "budget.warned"
    key: str
    bound: str
    used: float
    limit: float


class BudgetDrained(Frozen):
    kind: Literal["budget.spent"] = "budget.spent"
    key: str
    bound: str
    used: float
    limit: float


class Note(Frozen):
    """Anything a reader may like to know; nothing depends on it."""

    kind: Literal["note"] = "note"
    key: str = ""
    text: str
    detail: JsonValue = None


Event = Annotated[
    RunStarted
    | RunResumed
    | RunInterrupted
    | RunEnded
    | PromptRendered
    | ModelCalled
    | ProposalMade
    | EvidenceObserved
    | VerdictGiven
    | LessonLearned
    | BudgetWarned
    | BudgetDrained
    | Note,
    Field(discriminator="kind"),
]

EVENTS: TypeAdapter[Event] = TypeAdapter(Event)

STEPS = frozenset(
    {"prompt.rendered", "model.called", "proposal.made", "evidence.observed", "verdict.given"}
)
"""Kinds of which a run may hold one per key: what a resumed run looks up."""


class Recorded(NamedTuple):
    """An event as the journal holds it."""

    run: str
    sequence: int
    id: str
    parent: str
    at: float
    """Wall clock: data, never used for order."""
    elapsed: float
    """Seconds the run had worked when it was written, over all of its sessions."""
    event: Event
