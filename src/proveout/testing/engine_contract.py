"""What every engine promises, wherever its workers are.

Subclass `EngineContract` and say how an engine is opened. The pieces of work below stand at the top
of this module, because work must be able to travel.
"""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from proveout.kernel.errors import EngineError
from proveout.kernel.ports import Engine, Finished

LONG_SECONDS = 60.0


def double(number: int) -> int:
    return 2 * number


def refuse_odd(number: int) -> int:
    if number % 2:
        message = f"{number} is odd"
        raise ValueError(message)
    return number


def leave(number: int) -> int:
    """Work that ends its process as a script would."""
    sys.exit(number)


def wait(seconds: float) -> float:
    time.sleep(seconds)
    return seconds


def wait_for_file(path: str) -> bool:
    """Work that ends when somebody says so."""
    for _ in range(600):
        if Path(path).exists():
            return True
        time.sleep(0.05)
    return False


def worker_id(number: int) -> int:
    del number
    return os.getpid()


def kill_if_odd(number: int) -> int:
    """Work that takes its worker with it, as running out of memory does."""
    if number % 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def make_a_function(number: int) -> Callable[[], int]:
    return lambda: number


class Sour(Exception):  # noqa: N818 - a value of the test
    """Can be packed but not unpacked: its arguments are lost on the way."""

    def __init__(self, first: str, second: str) -> None:
        super().__init__(first)
        self.second = second


def make_sour(number: int) -> Sour:
    return Sour(str(number), "lost")


def length(content: bytes) -> int:
    return len(content)


def fill(size: int) -> bytes:
    return b"x" * size


class Unreadable:
    """Packs well; unpacking it fails."""

    def __reduce__(self) -> tuple[Callable[[int], int], tuple[int]]:
        return refuse_odd, (1,)


class EngineContract:
    """About fifteen promises."""

    apart: bool = False
    """Whether workers are processes of their own, which may die or be killed."""
    stops: bool = True
    """Whether a time-out is noticed while work is going on, not only between pieces."""

    def open(self, workers: int) -> Engine:
        raise NotImplementedError

    @contextmanager
    def opened(self, workers: int = 2) -> Iterator[Engine]:
        engine = self.open(workers)
        try:
            yield engine
        finally:
            engine.close()

    def run(self, work: Callable[[Any], Any], *items: Any, seconds: float = 30) -> list[Finished]:
        """Results in the order of the items."""
        with self.opened() as engine:
            return _sorted(engine, work, list(items), seconds)

    def test_results_come_with_the_index_of_their_item(self) -> None:
        assert self.run(double, *range(5)) == [Finished(index=n, value=2 * n) for n in range(5)]

    def test_it_tells_how_much_it_does_at_a_time(self) -> None:
        """Whoever plans with time plans with this: no more than was asked for, and one at least."""
        for asked in (1, 3):
            with self.opened(asked) as engine:
                assert 1 <= engine.workers <= asked

    def test_nothing_to_do_is_done_at_once(self) -> None:
        assert self.run(double) == []

    def test_an_error_is_a_value(self) -> None:
        first, second, third = self.run(refuse_odd, 0, 1, 2)
        assert (first.value, first.error) == (0, "")
        assert (third.value, third.error) == (2, "")
        assert second.error == "ValueError: 1 is odd"
        assert second.value is None

    def test_work_that_wants_to_leave_is_an_error(self) -> None:
        (finished,) = self.run(leave, 3)
        assert "3" in finished.error

    def test_work_that_cannot_travel_is_refused(self) -> None:
        with self.opened() as engine:
            for work, item in [
                (lambda number: number, 1),
                (double, lambda: 1),
                (double, threading.Lock()),
                (double, _deep()),
            ]:
                with pytest.raises(EngineError, match="cannot travel"):
                    list(engine.run(work, [item], timeout_seconds=30, cancel=threading.Event()))

    def test_an_item_that_cannot_be_unpacked_is_an_error(self) -> None:
        broken, fine = self.run(double, Unreadable(), 2)
        assert broken.error == "ValueError: 1 is odd"
        assert fine.value == 4

    def test_a_result_that_cannot_travel_is_an_error(self) -> None:
        with self.opened() as engine:
            (finished,) = _sorted(engine, make_a_function, [1])
            assert "cannot travel back" in finished.error
            assert _sorted(engine, double, [1]) == [Finished(index=0, value=2)]

    def test_a_result_that_cannot_be_unpacked_harms_nobody(self) -> None:
        with self.opened() as engine:
            (finished,) = _sorted(engine, make_sour, [1])
            assert finished.error or isinstance(finished.value, Sour)
            assert _sorted(engine, double, [1]) == [Finished(index=0, value=2)]

    def test_large_items_and_results_travel(self) -> None:
        assert self.run(length, b"x" * 5_000_000)[0].value == 5_000_000
        assert self.run(fill, 5_000_000)[0].value == b"x" * 5_000_000

    def test_more_items_than_workers_are_all_done(self) -> None:
        assert [finished.value for finished in self.run(double, *range(40))] == [
            2 * n for n in range(40)
        ]

    def test_an_engine_can_be_used_again(self) -> None:
        with self.opened() as engine:
            for _ in range(3):
                assert [finished.value for finished in _sorted(engine, double, [1, 2])] == [2, 4]

    def test_what_takes_too_long_is_given_up(self) -> None:
        began = time.monotonic()
        first, last = self.run(wait, 0.0 if self.stops else 1.0, 1.5, seconds=0.8)
        if self.stops:
            assert time.monotonic() - began < LONG_SECONDS / 2
        assert "0.8 s" in last.error
        # Starting a worker may itself take longer than that.
        assert first.value == (0.0 if self.stops else 1.0) or "0.8 s" in first.error

    def test_a_cancelled_engine_does_nothing(self) -> None:
        cancel = threading.Event()
        cancel.set()
        with self.opened() as engine:
            assert list(engine.run(double, [1, 2], timeout_seconds=30, cancel=cancel)) == []

    def test_cancelling_ends_the_work(self, tmp_path: Path) -> None:
        cancel, gate = threading.Event(), tmp_path / "gate"
        began = time.monotonic()
        with self.opened() as engine:
            running = engine.run(
                wait_for_file,
                [str(tmp_path), str(gate), str(gate)],
                timeout_seconds=60,
                cancel=cancel,
            )
            assert next(running).index == 0
            cancel.set()
            assert list(running) == []
            # A thread cannot be stopped; let it go.
            gate.touch()
        assert time.monotonic() - began < 20

    def test_whoever_stops_listening_can_begin_again(self) -> None:
        with self.opened() as engine:
            for _ in range(2):
                running = engine.run(
                    double, [1, 2, 3], timeout_seconds=30, cancel=threading.Event()
                )
                assert next(iter(running)).error == ""
                del running
            assert len(_sorted(engine, double, [1, 2])) == 2

    def test_closing_twice_is_fine(self) -> None:
        engine = self.open(2)
        assert engine.name
        engine.close()
        engine.close()

    def test_a_killed_worker_is_reported_and_replaced(self) -> None:
        if not self.apart:
            pytest.skip("its workers are this process")
        with self.opened() as engine:
            done = _sorted(engine, kill_if_odd, [0, 1, 2, 3, 4])
            assert [finished.value for finished in done] == [0, None, 2, None, 4]
            assert [bool(finished.error) for finished in done] == [False, True, False, True, False]
            assert "died" in done[1].error
            assert _sorted(engine, double, [5])[0].value == 10

    def test_a_worker_that_was_killed_while_idle_is_replaced(self) -> None:
        if not self.apart:
            pytest.skip("its workers are this process")
        with self.opened(workers=1) as engine:
            worker = _sorted(engine, worker_id, [0])[0].value
            os.kill(worker, signal.SIGKILL)
            time.sleep(0.2)
            again = [finished.value for finished in _sorted(engine, worker_id, [0, 0])]
            assert worker not in again
            assert all(isinstance(name, int) for name in again)


def _sorted(
    engine: Engine, work: Callable[[Any], Any], items: list[Any], seconds: float = 30
) -> list[Finished]:
    done = engine.run(work, items, timeout_seconds=seconds, cancel=threading.Event())
    return sorted(done, key=lambda finished: finished.index)


def _deep() -> list[Any]:
    """Nested more deeply than a pickler can follow."""
    value: list[Any] = []
    for _ in range(100_000):
        value = [value]
    return value
