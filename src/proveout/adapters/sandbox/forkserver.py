"""The supervisor's handle on a fork server: starts it, waits for it, sends it orders, ends it."""

import contextlib
import json
import os
import site
import socket
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import IO

from proveout.adapters.sandbox.orders import LONGEST, NAMESPACES, Order, Plan
from proveout.kernel.errors import PrerequisiteError

PRELOAD = ("numpy", "pandas", "sklearn", "lightgbm")
_PARTS = {"sklearn": ("sklearn.ensemble", "sklearn.linear_model", "sklearn.model_selection")}
"""What of a library is worth importing ahead, beyond its top."""
_START_SECONDS = 180.0
_END_SECONDS = 5.0
_MOST_SERVED = 500
_THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)
_PASSED_ON = ("LANG", "LC_ALL", "LC_CTYPE", "TZ", "LD_LIBRARY_PATH")
_OF_THE_SYSTEM = (
    *("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"),
    *("/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/localtime"),
    *("/etc/timezone", "/etc/passwd", "/etc/group", "/etc/nsswitch.conf", "/etc/hosts"),
    *("/etc/alternatives", "/etc/fonts", "/etc/mime.types", "/etc/ssl/certs"),
    *("/sys/devices/system", "/sys/fs/cgroup"),
    # Where every library lies in a folder of its own.
    *("/nix/store", "/gnu/store"),
)


@dataclass
class ForkServer:
    """A running one; `reasons` tells which layers it does without, and why."""

    process: "subprocess.Popen[bytes]"
    control: socket.socket
    preloaded: tuple[str, ...]
    reasons: dict[str, str]
    apart: bool
    layers: tuple[str, ...] = ()
    """What a probe was confined by, and every script has to be."""
    active: int = 0
    served: int = 0

    def send(self, order: Order, descriptors: Sequence[int]) -> None:
        """Messages keep their bounds, so that threads need no lock. That the server is gone is
        noticed by whoever waits for its answer."""
        with contextlib.suppress(OSError):
            socket.send_fds(self.control, [order.to_bytes()], list(descriptors))

    def is_alive(self) -> bool:
        return self.process.poll() is None

    def is_worn(self) -> bool:
        """Old and idle: a fresh one costs two seconds and forgets everything."""
        return self.served >= _MOST_SERVED and self.active == 0

    def end(self) -> None:
        self.control.close()
        with contextlib.suppress(ProcessLookupError):
            self.process.kill()
        self.process.wait(_END_SECONDS)


def start(
    *, threads: int, preload: Sequence[str], network: bool, without: Sequence[str] = ()
) -> ForkServer:
    """The best server that this machine can have; what fails is left out and remembered."""
    plan = Plan(
        _installed(preload), _readable(), _packages(), tuple(without), network, _most_tasks()
    )
    reasons = {name: "switched off" for name in without}
    for _ in range(3):
        process, control, log = _launch(threads)
        control.send(plan.to_bytes())
        answer = _answer(control)
        if "ready" in answer:
            log.close()
            loaded = tuple(str(name) for name in answer["ready"])
            return ForkServer(process, control, loaded, reasons, NAMESPACES not in plan.without)
        process.kill()
        process.wait(_END_SECONDS)
        control.close()
        layer, reason = _failure(answer, log)
        reasons[layer] = reason
        if layer == NAMESPACES and layer not in plan.without:
            plan = replace(plan, without=(*plan.without, NAMESPACES))
        elif plan.preload:
            plan = replace(plan, preload=())
        else:
            break
    message = f"scripts cannot be started: {reason}"
    raise PrerequisiteError(message, hint="see `proveout doctor`", code="sandbox.no_start")


def _launch(threads: int) -> tuple["subprocess.Popen[bytes]", socket.socket, IO[bytes]]:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    log = tempfile.TemporaryFile()  # noqa: SIM115 - closed by whoever reads it
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "proveout.adapters.sandbox.zygote", str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env=environment(threads),
            cwd="/",
            # Keys pressed at the terminal are for the supervisor, which then ends what it started.
            start_new_session=True,
        )
    return process, ours, log


def environment(threads: int) -> dict[str, str]:
    """Everything a script sees of ours; a variable that is not named here does not reach it."""
    kept = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    binaries = [str(Path(sys.executable).parent), "/usr/local/bin", "/usr/bin", "/bin"]
    return {
        **kept,
        **dict.fromkeys(_THREAD_VARIABLES, str(max(1, threads))),
        "OMP_WAIT_POLICY": "PASSIVE",
        # Arrow's allocator would otherwise start a thread when it is imported.
        "JE_ARROW_MALLOC_CONF": "background_thread:false",
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "MPLBACKEND": "Agg",
        "HOME": "/nonexistent",
        "PATH": os.pathsep.join(binaries),
        # Only for the server to find its own program; it takes it away again.
        "PYTHONPATH": str(Path(__file__).parents[3]),
    }


def _answer(control: socket.socket) -> dict[str, list[str]]:
    control.settimeout(_START_SECONDS)
    try:
        content = control.recv(LONGEST)
        control.settimeout(None)
        return dict(json.loads(content)) if content else {}
    except OSError:
        return {}


def _failure(answer: dict[str, list[str]], log: IO[bytes]) -> tuple[str, str]:
    with log:
        log.seek(0)
        said = log.read(100_000).decode("utf-8", "replace").strip().splitlines()
    if "failed" in answer:
        return str(answer["failed"]), str(answer["reason"])
    return "preload", said[-1] if said else "the fork server died"


def _installed(names: Sequence[str]) -> tuple[str, ...]:
    present = [name for name in names if find_spec(name) is not None]
    return tuple(part for name in present for part in (name, *_PARTS.get(name, ())))


def _packages() -> tuple[str, ...]:
    """Installed packages, also the user's own; not whatever else this program imports from."""
    found = [sysconfig.get_path("purelib"), sysconfig.get_path("platlib")]
    if site.ENABLE_USER_SITE:
        found.append(site.getusersitepackages())
    return tuple(dict.fromkeys(path for path in found if Path(path).is_dir()))


def _readable() -> tuple[str, ...]:
    own = [sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix, *_packages()]
    executable = Path(sys.executable)
    own += [str(executable.parent), str(executable.resolve().parent)]
    libraries = os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep)
    wanted = [*_OF_THE_SYSTEM, *own, *filter(None, libraries)]
    return tuple(dict.fromkeys(path for path in wanted if path != "/" and Path(path).exists()))


def _most_tasks() -> int:
    """How many tasks this user may have in all, where nothing better bounds a fork bomb."""
    if os.geteuid() == 0:
        return 0
    mine = 0
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if process.stat().st_uid == os.geteuid():
                mine += len(list((process / "task").iterdir()))
    return mine + 256
