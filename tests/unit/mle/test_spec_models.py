"""REQ-DM: the data models, and the names that both spellings of the specification use."""

import json
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from proveout.apps.mle import models
from proveout.apps.mle.models import (
    AgentType,
    CodeBlock,
    CodeBlockCategory,
    DataModality,
    EvaluationResult,
    ExtractorOutput,
    LeakageDetectionOutput,
    MetricDirection,
    Phase2Result,
    PipelineConfig,
    RetrieverOutput,
    SolutionPhase,
    SolutionScript,
    TaskType,
    is_improvement,
    is_improvement_or_equal,
)
from tests.unit.mle.spec_kit import solution

ENUMS: list[type[StrEnum]] = [
    AgentType,
    CodeBlockCategory,
    DataModality,
    MetricDirection,
    SolutionPhase,
    TaskType,
]


def test_everything_named_is_there() -> None:
    assert sorted(models.__all__) == models.__all__
    for name in models.__all__:
        assert getattr(models, name).__name__ == name


def test_the_defaults_are_the_papers() -> None:
    config = PipelineConfig()
    assert config.num_retrieved_models == 4
    assert config.outer_loop_steps == 4
    assert config.inner_loop_steps == 4
    assert config.num_parallel_solutions == 2
    assert config.ensemble_rounds == 5
    assert config.time_limit_seconds == 86_400
    assert config.subsample_limit == 30_000
    assert config.max_debug_attempts == 3
    assert config.max_budget_usd is None
    assert config.model == "sonnet"


@pytest.mark.parametrize(
    "name", [it for it, field in PipelineConfig.model_fields.items() if field.annotation is int]
)
@pytest.mark.parametrize("wrong", [0, -1, "x", None, 1.5])
def test_every_number_of_the_configuration_is_at_least_one(name: str, wrong: Any) -> None:
    with pytest.raises(ValidationError):
        PipelineConfig.model_validate({name: wrong})


@given(st.integers(1, 10**6), st.integers(1, 10**6))
def test_a_configuration_comes_back_from_json(steps: int, seconds: int) -> None:
    config = PipelineConfig(outer_loop_steps=steps, time_limit_seconds=seconds)
    assert PipelineConfig.model_validate_json(config.model_dump_json()) == config


@pytest.mark.parametrize("kind", ENUMS)
def test_members_have_two_spellings_and_count_once(kind: type[StrEnum]) -> None:
    for member in kind:
        assert kind[member.value] is member
        assert kind[member.value.upper()] is member
        assert str(member) == member.value == json.loads(json.dumps(member))


def test_there_are_fourteen_agents() -> None:
    assert len(AgentType) == 14
    assert AgentType["SUMMARIZE"] is AgentType.summarize


def test_everything_is_frozen_but_the_script() -> None:
    for name in models.__all__:
        value = getattr(models, name)
        if isinstance(value, type) and issubclass(value, BaseModel):
            assert bool(value.model_config.get("frozen")) is (value is not SolutionScript), name
    made = solution("x")
    made.score = 0.5
    assert made.score == 0.5


def test_a_script_knows_when_it_was_made() -> None:
    made = SolutionScript(content="x", phase=SolutionPhase.init)
    assert made.created_at.tzinfo is UTC
    assert made.created_at <= datetime.now(UTC)
    assert (made.score, made.is_executable, made.source_model) == (None, True, None)
    assert SolutionScript.model_validate_json(made.model_dump_json()) == made


def test_replacing_a_block_makes_another_script() -> None:
    before = SolutionScript(
        content="a\nb\na\n", phase=SolutionPhase.merged, score=0.5, source_model="m"
    )
    after = before.replace_block("a", "c")
    assert after.content == "c\nb\na\n"
    assert before.content == "a\nb\na\n"
    assert after.model_copy(update={"content": before.content}) == before


@pytest.mark.parametrize("old", ["", "absent", "A", "a\r\n"])
def test_a_block_that_is_not_there_cannot_be_replaced(old: str) -> None:
    with pytest.raises(ValueError, match="block"):
        solution("a\nb\n").replace_block(old, "x")


@given(st.text(max_size=40), st.text(min_size=1, max_size=10), st.text(max_size=40))
def test_replacing_is_what_python_does_once(before: str, old: str, new: str) -> None:
    content = before + old + before
    assert solution(content).replace_block(old, new).content == content.replace(old, new, 1)


@pytest.mark.parametrize(
    ("new", "old", "direction", "strict", "equal"),
    [
        (0.6, 0.5, "maximize", True, True),
        (0.5, 0.5, "maximize", False, True),
        (0.4, 0.5, "maximize", False, False),
        (0.4, 0.5, "minimize", True, True),
        (0.5, 0.5, "minimize", False, True),
        (0.6, 0.5, "minimize", False, False),
        (float("nan"), 0.5, "maximize", False, False),
        (float("nan"), 0.5, "minimize", False, False),
    ],
)
def test_what_is_better(new: float, old: float, direction: str, strict: bool, equal: bool) -> None:
    way = MetricDirection(direction)
    assert is_improvement(new, old, way) is strict
    assert is_improvement_or_equal(new, old, way) is equal


@pytest.mark.parametrize("shape", [ExtractorOutput, LeakageDetectionOutput, RetrieverOutput])
def test_schemas_are_sound_and_lists_are_not_empty(shape: type[BaseModel]) -> None:
    schema = shape.model_json_schema()
    assert schema["type"] == "object"
    (name,) = schema["properties"]
    assert schema["properties"][name]["minItems"] == 1
    with pytest.raises(ValidationError):
        shape.model_validate({name: []})


def test_what_a_model_adds_is_ignored() -> None:
    found = ExtractorOutput.model_validate(
        {"plans": [{"code_block": "a", "plan": "b", "why": "c"}], "confidence": 1}
    )
    assert found.model_dump() == {"plans": [{"code_block": "a", "plan": "b"}]}


def test_results_come_back_from_json() -> None:
    block = CodeBlock(content="x", category=CodeBlockCategory.other, outer_step=0)
    result = Phase2Result(
        ablation_summaries=["s"],
        refined_blocks=[block],
        best_solution=solution("x", 0.5),
        best_score=0.5,
        step_history=[{"outer_step": 0}],
    )
    assert Phase2Result.model_validate_json(result.model_dump_json()) == result
    ran = EvaluationResult(stdout="", stderr="", exit_code=0, duration_seconds=0.1, is_error=False)
    assert EvaluationResult.model_validate_json(ran.model_dump_json()) == ran
