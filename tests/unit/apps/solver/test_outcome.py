"""The ordered procedure: each step decides before the next is looked at."""

from typing import Any

import pytest

from proveout.apps.solver.entities import Identity
from proveout.apps.solver.plan import Plan
from proveout.apps.solver.sandbox.engine import Rows
from proveout.apps.solver.tools import TOOLS
from proveout.apps.solver.validating.access import performed
from proveout.apps.solver.validating.outcome import Ruling, at_last, at_once
from proveout.apps.solver.validating.refusal import PlanRefused
from tests.unit.apps.solver.small_policy import SmallPolicy
from tests.unit.apps.solver.validating_bench import (
    DIRECTION,
    ENGINEER,
    GUEST,
    TODAY,
    VISITOR,
    call,
    read,
)

PERSON = call("resolve_person", "people", "p", text="x")
SITE = call("resolve_site", "sites", "s", text="x")
PAY = read("pay", "SELECT salary FROM employee_salaries")
RAISE = {"intent": "employee.salary.write", "args": {"employee": "$p.id", "salary": 1}}
DELETE = {"operation": "customer.delete"}


def early(who: tuple[str, str], plan: dict[str, Any]) -> Ruling | None:
    identity = Identity.model_validate(
        {"current_user": who[0], "department": who[1], "today": TODAY}
    )
    proposed = Plan.model_validate(plan)
    return at_once(proposed, performed(proposed, TOOLS), identity, SmallPolicy())


@pytest.mark.parametrize(
    ("who", "plan", "expected"),
    [
        # 2 before 3: what a guest may not ask about is denied, offered or not.
        (GUEST, {"response_template": DELETE}, "denied_security"),
        (GUEST, {"tool_calls": [PERSON]}, "denied_security"),
        (GUEST, {"tool_calls": [SITE, PERSON]}, "denied_security"),
        (GUEST, {"tool_calls": [call("load_salaries", "loaded", "l")]}, "denied_security"),
        (GUEST, {"sql": [PAY]}, "denied_security"),
        (GUEST, {"response_template": {"outcome": "none_clarification_needed"}}, "denied_security"),
        (GUEST, {"response_template": {"outcome": "denied_security"}}, "denied_security"),
        (GUEST, {"tool_calls": [SITE]}, None),
        (GUEST, {"sql": [read("t", "SELECT today FROM me")]}, None),
        # 3 before 4: what nobody can do is unsupported even for who is barred from its parts.
        (VISITOR, {"sql": [PAY], "response_template": DELETE}, "none_unsupported"),
        (DIRECTION, {"response_template": DELETE}, "none_unsupported"),
        # 4: barred whatever the arguments.
        (VISITOR, {"tool_calls": [PERSON], "writes": [RAISE]}, "denied_security"),
        (VISITOR, {"sql": [PAY]}, "denied_security"),
        (VISITOR, {"response_template": {"operation": "wiki.write"}}, "denied_security"),
        (ENGINEER, {"sql": [PAY]}, None),
        (DIRECTION, {"tool_calls": [PERSON], "writes": [RAISE]}, None),
        # 5: nothing but a question.
        (ENGINEER, {"response_template": {"outcome": "none_clarification_needed"}},
         "none_clarification_needed"),
    ],
)  # fmt: skip
def test_what_is_decided_before_any_lookup(
    who: tuple[str, str], plan: dict[str, Any], expected: str | None
) -> None:
    ruling = early(who, plan)
    assert (ruling.outcome if ruling else None) == expected
    if ruling is not None and ruling.outcome == "denied_security":
        assert ruling.proofs[0].result == "deny"
        assert ruling.proofs[0].rules


@pytest.mark.parametrize(
    ("template", "code"),
    [
        ({"outcome": "denied_security"}, "solver.plan.unproved_denial"),
        ({"outcome": "none_unsupported"}, "solver.plan.unproved_unsupported"),
        ({"operation": "project.pause"}, "solver.plan.unproved_unsupported"),
        ({"outcome": "ok_not_found"}, "solver.plan.no_answer"),
        ({"outcome": "error_internal"}, "solver.plan.no_answer"),
        ({}, "solver.plan.no_answer"),
    ],
)
def test_a_claim_without_work_is_sent_back(template: dict[str, Any], code: str) -> None:
    with pytest.raises(PlanRefused) as refused:
        early(DIRECTION, {"response_template": template})
    assert refused.value.finding.code == code


SOME, NONE = Rows(("id",), (("a",),)), Rows(("id",))


@pytest.mark.parametrize(
    ("template", "rows", "changes", "expected"),
    [
        ({"answer": "x"}, SOME, 0, "ok_answer"),
        ({"answer": "x"}, NONE, 0, "ok_not_found"),
        ({"answer": "x", "outcome": "denied_security"}, SOME, 0, "ok_answer"),
        ({"answer": "x", "outcome": "ok_not_found"}, SOME, 0, "ok_answer"),
        ({"answer": "x", "outcome": "error_internal"}, NONE, 0, "ok_not_found"),
        ({"answer": "x", "empty_is_answer": True}, NONE, 0, "ok_answer"),
        ({"message": {"form": "yes_no", "truth": "x"}}, NONE, 0, "ok_answer"),
        ({"outcome": "none_clarification_needed"}, SOME, 0, "none_clarification_needed"),
        ({"answer": "x", "outcome": "none_clarification_needed"}, SOME, 0, "ok_answer"),
    ],
)
def test_the_last_steps_go_by_what_was_found(
    template: dict[str, Any], rows: Rows, changes: int, expected: str
) -> None:
    plan = Plan.model_validate(
        {"sql": [read("x", "SELECT id FROM me")], "response_template": template}
    )
    assert at_last(plan, {"x": rows}, changes).outcome == expected


def test_writes_that_find_nothing_to_change_found_nothing() -> None:
    plan = Plan.model_validate({"tool_calls": [PERSON], "writes": [{**RAISE, "for_each": "p"}]})
    assert at_last(plan, {}, 0).outcome == "ok_not_found"
    assert at_last(plan, {}, 1).outcome == "ok_answer"
