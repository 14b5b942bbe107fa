"""Measures the solver: `python -m benchmarks.solver [--quick] [--parts PART …] [--markdown FILE]`.

Tasks and validation on a company of standard size, everything over HTTP; then rows streamed from
companies with a hundred thousand and a million time entries, and aggregates over the larger one.
Nothing is asserted: ratios are of the same run on the same machine.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.kernel import Table
from benchmarks.solver.aggregates import Aggregated, aggregated
from benchmarks.solver.company import served, started
from benchmarks.solver.plans import Judged, judged
from benchmarks.solver.rows import PAGE, WAYS, Taken, measured

TASKS_SEED = 4
ROWS_SEED = 1
FAMILIES = "A,D,F,H,K,L,P,Q,W,AC,AD,ADV"
"""Reads and writes, joins and sums, what is refused and what is asked back."""
QUICK_FAMILIES = "A,G,P"
PARTS = ("tasks", "plans", "rows")


def tasks_table(families: str) -> Table:
    """A whole session at a time, by the command: start, solve, journal, hand in, be graded."""
    rows = []
    for workers in (1, 2):
        with (
            TemporaryDirectory() as folder,
            served(TASKS_SEED, "standard", "--families", families) as base_url,
        ):
            command = [sys.executable, "-m", "proveout", "solver", "run", "--json"]
            command += ["--base-url", base_url, "--benchmark", f"world-{TASKS_SEED}"]
            command += ["--workers", str(workers), "--journal", f"{folder}/journal.db"]
            began = time.monotonic()
            # Exit 1 only says that not every task was right.
            done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
            seconds = time.monotonic() - began
        metrics = json.loads(done.stdout)
        rows.append(
            (
                str(workers),
                str(metrics["tasks"]),
                f"{seconds:.0f} s",
                f"{metrics['tasks'] / seconds:.2f}",
                f"{metrics['seconds_per_task']:.2f} s",
                f"{metrics['api_calls_per_task']:.0f}",
            )
        )
    columns = ("workers", "tasks", "time", "tasks/s", "mean per task", "API calls per task")
    return Table("Tasks of one company, over HTTP, journalled and graded", columns, rows)


def plans_table(found: list[Judged]) -> Table:
    rows = []
    for name, group in (
        ("with SQL", [one for one in found if one.sql_steps]),
        ("without SQL", [one for one in found if not one.sql_steps]),
    ):
        if group:
            rows.append(
                (
                    name,
                    str(len(group)),
                    _quantiles([one.propose for one in group]),
                    _quantiles([one.first for one in group]),
                    _quantiles([one.again for one in group]),
                )
            )
    columns = ("plans", "number", "propose", "validate, fetching", "validate, from the snapshot")
    return Table("Time per plan in ms: median (95 % are faster than)", columns, rows)


def _quantiles(seconds: list[float]) -> str:
    ordered = sorted(seconds)
    high = ordered[min(len(ordered) - 1, round(0.95 * (len(ordered) - 1)))]
    return f"{1e3 * statistics.median(ordered):.1f} ({1e3 * high:.1f})"


def rows_table(taken: list[Taken]) -> Table:
    rows = []
    for one in taken:
        naive = next(it for it in taken if it.rows == one.rows and it.way == "list")
        rows.append(
            (
                f"{one.rows:,}",
                "SQLite snapshot" if one.way == "snapshot" else "list of dictionaries",
                f"{one.rows / one.seconds:,.0f}",
                f"{1e6 * one.cpu_seconds / one.rows:.0f} µs",
                f"{one.peak / 2**20:.0f} MiB",
                f"{(one.peak - one.before) / 2**20:.0f} MiB",
                f"{naive.seconds / one.seconds:.2f}×",
            )
        )
    columns = ("rows", "into", "rows/s", "CPU per row", "peak memory", "of it for rows", "speed")
    return Table(f"Time entries over HTTP, {PAGE:,} a page", columns, rows)


def aggregates_table(found: list[Aggregated]) -> Table:
    rows = [
        (
            one.name,
            f"{1e3 * one.sandbox:.0f} ms",
            f"{one.sandbox / one.sqlite:.2f}",
            f"{one.sandbox / one.pandas:.2f}" if one.pandas else "not installed",
        )
        for one in found
    ]
    columns = ("aggregate", "sandbox", "of the time of bare SQLite", "of the time of pandas")
    return Table("Aggregates over the larger snapshot", columns, rows)


def large(profiles: tuple[str, ...], folder: Path) -> Iterator[Table]:
    taken: list[Taken] = []
    database = folder / "rows.db"
    for profile in profiles:
        database = folder / f"{profile}.db"
        flags = ("--families", "A", "--page-cap", str(PAGE))
        with served(ROWS_SEED, profile, *flags) as base_url:
            task_url, _ = started(base_url, f"world-{ROWS_SEED}")[0]
            taken += [measured(way, task_url, database) for way in WAYS]
    yield rows_table(taken)
    yield aggregates_table(aggregated(database))


def tables(parts: Sequence[str], *, quick: bool) -> Iterator[Table]:
    families = QUICK_FAMILIES if quick else FAMILIES
    if "tasks" in parts:
        yield tasks_table(families)
    if "plans" in parts:
        yield plans_table(judged(families))
    if "rows" in parts:
        with TemporaryDirectory() as folder:
            yield from large(("large",) if quick else ("large", "huge"), Path(folder))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="few tasks, 100,000 rows")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS, help="only these")
    parser.add_argument("--markdown", type=Path, help="write the tables to this file, too")
    given = parser.parse_args()
    head = (
        f"Machine: cores {len(os.sched_getaffinity(0))}, load before {os.getloadavg()[0]:.1f}, "
        f"{platform.system()} {platform.machine()}, Python {platform.python_version()}."
    )
    print(head + "\n", flush=True)
    written = [head, ""]
    for table in tables(given.parts, quick=given.quick):
        print(table.plain(), flush=True)
        written.append(table.markdown())
    if given.markdown:
        given.markdown.write_text("\n".join(written), encoding="utf-8")
        sys.stderr.write(f"written: {given.markdown}\n")


if __name__ == "__main__":
    main()
