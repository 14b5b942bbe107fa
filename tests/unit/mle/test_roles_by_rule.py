"""The roles without a model: every expert answers, the same to the same brief, and in its type."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from proveout.adapters.models.offline import OfflineModel
from proveout.adapters.models.scripted import ScriptedModel
from proveout.apps.mle.experts.edits import EDITS
from proveout.apps.mle.experts.steering import edit_in, recipe_of
from proveout.apps.mle.experts.subsampling import sampling_block, unsampled
from proveout.apps.mle.roles import (
    ABLATION,
    CODER,
    DEBUGGER,
    ENS_PLANNER,
    ENSEMBLER,
    EXTRACTOR,
    INIT,
    MERGER,
    PLANNER,
    RETRIEVER,
    ROLES,
)
from proveout.apps.mle.scripts.blocks import extract_code_block, script_in
from proveout.apps.mle.star.backing import ask, in_force
from proveout.apps.mle.star.phase1 import run_phase1
from proveout.apps.mle.star.safety import detect_leakage
from proveout.kernel.ambient import current, using
from proveout.kernel.errors import PrerequisiteError
from proveout.kernel.ports import Brief
from proveout.kernel.proposer import Role
from tests.unit.mle.spec_kit import CLEAN, run, small, solution, stage
from tests.workbench import Workbench

NAMES = [role.name for role in ROLES]


def answered(role: Role[Any], **variables: Any) -> Any:
    assert role.expert is not None
    return role.expert(Brief(task=None, variables={**role.examples, **variables}))


@pytest.mark.parametrize("role", ROLES, ids=NAMES)
def test_every_expert_answers_in_its_type_and_always_the_same(role: Role[Any]) -> None:
    answer = answered(role)
    assert isinstance(answer, role.returns)
    assert answered(role) == answer


def cards(count: int) -> list[str]:
    return [model.example_code for model in answered(RETRIEVER, M=count).models]


def test_the_retriever_gives_whole_scripts_of_different_models() -> None:
    found = answered(RETRIEVER, M=3).models
    assert len({model.model_name for model in found}) == 3
    for model in found:
        assert script_in(model.example_code) is not None
        assert recipe_of(model.example_code) is not None


def test_the_first_script_is_the_example_or_the_cards() -> None:
    own = "print('mine')"
    assert extract_code_block(answered(INIT, example_code=own)) == own
    name = answered(RETRIEVER, M=1).models[0].model_name
    made = extract_code_block(answered(INIT, example_code="see the manual", model_name=name))
    assert recipe_of(made) is not None


def test_a_merge_has_the_members_of_both() -> None:
    base, other = cards(2)
    merged = recipe_of(extract_code_block(answered(MERGER, base_code=base, reference_code=other)))
    first, second = recipe_of(base), recipe_of(other)
    assert merged is not None
    assert first is not None
    assert second is not None
    wanted = {member.card for recipe in (first, second) for member in recipe.members}
    assert {member.card for member in merged.members} == wanted


def test_where_there_is_plenty_of_time_slow_steps_are_planned_sooner() -> None:
    source = cards(1)[0]
    slow = {edit.name for edit in EDITS if edit.cost > 1.5}

    def places(seconds: float) -> dict[str, int]:
        told = {"solution_script": source, "code_block": "# == features ==", "room": 100.0}
        plans = [answered(PLANNER, **told, number=n, seconds=seconds) for n in range(40)]
        return {text.partition(":")[0]: place for place, text in reversed([*enumerate(plans)])}

    quick, lengthy = places(0.1), places(50.0)
    found = slow & set(quick) & set(lengthy)
    assert sum(quick[name] for name in found) < sum(lengthy[name] for name in found)


def test_a_plan_can_be_carried_out_and_is_not_repeated() -> None:
    (source,) = cards(1)
    told = {"solution_script": source, "code_block": "# == features ==", "plans": [], "scores": []}
    plans = [answered(PLANNER, **told, number=number) for number in range(3)]
    assert len(set(plans)) == 3
    made = extract_code_block(answered(CODER, **told, plan=plans[0]))
    assert recipe_of(made) not in (None, recipe_of(source))
    by_words = extract_code_block(answered(CODER, **told, plan="Make the features better."))
    assert recipe_of(by_words) not in (None, recipe_of(source))


def test_the_first_plan_of_a_block_names_the_edit_that_is_made() -> None:
    """So that what it brought is known of the edit, and nobody else makes it again."""
    (source,) = cards(1)
    told = {"solution_script": source, "plans": [], "scores": []}
    summary = "- names: score 0.7, change -0.1"
    first = answered(EXTRACTOR, **told, ablation_summary=summary).plans[0]
    edit, sentences = edit_in(first.plan), re.findall(r"[.](?: |$)", first.plan)
    assert edit is not None
    assert 3 <= len(sentences) <= 5
    told = {**told, "code_block": first.code_block, "plans": [first.plan]}
    made = extract_code_block(answered(CODER, **told, plan=first.plan))
    assert made == extract_code_block(answered(CODER, **told, plan=f"{edit.name}: {edit.words}"))
    told["begun"] = first.plan
    others = [edit_in(answered(PLANNER, **told, number=number)) for number in (1, 2, 3)]
    assert len({it.name for it in (edit, *others) if it}) == 4
    by_hand = answered(EXTRACTOR, solution_script="x = f()\n", ablation_summary="")
    assert edit_in(by_hand.plans[0].plan) is None


def test_a_version_may_take_the_time_there_is_now() -> None:
    """A script that began with little must not hand it down; the same edit is not tried twice."""
    (source,) = cards(1)
    told = {"solution_script": source, "code_block": "# == features ==", "plans": [], "scores": []}
    before = recipe_of(source)
    assert before is not None
    plan = answered(PLANNER, **told)
    kept, grown = (
        extract_code_block(answered(CODER, **told, plan=plan, room=room)) for room in (0.1, 9e3)
    )
    limits = [it.time_limit for it in map(recipe_of, (kept, grown)) if it]
    assert limits == [before.time_limit, 9e3]
    assert answered(PLANNER, **told, tried=[grown]) != plan


def test_ensembles_are_weighed_otherwise_each_time() -> None:
    sources = cards(2)
    plans: list[str] = []
    for _ in range(3):
        plans.append(answered(ENS_PLANNER, solutions=sources, plans=plans))
    assert len(set(plans)) == 3
    recipes = [
        recipe_of(extract_code_block(answered(ENSEMBLER, solutions=sources, plan=plan)))
        for plan in plans
    ]
    weights = [tuple(member.weight for member in recipe.members) for recipe in recipes if recipe]
    assert len(set(weights)) == 3


def test_what_cannot_be_mended_or_studied_is_left_alone() -> None:
    strange = "raise StrangeError"
    told = answered(DEBUGGER, code=strange, bug="StrangeError: who knows")
    assert extract_code_block(told) == strange
    assert answered(ABLATION, solution_script="x = 1") == ""


def test_code_with_fences_in_it_comes_back_whole() -> None:
    code = 'text = """\n```python\nx = 1\n```\n"""'
    assert extract_code_block(answered(INIT, example_code=code)) == code


def test_without_a_problem_scripts_cannot_be_written(bench: Workbench, tmp_path: Path) -> None:
    on = stage(bench, tmp_path, OfflineModel())
    with pytest.raises(PrerequisiteError, match="what the data show"):
        run(run_phase1(on.task, small(), backend=on.context))


@pytest.mark.parametrize(
    ("source", "block"),
    [
        ("a = a.sample(10)", "a = a.sample(10)"),
        ("a = b.sample(10)", ""),
        ("sample = 3", ""),
        ("if len(a) > 9:\n    a = a.sample(9)\nb = 1", "if len(a) > 9:\n    a = a.sample(9)"),
        ("if len(a) > 9:\n    a = a.sample(9)\n    b = 1", "a = a.sample(9)"),
        ("x = (", ""),
    ],
)
def test_sampling_is_found(source: str, block: str) -> None:
    assert sampling_block(source) == block
    assert block in source
    assert "sample" not in unsampled(block)


# Back ends


def test_a_model_may_be_given_in_place_of_a_context(bench: Workbench, tmp_path: Path) -> None:
    on = stage(bench, tmp_path)
    mine = ScriptedModel([CLEAN])
    with using(on.context):
        assert run(detect_leakage(solution("x = 1"), backend=mine)) == CLEAN
        assert current("mle") is on.context
    assert len(mine.calls) == 1
    assert on.asked == []


def test_a_model_may_be_given_outside_of_any_run() -> None:
    mine = ScriptedModel([CLEAN])
    assert run(detect_leakage(solution("x = 1"), backend=mine)) == CLEAN
    assert "x = 1" in mine.calls[0].prompt


def test_nested_calls_find_the_same_context() -> None:
    with in_force() as outer, in_force() as inner:
        assert outer is inner


def test_an_answer_that_cannot_be_read_is_none(bench: Workbench, tmp_path: Path) -> None:
    on = stage(bench, tmp_path, coder=[{"text": "", "stop": "refusal"}])
    with using(on.context):
        asking = ask(CODER, **CODER.examples)
        assert run(asking) is None


def test_the_data_models_are_light() -> None:
    code = (
        "import sys, proveout.apps.mle.models\n"
        "heavy = {'numpy', 'pandas', 'sklearn', 'jinja2', 'claude_agent_sdk'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.strip() == "[]"
