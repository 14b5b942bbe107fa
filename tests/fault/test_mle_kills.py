"""Kill -9 at any instant of a search, resume: a valid submission, nothing executed twice."""

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from proveout.apps.mle.samples import demo

SEED = int(os.environ.get("FAULT_SEED", random.SystemRandom().randrange(10**6)))
KILLS = int(os.environ.get("MLE_KILLS", "4"))
SECONDS = 25
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


def verdicts(folder: Path) -> dict[str, str]:
    """What is written down for each attempt: evidence holds how long it took, to the microsecond."""
    path = folder / "journal.db"
    if not path.exists():
        return {}
    with closing(sqlite3.connect(path)) as connection:
        try:
            rows = connection.execute("SELECT key, body FROM events WHERE kind = 'verdict.given'")
            return dict(rows.fetchall())
        except sqlite3.OperationalError:
            return {}


@pytest.mark.timeout(600)
def test_killed_and_resumed_search_ends_with_a_submission(tmp_path: Path) -> None:
    print(f"FAULT_SEED={SEED}")  # noqa: T201 - pytest shows it when a test fails
    chance = random.Random(SEED)
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
            time.sleep(chance.uniform(0.5, 0.7 * SECONDS))
        finally:
            with_children = victim.poll() is None
            if with_children:
                os.killpg(victim.pid, signal.SIGKILL)
            victim.wait(10)
        before = verdicts(folder)
        done = subprocess.run(
            command(folder, "--resume"), capture_output=True, text=True, timeout=180, check=False
        )
        assert done.returncode == 0, done.stderr
        after = verdicts(folder)
        assert {key: after[key] for key in before} == before
        lines = (folder / "out" / "submission.csv").read_text().splitlines()
        assert lines[0] == "trip,late"
        assert len(lines) == TEST_ROWS + 1
        assert json.loads(done.stdout)["outcome"]["accepted"]
