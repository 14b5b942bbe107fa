"""What the tools of the MCP server take and give. Descriptions are read by the agent that calls."""

from typing import Literal

from pydantic import Field, JsonValue

from proveout.server.shapes import BudgetWish, Shape, State

LONGEST_PATH = 4_000
LONGEST_SOURCE = 1_000_000
MODEL = "who proposes: `offline` (rules, no key, the default), `claude`, `openai:NAME`, …"


class ImageAsked(Shape):
    """Which picture, and what is to be known about it."""

    image: str = Field(min_length=1, max_length=LONGEST_PATH, description="path of the image file")
    question: str = Field(
        default="",
        max_length=20_000,
        description="a question about its quality; empty asks for an overall grade",
    )
    choices: tuple[str, ...] = Field(
        default=(), max_length=26, description="answer options, letters included: 'A. blur'"
    )
    reference: str | None = Field(
        default=None, max_length=LONGEST_PATH, description="path of the same picture, undistorted"
    )
    compare: str | None = Field(
        default=None,
        max_length=LONGEST_PATH,
        description="path of a second picture, to compare",
    )
    box: str | None = Field(
        default=None,
        max_length=200,
        description="the region asked about: left,top,width,height in pixels",
    )
    model: str | None = Field(default=None, max_length=300, description=MODEL)


class Distortion(Shape):
    name: str
    category: str
    severity: str


class Assessed(Shape):
    """The answer about a picture, with the grade it rests on."""

    run: str = Field(description="id in the journal, for explain_run")
    accepted: bool = Field(description="whether every check was passed")
    answer: str
    quality_score: float | None = Field(default=None, description="from 1 (bad) to 5 (excellent)")
    level: str = ""
    interval: tuple[float, float] | None = Field(
        default=None, description="where the score likely lies"
    )
    distortions: tuple[Distortion, ...] = ()
    reasoning: str = ""
    compared_with: JsonValue = None


class LeakageAsked(Shape):
    """A file, or the text of a script."""

    path: str = Field(
        default="", max_length=LONGEST_PATH, description="path of a script (.py) or notebook"
    )
    source: str = Field(
        default="", max_length=LONGEST_SOURCE, description="the script itself, instead of a path"
    )


class LeakFound(Shape):
    code: str
    message: str
    line: int
    cell: int | None = Field(default=None, description="of a notebook, counted from one")
    statement: str = Field(description="the statement at fault, as it stands in the source")
    flow: tuple[str, ...] = Field(description="the way that the information took, line by line")
    rows: str = Field(description="which rows were seen that should not have been")
    harm: str
    confidence: str
    counts: bool = Field(description="whether it is a leak; else a note")
    hint: str


class LeakageFound(Shape):
    """What an examination found; nothing was executed."""

    summary: str
    leaks: int
    findings: tuple[LeakFound, ...] = ()
    unsure: tuple[str, ...] = Field(default=(), description="why silence is no acquittal")
    unreadable: str = ""
    cut: bool = Field(default=False, description="whether there were more findings than shown")


class RequestAsked(Shape):
    """A business request and the API that it belongs to."""

    text: str = Field(
        min_length=1, max_length=100_000, description="the request, in the words of who makes it"
    )
    task_url: str = Field(
        max_length=2_000,
        pattern=r"^https?://",
        description="the task's own API: http://host/api_root/task_id",
    )
    dry_run: bool = Field(
        default=False, description="prove and word everything, but change and send nothing"
    )
    profile: Literal["wiki", "erc3-prod"] = Field(
        default="wiki", description="how rules are read where pages are silent"
    )
    model: str | None = Field(default=None, max_length=300, description=MODEL)


class Solved(Shape):
    """The reply to a request, with the steps of its proof."""

    run: str = Field(description="id in the journal, for explain_run")
    accepted: bool
    outcome: str
    message: str
    links: JsonValue = None
    steps: tuple[str, ...] = Field(default=(), description="how the outcome was decided")
    sent: bool = Field(description="whether changes and the reply went out")


class TrainingAsked(Shape):
    """A folder of tables, and where the result goes."""

    folder: str = Field(
        min_length=1,
        max_length=LONGEST_PATH,
        description="folder with a description and CSV or Parquet files",
    )
    out: str = Field(
        min_length=1,
        max_length=LONGEST_PATH,
        description="folder for submission.csv, solution.py and what led to them",
    )
    time_limit_seconds: float = Field(
        default=300.0, ge=5, le=86_400, description="most seconds, all included"
    )
    smoke: bool = Field(default=False, description="a quick look: two small models, under a minute")
    seed: int = Field(default=0, ge=0, le=2**31 - 1)
    model: str | None = Field(default=None, max_length=300, description=MODEL)


class Trained(Shape):
    """The script that was chosen, and how well it does on rows it never saw."""

    run: str = Field(description="id in the journal, for explain_run")
    accepted: bool
    summary: str
    metric: str = ""
    direction: str = ""
    score: float | None = Field(default=None, description="cross-validated")
    standard_error: float | None = None
    holdout: float | None = Field(default=None, description="on rows kept out of the search")
    reason: str = ""
    submission: str = ""
    solution: str = ""


class TaskAsked(Shape):
    """A task of any app, from the fields that the app's task has."""

    app: str = Field(min_length=1, max_length=100, description="name of the app")
    fields: dict[str, JsonValue] = Field(
        default_factory=dict, description="the fields of the app's task"
    )
    model: str | None = Field(default=None, max_length=300, description=MODEL)
    seed: int = Field(default=0, ge=0, le=2**31 - 1)
    budget: BudgetWish = Field(
        default=BudgetWish(), description="bounds that differ from the settings"
    )


class Finished(Shape):
    """How a run ended."""

    run: str = Field(description="id in the journal, for explain_run")
    app: str
    accepted: bool
    summary: str
    score: float | None = None
    answer: JsonValue = None
    cut: bool = Field(default=False, description="whether the answer was too long to be shown")


class ListAsked(Shape):
    """Which runs are wanted, newest first."""

    app: str = Field(default="", max_length=100, description="only of this app")
    state: State | Literal[""] = Field(default="", description="only in this state")
    text: str = Field(
        default="", max_length=300, description="found in the id, the task or the answer"
    )
    limit: int = Field(default=20, ge=1, le=100)
    offset: int = Field(default=0, ge=0, le=10_000_000)


class RunAsked(Shape):
    """A run of the journal."""

    run: str = Field(
        default="last", min_length=1, max_length=200, description="id, unique part, or `last`"
    )


class FoundOften(Shape):
    """A reason against proposals of a run."""

    code: str
    times: int
    meaning: str


class Explained(Shape):
    """What a run was about, how it ended and on which evidence."""

    run: str
    app: str
    state: State
    summary: str
    score: float | None = None
    model: str
    attempts: int
    calls: int
    tokens: int
    cost_usd: float
    seconds: float
    findings: tuple[FoundOften, ...] = ()
    report: str = Field(description="the run's report, as Markdown")
    cut: bool = Field(default=False, description="whether the report goes on")
    next: str = Field(description="the command that shows all of it")
