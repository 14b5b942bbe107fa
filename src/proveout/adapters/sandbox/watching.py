"""One script under supervision: its output, its bounds, its end."""

import contextlib
import json
import os
import select
import signal
import socket
import struct
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from proveout.adapters.sandbox import system
from proveout.adapters.sandbox.beginning import GO, HELLO
from proveout.adapters.sandbox.capture import Capture
from proveout.adapters.sandbox.census import Disk, processes
from proveout.adapters.sandbox.orders import LONGEST
from proveout.kernel.errors import EngineError
from proveout.kernel.ports import Cancel, ScriptLimits

POLL_SECONDS = 0.1
LATER_POLL_SHARE = 0.2
"""Of how long it has run: a script that behaved so far is looked at less often …"""
LONGEST_POLL_SECONDS = 0.25
"""… but so often that what it can take between two looks is bounded."""
_HELLO_SECONDS = 60.0
_END_SECONDS = 10.0
_PATIENCE_WITH_OUTPUT = 64
"""A script may say this many times what is kept; one that says more is ended."""
_CREDENTIALS = struct.Struct("3i")


class ServerLost(EngineError):
    """The fork server ended, and all of its scripts with it."""

    code = "sandbox.server_lost"


@dataclass
class Ending:
    """How it ended, as the fork server told."""

    ended_by: str = ""
    status: int = -1
    cpu_seconds: float = 0.0
    peak_bytes: int = 0


@dataclass
class Watch:
    """Everything the supervisor holds of one script; descriptors are closed by `close`."""

    limits: ScriptLimits
    apart: bool
    output: Capture
    errors: Capture
    line: socket.socket
    script: int = 0
    handle: int = -1
    """Of the script: never another process, even when numbers are used again."""
    peak: int = 0
    _started: float = field(default_factory=time.monotonic)

    def begin(self) -> tuple[str, ...]:
        """Learn who the script is, let it start; gives the layers around it."""
        message, number = _receive(self.line, _HELLO_SECONDS)
        if message != HELLO:
            failure = "the fork server did not start a script"
            raise EngineError(failure, code="sandbox.no_start")
        self.script = number
        self.handle = system.hold_process(number)
        self.line.send(GO)
        told = self._told(_HELLO_SECONDS)
        self._started = time.monotonic()
        return tuple(told["layers"])

    def follow(self, disk: Disk, cancel: Cancel) -> Ending:
        """Until the script has ended, or has been ended; afterwards none of it is left."""
        poll = select.poll()
        for descriptor in (self.output.descriptor, self.errors.descriptor, self.line.fileno()):
            poll.register(descriptor, select.POLLIN)
        ended_by = ""
        next_look = self._started + POLL_SECONDS
        while not ended_by:
            wait = max(0.0, min(next_look, self._deadline) - time.monotonic())
            ready = [number for number, _ in poll.poll(wait * 1000)]
            if self.line.fileno() in ready:
                break
            self._listen(poll, ready)
            if time.monotonic() >= next_look:
                ended_by = self._bound_reached(disk)
                next_look = time.monotonic() + self._patience
            ended_by = ended_by or self._stopped(cancel)
        if ended_by:
            self._kill()
        ending = self._ending(ended_by)
        for stream in (self.output, self.errors):
            stream.drain(self.limits.output_bytes)
        return ending

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._started

    @property
    def _patience(self) -> float:
        return min(LONGEST_POLL_SECONDS, max(POLL_SECONDS, LATER_POLL_SHARE * self.seconds))

    @property
    def _deadline(self) -> float:
        return self._started + self.limits.seconds

    def _listen(self, poll: select.poll, ready: list[int]) -> None:
        for stream in (self.output, self.errors):
            if stream.descriptor in ready and not stream.read():
                poll.unregister(stream.descriptor)

    def _stopped(self, cancel: Cancel) -> str:
        if cancel.is_set():
            return "cancelled"
        most = _PATIENCE_WITH_OUTPUT * self.limits.output_bytes
        if max(self.output.total, self.errors.total) > most:
            return "output"
        return "seconds" if time.monotonic() >= self._deadline else ""

    def _bound_reached(self, disk: Disk) -> str:
        found = processes(self.script, self.limits.memory_bytes, apart=self.apart)
        self.peak = max(self.peak, found.bytes)
        if found.bytes > self.limits.memory_bytes:
            return "memory"
        if len(found.numbers) > self.limits.processes:
            return "processes"
        return "disk" if disk.is_full(found.numbers) else ""

    def _ending(self, ended_by: str) -> Ending:
        """What the fork server says when nothing of the script is left."""
        told = self._told(_END_SECONDS)
        return Ending(
            ended_by=ended_by,
            status=int(told["status"]),
            cpu_seconds=float(told["cpu_seconds"]),
            peak_bytes=max(self.peak, int(told["peak_bytes"])),
        )

    def _told(self, seconds: float) -> dict[str, Any]:
        """The next message: nothing but our own code has the other end of the line."""
        message, _ = _receive(self.line, seconds)
        told: dict[str, Any] = json.loads(message) if message else {"failed": "no word from it"}
        if "failed" in told:
            failure = f"a script could not be run: {told['failed']}"
            raise EngineError(failure, code="sandbox.no_start")
        return told

    def _kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            system.signal_process(self.handle, signal.SIGKILL)

    def close(self) -> None:
        """Whatever happened, the script does not go on."""
        if self.handle >= 0:
            self._kill()
            os.close(self.handle)
        self.line.close()
        for stream in (self.output, self.errors):
            os.close(stream.descriptor)


def _receive(line: socket.socket, seconds: float) -> tuple[bytes, int]:
    """A message and who sent it, as the kernel tells and with the number it has for us."""
    poll = select.poll()
    poll.register(line, select.POLLIN)
    if not poll.poll(seconds * 1000):
        return b"", 0
    try:
        space = socket.CMSG_SPACE(_CREDENTIALS.size)
        message, extra, _, _ = line.recvmsg(LONGEST, space)
    except ConnectionError:
        message = b""
    if not message:
        failure = "the process that starts scripts was lost"
        raise ServerLost(failure, hint="is there enough memory?")
    number = next((_CREDENTIALS.unpack(data[: _CREDENTIALS.size])[0] for _, _, data in extra), 0)
    return message, number


@contextlib.contextmanager
def pipes() -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Two pipes as (read, write); the writing ends are closed here once they have been sent."""
    first, second = os.pipe(), os.pipe()
    try:
        yield first, second
    finally:
        os.close(first[1])
        os.close(second[1])
