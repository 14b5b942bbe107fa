"""Runs over HTTP: start, list, read, stop, resume, replay, report, compare, verify."""

from typing import Any

import pytest

from tests.integration.command import wait_for
from tests.integration.server.serving import Served, problem

WORD: dict[str, Any] = {"expression": "[a-f]+[0-9]{2}", "shortest": 9}


@pytest.fixture(scope="module")
def finished(served: Served) -> dict[str, Any]:
    return served.finish(served.start(**WORD))


def test_a_run_is_started_and_read(finished: dict[str, Any]) -> None:
    assert finished["state"] == "accepted"
    assert finished["app"] == "pattern"
    assert finished["task"]["expression"] == WORD["expression"]
    assert len(finished["outcome"]["answer"]["word"]) >= 9
    assert finished["attempts"][-1]["verdict"]["accepted"]


def test_a_new_run_has_an_address(served: Served) -> None:
    answer = served.post("/api/v1/runs", json={"app": "pattern", "task": WORD, "seed": 3})
    assert answer.status_code == 201
    run = answer.json()["run"]
    assert answer.headers["location"] == f"/api/v1/runs/{run}"
    assert served.finish(run)["seed"] == 3


def test_a_run_is_an_ordinary_run_of_the_journal(served: Served, finished: dict[str, Any]) -> None:
    events = served.get(f"/api/v1/runs/{finished['run']}/events").json()["events"]
    assert [event["sequence"] for event in events] == list(range(1, len(events) + 1))
    assert (events[0]["kind"], events[-1]["kind"]) == ("run.started", "run.ended")
    rest = served.get(f"/api/v1/runs/{finished['run']}/events", params={"after": 3, "limit": 2})
    assert [event["sequence"] for event in rest.json()["events"]] == [4, 5]


def test_runs_are_found_by_part_of_their_name(served: Served, finished: dict[str, Any]) -> None:
    part = finished["run"][-6:]
    assert served.get(f"/api/v1/runs/{part}").json()["run"] == finished["run"]


def test_the_list_is_filtered_and_paged(served: Served, finished: dict[str, Any]) -> None:
    other = served.finish(served.start(expression="x{3}y"))
    listed = served.get("/api/v1/runs").json()
    assert listed["total"] == len(listed["runs"]) >= 2
    newest = listed["runs"][0]
    assert (newest["run"], newest["state"], newest["title"]) == (
        other["run"],
        "accepted",
        "x{3}y",
    )
    one = served.get("/api/v1/runs", params={"limit": 1, "offset": 1}).json()
    assert len(one["runs"]) == 1
    assert one["runs"][0]["run"] == listed["runs"][1]["run"]
    found = served.get("/api/v1/runs", params={"text": "X{3}Y"}).json()
    assert [line["run"] for line in found["runs"]] == [other["run"]]
    for nothing in (
        {"app": "mle"},
        {"state": "running"},
        {"model": "claude"},
        {"text": "nowhere"},
        {"since": 9e9},
    ):
        assert served.get("/api/v1/runs", params=nothing).json()["total"] == 0, nothing
    assert problem(served.get("/api/v1/runs", params={"limit": 0}), 422)["code"] == "request.shape"
    assert finished["run"] in {line["run"] for line in listed["runs"]}


def test_a_replay_judges_the_same(served: Served, finished: dict[str, Any]) -> None:
    replayed = served.post(f"/api/v1/runs/{finished['run']}/replay").json()
    assert replayed["faithful"]
    assert replayed["judged"] == replayed["recorded"] == len(finished["attempts"])


@pytest.mark.parametrize(
    ("form", "media", "holds"),
    [
        ("html", "text/html", "<!doctype html>"),
        ("md", "text/markdown", "# pattern"),
        ("json", "application/json", '"title"'),
        ("xml", "application/xml", "<testsuite"),
        ("txt", "text/plain", "pattern"),
    ],
)
def test_a_report_has_five_formats(
    served: Served, finished: dict[str, Any], form: str, media: str, holds: str
) -> None:
    answer = served.get(f"/api/v1/runs/{finished['run']}/report", params={"format": form})
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith(media)
    assert holds in answer.text
    assert f"{finished['run']}.{form}" in answer.headers["content-disposition"]


def test_a_report_brings_its_own_policy(served: Served, finished: dict[str, Any]) -> None:
    answer = served.get(f"/api/v1/runs/{finished['run']}/report")
    policy = answer.headers["content-security-policy"]
    assert "style-src 'sha256-" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy


def test_two_runs_are_compared(served: Served, finished: dict[str, Any]) -> None:
    same = served.get(f"/api/v1/runs/{finished['run']}/diff/{finished['run']}").json()
    assert (same["same"], same["diff"]) == (True, [])
    other = served.finish(served.start(expression="z+"))
    told = served.get(f"/api/v1/runs/{finished['run']}/diff/{other['run']}").json()
    assert not told["same"]
    assert any(line.startswith('+ "task"') or "z+" in line for line in told["diff"])


def test_a_run_is_verified(served: Served, finished: dict[str, Any]) -> None:
    assert served.get(f"/api/v1/runs/{finished['run']}/verify").json() == {
        "intact": True,
        "damage": [],
    }
    assert served.get("/api/v1/verify").json()["intact"]


def test_content_is_given_by_its_name(served: Served, finished: dict[str, Any]) -> None:
    events = served.get(f"/api/v1/runs/{finished['run']}/events").json()["events"]
    call = next(event for event in events if event["kind"] == "model.called")
    answer = served.get(f"/api/v1/blobs/{call['text']}")
    assert answer.status_code == 200
    assert "sandbox" in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"
    missing = "sha256:" + "0" * 64
    assert problem(served.get(f"/api/v1/blobs/{missing}"), 404)["code"] == "not_found"


def test_the_ceiling_is_shown_before_anything_is_run(served: Served) -> None:
    before = served.get("/api/v1/runs").json()["total"]
    asked = {"app": "pattern", "task": WORD, "budget": {"rounds": 7, "cost_usd": 0.5}}
    told = served.post("/api/v1/runs/ceiling", json=asked).json()
    assert told["task"]["longest"] == 40
    assert told["ceiling"]["rounds"] == 7
    assert told["ceiling"]["cost_usd"] == 0.5
    assert served.get("/api/v1/runs").json()["total"] == before


def test_a_wish_bounds_the_run_and_more_lets_it_go_on(served: Served) -> None:
    asked = {
        "app": "pattern",
        "task": {"expression": "[a-c]+", "shortest": 9},
        "budget": {"rounds": 4},
    }
    run = served.post("/api/v1/runs", json=asked).json()["run"]
    assert served.finish(run)["state"] == "not accepted"
    more = served.post(f"/api/v1/runs/{run}/resume", json={"budget": {"rounds": 40}})
    assert more.status_code == 200, more.text
    wait_for(lambda: served.state(run) == "accepted", 60)


def test_resuming_what_has_ended_changes_nothing(served: Served, finished: dict[str, Any]) -> None:
    again = served.post(f"/api/v1/runs/{finished['run']}/resume")
    assert again.json() == {"run": finished["run"], "state": "accepted"}
    assert served.get(f"/api/v1/runs/{finished['run']}").json() == finished


def test_stopping_what_does_not_go_on_is_told(served: Served, finished: dict[str, Any]) -> None:
    told = served.post(f"/api/v1/runs/{finished['run']}/stop").json()
    assert told == {"run": finished["run"], "stopped": False}


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"app": "nope", "task": {}}, 400, "usage.unknown_name"),
        ({"app": "pattern", "task": {"expression": "("}}, 400, "usage"),
        ({"app": "pattern", "task": {"word": "a"}}, 400, "usage"),
        ({"app": "pattern", "task": WORD, "model": "nobody:knows"}, 400, None),
        ({"app": "pattern"}, 400, "usage"),
        ({"task": WORD}, 422, "request.shape"),
        ({"app": "pattern", "task": WORD, "wish": 1}, 422, "request.shape"),
        ([1, 2], 422, "request.shape"),
    ],
)
def test_mistakes_have_one_shape(served: Served, body: Any, status: int, code: str | None) -> None:
    told = problem(served.post("/api/v1/runs", json=body), status)
    assert code is None or told["code"] == code
    assert told["message"]


def test_a_model_that_nobody_knows_is_told_before_anything_begins(served: Served) -> None:
    for model in ("nobody:knows", "gpt", "http://localhost/v1"):
        body = {"app": "pattern", "task": WORD, "model": model}
        told = problem(served.post("/api/v1/runs/ceiling", json=body), 400)
        assert (told["code"], "known: " in told["hint"]) == ("usage.unknown_name", True)


def test_what_is_not_there_is_not_found(served: Served) -> None:
    for path in ("/api/v1/runs/nobody", "/api/v1/apps/nobody"):
        assert problem(served.get(path), 404)["code"] == "usage.unknown_name"
    assert problem(served.post("/api/v1/runs/nobody/stop"), 404)["message"]
    assert problem(served.get("/api/v1/nowhere"), 404)["code"] == "not_found"
    assert problem(served.client.delete("/api/v1/runs"), 405)["code"] == "method"


def test_a_body_that_is_not_json_is_told(served: Served) -> None:
    answer = served.post(
        "/api/v1/runs", content=b"{not json", headers={"content-type": "application/json"}
    )
    assert problem(answer, 422)["code"] == "request.shape"
