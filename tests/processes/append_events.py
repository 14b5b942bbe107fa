"""Appends durable events to a run: `python -m tests.processes.append_events FILE RUN COUNT`."""

import sys

from proveout.adapters.journal.sqlite import SqliteJournal
from proveout.testing.journal_contract import STARTED, add, made


def main(path: str, run: str, count: int) -> None:
    journal = SqliteJournal(path)
    add(journal, STARTED, run=run)
    for number in range(count):
        journal.put(f"{run} {number}".encode())
        add(journal, made(f"#{number}", word=run), run=run)
    journal.close()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
