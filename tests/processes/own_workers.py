"""Owns a process engine until killed: `python -m tests.processes.own_workers FOLDER WORK`.

Each worker writes a file named by its process id, then works for ever.
"""

import os
import re
import sys
import threading
import time
from pathlib import Path

from proveout.adapters.engine.local import ProcessEngine


def sleep(folder: str) -> None:
    Path(folder, str(os.getpid())).touch()
    time.sleep(600)


def hold_the_interpreter(folder: str) -> None:
    """Backtracks for longer than anyone will wait, and lets no other thread run."""
    Path(folder, str(os.getpid())).touch()
    re.fullmatch(r"(a+)+b", "a" * 60)


WORK = {"sleep": sleep, "hold": hold_the_interpreter}


def main(folder: str, work: str) -> None:
    engine = ProcessEngine(2)
    done = engine.run(WORK[work], [folder] * 2, timeout_seconds=600, cancel=threading.Event())
    list(done)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
