"""Working through the tasks of a benchmark: a session, its tasks side by side, the figures."""

import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from proveout.apps.solver.client import ApiError, BenchmarkClient
from proveout.apps.solver.metrics import TaskResult
from proveout.cli.output import stderr
from proveout.kernel.canonical import value_id
from proveout.kernel.errors import ProveoutError, UnknownName, UsageError
from proveout.kernel.run import Run

SECONDS_PER_TASK = 300.0
LONGEST_TEXT = 300


class Service(NamedTuple):
    """Where tasks come from."""

    base_url: str
    benchmark: str
    api_root: str
    account_key: str = ""


class Work(NamedTuple):
    """One task, as it travels to a worker."""

    service: Service
    spec: str
    task_id: str
    profile: str
    flags: dict[str, Any]


def work_through(
    service: Service,
    *,
    specs: Sequence[str],
    profile: str,
    workers: int,
    flags: dict[str, Any],
    label: str = "",
) -> list[TaskResult]:
    """All tasks of a new session, solved, handed in, and the session submitted."""
    with BenchmarkClient(
        service.base_url, account_key=service.account_key, api_root=service.api_root
    ) as client:
        session = client.start_session(
            service.benchmark, name="proveout", architecture="propose/validate"
        )
        tasks = client.session_status(session.session_id).tasks
        chosen = [task for task in tasks if not specs or task.spec_id in specs]
        missing = set(specs) - {task.spec_id for task in tasks}
        if missing:
            raise UnknownName(sorted(missing)[0], noun="spec", known=[t.spec_id for t in tasks])
        if not chosen:
            message = f"{service.benchmark} has no tasks"
            raise UsageError(message, hint="see which there are: /benchmarks/list")
        work = [Work(service, task.spec_id, task.task_id, profile, flags) for task in chosen]
        results = _side_by_side(work, workers, label or service.benchmark)
        client.submit_session(session.session_id)
    return results


def _side_by_side(work: Sequence[Work], workers: int, label: str) -> list[TaskResult]:
    from rich.progress import Progress

    from proveout.adapters.engine.local import open_engine

    engine = open_engine("processes" if workers > 1 else "inline", workers)
    results: dict[int, TaskResult] = {}
    console = stderr()
    try:
        with Progress(console=console, disable=not console.is_terminal) as bar:
            shown = bar.add_task(label, total=len(work))
            for finished in engine.run(
                solve_task, work, timeout_seconds=SECONDS_PER_TASK, cancel=threading.Event()
            ):
                one = work[finished.index]
                lost = TaskResult(spec=one.spec, error=finished.error or "no result")
                results[finished.index] = finished.value or lost
                bar.advance(shown)
    finally:
        engine.close()
    return [results[index] for index in sorted(results)]


def solve_task(work: Work) -> TaskResult:
    """Start, solve and hand in one task; an error is a result, not an end of the session."""
    from proveout import apps
    from proveout.runtime import Workspace
    from proveout.settings import load

    service = work.service
    began = time.monotonic()
    try:
        with BenchmarkClient(service.base_url, api_root=service.api_root) as client:
            text = client.start_task(work.task_id).text or client.task_detail(work.task_id).text
        fields = {
            "text": text,
            "task_url": f"{service.base_url.rstrip('/')}/{service.api_root}/{work.task_id}",
            "service_url": service.base_url,
            "profile": work.profile,
        }
        app = apps.find("solver")
        with Workspace(load(work.flags)) as opened:
            run = opened.start(app, opened.task(app, fields))
    except ProveoutError as error:
        return TaskResult(spec=work.spec, error=f"{error.code}: {error.message}")
    return result_of(work.spec, text, run, time.monotonic() - began)


def result_of(spec: str, text: str, run: Run, seconds: float) -> TaskResult:
    """What a finished run says about its task."""
    answer = run.outcome.answer if run.outcome else None
    told: dict[str, Any] = answer if isinstance(answer, dict) else {}
    decision: dict[str, Any] = told.get("decision") or {}
    response: dict[str, Any] = told.get("response") or {}
    grade: dict[str, Any] = told.get("grade") or {}
    writes = [[write["route"], write["body"]] for write in decision.get("writes") or ()]
    judged = [attempt.verdict for attempt in run.attempts if attempt.verdict is not None]
    return TaskResult(
        spec=spec,
        text=text[:LONGEST_TEXT],
        outcome=str(response.get("outcome", "")),
        score=grade.get("score"),
        log=str(grade.get("logs", ""))[:2_000],
        rounds=int(told.get("rounds") or 0),
        caught=sum(not verdict.accepted for verdict in judged),
        api_calls=int(told.get("api_calls") or 0),
        from_snapshot=bool(decision.get("from_snapshot", True)),
        seconds=round(seconds, 3),
        digest=value_id({"response": response, "writes": writes}),
        run=run.id,
    )


def waiting_for(ready: Callable[[], bool], seconds: float = 30.0) -> bool:
    """Whether something becomes true in time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if ready():
            return True
        time.sleep(0.05)
    return False


def is_served(base_url: str) -> bool:
    try:
        with BenchmarkClient(base_url) as client:
            client.list_benchmarks()
    except ApiError:
        return False
    return True


def flags_of(
    model: str | None,
    rounds: int | None,
    cost_usd: float | None,
    seconds: float | None,
    journal: Path | None,
) -> dict[str, Any]:
    """Settings that the command line overrides."""
    return {
        "model.name": model,
        "budget.rounds": rounds,
        "budget.cost_usd": cost_usd,
        "budget.seconds": seconds,
        "journal.path": journal and str(journal),
    }
