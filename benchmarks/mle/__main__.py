"""Measures mle against AutoML: `python -m benchmarks.mle TASKS [--time-limit 300] [--names …]`.

TASKS is a folder of task folders with a `grade.py` beside them (`python grade.py NAME FILE`). Each
program sees a copy of the task alone. Peers run in an environment of their own (`--peers`, made on
first use), one after the other, with the same limit. Nothing is asserted.
"""

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from benchmarks.kernel import Table

PEER_PACKAGES = ("autogluon.tabular[lightgbm,catboost,xgboost]", "flaml")
PROGRAMS = ("proveout", "autogluon", "flaml")
GRACE = 2.5
"""Times the limit after which a program is ended: peers do not keep it."""


class Ran(NamedTuple):
    """One program on one task."""

    score: float | None
    seconds: float
    cpu_seconds: float
    validation: float | None = None
    why: str = ""


def run_one(program: str, task: Path, seconds: float, peers: Path, folder: Path) -> Ran:
    data = folder / "task"
    shutil.copytree(task, data)
    out = folder / "submission.csv"
    if program == "proveout":
        command = [sys.executable, "-m", "proveout", "mle", "run", str(data), "--json"]
        command += ["--out", str(folder / "out"), "--time-limit", str(seconds)]
        command += ["--journal", str(folder / "journal.db")]
        out = folder / "out" / "submission.csv"
    else:
        script = Path(__file__).with_name("peers.py")
        command = [str(peers), str(script), program, str(data), str(seconds), str(out)]
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.monotonic()
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=GRACE * seconds + 120,
            env={**os.environ, "OMP_WAIT_POLICY": "PASSIVE"},
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Ran(None, time.monotonic() - began, 0.0, why="ran far beyond its time")
    wall = time.monotonic() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - used.ru_utime - used.ru_stime
    if not out.exists():
        return Ran(None, wall, cpu, why=done.stderr.strip().splitlines()[-1:][0][:200])
    validation = _validation(done.stdout) if program == "proveout" else None
    return Ran(_grade(task, out), wall, cpu, validation)


def _validation(text: str) -> float | None:
    try:
        score = json.loads(text)["outcome"]["score"]
    except (ValueError, KeyError, TypeError):
        return None
    return float(score) if score is not None else None


def _grade(task: Path, submission: Path) -> float | None:
    command = [sys.executable, "grade.py", task.name, str(submission), "--json"]
    done = subprocess.run(command, cwd=task.parent, capture_output=True, text=True, check=False)
    return float(json.loads(done.stdout)["score"]) if done.returncode == 0 else None


def peers_python(folder: Path) -> Path:
    """The interpreter of the peers' environment, which is made if it is not there."""
    python = folder / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        pip = [str(python), "-m", "pip", "install", "--quiet", *PEER_PACKAGES]
        subprocess.run(pip, check=True)
    return python


def table_of(results: dict[str, dict[str, Ran]], programs: list[str]) -> Table:
    rows = []
    for name, by_program in results.items():
        cells = [name]
        for program in programs:
            ran = by_program[program]
            shown = "–" if ran.score is None else f"{ran.score:.5g}"
            if ran.validation is not None:
                shown += f" (validation {ran.validation:.5g})"
            cells += [shown, f"{ran.seconds:.0f} / {ran.cpu_seconds:.0f} s"]
        rows.append(tuple(cells))
    head = ["task"]
    for program in programs:
        head += [program, "wall / CPU"]
    return Table("Test scores with the same time limit", tuple(head), tuple(rows))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tasks", type=Path)
    parser.add_argument("--time-limit", type=float, default=300.0)
    parser.add_argument("--names", default="", help="only these tasks: a,b")
    parser.add_argument("--programs", default=",".join(PROGRAMS))
    parser.add_argument("--peers", type=Path, default=Path(".venv-peers"))
    parser.add_argument("--markdown", type=Path)
    given = parser.parse_args()
    programs = given.programs.split(",")
    wanted = set(filter(None, given.names.split(",")))
    others = set(programs) - {"proveout"}
    peers = peers_python(given.peers.resolve()) if others else Path()
    folders = sorted(path.parent for path in given.tasks.resolve().glob("*/task.json"))
    results: dict[str, dict[str, Ran]] = {}
    for task in folders:
        if wanted and task.name not in wanted:
            continue
        results[task.name] = {}
        for program in programs:
            with TemporaryDirectory(prefix="bench-mle-") as folder:
                ran = run_one(program, task, given.time_limit, peers, Path(folder))
            results[task.name][program] = ran
            print(f"{task.name} {program}: {ran}", file=sys.stderr, flush=True)
    table = table_of(results, programs)
    print(table.plain())
    if given.markdown:
        given.markdown.write_text(table.markdown(), encoding="utf-8")


if __name__ == "__main__":
    main()
