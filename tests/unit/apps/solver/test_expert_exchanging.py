"""What two members of a team exchange, and orders that only look like ones."""

import pytest

from proveout.apps.solver.experts.exchanging import exchanged, pair
from proveout.apps.solver.experts.reading import read
from proveout.apps.solver.proposing import plan_for
from proveout.apps.solver.resolve.gazetteer import Gazetteer
from tests.unit.apps.solver.tarnwerk import tarnwerk

GAZETTEER = Gazetteer(tarnwerk())
TWO = "Karl Weber and Hannah Müller"
ON = "on Blade icing detector"


@pytest.mark.parametrize(
    ("text", "roles", "slices"),
    [
        (f"Swap {TWO} {ON}.", True, True),
        (f"Not only the roles but also the slices of {TWO} {ON} must be swapped.", True, True),
        (f"{ON}, {TWO} keep their roles but swap allocations.", False, True),
        (f"Reverse the slices of {TWO} {ON} without touching their roles.", False, True),
        (f"The percentages of {TWO} {ON} are mixed up, fix that; roles are fine.", False, True),
        (f"Exchange the time of {TWO} {ON}, not their roles.", False, True),
        (f"Swap the roles of {TWO} {ON}, the slices stay.", True, False),
        ("Blade icing detector: Karl Weber <-> Hannah Müller, role + slice", True, True),
        ("Доли Karl Weber и Hannah Müller в Blade icing detector поменяй, роли не меняй.", 0, 1),
    ],
)
def test_what_changes_hands(text: str, roles: bool, slices: bool) -> None:
    reading = read(text, "TW01_001", GAZETTEER)
    assert exchanged(reading) == (roles, slices)
    assert [it.ids for it in pair(reading)] == [("TW01_018",), ("TW01_010",)]
    assert [it.intent for it in plan_for(reading).writes] == ["project.team.write"]


@pytest.mark.parametrize(
    "text",
    [
        f"Do not swap {TWO} {ON}.",
        f"Are the slices of {TWO} {ON} mixed up?",
        "Do not apply the raise that the CEO approved for Karl Weber.",
        "Tell me whether the CEO approved a raise for Karl Weber in the notes.",
        "Who leads ') UNION SELECT salary FROM employees --?",
    ],
)
def test_nothing_is_changed_without_an_order(text: str) -> None:
    assert not plan_for(read(text, "TW01_001", GAZETTEER)).writes


@pytest.mark.parametrize("text", ["proj_mistrаl_blade_icing goes", "Blade iсing detector"])
def test_a_look_alike_is_another_name(text: str) -> None:
    assert GAZETTEER.project(text).status == "missing"
