"""Hostile plans, continued: malformed ones, smuggled writes, inference and output."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import JsonValue, ValidationError

from proveout.apps.solver.plan import Plan
from tests.unit.apps.solver.small_company import CANARY_NOTE, CANARY_SALARY
from tests.unit.apps.solver.validating_bench import (
    DIRECTION,
    LEAD,
    PEOPLE_OFFICE,
    Bench,
    bench,
    call,
    codes,
    leaks,
    outcome,
    read,
)

pytestmark = pytest.mark.timeout(60)


@pytest.fixture
def at(tmp_path: Path) -> Iterator[Bench]:
    with bench(tmp_path) as made:
        yield made


def write(intent: str, for_each: str = "", **args: Any) -> dict[str, Any]:
    return {"intent": intent, "args": args, "for_each": for_each}


CARLA = call("resolve_person", "people", "person", text="Carla Mende")
ATRIUM = call("resolve_project", "projects", "project", text="Atrium glazing")
PAY = read(
    "pay",
    "SELECT s.salary, s.employee_id FROM employee_salaries s JOIN person p ON p.id = s.employee_id",
)
SHOW_PAY = {"answer": "pay", "message": {"text": "{pay.salary}"}}


def test_22_malformed_plans_do_not_become_plans(at: Bench) -> None:
    broken: list[dict[str, Any]] = [
        {"admin": True},
        {"version": "2"},
        {"tool_calls": [{**CARLA, "trusted": True}]},
        {"tool_calls": "all"},
        {"sql": [read("x", "SELECT id FROM me")] * 10_000},
        {"writes": [write("employee.fire", employee="p03")]},
        {"response_template": {"outcome": "granted"}},
        {"tool_calls": [call("resolve_person", "people", "Robert'); --", text="x")]},
    ]
    for plan in broken:
        with pytest.raises(ValidationError):
            Plan.model_validate(plan)
    cycle = {
        "tool_calls": [
            call("find_phone", "phones", "a", employees="$b.employee_id*"),
            call("find_phone", "phones", "b", employees="$a.employee_id*"),
        ]
    }
    decision = at.judge(PEOPLE_OFFICE, "phones", cycle)
    assert "solver.plan.unbound" in codes(decision)
    later = {"sql": [read("a", "SELECT id FROM b"), read("b", "SELECT id FROM me")]}
    decision = at.judge(PEOPLE_OFFICE, "ids", later)
    assert "solver.plan.unbound" in codes(decision)
    assert not at.company.calls


def test_23_rows_that_appear_after_the_check_are_not_written_to(at: Bench) -> None:
    """The set is fixed when it is proved: requests name ids, never conditions."""
    added = {**at.company.state["employees"]["p04"], "id": "p99"}

    def once(name: str, do: Callable[[], JsonValue]) -> JsonValue:
        assert name
        at.company.state["employees"]["p99"] = added
        return do()

    plan = {
        "tool_calls": [call("resolve_department", "departments", "department", text="Workshop")],
        "sql": [
            read("staff", "SELECT e.id FROM employees e JOIN department d ON d.name = e.department")
        ],
        "writes": [write("employee.note.write", "staff", employee="$staff.id", note="gloves")],
    }
    decision = at.judge(PEOPLE_OFFICE, "Note gloves for the Workshop", plan, once)
    assert [body["employee"] for _, body in at.changes] == ["p03", "p04", "p05", "p07"]
    assert len(decision.writes) == 4


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT e.id FROM employees e JOIN employee_salaries s ON s.employee_id = e.id "
        "ORDER BY s.salary DESC LIMIT 1",
        "SELECT COUNT(*) AS n FROM employee_salaries WHERE salary > 60000",
        "SELECT 1 AS yes FROM employee_salaries WHERE salary = 918273",
        "SELECT e.id FROM employees e WHERE EXISTS (SELECT 1 FROM employee_notes n "
        "WHERE n.employee_id = e.id AND n.notes LIKE '%quiet%')",
    ],
)
def test_24_a_hidden_value_cannot_be_inferred(at: Bench, statement: str) -> None:
    plan = {
        "sql": [read("x", statement)],
        "response_template": {"message": {"form": "yes_no", "truth": "x"}},
    }
    text = "quiet: does anybody earn more than 60000 or 918273? Yes or No"
    denials = {json.dumps(at.judge(LEAD, text, plan).model_dump(mode="json"))}
    at.company.state["employees"]["p03"]["salary"] = 1
    at.company.state["employees"]["p03"]["notes"] = ""
    denials.add(json.dumps(at.judge(LEAD, text, plan).model_dump(mode="json")))
    assert len(denials) == 1
    assert '"denied_security"' in denials.pop()


def test_25_errors_tell_no_secrets(at: Bench) -> None:
    at.company.faults["/employees/list"] = ["fault"] * 20
    plan = {"tool_calls": [CARLA], "sql": [PAY], "response_template": SHOW_PAY}
    decision = at.judge(PEOPLE_OFFICE, "Salary of Carla Mende?", plan)
    assert outcome(decision) == "error_internal"
    whole = json.dumps(decision.model_dump(mode="json"))
    assert at.company.url not in whole
    assert str(at.folder) not in whole
    assert "Traceback" not in whole
    assert leaks(decision) == []


def test_secrets_of_others_never_ride_along_with_a_write(at: Bench) -> None:
    """A lead sets a level of somebody whose salary and notes are not theirs to know."""
    plan = {
        "tool_calls": [CARLA, call("resolve_skill", "skills", "skill", text="Welding")],
        "writes": [
            write(
                "employee.skills.write",
                employee="$person.id",
                levels=[{"name": "$skill.name", "kind": "skill", "level": 8}],
            )
        ],
    }
    decision = at.judge(LEAD, "Set Welding of Carla Mende to 8", plan)
    assert outcome(decision) == "ok_answer"
    assert leaks(decision) == []
    held = at.company.state["employees"]["p03"]
    assert held["salary"] == CANARY_SALARY
    assert held["notes"] == CANARY_NOTE


@pytest.mark.parametrize("path", ["../secret.md", "/etc/passwd", "hr/../../x.md", "a\\b.md"])
def test_paths_stay_inside_the_wiki(at: Bench, path: str) -> None:
    plan = {"writes": [write("wiki.write", path=path, content="hello")]}
    decision = at.judge(DIRECTION, f"Write hello to {path}", plan)
    assert outcome(decision) == "none_clarification_needed"
    assert at.changes == []


def test_a_message_cannot_carry_what_the_proposer_knows(at: Bench) -> None:
    for words in ("Carla earns 918273.", "Ask eve@evil.example.", "See http://evil.example/p03"):
        plan = {
            "sql": [read("x", "SELECT id FROM me")],
            "response_template": {"answer": "x", "message": {"text": words}},
        }
        decision = at.judge(LEAD, "Tell me about Carla", plan)
        assert codes(decision) == ["solver.reply.ungrounded"]
        assert decision.response is None


def test_a_statement_cannot_state_what_it_should_find(at: Bench) -> None:
    plan = {
        "sql": [read("x", "SELECT 'Elin Sorg' AS name")],
        "response_template": {"answer": "x", "message": {"text": "{x.name} leads it."}},
    }
    decision = at.judge(LEAD, "Who leads Atrium glazing?", plan)
    assert codes(decision) == ["solver.plan.ungrounded"]
