"""Kill -9 at any instant of a search, resume: a valid submission, nothing executed twice."""

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing, suppress
from pathlib import Path

import pytest

from proveout.apps.mle.samples import demo

SEED = int(os.environ.get("FAULT_SEED", random.SystemRandom().randrange(10**6)))
KILLS = int(os.environ.get("MLE_KILLS", "4"))
SECONDS = 60
LATEST_KILL_SECONDS = 9.0
"""About when a search of this kind ends on a quiet machine."""
TEST_ROWS = 300


def command(folder: Path, *more: str) -> list[str]:
    return [
        sys.executable,
        "-m",
        "proveout",
        "mle",
        "run",
        str(folder / "mle-task"),
        "--out",
        str(folder / "out"),
        "--journal",
        str(folder / "journal.db"),
        "--time-limit",
        str(SECONDS),
        "--smoke",
        "--json",
        *more,
    ]


def executions(folder: Path) -> dict[str, str]:
    """What is written down of each execution: it holds how long it took, to the microsecond."""
    path = folder / "journal.db"
    if not path.exists():
        return {}
    query = "SELECT key, body FROM events WHERE key LIKE '%:circumstances'"
    with closing(sqlite3.connect(path)) as connection:
        try:
            return dict(connection.execute(query).fetchall())
        except sqlite3.OperationalError:
            return {}


@pytest.mark.timeout(120 + 120 * KILLS)
def test_killed_and_resumed_search_ends_with_a_submission(tmp_path: Path) -> None:
    print(f"FAULT_SEED={SEED}")  # noqa: T201 - pytest shows it when a test fails
    chance = random.Random(SEED)
    killed = 0
    for number in range(KILLS):
        folder = tmp_path / str(number)
        folder.mkdir()
        demo(folder)
        victim = subprocess.Popen(
            command(folder),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            victim.wait(chance.uniform(0.5, LATEST_KILL_SECONDS))
            continue  # It was quicker than the kill.
        except subprocess.TimeoutExpired:
            killed += 1
        finally:
            with suppress(ProcessLookupError):
                os.killpg(victim.pid, signal.SIGKILL)
            victim.wait(10)
        before = executions(folder)
        done = subprocess.run(
            command(folder, "--resume"), capture_output=True, text=True, timeout=180, check=False
        )
        assert done.returncode == 0, done.stderr
        after = executions(folder)
        assert {key: after[key] for key in before} == before
        lines = (folder / "out" / "submission.csv").read_text().splitlines()
        assert lines[0] == "trip,late"
        assert len(lines) == TEST_ROWS + 1
        assert json.loads(done.stdout)["outcome"]["accepted"]
    assert killed > 0
