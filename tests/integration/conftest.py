"""Where commands are run: in a process of their own (`shell`) or in this one (`desk`)."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from proveout.testing.workspaces import own_environment
from tests.integration.command import Desk, Shell, install_app
from tests.integration.slow_app import MODULES


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    (tmp_path / "home").mkdir()
    return Shell(tmp_path)


@pytest.fixture
def slow_shell(shell: Shell) -> Shell:
    """A shell that has the waiting app too."""
    shell.variables["PYTHONPATH"] = str(install_app(shell.folder, "slow", MODULES))
    return shell


@pytest.fixture
def desk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Desk]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)
    with own_environment(tmp_path / "home"):
        yield Desk(tmp_path, capsys)
