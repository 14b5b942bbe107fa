"""Our routes over the recorded companies answer what the real service answered.

The recordings are not part of the repository: they lie in `shared/erc3-real` beside it, if at all.
"""

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from proveout.apps.solver.world.api.body import ApiError, Body
from proveout.apps.solver.world.api.routes import call
from proveout.apps.solver.world.api.state import TaskState, wiki_digest
from proveout.apps.solver.world.graph import (
    Customer,
    Level,
    Member,
    Person,
    Project,
    TimeEntry,
    World,
)
from proveout.apps.solver.world.spec import Expected, Overlay, TaskSpec, WhoAmI
from tests.unit.apps.solver_world.world_bench import small_world

REAL = Path(__file__).resolve().parents[5] / "shared" / "erc3-real"
pytestmark = pytest.mark.skipif(not REAL.exists(), reason="no recordings of the real service")


def lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (REAL / name).read_text(encoding="utf-8").splitlines()]


def levels(rows: list[dict[str, Any]]) -> tuple[Level, ...]:
    return tuple(Level(**row) for row in rows)


def project(row: dict[str, Any]) -> Project:
    team = (Member(m["employee"], round(m["time_slice"] * 1000), m["role"]) for m in row["team"])
    return Project(**{**row, "team": tuple(team)})


@cache
def company(seed: str) -> World:
    """A recorded company in our own objects."""
    data = json.loads((REAL / "worlds" / f"{seed}.json").read_text(encoding="utf-8"))
    people = (
        Person(**{**row, "skills": levels(row["skills"]), "wills": levels(row["wills"])})
        for row in data["employees"]
    )
    return replace(
        small_world(),
        people=tuple(people),
        customers=tuple(Customer(**row) for row in data["customers"]),
        projects=tuple(map(project, data["projects"])),
        time_entries=(),
        wiki=json.loads((REAL / "wiki.json").read_text(encoding="utf-8")),
        merger=None,
    )


def entry(row: dict[str, Any]) -> TimeEntry:
    fields = {key: value for key, value in row.items() if key != "hours"}
    return TimeEntry(**fields, hours_centi=round(row["hours"] * 100))


def task(run: dict[str, Any]) -> TaskSpec:
    planted, who = run["overlay"] or {}, run["whoami"]
    fields = {key: value for key, value in (who or {}).items() if key != "wiki_sha1"}
    return TaskSpec(
        run["spec_id"],
        "recorded",
        run["task_text"],
        WhoAmI(**fields) if who else None,
        Expected(("ok_answer",)),
        page_cap=run["page_cap"],
        overlay=Overlay(
            notes=planted.get("notes") or {},
            time_entries=tuple(map(entry, planted.get("time_entries") or ())),
        ),
    )


def test_recorded_requests_get_the_recorded_answers() -> None:
    runs = {run["draw_id"]: run for run in lines("runs.jsonl")}
    recorded = lines("exchanges.jsonl")
    assert recorded
    for exchange in recorded:
        run = runs[exchange["draw_id"]]
        state = TaskState(company(run["world"]), task(run))
        try:
            status, answer = 200, call(state, exchange["route"], Body(exchange["request"]))
        except ApiError as error:
            status, answer = error.status, error.body()
        assert status == exchange["status"], exchange
        if exchange["response"] is not None:
            assert answer == exchange["response"], exchange


def test_the_digest_is_the_recorded_one() -> None:
    pages = json.loads((REAL / "wiki.json").read_text(encoding="utf-8"))
    told = {
        row["response"]["sha1"] for row in lines("exchanges.jsonl") if row["route"] == "/wiki/list"
    }
    assert told == {wiki_digest(pages)}
