"""`kill -9` at random instants of a run, then resume: nothing is lost, repeated or paid twice.

A kill counts if it hit a run that had begun and not ended. Set FAULT_SEED to repeat a failure.
"""

import hashlib
import os
import random
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.fault.billing import Entry, Provider, provider
from tests.fault.sessions import Ended, Session, Sessions, sessions

from proveout.adapters.journal.lock import is_held
from proveout.adapters.journal.sqlite import SqliteJournal
from proveout.adapters.journal.verify import verify
from proveout.kernel.events import ModelCalled, PromptRendered, RunEnded
from proveout.kernel.run import Run, read_run

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="kills are timed and orphans found by Linux"),
    pytest.mark.timeout(600),
]
SEED = int(os.environ.get("FAULT_SEED", random.SystemRandom().randrange(10**6)))


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


@pytest.fixture(scope="module")
def forked() -> Iterator[Sessions]:
    with sessions() as started:
        yield started


@pytest.fixture(scope="module")
def billing() -> Iterator[Provider]:
    with provider() as started:
        yield started


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """In memory where that can be had: a kill leaves there what it leaves on a disk, only sooner."""
    memory = Path("/dev/shm")
    if not os.access(memory, os.W_OK):
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir=memory, prefix="proveout-kills-") as made:
        yield Path(made)


def tell(folder: Path) -> Told | None:
    """Read the journal as a stranger; None while no run has begun."""
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
        prompts = {e.event.key: e.event.prompt for e in events if isinstance(e.event, PromptRendered)}
        calls = {e.event.key: e.event.text for e in events if isinstance(e.event, ModelCalled)}
        ends = [e.event for e in events if isinstance(e.event, RunEnded)]
        attempts = {a.key: (a.returns, a.proposal, a.verdict, a.usage, a.lessons) for a in run.attempts}
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


@dataclass
class Harvest:
    """What many disturbed runs came to."""

    kills: int = 0
    runs: int = 0
    before_birth: int = 0
    again: int = 0
    """Requests that were sent again after a kill and cost nothing."""

    def __str__(self) -> str:
        return (
            f"{self.kills} kills of {self.runs} runs, {self.before_birth} before a run began,"
            f" {self.again} requests sent again for nothing"
        )


def disturb(
    forked: Sessions, folder: Path, chance: random.Random, longest: float, **how: Any
) -> tuple[Told, int, int]:
    """Kill one run again and again until it ends all the same."""
    folder.mkdir()
    kills = before_birth = 0
    told: Told | None = None
    while told is None or told.run.outcome is None:
        run = told.run.id if told else ""
        delay = chance.uniform(0.0, longest)
        ended = forked(Session(str(folder), run, **how, kill_after_seconds=delay))
        assert ended.orphans == []
        assert ended.killed or ended.exit_code == 0, f"the session failed: {ended}"
        told = tell(folder) if (folder / "journal.db").exists() else None
        if ended.killed and told is None:
            before_birth += 1
        elif ended.killed and told is not None and told.run.outcome is None:
            kills += 1
    return told, kills, before_birth


def assert_nothing_is_left(folder: Path) -> None:
    left = {str(path.relative_to(folder)) for path in folder.rglob("*")}
    assert left == {"journal.db", "locks", "tmp"}


def assert_billed_once(told: Told, ledger: dict[str, Entry]) -> None:
    assert set(ledger) == told.keys
    assert {entry.bills for entry in ledger.values()} == {1}
    assert {entry.bodies for entry in ledger.values()} == {1}
    total = sum((entry.usage for entry in ledger.values()), start=type(told.run.usage)())
    assert total == told.run.usage == told.usage_at_end


def harvest(
    forked: Sessions,
    folder: Path,
    wanted: int,
    *,
    billing: Provider | None = None,
    engine: str = "threads",
) -> Harvest:
    """Disturb runs until `wanted` kills have hit; every one must end as the undisturbed one did."""
    chance = random.Random(SEED)
    how: dict[str, Any] = {"engine": engine, "port": billing.port if billing else 0}
    undisturbed, ended = begin(forked, folder / "undisturbed", **how)
    calm, ended = begin(forked, folder / "calm", **how)
    assert calm.story == undisturbed.story
    if billing:
        billing.close_book()
    seen = Harvest()
    while seen.kills < wanted:
        seen.runs += 1
        place = folder / f"run-{seen.runs}"
        told, kills, early = disturb(forked, place, chance, ended.seconds, **how)
        seen.kills += kills
        seen.before_birth += early
        assert told.story == undisturbed.story
        assert told.endings == 1
        assert_nothing_is_left(place)
        if billing:
            ledger = billing.close_book()
            assert_billed_once(told, ledger)
            assert len(ledger) == len(undisturbed.keys)
            seen.again += sum(entry.requests - 1 for entry in ledger.values())
    return seen


@pytest.fixture(autouse=True)
def _seed() -> None:
    print(f"FAULT_SEED={SEED}")  # noqa: T201 - shown when a test fails


def test_offline_run_killed_many_times_ends_as_the_undisturbed_one(
    forked: Sessions, folder: Path
) -> None:
    seen = harvest(forked, folder, 80)
    assert seen.kills >= 80


def test_paid_run_killed_many_times_ends_the_same_and_pays_nothing_twice(
    forked: Sessions, billing: Provider, folder: Path
) -> None:
    seen = harvest(forked, folder, 140, billing=billing)
    assert seen.kills >= 140
    # Some kills must fall between bill and reply, or the test shows nothing about money.
    assert seen.again > 0


def test_run_on_worker_processes_killed_leaves_no_worker_behind(
    forked: Sessions, billing: Provider, folder: Path
) -> None:
    seen = harvest(forked, folder, 12, billing=billing, engine="processes")
    assert seen.kills >= 12
