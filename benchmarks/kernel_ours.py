"""The trivial loop on our kernel: a number is proposed and rejected until the last round.

Everything a real run has is there: a role whose expert is asked, a check, a finding with a hint
that becomes a lesson, and the durable journal. Only the flow around the loop is missing.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from proveout.adapters.clock import SystemClock
from proveout.adapters.engine.local import InlineEngine
from proveout.adapters.experience import JournalledExperience
from proveout.adapters.journal.sqlite import SqliteJournal
from proveout.adapters.models.offline import OfflineModel
from proveout.adapters.prompts import PromptFolder
from proveout.kernel.budget import Budget, Elapsed, Meter
from proveout.kernel.context import Context, Ports
from proveout.kernel.events import RunResumed, RunStarted
from proveout.kernel.loop import attempts
from proveout.kernel.ports import Ask, Brief, Check, Checked, Proposer, Surroundings
from proveout.kernel.proposer import Role, RoleProposer
from proveout.kernel.record import LiveRecord
from proveout.kernel.types import Finding, Frozen, Malformed, Task

NOTHING = Checked()


class Climb(Task):
    """Reach a number by steps of one."""

    top: int


class Step(Frozen):
    """The number reached."""

    number: int


def climb(brief: Brief) -> Step:
    return Step(number=brief.round + 1)


CLIMB = Role(name="bench/climb", returns=Step, description="Counts.", expert=climb)


class PlainProposer:
    """A proposer that asks nobody: nothing but the loop and the journal is left."""

    returns = Step

    def propose(self, brief: Brief, ask: Ask) -> Step | Malformed:
        del ask
        return climb(brief)


def at_the_top(task: Climb, proposal: Step, around: Surroundings) -> Checked:
    """Rejected until the top is reached."""
    del around
    if proposal.number >= task.top:
        return NOTHING
    message = f"{proposal.number} of {task.top}"
    finding = Finding(code="bench.too_low", message=message, hint="Climb one step higher.")
    return Checked(findings=(finding,))


CHECKS: tuple[Check[Climb, Step], ...] = (at_the_top,)
BUDGET = Budget(rounds=10_000_000, calls=10_000_000, seconds=10_000_000)


@contextmanager
def _context(path: Path, run: str) -> Iterator[Context]:
    """What `Workspace` puts together for a run, or for a resumed one if the run is there."""
    journal = SqliteJournal(path)
    clock, model = SystemClock(), OfflineModel()
    elapsed = Elapsed(clock.monotonic)
    history = journal.last(run)
    record = LiveRecord(journal, run, clock=clock, elapsed=elapsed, history=history)
    ports = Ports(
        record=record,
        prompts=PromptFolder({}),
        experience=JournalledExperience(journal),
        engine=InlineEngine(),
        clock=clock,
        cancel=threading.Event(),
        model_for=lambda _role: model,
    )
    if history is None:
        started = RunStarted(
            app="bench", task={}, model=model.name, seed=0, budget=BUDGET, version="0"
        )
        record.open(started)
    else:
        record.open(RunResumed(budget=BUDGET, model=model.name, version="0"))
    try:
        yield Context(app="bench", run=run, ports=ports, meter=Meter(BUDGET, elapsed))
    finally:
        journal.close()


def run_ours(
    path: Path,
    rounds: int,
    *,
    plain: bool = False,
    every: int = 0,
    notice: Callable[[int], None] = lambda _done: None,
) -> int:
    """Make `rounds` attempts (or go on, if some are there); `notice` is called `every` so many."""
    proposer: Proposer[Step] = PlainProposer() if plain else RoleProposer(CLIMB)
    done = 0
    with _context(path, "climb") as context:
        for attempt in attempts(Climb(top=rounds), proposer, CHECKS, context):
            done = attempt.round + 1
            if every and done % every == 0:
                notice(done)
    return done
