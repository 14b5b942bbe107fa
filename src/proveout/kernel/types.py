"""The nouns that cross a process or enter the journal: frozen, typed, closed to unknown fields."""

from dataclasses import dataclass, field
from typing import Generic, Literal, Self, TypeVar

from pydantic import BaseModel, ConfigDict, JsonValue

Severity = Literal["error", "warning", "info"]


class Frozen(BaseModel):
    """A value: never changes, knows all of its fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Task(Frozen):
    """What is wanted. An app's task adds its fields; they become flags and form inputs."""


class Finding(Frozen):
    """One reason against a proposal."""

    code: str
    """Stable and dotted, documented by the app: `mle.leak.fit_before_split`."""
    message: str
    """What is wrong, in terms of this proposal. May quote data."""
    where: str = ""
    """File and line, field path, region: whatever locates it."""
    severity: Severity = "error"
    hint: str = ""
    """What to do instead. Never quotes data: hints become lessons that outlive the run."""


class Verdict(Frozen):
    """The findings, the score and the evidence they rest on."""

    findings: tuple[Finding, ...] = ()
    score: float | None = None
    evidence: tuple[str, ...] = ()
    """Content ids of what the checks observed."""

    @property
    def accepted(self) -> bool:
        return not any(finding.severity == "error" for finding in self.findings)


class Usage(Frozen):
    """What a piece of work cost."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    unpriced_tokens: int = 0
    """Tokens of models whose price is unknown: counted, because they cannot be converted."""

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens

    def __add__(self, other: Self) -> Self:
        return type(self)(
            calls=self.calls + other.calls,
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cost_usd=self.cost_usd + other.cost_usd,
            unpriced_tokens=self.unpriced_tokens + other.unpriced_tokens,
        )

    def __sub__(self, other: Self) -> Self:
        return type(self)(
            calls=self.calls - other.calls,
            input_tokens=self.input_tokens - other.input_tokens,
            output_tokens=self.output_tokens - other.output_tokens,
            # Sums of floats do not cancel exactly; a billionth of a cent is no money.
            cost_usd=max(0.0, round(self.cost_usd - other.cost_usd, 12)),
            unpriced_tokens=self.unpriced_tokens - other.unpriced_tokens,
        )


MalformedReason = Literal["malformed", "truncated", "empty", "refused", "oversized"]


class Malformed(Frozen):
    """A proposal that could not be read; the loop turns it into a finding like any other."""

    reason: MalformedReason = "malformed"
    text: str = ""
    """The beginning of what was offered; the whole of it is in the journal."""
    problem: str = ""
    """The validator's words."""

    def finding(self) -> Finding:
        advice = {
            "malformed": "Return exactly one JSON value that matches the schema, and nothing else.",
            "truncated": "Be shorter: the answer was cut off before it was complete.",
            "empty": "Return an answer: the reply was empty.",
            "refused": "State the proposal for this task; a refusal cannot be judged.",
            "oversized": "Be much shorter: the reply exceeded the size limit.",
        }
        return Finding(
            code=f"proposal.{self.reason}",
            message=self.problem or f"the reply was {self.reason}",
            hint=advice[self.reason],
        )


ProposalT = TypeVar("ProposalT", bound=BaseModel)
ProposalT_co = TypeVar("ProposalT_co", bound=BaseModel, covariant=True)
TaskT = TypeVar("TaskT", bound=Task)
TaskT_contra = TypeVar("TaskT_contra", bound=Task, contravariant=True)


@dataclass(frozen=True)
class Attempt(Generic[ProposalT]):
    """A proposal, its verdict and what it cost."""

    key: str
    """Its place in the run's tree: `branch/branch#round`."""
    round: int
    proposal: ProposalT | Malformed
    verdict: Verdict
    usage: Usage = Usage()

    @property
    def accepted(self) -> bool:
        return self.verdict.accepted


class Outcome(Frozen):
    """What a flow returns: the answer and whether it was proved."""

    accepted: bool
    answer: JsonValue = None
    score: float | None = None
    summary: str = ""
    """One line for a person."""


@dataclass(frozen=True)
class Picture:
    """An image to be shown to a model."""

    media_type: str
    content: bytes = field(repr=False)
