"""What the kernel needs from the world, as protocols; `proveout.testing` has their contracts."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeVar

from pydantic import JsonValue

from proveout.kernel.events import Event, Recorded
from proveout.kernel.lessons import Lesson
from proveout.kernel.types import (
    Finding,
    Frozen,
    Malformed,
    Picture,
    ProposalT_co,
    TaskT_contra,
    Usage,
    Verdict,
)

ItemT = TypeVar("ItemT")
ResultT = TypeVar("ResultT")
ProposalT_contra = TypeVar("ProposalT_contra", contravariant=True)


class Cancel(Protocol):
    """Set when the run should stop; `threading.Event` is one."""

    def is_set(self) -> bool: ...
    def wait(self, timeout: float | None = None) -> bool: ...


class Clock(Protocol):
    """Wall time is data; deadlines use the monotonic reading."""

    def now(self) -> float:
        """Seconds since the epoch."""
        ...

    def monotonic(self) -> float: ...

    def sleep(self, seconds: float, cancel: Cancel) -> None:
        """Wait, but return at once when cancelled."""
        ...


class CallLimits(Frozen):
    """Bounds of a single model call. There is no such thing as an unbounded call."""

    timeout_seconds: float = 120.0
    max_output_tokens: int = 4096
    max_reply_bytes: int = 2_000_000
    temperature: float | None = None
    tries: int = 4
    """How often a busy provider is asked before the call fails."""


@dataclass(frozen=True)
class ModelCall:
    """Everything a back end is told; nothing else about the run reaches it."""

    role: str
    """`app/role`: names the prompt, selects the expert offline."""
    prompt: str
    """The text as rendered, schema included. Sent verbatim."""
    schema: Mapping[str, JsonValue] | None = None
    """JSON schema of the value wanted; None asks for free text."""
    pictures: tuple[Picture, ...] = ()
    tools: tuple[str, ...] = ()
    """Names of the tools the role may use (only back ends with tools heed them)."""
    limits: CallLimits = CallLimits()
    key: str = ""
    """Idempotency key: the same step of the same run always carries the same one."""
    description: str = ""
    """What the role is for, in one line."""
    brief: Any = field(default=None, repr=False, compare=False)
    """The typed inputs behind the prompt. Only `offline` reads them: experts reason from data."""
    expert: Callable[[Any], Any] | None = field(default=None, repr=False, compare=False)
    """The role's rule-based proposer. Only `offline` calls it."""


StopReason = Literal["end", "length", "refusal", "oversized"]


class Reply(Frozen):
    """What came back: never trusted, always parsed again."""

    text: str = ""
    value: JsonValue = None
    """The native structured value, where the back end has one."""
    usage: Usage = Usage()
    model: str = ""
    """The exact model that answered."""
    stop: StopReason = "end"


class Model(Protocol):
    """A back end. Raises `ModelBusy`, `ModelRefused`, `PrerequisiteError`; all else is a Reply."""

    @property
    def name(self) -> str:
        """As given on the command line: `offline`, `openai:gpt-5`, …"""
        ...

    @property
    def paid(self) -> bool:
        """Whether a call has an outside effect. A paid call is journalled before it is made."""
        ...

    def ceiling(self, call: ModelCall) -> Usage:
        """The most this call can cost; reserved before it is made."""
        ...

    def ask(self, call: ModelCall, cancel: Cancel) -> Reply: ...

    def close(self) -> None:
        """Release clients and processes. Idempotent."""
        ...


class Prompts(Protocol):
    """Prompt files by role, rendered with every variable defined."""

    def render(
        self, role: str, variables: Mapping[str, Any], schema: Mapping[str, JsonValue] | None
    ) -> "RenderedPrompt": ...


@dataclass(frozen=True)
class RenderedPrompt:
    text: str
    template_id: str
    """Content id of the template, so that two runs can be compared by prompt."""


class Surroundings(Protocol):
    """What a check may look at. What it learns from outside is recorded and replayed."""

    def observe(
        self, name: str, produce: Callable[[], JsonValue], *, counts: bool = True
    ) -> JsonValue:
        """The recorded value of `name` for this attempt, or `produce()` recorded now.

        What does not count is recorded but is no evidence of the verdict: circumstances that differ
        from one look to the next and decide nothing, such as how long something took.
        """
        ...

    def keep(self, content: bytes, media_type: str) -> str:
        """Store bytes as evidence; returns their content id."""
        ...

    def content(self, content_id: str) -> bytes:
        """Bytes stored before."""
        ...


class Checked(Frozen):
    """What one check says."""

    findings: tuple[Finding, ...] = ()
    score: float | None = None


class Check(Protocol[TaskT_contra, ProposalT_contra]):
    """Deterministic; never asks a model. To run on an engine it must be picklable."""

    def __call__(
        self, task: TaskT_contra, proposal: ProposalT_contra, surroundings: Surroundings, /
    ) -> Checked: ...


class Journal(Protocol):
    """Append-only events, hash-chained per run, beside content-addressed blobs."""

    def append(self, run: str, event: Event, *, at: float, elapsed: float, durable: bool) -> str:
        """Chain one event; when `durable`, it and all before it survive a power cut."""
        ...

    def find(self, run: str, kind: str, key: str) -> Recorded | None:
        """The event of a finished step, by its place in the run."""
        ...

    def read(self, run: str, *, after: int = 0) -> Iterator[Recorded]:
        """The events of a run in order, `after` a sequence number."""
        ...

    def put(self, content: bytes) -> str:
        """Store a blob; durable together with the next durable event."""
        ...

    def get(self, content_id: str) -> bytes: ...


class Experience(Protocol):
    """Consolidated lessons of earlier attempts. Written by `lesson.learned` events only."""

    def recall(self, app: str) -> tuple[Lesson, ...]: ...


class Finished(Frozen):
    """One piece of work done by an engine: a value, or the error that prevented it."""

    index: int
    value: Any = None
    error: str = ""
    """Empty when the work succeeded."""


class Engine(Protocol):
    """Executes picklable work, maybe elsewhere."""

    @property
    def name(self) -> str: ...

    @property
    def workers(self) -> int:
        """How many pieces of work are done at a time."""
        ...

    def run(
        self,
        work: Callable[[ItemT], ResultT],
        items: Sequence[ItemT],
        *,
        timeout_seconds: float,
        cancel: Cancel,
    ) -> Iterator[Finished]:
        """Results as they finish, each with its item's index; ending the iterator ends the work."""
        ...

    def close(self) -> None: ...


class ScriptLimits(Frozen):
    """Bounds of one script. All of them hold for the script and everything it starts."""

    seconds: float = 600.0
    memory_bytes: int = 4 * 2**30
    processes: int = 64
    disk_bytes: int = 2 * 2**30
    output_bytes: int = 1_000_000
    """Of standard output and of standard error, each; the rest is cut and told."""
    threads: int = 1
    """Given to OpenMP and BLAS."""


class ScriptJob(Frozen):
    """A Python script to run where it can do no harm. Picklable: it may travel to an engine."""

    source: str
    folder: str
    """The only place it may write to; its current directory."""
    data: str = ""
    """A folder that it sees, read-only, as `input/` in its current directory."""
    limits: ScriptLimits = ScriptLimits()
    seed: int = 0


class ScriptRun(Frozen):
    """What came of a script. Nothing it says about itself is believed."""

    exit_code: int
    """-1 if it was ended from outside."""
    stdout: str = ""
    stderr: str = ""
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    peak_bytes: int = 0
    ended_by: str = ""
    """The bound that was reached (`seconds`, `memory`, `disk`, …), or empty."""
    guarantees: tuple[str, ...] = ()
    """What the sandbox could promise on this machine: `no_network`, `writes_confined`, …"""

    @property
    def timed_out(self) -> bool:
        return self.ended_by == "seconds"


class Sandbox(Protocol):
    """Runs scripts that nobody trusts. Raises `PrerequisiteError` if it cannot promise enough."""

    def run(self, job: ScriptJob, cancel: Cancel) -> ScriptRun: ...

    def close(self) -> None:
        """End everything that still runs. Idempotent."""
        ...


@dataclass(frozen=True)
class Brief:
    """What a proposer is told for one round."""

    task: Any
    round: int = 0
    findings: tuple[Finding, ...] = ()
    """Why the previous proposal of this loop was rejected."""
    previous: Any = None
    """That proposal."""
    lessons: tuple[Lesson, ...] = ()
    variables: Mapping[str, Any] = field(default_factory=dict)
    """What the flow adds for this role: template variables and the expert's typed inputs."""
    pictures: tuple[Picture, ...] = ()
    seed: int = 0


class Proposer(Protocol[ProposalT_co]):
    """Offers, never acts. `ask` is the only door to a model."""

    @property
    def returns(self) -> type[ProposalT_co]: ...

    def propose(self, brief: Brief, ask: "Ask") -> ProposalT_co | Malformed: ...


class Ask(Protocol):
    """Puts a role's question to the run's model, within budget and journal."""

    def __call__(self, role: Any, brief: Brief) -> Any: ...


NOT_FINITE = Finding(
    code="proposal.score_not_finite",
    message="the score is infinite or not a number, so it cannot be compared",
    hint="Make sure that the score is a finite number.",
)


def verdict_of(results: Iterable[Checked], evidence: Sequence[str]) -> Verdict:
    """One verdict from several checks; the last score given counts, if it is a number at all."""
    findings: list[Finding] = []
    score: float | None = None
    for checked in results:
        findings.extend(checked.findings)
        if checked.score is not None and not math.isfinite(checked.score):
            findings.append(NOT_FINITE)
        elif checked.score is not None:
            score = checked.score
    return Verdict(findings=tuple(findings), score=score, evidence=tuple(evidence))
