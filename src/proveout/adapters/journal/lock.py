"""One writer per run, by a lock that the operating system drops when the process dies.

Liveness is therefore derived, never stored: a run is running if and only if its lock is held.
"""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from proveout.kernel.errors import JournalError

GLANCES = 5
GLANCE_SECONDS = 0.02
"""Whoever asks whether a lock is held holds it for a moment; that is worth waiting for."""


def _path(folder: Path, run: str) -> Path:
    return folder / f"{run}.lock"


@contextmanager
def hold(folder: Path, run: str) -> Iterator[None]:
    """Hold the run's lock, or say who cannot have it."""
    folder.mkdir(parents=True, exist_ok=True)
    _sweep(folder)
    path = _path(folder, run)
    descriptor = _acquire(path)
    for _ in range(GLANCES):
        if descriptor is not None:
            break
        time.sleep(GLANCE_SECONDS)
        descriptor = _acquire(path)
    if descriptor is None:
        message = f"run {run} is being worked on by another process"
        hint = "wait for it, or watch it with `proveout runs show`"
        raise JournalError(message, hint=hint, code="journal.locked")
    try:
        yield
    finally:
        path.unlink(missing_ok=True)
        os.close(descriptor)


def is_held(folder: Path, run: str) -> bool:
    """Whether a living process works on the run."""
    path = _path(folder, run)
    if not path.exists():
        return False
    descriptor = _acquire(path)
    if descriptor is None:
        return True
    path.unlink(missing_ok=True)
    os.close(descriptor)
    return False


def _sweep(folder: Path) -> None:
    """Remove what killed processes left: nobody asks for a run that died before its first event."""
    for path in folder.glob("*.lock"):
        is_held(folder, path.stem)


def _acquire(path: Path) -> int | None:
    """A descriptor that holds the lock on the file now at `path`, or None if another has it."""
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return None
        # The holder before us may have removed the file between our open and our lock.
        try:
            if os.fstat(descriptor).st_ino == path.stat().st_ino:
                return descriptor
        except FileNotFoundError:
            pass
        os.close(descriptor)
