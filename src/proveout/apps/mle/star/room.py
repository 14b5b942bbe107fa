"""Where scripts run: a folder, the data beside it, one sandbox, and how long there is.

The room in force is found by the functions that run scripts; outside of one they make their own.
Whoever opened the sandbox closes it.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from pathlib import Path

from proveout.apps.mle.scripts.results import ExecutionRawResult
from proveout.apps.mle.scripts.solution import SolutionScript, TaskDescription
from proveout.apps.mle.scripts.workshop import run_in, workshop
from proveout.kernel.ambient import current
from proveout.kernel.context import Context
from proveout.kernel.ports import ScriptJob, ScriptLimits

WORK = "work"
SHORTEST_SECONDS = 1.0


@dataclass(frozen=True)
class Room:
    """One place to work in; paths that are refined side by side have one each."""

    folder: Path
    data: Path
    seconds: float | None = None
    """The most that one script may take, if less than the whole time limit."""
    deadline: float | None = None
    """In seconds of the branch that works here: no script goes on beyond it."""
    progress: Callable[[SolutionScript], None] | None = None
    """Told the best so far, for whoever must go on if the work here is cut short."""

    def limit(self, context: Context, wanted: float) -> float:
        """How long the next script may take: never beyond the end of the run."""
        bounds = [wanted, context.meter.remaining("seconds")]
        if self.seconds is not None:
            bounds.append(self.seconds)
        if self.deadline is not None:
            bounds.append(self.deadline - context.meter.used("seconds"))
        return max(SHORTEST_SECONDS, min(bounds))

    def overdue(self, context: Context) -> bool:
        """Looked at once and written down, so that a resumed run decides the same."""
        if self.deadline is None:
            return False
        deadline = self.deadline
        return bool(context.observe("overdue", lambda: context.meter.used("seconds") >= deadline))


_room: ContextVar[Room | None] = ContextVar("mle_room", default=None)


def room_in_force() -> Room | None:
    return _room.get()


@contextmanager
def working(task: TaskDescription) -> Iterator[Room]:
    """The room in force, or one beside the task's output folder."""
    found = _room.get()
    if found is not None:
        yield found
        return
    folder = Path(task.output_dir).resolve().parent / WORK
    made = Room(folder=folder, data=Path(task.data_dir).resolve())
    with entering(made), workshop(current("mle").ports.open_sandbox):
        yield made


@contextmanager
def entering(room: Room) -> Iterator[Room]:
    """Make a room the one in force."""
    token = _room.set(room)
    try:
        yield room
    finally:
        _room.reset(token)


def part_of(room: Room, name: str, deadline: float | None = None) -> Room:
    """A room of its own within another, on the same data."""
    until = room.deadline if deadline is None else deadline
    return replace(room, folder=room.folder / name, deadline=until)


def run_script(
    context: Context, source: str, folder: Path, data: Path | None, seconds: float
) -> ExecutionRawResult:
    """Run a script now. The sandbox decides about environment, memory and processes."""
    folder.mkdir(parents=True, exist_ok=True)
    job = ScriptJob(
        source=source,
        folder=str(folder),
        data=str(data) if data else "",
        limits=ScriptLimits(seconds=seconds),
        seed=context.seed,
    )
    ran = run_in(context.ports.open_sandbox, job)
    timed_out = bool(ran.ended_by)
    said = f"\n[ended: the bound {ran.ended_by!r} was reached]" if timed_out else ""
    return ExecutionRawResult(
        stdout=ran.stdout,
        stderr=ran.stderr + said,
        exit_code=-1 if timed_out else ran.exit_code,
        duration_seconds=round(ran.seconds, 3),
        timed_out=ran.timed_out,
    )
