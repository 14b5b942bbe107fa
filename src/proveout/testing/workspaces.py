"""Workspaces for tests: real ones, in a folder of their own, that know nothing of the user's."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from proveout.runtime import Workspace
from proveout.settings import load


@contextmanager
def workspace(folder: Path, **flags: Any) -> Iterator[Workspace]:
    """A workspace whose journal is in `folder`; `budget__rounds=3` sets `budget.rounds`."""
    dotted = {name.replace("__", "."): value for name, value in flags.items()}
    with own_environment(folder), Workspace(load(dotted, folder)) as opened:
        yield opened


@contextmanager
def own_environment(folder: Path) -> Iterator[pytest.MonkeyPatch]:
    """No `PROVEOUT_*` variable of the user's, no file of theirs."""
    with pytest.MonkeyPatch.context() as environment:
        for name in [name for name in os.environ if name.startswith("PROVEOUT_")]:
            environment.delenv(name)
        environment.setenv("PROVEOUT_HOME", str(folder))
        environment.setenv("PROVEOUT_CONFIG", str(folder / "no-such-file.toml"))
        yield environment
