"""A child process that answers one line with one line, within a deadline and until cancelled."""

import os
import select
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence

from proveout.kernel.errors import Interrupted
from proveout.kernel.ports import Cancel

POLL_SECONDS = 0.05
"""How late a cancellation may be noticed. Polling needs no second thread."""
SHOWN_COMPLAINT = 1000


class Silence(Exception):  # noqa: N818 - the absence of an answer, turned into an error by the caller
    """The deadline passed without an answer."""


class Gone(Exception):  # noqa: N818 - likewise
    """The process ended, or broke the protocol, before it answered."""


class Child:
    """Owns the process and its pipes. After anything but an answer, `end` is the only way on."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        # A file, not a pipe: nobody needs to read it for the child to go on.
        self._complaints = tempfile.TemporaryFile()  # noqa: SIM115 - `end` closes it
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._complaints,
            env=dict(environment),
            bufsize=0,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._stdin, self._stdout = self._process.stdin, self._process.stdout
        # A stopped child reads nothing; a write that could block would outlast the deadline.
        os.set_blocking(self._stdin.fileno(), False)

    @property
    def pid(self) -> int:
        return self._process.pid

    def exchange(self, request: bytes, *, seconds: float, most_bytes: int, cancel: Cancel) -> bytes:
        """Send `request` (may be empty) and return the next line, without its line break."""
        deadline = time.monotonic() + seconds
        answer = bytearray()
        while not answer.endswith(b"\n"):
            if cancel.is_set():
                raise Interrupted
            left = deadline - time.monotonic()
            if left <= 0:
                raise Silence
            readable, writable, _ = select.select(
                [self._stdout], [self._stdin] if request else [], [], min(left, POLL_SECONDS)
            )
            if writable:
                request = request[self._write(request) :]
            if readable:
                answer += self._read()
            if len(answer) > most_bytes:
                raise Gone
        return bytes(answer[:-1])

    def _write(self, request: bytes) -> int:
        try:
            return os.write(self._stdin.fileno(), request[: select.PIPE_BUF])
        except BrokenPipeError as error:
            raise Gone from error

    def _read(self) -> bytes:
        content = os.read(self._stdout.fileno(), 1 << 16)
        if not content:
            raise Gone
        return content

    def complaints(self) -> str:
        """The end of what the process wrote to its standard error."""
        self._complaints.seek(0)
        return self._complaints.read().decode(errors="replace").strip()[-SHOWN_COMPLAINT:]

    def kill(self) -> None:
        """May be called from any thread; whoever waits for an answer finds the process gone."""
        self._process.kill()

    def end(self) -> None:
        """Kill, reap, close. Idempotent."""
        self._process.kill()
        self._process.wait()
        for stream in (self._stdin, self._stdout, self._complaints):
            stream.close()
