"""The composition root: wires ports to adapters and runs, resumes and replays.

Nothing else imports both sides. A `Workspace` is one journal with everything around it; close it,
or use it as a context manager.
"""

import contextlib
import secrets as randomness
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import proveout
from proveout import apps
from proveout import settings as configuration
from proveout.adapters.clock import SystemClock
from proveout.adapters.engine.local import InlineEngine, open_engine
from proveout.adapters.experience import JournalledExperience, NoExperience, RunExperience
from proveout.adapters.journal import lock
from proveout.adapters.journal.sqlite import SqliteJournal
from proveout.adapters.journal.verify import verify
from proveout.adapters.prompts import PromptFolder
from proveout.adapters.replaying import RecordedOnly
from proveout.adapters.telemetry import Telemetry
from proveout.backends import Backends
from proveout.kernel.ambient import using
from proveout.kernel.app import App
from proveout.kernel.budget import Budget, Elapsed, Meter
from proveout.kernel.canonical import canonical
from proveout.kernel.context import Context, Ports
from proveout.kernel.errors import (
    BudgetSpent,
    Diverged,
    Interrupted,
    JournalError,
    ProveoutError,
    UnknownName,
    UsageError,
)
from proveout.kernel.events import Recorded, RunEnded, RunInterrupted, RunResumed, RunStarted
from proveout.kernel.panels import Panel
from proveout.kernel.ports import Engine, Experience, Model, Sandbox
from proveout.kernel.proposer import explain
from proveout.kernel.record import Difference, LiveRecord, Record, ReplayRecord
from proveout.kernel.run import Run, read_run
from proveout.kernel.types import Outcome, Task
from proveout.settings import Loaded, SandboxSettings
from proveout.watching import Watch, careful, warner


@dataclass(frozen=True)
class Replay:
    """What judging a run's proposals again gave."""

    run: str
    judged: int
    recorded: int
    """How many verdicts the journal holds."""
    differences: tuple[Difference, ...]
    diverged: str = ""
    """Why the flow could not follow its own record, if it could not."""
    outcome_differs: bool = False

    @property
    def faithful(self) -> bool:
        complete = self.judged == self.recorded
        return complete and not (self.differences or self.diverged or self.outcome_differs)


class Workspace:
    """One journal, and the doors to models, engines and prompts as configured."""

    def __init__(self, loaded: Loaded | None = None, *, readonly: bool = False) -> None:
        self.loaded = loaded or configuration.load()
        self.settings = self.loaded.settings
        home = configuration.home()
        path = self.settings.journal.path
        self.path = Path(path).expanduser() if path else home / "journal.db"
        self._locks = self.path.parent / "locks"
        hidden = configuration.secrets(self.settings)
        self.journal = SqliteJournal(self.path, secrets=hidden, readonly=readonly)
        self.clock = SystemClock()
        self.cancel = threading.Event()
        """Set it to stop the run at the next attempt."""
        self._backends = Backends(self.settings.model)
        self._telemetry = Telemetry(self.settings.telemetry.endpoint)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._backends.close()
        self._telemetry.close()
        self.journal.close()

    def use_model(self, spec: str) -> None:
        """Another model than the configured one: a resumed run keeps the one it began with."""
        model = self.settings.model.model_copy(update={"name": spec})
        self.settings = self.settings.model_copy(update={"model": model})
        self._backends.chosen = model

    # Runs

    def task(self, app: App, fields: Mapping[str, Any]) -> Task:
        """The app's task from plain values; mistakes are the caller's."""
        kind = app.load(app.task)
        try:
            made: Task = kind.model_validate(dict(fields))
            # What cannot be written down cannot be judged again.
            canonical(made).encode()
        except ValueError as error:
            message = f"this is not a task for {app.name}: {explain(error)}"
            raise UsageError(message) from error
        return made

    def start(
        self, app: App, task: Task, *, seed: int = 0, watch: Watch | None = None, run: str = ""
    ) -> Run:
        """A new run, from its beginning to its end, under a name of its own or the one given."""
        self._backends.open_all(app)
        run = run or self.new_id(app)
        budget = self.settings.budget
        started = RunStarted(
            app=app.name,
            task=task.model_dump(mode="json"),
            model=self.settings.model.name,
            seed=seed,
            budget=budget,
            settings=self.settings.model_dump(mode="json"),
            version=proveout.__version__,
        )
        return self._work(app, task, run, started, None, watch)

    def resume(
        self, run: str, *, budget: Budget | None = None, watch: Watch | None = None, **now: object
    ) -> Run:
        """Go on where a run stopped; a finished run is given back as it is.

        What `now` says of fields of the task is for flows that write down what they read there.
        """
        history = self.journal.last(run)
        before = self.read(run)
        more = budget is not None and budget != before.budget
        if before.outcome is not None and (before.outcome.accepted or not more):
            return before
        app = apps.find(before.app)
        task = self.task(app, {**before.task, **now} if isinstance(before.task, dict) else now)
        resumed = RunResumed(
            task=task.model_dump(mode="json") if now else None,
            budget=budget or before.budget,
            model=self.settings.model.name,
            version=proveout.__version__,
        )
        return self._work(app, task, run, resumed, history, watch)

    def unfinished(
        self, app: App, task: Task, *, seed: int = 0, whatever: Collection[str] = ()
    ) -> str | None:
        """The newest run of this task, `whatever` these fields say, stopped and now idle."""
        wanted = {**task.model_dump(mode="json"), **dict.fromkeys(whatever)}
        for row in self.journal.runs():
            if row.app != app.name or self.is_running(row.run):
                continue
            run = self.read(row.run)
            known = {**run.task, **dict.fromkeys(whatever)} if isinstance(run.task, dict) else {}
            if run.outcome is None and (known, run.seed) == (wanted, seed):
                return run.id
        return None

    def replay(self, run: str, *, execute: bool = False) -> Replay:
        """Judge the recorded proposals again, without model or network."""
        before = self.read(run)
        app = apps.find(before.app)
        task = self.task(app, before.task if isinstance(before.task, dict) else {})
        elapsed = Elapsed(self.clock.monotonic, virtual=True)
        record = ReplayRecord(self.journal, run, elapsed, execute=execute)
        recorded_only = RecordedOnly(before.model)
        context = self._context(
            app,
            before.id,
            record,
            Meter(before.budget, elapsed),
            ports=(lambda _role: recorded_only, InlineEngine(), NoExperience()),
            seed=before.seed,
        )
        diverged, outcome = "", None
        try:
            outcome = self._flow(app, task, context)
        except Diverged as error:
            # An unfinished run simply stops where its record stops.
            diverged = error.message if before.outcome is not None else ""
        judged = sum(attempt.verdict is not None for attempt in before.attempts)
        return Replay(
            run=run,
            judged=record.judged,
            recorded=judged,
            differences=tuple(record.differences),
            diverged=diverged,
            outcome_differs=outcome is not None
            and before.outcome is not None
            and outcome != before.outcome,
        )

    def read(self, run: str) -> Run:
        return read_run(self.journal.read(run))

    def is_running(self, run: str) -> bool:
        return lock.is_held(self._locks, run)

    def find(self, name: str) -> str:
        """A run's id from its id, a unique beginning or end of it, or `last`."""
        rows = self.journal.runs()
        if name == "last" and rows:
            return rows[0].run
        if not rows:
            message = f"there is no run {name!r}: the journal is empty"
            raise UsageError(message, hint="start with `proveout demo`")
        exact = [row.run for row in rows if row.run == name]
        parts = [r.run for r in rows if name and (r.run.startswith(name) or r.run.endswith(name))]
        fitting = exact or parts
        if len(fitting) > 1:
            message = f"{name!r} fits {len(fitting)} runs"
            raise UsageError(message, hint="give more of the id: " + ", ".join(fitting[:4]))
        if not fitting:
            raise UnknownName(name, noun="run", known=[row.run for row in rows])
        return fitting[0]

    def chain_state(self, run: str) -> str:
        """A sentence on whether the run's record is as it was written."""
        damage = verify(self.journal, run)
        return damage[0].message if damage else "verified: every event and content is as written"

    def panels(self, run: Run) -> Sequence[Panel]:
        """The app's own evidence; nothing if the app is not installed here."""
        app = apps.installed().get(run.app)
        if app is None or not app.panels:
            return ()
        shown: Sequence[Panel] = app.load(app.panels)(run, self.journal.get)
        return shown

    def prompts(self) -> PromptFolder:
        return prompt_folder(self.settings.prompts.folder)

    # How a run is put together

    def _work(  # noqa: PLR0913 - the one place where everything meets
        self,
        app: App,
        task: Task,
        run: str,
        first: RunStarted | RunResumed,
        history: Recorded | None,
        watch: Watch | None,
    ) -> Run:
        with lock.hold(self._locks, run):
            if self.journal.last(run) != history:
                # It went on, and maybe ended, between our look and our lock.
                message = f"run {run} was just worked on by another process"
                raise JournalError(message, hint="resume it again", code="journal.locked")
            elapsed = Elapsed(self.clock.monotonic)
            record = LiveRecord(
                self.journal,
                run,
                clock=self.clock,
                elapsed=elapsed,
                history=history,
                watch=careful(self._telemetry.reader(self.journal, run, history, careful(watch))),
            )
            meter = Meter(first.budget, elapsed, warn=warner(record))
            with self._engine() as engine:
                experience = self._experience(run)
                context = self._context(
                    app,
                    run,
                    record,
                    meter,
                    ports=(self._backends.of_role, engine, experience),
                    seed=first.seed if isinstance(first, RunStarted) else self.read(run).seed,
                )
                record.open(first)
                self._finish(app, task, context)
        return self.read(run)

    def _finish(self, app: App, task: Task, context: Context) -> None:
        """Run the flow and write down how it ended."""
        record = context.record
        try:
            outcome = self._flow(app, task, context)
        except (Interrupted, KeyboardInterrupt):
            record.append(RunInterrupted(reason="asked to stop"), durable=True)
            raise
        except JournalError:
            raise
        except ProveoutError as error:
            record.append(RunInterrupted(reason=str(error)), durable=True)
            raise
        except Exception as error:
            reason = f"internal error: {type(error).__name__}: {error}"
            record.append(RunInterrupted(reason=reason), durable=True)
            raise
        spent = context.spent[-1] if context.spent and not outcome.accepted else ""
        record.append(
            RunEnded(outcome=outcome, spent=spent, usage=context.meter.usage), durable=True
        )

    def _flow(self, app: App, task: Task, context: Context) -> Outcome:
        flow = app.load(app.flow)
        try:
            with using(context):
                outcome: Outcome = flow(task, context)
        except BudgetSpent as spent:
            context.drained(spent)
            kept = context.best[-1:] or [Outcome(accepted=False, summary=str(spent))]
            outcome = kept[0]
        return outcome

    def _context(  # noqa: PLR0913
        self,
        app: App,
        run: str,
        record: Record,
        meter: Meter,
        *,
        ports: tuple[Callable[[str], Model], Engine, Experience],
        seed: int,
    ) -> Context:
        model_for, engine, experience = ports
        return Context(
            app=app.name,
            run=run,
            ports=Ports(
                record=record,
                prompts=self.prompts(),
                experience=experience,
                engine=engine,
                clock=self.clock,
                cancel=self.cancel,
                model_for=model_for,
                open_model=RecordedOnly if record.replaying else self._backends.of_name,
                open_sandbox=SandboxDoor(self.settings.sandbox),
                askers=self._backends.askers,
            ),
            meter=meter,
            seed=seed,
            rules=app.lessons,
        )

    @contextlib.contextmanager
    def _engine(self) -> Iterator[Engine]:
        engine = open_engine(self.settings.engine.name, self.settings.engine.workers)
        try:
            yield engine
        finally:
            engine.close()

    def _experience(self, run: str) -> Experience:
        scope, chosen = self.settings.experience.scope, self.settings.model
        if scope == "auto":
            taped = bool(chosen.record) or chosen.name.startswith("recorded:")
            scope = "run" if taped else "all"
        if scope == "none":
            return NoExperience()
        if scope == "run":
            return RunExperience(self.journal, run)
        return JournalledExperience(self.journal)

    def new_id(self, app: App) -> str:
        stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime(self.clock.now()))
        return f"{app.name}-{stamp}-{randomness.token_hex(3)}"


@dataclass(frozen=True)
class SandboxDoor:
    """Opens the sandbox of this machine when, and if, a script is to be run.

    A value: it travels with the work to an engine, and two of them compare as equal.
    """

    chosen: SandboxSettings

    def __call__(self) -> Sandbox:
        from proveout.adapters.sandbox.local import LocalSandbox

        return LocalSandbox(**self.chosen.model_dump())


def prompt_folder(user_folder: str = "") -> PromptFolder:
    """The prompts of all installed apps, with the user's folder, if there is one, on top."""
    packages = {app.name: app.prompts for app in apps.installed().values() if app.prompts}
    own = Path(user_folder).expanduser() if user_folder else None
    if own is not None and not own.is_dir():
        message = f"there is no folder {own}"
        raise UsageError(message, hint="prompts.folder names a folder with `app/role.md` files")
    return PromptFolder(packages, own)
