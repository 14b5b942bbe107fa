"""The worked example keeps the contract of apps."""

import json
import re
from pathlib import Path

import pytest

from proveout.kernel.errors import UsageError
from proveout.testing.app_contract import AppContract
from proveout.testing.pattern import APP
from proveout.testing.pattern.roles import ROLES
from proveout.testing.workspaces import workspace


class TestPattern(AppContract):
    app = APP
    tasks = (
        {"expression": "[a-f]+-[0-9]{2,}(x|yz)", "shortest": 12, "variety": 7},
        {"expression": "a+b"},
    )
    hopeless = {"expression": "a{2}", "shortest": 3}


def test_the_sdk_takes_its_roles_as_agents() -> None:
    sdk = pytest.importorskip("claude_agent_sdk")
    for role in ROLES:
        agent = sdk.AgentDefinition(**role.agent_definition("the prompt", model="haiku"))
        assert (agent.prompt, agent.description) == ("the prompt", role.description)


def test_the_answer_is_accepted_by_the_expression(tmp_path: Path) -> None:
    with workspace(tmp_path) as opened:
        task = opened.task(APP, {"expression": "[0-9]{3}-(a|bc)", "longest": 5})
        run = opened.start(APP, task)
    assert run.outcome is not None
    assert isinstance(run.outcome.answer, dict)
    assert re.fullmatch(r"[0-9]{3}-a", str(run.outcome.answer["word"]))


def test_the_best_of_three_styles_is_refined_only_if_none_is_accepted(tmp_path: Path) -> None:
    with workspace(tmp_path) as opened:
        easy = opened.start(APP, opened.task(APP, {"expression": "a+b"}))
        hard = opened.start(APP, opened.task(APP, {"expression": "a+b", "shortest": 9}))
    assert {attempt.path for attempt in easy.attempts} == {"plain", "varied", "long"}
    assert {attempt.path for attempt in hard.attempts} == {"plain", "varied", "long", "refine"}


@pytest.mark.parametrize(
    "expression", ["(a+)+b", "(a|b*)*", "(", "[", "a{2,1}", "*", "", "a" * 201, "(?P<x>a", "\\"]
)
def test_an_expression_that_cannot_be_judged_is_no_task(expression: str, tmp_path: Path) -> None:
    with workspace(tmp_path) as opened, pytest.raises(UsageError, match="expression"):
        opened.task(APP, {"expression": expression})


def test_a_model_that_mends_its_word_is_accepted(tmp_path: Path) -> None:
    """Three proposals are asked for at once; the fourth is told why they were rejected."""
    words = ["", "b", "ab", "aaaab"]
    replies = [{"role": "pattern/describe", "text": "some a, then b"}]
    replies += [{"value": {"word": word}} for word in words]  # type: ignore[dict-item]
    script = tmp_path / "script.json"
    script.write_text(json.dumps(replies), encoding="utf-8")
    with workspace(tmp_path, model__name=f"scripted:{script}") as opened:
        run = opened.start(APP, opened.task(APP, {"expression": "a+b", "shortest": 5}))
        prompts = [opened.journal.get(call.prompt).decode() for call in run.calls]
    assert run.outcome is not None
    assert run.outcome.answer == {"word": "aaaab", "attempt": "refine#0"}
    assert "some a, then b" in run.notes[0]
    assert len(prompts) == len(replies)
