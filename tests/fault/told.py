"""What a run's journal tells, in a form in which two runs of one task can be compared."""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from proveout.adapters.journal.lock import is_held
from proveout.adapters.journal.sqlite import SqliteJournal
from proveout.adapters.journal.verify import verify
from proveout.kernel.events import ModelCalled, PromptRendered, RunEnded
from proveout.kernel.run import Run, read_run
from tests.fault.sessions import Ended, Session, Sessions


@dataclass(frozen=True)
class Story:
    """What a run's journal tells, without what may differ between two runs of a task."""

    outcome: Any
    attempts: dict[str, Any]
    prompts: dict[str, str]
    replies: dict[str, str]
    notes: list[str]
    lessons: dict[str, int]


@dataclass(frozen=True)
class Told:
    """A run as it lies on disk."""

    run: Run
    story: Story
    keys: set[str]
    """Idempotency keys of all calls."""
    usage_at_end: Any
    endings: int


def tell(folder: Path) -> Told | None:
    """Read the journal as a stranger; None while no run has begun."""
    if not (folder / "journal.db").exists():
        # Killed before it came so far; on a slow machine that takes a while.
        return None
    journal = SqliteJournal(folder / "journal.db", readonly=True)
    try:
        rows = journal.runs()
        if not rows:
            return None
        (row,) = rows
        assert not is_held(folder / "locks", row.run)
        assert verify(journal) == []
        events = list(journal.read(row.run))
        run = read_run(events)
        prompts = {
            e.event.key: e.event.prompt for e in events if isinstance(e.event, PromptRendered)
        }
        calls = {e.event.key: e.event.text for e in events if isinstance(e.event, ModelCalled)}
        ends = [e.event for e in events if isinstance(e.event, RunEnded)]
        attempts = {
            a.key: (a.returns, a.proposal, a.verdict, a.usage, a.lessons) for a in run.attempts
        }
        lessons = {it.patch.signature: it.count for it in journal.learned("pattern")}
        notes = [note for note in run.notes if "sent again" not in note]
        story = Story(run.outcome, attempts, prompts, calls, notes, lessons)
        keys = {hashlib.sha256(f"{row.run} {key}".encode()).hexdigest()[:40] for key in calls}
        return Told(run, story, keys, ends[-1].usage if ends else None, len(ends))
    finally:
        journal.close()


def begin(forked: Sessions, folder: Path, **how: Any) -> tuple[Told, Ended]:
    """A run that nobody disturbs."""
    folder.mkdir()
    ended = forked(Session(str(folder), **how))
    told = tell(folder)
    assert told is not None
    assert ended.exit_code == 0
    assert told.run.outcome is not None
    assert told.run.outcome.accepted
    return told, ended
