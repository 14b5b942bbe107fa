"""The solver keeps the contract of apps, on a company that a process of its own serves."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from proveout.apps.solver import APP
from proveout.apps.solver.checks import LONGEST_READ
from proveout.testing.app_contract import AppContract
from proveout.testing.workspaces import workspace
from tests.integration.solver_kit import Company, company

READS = ("a.lead_of_project.1", "g.workload_of_person.1", "ab.unsupported.1")


class TestSolver(AppContract):
    app = APP
    rounds = 3

    @pytest.fixture(scope="class", autouse=True)
    @classmethod
    def _served(cls, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
        """Tasks have addresses, so the company comes first."""
        with company(tmp_path_factory.mktemp("company")) as served:
            cls.tasks = tuple(
                served.task(spec, rehearse=True) for spec in (*READS, "w.change_status.1")
            )
            cls.hopeless = served.task(
                READS[0], rehearse=True, text="Who leads it? " * (LONGEST_READ // 10)
            )
            yield


def test_a_replay_opens_nothing(tmp_path: Path) -> None:
    """A run with a change in it, replayed when its company is gone."""
    with workspace(tmp_path, budget__rounds=3) as opened:
        with company(tmp_path, seed=4) as served:
            fields = served.task("w.change_status.1")
            run = opened.start(APP, opened.task(APP, fields))
            before = served.calls(fields)
        assert {"/respond", "/projects/status/update"} <= set(before)
        # In a process of its own: nothing that this one remembers can help.
        code = "import sys; from proveout.cli.main import command; command(sys.argv[1:])"
        given = [sys.executable, "-c", code, "replay", run.id, "--journal", str(opened.path)]
        subprocess.run(given, check=True, timeout=60, capture_output=True)
        assert opened.replay(run.id).faithful


def test_looking_again_sends_nothing_again(tmp_path: Path) -> None:
    with workspace(tmp_path, budget__rounds=3) as opened, company(tmp_path, seed=4) as served:
        for spec in (READS[0], "w.change_status.1"):
            fields = served.task(spec)
            run = opened.start(APP, opened.task(APP, fields))
            sent = _sent(served, fields)
            opened.replay(run.id, execute=True)
            assert _sent(served, fields) == sent


def _sent(served: Company, fields: dict[str, str]) -> list[str]:
    changes = ("/respond", "/projects/status/update")
    return [call for call in served.calls(fields) if call in changes]
