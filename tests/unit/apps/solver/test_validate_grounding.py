"""Literals of a plan: the task's own, or nobody's."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proveout.apps.solver.plan import Plan
from proveout.apps.solver.sandbox.engine import Rows
from proveout.apps.solver.validating.access import Limits, limited
from proveout.apps.solver.validating.grounding import Ground, folded
from proveout.apps.solver.validating.lineage import Lineage
from proveout.apps.solver.validating.references import (
    BadReference,
    NoValue,
    Reference,
    UnknownColumn,
    parse,
    substitute,
)


def test_of_a_very_long_task_both_ends_are_its_own() -> None:
    ground = Ground("First Basile. " + "tea and talk, " * 3_000 + "Last Teresa. Pay 61500.")
    assert ground.holds("Basile")
    assert ground.holds("Last Teresa")
    assert ground.number(61500)
    assert not ground.holds("Basile Teresa")


@pytest.mark.parametrize(
    ("text", "literal", "held"),
    [
        ("Log for Basile Teresa", "Basile Teresa", True),
        ("Log for Basile\u00a0Teresa", "basile teresa", True),
        ("Update Roberto's profile", "Roberto", True),
        ("Wie viel hat Petrovićem geloggt", "Petrović", True),
        ("Anabelle asks", "Ana", False),
        ("Joanna asks", "Anna", False),
        ("Munich Office – Germany", "Munich Office - Germany", True),
        ("Нови Сад", "Нови Сад", True),
        ("您在鹿特丹有办公室吗", "鹿特丹", True),
        ("p\u0430ul", "paul", False),
        ("Hello", "Carla", False),
        ("from 2025-03-01 on", "2025-03-01", True),
        ("from 1.3.2025 on", "2025-03-01", True),
        ("from 1.3.2025 on", "2025-01-03", False),
        ("anything", "paused", True),
        ("anything", "Lead", True),
        ("anything", "", True),
    ],
)
def test_phrases(text: str, literal: str, held: bool) -> None:
    assert Ground(text).holds(literal) is held


def test_what_is_stored_must_be_said_and_not_merely_known() -> None:
    ground = Ground("Note that she is on leave", ["Workshop"])
    assert ground.holds("Workshop")
    assert not ground.quoted("Workshop")
    assert not ground.quoted("paused")
    assert ground.quoted("on leave")


@pytest.mark.parametrize(
    ("text", "number", "held"),
    [
        ("3 hours", 3, True),
        ("3h", 3, True),
        ("2.5 hours", 2.5, True),
        ("2,5 Stunden", 2.5, True),
        ("105,000", 105000, True),
        ("105.000", 105000, True),
        ("105 000", 105000, True),
        ("1,234.50", 1234.5, True),
        ("1.000", 1, False),
        ("1e3", 1000, False),
        ("1e3", 1, False),
        ("0x10", 16, False),
        ("0x10", 0, False),
        ("2^63", 2, False),
        ("AB_151", 151, False),
        ("+1 to x and -1 to y", -1, True),
        ("eight hours", 8, True),
        ("zwei Stunden", 2, True),
        ("三小时", 3, True),
        ("８ hours", 8, True),
        ("nothing", float("nan"), False),
        ("nothing", float("inf"), False),
        ("8.", 8, True),
        ("(8)", 8, True),
        ("20%", 20, True),
    ],
)
def test_numbers(text: str, number: float, held: bool) -> None:
    assert Ground(text).number(number) is held


@given(st.text(max_size=80), st.text(min_size=1, max_size=10))
def test_grounding_never_fails(text: str, literal: str) -> None:
    ground = Ground(text)
    assert ground.holds(literal) in (True, False)
    assert folded(folded(text)) == folded(text)


def test_references() -> None:
    assert parse("$a.b*") == Reference("a", "b", True)
    assert parse("$a") == Reference("a")
    assert parse("$5000") is None
    assert parse("plain") is None
    for bad in ("$a.b.c", "$A.b", "$a b", "$a.", "$a.b**"):
        with pytest.raises(BadReference):
            parse(bad)


def test_substitution() -> None:
    binds = {"a": Rows(("x", "y"), (("1", None), ("2", "k"), ("2", "k"))), "e": Rows(("x",))}
    assert substitute({"all": "$a.x*", "one": "$a.y"}, binds) == {"all": ["1", "2"], "one": "k"}
    assert substitute("$a", binds, ("a", ("9", None))) == [{"x": "9", "y": None}]
    assert substitute(["$a.x"], binds, ("a", ("9", None))) == ["9"]
    with pytest.raises(NoValue) as several:
        substitute("$a.x", binds)
    assert several.value.found == "several"
    with pytest.raises(NoValue) as none:
        substitute("$e.x", binds)
    assert none.value.found == "none"
    with pytest.raises(UnknownColumn):
        substitute("$a.z", binds)


def test_limits_are_bound_by_the_host() -> None:
    limits: Limits = {"project_team": (("project_id", frozenset({"p'1"})),)}
    text = limited("SELECT t.role FROM project_team AS t WHERE 1 = 1 OR t.role = 'x'", limits)
    assert "project_id IN ('p''1')" in text
    assert "AS t" in text
    none: Limits = {"project_team": (("project_id", frozenset()),)}
    nobody = limited("SELECT role FROM project_team", none)
    assert "IN (NULL)" in nobody
    nested = limited("SELECT 1 FROM me WHERE EXISTS (SELECT 1 FROM project_team)", limits)
    assert "project_id IN" in nested


def test_lineage() -> None:
    plan = Plan.model_validate(
        {
            "tool_calls": [
                {
                    "name": "resolve_project",
                    "args": {"text": "x"},
                    "expect": "projects",
                    "bind": "a",
                },
                {"name": "find_phone", "args": {"employees": "$a.id*"}, "expect": "y", "bind": "b"},
                {"name": "load_salaries", "args": {}, "expect": "loaded", "bind": "c"},
            ],
            "sql": [
                {"statement": "SELECT id FROM employees", "kind": "read", "bind": "d"},
                {"statement": "SELECT 1 AS n FROM a", "kind": "read", "bind": "e"},
                {"statement": "SELECT n FROM e", "kind": "read", "bind": "f"},
                {"statement": "SELECT id FROM me", "kind": "read", "bind": "g"},
            ],
        }
    )
    lineage = Lineage(plan)
    assert [name for name in "abcdefg" if lineage.aimed(name)] == ["a", "b", "e", "f", "g"]
