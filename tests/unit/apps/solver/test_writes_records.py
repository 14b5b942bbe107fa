"""Changes of time entries and pages: whole, literal, byte for byte."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.unit.apps.solver.validating_bench import (
    DIRECTION,
    ENGINEER,
    PEOPLE_OFFICE,
    Bench,
    bench,
    call,
    links,
    outcome,
    read,
)


@pytest.fixture
def at(tmp_path: Path) -> Iterator[Bench]:
    with bench(tmp_path) as made:
        yield made


def write(intent: str, for_each: str = "", **args: Any) -> dict[str, Any]:
    return {"intent": intent, "args": args, "for_each": for_each}


def plan(
    *writes: dict[str, Any], calls: list[dict[str, Any]] | None = None, **more: Any
) -> dict[str, Any]:
    template = {"message": {"text": "Done."}}
    return {
        "writes": list(writes),
        "tool_calls": calls or [],
        "response_template": template,
        **more,
    }


PROJECT = call("resolve_project", "projects", "project", text="Atrium glazing")


VOID_AND_COPY = plan(
    write("time.update", entry="$entry.id", status="voided"),
    write("time.log", copy_of="$entry.id", hours=8),
    calls=[
        PROJECT,
        call(
            "load_time_entries",
            "loaded",
            "loaded",
            employee="p03",
            date_from="2025-05-10",
            date_to="2025-05-10",
        ),
    ],
    sql=[
        read(
            "entry",
            "SELECT t.id FROM time_entries t JOIN project p ON p.id = t.project_id "
            "JOIN me ON me.id = t.employee_id WHERE t.date = '2025-05-10'",
        )
    ],
)
VOID_TEXT = "I logged 8 hours on Atrium glazing on 2025-05-10, worked 6: void it and copy it with 8"


def test_an_entry_is_voided_whole_and_copied_with_the_hours_asked_for(at: Bench) -> None:
    decision = at.judge(ENGINEER, VOID_TEXT, VOID_AND_COPY)
    assert outcome(decision) == "ok_answer"
    (first, voided), (second, copied) = at.changes
    assert (first, second) == ("/time/update", "/time/log")
    assert voided == {
        "id": "te_001",
        "date": "2025-05-10",
        "hours": 8.0,
        "work_category": "customer_project",
        "notes": "frames",
        "billable": True,
        "status": "voided",
    }
    assert (copied["hours"], copied["status"], copied["notes"]) == (8.0, "draft", "frames")


def test_an_entry_that_does_not_exist_is_not_found(at: Bench) -> None:
    at.company.state["time"].clear()
    assert outcome(at.judge(ENGINEER, VOID_TEXT, VOID_AND_COPY)) == "ok_not_found"
    assert at.changes == []


RENAME = plan(
    write("wiki.write", path="index.md.bak", content_of="index.md"),
    write("wiki.write", path="index.md", delete=True),
)
RENAME_TEXT = "Rename the wiki page index.md to index.md.bak"


def test_a_page_is_renamed_byte_for_byte(at: Bench) -> None:
    original = at.company.state["wiki"]["index.md"]
    decision = at.judge(DIRECTION, RENAME_TEXT, RENAME)
    assert outcome(decision) == "ok_answer"
    assert at.changes == [
        ("/wiki/update", {"file": "index.md.bak", "content": original}),
        ("/wiki/update", {"file": "index.md", "content": ""}),
    ]
    assert links(decision) == {("wiki", "index.md.bak")}


def test_owners_write_their_pages_and_no_others(at: Bench) -> None:
    text = "Write hr/new.md and it/new.md with: All hands on Friday"
    for path, expected in (("hr/new.md", "ok_answer"), ("it/new.md", "denied_security")):
        page = plan(write("wiki.write", path=path, content="All hands on Friday"))
        assert outcome(at.judge(PEOPLE_OFFICE, text, page)) == expected
    assert at.changes == [("/wiki/update", {"file": "hr/new.md", "content": "All hands on Friday"})]


def test_a_page_is_written_from_results(at: Bench) -> None:
    page = plan(
        write("wiki.write", path="leads.md", template="# Leads\n- {lead.name*}"),
        sql=[
            read(
                "lead",
                "SELECT e.name FROM employees e JOIN project_team t ON t.employee_id = e.id "
                "WHERE t.role = 'Lead' ORDER BY e.name",
            )
        ],
    )
    assert outcome(at.judge(DIRECTION, "List all leads in leads.md", page)) == "ok_answer"
    assert at.changes[0][1]["content"] == "# Leads\n- Carla Mende\n- Dario Fenn"
