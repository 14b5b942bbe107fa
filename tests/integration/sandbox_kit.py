"""Runs a hostile script and makes sure that nothing of it is left and that the next one runs."""

import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from proveout.adapters.sandbox.local import LocalSandbox
from proveout.adapters.sandbox.sweeping import descendants
from proveout.kernel.ports import ScriptJob, ScriptLimits, ScriptRun

SMALL = ScriptLimits(
    seconds=20,
    memory_bytes=400 * 2**20,
    processes=24,
    disk_bytes=30 * 2**20,
    output_bytes=20_000,
)


@dataclass
class Arena:
    """A sandbox and a place to fight in."""

    sandbox: LocalSandbox
    place: Path

    def run(self, source: str, *, data: Path | None = None, **limits: Any) -> ScriptRun:
        job = ScriptJob(
            source=source,
            folder=str(self.place / "work"),
            data=str(data) if data else "",
            limits=SMALL.model_copy(update=limits),
        )
        return self.sandbox.run(job, threading.Event())

    def attack(self, source: str, *, data: Path | None = None, **limits: Any) -> ScriptRun:
        """Run it; whatever it did, it is gone and the sandbox is as good as before."""
        run = self.run(source, data=data, **limits)
        assert survivors(self.sandbox) == []
        again = self.run("print('still here')")
        assert (again.exit_code, again.stdout) == (0, "still here\n"), again
        return run

    @property
    def apart(self) -> bool:
        """Whether scripts have namespaces of their own."""
        return "a root of its own" in self.sandbox.guarantees()["writes_confined"]

    def need(self, *guarantees: str) -> None:
        """Skip where the machine cannot give a guarantee."""
        for name in guarantees:
            told = self.sandbox.guarantees()[name]
            if told.startswith("no:"):
                pytest.skip(f"{name} cannot be had here: {told}")


def servers(sandbox: LocalSandbox) -> list[int]:
    """The processes that are there whether a script runs or not."""
    return [number for server in sandbox._servers.values() for number in (server.process.pid,)]


def survivors(sandbox: LocalSandbox) -> list[int]:
    """Processes below the guards, except for the fork servers themselves."""
    left = []
    for guard in servers(sandbox):
        below = descendants(guard)
        left += below[1:]
    return left
