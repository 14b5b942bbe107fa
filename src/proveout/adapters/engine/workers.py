"""A crew of worker processes that can be killed one by one and dies with its owner.

The standard pool can neither stop a single worker nor survive losing one, and its workers linger when
the owner is killed. Here a worker that exceeds its time or dies is replaced, and each worker watches its
owner: when that is gone, however it went, so is the worker.
"""

import multiprocessing
import os
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
                self._hand_out(attempt, queue)
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

    def _hand_out(self, attempt: Attempt, queue: list[tuple[int, bytes]]) -> None:
        idle = [worker for worker in self._workers if worker.index is None]
        while queue and (idle or len(self._workers) < self._size):
            worker = idle.pop() if idle else self._hire()
            index, parcel = queue.pop()
            try:
                worker.pipe.send((attempt, index, parcel))
            except OSError:
                # It died while idle: replace it and try again.
                self._drop(worker)
                queue.append((index, parcel))
                continue
            worker.index, worker.since = index, time.monotonic()

    def _collect(self) -> Iterator[Finished]:
        pipes = {worker.pipe: worker for worker in self._busy()}
        for ready in wait(list(pipes), timeout=POLL_SECONDS):
            worker = pipes[ready]  # type: ignore[index]
            index = worker.index or 0
            try:
                result = worker.pipe.recv()
            except (EOFError, OSError):
                worker.process.join(PATIENCE_SECONDS)
                code = worker.process.exitcode
                self._drop(worker)
                yield Finished(index=index, error=f"the worker died (exit code {code})")
            else:
                worker.index = None
                yield result

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
    threading.Thread(target=_die_with_owner, daemon=True).start()
    while True:
        try:
            attempt, index, parcel = pipe.recv()
        except (EOFError, OSError):
            return
        result = attempt(index, parcel)
        try:
            pipe.send(result)
        except (TypeError, AttributeError, ValueError) as error:
            message = f"the result cannot travel back: {error}"
            pipe.send(Finished(index=index, error=message))


def _die_with_owner() -> None:
    owner = multiprocessing.parent_process()
    if owner is not None:
        owner.join()
    os._exit(1)
