"""Finding and ending every process below another."""

import contextlib
import os
import signal
import time
from collections import defaultdict
from collections.abc import Collection
from functools import cache
from pathlib import Path

_SWEEP_SECONDS = 5.0
_LISTED = "/proc/thread-self/children"
_MUCH = 65_536


def descendants(root: int) -> list[int]:
    """Processes below `root`, those that ended but were not collected included."""
    children = _listed if _lists_children() else _scanned().__getitem__
    found: list[int] = []
    waiting = [root]
    while waiting:
        number = waiting.pop()
        found.append(number)
        waiting += children(number)
    return found[1:]


@cache
def _lists_children() -> bool:
    """Whether this kernel tells who is below whom."""
    return os.path.exists(_LISTED)  # noqa: PTH110


def _listed(number: int) -> list[int]:
    """By the kernel's own list."""
    found: list[int] = []
    place = f"/proc/{number}/task"
    # It may end meanwhile.
    with contextlib.suppress(OSError):
        for task in os.listdir(place):  # noqa: PTH208 - asked several times a second
            found += map(int, told(f"{place}/{task}/children").split())
    return found


def told(place: str) -> bytes:
    """All that the kernel says in one of its files, without the cost of a text stream."""
    descriptor = os.open(place, os.O_RDONLY)
    try:
        parts = []
        while part := os.read(descriptor, _MUCH):
            parts.append(part)
        return b"".join(parts)
    finally:
        os.close(descriptor)


def _scanned() -> defaultdict[int, list[int]]:
    """By asking every process for its parent, where the kernel keeps no list."""
    found: defaultdict[int, list[int]] = defaultdict(list)
    for place in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            parent = (place / "stat").read_text().rpartition(")")[2].split()[1]
            found[int(parent)].append(int(place.name))
    return found


def end_strays(known: Collection[int]) -> None:
    """End every process below this one but those known and what is below them.

    A process that flees by forking is stopped before it is killed.
    """
    deadline = time.monotonic() + _SWEEP_SECONDS
    while time.monotonic() < deadline:
        kept = {number for one in known for number in (one, *descendants(one))}
        strays = [number for number in descendants(os.getpid()) if number not in kept]
        if not strays:
            return
        for sign in (signal.SIGSTOP, signal.SIGKILL):
            for number in strays:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(number, sign)
        for number in strays:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(number, os.WNOHANG)
