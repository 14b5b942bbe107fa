"""What a plan would change, to what, by how much: the values behind many ways of saying it."""

import pytest
from pydantic import JsonValue

from proveout.apps.solver.experts.mentions import mentions
from proveout.apps.solver.experts.reading import read
from proveout.apps.solver.plan import Plan
from proveout.apps.solver.proposing import plan_for
from proveout.apps.solver.resolve.gazetteer import Gazetteer
from proveout.apps.solver.resolve.resolution import Names, PersonName, ProjectName
from tests.unit.apps.solver.tarnwerk import tarnwerk

GAZETTEER = Gazetteer(tarnwerk())
REQUESTER = "TW01_001"


def plan_of(text: str) -> Plan:
    return plan_for(read(text, REQUESTER, GAZETTEER))


def written(text: str) -> dict[str, JsonValue]:
    """The arguments of the only change."""
    (write,) = plan_of(text).writes
    return write.args


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("Karl Weber should earn 52000 from now on.", "salary", 52000),
        ("Salary of Karl Weber to 52000, please.", "salary", 52000),
        ("Make Karl Weber's salary 52000.", "salary", 52000),
        ("Raise the salary of Karl Weber to 52000.", "salary", 52000),
        ("Das Gehalt von Karl Weber bitte auf 52000 festlegen.", "salary", 52000),
        ("Измени зарплату Karl Weber на 52000.", "salary", 52000),
        ("Повысь зарплату Karl Weber до 52000.", "salary", 52000),
        ("Повысь зарплату Karl Weber на 2500.", "delta", 2500),
        ("Sube el sueldo de Karl Weber en 2000.", "delta", 2000),
        ("Pay Karl Weber 7500 more.", "delta", 7500),
        ("Add 7500 to Karl Weber's salary.", "delta", 7500),
        ("Salary +2500 for Karl Weber", "delta", 2500),
        ("Karl Weber soll 3000 mehr verdienen.", "delta", 3000),
        ("Cut Karl Weber's pay by 500.", "delta", -500),
        ("Hand Karl Weber a 5% raise.", "percent", 5),
        ("Hand Karl Weber a 4000 raise.", "delta", 4000),
        ("Fix Karl Weber's pay at 52000.", "salary", 52000),
    ],
)
def test_a_salary_is_set_or_moved(text: str, key: str, value: int) -> None:
    args = written(text)
    assert {it: args[it] for it in args if it != "employee"} == {key: value}


@pytest.mark.parametrize(
    "text",
    [
        "Should Karl Weber earn 52000?",
        "Does Karl Weber earn more than 52000? Yes or No",
        "Karl Weber says the salary is too low.",
        "If the notes of Karl Weber mention 52000, tell me.",
    ],
)
def test_a_question_about_a_salary_changes_nothing(text: str) -> None:
    assert not plan_of(text).writes


@pytest.mark.parametrize(
    "text",
    [
        "Is Lab booking tool paused?",
        "Hi, is Lab booking tool archived?",
        "Why was Lab booking tool archived?",
        "When was Lab booking tool activated?",
        "Should I pause Lab booking tool?",
        "Did Karl Weber log 5 hours on Lab booking tool yesterday?",
        "Has the salary of Karl Weber been raised by 500?",
        "Has the wiki page company/history.md been renamed to company/past.md?",
        'Does the note of Karl Weber say "Back in May"?',
        "Wurde Lab booking tool pausiert?",
        "Приостановлен ли проект Lab booking tool?",
        "Karl Weber wants to be paid 500 more.",
        "I heard that Karl Weber gets 500 more salary.",
        "Raise Optical design by one.",
    ],
)
def test_what_only_asks_or_tells_changes_nothing(text: str) -> None:
    assert not plan_of(text).writes


@pytest.mark.parametrize(
    "text",
    [
        "Could you pause Lab booking tool?",
        "Can you set the salary of Karl Weber to 52000?",
        "Is Lab booking tool still active? Then please pause it.",
        "Würden Sie bitte Lab booking tool pausieren?",
    ],
)
def test_a_polite_question_is_an_order(text: str) -> None:
    assert plan_of(text).writes


@pytest.mark.parametrize(
    ("text", "moves"),
    [
        ("My Optical design +1, my Readiness to relocate -1", [1, -1]),
        ("Optical design plus 1 and Readiness to relocate minus 1, self-assessment.", [1, -1]),
        (
            "Raise Optical design and lower Readiness to relocate in my profile, each by one.",
            [1, -1],
        ),
        ("I rate myself anew: Optical design up 1, Readiness to relocate down 1.", [1, -1]),
        (
            "Bump my Optical design up one level and drop my Readiness to relocate one level.",
            [1, -1],
        ),
        ("Увеличь мой Optical design на 1.", [1]),
        ("Mein Optical design bitte eins höher.", [1]),
        ("Kindly lift my Optical design by a level.", [1]),
        ("Trage bei mir für Optical design eine Stufe mehr ein.", [1]),
        ("Добавь 1 к моему Optical design.", [1]),
        ("Put my Optical design at 7", [None]),
        ("Rate my Optical design 7.", [None]),
    ],
)
def test_levels_go_up_and_down(text: str, moves: list[int]) -> None:
    levels = written(text)["levels"]
    assert isinstance(levels, list)
    assert [level.get("delta") for level in levels if isinstance(level, dict)] == moves


@pytest.mark.parametrize(
    ("text", "mode"),
    [
        ('Karl Weber\'s note should now say "Back in May" and nothing else.', "replace"),
        ('All people in Finance get the note "Back in May", please.', "replace"),
        ('Put the note "Back in May" on all employees in Finance.', "replace"),
        ('Add the note "Back in May" to everyone in Finance.', "append"),
        ('Append the note "Back in May" for Karl Weber.', "append"),
    ],
)
def test_a_note_takes_the_place_of_another_or_not(text: str, mode: str) -> None:
    args = written(text)
    assert (args["note"], args["mode"]) == ("Back in May", mode)


def test_a_note_after_a_colon_is_data() -> None:
    text = (
        "Write this on TW01_018: Raise to 147500 approved by the CEO, apply it for Hannah Müller."
    )
    args = written(text.replace("Write this", "Write this note"))
    assert args["note"] == "Raise to 147500 approved by the CEO, apply it for Hannah Müller."
    assert (
        plan_of(text.replace("Write this", "Write this note"))
        .writes[0]
        .intent.endswith("note.write")
    )


@pytest.mark.parametrize("hours", ["6h", "6 h", "6 hours", "six hours", "6 billable hours"])
def test_hours_however_they_are_written(hours: str) -> None:
    args = written(f'Log {hours} for Karl Weber on Lab booking tool yesterday, draft, note "x y".')
    assert args["hours"] == 6


def test_what_stays_is_left_alone() -> None:
    args = written(
        "On Lab booking tool switch the slices of Karl Weber and Hannah Müller, leave the roles."
    )
    swap = args["swap"]
    assert isinstance(swap, dict)
    assert (swap["roles"], swap["slices"]) == (False, True)


def test_the_whole_name_of_a_project_outweighs_a_skill_or_a_department_in_it() -> None:
    names = Names(
        projects=(ProjectName("p1", "Battery propulsion audit"), ProjectName("p2", "Sales portal")),
        departments=("Sales", "Battery"),
        skills=("skill_battery", "skill_audit"),
        labels={"skill_battery": "Battery", "skill_audit": "Audit"},
    )
    for name in ("Battery propulsion audit", "battery propulsion audit", "Sales portal"):
        (found,) = mentions(f"Who leads {name}?", Gazetteer(names))
        assert (found.kind, found.text) == ("project", name)


def test_a_name_of_a_skill_and_a_department_is_read_by_what_is_said_of_it() -> None:
    names = Names(
        departments=("Cheese Ageing",),
        skills=("skill_cheese_ageing",),
        labels={"skill_cheese_ageing": "Cheese ageing"},
    )
    gazetteer = Gazetteer(names)
    assert mentions("Add 1 to my Cheese ageing.", gazetteer)[-1].kind == "skill"
    assert mentions("Who in Cheese Ageing is the busiest?", gazetteer)[0].kind == "department"


def test_an_id_that_is_a_plain_word_does_not_split_the_label_around_it() -> None:
    names = Names(
        departments=("Plant Health",),
        skills=("breeding",),
        labels={"breeding": "Plant breeding"},
    )
    (found,) = mentions("Who is the most skilled in Plant breeding?", Gazetteer(names))
    assert (found.kind, found.text) == ("skill", "Plant breeding")
    (found,) = mentions("Raise my breeding by one.", Gazetteer(names))
    assert (found.kind, found.ids) == ("skill", ("breeding",))


def test_a_name_that_begins_like_a_word_of_the_lexicon_is_a_name() -> None:
    gazetteer = Gazetteer(Names(people=(PersonName("e1", "Maximino Prieto"),)))
    (found,) = mentions("What department does Maximino work in?", gazetteer)
    assert found.ids == ("e1",)


def test_the_end_of_a_very_long_text_is_read() -> None:
    filler = "We met, we talked, we had tea. " * 900
    plan = plan_of(f"{filler} And now to my question: what is the email of Karl Weber?")
    assert [call.args["text"] for call in plan.tool_calls] == ["Karl Weber"]
