"""Others at work at the same time, logs cut short, clocks that go back, a person who says stop."""

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from proveout.adapters.clock import SystemClock
from proveout.adapters.journal.lock import is_held
from proveout.adapters.journal.sqlite import SqliteJournal
from proveout.adapters.journal.verify import verify
from proveout.kernel.errors import Interrupted
from proveout.kernel.events import Event
from proveout.kernel.run import read_run
from proveout.testing.pattern import APP
from tests.fault.billing import Provider
from tests.fault.processes import ROOT, environment
from tests.fault.sessions import TASK, PatternWorkspace, Session, Sessions, sessions
from tests.fault.told import begin, tell

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="sessions are timed by Linux")
SEED = int(os.environ.get("FAULT_SEED", random.SystemRandom().randrange(10**6)))
COMMAND = "from proveout.cli.main import main; main()"


def test_log_cut_short_after_a_kill_costs_attempts_but_neither_answer_nor_money(
    forked: Sessions, billing: Provider, folder: Path
) -> None:
    print(f"FAULT_SEED={SEED}")  # noqa: T201 - pytest shows it when a test fails
    chance = random.Random(SEED)
    undisturbed, ended = begin(forked, folder / "undisturbed", port=billing.port)
    cut_short, span = 0, ended.seconds
    for number in range(24):
        if cut_short >= 12:
            break
        billing.close_book()
        place = folder / f"run-{number}"
        place.mkdir()
        delay = chance.uniform(0.3, 0.9) * span
        forked(Session(str(place), port=billing.port, kill_after_seconds=delay))
        log = place / "journal.db-wal"
        if log.exists():
            size = log.stat().st_size
            os.truncate(log, chance.randrange(size // 2, size) if size else 0)
            cut_short += 1
        else:
            # It had ended by itself: the machine is quicker now than when the span was taken.
            span *= 0.7
        told = tell(place)
        run = told.run.id if told else ""
        assert forked(Session(str(place), run, port=billing.port)).exit_code == 0
        after = tell(place)
        assert after is not None
        assert after.story == undisturbed.story
        if run:
            ledger = billing.close_book()
            assert set(ledger) == after.keys
            assert {entry.bodies for entry in ledger.values()} == {1}
    assert cut_short >= 6


def test_two_processes_resume_a_run_and_one_of_them_works(forked: Sessions, folder: Path) -> None:
    print(f"FAULT_SEED={SEED}")  # noqa: T201
    chance = random.Random(SEED)
    undisturbed, ended = begin(forked, folder / "undisturbed")
    refused, span = 0, ended.seconds
    with sessions() as other, ThreadPoolExecutor(2) as threads:
        for number in range(25):
            place = folder / f"run-{number}"
            place.mkdir()
            delay = chance.uniform(0.2, 0.8) * span
            forked(Session(str(place), kill_after_seconds=delay))
            told = tell(place)
            if told is None:
                continue
            if told.endings:
                span *= 0.7
            session = Session(str(place), told.run.id)
            both = list(threads.map(lambda work, s=session: work(s), (forked, other)))
            assert 0 in [done.exit_code for done in both]
            for done in both:
                if done.exit_code:
                    assert "worked on by another process" in done.error
                    refused += 1
            after = tell(place)
            assert after is not None
            assert after.story == undisturbed.story
            assert after.endings == 1
    assert refused > 0


def test_two_processes_begin_a_journal_at_once_and_both_runs_are_whole(
    forked: Sessions, folder: Path
) -> None:
    with sessions() as other, ThreadPoolExecutor(2) as threads:
        for number in range(15):
            place = folder / f"both-{number}"
            place.mkdir()
            session = Session(str(place))
            both = list(threads.map(lambda work, s=session: work(s), (forked, other)))
            assert [done.exit_code for done in both] == [0, 0], both
            journal = SqliteJournal(place / "journal.db", readonly=True)
            try:
                assert verify(journal) == []
                runs = [read_run(journal.read(row.run)) for row in journal.runs()]
            finally:
                journal.close()
            assert [run.outcome is not None for run in runs] == [True, True]


def test_readers_see_a_whole_journal_while_a_run_is_going(
    forked: Sessions, billing: Provider, folder: Path
) -> None:
    path = folder / "journal.db"
    reads: list[int] = []
    running = 0
    with ThreadPoolExecutor(1) as thread:
        going = thread.submit(forked, Session(str(folder), port=billing.port))
        while not going.done():
            if not path.exists():
                continue
            reader = SqliteJournal(path, readonly=True)
            try:
                for row in reader.runs():
                    assert verify(reader) == []
                    reads.append(read_run(reader.read(row.run)).events)
                    running += is_held(folder / "locks", row.run)
            finally:
                reader.close()
        assert going.result().exit_code == 0
    assert reads == sorted(reads)
    assert len(set(reads)) > 3
    assert running > 0
    told = tell(folder)
    assert told is not None
    assert told.endings == 1


class BackwardClock(SystemClock):
    """Wall time that goes back by an hour at every look."""

    def __init__(self) -> None:
        self._now = 2_000_000_000.0

    def now(self) -> float:
        self._now -= 3600.0
        return self._now


def test_run_whose_wall_clock_goes_back_ends_as_ever(forked: Sessions, folder: Path) -> None:
    undisturbed, _ = begin(forked, folder / "undisturbed")
    place = folder / "back"
    place.mkdir()
    session = Session(str(place), engine="inline")
    with PatternWorkspace(session) as workspace:
        workspace.clock = BackwardClock()
        stop = _Stop(workspace.cancel, after=40)
        with pytest.raises(Interrupted):
            workspace.start(APP, workspace.task(APP, TASK), watch=stop)
    with PatternWorkspace(session) as workspace:
        workspace.clock = BackwardClock()
        run = workspace.resume(workspace.find("last"))
    times = [attempt.at for attempt in run.attempts]
    assert times != sorted(times)
    elapsed = [attempt.elapsed for attempt in run.attempts]
    assert elapsed == sorted(elapsed)
    told = tell(place)
    assert told is not None
    assert told.story.outcome == undisturbed.story.outcome
    assert told.story.attempts == undisturbed.story.attempts


class _Stop:
    """Asks a run to stop after so many events."""

    def __init__(self, cancel: threading.Event, after: int) -> None:
        self._cancel = cancel
        self._left = after

    def __call__(self, event: Event) -> None:
        del event
        self._left -= 1
        if self._left == 0:
            self._cancel.set()


def command(journal: Path, *arguments: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", COMMAND, *arguments, "--journal", str(journal), "--json"],
        cwd=ROOT,
        env={**environment(), "PROVEOUT_HOME": str(journal.parent)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_command_asked_to_stop_exits_130_and_can_be_resumed(
    number: signal.Signals, tmp_path: Path
) -> None:
    """The signal is sent once the run has begun; a run that was quicker is tried again."""
    flags = ["--expression", "[a-z]+[0-9]{2}", "--shortest", "60", "--longest", "60"]
    for trial in range(10):
        journal = tmp_path / f"{trial}" / "journal.db"
        journal.parent.mkdir()
        process = command(journal, "pattern", "run", *flags, "--rounds", "100")
        _wait_until_begun(journal, process)
        process.send_signal(number)
        _, told = process.communicate(timeout=60)
        if process.returncode == 130:
            break
        assert process.returncode == 0, told
    assert process.returncode == 130
    assert "interrupted; go on with: proveout resume" in told
    resumed = command(journal, "resume", "last")
    said, told = resumed.communicate(timeout=60)
    assert resumed.returncode == 0, told
    run = json.loads(said)
    assert run["outcome"]["accepted"]
    reader = SqliteJournal(journal, readonly=True)
    try:
        assert verify(reader) == []
        kinds = [row.event.kind for row in reader.read(reader.runs()[0].run)]
    finally:
        reader.close()
    assert kinds.count("run.interrupted") == 1
    assert kinds.count("run.ended") == 1
    assert list((journal.parent / "locks").iterdir()) == []


def _wait_until_begun(journal: Path, process: "subprocess.Popen[str]") -> None:
    """Until the first attempts are in the file, or the process has gone."""
    while process.poll() is None:
        if journal.exists():
            reader = SqliteJournal(journal, readonly=True)
            try:
                if any(row.sequence > 3 for row in reader.runs()):
                    return
            finally:
                reader.close()
        time.sleep(0.002)
