"""Many rows, taken twice: streamed into the snapshot, and paged into a list of dictionaries.

Each is measured in a child of its own, because the peak of a process's memory never falls again:

    python -m benchmarks.solver.rows snapshot http://127.0.0.1:…/erc3-dev/tsk-1 rows.db
"""

import argparse
import json
import resource
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import httpx2

from proveout.apps.solver.client import CompanyClient, HttpTransport
from proveout.apps.solver.snapshot import Snapshot

PAGE = 1_000
ROUTE = "/time/search"
WAYS = ("snapshot", "list")
MOST_SECONDS = 900


@dataclass(frozen=True)
class Taken:
    """How it went; memory in bytes."""

    way: str
    rows: int
    seconds: float
    cpu_seconds: float
    peak: int
    before: int
    """The peak before the first row: what Python and its imports take."""


def measured(way: str, task_url: str, database: Path) -> Taken:
    """In a fresh process, which ends with it."""
    command = [sys.executable, "-m", "benchmarks.solver.rows", way, task_url, str(database)]
    done = subprocess.run(
        command, stdout=subprocess.PIPE, text=True, check=True, timeout=MOST_SECONDS
    )
    return Taken(**json.loads(done.stdout))


def take(way: str, task_url: str, database: Path) -> Taken:
    before = peak()
    began, worked = time.monotonic(), time.process_time()
    rows = into_snapshot(task_url, database) if way == "snapshot" else len(into_list(task_url))
    seconds, cpu = time.monotonic() - began, time.process_time() - worked
    return Taken(way, rows, seconds, cpu, peak(), before)


def peak() -> int:
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def into_snapshot(task_url: str, database: Path) -> int:
    transport = HttpTransport(task_url)
    with Snapshot(database, CompanyClient(transport)) as snapshot:
        snapshot.ensure("time_entries")
        count = int(snapshot.rows("SELECT COUNT(*) FROM time_entries")[0][0])
    transport.close()
    return count


def into_list(task_url: str) -> list[dict[str, object]]:
    """What most scripts do: no types, no provenance, no disk, everything in memory."""
    entries: list[dict[str, object]] = []
    offset = 0
    with httpx2.Client(timeout=60, trust_env=False) as client:
        while offset >= 0:
            asked = {"offset": offset, "limit": PAGE}
            page = client.post(task_url + ROUTE, json=asked).raise_for_status().json()
            entries.extend(page["entries"] or ())
            offset = int(page["next_offset"])
    return entries


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("way", choices=WAYS)
    parser.add_argument("task_url")
    parser.add_argument("database", type=Path)
    given = parser.parse_args()
    print(json.dumps(asdict(take(given.way, given.task_url, given.database))))


if __name__ == "__main__":
    main()
