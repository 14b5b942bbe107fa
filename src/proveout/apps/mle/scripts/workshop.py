"""Sandboxes by the process that uses them: one each, opened when first needed, closed together.

A check travels to an engine and cannot carry an open sandbox with it; it carries the door.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from proveout.kernel.ports import Sandbox, ScriptJob, ScriptRun

Door = Callable[[], Sandbox]

_lock = threading.Lock()
_opened: dict[Door, Sandbox] = {}


def run_in(door: Door, job: ScriptJob) -> ScriptRun:
    """Run a script in this process's sandbox behind that door."""
    with _lock:
        if door not in _opened:
            _opened[door] = door()
        sandbox = _opened[door]
    return sandbox.run(job, threading.Event())


@contextmanager
def workshop(door: Door) -> Iterator[None]:
    """Whatever was opened behind the door meanwhile is closed, and all that runs there ends."""
    try:
        yield
    finally:
        with _lock:
            sandbox = _opened.pop(door, None)
        if sandbox is not None:
            sandbox.close()
