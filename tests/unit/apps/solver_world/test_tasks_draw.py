"""The set of tasks that a world gets: complete, balanced, reproducible, and clean of the unseen."""

import ast
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from proveout.apps.solver.world import adversarial, tasks, wordings
from proveout.apps.solver.world.coverage import coverage
from proveout.apps.solver.world.generator import generate
from proveout.apps.solver.world.spec import TaskSpec
from proveout.apps.solver.world.tasks import FAMILIES, draw_tasks
from proveout.apps.solver.world.wordings import LANGUAGES, lexicon

SEEDS = range(31)
NO_DENIAL = {"L locations", "M dates", "AB unsupported"}
"""Families in which nothing is refused: public facts, and what no rule could allow."""


@cache
def drawn(seed: int) -> tuple[TaskSpec, ...]:
    return draw_tasks(generate(seed))


def everything() -> list[TaskSpec]:
    return [task for seed in SEEDS for task in drawn(seed)]


@pytest.mark.parametrize("seed", [0, 9, 30, 1000])
def test_a_world_gets_enough_of_everything(seed: int) -> None:
    found = drawn(seed)
    assert 100 <= len(found) <= 130
    assert sum(task.adversarial for task in found) >= 12
    assert {task.family for task in found} >= {family.title for family in FAMILIES}
    assert len({task.spec_id for task in found}) == len(found)


def test_there_are_31_families() -> None:
    assert len(FAMILIES) == 31


def test_the_same_seed_gives_the_same_tasks() -> None:
    assert draw_tasks(generate(12)) == draw_tasks(generate(12))
    assert draw_tasks(generate(12)) != draw_tasks(generate(13))


def test_a_family_drawn_alone_is_the_same() -> None:
    whole = [task for task in drawn(7) if task.family == "P time logging"]
    assert list(draw_tasks(generate(7), frozenset({"P"}))) == whole
    assert list(draw_tasks(generate(7), frozenset({"P time logging"}))) == whole


def test_development_worlds_hold_no_unseen_wording() -> None:
    assert {task.wording for task in everything()} == {"seen"}


def test_later_worlds_hold_both_kinds_of_wording() -> None:
    count = Counter(task.wording for seed in range(1000, 1006) for task in drawn(seed))
    assert 0.2 < count["unseen"] / count.total() < 0.4


def test_every_family_has_its_branches() -> None:
    table = coverage(everything())
    for family in FAMILIES:
        good = ("ok_answer", "none_clarification_needed", "none_unsupported")
        assert sum(table.by_outcome[family.title, outcome] for outcome in good) > 0
        if family.title not in NO_DENIAL:
            assert table.by_outcome[family.title, "denied_security"] > 0
    for title in ("E people and projects", "I strong in", "N my projects and roles"):
        assert table.by_outcome[title, "ok_not_found"] > 0
    for title in ("D vague requests", "S rankings", "W project status", "AE void and copy"):
        assert table.by_outcome[title, "none_clarification_needed"] > 0
    assert table.by_outcome["O salaries", "error_internal"] > 0


def test_refusals_are_neither_rare_nor_the_rule() -> None:
    count = Counter(task.expected.accepted_outcomes[0] for task in everything())
    assert 0.3 < count["denied_security"] / count.total() < 0.45


def test_every_language_is_asked_in_ten_families() -> None:
    table = coverage(everything())
    for language in LANGUAGES:
        asked = [f for f in table.families if table.by_language[f, language]]
        assert len(asked) >= 10, language


def test_every_trick_occurs() -> None:
    tricks = {f"adv.{sketch.__name__}" for sketch in adversarial.SKETCHES}
    assert {task.spec_id for task in everything() if task.adversarial} == tricks


def test_every_task_explains_itself_and_names_no_slot() -> None:
    for task in everything():
        assert task.explanation
        assert task.text.strip()
        assert "{person" not in task.text
        assert "{project" not in task.text


def test_refusals_carry_no_links_and_no_writes() -> None:
    for task in everything():
        expected = task.expected
        if expected.accepted_outcomes == ("denied_security",):
            assert not expected.required_links
            assert not expected.events
            assert not expected.wiki_writes


def test_expectations_do_not_contradict_themselves() -> None:
    for task in everything():
        expected = task.expected
        message = "; ".join(expected.must_contain)
        assert not [part for part in expected.must_not_contain if part in message], task
        for kind, ids in expected.required_links.items():
            assert not set(ids) & set(expected.forbidden_links.get(kind, ()))


def test_wordings_fit_the_slots_of_their_frames() -> None:
    """Nobody but a development world has shown that the unseen patterns can be filled."""
    for seed in range(1000, 1030):
        assert drawn(seed)


def test_about_a_third_of_the_wordings_is_unseen_and_none_is_both() -> None:
    patterns = [p for found in lexicon(1000).patterns.values() for p in found]
    unseen = [p for p in patterns if p.wording == "unseen"]
    assert 0.25 < len(unseen) / len(patterns) < 0.4
    assert len({(p.language, p.text) for p in patterns}) >= len(patterns) - 40
    seen = {p.text for p in patterns if p.wording == "seen"}
    assert not seen & {p.text for p in unseen}


def test_the_package_imports_nothing_of_the_solver() -> None:
    folder = Path(tasks.__file__).parent
    for path in [*folder.glob("*.py"), *Path(wordings.__file__).parent.glob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for name in names:
                if name.startswith("proveout"):
                    assert name.startswith("proveout.apps.solver.world"), (path, name)
