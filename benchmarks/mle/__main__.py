"""Measures mle against AutoML: `python -m benchmarks.mle TASKS [--time-limit 300] [--names …]`.

TASKS is a folder of task folders with a `grade.py` beside them (`python grade.py NAME FILE`). Each
program sees a copy of the task alone. Peers run in an environment of their own (`--peers`, made on
first use), one after the other, with the same limit. `--lanes 2` runs two programs at a time, each
on half of the cores and on no other. `--results FILE` keeps each result as it comes; what the file
holds is not measured again. Nothing is asserted.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryDirectory
from typing import NamedTuple

from benchmarks.kernel import Table

PEER_PACKAGES = ("autogluon.tabular[lightgbm,catboost,xgboost,fastai]", "flaml")
PROGRAMS = ("proveout", "autogluon", "flaml")
GRACE, START = 1.5, 60.0
"""Times the limit, and seconds besides, after which a program is ended: peers do not keep it."""
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


class Ran(NamedTuple):
    """One program on one task."""

    score: float | None
    seconds: float
    cpu_seconds: float
    validation: float | None = None
    why: str = ""
    error: float | None = None
    """One standard error of the difference between validation and test, as the program tells."""


class Timed(NamedTuple):
    """How a process ended."""

    seconds: float
    cpu_seconds: float
    in_time: bool


def run_timed(command: list[str], folder: Path, most: float, cores: list[int]) -> Timed:
    """Run a command on these cores; CPU seconds are its own and those of its children."""
    environment = {name: value for name, value in os.environ.items() if name not in THREADS}
    began = time.monotonic()
    with (folder / "stdout").open("wb") as out, (folder / "stderr").open("wb") as err:
        process = subprocess.Popen(
            ["taskset", "-c", ",".join(map(str, cores)), *command],
            cwd=folder,
            stdout=out,
            stderr=err,
            env={**environment, "OMP_WAIT_POLICY": "PASSIVE"},
            start_new_session=True,
        )
    in_time = True
    while True:
        done, status, usage = os.wait4(process.pid, os.WNOHANG)
        if done:
            process.returncode = os.waitstatus_to_exitcode(status)
            break
        if in_time and time.monotonic() - began > most:
            in_time = False
            os.killpg(process.pid, 9)
        time.sleep(0.2)
    return Timed(time.monotonic() - began, usage.ru_utime + usage.ru_stime, in_time)


def run_one(
    program: str, task: Path, seconds: float, peers: Path, folder: Path, cores: list[int]
) -> Ran:
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
    timed = run_timed(command, folder, GRACE * seconds + START, cores)
    if not timed.in_time:
        return Ran(None, timed.seconds, timed.cpu_seconds, why="ran far beyond its time")
    if not out.exists():
        said = (folder / "stderr").read_text(errors="replace").strip().splitlines()
        return Ran(None, timed.seconds, timed.cpu_seconds, why=(said or ["nothing"])[-1][:200])
    printed = (folder / "stdout").read_text(errors="replace")
    validation, error = _validation(printed) if program == "proveout" else (None, None)
    score = _grade(task, out)
    return Ran(score, timed.seconds, timed.cpu_seconds, validation, error=error)


def _validation(text: str) -> tuple[float | None, float | None]:
    """What a run says of itself: its score and how far the test may be from it."""
    try:
        answer = json.loads(text)["outcome"]["answer"]
        return float(answer["score"]), float(answer["standard_error"])
    except (ValueError, KeyError, TypeError):
        return None, None


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
                shown += f" (validation {ran.validation:.5g} ± {ran.error or 0.0:.2g})"
            cells += [shown, f"{ran.seconds:.0f} / {ran.cpu_seconds:.0f} s"]
        rows.append(tuple(cells))
    head = ["task"]
    for program in programs:
        head += [program, "wall / CPU"]
    return Table("Test scores with the same time limit", tuple(head), tuple(rows))


def lanes(number: int) -> list[list[int]]:
    """The cores of each lane: equal parts, none shared."""
    cores = sorted(os.sched_getaffinity(0))
    return [cores[lane::number] for lane in range(number)]


def kept(file: Path | None) -> dict[tuple[str, str], Ran]:
    if file is None or not file.exists():
        return {}
    rows = (json.loads(line) for line in file.read_text(encoding="utf-8").splitlines())
    return {(row["task"], row["program"]): Ran(*row["ran"]) for row in rows}


def measured(
    tasks: list[Path], programs: list[str], given: argparse.Namespace
) -> Iterator[tuple[str, str, Ran]]:
    """Every program on every task, as many at a time as there are lanes."""
    peers = peers_python(given.peers.resolve()) if set(programs) - {"proveout"} else Path()
    free: SimpleQueue[list[int]] = SimpleQueue()
    for cores in lanes(given.lanes):
        free.put(cores)
    before = kept(given.results)

    def run(task: Path, program: str) -> Ran:
        if (task.name, program) in before:
            return before[task.name, program]
        cores = free.get()
        try:
            with TemporaryDirectory(prefix="bench-mle-") as folder:
                ran = run_one(program, task, given.time_limit, peers, Path(folder), cores)
        finally:
            free.put(cores)
        print(f"{task.name} {program}: {ran}", file=sys.stderr, flush=True)
        if given.results:
            row = {"task": task.name, "program": program, "ran": ran}
            with given.results.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
        return ran

    with ThreadPoolExecutor(given.lanes) as pool:
        pairs = [(task, program) for task in tasks for program in programs]
        waiting = [(*pair, pool.submit(run, *pair)) for pair in pairs]
        for task, program, future in waiting:
            yield task.name, program, future.result()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tasks", type=Path)
    parser.add_argument("--time-limit", type=float, default=300.0)
    parser.add_argument("--names", default="", help="only these tasks: a,b")
    parser.add_argument("--programs", default=",".join(PROGRAMS))
    parser.add_argument("--peers", type=Path, default=Path(".venv-peers"))
    parser.add_argument("--lanes", type=int, default=1, help="programs at a time")
    parser.add_argument("--results", type=Path, help="keep results here and go on from them")
    parser.add_argument("--markdown", type=Path)
    given = parser.parse_args()
    programs = given.programs.split(",")
    wanted = set(filter(None, given.names.split(",")))
    folders = sorted(path.parent for path in given.tasks.resolve().glob("*/task.json"))
    tasks = [task for task in folders if not wanted or task.name in wanted]
    results: dict[str, dict[str, Ran]] = {}
    for name, program, ran in measured(tasks, programs, given):
        results.setdefault(name, {})[program] = ran
    table = table_of(results, programs)
    print(table.plain())
    if given.markdown:
        given.markdown.write_text(table.markdown(), encoding="utf-8")


if __name__ == "__main__":
    main()
