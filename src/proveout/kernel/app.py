"""What an application declares. One folder, one `APP`; nothing registers itself.

Flow, task and panels are named, not imported, so that `proveout --help` stays quick: a name is
loaded when it is used.
"""

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from proveout.kernel.errors import PrerequisiteError
from proveout.kernel.lessons import LessonRule


@dataclass(frozen=True)
class App:
    """One domain. Dotted names are `package.module:name`."""

    name: str
    summary: str
    """One line for the command list."""
    task: str
    """The `Task` type: its fields become flags, form inputs and JSON."""
    flow: str
    """`(task, context) -> Outcome`."""
    roles: str = ""
    """A sequence of `Role`s."""
    panels: str = ""
    """`(run, blobs) -> sequence of Panel`: the app's own evidence, shown before the general one."""
    prompts: str = ""
    """The package that holds the prompt files."""
    findings: Mapping[str, str] = field(default_factory=dict)
    """Every finding code with one line of explanation."""
    lessons: Mapping[str, LessonRule] = field(default_factory=dict)
    """Patterns of finding codes and how they become lessons."""
    commands: str = ""
    """`(Typer group) -> None`: adds commands beside the generic `run`."""
    extra: str = ""
    """The extra to install if an import fails."""
    demo: str = ""
    """`(folder) -> fields of a task` on data of the app's own, which it may write to the folder."""
    example: str = ""
    """Flags of a first run, for the help page."""
    bounds: Mapping[str, float] = field(default_factory=dict)
    """Bounds of a run, by name, where nobody has set others."""
    demand: str = ""
    """`(task) -> None`: raises what is wrong with a task's files, before a run is begun."""
    waited_for: bool = False
    """Whether a run takes a moment and somebody waits for it: servers keep such an app loaded."""

    def load(self, part: str) -> Any:
        """The object that a dotted name of this app stands for."""
        module, _, name = part.partition(":")
        try:
            return getattr(importlib.import_module(module), name)
        except ModuleNotFoundError as missing:
            if missing.name and missing.name.startswith("proveout"):
                raise
            message = f"the app {self.name!r} needs the package {missing.name!r}"
            extra = self.extra or self.name
            raise PrerequisiteError(message, hint=f"pip install 'proveout[{extra}]'") from missing
