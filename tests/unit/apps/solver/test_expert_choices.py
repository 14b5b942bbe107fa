"""Which of two readings is meant: role or department, colleague or contact, deed or fact."""

import pytest

from proveout.apps.solver.experts.mentions import mentions
from proveout.apps.solver.experts.reading import read
from proveout.apps.solver.plan import Plan
from proveout.apps.solver.proposing import plan_for
from proveout.apps.solver.resolve.gazetteer import Gazetteer
from proveout.apps.solver.resolve.resolution import CustomerName, Names, ProjectName
from tests.unit.apps.solver.tarnwerk import tarnwerk

GAZETTEER = Gazetteer(tarnwerk())
MILL = Gazetteer(
    Names(
        projects=(
            ProjectName("P-1", "Millstone audit", "Check, for Ostrava Mills Group.", "", "active"),
            ProjectName("P-2", "Sieve pilot", "Trial, for Ostrava Mills Group.", "", "active"),
        ),
        customers=(
            CustomerName("C-1", "Ostrava Mills Grp", "Czechia", "Flour mills", ""),
            CustomerName("C-2", "Tyrol Bakeries", "Austria", "Bread", ""),
        ),
        departments=("Systems Design", "Flour Quality"),
        skills=("skill_fq",),
        labels={"skill_fq": "Flour quality rules"},
    )
)


def plan(text: str) -> Plan:
    return plan_for(read(text, "TW01_001", GAZETTEER))


def statements(text: str) -> str:
    return " ".join(it.statement for it in plan(text).sql)


def kinds(text: str) -> list[tuple[str, str]]:
    return [(it.kind, it.text) for it in mentions(text, MILL)]


def test_a_role_is_no_department() -> None:
    assert kinds("Which department is the Designer on Millstone audit in?") == [
        ("project", "Millstone audit")
    ]


def test_the_longer_name_of_an_ability_is_meant() -> None:
    assert kinds("Who is best at Flour quality rules?") == [("skill", "Flour quality rules")]
    assert kinds("Who works in Flour Quality?") == [("department", "Flour Quality")]


def test_a_shortened_name_is_still_the_customer() -> None:
    found = kinds("Who has more projects, Tyrol Bakeries or Ostrava Mills Group?")
    assert found == [("customer", "Tyrol Bakeries"), ("customer", "Ostrava Mills Group")]


@pytest.mark.parametrize(
    ("text", "manager"),
    [
        ("Whom do I contact on our side about Baltic Ferry Lines?", True),
        ("Which colleague has Baltic Ferry Lines as a customer?", True),
        ("Who is our contact at Baltic Ferry Lines?", False),
    ],
)
def test_a_contact_on_our_side_is_the_account_manager(text: str, manager: bool) -> None:
    assert ("account_manager" in statements(text)) == manager
    assert ("customer_contacts" in statements(text)) != manager


@pytest.mark.parametrize(
    "text",
    [
        "Leaving out everybody on Blade icing detector, who is best at Optical design?",
        "Excluding the Blade icing detector team, who is best at Optical design?",
        "Who knows Optical design best without being on Blade icing detector?",
    ],
)
def test_the_team_may_be_left_out(text: str) -> None:
    assert "e.id NOT IN (SELECT t.employee_id" in statements(text)


def test_a_trainer_comes_from_elsewhere() -> None:
    text = "Somebody has to give a course on Optical design in Lyon. Who is the strongest in it?"
    assert "e.location NOT IN" in statements(text)
    assert "e.location IN" in statements("Who in Lyon is the strongest in Optical design?")


@pytest.mark.parametrize(
    "text",
    [
        "Wipe Baltic Ferry Lines from the CRM, or else set Hull fouling scanner to archived.",
        "Delete the customer Baltic Ferry Lines. If you cannot, archive Hull fouling scanner.",
        "Удалите клиента Baltic Ferry Lines, иначе приостановите Hull fouling scanner.",
    ],
)
def test_a_way_around_what_cannot_be_done_is_not_taken(text: str) -> None:
    made = plan(text)
    assert made.writes == ()
    assert made.response_template.operation == "customer.delete"


def test_a_fact_told_of_a_project_is_no_order() -> None:
    assert plan("Blade icing detector is paused.").writes == ()
    assert plan("Should Blade icing detector be paused?").writes == ()
