"""A crew of worker processes that can be killed one by one and dies with its owner.

The standard pool can neither stop a single worker nor survive losing one, and its workers linger
when the owner is killed. Here a worker that exceeds its time or dies is replaced, and each worker
watches its owner: when that is gone, however it went, so is the worker.
"""

import fcntl
import multiprocessing
import os
import pickle
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess

from proveout.kernel.ports import Cancel, Finished

POLL_SECONDS = 0.1
PATIENCE_SECONDS = 5.0
Attempt = Callable[[int, bytes], Finished]


@dataclass
class Worker:
    """A process, the pipe to it, and what it is doing."""

    process: BaseProcess
    pipe: Connection
    index: int | None = None
    since: float = 0.0

    def end(self) -> None:
        self.process.kill()
        self.process.join(PATIENCE_SECONDS)
        self.pipe.close()


class Crew:
    """At most `size` workers, started when there is work and kept until dismissed."""

    def __init__(self, size: int) -> None:
        self._size = max(1, size)
        self._workers: list[Worker] = []
        # Not fork: the owner has threads, and a forked child would inherit their locks.
        self._start = multiprocessing.get_context("spawn")

    def run(
        self, attempt: Attempt, parcels: Sequence[bytes], timeout_seconds: float, cancel: Cancel
    ) -> Iterator[Finished]:
        """Results as they come; each parcel has `timeout_seconds` of its own."""
        queue = list(enumerate(parcels))[::-1]
        try:
            while (queue or self._busy()) and not cancel.is_set():
                yield from self._hand_out(attempt, queue)
                yield from self._collect()
                yield from self._give_up(timeout_seconds)
        finally:
            # Reached early when cancelled or when the caller stops listening.
            for worker in self._busy():
                self._drop(worker)

    def dismiss(self) -> None:
        for worker in list(self._workers):
            self._drop(worker)

    def _busy(self) -> list[Worker]:
        return [worker for worker in self._workers if worker.index is not None]

    def _hand_out(self, attempt: Attempt, queue: list[tuple[int, bytes]]) -> Iterator[Finished]:
        idle = [worker for worker in self._workers if worker.index is None]
        while queue and (idle or len(self._workers) < self._size):
            fresh = not idle
            worker = self._hire() if fresh else idle.pop()
            index, parcel = queue.pop()
            try:
                worker.pipe.send((attempt, index, parcel))
            except OSError:
                self._drop(worker)
                if fresh:
                    yield Finished(index=index, error="the worker died before it could begin")
                else:
                    # It died while idle: somebody else takes the work.
                    queue.append((index, parcel))
                continue
            worker.index, worker.since = index, time.monotonic()

    def _collect(self) -> Iterator[Finished]:
        pipes = {worker.pipe: worker for worker in self._busy()}
        for ready in wait(list(pipes), timeout=POLL_SECONDS):
            worker = pipes[ready]  # type: ignore[index]
            index = worker.index or 0
            try:
                content = worker.pipe.recv_bytes()
            except (EOFError, OSError):
                worker.process.join(PATIENCE_SECONDS)
                code = worker.process.exitcode
                self._drop(worker)
                yield Finished(index=index, error=f"the worker died (exit code {code})")
            else:
                worker.index = None
                yield _unpacked(index, content)

    def _give_up(self, timeout_seconds: float) -> Iterator[Finished]:
        for worker in self._busy():
            if time.monotonic() - worker.since > timeout_seconds:
                index = worker.index or 0
                self._drop(worker)
                yield Finished(index=index, error=f"not done within {timeout_seconds:g} s")

    def _hire(self) -> Worker:
        ours, theirs = self._start.Pipe()
        process = self._start.Process(target=serve, args=(theirs,), daemon=True)
        process.start()
        theirs.close()
        worker = Worker(process, ours)
        self._workers.append(worker)
        return worker

    def _drop(self, worker: Worker) -> None:
        worker.end()
        self._workers.remove(worker)


def serve(pipe: Connection) -> None:
    """The life of a worker: take a parcel, do it, send the result."""
    _be_killed_with_owner()
    threading.Thread(target=_die_with_owner, daemon=True).start()
    while True:
        try:
            attempt, index, parcel = pipe.recv()
        except (EOFError, OSError):
            return
        pipe.send(attempt(index, parcel))


def _unpacked(index: int, content: bytes) -> Finished:
    try:
        result: Finished = pickle.loads(content)
    except Exception as error:  # noqa: BLE001 - whatever a value's own unpickling raises
        message = f"the result cannot be read here: {type(error).__name__}: {error}"
        return Finished(index=index, error=message)
    return result


def _die_with_owner() -> None:
    owner = multiprocessing.parent_process()
    if owner is not None:
        owner.join()
    os._exit(1)


def _be_killed_with_owner() -> None:
    """Has the system do the same where it can: work that never lets go of the interpreter
    (a regular expression that backtracks for ever) would keep the watching thread from running."""
    owner = multiprocessing.parent_process()
    if owner is None or not hasattr(fcntl, "F_SETSIG"):
        return
    lifeline = owner.sentinel
    fcntl.fcntl(lifeline, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(lifeline, fcntl.F_SETSIG, signal.SIGKILL)
    fcntl.fcntl(lifeline, fcntl.F_SETFL, fcntl.fcntl(lifeline, fcntl.F_GETFL) | os.O_ASYNC)
