"""Asks without end if a run is worked on: `python -m tests.processes.watch_lock FOLDER RUN`."""

import sys
from pathlib import Path

from proveout.adapters.journal import lock


def main(folder: str, run: str) -> None:
    sys.stdout.write("watching\n")
    sys.stdout.flush()
    for _ in range(1_000_000):
        lock.is_held(Path(folder), run)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
