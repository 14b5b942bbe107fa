"""What it costs to run a script: `python -m benchmarks.mle.overhead [--runs 20]`.

The same trivial script with the usual imports, three ways: `python script.py` as it is, in the
sandbox from a cold start, in the sandbox from the fork server. Ratios are of the same run.
"""

import argparse
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.kernel import Table
from proveout.adapters.sandbox.local import LocalSandbox
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=20)
    print(measure(parser.parse_args().runs).plain())


if __name__ == "__main__":
    main()
