"""The one door to runs for API, pages and MCP: reads the journal, has the work done by others."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import cast

from pydantic import JsonValue

import proveout
from proveout import apps
from proveout import settings as configuration
from proveout.adapters.experience import JournalledExperience
from proveout.adapters.journal.sqlite import SqliteJournal
from proveout.adapters.journal.verify import Damage, verify
from proveout.adapters.models.catalogue import known_models
from proveout.examining import Examined, examine
from proveout.kernel.app import App
from proveout.kernel.budget import Budget
from proveout.kernel.errors import JournalError, ProveoutError, UnknownName
from proveout.kernel.events import Recorded, RunEnded, RunStarted
from proveout.kernel.panels import Page
from proveout.kernel.run import Run
from proveout.kernel.types import Outcome, Task
from proveout.report.comparing import difference
from proveout.report.view import page_of
from proveout.runtime import Replay, Workspace
from proveout.server.listing import Listing
from proveout.server.orders import Order
from proveout.server.places import Places
from proveout.server.queries import Queries
from proveout.server.shapes import (
    AppLesson,
    Ceiling,
    Comparison,
    Rows,
    RunFilter,
    RunList,
    RunWish,
    State,
)
from proveout.server.workers import Busy, Job, Pool
from proveout.settings import Loaded, Settings

BEGIN_SECONDS = 120.0
"""For a run to be written down by its worker."""
CALL_SECONDS = 120.0
"""For a replay or a check, waiting included."""
EXAMINED_SECONDS = 30.0


@dataclass(frozen=True)
class Crew:
    """How many processes do the work, and how much may wait for them."""

    runs: int = 2
    """Runs at a time."""
    quick: int = 2
    """Assessments, replays and checks at a time: a long run never makes them wait."""
    waiting: int = 20
    """Runs that may wait; the next is told to come back later."""
    waiting_quick: int = 200
    """Short orders that may wait."""


class Desk:
    """Thread-safe; close it. Processes start with the first work, or with `open`."""

    def __init__(self, loaded: Loaded, *, root: Path | None = None, crew: Crew | None = None):
        self.loaded = loaded
        self.crew = crew or Crew()
        home = configuration.home()
        path = loaded.settings.journal.path
        self.journal = (Path(path).expanduser() if path else home / "journal.db").resolve()
        self.places = Places((root or Path.cwd()).resolve(), home.resolve() / "uploads")
        self._listing = Listing()
        self._anchor: SqliteJournal | None = None
        self._examined: tuple[float, tuple[Examined, ...]] = (0.0, ())
        self._runs = Pool(self.crew.runs, self.crew.waiting)
        awaited = tuple(app.name for app in self.apps() if app.waited_for)
        self._quick = Pool(self.crew.quick, self.crew.waiting_quick, awaited)
        self._queries = Queries(loaded)

    def open(self) -> None:
        """Start the processes now, so that the first caller finds them warm."""
        self._demand_journal()
        if self._anchor is None:
            # Whoever closes a journal last tidies it up; that need not happen with every look.
            self._anchor = SqliteJournal(self.journal, readonly=True)
        self._runs.open()
        self._quick.open()

    def close(self) -> None:
        """Stop what is going on; all of it can be resumed."""
        for pool in (self._runs, self._quick, self._queries):
            pool.close()
        if self._anchor is not None:
            self._anchor.close()

    # Reading

    def apps(self) -> tuple[App, ...]:
        return tuple(apps.installed().values())

    def rows(self, wanted: RunFilter) -> RunList:
        with self._reading() as opened:
            return self._listing.rows(opened.journal, wanted, lambda run: self._idle(opened, run))

    def find(self, run: str) -> str:
        """A run's id from its id, a unique part of it, or `last`."""
        with self._reading() as opened:
            return _found(opened, run)

    def read(self, run: str) -> Run:
        with self._reading() as opened:
            return opened.read(_found(opened, run))

    def state(self, run: Run) -> State:
        """Whether it is going on is derived from its lock, never from what was written."""
        return self.state_of(run.id)

    def state_of(self, run: str) -> State:
        """The state of a run (its full id), from its last event and its lock."""
        with self._reading() as opened:
            last = opened.journal.last(run)
            if last is not None and isinstance(last.event, RunEnded):
                return "accepted" if last.event.outcome.accepted else "not accepted"
            return self._idle(opened, run)

    def page(self, run: Run) -> Page:
        """The run's report; the chain of a run that goes on is checked when it has ended."""
        with self._reading() as opened:
            ended = run.state == "ended"
            chain = opened.chain_state(run.id) if ended else "checked when the run has ended"
            lessons = JournalledExperience(opened.journal).recall(run.app)
            return page_of(run, opened.panels(run), chain, lessons)

    def content(self, reference: str) -> bytes:
        """Bytes that the journal holds; `JournalError` where it does not."""
        with self._reading() as opened:
            return opened.journal.get(reference)

    def blob(self, reference: str) -> bytes | None:
        try:
            return self.content(reference)
        except JournalError:
            return None

    def events(self, run: str, after: int = 0, limit: int = 500) -> list[Recorded]:
        """Events of a run (its full id), in order, from the one that follows `after`."""
        with self._reading() as opened:
            return list(islice(opened.journal.read(run, after=after), limit))

    def diff(self, one: str, other: str) -> Comparison:
        left, right = self.read(one), self.read(other)
        lines = difference(left, right)
        return Comparison(left=left.id, right=right.id, same=not lines, diff=tuple(lines))

    def verify(self, run: str = "") -> list[Damage]:
        """Everything that is not as it was written, of one run or of the whole journal."""
        with self._reading() as opened:
            return verify(opened.journal, _found(opened, run) if run else "")

    def lessons(self, app: str = "") -> tuple[AppLesson, ...]:
        names = [apps.find(app).name] if app else list(apps.installed())
        with self._reading() as opened:
            experience = JournalledExperience(opened.journal)
            return tuple(
                AppLesson(app=name, lesson=lesson)
                for name in names
                for lesson in experience.recall(name)
            )

    def query(self, text: str) -> Rows:
        """One SELECT over the journal: read-only, bounded in rows and time."""
        self._demand_journal()
        return self._queries.rows(self.journal, text)

    def doctor(self) -> tuple[Examined, ...]:
        """What works on this machine, as of a moment ago: looking takes seconds."""
        looked, lines = self._examined
        if not lines or time.monotonic() - looked > EXAMINED_SECONDS:
            lines = tuple(examine())
            self._examined = (time.monotonic(), lines)
        return lines

    # Work

    def usual(self, app: App) -> Budget:
        """The bounds of a run that wishes for nothing."""
        budget, origins = self.loaded.settings.budget, self.loaded.origins
        own = {bound: it for bound, it in app.bounds.items() if f"budget.{bound}" not in origins}
        return budget.model_copy(update=own)

    def ceiling(self, app: str, fields: Mapping[str, JsonValue], wish: RunWish) -> Ceiling:
        """What a run would be: its task as it is understood, its model, the most it may cost."""
        settings = self._wished(app, wish).settings
        with self._reading() as opened:
            task = self._task(opened, app, fields)
        return Ceiling(
            app=app,
            task=task.model_dump(mode="json"),
            model=settings.model.name,
            roles=dict(settings.model.roles),
            ceiling=settings.budget,
        )

    def start(self, app: str, fields: Mapping[str, JsonValue], wish: RunWish) -> str:
        """Begin a run; its id as soon as it is in the journal."""
        order = self._order(app, fields, wish)
        job = self._runs.offer(order)
        if job is not None:
            return job.begun.result(BEGIN_SECONDS)
        with self._runs.undisturbed():
            self._runs.demand_room()
            self._write_down(order)
            self._runs.queue(replace(order, kind="resume"))
        return order.run

    def soon(
        self, app: str, fields: Mapping[str, JsonValue], wish: RunWish, *, before: str = ""
    ) -> Job:
        """A short run that somebody waits for: `done` gives its outcome, `order.run` its id.

        `before` names a function that is asked to raise before the run begins, where the app's own
        demand is not enough.
        """
        order = self._order(app, fields, wish)
        return self._quick.queue(replace(order, before=before) if before else order)

    def finish(self, job: Job, seconds: float = CALL_SECONDS) -> Outcome:
        """Wait for a short run; one that takes too long is stopped and can be resumed."""
        return cast(Outcome, self._waited(job, seconds))

    def give_up(self, job: Job, seconds: float = CALL_SECONDS) -> ProveoutError:
        """Stop what took too long; the error to tell."""
        self._quick.stop(job.order.run)
        return Busy(f"there was no answer within {seconds:g} seconds", retry_seconds=30)

    def resume(self, run: str, wish: RunWish) -> str:
        """Go on with a run; one that has ended is left as it is, unless it is given more."""
        before = self.read(run)
        if self.state(before) in ("queued", "running"):
            message = f"run {before.id} is being worked on"
            raise JournalError(message, hint="watch it, or stop it first", code="journal.locked")
        settings = self.loaded.settings
        named = settings.model.model_copy(
            update={"name": self._model(wish.model) if wish.model else before.model}
        )
        budget = wish.budget.on(before.budget)
        loaded = self._with(settings.model_copy(update={"model": named, "budget": budget}))
        limit = _limit(budget)
        order = Order("resume", before.id, loaded, app=before.app, limit_seconds=limit)
        job = self._runs.offer(order)
        if job is None:
            self._runs.queue(order)
            return before.id
        return job.begun.result(BEGIN_SECONDS)

    def stop(self, run: str) -> bool:
        """Ask a run of this server to stop; whether there was one to stop."""
        found = self.find(run)
        return self._runs.stop(found) or self._quick.stop(found)

    def replay(self, run: str) -> Replay:
        """Judge the recorded proposals again, in a process of its own."""
        return cast(Replay, self._waited(self.replaying(run)))

    def replaying(self, run: str) -> Job:
        """The same for whoever does not wait here: `done` gives the `Replay`."""
        loaded = self._with(self.loaded.settings)
        order = Order("replay", self.find(run), loaded, limit_seconds=CALL_SECONDS)
        return self._quick.queue(order)

    def call(self, function: str, **fields: JsonValue) -> object:
        """Have a named function (`package.module:name`) called in a process of its own."""
        return self._waited(self.calling(function, **fields))

    def calling(self, function: str, **fields: JsonValue) -> Job:
        """The same for whoever does not wait here: `done` gives what it gave."""
        order = Order(
            "call",
            f"call-{time.monotonic_ns()}",
            self.loaded,
            fields=fields,
            function=function,
            limit_seconds=CALL_SECONDS,
        )
        return self._quick.queue(order)

    # How it is done

    def _waited(self, job: Job, seconds: float = CALL_SECONDS) -> object:
        try:
            return job.done.result(seconds)
        except TimeoutError:
            raise self.give_up(job, seconds) from None

    @contextmanager
    def _reading(self) -> Iterator[Workspace]:
        self._demand_journal()
        with Workspace(self._with(self.loaded.settings), readonly=True) as opened:
            yield opened

    def _demand_journal(self) -> None:
        """An empty journal is a journal: a list without runs is no mistake."""
        if not self.journal.exists():
            Workspace(self._with(self.loaded.settings)).close()

    def _with(self, settings: Settings) -> Loaded:
        """The settings, with the journal named so that every process finds the same one."""
        journal = settings.journal.model_copy(update={"path": str(self.journal)})
        return replace(self.loaded, settings=settings.model_copy(update={"journal": journal}))

    def _wished(self, app: str, wish: RunWish) -> Loaded:
        settings, budget = self.loaded.settings, self.usual(apps.find(app))
        spec = self._model(wish.model or settings.model.name)
        model = settings.model.model_copy(update={"name": spec})
        changed = {"model": model, "budget": wish.budget.on(budget)}
        return self._with(settings.model_copy(update=changed))

    def _model(self, spec: str) -> str:
        """A model that nobody knows is told at once: a run that waits would tell it much later."""
        family = spec.partition(":")[0]
        if family not in known_models():
            raise UnknownName(family, noun="model", known=known_models())
        return self.places.model(spec)

    def _task(self, opened: Workspace, app: str, fields: Mapping[str, JsonValue]) -> Task:
        found = apps.find(app)
        return opened.task(found, self.places.confine(found.load(found.task), fields))

    def _order(self, app: str, fields: Mapping[str, JsonValue], wish: RunWish) -> Order:
        found, loaded = apps.find(app), self._wished(app, wish)
        with self._reading() as opened:
            task, run = self._task(opened, app, fields), opened.new_id(found)
        return Order(
            "start",
            run,
            loaded,
            app=app,
            fields=task.model_dump(mode="json"),
            seed=wish.seed,
            before=found.demand,
            limit_seconds=_limit(loaded.settings.budget),
        )

    def _write_down(self, order: Order) -> None:
        """A run that waits is in the journal: whatever happens to the server, it can be resumed."""
        settings = order.loaded.settings
        started = RunStarted(
            app=order.app,
            task=dict(order.fields),
            model=settings.model.name,
            seed=order.seed,
            budget=settings.budget,
            settings=settings.model_dump(mode="json"),
            version=proveout.__version__,
        )
        with Workspace(order.loaded) as opened:
            now = opened.clock.now()
            opened.journal.append(order.run, started, at=now, elapsed=0.0, durable=True)

    def _idle(self, opened: Workspace, run: str) -> State:
        """The state of a run that has no ending."""
        if run in self._runs.waiting():
            return "queued"
        # A process that has just been given a run has not locked it yet.
        given = run in self._runs.working() or run in self._quick.working()
        return "running" if given or opened.is_running(run) else "interrupted"


def _found(opened: Workspace, run: str) -> str:
    if not opened.journal.runs():
        raise UnknownName(run, noun="run", known=())
    return opened.find(run)


def _limit(budget: Budget) -> float:
    """A run ends itself when its time is over; one that cannot is ended well after that."""
    return 1.5 * budget.seconds + 120.0
