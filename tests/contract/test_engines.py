"""The engines of this machine keep the port's promises, and none leaves a process behind."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from proveout.adapters.engine.local import InlineEngine, ProcessEngine, ThreadEngine, open_engine
from proveout.kernel.errors import UnknownName
from proveout.kernel.ports import Engine
from proveout.testing.engine_contract import EngineContract, wait, worker_id

ROOT = Path(__file__).parents[2]


class TestInlineEngine(EngineContract):
    stops = False

    def open(self, workers: int) -> Engine:
        del workers
        return InlineEngine()


class TestThreadEngine(EngineContract):
    def open(self, workers: int) -> Engine:
        return ThreadEngine(workers)


class TestProcessEngine(EngineContract):
    apart = True

    def open(self, workers: int) -> Engine:
        return ProcessEngine(workers)


@pytest.mark.parametrize("name", ["inline", "threads", "processes"])
def test_an_engine_is_opened_by_its_name(name: str) -> None:
    engine = open_engine(name, 1)
    assert engine.name == name
    engine.close()


def test_an_unknown_engine_is_refused() -> None:
    with pytest.raises(UnknownName, match="processes"):
        open_engine("proceses", 1)


def is_alive(process: int) -> bool:
    """Whether a process works; a dead one that nobody has buried does not."""
    try:
        status = Path(f"/proc/{process}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return status.rpartition(")")[2].split()[0] not in "ZX"


def eventually(claim: Callable[[], bool], seconds: float = 20) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if claim():
            return True
        time.sleep(0.05)
    return claim()


def test_closing_ends_the_workers() -> None:
    engine = ProcessEngine(2)
    done = list(engine.run(worker_id, [0, 0], timeout_seconds=30, cancel=threading.Event()))
    workers = {finished.value for finished in done}
    assert all(is_alive(worker) for worker in workers), "they are kept for the next time"
    engine.close()
    assert not any(is_alive(worker) for worker in workers)


def test_giving_up_ends_the_worker() -> None:
    engine = ProcessEngine(1)
    try:
        cancel = threading.Event()
        (first,) = engine.run(worker_id, [0], timeout_seconds=30, cancel=cancel)
        (late,) = engine.run(wait, [60.0], timeout_seconds=0.2, cancel=cancel)
        assert "0.2 s" in late.error
        assert not is_alive(first.value)
    finally:
        engine.close()


@pytest.mark.parametrize("work", ["sleep", "hold"])
def test_workers_end_with_an_owner_that_is_killed(tmp_path: Path, work: str) -> None:
    """Also when the work never lets the interpreter go."""
    command = [sys.executable, "-m", "tests.processes.own_workers", str(tmp_path), work]
    with subprocess.Popen(command, cwd=ROOT) as owner:
        try:
            assert eventually(lambda: len(list(tmp_path.iterdir())) == 2, seconds=60)
            workers = [int(entry.name) for entry in tmp_path.iterdir()]
            assert all(is_alive(worker) for worker in workers)
        finally:
            owner.send_signal(signal.SIGKILL)
    try:
        assert eventually(lambda: not any(is_alive(worker) for worker in workers))
    finally:
        for worker in workers:
            if is_alive(worker):
                os.kill(worker, signal.SIGKILL)


def test_workers_that_die_at_once_are_not_hired_for_ever() -> None:
    command = [sys.executable, "-m", "tests.processes.no_guard"]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=100, check=True
    )
    assert done.stdout == "the worker died before it could begin"
