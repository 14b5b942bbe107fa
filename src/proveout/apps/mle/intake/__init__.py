"""What a task folder asks for: `inspect` reads it, `task.toml` writes it down."""

from proveout.apps.mle.intake.errors import TASK_FILE, IntakeError
from proveout.apps.mle.intake.given import read_toml, write_toml
from proveout.apps.mle.intake.inspecting import Inspection, inspect, look

__all__ = [
    "TASK_FILE",
    "Inspection",
    "IntakeError",
    "inspect",
    "look",
    "read_toml",
    "write_toml",
]
