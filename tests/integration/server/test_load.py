"""The load benchmark, small: it measures what it says, and the server stands a few watchers."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.mark.timeout(600)
def test_a_small_load_is_answered_without_error(tmp_path: Path) -> None:
    told = tmp_path / "load.json"
    sizes = ("--seconds", "4", "--rate", "1", "--watchers", "5", "--json", str(told))
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.server", *sizes],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    distinct, identical = json.loads(told.read_text())
    assert distinct["pictures"] == "distinct"
    assert set(distinct["statuses"]) == set(identical["statuses"]) == {"200"}
    assert sum(distinct["statuses"].values()) == 4
    assert all(sizes[0] > 0 for sizes in distinct["memory"].values())
    assert "Watchers of one run" in done.stdout
