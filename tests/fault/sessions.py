"""Sessions of a run that can be killed at any instant.

A single-threaded process (`python -m tests.fault.sessions`) has everything imported and forks a
child for each session: the child opens a fresh workspace and starts or resumes a run. The parent
kills it after a delay, and adopts what the child leaves behind, so that an orphan cannot hide.
"""

import ctypes
import json
import os
import resource
import select
import signal
import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from subprocess import Popen
from typing import NamedTuple

from proveout import settings
from proveout.adapters.models.offline import OfflineModel
from proveout.backends import Backends
from proveout.kernel.errors import ProveoutError
from proveout.kernel.ports import Model
from proveout.kernel.run import Run
from proveout.runtime import Workspace
from proveout.testing.pattern import APP
from tests.fault.billing import PaidModel
from tests.fault.processes import python

TASK = {"expression": "[a-z]+[0-9]{2}", "shortest": 30, "variety": 14}
"""Some thirty attempts: the word grows by one letter a round."""
BECOME_SUBREAPER = 36
ORPHAN_SECONDS = 10.0


class Session(NamedTuple):
    """One process that works on a run."""

    folder: str
    run: str = ""
    """Empty starts a new one."""
    port: int = 0
    """Of the provider; 0 asks the app's own experts."""
    engine: str = "threads"
    kill_after_seconds: float | None = None
    file_limit_bytes: int = 0
    """No file may grow beyond it; 0 sets no limit."""


class Ended(NamedTuple):
    """How a session ended."""

    killed: bool
    exit_code: int
    seconds: float
    orphans: list[str]
    """Command lines of processes that outlived it."""
    error: str
    """What the product said when it could not go on."""


class OneModel(Backends):
    """The same model for every role."""

    def __init__(self, model: Model) -> None:
        super().__init__(settings.ModelSettings(name=model.name))
        self._model = model

    def of_role(self, role: str) -> Model:
        del role
        return self._model


class PatternWorkspace(Workspace):
    """A workspace in a folder, with a provider or without."""

    def __init__(self, session: Session) -> None:
        flags = {
            "journal.path": str(Path(session.folder) / "journal.db"),
            "engine.name": session.engine,
            "engine.workers": 2,
            "budget.rounds": 60,
        }
        super().__init__(settings.load(flags, Path(session.folder)))
        model = PaidModel(session.port) if session.port else OfflineModel()
        self._backends = OneModel(model)


def work(session: Session) -> Run:
    """What a session does, from opening the workspace to closing it."""
    with PatternWorkspace(session) as workspace:
        if session.run:
            return workspace.resume(session.run)
        return workspace.start(APP, workspace.task(APP, TASK))


class Sessions:
    """The forking process, as a test sees it."""

    def __init__(self, process: Popen[str]) -> None:
        self._process = process

    def __call__(self, session: Session) -> Ended:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(session) + "\n")
        self._process.stdin.flush()
        return Ended(*json.loads(self._process.stdout.readline()))


@contextmanager
def sessions() -> Iterator[Sessions]:
    with python("tests.fault.sessions") as process:
        yield Sessions(process)


def _fork(session: Session) -> Ended:
    began, begin = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(began)
        _live(session, begin)
    os.close(begin)
    os.read(began, 1)
    since = time.monotonic()
    killed = _kill_after(child, session.kill_after_seconds)
    _, status = os.waitpid(child, 0)
    seconds = time.monotonic() - since
    error = os.read(began, 10_000).decode()
    os.close(began)
    hit = killed and os.WIFSIGNALED(status)
    return Ended(hit, os.waitstatus_to_exitcode(status), seconds, _orphans(), error)


def _live(session: Session, begin: int) -> None:
    """The child's life; it never returns into the parent's code."""
    code = 70
    try:
        scratch = Path(session.folder) / "tmp"
        scratch.mkdir(exist_ok=True)
        os.environ.update(TMPDIR=str(scratch), PROVEOUT_HOME=session.folder)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(2, 1)
        if session.file_limit_bytes:
            resource.setrlimit(resource.RLIMIT_FSIZE, (session.file_limit_bytes,) * 2)
        os.write(begin, b"!")
        work(session)
        code = 0
    except ProveoutError as error:
        os.write(begin, str(error).encode())
        code = error.exit_code
    except Exception:  # noqa: BLE001 - a fork must not climb into its parent's stack
        traceback.print_exc()
    finally:
        os._exit(code)


def _kill_after(child: int, seconds: float | None) -> bool:
    """Wait for the child, but no longer than that."""
    watched = os.pidfd_open(child)
    try:
        ready, _, _ = select.select([watched], [], [], seconds)
        if ready:
            return False
        os.kill(child, signal.SIGKILL)
        return True
    finally:
        os.close(watched)


def _orphans() -> list[str]:
    """Whoever outlives the session by more than a moment. They are children of ours now."""
    deadline = time.monotonic() + ORPHAN_SECONDS
    while time.monotonic() < deadline:
        try:
            gone, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return []
        if gone == 0:
            time.sleep(0.002)
    left = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    told = [Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ") for pid in left]
    for pid in left:
        with suppress(ProcessLookupError):
            os.kill(int(pid), signal.SIGKILL)
    return told


def main() -> None:
    ctypes.CDLL(None).prctl(BECOME_SUBREAPER, 1, 0, 0, 0)
    for line in sys.stdin:
        ended = _fork(Session(*json.loads(line)))
        sys.stdout.write(json.dumps(ended) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
