"""Benchmarks, sessions and tasks: the routes around the company itself."""

import json
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from proveout.apps.solver.world.api.body import ApiError, Body, JsonObject, not_found
from proveout.apps.solver.world.running import Benchmark, RunningTask

_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


def new_id(prefix: str) -> str:
    return prefix + "".join(secrets.choice(_BASE58) for _ in range(22))


@dataclass(frozen=True)
class Options:
    hide_eval: bool = False
    report: Path | None = None
    telemetry_penalty: float = 0.1


@dataclass
class Session:
    id: str
    benchmark: str
    tasks: list[RunningTask]
    workspace: str
    name: str
    architecture: str
    flags: list[str]
    created: float
    status: str = "open"

    def count(self, status: str) -> int:
        return sum(task.status == status for task in self.tasks)

    @property
    def score(self) -> float:
        done = [task.score for task in self.tasks if task.status == "completed"]
        return round(sum(done) / len(self.tasks), 4) if done else 0.0


class Lifecycle:
    """All state of the server. Tasks lock themselves; the registers have a lock of their own."""

    def __init__(self, benchmarks: Mapping[str, Benchmark], options: Options) -> None:
        self._benchmarks = dict(benchmarks)
        self._options = options
        self._tasks: dict[str, RunningTask] = {}
        self._sessions: dict[str, Session] = {}
        self._lock = threading.Lock()
        self._routes: dict[str, Callable[[Body], JsonObject]] = {
            "/get_key": lambda _: {"key": "key-local", "public_key": "key-local"},
            "/benchmarks/list": self._list_benchmarks,
            "/benchmarks/view": self._view_benchmark,
            "/sessions/start": self._start_session,
            "/sessions/status": self._session_status,
            "/sessions/search": self._search_sessions,
            "/sessions/submit": self._submit,
            "/tasks/start": self._start_task,
            "/tasks/view": self._view_task,
            "/tasks/log": self._log,
            "/tasks/complete": self._complete,
        }

    def core(self, path: str, body: Body) -> JsonObject:
        if path not in self._routes:
            raise not_found()
        return self._routes[path](body)

    def task(self, task_id: str) -> RunningTask:
        if task_id not in self._tasks:
            raise not_found()
        return self._tasks[task_id]

    def _list_benchmarks(self, _body: Body) -> JsonObject:
        rows = [
            {
                "id": name,
                "short_description": benchmark.description,
                "status": "active",
                "tasks": len(benchmark.spec_ids),
            }
            for name, benchmark in self._benchmarks.items()
        ]
        return {"benchmarks": rows}

    def _benchmark(self, body: Body) -> Benchmark:
        name = body.required("benchmark")
        if name not in self._benchmarks:
            text = f"unknown benchmark '{name}'"
            raise ApiError(400, text)
        return self._benchmarks[name]

    def _view_benchmark(self, body: Body) -> JsonObject:
        benchmark = self._benchmark(body)
        return {
            "id": benchmark.name,
            "description": benchmark.description,
            "status": "active",
            "specs": [{"id": key, "task": benchmark.text(key)} for key in benchmark.spec_ids],
            "routes": [
                {"path": path, "description": "", "sample_request": "", "sample_response": ""}
                for path in benchmark.routes
            ],
        }

    def _start_session(self, body: Body) -> JsonObject:
        benchmark = self._benchmark(body)
        flags = sorted(body.texts("flags"))
        key = new_id("ssn-")
        tasks = [
            RunningTask(new_id("tsk-"), number, benchmark, spec_id, session=key)
            for number, spec_id in enumerate(benchmark.spec_ids)
        ]
        session = Session(
            key,
            benchmark.name,
            tasks,
            body.text("workspace"),
            body.text("name"),
            body.text("architecture"),
            flags,
            time.time(),
        )
        with self._lock:
            self._sessions[key] = session
            self._tasks.update({task.id: task for task in tasks})
        return {"session_id": key, "task_count": len(tasks)}

    def _session(self, body: Body) -> Session:
        key = body.required("session_id")
        if key not in self._sessions:
            raise not_found()
        return self._sessions[key]

    def _session_status(self, body: Body) -> JsonObject:
        session = self._session(body)
        hidden = self._options.hide_eval
        return {
            "status": session.status,
            "benchmark": session.benchmark,
            "new": session.count("new"),
            "running": session.count("in_progress"),
            "completed": session.count("completed"),
            "failed": session.count("failed"),
            "tasks": [task.info(hidden=hidden) for task in session.tasks] or None,
            "name": session.name,
            "architecture": session.architecture,
            "flags": session.flags or None,
            "score": 0.0 if hidden else session.score,
        }

    def _search_sessions(self, body: Body) -> JsonObject:
        workspace, benchmark = body.text("workspace"), body.text("benchmark")
        statuses = body.texts("status")
        rows = [
            {
                "id": s.id,
                "benchmark_type": s.benchmark,
                "status": s.status,
                "created_at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(s.created)),
                "workspace": s.workspace,
                "benchmark_description": self._benchmarks[s.benchmark].description,
                "total_tasks": len(s.tasks),
                "completed_tasks": s.count("completed"),
                "running_tasks": s.count("in_progress"),
                "new_tasks": s.count("new"),
                "failed_tasks": s.count("failed"),
                "score": 0.0 if self._options.hide_eval else s.score,
            }
            for s in self._sessions.values()
            if workspace in ("", s.workspace)
            and benchmark in ("", s.benchmark)
            and (not statuses or s.status in statuses)
        ]
        return {"sessions": rows or None}

    def _submit(self, body: Body) -> JsonObject:
        session = self._session(body)
        session.status = "evaluated"
        return {"status": session.status}

    def _start_task(self, body: Body) -> JsonObject:
        if body.has("task_id"):
            task = self.task(body.required("task_id"))
        else:
            benchmark, spec_id = self._benchmark(body), body.required("spec_id").strip()
            if spec_id not in benchmark.spec_ids:
                raise not_found()
            task = RunningTask(new_id("tsk-"), 0, benchmark, spec_id)
            with self._lock:
                self._tasks[task.id] = task
        task.start()
        return {
            "task_id": task.id,
            "session_id": task.session or None,
            "status": task.status,
            "text": task.text,
        }

    def _view_task(self, body: Body) -> JsonObject:
        task = self.task(body.required("task_id"))
        return task.view(since=body.integer("since"), hidden=self._options.hide_eval)

    def _log(self, body: Body) -> JsonObject:
        task = self.task(body.required("task_id"))
        body.required("model")
        task.telemetry += 1
        return {}

    def _complete(self, body: Body) -> JsonObject:
        task = self.task(body.required("task_id"))
        row = task.complete(self._options.telemetry_penalty)
        if row is not None and self._options.report is not None:
            line = json.dumps(row, ensure_ascii=False)
            with self._lock, self._options.report.open("a", encoding="utf-8") as report:
                report.write(line + "\n")
        shown: JsonObject | None = None
        if not self._options.hide_eval:
            shown = {"score": task.score, "logs": "\n".join(task.logs)}
        return {"status": "completed" if row is not None else "already_completed", "eval": shown}
