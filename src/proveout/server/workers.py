"""A bounded pool of warm child processes; each does one run at a time.

One thread, the foreman, starts the processes, hands out orders and ends what takes too long. Runs
that wait are in the journal already, so nothing is lost with the server.
"""

import contextlib
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field
from multiprocessing.connection import Pipe, wait

from proveout.kernel.errors import ProveoutError
from proveout.server.orders import Begun, Done, Failed, Message, Order, Ready, Stop

logger = logging.getLogger(__name__)
STOP_SECONDS = 10.0
"""For a run to come to its next attempt; then its process is ended."""
TICK_SECONDS = 0.5
STDERR = 2
WORKER_LOST = "server.worker_lost"
RESTART_SECONDS = 2.0
"""Before a process that died while starting is started again."""


class Busy(ProveoutError):
    """There is too much to do already; worth another try after `retry_seconds`."""

    code = "server.busy"
    retryable = True

    def __init__(self, message: str, *, hint: str = "", retry_seconds: int = 5) -> None:
        super().__init__(message, hint=hint or f"try again in {retry_seconds} seconds")
        self.retry_seconds = retry_seconds


@dataclass(eq=False)
class Job:
    """An order and what becomes of it."""

    order: Order
    begun: Future[str] = field(default_factory=Future)
    done: "Future[object]" = field(default_factory=Future)
    """The run's outcome, or what the call or the replay gave."""
    deadline: float = float("inf")
    stopping: bool = False


class _Child:
    """A process, its end of the pipe and what it works on."""

    def __init__(self, warm: tuple[str, ...]) -> None:
        self.ready = False
        """Whether it has imported what it needs."""
        self.job: Job | None = None
        self.connection, theirs = Pipe()
        command = [sys.executable, "-m", "proveout.server.worker"]
        # Its output goes where complaints go: the server's own may be a protocol.
        self.process = subprocess.Popen(
            [*command, str(theirs.fileno()), str(os.getpid()), *warm],
            stdin=subprocess.DEVNULL,
            stdout=STDERR,
            pass_fds=(theirs.fileno(),),
            process_group=0,
        )
        theirs.close()

    def send(self, message: Order | Stop) -> None:
        # A process that has just died is noticed when its pipe is read.
        with contextlib.suppress(OSError):
            self.connection.send(message)

    def end(self) -> None:
        """Now, with everything that it has started in its group."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.connection.close()


class Pool:
    """Safe for many threads. Close it; it starts with the first order, or with `open`."""

    def __init__(self, size: int, most_waiting: int, warm: tuple[str, ...] = ()) -> None:
        self.size = size
        self.warm = warm
        """Apps that the processes load before they are asked to."""
        self.most_waiting = most_waiting
        self._children: list[_Child] = []
        self._waiting: deque[Job] = deque()
        self._lock = threading.RLock()
        self._woken, self._waker = Pipe(duplex=False)
        self._closing = threading.Event()
        self._foreman: threading.Thread | None = None
        self._not_before = 0.0
        """When the next process may be started."""

    def open(self) -> None:
        """Start the processes, so that the first order finds them warm."""
        with self._lock:
            if self._closing.is_set():
                message = "the server is stopping"
                raise Busy(message)
            if self._foreman is None:
                self._foreman = threading.Thread(target=self._lead, daemon=True, name="foreman")
                self._foreman.start()

    def close(self) -> None:
        """Ask every run to stop, wait a while, end what has not."""
        with self._lock:
            self._closing.set()
            foreman = self._foreman
        self._wake()
        if foreman is not None:
            foreman.join(STOP_SECONDS * 2)

    def offer(self, order: Order) -> Job | None:
        """Give an order to a process that has nothing to do; None if all are at work."""
        self.open()
        with self._lock:
            working = sum(child.job is not None for child in self._children)
            if working + len(self._waiting) >= self.size:
                return None
            return self._put(order)

    def queue(self, order: Order) -> Job:
        """Carry out an order when its turn comes; `Busy` if too many wait already."""
        self.open()
        with self._lock:
            self.demand_room()
            return self._put(order)

    def demand_room(self) -> None:
        with self._lock:
            if len(self._waiting) >= self.most_waiting:
                message = f"{self.most_waiting} orders are waiting already"
                raise Busy(message, retry_seconds=10)

    def undisturbed(self) -> contextlib.AbstractContextManager[bool]:
        """Held as a context: nothing is handed out or taken in meanwhile."""
        return self._lock

    def stop(self, run: str) -> bool:
        """Ask a run to stop; whether there was one of that name."""
        with self._lock:
            for job in [job for job in self._waiting if job.order.run == run]:
                self._waiting.remove(job)
                _fail(job, Failed(run, "interrupted", "the run was stopped before it began"))
                return True
            for child in self._children:
                if child.job is not None and child.job.order.run == run:
                    self._stop(child, child.job)
                    return True
        return False

    def waiting(self) -> frozenset[str]:
        """Runs whose turn has not come."""
        with self._lock:
            return frozenset(job.order.run for job in self._waiting)

    def working(self) -> frozenset[str]:
        """Runs that a process works on."""
        with self._lock:
            return frozenset(child.job.order.run for child in self._children if child.job)

    def _put(self, order: Order) -> Job:
        job = Job(order)
        self._waiting.append(job)
        self._hand_out()
        self._wake()
        return job

    def _wake(self) -> None:
        with contextlib.suppress(OSError):
            self._waker.send(None)

    def _stop(self, child: _Child, job: Job) -> None:
        if not job.stopping:
            job.stopping = True
            job.deadline = min(job.deadline, time.monotonic() + STOP_SECONDS)
            child.send(Stop(job.order.run))

    # The foreman

    def _lead(self) -> None:
        while not self._closing.is_set():
            with self._lock:
                self._staff()
                self._hand_out()
                doors = [child.connection for child in self._children]
            for door in wait([self._woken, *doors], timeout=TICK_SECONDS):
                self._hear(door)
            self._end_overdue()
        self._dismiss()

    def _staff(self) -> None:
        """As many processes as wanted; one that could not start is tried again after a while."""
        while len(self._children) < self.size and time.monotonic() >= self._not_before:
            try:
                self._children.append(_Child(self.warm))
            except OSError:
                logger.exception("a worker could not be started")
                self._not_before = time.monotonic() + RESTART_SECONDS

    def _hand_out(self) -> None:
        for child in self._children:
            if child.ready and child.job is None and self._waiting:
                job = self._waiting.popleft()
                child.job = job
                job.deadline = time.monotonic() + job.order.limit_seconds
                child.send(job.order)

    def _hear(self, door: object) -> None:
        if door is self._woken:
            self._woken.recv()
            return
        with self._lock:
            child = next((one for one in self._children if one.connection is door), None)
            if child is None:
                return
            try:
                message: Message = child.connection.recv()
            except (EOFError, OSError):
                self._lose(child, "the process that did the work has ended")
                return
            self._note(child, message)

    def _note(self, child: _Child, message: Message) -> None:
        job = child.job
        if isinstance(message, Ready):
            child.ready = True
            self._hand_out()
        elif job is None or message.run != job.order.run:
            logger.warning("a worker spoke of %s, which is not its order", message.run)
        elif isinstance(message, Begun):
            if not job.begun.done():
                job.begun.set_result(message.run)
        else:
            child.job = None
            if isinstance(message, Done):
                _settle(job, message)
            else:
                _fail(job, message)
            self._hand_out()

    def _end_overdue(self) -> None:
        with self._lock:
            now = time.monotonic()
            for child in list(self._children):
                if child.job is not None and child.job.deadline < now:
                    why = "did not stop" if child.job.stopping else "took longer than it may"
                    self._lose(child, f"the run {why} and was ended")

    def _lose(self, child: _Child, message: str) -> None:
        self._children.remove(child)
        child.end()
        if not child.ready:
            self._not_before = time.monotonic() + RESTART_SECONDS
        if child.job is not None:
            hint = "what it has done is kept: resume it"
            _fail(child.job, Failed(child.job.order.run, WORKER_LOST, message, hint))

    def _dismiss(self) -> None:
        """The last act: everybody is asked to stop, then ended."""
        for child in self._busy():
            if child.job is not None:
                self._stop(child, child.job)
        deadline = time.monotonic() + STOP_SECONDS
        while (busy := list(self._busy())) and time.monotonic() < deadline:
            for door in wait([child.connection for child in busy], timeout=TICK_SECONDS):
                self._hear(door)
        with self._lock:
            for child in list(self._children):
                self._lose(child, "the server has stopped")
            for job in self._waiting:
                _fail(job, Failed(job.order.run, "server.stopping", "the server has stopped"))
            self._waiting.clear()

    def _busy(self) -> Iterator[_Child]:
        with self._lock:
            return iter([child for child in self._children if child.job is not None])


def _settle(job: Job, message: Done) -> None:
    # Whoever waited may have gone, and taken the promise along.
    if not job.begun.done():
        job.begun.set_result(message.run)
    if not job.done.done():
        job.done.set_result(message.value)


def _fail(job: Job, message: Failed) -> None:
    error = message.error()
    for promise in (job.begun, job.done):
        if not promise.done():
            promise.set_exception(error)
