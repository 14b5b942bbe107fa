"""A task while somebody works on it, whichever benchmark it belongs to."""

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from proveout.apps.solver.world.api import routes
from proveout.apps.solver.world.api.body import ApiError, Body, JsonObject
from proveout.apps.solver.world.api.state import TaskState
from proveout.apps.solver.world.grader import Grade, grade
from proveout.apps.solver.world.graph import World
from proveout.apps.solver.world.shop import DemoState, ShopState, demo_specs, shop_specs
from proveout.apps.solver.world.spec import TaskSpec


class Play(Protocol):
    """The inside of a task: takes calls, is judged at the end."""

    def call(self, path: str, body: Body) -> JsonObject: ...

    def judge(self) -> Grade: ...

    def notes(self) -> JsonObject:
        """What the report should hold besides the grade."""


class CompanyPlay:
    def __init__(self, world: World, spec: TaskSpec) -> None:
        self._state = TaskState(world, spec)

    def call(self, path: str, body: Body) -> JsonObject:
        return routes.call(self._state, path, body)

    def judge(self) -> Grade:
        return grade(self._state)

    def notes(self) -> JsonObject:
        spec, answers = self._state.spec, self._state.answers
        return {
            "family": spec.family,
            "language": spec.language,
            "wording": spec.wording,
            "adversarial": spec.adversarial,
            "variant": spec.variant,
            "text": spec.text,
            "explanation": spec.explanation,
            "expected_outcomes": list(spec.expected.accepted_outcomes),
            "outcome": answers[-1].outcome if answers else None,
            "message": answers[-1].message if answers else None,
            "links": [list(link) for link in answers[-1].links] if answers else None,
            "events": [event.type for event in self._state.events],
        }


class SmallPlay:
    def __init__(self, state: ShopState | DemoState) -> None:
        self._state = state

    def call(self, path: str, body: Body) -> JsonObject:
        return self._state.call(path, body)

    def judge(self) -> Grade:
        logs = tuple(self._state.findings())
        return Grade(0.0 if logs else 1.0, logs)

    def notes(self) -> JsonObject:
        return {"family": self._state.spec.spec_id.partition("-")[0]}


@dataclass(frozen=True)
class Benchmark:
    name: str
    description: str
    routes: tuple[str, ...]
    texts: Mapping[str, str]
    """Spec id to task text, in order."""
    open: Callable[[str], Play]

    @property
    def spec_ids(self) -> tuple[str, ...]:
        return tuple(self.texts)

    def text(self, spec_id: str) -> str:
        return self.texts[spec_id]


def company_benchmark(world: World, specs: tuple[TaskSpec, ...]) -> Benchmark:
    by_id = {spec.spec_id: spec for spec in specs}
    return Benchmark(
        name=f"world-{world.seed}",
        description=f"{world.company.name}, a synthetic company",
        routes=(*routes.READS, *routes.WRITES),
        texts={key: spec.text for key, spec in by_id.items()},
        open=lambda key: CompanyPlay(world, by_id[key]),
    )


def small_benchmarks() -> tuple[Benchmark, Benchmark]:
    shop = {spec.spec_id: spec for spec in shop_specs()}
    demo = {spec.spec_id: spec for spec in demo_specs()}
    return (
        Benchmark(
            "store",
            "a small online shop",
            ("/products/list", "/basket/view", "/basket/checkout"),
            {key: spec.text for key, spec in shop.items()},
            lambda key: SmallPlay(ShopState(shop[key])),
        ),
        Benchmark(
            "demo",
            "a secret to repeat",
            ("/secret", "/answer"),
            {key: spec.text for key, spec in demo.items()},
            lambda key: SmallPlay(DemoState(demo[key])),
        ),
    )


@dataclass
class RunningTask:
    id: str
    number: int
    benchmark: Benchmark
    spec_id: str
    session: str = ""
    status: str = "new"
    score: float = -1.0
    logs: tuple[str, ...] = ()
    telemetry: int = 0
    calls: int = 0
    _trail: list[JsonObject] = field(default_factory=list)
    _play: Play | None = None
    _started: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def text(self) -> str:
        return self.benchmark.text(self.spec_id)

    def start(self) -> None:
        with self._lock:
            self._open()

    def _open(self) -> Play:
        if self.status == "completed":
            text = "task is already completed"
            raise ApiError(400, text)
        if self._play is None:
            self._play = self.benchmark.open(self.spec_id)
            self.status, self._started = "in_progress", time.time()
            self._note("status", "task started")
        return self._play

    def call(self, path: str, body: Body) -> JsonObject:
        with self._lock:
            play = self._open()
            self.calls += 1
            self._note("api", path)
            return play.call(path, body)

    def complete(self, penalty: float) -> JsonObject | None:
        """The report's row; `None` if the task was complete before."""
        with self._lock:
            if self.status == "completed":
                return None
            play = self._open()
            judged = play.judge()
            self.score, self.logs = judged.score, judged.logs
            if not self.telemetry:
                self.logs = (*self.logs, "WARN: no inference statistics found")
                self.score = max(0.0, self.score - penalty)
            seconds = round(time.time() - self._started, 3)
            self.status, self._play = "completed", None
            return {
                "benchmark": self.benchmark.name,
                "session": self.session,
                "task": self.id,
                "spec": self.spec_id,
                "score": self.score,
                "passed": judged.score == 1.0,
                "logs": list(self.logs),
                "leaks": list(judged.leaks),
                "forbidden_writes": list(judged.forbidden_writes),
                "calls": self.calls,
                "seconds": seconds,
                **play.notes(),
            }

    def info(self, *, hidden: bool) -> JsonObject:
        return {
            "spec_id": self.spec_id,
            "task_id": self.id,
            "num": self.number,
            "task_text": self.text,
            "status": self.status,
            "benchmark": self.benchmark.name,
            "score": -1.0 if hidden else self.score,
            "error_message": "",
        }

    def view(self, *, since: int, hidden: bool) -> JsonObject:
        return {
            "task_id": self.id,
            "text": self.text,
            "session_id": self.session,
            "spec": self.spec_id,
            "status": self.status,
            "logs": [row for row in self._trail if _unix(row) >= since] or None,
            "score": -1.0 if hidden else self.score,
            "benchmark": self.benchmark.name,
            "error_message": "",
        }

    def _note(self, kind: str, text: str) -> None:
        now = time.time()
        clock = time.strftime("%H:%M:%S", time.gmtime(now))
        self._trail.append(
            {"type": kind, "text": text, "time": clock, "unix": int(now), "body": None}
        )


def _unix(row: JsonObject) -> int:
    value = row["unix"]
    return value if isinstance(value, int) else 0
