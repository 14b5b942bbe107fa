"""What the service around the tasks is asked with and answers: benchmarks, sessions, grading."""

from typing import Annotated, Final, Literal

from pydantic import Field, StringConstraints, field_serializer
from pydantic.types import SecretStr

from proveout.apps.solver.client.route import Nothing, Request, Route
from proveout.apps.solver.entities import Payload

SpecId = Annotated[str, StringConstraints(strip_whitespace=True)]
"""The service lists one of its ids with a trailing tab."""
Flag = Literal["compete_accuracy", "compete_budget", "compete_speed", "compete_local"]


class _Keyed(Request):
    """Only these requests carry the account key, as a field of the body."""

    account_key: SecretStr = SecretStr("")

    @field_serializer("account_key", when_used="json")
    def _as_sent(self, key: SecretStr) -> str:
        return key.get_secret_value()


class KeyFor(Request):
    email: str


class BenchmarkNamed(Request):
    benchmark: str


class SessionStart(_Keyed):
    benchmark: str
    workspace: str = ""
    name: str | None = None
    architecture: str | None = None
    flags: tuple[Flag, ...] | None = None


class SessionNamed(Request):
    session_id: str


class SessionSearch(_Keyed):
    workspace: str | None = None
    benchmark: str | None = None
    status: tuple[Literal["open", "done", "evaluated"], ...] | None = None


class TaskStart(Request):
    """Either a task of a session, or a spec of a benchmark for a task outside any session."""

    task_id: str | None = None
    benchmark: str | None = None
    spec_id: str | None = None


class TaskNamed(Request):
    task_id: str


class TaskView(TaskNamed):
    since: int | None = None


class TaskLog(TaskNamed):
    """What a model cost. Services subtract points where nothing at all was reported."""

    model: str
    duration_sec: float = Field(ge=0)
    completion: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_prompt_tokens: int = 0
    usage: dict[str, int] | None = None
    """The same for older services."""


class Key(Payload):
    key: str = ""
    account_key: str = ""
    public_key: str = ""


class BenchmarkBrief(Payload):
    id: str
    short_description: str = ""
    status: str = ""
    tasks: int = 0


class Benchmarks(Payload):
    benchmarks: tuple[BenchmarkBrief, ...] = ()


class Spec(Payload):
    id: SpecId
    task: str = ""
    gotcha: str = ""


class RouteSample(Payload):
    path: str
    description: str = ""
    sample_request: object = ""
    sample_response: object = ""


class BenchmarkView(Payload):
    id: str
    description: str = ""
    status: str = ""
    specs: tuple[Spec, ...] = ()
    routes: tuple[RouteSample, ...] = ()


class SessionStarted(Payload):
    session_id: str
    task_count: int = 0


class TaskBrief(Payload):
    spec_id: SpecId = ""
    task_id: str
    num: int = 0
    task_text: str = ""
    status: str = ""
    benchmark: str = ""
    score: float = -1.0
    """Below zero until it is graded."""
    error_message: str = ""


class SessionStatus(Payload):
    status: str = ""
    benchmark: str = ""
    new: int = 0
    running: int = 0
    completed: int = 0
    failed: int = 0
    tasks: tuple[TaskBrief, ...] = ()
    name: str = ""
    architecture: str = ""
    flags: tuple[str, ...] = ()
    score: float | None = None


class SessionBrief(Payload):
    id: str
    benchmark_type: str = ""
    status: str = ""
    created_at: str = ""
    workspace: str = ""
    benchmark_description: str = ""
    total_tasks: int = 0
    completed_tasks: int = 0
    running_tasks: int = 0
    new_tasks: int = 0
    failed_tasks: int = 0
    score: float | None = None


class Sessions(Payload):
    sessions: tuple[SessionBrief, ...] = ()


class Submitted(Payload):
    status: str = ""


class TaskStarted(Payload):
    task_id: str
    session_id: str = ""
    status: str = ""
    text: str = ""


class TaskEvent(Payload):
    type: str = ""
    text: str = ""
    time: str = ""
    unix: int = 0
    body: object = None


class TaskDetail(Payload):
    task_id: str
    text: str = ""
    session_id: str = ""
    spec: SpecId = ""
    status: str = ""
    logs: tuple[TaskEvent, ...] = ()
    score: float = -1.0
    benchmark: str = ""
    error_message: str = ""


class Evaluation(Payload):
    score: float = 0.0
    logs: str = ""


class Completed(Payload):
    status: str = ""
    eval: Evaluation | None = None
    """None where grading is hidden."""


class Logged(Payload):
    """Nothing to tell."""


GET_KEY: Final = Route("get_key", "/get_key", KeyFor, Key, kind="write")
LIST_BENCHMARKS: Final = Route("list_benchmarks", "/benchmarks/list", Nothing, Benchmarks)
VIEW_BENCHMARK: Final = Route("view_benchmark", "/benchmarks/view", BenchmarkNamed, BenchmarkView)
START_SESSION: Final = Route(
    "start_session", "/sessions/start", SessionStart, SessionStarted, kind="write"
)
SESSION_STATUS: Final = Route("session_status", "/sessions/status", SessionNamed, SessionStatus)
SEARCH_SESSIONS: Final = Route("search_sessions", "/sessions/search", SessionSearch, Sessions)
# The next three say the same when they are sent again.
SUBMIT_SESSION: Final = Route(
    "submit_session", "/sessions/submit", SessionNamed, Submitted, kind="write", again=True
)
START_TASK: Final = Route(
    "start_task", "/tasks/start", TaskStart, TaskStarted, kind="write", again=True
)
COMPLETE_TASK: Final = Route(
    "complete_task", "/tasks/complete", TaskNamed, Completed, kind="write", again=True
)
START_NEW_TASK: Final = Route(
    "start_new_task", "/tasks/start", TaskStart, TaskStarted, kind="write"
)
VIEW_TASK: Final = Route("task_detail", "/tasks/view", TaskView, TaskDetail)
LOG_TASK: Final = Route("log_llm", "/tasks/log", TaskLog, Logged, kind="write")

CORE_ROUTES = (
    GET_KEY,
    LIST_BENCHMARKS,
    VIEW_BENCHMARK,
    START_SESSION,
    SESSION_STATUS,
    SEARCH_SESSIONS,
    SUBMIT_SESSION,
    START_TASK,
    START_NEW_TASK,
    VIEW_TASK,
    COMPLETE_TASK,
    LOG_TASK,
)
