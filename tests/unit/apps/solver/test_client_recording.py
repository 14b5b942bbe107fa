"""A recorded task can be replayed without the API, and only as it was recorded."""

import json
import stat
from pathlib import Path

import pytest

from proveout.apps.solver.client import (
    CompanyClient,
    Garbled,
    NotFound,
    Patience,
    RecordingTransport,
    ReplayTransport,
    Throttled,
    Unreachable,
)
from proveout.apps.solver.client.requests import WikiUpdate
from proveout.kernel.errors import Diverged, UsageError
from tests.unit.apps.solver.client_loopback import (
    LoopbackApi,
    Naps,
    Said,
    SmallCompany,
    in_turn,
    person,
    refusal,
)


def replayed(path: Path) -> CompanyClient:
    return CompanyClient(ReplayTransport.read(path), patience=Patience(tries=1, sleep=Naps()))


def walk(client: CompanyClient) -> list[str]:
    seen = [it.id for it in client.all_employees()]
    before = client.load_wiki("a.md").content
    client.update_wiki(WikiUpdate(file="a.md", content="after"))
    return [*seen, before, client.load_wiki("a.md").content]


def test_a_replay_sees_what_the_recording_saw(tmp_path: Path) -> None:
    people = [person(f"a_{number}", f"Ann {number}") for number in range(7)]
    path = tmp_path / "deep" / "task.jsonl"
    company = SmallCompany(people=people, pages={"a.md": "before"})
    with LoopbackApi(company) as api, RecordingTransport(api.transport(), path) as transport:
        live = CompanyClient(transport)
        seen = walk(live)
    again = replayed(path)
    assert walk(again) == seen
    assert seen[-2:] == ["before", "after"]
    assert again.trail.digest == live.trail.digest
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_failures_are_replayed_as_failures(tmp_path: Path) -> None:
    path = tmp_path / "task.jsonl"
    said = (refusal(404, "gone"), Said(b"<html>"), refusal(429, Retry_After="7"))
    outcomes = (NotFound, Garbled, Throttled, Unreachable)
    with (
        LoopbackApi(in_turn(*said, Said({}, hangs=True))) as api,
        RecordingTransport(api.transport(timeout_seconds=0.3), path) as transport,
    ):
        client = CompanyClient(transport, patience=Patience(tries=1, most_failures=9))
        for number, outcome in enumerate(outcomes):
            with pytest.raises(outcome):
                client.get_employee(f"a_{number}")
    again = replayed(path)
    for number, outcome in enumerate(outcomes):
        with pytest.raises(outcome):
            again.get_employee(f"a_{number}")


def test_what_was_not_recorded_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "task.jsonl"
    company = SmallCompany(pages={"a.md": "x"})
    with LoopbackApi(company) as api, RecordingTransport(api.transport(), path) as transport:
        client = CompanyClient(transport)
        client.load_wiki("a.md")
        client.update_wiki(WikiUpdate(file="a.md", content="y"))
    again = replayed(path)
    with pytest.raises(Diverged):
        again.load_wiki("b.md")
    again.update_wiki(WikiUpdate(file="a.md", content="y"))
    with pytest.raises(Diverged):
        again.update_wiki(WikiUpdate(file="a.md", content="y"))


@pytest.mark.parametrize("line", ["{", "[]", '{"route": 1, "status": 200}', '{"route": "/x"}'])
def test_a_file_that_is_no_recording(tmp_path: Path, line: str) -> None:
    path = tmp_path / "odd.jsonl"
    path.write_text(f"\n{line}\n")
    with pytest.raises(UsageError):
        ReplayTransport.read(path)


def test_a_recording_never_holds_an_account_key(tmp_path: Path) -> None:
    path = tmp_path / "core.jsonl"
    told = in_turn(Said({"key": "key-canary"}))
    with LoopbackApi(told) as api, RecordingTransport(api.transport(), path) as transport:
        transport.post("/sessions/start", {"account_key": "key-canary", "benchmark": "b"})
    line = json.loads(path.read_text())
    assert line["request"] == {"account_key": "***", "benchmark": "b"}
    assert "key-canary" not in path.read_text()
