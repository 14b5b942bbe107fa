"""What goes in and out over HTTP. `Problem` is the one shape of every error."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from proveout.kernel.budget import Budget
from proveout.kernel.lessons import Lesson
from proveout.kernel.types import Outcome, Verdict

State = Literal["queued", "running", "accepted", "not accepted", "interrupted"]
Finite = Annotated[float, Field(ge=0, le=10_000_000, allow_inf_nan=False)]
MOST_LISTED = 500


class Shape(BaseModel):
    """A value that knows all of its fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Complaint(Shape):
    """What happened, what to do, and a stable code, as the command line says it."""

    code: str
    message: str
    hint: str = ""


class Problem(Shape):
    """The body of every answer that is not a success."""

    error: Complaint


class BudgetWish(Shape):
    """Bounds that differ from the settings; what is left out stays as it is set."""

    rounds: int | None = Field(default=None, ge=0, le=10_000_000)
    calls: int | None = Field(default=None, ge=0, le=10_000_000)
    tokens: int | None = Field(default=None, ge=0, le=10**12)
    cost_usd: float | None = Field(default=None, ge=0, le=1_000_000, allow_inf_nan=False)
    seconds: Finite | None = None

    def on(self, budget: Budget) -> Budget:
        return budget.model_copy(update=self.model_dump(exclude_none=True))


class RunWish(Shape):
    """How to run: what is left out stays as it is set."""

    model: str | None = Field(default=None, min_length=1, max_length=300)
    seed: int = Field(default=0, ge=0, le=2**31 - 1)
    budget: BudgetWish = BudgetWish()


class RunRequest(RunWish):
    """A new run: an app and the fields of its task."""

    app: str = Field(min_length=1, max_length=100, examples=["pattern"])
    task: dict[str, JsonValue] = Field(
        default_factory=dict, examples=[{"expression": "[a-f]+[0-9]{2}", "shortest": 9}]
    )


class RunFilter(Shape):
    """Which runs are wanted, newest first; an empty value means any."""

    app: str = Field(default="", max_length=100)
    state: State | Literal[""] = ""
    model: str = Field(default="", max_length=300)
    text: str = Field(default="", max_length=300)
    """Found in the id, the task or the answer, whatever the case."""
    since: float = Field(default=0.0, ge=0, le=1e12, allow_inf_nan=False)
    """Seconds since 1970: runs that began then or later."""
    limit: int = Field(default=50, ge=1, le=MOST_LISTED)
    offset: int = Field(default=0, ge=0, le=10_000_000)


class RunLine(Shape):
    """A run in a list."""

    run: str
    app: str
    title: str
    state: State
    model: str
    started: str
    """ISO 8601, UTC."""
    started_at: float
    seconds: float
    """How long it has worked."""
    attempts: int
    score: float | None
    cost_usd: float
    tokens: int
    summary: str


class RunList(Shape):
    """One page of a list; `total` counts all that fit the filter."""

    runs: tuple[RunLine, ...]
    total: int
    limit: int
    offset: int


class Ceiling(Shape):
    """What a run would be, before it costs anything."""

    app: str
    task: JsonValue
    model: str
    roles: dict[str, str]
    ceiling: Budget


class AppLesson(Shape):
    """A lesson, and the app whose proposers are given it."""

    app: str
    lesson: Lesson


class Rows(Shape):
    """The answer to a query."""

    columns: tuple[str, ...]
    rows: tuple[tuple[JsonValue, ...], ...]
    cut: bool
    """Whether there was more than is shown."""
    seconds: float


class Comparison(Shape):
    """Two runs as lines, in the manner of `diff`."""

    left: str
    right: str
    same: bool
    diff: tuple[str, ...]


class Started(Shape):
    """A run that is in the journal now."""

    run: str
    state: State


class RunDetail(Shape):
    """A run, as `proveout runs show --json` prints it."""

    run: str
    app: str
    state: State
    task: JsonValue
    model: str
    seed: int
    version: str
    accepted: bool
    outcome: JsonValue
    spent: str
    usage: JsonValue
    budget: JsonValue
    findings: dict[str, int]
    attempts: list[JsonValue]
    notes: list[str]


class EventList(Shape):
    """Events in order; ask again with `after` = `last` for what follows."""

    events: list[dict[str, JsonValue]]
    last: int


class Stopped(Shape):
    """Whether this server had such a run to stop."""

    run: str
    stopped: bool


class Changed(Shape):
    """A verdict that came out otherwise than it was recorded."""

    key: str
    recorded: Verdict
    now: Verdict


class Replayed(Shape):
    """What judging a run's proposals again gave."""

    run: str
    judged: int
    recorded: int
    faithful: bool
    diverged: str
    outcome_differs: bool
    differences: tuple[Changed, ...]


class Verified(Shape):
    """Whether everything is as it was written."""

    intact: bool
    damage: list[str]


class AppShape(Shape):
    """An app, and what its task is made of."""

    name: str
    summary: str
    available: bool
    missing: str = ""
    """Why it cannot be used here, if it cannot."""
    task: JsonValue = None
    """JSON Schema of the task's fields."""
    findings: dict[str, str]


class AppList(Shape):
    apps: tuple[AppShape, ...]


class LessonList(Shape):
    lessons: tuple[AppLesson, ...]


class SqlRequest(Shape):
    query: str = Field(min_length=1, max_length=20_000, examples=["SELECT run, app FROM runs"])


class Health(Shape):
    """That the server answers."""

    status: Literal["ok"] = "ok"
    version: str


class ExaminedLine(Shape):
    """One line of the doctor's report."""

    name: str
    state: Literal["ok", "missing", "broken"]
    found: str
    fix: str


class Examination(Shape):
    healthy: bool
    lines: tuple[ExaminedLine, ...]


class SettingLine(Shape):
    name: str
    value: JsonValue
    origin: str


class SettingList(Shape):
    """Settings as they are in force, without secrets."""

    settings: tuple[SettingLine, ...]


class Uploaded(Shape):
    """A file that tasks may name by this word."""

    upload: str


class AssessRequest(Shape):
    """A question about a picture: a path inside the allowed folder, or `upload:…`."""

    image: str = Field(min_length=1, max_length=4_000)
    query: str | None = Field(default=None, max_length=20_000)
    choices: tuple[str, ...] = Field(default=(), max_length=26)
    reference: str | None = Field(default=None, max_length=4_000)
    compare: str | None = Field(default=None, max_length=4_000)
    box: str | None = Field(default=None, max_length=200)
    mask: str | None = Field(default=None, max_length=4_000)
    model: str | None = Field(default=None, min_length=1, max_length=300)


class Assessment(BaseModel):
    """The answer, as `proveout iqa assess --json` prints it, and where it came from."""

    model_config = ConfigDict(frozen=True, extra="allow")
    run: str
    accepted: bool
    reused: bool
    """Whether the same question about the same bytes was answered before, by this very run."""
    image: str
    final_answer: str | None = None
    quality_score: float | None = None
    level: str | None = None


class SolveRequest(Shape):
    """A business task, and the API that it belongs to."""

    text: str = Field(min_length=1, max_length=1_000_000)
    task_url: str = Field(min_length=1, max_length=2_000, pattern=r"^https?://")
    profile: Literal["wiki", "erc3-prod"] = "wiki"
    rehearse: bool = False
    """Prove and word everything, but change and send nothing."""
    model: str | None = Field(default=None, min_length=1, max_length=300)
    budget: BudgetWish = BudgetWish()


class Finished(Shape):
    """A run that was waited for."""

    run: str
    accepted: bool
    outcome: Outcome


class MleRequest(Shape):
    """A folder of tables inside the allowed folder, and how long to search."""

    folder: str = Field(min_length=1, max_length=4_000)
    out: str = Field(default="", max_length=4_000)
    mode: Literal["default", "paper"] = "default"
    smoke: bool = False
    seconds: float = Field(default=300.0, ge=5, le=1_000_000, allow_inf_nan=False)
    seed: int = Field(default=0, ge=0, le=2**31 - 1)
    model: str | None = Field(default=None, min_length=1, max_length=300)


class CheckRequest(Shape):
    """A script or notebook, as text or as a path inside the allowed folder."""

    source: str = Field(default="", max_length=2_000_000)
    path: str = Field(default="", max_length=4_000)
    filename: str = Field(default="script.py", min_length=1, max_length=300)


class LeakageReport(BaseModel):
    """What `proveout mle check --json` prints of one file."""

    model_config = ConfigDict(frozen=True, extra="allow")
    file: str
    leaks: int
    findings: list[JsonValue]
    ignored: list[JsonValue]
    unsure: list[str]
    unreadable: str
