"""Engines on this machine: inline, threads, processes. Chosen by `open_engine`.

All three insist that work and items can be pickled, although two would not need it: what runs on
the small engine today must run on a distributed one tomorrow.
"""

import pickle
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

from proveout.adapters.engine.workers import Crew
from proveout.kernel.errors import EngineError, UnknownName
from proveout.kernel.ports import Cancel, Engine, Finished, ItemT, ResultT

POLL_SECONDS = 0.1


def open_engine(name: str, workers: int) -> Engine:
    """`inline`, `threads` or `processes`."""
    if name == "inline":
        return InlineEngine()
    if name == "threads":
        return ThreadEngine(workers)
    if name == "processes":
        return ProcessEngine(workers)
    raise UnknownName(name, noun="engine", known=["inline", "threads", "processes"])


def packed(work: Callable[[ItemT], ResultT], items: Sequence[ItemT]) -> list[bytes]:
    """Each item with the work to do on it, as it would travel."""
    try:
        return [pickle.dumps((work, item)) for item in items]
    except (pickle.PicklingError, AttributeError, TypeError, ValueError, RecursionError) as error:
        message = f"this work cannot travel to an engine: {error}"
        hint = "use functions and classes defined at the top of a module"
        raise EngineError(message, hint=hint) from error


def attempt(index: int, parcel: bytes) -> Finished:
    """Do one piece of work; whatever it raises becomes a value, because it may be far away."""
    try:
        work, item = pickle.loads(parcel)
        value = work(item)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - a worker's failure is reported
        return Finished(index=index, error=f"{type(error).__name__}: {error}")
    try:
        pickle.dumps(value)
    except Exception as error:  # noqa: BLE001 - whatever a value's own pickling raises
        message = f"the result cannot travel back: {type(error).__name__}: {error}"
        return Finished(index=index, error=message)
    return Finished(index=index, value=value)


class InlineEngine:
    """One after the other, in the caller's thread: the reference."""

    name = "inline"
    workers = 1

    def run(
        self,
        work: Callable[[ItemT], ResultT],
        items: Sequence[ItemT],
        *,
        timeout_seconds: float,
        cancel: Cancel,
    ) -> Iterator[Finished]:
        deadline = time.monotonic() + timeout_seconds
        for index, parcel in enumerate(packed(work, items)):
            if cancel.is_set():
                return
            if time.monotonic() > deadline:
                yield Finished(index=index, error=f"not begun within {timeout_seconds:g} s")
            else:
                yield attempt(index, parcel)

    def close(self) -> None:
        """Nothing to release."""


class ThreadEngine:
    """For work that waits. A thread cannot be stopped: time-outs only give up on it."""

    name = "threads"

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._pool = ThreadPoolExecutor(max_workers=workers, thread_name_prefix="engine")

    def run(
        self,
        work: Callable[[ItemT], ResultT],
        items: Sequence[ItemT],
        *,
        timeout_seconds: float,
        cancel: Cancel,
    ) -> Iterator[Finished]:
        deadline = time.monotonic() + timeout_seconds
        waiting: dict[Future[Finished], int] = {
            self._pool.submit(attempt, index, parcel): index
            for index, parcel in enumerate(packed(work, items))
        }
        try:
            while waiting and not cancel.is_set():
                done, _ = wait(waiting, timeout=POLL_SECONDS, return_when=FIRST_COMPLETED)
                for future in sorted(done, key=waiting.__getitem__):
                    waiting.pop(future)
                    yield future.result()
                if time.monotonic() > deadline:
                    for index in sorted(waiting.values()):
                        message = f"not done within {timeout_seconds:g} s"
                        yield Finished(index=index, error=message)
                    return
        finally:
            for future in waiting:
                future.cancel()

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)


class ProcessEngine:
    """For work that computes. Workers are killed on time-out and never outlive this process."""

    name = "processes"

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._crew = Crew(workers)

    def run(
        self,
        work: Callable[[ItemT], ResultT],
        items: Sequence[ItemT],
        *,
        timeout_seconds: float,
        cancel: Cancel,
    ) -> Iterator[Finished]:
        parcels = packed(work, items)
        yield from self._crew.run(attempt, parcels, timeout_seconds, cancel)

    def close(self) -> None:
        self._crew.dismiss()
