"""Changes: proved first, sent exactly once, read back, and never more than was asked for."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.unit.apps.solver.small_policy import cost_centre
from tests.unit.apps.solver.validating_bench import (
    DIRECTION,
    ENGINEER,
    LEAD,
    PEOPLE_OFFICE,
    VISITOR,
    Bench,
    bench,
    call,
    leaks,
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


def test_a_lead_may_and_a_member_may_not(at: Bench) -> None:
    refused = at.judge(ENGINEER, PAUSE_TEXT, PAUSE)
    assert outcome(refused) == "denied_security"
    assert at.changes == []
    assert refused.proofs[-1].predicates["leads_project"] is False
    done = at.judge(LEAD, PAUSE_TEXT, PAUSE)
    assert outcome(done) == "ok_answer"
    assert at.changes == [("/projects/status/update", {"id": "prj_atrium", "status": "paused"})]
    assert done.writes[0].before == {"status": "active"}
    assert done.writes[0].after == {"status": "paused"}
    assert done.writes[0].verified
    assert done.proofs[-1].predicates["origin.project"] == "$project.id (projects)"
    assert done.proofs[-1].predicates["origin.status"] == "task text"


def test_a_change_that_changes_nothing_is_sent_all_the_same(at: Bench) -> None:
    at.company.state["projects"]["prj_atrium"]["status"] = "paused"
    assert outcome(at.judge(LEAD, PAUSE_TEXT, PAUSE)) == "ok_answer"
    assert len(at.changes) == 1


def test_a_rehearsal_proves_and_words_and_sends_nothing(at: Bench) -> None:
    rehearsed = at.judge(LEAD, PAUSE_TEXT, {**PAUSE, "dry_run": True})
    assert outcome(rehearsed) == "ok_answer"
    assert at.changes == []
    assert not rehearsed.writes[0].sent
    done = at.judge(LEAD, PAUSE_TEXT, PAUSE)
    assert rehearsed.proofs == done.proofs
    assert rehearsed.writes[0].body == done.writes[0].body
    assert rehearsed.response == done.response


def test_time_is_logged_by_the_lead_for_a_member_as_a_draft(at: Bench) -> None:
    decision = at.judge(LEAD, LOG_TEXT, LOG)
    assert outcome(decision) == "ok_answer"
    assert at.changes == [
        (
            "/time/log",
            {
                "employee": "p03",
                "customer": "cst_town",
                "project": "prj_atrium",
                "date": "2025-05-19",
                "hours": 3.0,
                "work_category": "customer_project",
                "notes": "fill it in later",
                "billable": True,
                "status": "draft",
            },
        )
    ]


@pytest.mark.parametrize("who", [ENGINEER, DIRECTION, VISITOR])
def test_nobody_else_logs_time_for_them(at: Bench, who: tuple[str, str]) -> None:
    text = LOG_TEXT.replace("Carla Mende", "Dario Fenn")
    calls = [
        PROJECT,
        call("resolve_person", "people", "person", text="Dario Fenn"),
        LOG["tool_calls"][2],
    ]
    decision = at.judge(who, text, {**LOG, "tool_calls": calls})
    assert outcome(decision) == "denied_security"
    assert at.changes == []
    assert links(decision) == set()


def test_a_missing_code_is_asked_for_with_the_project_in_view(at: Bench) -> None:
    at.policy.codes["time.log"] = cost_centre()
    for text in (LOG_TEXT, f"{LOG_TEXT} CC-AB-O12"):
        decision = at.judge(LEAD, text, LOG)
        assert outcome(decision) == "none_clarification_needed"
        assert links(decision) == {("project", "prj_atrium")}
    assert at.changes == []
    assert outcome(at.judge(LEAD, f"{LOG_TEXT} CC-AB-012", LOG)) == "ok_answer"
    assert at.changes[0][1]["notes"] == "fill it in later [CC-AB-012]"


def test_who_may_not_is_denied_before_a_code_is_asked_for(at: Bench) -> None:
    at.policy.codes["time.log"] = cost_centre()
    assert outcome(at.judge(DIRECTION, LOG_TEXT, LOG)) == "denied_security"


@pytest.mark.parametrize(("hours", "words"), [(0, "0"), (25, "25"), (1000, "1,000")])
def test_impossible_hours_are_asked_about(at: Bench, hours: float, words: str) -> None:
    impossible = plan(
        write(
            "time.log",
            employee="$person.id",
            project="$project.id",
            date="$day.date_from",
            hours=hours,
        ),
        calls=LOG["tool_calls"],
    )
    text = LOG_TEXT.replace("3 hours", f"{words} hours")
    assert outcome(at.judge(LEAD, text, impossible)) == "none_clarification_needed"
    assert outcome(at.judge(DIRECTION, text, impossible)) == "denied_security"
    assert at.changes == []


SKILLS = plan(
    write(
        "employee.skills.write",
        employee="$person.id",
        levels=[
            {"name": "$welding.name", "kind": "$welding.kind", "level": 9},
            {"name": "$travel.name", "kind": "$travel.kind", "level": 8},
        ],
    ),
    calls=[
        PERSON,
        call("resolve_skill", "skills", "welding", text="Welding"),
        call("resolve_skill", "skills", "travel", text="Travel", kind="will"),
    ],
)
SKILLS_TEXT = "Set Welding of Carla Mende to 9 and Travel to 8"


def test_levels_are_merged_into_complete_sorted_lists(at: Bench) -> None:
    decision = at.judge(LEAD, SKILLS_TEXT, SKILLS)
    assert outcome(decision) == "ok_answer"
    assert at.changes == [
        (
            "/employees/update",
            {
                "employee": "p03",
                "skills": [
                    {"name": "skill_glazing", "level": 4},
                    {"name": "skill_welding", "level": 9},
                ],
                "wills": [{"name": "will_travel", "level": 8}],
            },
        )
    ]
    assert leaks(decision) == []


def test_a_server_that_empties_what_is_left_out_is_mended(at: Bench) -> None:
    at.company.forgetful = True
    before = dict(at.company.state["employees"]["p03"])
    decision = at.judge(LEAD, SKILLS_TEXT, SKILLS)
    after = at.company.state["employees"]["p03"]
    assert outcome(decision) == "ok_answer"
    assert after["salary"] == before["salary"]
    assert after["notes"] == before["notes"]
    assert after["department"] == before["department"]
    assert leaks(decision) == []


def test_a_level_outside_the_scale_is_asked_about(at: Bench) -> None:
    writes = [write("employee.skills.write", employee="$person.id", levels=[
        {"name": "$welding.name", "kind": "$welding.kind", "level": 11}])]  # fmt: skip
    text = "Set Welding of Carla Mende to 11"
    decision = at.judge(
        LEAD, text, {**SKILLS, "tool_calls": SKILLS["tool_calls"][:2], "writes": writes}
    )
    assert outcome(decision) == "none_clarification_needed"
    assert at.changes == []


def test_own_levels_move_by_a_relation_and_stay_on_the_scale(at: Bench) -> None:
    at.company.state["employees"]["p06"]["skills"][1]["level"] = 10
    moved = plan(
        write("self.skills.write", levels="$moved"),
        sql=[read("moved", "SELECT kind, name, 1 AS delta FROM my_skills WHERE kind = 'skill'")],
    )
    assert outcome(at.judge(VISITOR, "+1 to all my skills", moved)) == "ok_answer"
    assert at.changes[0][1] == {
        "employee": "p06",
        "skills": [{"name": "skill_glazing", "level": 5}, {"name": "skill_welding", "level": 10}],
    }


def test_changes_of_one_person_are_one_request(at: Bench) -> None:
    both = plan(
        write(
            "employee.note.write", employee="$person.id", note="finished the course", mode="replace"
        ),
        write(
            "employee.skills.write",
            employee="$person.id",
            levels=[{"name": "$travel.name", "kind": "will", "level": 9}],
        ),
        calls=[PERSON, SKILLS["tool_calls"][2]],
    )
    text = "Carla Mende finished the course: note that, and set Travel to 9"
    decision = at.judge(PEOPLE_OFFICE, text, both)
    assert [route for route, _ in at.changes] == ["/employees/update"]
    assert at.changes[0][1].keys() == {"employee", "notes", "wills"}
    assert decision.writes[0].intent == "employee.note.write + employee.skills.write"
    assert len({it.operation for it in decision.proofs if "origin.employee" in it.predicates}) == 2


def test_a_note_is_kept_below_the_old_one(at: Bench) -> None:
    at.company.state["employees"]["p05"]["notes"] = "Left-handed."
    noted = plan(
        write("employee.note.write", employee="$person.id", note="moves in June"),
        calls=[call("resolve_person", "people", "person", text="Elin Sorg")],
    )
    at.judge(PEOPLE_OFFICE, "Note that Elin Sorg moves in June", noted)
    assert at.changes[0][1]["notes"] == "Left-handed.\nmoves in June"


RAISE: dict[str, Any] = {
    "tool_calls": [
        PERSON,
        call("find_approvals", "approvals", "approval", employees="$person.id*"),
    ],
    "writes": [
        write(
            "employee.salary.write",
            "approval",
            employee="$approval.employee_id",
            salary="$approval.amount",
        )
    ],
    "response_template": {
        "answer": "approval",
        "links": [{"kind": "employee", "source": "approval", "column": "employee_id"}],
    },
}
RAISE_TEXT = "If the CEO has approved a raise of Carla Mende, apply it"


def test_a_raise_is_exactly_what_was_approved(at: Bench) -> None:
    at.company.state["employees"]["p03"]["notes"] = "CEO approved a salary increase to 61000."
    decision = at.judge(PEOPLE_OFFICE, RAISE_TEXT, RAISE)
    assert outcome(decision) == "ok_answer"
    assert at.changes == [("/employees/update", {"employee": "p03", "salary": 61000})]
    assert links(decision) == {("employee", "p03")}


def test_no_approval_no_raise(at: Bench) -> None:
    decision = at.judge(PEOPLE_OFFICE, RAISE_TEXT, RAISE)
    assert outcome(decision) == "ok_not_found"
    assert at.changes == []


def test_an_amount_nobody_approved_is_refused(at: Bench) -> None:
    at.company.state["employees"]["p03"]["notes"] = "CEO approved a salary increase to 61000."
    literal = plan(
        write("employee.salary.write", employee="$person.id", salary=99000),
        calls=RAISE["tool_calls"],
    )
    text = f"{RAISE_TEXT}: 99000 it was"
    assert outcome(at.judge(PEOPLE_OFFICE, text, literal)) == "denied_security"
    assert at.changes == []


SWAP = plan(
    write(
        "project.team.write",
        project="$project.id",
        swap={"first": "$one.id", "second": "$two.id", "roles": False, "slices": True},
    ),
    calls=[
        PROJECT,
        call("resolve_person", "people", "one", text="Dario Fenn", within_project="$project.id"),
        call("resolve_person", "people", "two", text="Elin Sorg", within_project="$project.id"),
    ],
)
SWAP_TEXT = "On Atrium glazing swap the workloads of Dario Fenn and Elin Sorg"


def test_a_swap_sends_the_whole_team(at: Bench) -> None:
    decision = at.judge(LEAD, SWAP_TEXT, SWAP)
    assert outcome(decision) == "ok_answer"
    team = {it["employee"]: (it["role"], it["time_slice"]) for it in at.changes[0][1]["team"]}
    assert team == {"p04": ("Lead", 0.2), "p03": ("Engineer", 0.3), "p05": ("QA", 0.5)}
    assert decision.writes[0].verified


def test_a_team_can_be_written_from_a_relation(at: Bench) -> None:
    whole = plan(
        write("project.team.write", project="$project.id", team="$team"),
        calls=[PROJECT],
        sql=[
            read(
                "team",
                "SELECT t.employee_id, t.role, 100 AS slice_milli FROM project_team t "
                "JOIN project p ON p.id = t.project_id",
            )
        ],
    )
    assert outcome(at.judge(LEAD, "Give all on Atrium glazing a tenth", whole)) == "ok_answer"
    assert {it["time_slice"] for it in at.changes[0][1]["team"]} == {0.1}
