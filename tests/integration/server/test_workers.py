"""Who does the runs: processes that are bounded in number, can be stopped, and end with the server.

The waiting app writes a line with every check, so that work done twice would be seen.
"""

import os
import signal
from pathlib import Path

import pytest

from tests.integration.command import install_app, wait_for
from tests.integration.server.serving import SECONDS, Machine, Served, problem
from tests.integration.slow_app import MODULES

PATIENCE = 0.4
"""Seconds that one check takes."""


@pytest.fixture
def slow(machine: Machine) -> Machine:
    """A machine that has the waiting app."""
    machine.variables["PYTHONPATH"] = str(install_app(machine.folder, "slow", MODULES))
    return machine


def is_alive(pid: int) -> bool:
    try:
        status = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").split() if path.exists() else []


def journal_events(server: Served, run: str) -> list[str]:
    told = server.get(f"/api/v1/runs/{run}/events").json()["events"]
    return [str(event["kind"]) for event in told]


def test_a_server_that_is_killed_loses_nothing(slow: Machine) -> None:
    marks = slow.folder / "marks"
    with slow.serving(workers=1) as server:
        going = server.start("slow", seconds=PATIENCE, needed=6, marks=str(marks))
        waiting = server.start("slow", needed=2)
        wait_for(lambda: len(lines(marks)) >= 2, SECONDS)
        assert server.state(going) == "running"
        assert server.state(waiting) == "queued"
        children = server.children()
        assert children
        server.kill()
    wait_for(lambda: not any(is_alive(pid) for pid in children), 20)
    done = len(lines(marks))
    with slow.serving(workers=1) as server:
        assert server.state(going) == "interrupted"
        assert server.state(waiting) == "interrupted"
        # Resuming is asked for, it does not happen by itself.
        assert len(lines(marks)) == done
        for run in (going, waiting):
            assert server.post(f"/api/v1/runs/{run}/resume").status_code == 200
        assert server.finish(going)["state"] == "accepted"
        assert server.finish(waiting)["state"] == "accepted"
        # The check that was under way is done again; no finished one is.
        numbers = lines(marks)
        assert set(numbers) == {"1", "2", "3", "4", "5", "6"}
        assert len(numbers) <= 7
        assert server.get("/api/v1/verify").json()["intact"]
        for run in (going, waiting):
            assert server.post(f"/api/v1/runs/{run}/replay").json()["faithful"]


def test_a_run_is_stopped_at_its_next_attempt_and_goes_on_later(slow: Machine) -> None:
    marks = slow.folder / "marks"
    with slow.serving(workers=1) as server:
        run = server.start("slow", seconds=PATIENCE, needed=5, marks=str(marks))
        wait_for(lambda: len(lines(marks)) >= 2, SECONDS)
        assert server.post(f"/api/v1/runs/{run}/stop").json() == {"run": run, "stopped": True}
        wait_for(lambda: server.state(run) == "interrupted", SECONDS)
        assert journal_events(server, run)[-1] == "run.interrupted"
        assert len(lines(marks)) < 5
        server.post(f"/api/v1/runs/{run}/resume")
        assert server.finish(run)["state"] == "accepted"
    assert lines(marks) == ["1", "2", "3", "4", "5"]


def test_a_run_that_does_not_stop_is_ended(slow: Machine) -> None:
    with slow.serving(workers=1) as server:
        marks = slow.folder / "marks"
        run = server.start("slow", seconds=200.0, needed=1, marks=str(marks))
        wait_for(lambda: bool(lines(marks)), SECONDS)
        server.post(f"/api/v1/runs/{run}/stop")
        wait_for(lambda: server.state(run) == "interrupted", SECONDS)
        # Another process has taken the place of the one that was ended.
        assert server.finish(server.start("slow", needed=1))["state"] == "accepted"


def test_a_waiting_run_can_be_stopped(slow: Machine) -> None:
    with slow.serving(workers=1) as server:
        going = server.start("slow", seconds=PATIENCE, needed=8)
        waiting = server.start("slow", needed=1)
        assert server.state(waiting) == "queued"
        told = problem(server.post(f"/api/v1/runs/{waiting}/resume"), 409)
        assert told["code"] == "journal.locked"
        assert server.post(f"/api/v1/runs/{waiting}/stop").json()["stopped"]
        assert server.state(waiting) == "interrupted"
        server.post(f"/api/v1/runs/{going}/stop")


def test_a_worker_that_dies_takes_only_its_run_with_it(slow: Machine) -> None:
    with slow.serving(workers=1) as server:
        run = server.start("slow", seconds=60.0, needed=1)
        wait_for(lambda: server.state(run) == "running", SECONDS)
        before = server.children()
        for pid in before:
            os.kill(pid, signal.SIGKILL)
        wait_for(lambda: server.state(run) == "interrupted", SECONDS)
        wait_for(lambda: bool(server.children() - before), SECONDS)
        assert server.finish(server.start("slow", needed=1))["state"] == "accepted"


def test_a_defect_of_an_app_is_told_and_the_worker_goes_on(slow: Machine) -> None:
    with slow.serving(workers=1) as server:
        run = server.start("slow", fails="oh no")
        wait_for(lambda: server.state(run) == "interrupted", SECONDS)
        events = server.get(f"/api/v1/runs/{run}/events").json()["events"]
        assert "oh no" in events[-1]["reason"]
        assert server.finish(server.start("slow", needed=1))["state"] == "accepted"


def test_too_many_runs_are_asked_to_come_back(slow: Machine) -> None:
    with slow.serving(workers=1) as server:
        going = server.start("slow", seconds=60.0, needed=1)
        body = {"app": "slow", "task": {"needed": 1}}
        answers = [server.post("/api/v1/runs", json=body) for _ in range(22)]
        refused = [answer for answer in answers if answer.status_code != 201]
        assert len(refused) == 2
        assert problem(refused[0], 429)["code"] == "server.busy"
        assert int(refused[0].headers["retry-after"]) > 0
        # What was refused has left nothing behind.
        assert server.get("/api/v1/runs").json()["total"] == 21
        server.post(f"/api/v1/runs/{going}/stop")


def test_a_server_that_is_asked_to_stop_leaves_runs_that_can_be_resumed(slow: Machine) -> None:
    with slow.serving(workers=1) as server:
        run = server.start("slow", seconds=PATIENCE, needed=50)
        wait_for(lambda: "verdict.given" in journal_events(server, run), SECONDS)
        children = server.children()
    assert not any(is_alive(pid) for pid in children)
    with slow.serving(workers=1) as server:
        assert server.state(run) == "interrupted"
        assert journal_events(server, run)[-1] == "run.interrupted"
