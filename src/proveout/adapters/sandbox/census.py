"""What a script uses: the memory and number of its processes, the disk its folder takes."""

import errno
import os
import stat
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from proveout.adapters.sandbox.orders import MOST_FILES
from proveout.adapters.sandbox.rooms import SHARED_MEMORY, TEMPORARY_FOLDER
from proveout.adapters.sandbox.sweeping import descendants, told

_PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True)
class Processes:
    """A script's processes at one moment."""

    numbers: list[int]
    bytes: int


def processes(script: int, bound: int, *, apart: bool) -> Processes:
    """Count them and their memory; `bound` decides how closely it is looked at.

    Forked processes share pages, so the plain sum is too high. Only if it exceeds the bound is the
    exact but slow figure worth its price.
    """
    found = {number: _resident(number) for number in (script, *descendants(script))}
    # What has ended and was not collected has no memory; it does not count.
    numbers = [number for number, resident in found.items() if resident]
    private = _private_files(script) if apart else 0
    total = sum(found.values()) + private
    if total > bound:
        total = sum(map(_proportional, numbers)) + private
    return Processes(numbers, total)


def _resident(number: int) -> int:
    try:
        return int(told(f"/proc/{number}/statm").split()[1]) * _PAGE
    except (OSError, IndexError):
        return 0


def _proportional(number: int) -> int:
    try:
        for line in Path(f"/proc/{number}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError):
        return _resident(number)
    return 0


def _private_files(script: int) -> int:
    """Files in memory that belong to the script alone."""
    total = 0
    for place in (SHARED_MEMORY, TEMPORARY_FOLDER):
        try:
            found = os.statvfs(f"/proc/{script}/root{place}")
        except OSError:
            continue
        if found.f_files == MOST_FILES:
            # Otherwise the script's own mounts are not there yet.
            total += (found.f_blocks - found.f_bfree) * found.f_frsize
    return total


class Disk:
    """Looks at a folder now and then, more rarely the longer a look takes."""

    def __init__(self, folder: str, most: int, spared: str = "") -> None:
        self._folder, self._most, self._spared = folder, most, spared
        self._next = 0.0

    def is_full(self, numbers: list[int]) -> bool:
        started = time.monotonic()
        if started < self._next:
            return False
        used = 0
        full = False
        for count, size in enumerate(_sizes(self._folder, self._spared)):
            used += size
            if used > self._most or count > MOST_FILES:
                full = True
                break
        full = full or used + sum(map(_nameless, numbers)) > self._most
        now = time.monotonic()
        self._next = now + max(0.2, 10 * (now - started))
        return full


def _sizes(folder: str, spared: str) -> Iterator[int]:
    """Bytes on disk of everything below; links are not followed. What lies too deep to be looked
    at counts as more than there is."""
    waiting = [folder]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False) and entry.path != spared:
                        waiting.append(entry.path)
                    yield _blocks(entry)
        except OSError as error:
            if error.errno == errno.ENAMETOOLONG:
                yield sys.maxsize


def _blocks(entry: "os.DirEntry[str]") -> int:
    try:
        return entry.stat(follow_symlinks=False).st_blocks * 512
    except OSError:
        return 0


def _nameless(number: int) -> int:
    """Bytes of files that a process holds open though they are deleted."""
    total = 0
    try:
        place = f"/proc/{number}/fd"
        for descriptor in os.listdir(place):  # noqa: PTH208 - asked several times a second
            found = os.stat(f"{place}/{descriptor}")  # noqa: PTH116
            if stat.S_ISREG(found.st_mode) and found.st_nlink == 0:
                total += found.st_blocks * 512
    except OSError:
        # It ended, or does not let us look.
        return total
    return total
