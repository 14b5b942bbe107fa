"""The warm worker behind `intake`: started when needed, replaced when it dies, ended with us."""

import atexit
import hashlib
import json
import os
import struct
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from proveout.apps.iqa.intake_worker import Bounds, Refused

WORKER = Path(__file__).with_name("intake_worker.py")
MEMORY_BYTES = 1536 * 2**20
SECONDS = 20.0
STRIP_BYTES = 3 * 2**18
MOST_PICTURES = 500
"""After so many a fresh worker takes over, so that fragmented memory cannot fail a good file."""
PASSED_ON = ("PATH", "PYTHONPATH", "PYTHONHOME", "LD_LIBRARY_PATH", "SYSTEMROOT", "VIRTUAL_ENV")


@dataclass(frozen=True)
class Decoded:
    levels: NDArray[np.uint8] = field(repr=False)
    facts: dict[str, Any]
    pixels_sha256: str


class Decoder:
    """One worker process; calls from several threads take turns."""

    def __init__(self, *, memory_bytes: int = MEMORY_BYTES, seconds: float = SECONDS) -> None:
        self.memory_bytes = memory_bytes
        self.seconds = seconds
        self.owner = os.getpid()
        self._turn = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._taken = 0

    def decode(self, data: bytes, name: str, bounds: Bounds) -> Decoded:
        """Raises `Refused` for whatever is wrong with the picture."""
        with self._turn:
            process = self._running()
            late = threading.Event()
            timer = threading.Timer(self.seconds, self._end_late, (process, late))
            timer.daemon = True
            timer.start()
            try:
                return self._ask(process, data, name, bounds)
            except (EOFError, OSError) as error:
                # Without a worker there is no answer; the next picture gets a new one.
                self._stop()
                if late.is_set():
                    message = f"decoding it takes longer than {self.seconds:g} s"
                    raise Refused(message, "time", "reduce the picture") from error
                message = "the decoder ended while reading it"
                hint = "the file is damaged or hostile; save it again with a picture editor"
                raise Refused(message, "crash", hint) from error
            finally:
                timer.cancel()

    def close(self) -> None:
        with self._turn:
            self._stop()

    def __enter__(self) -> "Decoder":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _running(self) -> subprocess.Popen[bytes]:
        process = self._process
        if process is not None and process.poll() is None and self._taken < MOST_PICTURES:
            self._taken += 1
            return process
        self._stop()
        command = [sys.executable, "-P", str(WORKER)]
        limits = [str(self.memory_bytes), str(self.seconds), str(os.getpid())]
        passed = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        self._process = subprocess.Popen(
            command + limits,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**passed, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
        )
        self._taken = 1
        return self._process

    def _ask(
        self, process: subprocess.Popen[bytes], data: bytes, name: str, bounds: Bounds
    ) -> Decoded:
        assert process.stdin is not None
        assert process.stdout is not None
        request = {"format": name, "bytes": len(data), "bounds": bounds._asdict()}
        text = json.dumps(request).encode()
        process.stdin.write(struct.pack(">I", len(text)) + text)
        process.stdin.write(data)
        process.stdin.flush()
        (length,) = struct.unpack(">I", _exactly(process.stdout, 4))
        reply = json.loads(_exactly(process.stdout, length))
        if "facts" not in reply:
            raise Refused(reply["message"], reply["code"], reply["hint"])
        return _received(process.stdout, reply["facts"])

    def _stop(self) -> None:
        process, self._process = self._process, None
        if process is None or self.owner != os.getpid():
            # After a fork the worker still belongs to the parent.
            return
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                try:
                    stream.close()
                except OSError:
                    # A dead worker cannot take what was still buffered for it.
                    continue
        process.kill()
        process.wait()

    @staticmethod
    def _end_late(process: subprocess.Popen[bytes], late: threading.Event) -> None:
        late.set()
        process.kill()


_shared: Decoder | None = None
_sharing = threading.Lock()


def shared_decoder() -> Decoder:
    """The decoder of this process; a forked child gets its own."""
    global _shared
    with _sharing:
        if _shared is None or _shared.owner != os.getpid():
            _shared = Decoder()
            atexit.register(_shared.close)
        return _shared


def _received(stream: IO[bytes], facts: dict[str, Any]) -> Decoded:
    """Strip by strip, so that the picture is in memory once."""
    width, height = facts["width"], facts["height"]
    pixels = np.empty((height, width, 3), np.uint8)
    digest = hashlib.sha256()
    step = max(1, STRIP_BYTES // (width * 3))
    for top in range(0, height, step):
        rows = min(step, height - top)
        strip = _exactly(stream, rows * width * 3)
        digest.update(strip)
        pixels[top : top + rows] = np.frombuffer(strip, np.uint8).reshape(rows, width, 3)
    return Decoded(levels=pixels, facts=facts, pixels_sha256=digest.hexdigest())


def _exactly(stream: IO[bytes], count: int) -> bytes:
    found = stream.read(count)
    if len(found) < count:
        raise EOFError
    return found
