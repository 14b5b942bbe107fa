"""Plans for reading: executed, cleared, answered."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from proveout.apps.solver.validating.codes import FINDINGS
from tests.unit.apps.solver.small_company import CANARY_CONTACT
from tests.unit.apps.solver.validating_bench import (
    DIRECTION,
    ENGINEER,
    GUEST,
    LEAD,
    PEOPLE_OFFICE,
    VISITOR,
    Bench,
    bench,
    call,
    codes,
    leaks,
    links,
    message,
    outcome,
    read,
)


@pytest.fixture
def at(tmp_path: Path) -> Iterator[Bench]:
    with bench(tmp_path) as made:
        yield made


LEAD_OF: dict[str, Any] = {
    "tool_calls": [call("resolve_project", "projects", "project", text="Atrium glazing")],
    "sql": [
        read(
            "lead",
            "SELECT e.id, e.name, t.project_id FROM project_team t JOIN employees e "
            "ON e.id = t.employee_id JOIN project p ON p.id = t.project_id WHERE t.role = 'Lead'",
        )
    ],
    "response_template": {
        "answer": "lead",
        "message": {"text": "{lead.name} ({lead.id}) leads it."},
        "links": [
            {"kind": "employee", "source": "lead"},
            {"kind": "project", "source": "lead", "column": "project_id"},
        ],
    },
}


def test_a_read_is_executed_proved_and_answered(at: Bench) -> None:
    decision = at.judge(ENGINEER, "Who leads Atrium glazing?", LEAD_OF)
    assert decision.ok
    assert outcome(decision) == "ok_answer"
    assert message(decision) == "Dario Fenn (p04) leads it."
    assert links(decision) == {("employee", "p04"), ("project", "prj_atrium")}
    assert [it.tool for it in decision.trace] == ["resolve_project"]
    assert decision.trace[0].digest
    assert decision.sql[0].rows == (("p04", "Dario Fenn", "prj_atrium"),)
    proved = {it.operation: it.result for it in decision.proofs}
    assert proved["project.team"] == "allow"
    assert all(it.rules for it in decision.proofs)
    assert decision.steps[0].startswith("1 ")
    assert decision.steps[-1].startswith("9 ")


def test_the_same_plan_gives_the_same_decision(at: Bench) -> None:
    first = at.judge(ENGINEER, "Who leads Atrium glazing?", LEAD_OF)
    second = at.judge(ENGINEER, "Who leads Atrium glazing?", LEAD_OF)
    assert first == second


def test_a_phrase_that_means_nothing_is_asked_back(at: Bench) -> None:
    plan = {
        **LEAD_OF,
        "tool_calls": [call("resolve_project", "projects", "project", text="Moon base")],
    }
    decision = at.judge(ENGINEER, "Who leads the Moon base?", plan)
    assert outcome(decision) == "none_clarification_needed"
    assert links(decision) == set()


def test_a_name_of_two_people_is_asked_back(at: Bench) -> None:
    plan = {
        "tool_calls": [call("resolve_person", "people", "person", text="Holm")],
        "response_template": {"answer": "person", "message": {"text": "{person.name}"}},
    }
    decision = at.judge(ENGINEER, "What is the department of Holm", plan)
    assert outcome(decision) == "none_clarification_needed"


def test_an_empty_result_is_not_found_and_shows_no_project(at: Bench) -> None:
    plan = {
        "sql": [
            read(
                "mine",
                "SELECT m.project_id FROM my_projects m JOIN project_team t "
                "ON t.project_id = m.project_id WHERE t.role = 'Designer'",
            ),
            read("all_mine", "SELECT project_id FROM my_projects"),
        ],
        "response_template": {
            "answer": "mine",
            "message": {"text": "{mine.project_id*}"},
            "links": [{"kind": "project", "source": "all_mine", "column": "project_id"}],
        },
    }
    decision = at.judge(LEAD, "Which of my projects has a designer?", plan)
    assert outcome(decision) == "ok_not_found"
    assert links(decision) == set()


def test_an_empty_set_can_be_the_answer(at: Bench) -> None:
    plan = {
        "sql": [read("none", "SELECT id FROM me WHERE id = ''")],
        "response_template": {
            "answer": "none",
            "empty_is_answer": True,
            "message": {"text": "Nothing is missing."},
        },
    }
    assert outcome(at.judge(LEAD, "What do I lack?", plan)) == "ok_answer"


def test_a_sum_over_nothing_is_nothing(at: Bench) -> None:
    plan = {
        "sql": [read("total", "SELECT SUM(slice_milli) AS s FROM project_team WHERE role = 'Ops'")],
        "response_template": {"answer": "total", "message": {"text": "{total.s:fte}"}},
    }
    assert outcome(at.judge(LEAD, "How much Ops work is there?", plan)) == "ok_not_found"


SALARY = {
    "tool_calls": [call("resolve_person", "people", "person", text="Carla Mende")],
    "sql": [
        read(
            "pay",
            "SELECT s.employee_id, s.salary FROM employee_salaries s "
            "JOIN person p ON p.id = s.employee_id",
        )
    ],
    "response_template": {
        "answer": "pay",
        "message": {"text": "{pay.salary}"},
        "links": [{"kind": "employee", "source": "pay", "column": "employee_id"}],
    },
}


def test_who_may_see_a_salary_sees_plain_digits(at: Bench) -> None:
    decision = at.judge(PEOPLE_OFFICE, "What is the salary of Carla Mende?", SALARY)
    assert message(decision) == "918273"
    assert links(decision) == {("employee", "p03")}


@pytest.mark.parametrize("who", [LEAD, VISITOR, GUEST])
def test_who_may_not_is_denied_without_a_trace_of_it(at: Bench, who: tuple[str, str]) -> None:
    decision = at.judge(who, "What is the salary of Carla Mende?", SALARY)
    assert decision.ok
    assert outcome(decision) == "denied_security"
    assert links(decision) == set()
    assert "Carla" not in message(decision)
    assert decision.proofs[-1].result == "deny"
    assert decision.proofs[-1].rules
    assert leaks(decision) == []


@pytest.mark.parametrize("who", [VISITOR, GUEST])
def test_who_is_barred_is_told_before_any_lookup(at: Bench, who: tuple[str, str]) -> None:
    at.judge(who, "What is the salary of Carla Mende?", SALARY)
    assert not at.company.calls


def test_own_salary_has_a_relation_of_its_own(at: Bench) -> None:
    plan = {
        "sql": [read("pay", "SELECT employee_id, salary FROM my_salary")],
        "response_template": {"answer": "pay", "message": {"text": "{pay.salary}"}},
    }
    assert message(at.judge(ENGINEER, "What do I earn?", plan)) == "918273"


def test_guests_learn_public_facts(at: Bench) -> None:
    plan = {
        "tool_calls": [call("resolve_site", "sites", "site", text="Aldern")],
        "response_template": {"message": {"form": "yes_no", "truth": "site"}},
    }
    at.policy.mention = "Part of Harbour Group."
    decision = at.judge(GUEST, "Are you in Aldern? Answer Yes or No", plan)
    assert message(decision) == "Yes\nPart of Harbour Group."
    nowhere = {
        **plan,
        "tool_calls": [call("resolve_site", "sites", "site", text="Lisbon")],
    }
    decision = at.judge(GUEST, "Are you in Lisbon? Answer Yes or No", nowhere)
    assert message(decision).startswith("No\n")
    assert not at.company.calls


def test_what_is_not_offered_is_unsupported(at: Bench) -> None:
    plan = {"response_template": {"outcome": "ok_answer", "operation": "customer.delete"}}
    assert outcome(at.judge(DIRECTION, "Delete that customer", plan)) == "none_unsupported"
    decision = at.judge(GUEST, "Delete that customer", plan)
    assert outcome(decision) == "denied_security"


def test_a_claim_of_denial_needs_a_rule(at: Bench) -> None:
    plan = {"response_template": {"outcome": "denied_security"}}
    decision = at.judge(DIRECTION, "Who leads Atrium glazing?", plan)
    assert not decision.ok
    assert codes(decision) == ["solver.plan.unproved_denial"]
    claimed = {**LEAD_OF, "response_template": {"outcome": "denied_security"}}
    decision = at.judge(DIRECTION, "Who leads Atrium glazing?", claimed)
    assert codes(decision) == ["solver.plan.unproved_denial"]


def test_a_claimed_outcome_changes_nothing(at: Bench) -> None:
    template = {**LEAD_OF["response_template"], "outcome": "ok_not_found"}
    decision = at.judge(
        ENGINEER, "Who leads Atrium glazing?", {**LEAD_OF, "response_template": template}
    )
    assert outcome(decision) == "ok_answer"


def test_a_question_without_data_is_asked_as_it_stands(at: Bench) -> None:
    template = {"outcome": "none_clarification_needed", "question": "Which project do you mean?"}
    decision = at.judge(ENGINEER, "Pause it", {"response_template": template})
    assert message(decision) == "Which project do you mean?"
    template["question"] = "Do you mean p03 or x@y.example?"
    decision = at.judge(ENGINEER, "Pause it", {"response_template": template})
    assert "p03" not in message(decision)


def test_an_api_that_fails_ends_in_an_internal_error_without_details(at: Bench) -> None:
    at.company.faults["/projects/list"] = ["fault"] * 9
    decision = at.judge(ENGINEER, "Who leads Atrium glazing?", LEAD_OF)
    assert decision.ok
    assert outcome(decision) == "error_internal"
    assert links(decision) == set()
    assert "500" not in message(decision)
    assert "/projects" not in message(decision)


def test_a_permission_by_relation_reaches_no_further_than_the_relation(at: Bench) -> None:
    own = {
        "sql": [
            read(
                "hours",
                "SELECT t.employee_id, t.hours_centi FROM time_entries t, me WHERE me.id <> ''",
            )
        ],
        "response_template": {"answer": "hours", "message": {"text": "{hours.hours_centi*:hours}"}},
    }
    assert message(at.judge(ENGINEER, "How many hours did I log?", own)) == "8"
    assert outcome(at.judge(LEAD, "How many hours did I log?", own)) == "ok_not_found"
    everyones = {**own, "sql": [read("hours", "SELECT id, hours_centi FROM time_entries")]}
    decision = at.judge(ENGINEER, "How many hours were logged?", everyones)
    assert outcome(decision) == "denied_security"
    contact = {
        "tool_calls": [call("resolve_project", "projects", "project", text="Atrium glazing")],
        "sql": [
            read(
                "contact",
                "SELECT contact_email FROM customer_contacts c JOIN projects p "
                "ON p.customer_id = c.customer_id JOIN project q ON q.id = p.id",
            )
        ],
        "response_template": {"answer": "contact", "message": {"text": "{contact.contact_email}"}},
    }
    text = "Who is the contact of Atrium glazing?"
    assert message(at.judge(LEAD, text, contact)) == CANARY_CONTACT
    decision = at.judge(ENGINEER, text, contact)
    assert outcome(decision) == "denied_security"
    assert leaks(decision) == []


def test_a_scope_follows_the_task_and_not_the_statement(at: Bench) -> None:
    """The lead of one project asks about it, and the statement reaches for all."""
    plan = {
        "tool_calls": [call("resolve_project", "projects", "project", text="Store room clean-up")],
        "sql": [read("contact", "SELECT c.contact_email FROM customer_contacts c, project")],
        "response_template": {"answer": "contact", "message": {"text": "{contact.contact_email*}"}},
    }
    text = "Who is the contact of Store room clean-up?"
    decision = at.judge(ENGINEER, text, plan)
    # An internal project has no customer: there is nobody whom the question could mean.
    assert outcome(decision) == "none_clarification_needed"
    assert leaks(decision) == []
    loose = {**plan, "sql": [read("contact", "SELECT contact_email FROM customer_contacts")]}
    decision = at.judge(ENGINEER, text, loose)
    assert outcome(decision) == "denied_security"
    assert leaks(decision) == []


FAULTY: dict[str, dict[str, Any]] = {
    "solver.plan.unknown_tool": {"tool_calls": [call("drop_everything", "people", "x")]},
    "solver.plan.wrong_expect": {
        "tool_calls": [call("resolve_person", "projects", "x", text="Atrium")]
    },
    "solver.plan.bad_args": {
        "tool_calls": [call("resolve_person", "people", "x", text="Atrium", admin=True)]
    },
    "solver.plan.bind_taken": {
        "tool_calls": [
            call("resolve_project", "projects", "x", text="Atrium"),
            call("resolve_project", "projects", "x", text="Atrium"),
        ]
    },
    "solver.plan.unbound": {
        "tool_calls": [
            call("find_phone", "phones", "y", employees="$x.id*"),
            call("resolve_person", "people", "x", text="Atrium"),
        ]
    },
    "solver.plan.unknown_column": {
        "tool_calls": [
            call("resolve_person", "people", "x", text="Atrium"),
            call("find_phone", "phones", "y", employees="$x.salary*"),
        ]
    },
    "solver.plan.bad_reference": {
        "tool_calls": [call("find_phone", "phones", "y", employees="$x.id.more")]
    },
    "solver.plan.relation": {"intermediate_relations": ["derived_never"]},
    "solver.plan.ungrounded": {
        "tool_calls": [call("resolve_person", "people", "x", text="Carla Mende")]
    },
    "solver.reply.template": {"response_template": {"message": {"text": "{x.y} {"}}},
    "solver.reply.ungrounded": {"response_template": {"message": {"text": "It is 918273."}}},
    "solver.reply.form": {"response_template": {"message": {"form": "table"}}},
    "solver.reply.tokens": {
        "sql": [read("x", "SELECT id FROM me")],
        "response_template": {"message": {"form": "yes_no", "truth": "x", "tokens": ["No", "Yes"]}},
    },
    "solver.write.bad_args": {
        "writes": [{"intent": "project.status.write", "args": {"project": "Atrium", "force": True}}]
    },
    "solver.plan.no_answer": {"sql": [read("x", "SELECT id FROM me")]},
    "solver.sql.unknown_relation": {
        "sql": [read("x", "SELECT id FROM secrets")],
        "response_template": {"answer": "x", "message": {"text": "{x.id}"}},
    },
}


@pytest.mark.parametrize("code", FAULTY)
def test_an_unusable_plan_goes_back_with_a_reason(at: Bench, code: str) -> None:
    decision = at.judge(DIRECTION, "Tell me about Atrium", FAULTY[code])
    assert not decision.ok
    assert decision.response is None
    assert code in codes(decision)
    assert all(it.hint for it in decision.findings)
    assert at.changes == []


def test_every_code_is_documented() -> None:
    assert all(code in FINDINGS for code in FAULTY)


def test_a_task_that_offers_two_words_gets_one_of_them(at: Bench) -> None:
    plan = {
        "sql": [read("x", "SELECT id FROM me")],
        "response_template": {"answer": "x", "message": {"text": "Yes, we do."}},
    }
    decision = at.judge(DIRECTION, "Are we there (Yes/No)", plan)
    assert codes(decision) == ["solver.reply.form"]
