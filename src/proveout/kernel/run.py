"""A run as its journal tells it: a pure fold over events. Every view is a reading of this."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from pydantic import JsonValue

from proveout.kernel.budget import BOUNDS, Bound, Budget
from proveout.kernel.errors import JournalError
from proveout.kernel.events import (
    BudgetDrained,
    BudgetWarned,
    EvidenceObserved,
    ModelCalled,
    Note,
    PromptRendered,
    ProposalMade,
    Recorded,
    RunEnded,
    RunInterrupted,
    RunResumed,
    RunStarted,
    VerdictGiven,
)
from proveout.kernel.types import Outcome, Usage, Verdict

RunState = Literal["running", "interrupted", "ended"]


@dataclass(frozen=True)
class AttemptRecord:
    """An attempt as it was written down; `verdict` is None while it is being judged."""

    key: str
    returns: str
    proposal: JsonValue
    verdict: Verdict | None
    usage: Usage
    lessons: tuple[str, ...]
    at: float
    elapsed: float
    ended: float = 0.0
    """When it was judged, as `elapsed` counts; when it was proposed, if it is not judged yet."""

    @property
    def path(self) -> str:
        return self.key.rpartition("#")[0]

    @property
    def round(self) -> int:
        return int(self.key.rpartition("#")[2])

    @property
    def malformed(self) -> bool:
        return self.returns == "Malformed"


@dataclass(frozen=True)
class CallRecord:
    """A model call with the ids of what was sent and what came back."""

    key: str
    role: str
    model: str
    prompt: str
    """Blob id; empty for an expert, which reads data instead of a prompt."""
    text: str
    stop: str
    usage: Usage
    seconds: float


@dataclass(frozen=True)
class Run:
    """A task, its tree of attempts, its ending."""

    id: str
    app: str
    task: JsonValue
    model: str
    seed: int
    budget: Budget
    version: str
    started_at: float
    elapsed: float
    events: int
    state: RunState
    attempts: tuple[AttemptRecord, ...]
    calls: tuple[CallRecord, ...]
    notes: tuple[str, ...]
    warnings: tuple[BudgetWarned | BudgetDrained, ...]
    resumed: int
    outcome: Outcome | None = None
    spent: str = ""
    usage: Usage = Usage()
    findings: Counter[str] = field(default_factory=Counter)
    """How often each code was found."""
    observed: Mapping[str, str] = field(default_factory=dict)
    """Content ids of what was observed or kept, by place: an attempt's key, a colon and a name."""

    def used(self, bound: Bound) -> float:
        return {
            "rounds": float(len(self.attempts)),
            "calls": float(self.usage.calls),
            "tokens": float(self.usage.tokens),
            "cost_usd": self.usage.cost_usd,
            "seconds": self.elapsed,
        }[bound]

    @property
    def use(self) -> dict[Bound, tuple[float, float]]:
        """Every bound with what was used and its limit."""
        return {bound: (self.used(bound), self.budget.limit(bound)) for bound in BOUNDS}

    @property
    def best(self) -> AttemptRecord | None:
        """The accepted attempt that came last, else the one with the fewest errors."""
        judged = [a for a in self.attempts if a.verdict is not None]
        accepted = [a for a in judged if a.verdict and a.verdict.accepted]
        if accepted:
            return accepted[-1]
        return min(judged, key=_errors, default=None)


def _errors(attempt: AttemptRecord) -> int:
    findings = attempt.verdict.findings if attempt.verdict else ()
    return sum(finding.severity == "error" for finding in findings)


@dataclass
class _Fold:
    """What has been read so far."""

    started: tuple[Recorded, RunStarted] | None = None
    last: Recorded | None = None
    budget: Budget = field(default_factory=Budget)
    model: str = ""
    task: JsonValue = None
    state: RunState = "running"
    outcome: Outcome | None = None
    spent: str = ""
    resumed: int = 0
    count: int = 0
    usage: Usage = Usage()
    proposals: dict[str, tuple[Recorded, ProposalMade]] = field(default_factory=dict)
    verdicts: dict[str, tuple[Recorded, Verdict]] = field(default_factory=dict)
    prompts: dict[str, str] = field(default_factory=dict)
    calls: list[CallRecord] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    warnings: list[BudgetWarned | BudgetDrained] = field(default_factory=list)
    observed: dict[str, str] = field(default_factory=dict)

    def read(self, row: Recorded) -> None:
        """Take in one event."""
        self.count, self.last = self.count + 1, row
        match row.event:
            case RunStarted() as event:
                self.started, self.task = (row, event), event.task
                self.budget, self.model = event.budget, event.model
            case RunResumed() as event:
                # One that follows the beginning at once had waited for its turn, nothing else.
                self.resumed += self.count > 2
                self.state = "running"
                self.budget, self.model = event.budget, event.model
                self.task = self.task if event.task is None else event.task
            case RunInterrupted(reason=reason):
                self.state = "interrupted"
                self.notes.append(f"interrupted: {reason}")
            case RunEnded() as event:
                self.state, self.outcome, self.spent = "ended", event.outcome, event.spent
            case PromptRendered() as event:
                self.prompts[event.key] = event.prompt
            case ModelCalled() as event:
                self.usage = self.usage + event.usage
                self.calls.append(self._call(event))
            case ProposalMade() as event:
                self.proposals[event.key] = (row, event)
            case VerdictGiven() as event:
                self.verdicts[event.key] = (row, event.verdict)
            case EvidenceObserved() as event:
                self.observed[event.key] = event.content
            case BudgetWarned() | BudgetDrained() as event:
                self.warnings.append(event)
            case Note(text=text):
                self.notes.append(text)
            case _:
                pass

    def _call(self, event: ModelCalled) -> CallRecord:
        return CallRecord(
            key=event.key,
            role=event.role,
            model=event.model,
            prompt=self.prompts.get(event.key, ""),
            text=event.text,
            stop=event.stop,
            usage=event.usage,
            seconds=event.seconds,
        )

    def attempts(self) -> tuple[AttemptRecord, ...]:
        return tuple(
            AttemptRecord(
                key=key,
                returns=made.returns,
                proposal=made.proposal,
                verdict=self.verdicts[key][1] if key in self.verdicts else None,
                usage=made.usage,
                lessons=made.lessons,
                at=row.at,
                elapsed=row.elapsed,
                ended=self.verdicts.get(key, (row, None))[0].elapsed,
            )
            for key, (row, made) in self.proposals.items()
        )


def read_run(recorded: Iterable[Recorded]) -> Run:
    """Fold a run's events, in order, into what they say."""
    fold = _Fold()
    for row in recorded:
        fold.read(row)
    if fold.started is None or fold.last is None:
        message = "the run has no beginning: its first event is missing"
        raise JournalError(message, hint="check the journal with `proveout runs verify`")
    row, started = fold.started
    return Run(
        id=row.run,
        app=started.app,
        task=fold.task,
        model=fold.model,
        seed=started.seed,
        budget=fold.budget,
        version=started.version,
        started_at=row.at,
        elapsed=fold.last.elapsed,
        events=fold.count,
        state=fold.state,
        attempts=fold.attempts(),
        calls=tuple(fold.calls),
        notes=tuple(fold.notes),
        warnings=tuple(fold.warnings),
        resumed=fold.resumed,
        outcome=fold.outcome,
        spent=fold.spent,
        usage=fold.usage,
        findings=Counter(f.code for _, v in fold.verdicts.values() for f in v.findings),
        observed=fold.observed,
    )


def run_data(run: Run) -> dict[str, JsonValue]:
    """A run as JSON: what `--json` prints and other programs read."""
    return {
        "run": run.id,
        "app": run.app,
        "task": run.task,
        "model": run.model,
        "seed": run.seed,
        "version": run.version,
        "accepted": run.outcome is not None and run.outcome.accepted,
        "outcome": run.outcome.model_dump(mode="json") if run.outcome else None,
        "spent": run.spent,
        "usage": run.usage.model_dump(mode="json"),
        "budget": {
            bound: {"used": used, "limit": limit} for bound, (used, limit) in run.use.items()
        },
        "findings": dict(run.findings),
        "attempts": [
            {
                "key": attempt.key,
                "returns": attempt.returns,
                "proposal": attempt.proposal,
                "verdict": _verdict_data(attempt.verdict),
                "usage": attempt.usage.model_dump(mode="json"),
                "lessons": list(attempt.lessons),
            }
            for attempt in run.attempts
        ],
        "notes": list(run.notes),
    }


def _verdict_data(verdict: Verdict | None) -> JsonValue:
    if verdict is None:
        return None
    return {"accepted": verdict.accepted, **verdict.model_dump(mode="json")}
