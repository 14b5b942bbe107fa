"""The fork server: imports once, then forks for every script.

Run as a program with the number of its control socket. It must never enter a parallel region: a
child forked after that would wait for threads that do not exist. So it imports, counts its threads,
lets a child of its own fit something as a canary, and from then on only forks.
"""

import contextlib
import gc
import importlib
import json
import os
import select
import signal
import socket
import sys
from pathlib import Path
from typing import NoReturn

from proveout.adapters.sandbox import rooms, system
from proveout.adapters.sandbox.beginning import become_script
from proveout.adapters.sandbox.orders import LONGEST, NAMESPACES, Order, Plan
from proveout.adapters.sandbox.sweeping import end_strays

_DESCRIPTORS = 4
_PATIENCE_SECONDS = 1.0
_CANARY_SECONDS = 20.0
_THREADS_PER_LIBRARY = 3
"""Copies of a BLAS that may each keep helpers; those survive a fork."""


def main(control_number: int) -> NoReturn:
    """The guard's life: start the server inside of the namespaces, be there until it ends."""
    control = socket.socket(fileno=control_number)
    plan = Plan.from_bytes(control.recv(LONGEST))
    parent = os.getppid()
    with contextlib.suppress(OSError):
        # If memory runs out, scripts go first.
        Path("/proc/self/oom_score_adj").write_text("900")
    apart = NAMESPACES not in plan.without
    try:
        if apart:
            rooms.leave_the_others(network=plan.network)
        else:
            system.prctl(system.PR_SET_CHILD_SUBREAPER, 1)
    except OSError as error:
        _fail(control, NAMESPACES, str(error))
    child = os.fork()
    if child == 0:
        system.prctl(system.PR_SET_PDEATHSIG, signal.SIGKILL)
        Server(control, plan, apart=apart).serve()
    control.close()
    server = system.hold_process(child)
    # If the supervisor is gone, the server goes with this process, and with it all scripts.
    while os.getppid() == parent and not select.select([server], [], [], _PATIENCE_SECONDS)[0]:
        pass
    if not apart:
        end_strays(())
    os._exit(0)


class Server:
    """Forks a script for every order, and tells each one's end on the line that came with it."""

    def __init__(self, control: socket.socket, plan: Plan, *, apart: bool) -> None:
        self._control, self._plan, self._apart = control, plan, apart
        self._scripts: dict[int, tuple[int, int]] = {}
        """A handle of each running script, with its number and its line."""
        self._pids = os.open("/proc/self/ns/pid", os.O_RDONLY | os.O_CLOEXEC)

    def serve(self) -> NoReturn:
        """Set up, say what is ready, then work until the supervisor is gone."""
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            if self._apart:
                rooms.enter_root(self._plan.readable)
            else:
                system.prctl(system.PR_SET_CHILD_SUBREAPER, 1)
        except (OSError, StopIteration) as error:
            _fail(self._control, NAMESPACES, str(error))
        sys.path[:] = [path for path in sys.path if _is_ours(path)]
        sys.path += [path for path in self._plan.packages if path not in sys.path]
        os.environ.pop("PYTHONPATH", None)
        if not self._apart:
            # Nobody else's shared memory may be touched, so there are no semaphores either.
            os.environ["JOBLIB_MULTIPROCESSING"] = "0"
        loaded = _preload(self._control, self._plan.preload)
        gc.collect()
        gc.freeze()
        self._control.send(json.dumps({"ready": loaded, "threads": _threads()}).encode())
        while True:
            orders = self._control.fileno()
            ready, _, _ = select.select([orders, *self._scripts], [], [])
            for handle in ready:
                if handle == orders:
                    self._take_order()
                else:
                    self._report(handle)

    def _take_order(self) -> None:
        message, descriptors, _, _ = socket.recv_fds(self._control, LONGEST, _DESCRIPTORS)
        if not message:
            self._leave()
        if self._apart:
            # Back to our own first: a process makes children in one new namespace only.
            system.setns(self._pids, system.CLONE_NEWPID)
            system.unshare(system.CLONE_NEWPID)
        child = os.fork()
        if child == 0:
            self._control.detach()
            become_script(
                self._plan, Order.from_bytes(message), list(descriptors), apart=self._apart
            )
        *others, line = descriptors
        for descriptor in others:
            os.close(descriptor)
        self._scripts[system.hold_process(child)] = (child, line)

    def _report(self, handle: int) -> None:
        """A script has ended; with its own pids all of it has, otherwise the rest is swept up."""
        child, number = self._scripts.pop(handle)
        os.close(handle)
        _, status, used = os.wait4(child, 0)
        if not self._apart:
            end_strays([known for known, _ in self._scripts.values()])
        told = {
            "status": status,
            "cpu_seconds": used.ru_utime + used.ru_stime,
            "peak_bytes": used.ru_maxrss * 1024,
        }
        with socket.socket(fileno=number) as line, contextlib.suppress(OSError):
            line.send(json.dumps(told).encode())

    def _leave(self) -> NoReturn:
        if not self._apart:
            end_strays(())
        os._exit(0)


def _is_ours(path: str) -> bool:
    """The standard library and installed packages, as the interpreter itself found them."""
    given = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    return path != "" and path not in given


def _preload(control: socket.socket, names: tuple[str, ...]) -> list[str]:
    loaded = []
    for name in names:
        try:
            importlib.import_module(name)
        except Exception as error:  # noqa: BLE001 - a broken library may raise anything
            _fail(control, "preload", f"{name}: {type(error).__name__}: {error}")
        loaded.append(name)
    if loaded:
        allowed = 1 + (int(os.environ.get("OMP_NUM_THREADS", "1")) - 1) * _THREADS_PER_LIBRARY
        if _threads() > allowed:
            _fail(control, "preload", f"{_threads()} threads after the imports")
        _let_canary_sing(control, loaded)
    return loaded


def _let_canary_sing(control: socket.socket, loaded: list[str]) -> None:
    """A forked child must be able to compute; if not, scripts start cold."""
    child = os.fork()
    if child == 0:
        signal.alarm(int(_CANARY_SECONDS))
        try:
            _compute(loaded)
        finally:
            os._exit(1)
    _, status = os.waitpid(child, 0)
    if status != 0:
        _fail(control, "preload", f"a forked child could not compute (status {status})")


def _compute(loaded: list[str]) -> NoReturn:
    if "numpy" in loaded:
        import numpy

        table = numpy.arange(128.0).reshape(64, 2)
        table @ table.T
        if "lightgbm" in loaded:
            import lightgbm

            quiet = {"verbose": -1, "min_data_in_leaf": 1, "num_leaves": 2}
            lightgbm.train(quiet, lightgbm.Dataset(table, table[:, 0]), num_boost_round=1)
    os._exit(0)


def _threads() -> int:
    return len(os.listdir("/proc/self/task"))  # noqa: PTH208 - names only


def _fail(control: socket.socket, layer: str, reason: str) -> NoReturn:
    control.send(json.dumps({"failed": layer, "reason": reason}).encode())
    os._exit(1)


if __name__ == "__main__":
    main(int(sys.argv[1]))
