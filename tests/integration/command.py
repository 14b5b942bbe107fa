"""The `proveout` command as a person runs it: a process of its own, in folders of its own."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from proveout.adapters.journal.sqlite import SqliteJournal
from proveout.adapters.journal.verify import verify
from proveout.cli.main import command
from proveout.kernel.run import Run, read_run

COMMAND = (sys.executable, "-m", "proveout")
SECONDS = 60.0


@dataclass
class Shell:
    """A folder, an environment, and the commands run there, each in a process."""

    folder: Path
    variables: dict[str, str] = field(default_factory=dict)

    @property
    def environment(self) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "LANG": "C.UTF-8",
            "HOME": str(self.folder / "home"),
            "OMP_NUM_THREADS": "1",
            "MPLBACKEND": "Agg",
            **self.variables,
        }

    @property
    def journal(self) -> Path:
        return self.folder / "home" / ".local" / "share" / "proveout" / "journal.db"

    def run(self, *arguments: str | bytes, **options: Any) -> "Ended":
        done = subprocess.run(
            [*COMMAND, *arguments],
            cwd=self.folder,
            env=self.environment,
            timeout=SECONDS,
            check=False,
            **{"capture_output": True, **options},
        )
        return Ended(done.returncode, _text(done.stdout), _text(done.stderr))

    @contextmanager
    def started(self, *arguments: str) -> Iterator["subprocess.Popen[str]"]:
        """A command that goes on; killed at the end if it still does."""
        process = subprocess.Popen(
            [*COMMAND, *arguments],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=_as_from_a_terminal,
        )
        try:
            yield process
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGKILL)
            process.communicate(timeout=SECONDS)

    def write(self, name: str, content: object) -> Path:
        return write_file(self.folder / name, content)

    def only_run(self) -> Run:
        """The one run in the journal, which must be as it was written."""
        journal = SqliteJournal(self.journal, readonly=True)
        try:
            (row,) = journal.runs()
            assert verify(journal) == []
            return read_run(journal.read(row.run))
        finally:
            journal.close()


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        """All of stdout as one JSON value."""
        return json.loads(self.out)


@dataclass
class Desk:
    """The same commands within this process: for all that does not need another one."""

    folder: Path
    capture: pytest.CaptureFixture[str]

    @property
    def journal(self) -> Path:
        return self.folder / "home" / "journal.db"

    def run(self, *arguments: str) -> Ended:
        self.capture.readouterr()
        with pytest.raises(SystemExit) as leaving:
            command(arguments)
        out, err = self.capture.readouterr()
        code = leaving.value.code
        assert code is None or isinstance(code, int)
        return Ended(code or 0, out, err)

    def write(self, name: str, content: object) -> Path:
        return write_file(self.folder / name, content)


def write_file(path: Path, content: object) -> Path:
    """Text as it is, anything else as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = content if isinstance(content, str) else json.dumps(content)
    path.write_text(text, encoding="utf-8")
    return path


def wait_for(condition: Callable[[], bool], seconds: float = 20.0) -> None:
    """Until it holds; a test that waits in vain fails here."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.05)


def install_app(folder: Path, name: str, modules: Mapping[str, str], *, entry: str = "") -> Path:
    """A package with an app in it, as `pip install` would leave it; its folder for PYTHONPATH."""
    site = folder / "site"
    package = site / name
    package.mkdir(parents=True)
    for module, text in {"__init__": "", **modules}.items():
        (package / f"{module}.py").write_text(text, encoding="utf-8")
    about = site / f"{name}-1.0.dist-info"
    about.mkdir()
    about.joinpath("METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    point = entry or f"{name}:APP"
    about.joinpath("entry_points.txt").write_text(f"[proveout.apps]\n{name} = {point}\n")
    return site


def _text(content: bytes | None) -> str:
    return (content or b"").decode(errors="surrogateescape")


def _as_from_a_terminal() -> None:
    """A suite in the background hands down Ctrl-C as ignored; a shell with a person does not."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
