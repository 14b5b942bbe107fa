"""Changes of many rows, repeated, interrupted and failing: each is made at most once."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import JsonValue

from tests.unit.apps.solver.validating_bench import (
    LEAD,
    PEOPLE_OFFICE,
    Bench,
    Notebook,
    bench,
    call,
    codes,
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
PERSON = call("resolve_person", "people", "person", text="Carla Mende")
PAUSE = plan(
    write("project.status.write", project="$project.id", status="paused"),
    calls=[PROJECT],
)
PAUSE_TEXT = "Pause the project Atrium glazing"
LOG = plan(
    write(
        "time.log",
        employee="$person.id",
        project="$project.id",
        date="$day.date_from",
        hours=3,
        billable=True,
        notes="fill it in later",
    ),
    calls=[PROJECT, PERSON, call("resolve_dates", "dates", "day", text="yesterday")],
)
LOG_TEXT = "Log 3 hours yesterday for Carla Mende on Atrium glazing. Note: fill it in later"


def test_for_each_writes_once_per_row(at: Bench) -> None:
    notes = {
        "tool_calls": [call("resolve_department", "departments", "department", text="Workshop")],
        "sql": [
            read("staff", "SELECT e.id FROM employees e JOIN department d ON d.name = e.department")
        ],
        "writes": [write("employee.note.write", "staff", employee="$staff.id", note="new gloves")],
    }
    decision = at.judge(PEOPLE_OFFICE, "Note new gloves for all of the Workshop", notes)
    assert outcome(decision) == "ok_answer"
    assert [body["employee"] for _, body in at.changes] == ["p03", "p04", "p05", "p07"]


def test_a_set_that_the_task_does_not_name_is_not_written_to(at: Bench) -> None:
    notes = {
        "sql": [read("staff", "SELECT id FROM employees")],
        "writes": [write("employee.note.write", "staff", employee="$staff.id", note="new gloves")],
    }
    decision = at.judge(PEOPLE_OFFICE, "Note new gloves for Carla Mende", notes)
    assert codes(decision) == ["solver.write.untargeted"]
    assert at.changes == []


def test_one_amount_for_all_is_denied_where_each_needs_an_approval(at: Bench) -> None:
    raise_ = write("employee.salary.write", "staff", employee="$staff.id", delta=1000)
    everybody = {"sql": [read("staff", "SELECT id FROM employees")], "writes": [raise_]}
    decision = at.judge(PEOPLE_OFFICE, "Raise everybody's salary by 1000", everybody)
    assert outcome(decision) == "denied_security"
    assert at.changes == []


def test_amounts_out_of_data_say_nothing_about_permission(at: Bench) -> None:
    raise_ = write("employee.salary.write", "staff", employee="$staff.id", salary="$staff.salary")
    sql = [read("staff", "SELECT employee_id AS id, salary FROM employee_salaries")]
    plan_ = {"sql": sql, "writes": [raise_]}
    decision = at.judge(PEOPLE_OFFICE, "Raise everybody's salary", plan_)
    assert codes(decision) == ["solver.write.untargeted"]
    assert at.changes == []


def test_too_many_rows_are_refused_whole(at: Bench) -> None:
    values = " UNION ALL ".join("SELECT id FROM me" for _ in range(1))
    many = {
        "tool_calls": [call("resolve_department", "departments", "department", text="Workshop")],
        "sql": [
            read(
                "staff",
                "SELECT a.id, b.id AS b, c.id AS c, d2.id AS d FROM employees a, employees b, "
                f"employees c, employees d2, department d, ({values}) m",
            )
        ],
        "writes": [write("employee.note.write", "staff", employee="$staff.id", note="new gloves")],
    }
    decision = at.judge(PEOPLE_OFFICE, "Note new gloves for the Workshop", many)
    assert codes(decision) == ["solver.write.bulk"]
    assert at.changes == []


def test_the_same_change_twice_is_a_mistake(at: Bench) -> None:
    twice = {**LOG, "writes": LOG["writes"] * 2}
    decision = at.judge(LEAD, LOG_TEXT, twice)
    assert codes(decision) == ["solver.write.duplicate"]
    assert at.changes == []


def test_a_finished_write_is_not_repeated(at: Bench) -> None:
    notebook = Notebook()
    first = at.judge(LEAD, LOG_TEXT, LOG, notebook)
    second = at.judge(LEAD, LOG_TEXT, LOG, notebook)
    assert len(at.changes) == 1
    assert first.writes == second.writes
    assert first.response == second.response


class Crash(Exception):
    pass


def crashing(notebook: Notebook, after: str) -> Callable[[str, Callable[[], JsonValue]], JsonValue]:
    """Loses the process right before a result is kept, when everything is done."""

    def once(name: str, do: Callable[[], JsonValue]) -> JsonValue:
        if name.endswith(after) and name not in notebook.held:
            do()
            raise Crash
        return notebook(name, do)

    return once


@pytest.mark.parametrize(
    ("who", "text", "wanted"), [(LEAD, LOG_TEXT, LOG), (LEAD, PAUSE_TEXT, PAUSE)]
)
def test_a_write_of_unknown_outcome_is_looked_for_before_it_is_sent_again(
    at: Bench, who: tuple[str, str], text: str, wanted: dict[str, Any]
) -> None:
    notebook = Notebook()
    with pytest.raises(Crash):
        at.judge(who, text, wanted, crashing(notebook, "done"))
    assert len(at.changes) == 1
    decision = at.judge(who, text, wanted, notebook)
    assert outcome(decision) == "ok_answer"
    assert decision.writes[0].sent
    assert decision.writes[0].verified
    assert len(at.changes) == 1


def test_a_crash_before_sending_sends_once(at: Bench) -> None:
    notebook = Notebook()
    with pytest.raises(Crash):
        at.judge(LEAD, LOG_TEXT, LOG, crashing(notebook, "begun"))
    assert at.changes == []
    at.judge(LEAD, LOG_TEXT, LOG, notebook)
    assert len(at.changes) == 1


@pytest.mark.parametrize("fault", ["lost", "fault"])
@pytest.mark.parametrize(
    ("route", "text", "wanted"),
    [("/time/log", LOG_TEXT, LOG), ("/projects/status/update", PAUSE_TEXT, PAUSE)],
)
def test_a_broken_line_does_not_double_a_write(
    at: Bench, fault: str, route: str, text: str, wanted: dict[str, Any]
) -> None:
    at.company.faults[route] = [fault]
    decision = at.judge(LEAD, text, wanted)
    assert outcome(decision) == "ok_answer"
    assert len(at.changes) == 1


def test_a_write_that_keeps_failing_is_an_internal_error(at: Bench) -> None:
    at.company.faults["/time/log"] = ["fault"] * 9
    decision = at.judge(LEAD, LOG_TEXT, LOG)
    assert outcome(decision) == "error_internal"
    assert links(decision) == set()
    assert not decision.writes[0].sent
