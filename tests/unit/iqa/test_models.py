"""The shapes of the specification: what they refuse, what they mend, what survives JSON."""

import json
import logging
from typing import Any, get_type_hints

import pytest
from pydantic import ValidationError

from proveout.apps import iqa
from proveout.apps.iqa.models import (
    MOST_HISTORY,
    NO_REASON,
    AgenticIQAState,
    DistortionAnalysis,
    ExecutorOutput,
    PlannerOutput,
    SummarizerOutput,
    ToolExecutionLog,
    remembered,
)


def test_every_name_of_the_specification_can_be_imported_from_the_app() -> None:
    for name in iqa.__all__:
        assert getattr(iqa, name) is not None


def test_an_unknown_name_of_the_app_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError):
        _ = iqa.NoSuchName


@pytest.mark.parametrize("blank", ["", "   ", "\n\t"])
def test_a_blank_reasoning_is_refused(blank: str) -> None:
    with pytest.raises(ValidationError):
        SummarizerOutput(final_answer="A", quality_reasoning=blank)


@pytest.mark.parametrize("blank", ["", "  "])
def test_a_blank_answer_is_refused(blank: str) -> None:
    with pytest.raises(ValidationError):
        SummarizerOutput(final_answer=blank, quality_reasoning="because")


def test_white_space_around_answer_and_reasoning_is_trimmed() -> None:
    made = SummarizerOutput(final_answer=" B \n", quality_reasoning="  soft edges ")
    assert (made.final_answer, made.quality_reasoning) == ("B", "soft edges")
    assert made.need_replan is False
    assert made.used_evidence is None


def test_a_replan_without_a_reason_gets_one_and_a_warning(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.WARNING):
        made = SummarizerOutput(final_answer="x", quality_reasoning="y", need_replan=True)
    assert made.replan_reason == NO_REASON == "No reason provided"
    assert "without a reason" in caplog.text


def test_an_answer_survives_json() -> None:
    made = SummarizerOutput(
        final_answer="C",
        quality_reasoning="moderate noise",
        need_replan=True,
        replan_reason="Missing tool scores for vehicle region",
        used_evidence={"score": 2.5, "names": ["noise"]},
        quality_score=2.5,
        interval=(2.0, 3.0),
        confidence=0.4,
    )
    assert SummarizerOutput.model_validate_json(made.model_dump_json()) == made


def test_the_schema_shows_both_examples_and_they_are_valid() -> None:
    examples = SummarizerOutput.model_json_schema()["examples"]
    answer, replan = (SummarizerOutput.model_validate(example) for example in examples)
    assert (answer.final_answer, answer.need_replan) == ("B", False)
    assert replan.replan_reason == "Missing tool scores for vehicle region"


def test_a_state_is_valid_without_what_later_phases_add() -> None:
    optional = AgenticIQAState.__optional_keys__
    assert AgenticIQAState.__required_keys__ == {"query", "image_path"}
    wanted = {"summarizer_result", "iteration_count", "max_replan_iterations", "replan_history"}
    assert wanted <= optional
    assert "summarizer_result" in get_type_hints(AgenticIQAState)


def test_the_history_is_numbered_and_forgets_the_oldest(caplog: pytest.LogCaptureFixture) -> None:
    history: list[str] = []
    with caplog.at_level(logging.WARNING):
        for number in range(1, MOST_HISTORY + 3):
            history = remembered(history, number, f"reason {number}")
    assert len(history) == MOST_HISTORY == 10
    assert history[0] == "[Iteration 3] reason 3"
    assert history[-1] == "[Iteration 12] reason 12"
    assert "excessive replanning" in caplog.text


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"query_scope": None}, "Global"),
        ({"query_scope": "global"}, "Global"),
        ({"query_scope": ["Global"]}, "Global"),
        ({"required_object_names": ["car", "sky"]}, ["car", "sky"]),
        ({"query_scope": "the car"}, ["the car"]),
    ],
)
def test_a_scope_is_read_in_every_spelling(given: dict[str, Any], expected: object) -> None:
    assert PlannerOutput.model_validate(given).query_scope == expected


def test_other_spellings_of_a_plan_are_read_and_never_written() -> None:
    made = PlannerOutput.model_validate(
        {
            "task_type": "IQA",
            "distortion_source": "Explict",
            "reference_type": "full-reference",
            "required_tools": "SSIM",
            "plan": {"tool_execution": True},
        }
    )
    assert made.plan.tool_execute
    assert made.required_tool == ["SSIM"]
    assert (made.distortion_source, made.reference_mode) == ("Explicit", "Full-Reference")
    written = made.model_dump()
    assert "task_type" not in written
    assert "tool_execution" not in written["plan"]


@pytest.mark.parametrize(("word", "severity"), [("mild", "slight"), ("Heavy", "severe")])
def test_severities_of_the_other_vocabulary_are_mapped(word: str, severity: str) -> None:
    made = DistortionAnalysis.model_validate(
        {"type": "Noise", "severity": word, "explanation": "grain"}
    )
    assert made.severity == severity


def test_an_unknown_severity_is_refused() -> None:
    with pytest.raises(ValidationError):
        DistortionAnalysis.model_validate(
            {"type": "Noise", "severity": "awful", "explanation": "x"}
        )


def test_a_score_outside_of_the_scale_is_clipped_with_a_warning(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.WARNING):
        log = ToolExecutionLog(tool_name="NIQE", normalized_score=7.2)
    assert log.normalized_score == 5.0
    assert "clipped" in caplog.text


def test_evidence_survives_json_with_its_pairs() -> None:
    made = ExecutorOutput(
        distortion_set={"Global": ["Noise"]},
        distortion_analysis={
            "Global": [DistortionAnalysis(type="Noise", severity="severe", explanation="grain")]
        },
        quality_scores={"Global": {"Noise": ("NIQE", 2.5)}, "Alone": {"Blurs": ("VSI", 4.0)}},
        tool_logs=[ToolExecutionLog(tool_name="NIQE", normalized_score=2.5)],
    )
    again = ExecutorOutput.model_validate(json.loads(made.model_dump_json()))
    assert again == made
    assert again.scores() == [4.0, 2.5]
    assert not again.empty
    assert ExecutorOutput().empty
