"""Working through the tasks of a benchmark: a session, its tasks side by side, the figures."""

import signal
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

from proveout.apps.solver.cases import Case, digest_of, folder_name, sent_by, write_case
from proveout.apps.solver.client import BenchmarkClient, CompanyClient, HttpTransport
from proveout.apps.solver.client.errors import NotFound, Rejected
from proveout.apps.solver.client.requests import Respond
from proveout.apps.solver.client.sessions import SessionStarted
from proveout.apps.solver.experience import codes_of
from proveout.apps.solver.metrics import TaskResult
from proveout.cli.output import stderr
from proveout.kernel.errors import Interrupted, ProveoutError, UnknownName, UsageError
from proveout.kernel.events import EvidenceObserved
from proveout.kernel.run import Run

SECONDS_PER_TASK = 300.0
GRACE = 10.0
"""Seconds beyond its own limit that a task has to word and send an honest reply."""
LONGEST_TEXT = 300
Fields = dict[str, Any]
"""Settings, or parts of an answer, by name."""


class Origin(NamedTuple):
    """Where tasks come from."""

    base_url: str
    benchmark: str
    api_root: str
    account_key: str = ""


class Work(NamedTuple):
    """One task, as it travels to a worker."""

    service: Origin
    spec: str
    task_id: str
    profile: str
    flags: Fields
    record: str = ""
    """Folder of this task's recording; none if empty."""


def work_through(  # noqa: PLR0913
    service: Origin,
    *,
    specs: Sequence[str],
    profile: str,
    workers: int,
    flags: Fields,
    label: str = "",
    record: Path | None = None,
) -> list[TaskResult]:
    """All tasks of a new session, solved, handed in, and the session submitted."""
    if record is not None and record.exists() and any(record.iterdir()):
        message = f"{record} holds something already"
        raise UsageError(message, hint="name a new folder with --record")
    _open_models(flags)
    with BenchmarkClient(
        service.base_url, account_key=service.account_key, api_root=service.api_root
    ) as client:
        session = _session(client, service.benchmark)
        tasks = client.session_status(session.session_id).tasks
        chosen = [task for task in tasks if not specs or task.spec_id in specs]
        missing = set(specs) - {task.spec_id for task in tasks}
        if missing:
            raise UnknownName(sorted(missing)[0], noun="spec", known=[t.spec_id for t in tasks])
        if not chosen:
            message = f"{service.benchmark} has no tasks"
            raise UsageError(message, hint="see which there are: /benchmarks/list")
        work = [
            Work(service, task.spec_id, task.task_id, profile, flags, _place(record, task.spec_id))
            for task in chosen
        ]
        results = _side_by_side(work, workers, label or service.benchmark)
        client.submit_session(session.session_id)
    return results


def _open_models(flags: Fields) -> None:
    """A model that cannot be opened is told before a session is begun, not by each of its tasks."""
    from proveout import apps
    from proveout.backends import Backends
    from proveout.settings import load

    backends = Backends(load(flags).settings.model)
    try:
        backends.open_all(apps.find("solver"))
    finally:
        backends.close()


def _session(client: BenchmarkClient, benchmark: str) -> SessionStarted:
    try:
        return client.start_session(benchmark, name="proveout", architecture="propose/validate")
    except (Rejected, NotFound):
        known = [it.id for it in client.list_benchmarks()]
        if benchmark in known:
            raise
        raise UnknownName(benchmark, noun="benchmark", known=known) from None


@contextmanager
def _stoppable() -> Iterator[threading.Event]:
    """Ctrl-C once ends the session and the tasks at hand; twice ends now."""
    cancel = threading.Event()

    def stop(number: int, frame: FrameType | None) -> None:
        del number, frame
        if cancel.is_set():
            raise KeyboardInterrupt
        cancel.set()

    # Only the main thread may listen.
    alone = threading.current_thread() is threading.main_thread()
    signals = (signal.SIGINT, signal.SIGTERM) if alone else ()
    before = {number: signal.signal(number, stop) for number in signals}
    try:
        yield cancel
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _place(record: Path | None, spec: str) -> str:
    return str(record.absolute() / folder_name(spec)) if record else ""


def _side_by_side(work: Sequence[Work], workers: int, label: str) -> list[TaskResult]:
    from rich.progress import Progress

    from proveout.adapters.engine.local import open_engine

    # In processes of their own even one at a time: only those can be ended when they hang.
    engine = open_engine("processes", workers)
    seconds = seconds_each(work[0].flags)
    results: dict[int, TaskResult] = {}
    console = stderr()
    try:
        with (
            _stoppable() as cancel,
            Progress(console=console, disable=not console.is_terminal) as bar,
        ):
            shown = bar.add_task(label, total=len(work))
            for finished in engine.run(solve_task, work, timeout_seconds=seconds, cancel=cancel):
                results[finished.index] = finished.value or given_up(
                    work[finished.index], finished.error or "no result"
                )
                bar.advance(shown)
            if cancel.is_set():
                raise Interrupted
    finally:
        engine.close()
    return [results[index] for index in sorted(results)]


def seconds_each(flags: Fields) -> float:
    """After how long a task is ended from outside: a little after it should have ended itself."""
    wanted = flags.get("budget.seconds")
    return SECONDS_PER_TASK if wanted is None else min(SECONDS_PER_TASK, float(wanted) + GRACE)


def given_up(work: Work, error: str) -> TaskResult:
    """What becomes of a task whose solver is gone: it is answered with an error, and handed in.

    A reply that was sent before stands; the service refuses a second one.
    """
    from proveout.apps.solver.flow import NO_IDENTITY

    lost = TaskResult(spec=work.spec, outcome=NO_IDENTITY.outcome, error=error)
    service = work.service
    try:
        with BenchmarkClient(service.base_url, api_root=service.api_root) as client:
            with suppress(ProveoutError), closing(HttpTransport(_task_url(work))) as transport:
                reply = Respond.model_validate(NO_IDENTITY.model_dump(mode="json"))
                CompanyClient(transport).provide_agent_response(reply)
            grade = client.complete_task(work.task_id).eval
    except ProveoutError:
        return lost
    return lost.model_copy(update={"score": grade.score, "log": grade.logs}) if grade else lost


def _task_url(work: Work) -> str:
    service = work.service
    return f"{service.base_url.rstrip('/')}/{service.api_root}/{work.task_id}"


def solve_task(work: Work) -> TaskResult:
    """Start, solve and hand in one task; an error is a result, not an end of the session."""
    from proveout import apps
    from proveout.runtime import Workspace
    from proveout.settings import load

    service = work.service
    began = time.monotonic()
    api_calls = 0
    try:
        with BenchmarkClient(service.base_url, api_root=service.api_root) as client:
            text = client.start_task(work.task_id).text or client.task_detail(work.task_id).text
        fields = {
            "text": text,
            "task_url": _task_url(work),
            "service_url": service.base_url,
            "profile": work.profile,
            "exchanges_to": work.record,
        }
        app = apps.find("solver")
        with Workspace(load(work.flags)) as opened:
            run = opened.start(app, opened.task(app, fields))
            calls = opened.journal.find(run.id, "evidence.observed", "@api_calls")
            if calls is not None and isinstance(calls.event, EvidenceObserved):
                api_calls = int(opened.journal.get(calls.event.content))
    except ProveoutError as error:
        return TaskResult(spec=work.spec, error=f"{error.code}: {error.message}")
    result = result_of(work.spec, text, run, time.monotonic() - began)
    if work.record:
        write_case(Path(work.record), case_of(work, text, run, result))
    return result.model_copy(update={"api_calls": api_calls})


def case_of(work: Work, text: str, run: Run, result: TaskResult) -> Case:
    """The recorded task with what came of it."""
    response, writes = sent_by(_told(run))
    return Case(
        name=work.spec,
        text=text,
        profile=work.profile,
        score=result.score,
        response=response,
        writes=tuple(writes),
        digest=result.digest,
        codes=result.codes,
    )


def _told(run: Run) -> Fields:
    answer = run.outcome.answer if run.outcome else None
    return answer if isinstance(answer, dict) else {}


def result_of(spec: str, text: str, run: Run, seconds: float) -> TaskResult:
    """What a finished run says about its task."""
    told = _told(run)
    decision: Fields = told.get("decision") or {}
    response: Fields = told.get("response") or {}
    grade: Fields = told.get("grade") or {}
    log = str(grade.get("logs", ""))[:2_000]
    judged = [attempt.verdict for attempt in run.attempts if attempt.verdict is not None]
    return TaskResult(
        spec=spec,
        text=text[:LONGEST_TEXT],
        outcome=str(response.get("outcome", "")),
        score=grade.get("score"),
        log=log,
        codes=(*codes_of(log), *sorted(run.findings)),
        rounds=int(told.get("rounds") or 0),
        caught=sum(not verdict.accepted for verdict in judged),
        from_snapshot=bool(decision.get("from_snapshot", True)),
        seconds=round(seconds, 3),
        digest=digest_of(told),
        run=run.id,
    )
