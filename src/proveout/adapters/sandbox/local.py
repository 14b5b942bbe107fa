"""The sandbox of this machine: a fork server per number of threads, a supervisor per script."""

import contextlib
import os
import signal
import socket
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from proveout.adapters.sandbox.capture import Capture
from proveout.adapters.sandbox.census import Disk
from proveout.adapters.sandbox.forkserver import PRELOAD, ForkServer, start
from proveout.adapters.sandbox.guarantees import DEFAULT_REQUIRED, Promise, insist, promises
from proveout.adapters.sandbox.orders import SCRIPT, Order
from proveout.adapters.sandbox.probing import PROBE, got_through
from proveout.adapters.sandbox.watching import Ending, ServerLost, Watch, pipes
from proveout.adapters.sandbox.workplace import Workplace
from proveout.kernel.errors import EngineError, PrerequisiteError
from proveout.kernel.ports import Cancel, ScriptJob, ScriptLimits, ScriptRun

_MEANINGS = {
    "seconds": "it took longer than {0.seconds:g} s",
    "memory": "it used more than {0.memory_bytes} bytes of memory",
    "processes": "it had more than {0.processes} processes",
    "disk": "it wrote more than {0.disk_bytes} bytes or too many files",
    "output": "it printed without end",
    "cancelled": "the run was stopped",
}


class LocalSandbox:
    """Safe to use from several threads; each `run` is one script."""

    def __init__(
        self,
        *,
        require: Sequence[str] = DEFAULT_REQUIRED,
        allow_network: bool = False,
        warm: bool = True,
        preload: Sequence[str] = PRELOAD,
        without: Sequence[str] = (),
    ) -> None:
        if sys.platform != "linux":
            message = f"scripts cannot be confined on {sys.platform}"
            raise PrerequisiteError(message, hint="use Linux, for example in a container")
        self._require = [n for n in require if not (allow_network and n == "no_network")]
        self._network, self._without = allow_network, tuple(without)
        self._preload = tuple(preload) if warm else ()
        self._servers: dict[int, ForkServer] = {}
        """By the number of threads that libraries were told."""
        self._promises: dict[str, Promise] = {}
        self._lock = threading.Lock()
        self._closed = threading.Event()

    def run(self, job: ScriptJob, cancel: Cancel) -> ScriptRun:
        try:
            with self._borrowed(job.limits.threads) as server:
                return self._run_on(server, job, cancel)
        except ServerLost:
            if self._closed.is_set():
                raise
        # Not the script's fault, or not for certain: once more, with a new server.
        with self._borrowed(job.limits.threads) as server:
            return self._run_on(server, job, cancel)

    def guarantees(self) -> Mapping[str, str]:
        """Each guarantee with what provides it, or why it cannot be given here."""
        with contextlib.suppress(PrerequisiteError), self._borrowed(1):
            pass
        return {name: str(promise) for name, promise in self._promises.items()}

    def close(self) -> None:
        self._closed.set()
        with self._lock:
            for server in self._servers.values():
                server.end()
            self._servers.clear()

    @contextlib.contextmanager
    def _borrowed(self, threads: int) -> Iterator[ForkServer]:
        """A living server whose promises have been put to the test."""
        with self._lock:
            if self._closed.is_set():
                message = "the sandbox is closed"
                raise EngineError(message, code="sandbox.closed")
            server = self._servers.get(threads)
            if server is None or not server.is_alive() or server.is_worn():
                server = self._replace(threads)
            server.active += 1
            server.served += 1
        try:
            yield server
        except ServerLost:
            server.end()
            raise
        finally:
            with self._lock:
                server.active -= 1

    def _replace(self, threads: int) -> ForkServer:
        old = self._servers.pop(threads, None)
        if old is not None:
            old.end()
        server = start(
            threads=threads,
            preload=self._preload,
            network=self._network,
            without=self._without,
        )
        with contextlib.ExitStack() as undo:
            undo.callback(server.end)
            server.layers = self._probe(server)
            undo.pop_all()
        self._servers[threads] = server
        return server

    def _probe(self, server: ForkServer) -> tuple[str, ...]:
        """Attack it ourselves before anybody else does; a promise that breaks is withdrawn."""
        with tempfile.TemporaryDirectory(prefix="proveout-probe-") as place:
            Path(place, "outside").write_text("readable")
            job = ScriptJob(
                source=PROBE, folder=str(Path(place, "work")), limits=ScriptLimits(seconds=60)
            )
            with Workplace(job, mounted=server.apart) as workplace:
                _, watch, layers = self._watched(server, workplace, self._closed)
            broken = got_through(watch.output.text(), Path(place))
        given = promises(layers, network=self._network, reasons=server.reasons)
        if self._preload:
            libraries = ", ".join(name for name in server.preloaded if "." not in name)
            why_not = server.reasons.get("preload", "none of the libraries is installed")
            given["warm_start"] = Promise(bool(libraries), libraries or why_not)
        for name in [name for name in broken if given[name].holds]:
            given[name] = Promise(False, "a probe got through")
        self._promises = given
        insist(self._promises, self._require)
        return layers

    def _run_on(self, server: ForkServer, job: ScriptJob, cancel: Cancel) -> ScriptRun:
        with Workplace(job, mounted=server.apart) as workplace:
            either = _Either(cancel, self._closed)
            ending, watch, _ = self._watched(server, workplace, either)
        notes = [f"removed {name}: not a plain file" for name in workplace.removed[:20]]
        code = _exit_code(ending)
        if ending.ended_by:
            notes.append("ended: " + _MEANINGS[ending.ended_by].format(job.limits))
        elif ending.status & 0x7F:
            notes.append(f"the script died of {_signal_name(ending.status & 0x7F)}")
        return ScriptRun(
            exit_code=code,
            stdout=watch.output.text(),
            stderr=watch.errors.text() + "".join(f"[sandbox] {note}\n" for note in notes),
            seconds=watch.seconds,
            cpu_seconds=ending.cpu_seconds,
            peak_bytes=ending.peak_bytes,
            ended_by=ending.ended_by,
            guarantees=tuple(n for n, promise in self._promises.items() if promise.holds),
        )

    def _watched(
        self,
        server: ForkServer,
        workplace: Workplace,
        cancel: Cancel,
    ) -> tuple[Ending, Watch, tuple[str, ...]]:
        limits = workplace.job.limits
        order = Order(
            folder=workplace.folder,
            data=workplace.data,
            links=workplace.links,
            seed=workplace.job.seed,
            memory_bytes=limits.memory_bytes,
            processes=limits.processes,
            disk_bytes=limits.disk_bytes,
            layers=server.layers,
        )
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        with contextlib.ExitStack() as undo, pipes() as (output, errors), theirs:
            watch = Watch(
                limits=limits,
                apart=server.apart,
                output=Capture(output[0], limits.output_bytes),
                errors=Capture(errors[0], limits.output_bytes),
                line=ours,
            )
            undo.callback(watch.close)
            with open(Path(workplace.folder, SCRIPT), "rb") as source:  # noqa: PTH123
                server.send(order, (output[1], errors[1], source.fileno(), theirs.fileno()))
            undo.pop_all()
        with contextlib.closing(watch):
            gained = watch.begin()
            disk = Disk(workplace.folder, limits.disk_bytes, workplace.mount_point)
            ending = watch.follow(disk, cancel)
        return ending, watch, gained


class _Either:
    """Set when one of two is."""

    def __init__(self, first: Cancel, second: Cancel) -> None:
        self._first, self._second = first, second

    def is_set(self) -> bool:
        return self._first.is_set() or self._second.is_set()

    def wait(self, timeout: float | None = None) -> bool:
        return self._first.wait(timeout)


def _exit_code(ending: Ending) -> int:
    if ending.ended_by:
        return -1
    died_of = ending.status & 0x7F
    return 128 + died_of if died_of else os.waitstatus_to_exitcode(ending.status)


def _signal_name(number: int) -> str:
    with contextlib.suppress(ValueError):
        return signal.Signals(number).name
    return f"signal {number}"
