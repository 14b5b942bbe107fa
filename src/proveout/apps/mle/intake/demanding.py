"""Whether a task's folder can be worked on at all: a quick look, before a run is begun."""

from pathlib import Path

from proveout.apps.mle.intake.files import parts
from proveout.apps.mle.intake.given import given_in
from proveout.apps.mle.task import MleTask
from proveout.kernel.types import Task


def demand_tables(task: Task) -> None:
    """The folder holds tables to learn from and one to answer for; their rows are not read.

    Raises:
        IntakeError: about what is missing.
    """
    if isinstance(task, MleTask):
        folder = Path(task.folder).expanduser().resolve()
        parts(folder, given_in(folder))
