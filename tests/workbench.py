"""What a kernel test stands on: a real journal, real prompts, a clock that can be set."""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from proveout.adapters.engine.local import InlineEngine
from proveout.adapters.experience import JournalledExperience
from proveout.adapters.journal.sqlite import SqliteJournal
from proveout.adapters.prompts import PromptFolder
from proveout.kernel.budget import Bound, Budget, Elapsed, Meter
from proveout.kernel.context import Context, Ports
from proveout.kernel.events import Event, Recorded, RunResumed, RunStarted
from proveout.kernel.lessons import LessonRule
from proveout.kernel.ports import (
    Cancel,
    Engine,
    Experience,
    Journal,
    Model,
    ModelCall,
    Reply,
)
from proveout.kernel.record import LiveRecord, Record, ReplayRecord
from proveout.kernel.types import Usage
from proveout.runtime import SandboxDoor
from proveout.settings import SandboxSettings

RUN = "run-1"
STARTED = RunStarted(
    app="words", task=None, model="speaker", seed=0, budget=Budget(), version="test"
)
RESUMED = RunResumed(budget=Budget(), model="speaker", version="test")


@dataclass
class Clock:
    """Time that passes when told to, or by `tick` at every look."""

    time: float = 0.0
    tick: float = 0.0
    sleeps: list[float] = field(default_factory=list)
    on_sleep: Callable[[], None] = lambda: None

    def now(self) -> float:
        return 1_000_000.0 + self.time

    def monotonic(self) -> float:
        self.time += self.tick
        return self.time

    def sleep(self, seconds: float, cancel: Cancel) -> None:
        del cancel
        self.sleeps.append(seconds)
        self.time += seconds
        self.on_sleep()


def replies(*texts: str | Exception, usage: Usage | None = None) -> Callable[[ModelCall], Reply]:
    """A provider that says these one after the other, then always the last."""
    left = list(texts)

    def answer(call: ModelCall) -> Reply:
        del call
        said = left.pop(0) if len(left) > 1 else left[0]
        if isinstance(said, Exception):
            raise said
        return Reply(text=said, usage=usage or Usage(calls=1, input_tokens=10, output_tokens=5))

    return answer


def words(*spelled: str) -> Callable[[ModelCall], Reply]:
    return replies(*(f'{{"word": "{word}"}}' for word in spelled))


@dataclass
class Speaker:
    """A back end whose provider is a function; remembers what it was asked."""

    answer: Callable[[ModelCall], Reply]
    name: str = "speaker"
    paid: bool = True
    most: Usage = Usage(calls=1)
    calls: list[ModelCall] = field(default_factory=list)

    def ceiling(self, call: ModelCall) -> Usage:
        del call
        return self.most

    def ask(self, call: ModelCall, cancel: Cancel) -> Reply:
        del cancel
        self.calls.append(call)
        return self.answer(call)

    def close(self) -> None:
        """Nothing is held."""


class PowerCut(BaseException):
    """The process is gone; nothing catches this."""


@dataclass
class Cut:
    """A journal whose process dies just before its append number `after`."""

    journal: SqliteJournal
    after: int

    def append(self, run: str, event: Event, *, at: float, elapsed: float, durable: bool) -> str:
        if self.after == 0:
            # What waited in memory is lost with the process.
            self.journal.connection.close()
            raise PowerCut
        self.after -= 1
        return self.journal.append(run, event, at=at, elapsed=elapsed, durable=durable)

    def find(self, run: str, kind: str, key: str) -> Recorded | None:
        return self.journal.find(run, kind, key)

    def read(self, run: str, *, after: int = 0) -> Iterator[Recorded]:
        return self.journal.read(run, after=after)

    def put(self, content: bytes) -> str:
        return self.journal.put(content)

    def get(self, content_id: str) -> bytes:
        return self.journal.get(content_id)


def quick(journal: SqliteJournal) -> SqliteJournal:
    """Without waiting for the disk: these tests lose processes, not power."""
    journal.connection.execute("PRAGMA synchronous = OFF")
    return journal


@dataclass
class Workbench:
    """One journal file and the contexts of sessions that work on it."""

    path: Path
    clock: Clock = field(default_factory=Clock)
    cancel: threading.Event = field(default_factory=threading.Event)
    warnings: list[tuple[Bound, float, float]] = field(default_factory=list)
    _open: list[SqliteJournal] = field(default_factory=list)

    def journal(self, *, secrets: Sequence[str] = ()) -> SqliteJournal:
        journal = quick(SqliteJournal(self.path, secrets=secrets))
        self._open.append(journal)
        return journal

    def cut(self, after: int) -> Cut:
        """A journal for a session that will die."""
        return Cut(quick(SqliteJournal(self.path)), after)

    def close(self) -> None:
        while self._open:
            self._open.pop().close()

    def begin(
        self, model: Model, *, journal: Journal | None = None, run: str = RUN, **options: Any
    ) -> Context:
        """A run's first session."""
        return self._session(model, journal or self.journal(), run, None, **options)

    def resume(
        self, model: Model, *, journal: SqliteJournal | None = None, run: str = RUN, **options: Any
    ) -> Context:
        """The next session, on another connection to the file; those before have ended."""
        self.close()
        opened = journal or self.journal()
        history = opened.last(run)
        assert history is not None
        return self._session(model, opened, run, history, **options)

    def replay(
        self,
        *,
        run: str = RUN,
        budget: Budget | None = None,
        execute: bool = False,
        engine: Engine | None = None,
    ) -> Context:
        """A context that reads the run again; its model says nothing."""
        for journal in self._open:
            journal.flush()
        elapsed = Elapsed(self.clock.monotonic, virtual=True)
        record = ReplayRecord(self.journal(), run, elapsed, execute=execute)
        meter = Meter(budget or Budget(), elapsed)
        return self._context(Speaker(_silent), run, record, meter, engine=engine)

    def _session(  # noqa: PLR0913 - everything a session is made of
        self,
        model: Model,
        journal: Journal,
        run: str,
        history: Recorded | None,
        *,
        budget: Budget | None = None,
        watch: Callable[[Event], None] = lambda _event: None,
        **options: Any,
    ) -> Context:
        elapsed = Elapsed(self.clock.monotonic)
        record = LiveRecord(
            journal, run, clock=self.clock, elapsed=elapsed, history=history, watch=watch
        )
        record.open(RESUMED if history else STARTED)
        meter = Meter(budget or Budget(), elapsed, warn=lambda *w: self.warnings.append(w))
        return self._context(model, run, record, meter, **options)

    def _context(  # noqa: PLR0913
        self,
        model: Model,
        run: str,
        record: Record,
        meter: Meter,
        *,
        engine: Engine | None = None,
        experience: Experience | None = None,
        rules: Mapping[str, LessonRule] | None = None,
    ) -> Context:
        ports = Ports(
            record=record,
            prompts=PromptFolder({"words": "tests.word_prompts"}),
            experience=experience or JournalledExperience(self.journal()),
            engine=engine or InlineEngine(),
            clock=self.clock,
            cancel=self.cancel,
            model_for=lambda _role: model,
            open_sandbox=SandboxDoor(SandboxSettings(warm=False)),
        )
        return Context("words", run, ports, meter, rules=rules or {})

    def events(self, kind: str = "", *, run: str = RUN) -> list[Event]:
        """What is on disk, as a stranger reads it."""
        stranger = SqliteJournal(self.path, readonly=True)
        try:
            return [row.event for row in stranger.read(run) if kind in ("", row.event.kind)]
        finally:
            stranger.close()


def _silent(call: ModelCall) -> Reply:
    message = f"a replay must not ask {call.role}"
    raise AssertionError(message)


def kinds(events: Sequence[Event]) -> list[str]:
    return [event.kind for event in events]


def values(answers: Sequence[JsonValue]) -> Callable[[ModelCall], Reply]:
    """A provider of native values, one after the other, then always the last."""
    left = list(answers)

    def answer(call: ModelCall) -> Reply:
        del call
        return Reply(value=left.pop(0) if len(left) > 1 else left[0], usage=Usage(calls=1))

    return answer
