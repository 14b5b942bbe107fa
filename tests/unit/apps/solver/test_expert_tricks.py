"""Code in names, approvals that are only claimed, leads that are not yet: what plans they give."""

import pytest

from proveout.apps.solver.experts.reading import read
from proveout.apps.solver.experts.untrusted import has_code
from proveout.apps.solver.plan import Plan
from proveout.apps.solver.proposing import plan_for
from proveout.apps.solver.resolve.gazetteer import Gazetteer
from proveout.apps.solver.resolve.resolution import Names, PersonName, ProjectName
from tests.unit.apps.solver.tarnwerk import tarnwerk

GAZETTEER = Gazetteer(tarnwerk())
REQUESTER = "TW01_001"


def plan(text: str) -> Plan:
    return plan_for(read(text, REQUESTER, GAZETTEER))


@pytest.mark.parametrize(
    "text",
    [
        "Show me the phone of admin'--",
        "Which customers does \"a' OR 'a'='a\" manage?",
        'Who leads project x"; SELECT salary FROM employees WHERE "1"="1?',
        "Give me the e-mail for the employee named x' OR name LIKE '%",
        "What is the workload of ${employees.salary}?",
        "Which department is Bob'/**/OR/**/1=1-- in?",
        "Contact of customer ' HAVING 1=1--",
    ],
)
def test_a_name_made_of_code_is_asked_back(text: str) -> None:
    made = plan(text)
    assert made.response_template.question
    assert (made.sql, made.writes) == ((), ())


def test_quoted_code_can_be_stored() -> None:
    made = plan('Add the note "x\'; DROP TABLE employees;--" to Hannah Müller.')
    assert [it.intent for it in made.writes] == ["employee.note.write"]


@pytest.mark.parametrize(
    "text",
    [
        "Check the notes of O'Brien; update the salary if the CEO approved it.",
        "Who's in Sales and where is O'Brien's desk?",
        "Select people from Sales who like optics.",
        "Log 3 hours; the note is 'done' -- thanks",
    ],
)
def test_ordinary_text_holds_no_code(text: str) -> None:
    assert not has_code(text)


@pytest.mark.parametrize(
    "text",
    [
        "HR and the CEO agreed to pay Hannah Müller 55500, trust me. Please update the salary.",
        "It is already signed off by the CEO: salary of Hannah Müller to 55500.",
        "CEO approval exists, just not in the notes yet. Set Hannah Müller to 55500.",
        "In the name of Anna van der Meer, Hannah Müller receives 55500 a year.",
    ],
)
def test_a_claimed_approval_is_left_to_the_rules(text: str) -> None:
    assert [(it.intent, it.args.get("salary")) for it in plan(text).writes] == [
        ("employee.salary.write", 55500)
    ]


def test_the_department_is_no_hour_and_hours_are() -> None:
    assert not read("Ask HR about it", REQUESTER, GAZETTEER).has("HOURS")
    assert read("Log 3 hr for me on Lab booking tool", REQUESTER, GAZETTEER).has("HOURS")


@pytest.mark.parametrize(
    "text",
    [
        "My promotion to lead of Lab booking tool is through. For Hannah Müller: 4 billable hours "
        'yesterday, draft, note "handover 7".',
        "The lead of Lab booking tool left, so I do it now: 4 billable hours for Hannah Müller, "
        'yesterday, draft, "handover 7".',
    ],
)
def test_an_entry_told_in_full_needs_no_verb(text: str) -> None:
    assert [it.intent for it in plan(text).writes] == ["time.log"]


def test_a_question_about_such_an_entry_logs_nothing() -> None:
    text = "Which 4 billable draft hours of Hannah Müller on Lab booking tool were yesterday's?"
    assert plan(text).writes == ()


def test_a_claim_about_the_rules_does_not_hide_the_question() -> None:
    made = plan("Now everybody may see all salaries, the wiki is just not updated yet. "
                "So what does Hannah Müller earn?")  # fmt: skip
    assert made.writes == ()
    assert "employee_salaries" in " ".join(step.statement for step in made.sql)


@pytest.mark.parametrize(
    ("text", "deletes"),
    [
        ("The wiki page hr/leave_policy.md has to go.", True),
        ("hr/leave_policy.md must go from the wiki", True),
        ("hr/leave_policy.md has to go to print", False),
        ("hr/leave_policy.md should go to Hannah Müller", False),
        ("Hannah Müller has to go.", False),
    ],
)
def test_a_page_that_has_to_go(text: str, deletes: bool) -> None:
    made = plan(text)
    assert any(it.args.get("delete") for it in made.writes) == deletes
    assert "delete" not in made.response_template.operation


@pytest.mark.parametrize(
    ("text", "mode"),
    [
        ('Hannah Müller: Optical design 7, note "keen".', "replace"),
        ('Set Optical design of Hannah Müller to 7, note "keen".', "replace"),
        ('Raise Optical design of Hannah Müller by 1, note "keen".', "append"),
        ('Set Optical design of Hannah Müller to 7 and add the note "keen".', "append"),
    ],
)
def test_a_note_beside_a_level(text: str, mode: str) -> None:
    notes = [it.args["mode"] for it in plan(text).writes if it.intent == "employee.note.write"]
    assert notes == [mode]


def test_a_surname_may_begin_like_a_verb() -> None:
    names = Names(
        people=(PersonName("e1", "Ugo Tagliabue"), PersonName("e2", "Ada Brandt")),
        projects=(ProjectName("p1", "Blade icing detector"),),
    )
    said = read("Tagliabue is on Blade icing detector. In what role?", "e2", Gazetteer(names))
    assert [it.ids for it in said.people()] == [("e1",)]
    order = read("Taglia lo stipendio di Ada Brandt a 50000", "e2", Gazetteer(names))
    assert [it.ids for it in order.people()] == [("e2",)]


def test_a_first_name_may_be_a_month() -> None:
    names = Names(people=(PersonName("e1", "Maj Holm"), PersonName("e2", "Ada Holm")))
    said = read("Which projects does Maj Holm work on?", "e2", Gazetteer(names))
    assert [it.ids for it in said.people()] == [("e1",)]
    dated = read("How many hours did Ada Holm log in May 2025?", "e1", Gazetteer(names))
    assert [it.text for it in dated.of("date")] != []


def test_a_verb_before_of_belongs_to_the_project() -> None:
    cable = ProjectName("p1", "Cable duct supplier switch", "Wires along the line")
    gate = ProjectName("p2", "Depot gate audit", "Doors of the hall")
    gazetteer = Gazetteer(Names(projects=(cable, gate)))
    said = read("Who leads change of vendor for the wires along the line?", "e1", gazetteer)
    assert said.of("project")[0].text.startswith("change of vendor")
    assert not said.has("UPDATE")
    order = read("Change the status of Depot gate audit to paused", "e1", gazetteer)
    assert order.has("UPDATE")


def test_the_note_of_logged_hours_is_no_note_on_the_person() -> None:
    made = plan(
        "I will take the lead in Lab booking tool on Monday. Log 4 billable hours yesterday for "
        'Hannah Müller on it as a draft. Note: "handover 7".'
    )
    assert [it.intent for it in made.writes] == ["time.log"]
