"""What the supervisor tells the fork server, and where a script's own things lie in its folder."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

SCRIPT, INPUT, HOME, TEMPORARY = "script.py", "input", ".home", ".tmp"
"""Names in the work folder; the last two are removed when the script has ended."""
NAMESPACES, PRIVATE_PROC, PID_MAX = "namespaces", "private_proc", "pid_max"
LANDLOCK, SECCOMP = "landlock", "seccomp"
MOST_FILES = 100_000
"""More names than this in a work folder count as a full disk."""
LONGEST = 100_000
"""Bytes of a message; sources travel as open files."""


@dataclass(frozen=True)
class Plan:
    """How a fork server is set up, once."""

    preload: tuple[str, ...] = ()
    readable: tuple[str, ...] = ()
    """The interpreter, its libraries and what the system needs; everything else is hidden."""
    packages: tuple[str, ...] = ()
    """Folders to import from."""
    without: tuple[str, ...] = ()
    """Layers not to try."""
    network: bool = False
    most_tasks: int = 0
    """Of the user altogether, where no pid namespace counts them; 0 for no bound."""

    def to_bytes(self) -> bytes:
        return json.dumps(asdict(self)).encode()

    @classmethod
    def from_bytes(cls, content: bytes) -> "Plan":
        return cls(**_tuples(json.loads(content)))


@dataclass(frozen=True)
class Order:
    """One script. Paths have no links in them."""

    folder: str
    data: str
    links: tuple[str, ...]
    """Files and folders that links in the data lead to."""
    seed: int
    memory_bytes: int
    processes: int
    disk_bytes: int
    layers: tuple[str, ...] = ()
    """Layers that must hold, or the script does not start."""

    def to_bytes(self) -> bytes:
        return json.dumps(asdict(self)).encode()

    @classmethod
    def from_bytes(cls, content: bytes) -> "Order":
        return cls(**_tuples(json.loads(content)))

    def place(self, name: str) -> str:
        return str(Path(self.folder, name))


def _tuples(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: tuple(v) if isinstance(v, list) else v for name, v in values.items()}
