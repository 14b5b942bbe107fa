"""Writes until the file may not grow: `python -m tests.processes.fill_disk FILE BYTES`.

Prints how many events were durable, and whether the journal refused to go on.
"""

import resource
import sys

from proveout.adapters.journal.sqlite import SqliteJournal
from proveout.kernel.errors import JournalError
from proveout.testing.journal_contract import STARTED, add, made


def main(path: str, limit: int) -> None:
    journal = SqliteJournal(path)
    add(journal, STARTED)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    durable, refused = 1, 0
    for number in range(1000):
        try:
            journal.put(bytes([number % 256]) * 10_000)
            add(journal, made(f"#{number}", word="x" * 1000))
        except JournalError:
            refused += 1
            if refused == 3:
                break
        else:
            assert refused == 0
            durable += 1
    journal.close()
    sys.stdout.write(f"{durable} {refused}\n")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
