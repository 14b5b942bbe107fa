"""What a sandbox promises: guarantees, not mechanisms, and nothing that was not tried."""

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from proveout.adapters.sandbox.landlock import FIRST_WITH_SIGNALS
from proveout.adapters.sandbox.orders import (
    LANDLOCK,
    NAMESPACES,
    PID_MAX,
    PRIVATE_PROC,
    SECCOMP,
)
from proveout.kernel.errors import PrerequisiteError

NO_NETWORK, WRITES_CONFINED, READS_CONFINED = "no_network", "writes_confined", "reads_confined"
DEFAULT_REQUIRED = (NO_NETWORK, WRITES_CONFINED)


class Promise(NamedTuple):
    """One guarantee: whether it holds, and by what or why not."""

    holds: bool
    how: str

    def __str__(self) -> str:
        return f"{'yes' if self.holds else 'no'}: {self.how}"


def promises(
    layers: Collection[str], *, network: bool, reasons: Mapping[str, str]
) -> dict[str, Promise]:
    """From the layers that were applied to a script to what they amount to."""
    apart = NAMESPACES in layers
    absent = "; ".join(f"{name}: {why}" for name, why in reasons.items()) or "no layer for it here"
    fences = [NAMESPACES] * apart + [LANDLOCK] * (LANDLOCK in layers)
    filtered = SECCOMP in layers
    scoped = any(f"{LANDLOCK}-{n}" in layers for n in range(FIRST_WITH_SIGNALS, 100))
    walls = {NAMESPACES: "a root of its own, read-only", LANDLOCK: "Landlock"}
    fenced = " and ".join(walls[name] for name in fences)

    def one(how: Iterable[str]) -> Promise:
        found = " and ".join(word for word in how if word)
        return Promise(bool(found), found or absent)

    offline = one(["a network of its own" * apart, "a filter of system calls" * filtered])
    return {
        NO_NETWORK: Promise(False, "allowed by the settings") if network else offline,
        WRITES_CONFINED: one([fenced]),
        READS_CONFINED: one([fenced]),
        "no_outside_signals": one(["pids of its own" * apart, "Landlock" * scoped]),
        "no_other_memory": one(
            ["pids of its own" * apart, "a filter of system calls" * filtered, fenced]
        ),
        "no_orphans": one(
            ["pids of its own" if apart else "a sweep afterwards (a fast forker may outrun it)"]
        ),
        "processes_capped": one(["pid_max" * (PID_MAX in layers), "counting every 50 ms"]),
        "memory_capped": one(["measuring every 50 ms"]),
        "disk_capped": one(["file size limit and measuring"]),
        "output_capped": one(["the reader"]),
        "time_capped": one(["the supervisor"]),
        "environment_clean": one(["an allow-list"]),
        "processes_hidden": one(["a view of its own" * (PRIVATE_PROC in layers)]),
    }


def insist(found: Mapping[str, Promise], required: Iterable[str]) -> None:
    """Refuse before anything runs if a required guarantee cannot be given."""
    for name in required:
        promise = found.get(name)
        if promise is None:
            message = f"the sandbox knows no guarantee {name!r}"
            raise PrerequisiteError(message, hint="known: " + ", ".join(sorted(found)))
        if not promise.holds:
            message = f"scripts cannot be run safely here: {name} is missing ({promise.how})"
            hint = (
                "use Linux 5.13 or newer with user namespaces or Landlock (see `proveout doctor`), "
                "or drop it from sandbox.require if you trust the scripts"
            )
            raise PrerequisiteError(message, hint=hint, code="sandbox.not_safe")
