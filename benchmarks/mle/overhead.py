"""What it costs to run a script: `python -m benchmarks.mle.overhead [--runs 20] [--search 300]`.

The same trivial script with the usual imports, three ways: `python script.py` as it is, in the
sandbox from a cold start, in the sandbox from the fork server. Ratios are of the same run.

With `--search SECONDS`, a whole search on a table (`--task`, or the bundled one): the processor
time that the harness itself took, scripts not counted, as a share of what the machine had to give.
"""

import argparse
import os
import sqlite3
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.kernel import Table
from proveout.adapters.sandbox.local import LocalSandbox
from proveout.apps.mle import samples
from proveout.kernel.ports import ScriptJob, ScriptLimits

SCRIPT = """import lightgbm
import numpy as np
import pandas as pd
import sklearn.ensemble
print("Final Validation Performance:", float(np.float64(0.5)) + len(pd.DataFrame()))
"""


def cold_python(folder: Path) -> None:
    path = folder / "script.py"
    path.write_text(SCRIPT)
    subprocess.run([sys.executable, str(path)], cwd=folder, check=True, capture_output=True)


def in_sandbox(sandbox: LocalSandbox, folder: Path) -> None:
    job = ScriptJob(source=SCRIPT, folder=str(folder), limits=ScriptLimits(seconds=120))
    ran = sandbox.run(job, threading.Event())
    if ran.exit_code:
        raise RuntimeError(ran.stderr)


def seconds(work: Callable[[], None], runs: int) -> list[float]:
    work()
    taken = []
    for _ in range(runs):
        began = time.perf_counter()
        work()
        taken.append(time.perf_counter() - began)
    return taken


def measure(runs: int) -> Table:
    with TemporaryDirectory(prefix="bench-mle-") as name:
        folder = Path(name)
        plain = seconds(lambda: cold_python(folder), max(3, runs // 4))
        results = {"python script.py": plain}
        for label, warm in (("sandbox, cold", False), ("sandbox, warm", True)):
            sandbox = LocalSandbox(warm=warm)
            try:
                count = runs if warm else max(3, runs // 4)
                results[label] = seconds(lambda box=sandbox: in_sandbox(box, folder), count)  # type: ignore[misc]
            finally:
                sandbox.close()
    base = statistics.median(plain)
    rows = [
        (
            name,
            f"{1000 * min(taken):.0f} ms",
            f"{1000 * statistics.median(taken):.0f} ms",
            f"{base / statistics.median(taken):.1f}×",
        )
        for name, taken in results.items()
    ]
    return Table("A trivial script with the usual imports", ("way", "min", "median", "speed"), rows)


def search(limit: float, task: Path | None) -> Table:
    """The harness is one process; its scripts are processes of their own."""
    with TemporaryDirectory(prefix="bench-mle-") as name:
        folder = Path(name)
        data = Path(str(samples.demo(folder)["folder"])) if task is None else task
        command = [sys.executable, "-m", "proveout", "mle", "run", str(data), "--quiet"]
        command += ["--out", str(folder / "out"), "--time-limit", str(limit)]
        command += ["--journal", str(folder / "journal.db")]
        began = time.monotonic()
        running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        used = 0.0
        while running.poll() is None:
            used = _own_cpu(running.pid) or used
            time.sleep(0.1)
        wall = time.monotonic() - began
        scripts = _executed(folder / "journal.db")
    cores = len(os.sched_getaffinity(0))
    row = (
        f"{limit:g} s",
        f"{wall:.0f} s",
        str(scripts),
        f"{used:.1f} s",
        f"{used / (wall * cores):.1%}",
        f"{used / wall:.1%}",
    )
    head = ("limit", "wall", "scripts", "harness CPU", f"of {cores} cores", "of one core")
    return Table("The harness during a search", head, (row,))


def _executed(journal: Path) -> int:
    """Scripts that were run; a quicker table has more of them, and each costs something."""
    query = "SELECT count(*) FROM events WHERE key LIKE '%:circumstances'"
    with closing(sqlite3.connect(journal)) as connection:
        return int(connection.execute(query).fetchone()[0])


def _own_cpu(pid: int) -> float:
    """Processor seconds of a process and its threads; nought once it has ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--search", type=float, default=0.0)
    parser.add_argument("--task", type=Path)
    given = parser.parse_args()
    print(measure(given.runs).plain())
    if given.search:
        print(search(given.search, given.task).plain())


if __name__ == "__main__":
    main()
