"""Models propose. Code proves.

The names below are the public surface; each is loaded when it is first used.
"""

import importlib
import logging
from typing import Any

__version__ = "0.1.0"

# Users see events; logging is for developers, who decide where it goes.
logging.getLogger(__name__).addHandler(logging.NullHandler())

_HOMES = {
    "App": "proveout.kernel.app",
    "Attempt": "proveout.kernel.types",
    "Brief": "proveout.kernel.ports",
    "Budget": "proveout.kernel.budget",
    "Checked": "proveout.kernel.ports",
    "Context": "proveout.kernel.context",
    "Finding": "proveout.kernel.types",
    "Frozen": "proveout.kernel.types",
    "LessonRule": "proveout.kernel.lessons",
    "Malformed": "proveout.kernel.types",
    "Outcome": "proveout.kernel.types",
    "Patch": "proveout.kernel.lessons",
    "ProveoutError": "proveout.kernel.errors",
    "Role": "proveout.kernel.proposer",
    "RoleProposer": "proveout.kernel.proposer",
    "Run": "proveout.kernel.run",
    "Surroundings": "proveout.kernel.ports",
    "Task": "proveout.kernel.types",
    "Verdict": "proveout.kernel.types",
    "Workspace": "proveout.runtime",
    "assess": "proveout.shortcuts",
    "attempts": "proveout.kernel.loop",
    "check": "proveout.shortcuts",
    "fan_out": "proveout.kernel.loop",
    "resume": "proveout.api",
    "run": "proveout.api",
    "show": "proveout.api",
    "solve": "proveout.shortcuts",
    "train": "proveout.shortcuts",
}
__all__ = sorted(_HOMES)  # noqa: PLE0605 - one list, kept in one place


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        message = f"module 'proveout' has no attribute {name!r}"
        raise AttributeError(message)
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
