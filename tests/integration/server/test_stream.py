"""Events as they are written: numbered, resumable, shared by many watchers, ended with the run."""

import threading
import time
from pathlib import Path

import httpx2
import pytest

from tests.integration.command import install_app, wait_for
from tests.integration.server.serving import SECONDS, Machine, Served, frames
from tests.integration.slow_app import MODULES

WATCHERS = 50


@pytest.fixture
def slow(machine: Machine) -> Machine:
    machine.variables["PYTHONPATH"] = str(install_app(machine.folder, "slow", MODULES))
    return machine


def watched(server: Served, run: str, **options: str) -> str:
    """Everything that a stream sends until it ends."""
    with httpx2.stream(
        "GET", f"{server.url}/api/v1/runs/{run}/stream", timeout=SECONDS, headers=options
    ) as answer:
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("text/event-stream")
        return "".join(answer.iter_text())


def test_a_finished_run_is_told_whole_and_ends(served: Served) -> None:
    run = served.finish(served.start(expression="[a-c]{4}"))["run"]
    told = frames(watched(served, run))
    *events, end = told
    assert [int(one["id"]) for one in events] == list(range(1, len(events) + 1))
    assert events[0]["data"]["kind"] == "run.started"
    assert events[-1]["data"]["kind"] == "run.ended"
    assert (end["event"], end["data"]) == ("end", {"run": run, "state": "accepted"})


def test_a_watcher_goes_on_where_it_was_cut_off(served: Served) -> None:
    run = served.finish(served.start(expression="[a-c]{5}"))["run"]
    whole = frames(watched(served, run))
    rest = frames(watched(served, run, **{"Last-Event-ID": "7"}))
    assert rest == whole[7:]
    last = whole[-2]["id"]
    done = served.get(f"/api/v1/runs/{run}/stream", headers={"Last-Event-ID": last})
    # A browser that gets this does not come back.
    assert (done.status_code, done.content) == (204, b"")


@pytest.mark.parametrize("number", ["99999999999999999999", "9223372036854775807"])
def test_a_number_that_no_event_has_ends_the_stream(served: Served, number: str) -> None:
    run = served.finish(served.start(expression="ab"))["run"]
    answer = served.get(f"/api/v1/runs/{run}/stream", headers={"Last-Event-ID": number})
    assert answer.status_code == 204


def test_events_come_while_the_run_goes_on(slow: Machine) -> None:
    with slow.serving(workers=1) as server:
        run = server.start("slow", seconds=0.5, needed=6)
        came: list[float] = []
        with httpx2.stream(
            "GET", f"{server.url}/api/v1/runs/{run}/stream", timeout=SECONDS
        ) as answer:
            for line in answer.iter_lines():
                if '"verdict.given"' in line:
                    came.append(time.monotonic())
        assert len(came) == 6
        # Not all at the end: the checks take three seconds in all.
        assert came[-1] - came[0] > 1.0


def test_many_watchers_see_the_same(slow: Machine) -> None:
    told: list[str] = []
    with slow.serving(workers=1) as server:
        run = server.start("slow", seconds=0.3, needed=8)
        threads = [
            threading.Thread(target=lambda: told.append(watched(server, run)), daemon=True)
            for _ in range(WATCHERS)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(SECONDS)
        assert server.state(run) == "accepted"
    assert len(told) == WATCHERS
    assert len({tuple(one["data"]["kind"] for one in frames(text)[:-1]) for text in told}) == 1


def test_a_killed_run_ends_its_stream(slow: Machine) -> None:
    with slow.serving(workers=1) as server:
        run = server.start("slow", seconds=60.0, needed=1)
        told: list[str] = []
        thread = threading.Thread(target=lambda: told.append(watched(server, run)), daemon=True)
        thread.start()
        server.post(f"/api/v1/runs/{run}/stop")
        thread.join(SECONDS)
        assert told
        assert frames(told[0])[-1]["data"]["state"] == "interrupted"


def test_a_run_of_another_process_is_watched_too(slow: Machine) -> None:
    import subprocess
    import sys

    command = [sys.executable, "-m", "proveout", "slow", "run", "--seconds", "0.5", "--needed", "8"]
    with slow.serving(workers=1) as server:
        process = subprocess.Popen(
            command, env=slow.environment, cwd=slow.folder, stderr=subprocess.DEVNULL
        )
        try:
            wait_for(lambda: server.get("/api/v1/runs").json()["total"] == 1, SECONDS)
            told = frames(watched(server, "last"))
        finally:
            process.wait(SECONDS)
        assert told[-1]["data"]["state"] == "accepted"


def test_streams_end_when_the_server_stops(slow: Machine, tmp_path: Path) -> None:
    del tmp_path
    told: list[str] = []
    with slow.serving(workers=1) as server:
        run = server.start("slow", seconds=0.5, needed=60)
        thread = threading.Thread(target=lambda: told.append(watched(server, run)), daemon=True)
        thread.start()
        wait_for(
            lambda: len(server.get(f"/api/v1/runs/{run}/events").json()["events"]) > 4, SECONDS
        )
        server.process.terminate()
        server.process.wait(SECONDS)
        thread.join(SECONDS)
        assert not thread.is_alive()
    assert told
