"""Sessions of a solver run that can be killed at any instant.

As in `sessions`, a process that has everything imported forks a child for each session.
"""

import ctypes
import json
import os
import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import Popen
from typing import Any, NamedTuple

from proveout import settings
from proveout.apps.solver import APP, flow
from proveout.kernel.errors import ProveoutError
from proveout.runtime import Workspace
from tests.fault.processes import python
from tests.fault.sessions import BECOME_SUBREAPER, Ended, _kill_after, _orphans

LOADED = flow
"""Imported before the fork: a session begins with its work."""


class SolverSession(NamedTuple):
    """One process that works on a task."""

    folder: str
    task: dict[str, Any]
    run: str = ""
    kill_after_seconds: float | None = None


class SolverSessions:
    """The forking process, as a test sees it."""

    def __init__(self, process: Popen[str]) -> None:
        self._process = process

    def __call__(self, session: SolverSession) -> Ended:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(session) + "\n")
        self._process.stdin.flush()
        return Ended(*json.loads(self._process.stdout.readline()))


@contextmanager
def solver_sessions() -> Iterator[SolverSessions]:
    with python("tests.fault.solver_sessions") as process:
        yield SolverSessions(process)


def work(session: SolverSession) -> None:
    path = str(Path(session.folder) / "journal.db")
    flags = {"journal.path": path, "engine.name": "inline", "budget.rounds": 3}
    with Workspace(settings.load(flags, Path(session.folder))) as opened:
        if session.run:
            opened.resume(session.run)
        else:
            opened.start(APP, opened.task(APP, session.task))


def _live(session: SolverSession, begin: int) -> None:
    code = 70
    try:
        scratch = Path(session.folder) / "tmp"
        scratch.mkdir(exist_ok=True)
        os.environ.update(TMPDIR=str(scratch), PROVEOUT_HOME=session.folder)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(2, 1)
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


def _fork(session: SolverSession) -> Ended:
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


def main() -> None:
    ctypes.CDLL(None).prctl(BECOME_SUBREAPER, 1, 0, 0, 0)
    for line in sys.stdin:
        ended = _fork(SolverSession(*json.loads(line)))
        sys.stdout.write(json.dumps(ended) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
