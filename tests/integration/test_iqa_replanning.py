"""When the summarizer asks for another plan, how the graph goes round, and when it stops."""

import logging
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import MemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END

from proveout.apps.iqa import ExecutorOutput, PlannerOutput, SummarizerOutput, create_agentic_graph
from proveout.apps.iqa.graph import decide_next_node
from proveout.apps.iqa.models import MOST_HISTORY
from proveout.apps.iqa.nodes import executor_node, planner_node, summarizer_node
from proveout.kernel.errors import PrerequisiteError
from tests.integration.iqa_kit import GOOD, SCORE, evidence, plan, said, state, talking
from tests.iqa_pictures import photo

MORE: dict[str, Any] = {
    "final_answer": "Unable to determine",
    "quality_reasoning": "Insufficient evidence for vehicle region.",
    "need_replan": True,
    "replan_reason": "Missing tool scores for vehicle region",
}
PLAIN: dict[str, Any] = {"final_answer": "C", "quality_reasoning": "Soft edges."}
STEPS: dict[str, Any] = {
    "iqa/planner": {"query_type": "IQA", "plan": plan().plan.model_dump()},
    "iqa/detect": {"distortion_set": {"Global": ["Blurs"]}},
    "iqa/analyse": {"distortion_analysis": evidence().model_dump()["distortion_analysis"]},
    "iqa/select": {"selected_tools": {"Global": {"Blurs": "proveout"}}},
}


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return photo(tmp_path_factory.mktemp("iqa") / "photo.png", blur=1.5)


def once(*answers: dict[str, Any]) -> list[dict[str, Any]]:
    """A script for one way round the graph per answer."""
    script = []
    for answer in answers:
        script += [said(value, role) for role, value in STEPS.items()]
        script.append(said(answer, SCORE))
    return script


def start(image: Path, **fields: Any) -> Any:
    return {"query": "How good is this photo?", "image_path": str(image), **fields}


def settled(image: Path, reply: dict[str, Any] = PLAIN, **fields: Any) -> dict[str, Any]:
    with talking(reply):
        return summarizer_node(state(image, **fields))


# Whether the evidence suffices


def test_sufficient_evidence_needs_no_other_plan(image: Path) -> None:
    update = settled(image)
    result = update["summarizer_result"]
    assert (result.need_replan, result.replan_reason) == (False, None)
    assert "replan_history" not in update


def test_a_region_without_analysis_is_missed(image: Path) -> None:
    """The specification's own case: two regions asked for, one analysed."""
    update = settled(
        image,
        plan=plan(query_scope=["vehicle", "background"]),
        executor_evidence=evidence(scope="vehicle"),
    )
    result = update["summarizer_result"]
    assert result.need_replan
    reason = "Distortion analysis does not cover all query_scope objects: missing background"
    assert result.replan_reason == reason
    assert update["iteration_count"] == 1


def test_a_region_without_scores_is_missed(image: Path) -> None:
    update = settled(
        image,
        plan=plan(query_scope=["vehicle"]),
        executor_evidence=evidence(scope="vehicle", scored=False),
    )
    assert update["summarizer_result"].replan_reason == "Missing tool scores for vehicle region"


def test_severe_but_scored_high_is_noted_and_planned_again(image: Path) -> None:
    update = settled(image, executor_evidence=evidence("severe", 4.1))
    result = update["summarizer_result"]
    contradiction = "Contradictory evidence: severe blur but high scores"
    assert result.quality_reasoning == f"Soft edges. {contradiction}."
    assert result.replan_reason == contradiction
    assert result.need_replan


@pytest.mark.parametrize(("severity", "score"), [("severe", 4.0), ("moderate", 4.9)])
def test_what_is_no_contradiction_is_not_called_one(
    image: Path, severity: str, score: float
) -> None:
    result = settled(image, executor_evidence=evidence(severity, score))["summarizer_result"]
    assert not result.need_replan
    assert "Contradictory" not in result.quality_reasoning


def test_offline_the_same_gaps_are_found(image: Path) -> None:
    update = summarizer_node(state(image, executor_evidence=evidence("extreme", 4.5)))
    result = update["summarizer_result"]
    assert result.replan_reason == "Contradictory evidence: extreme blur but high scores"
    assert result.quality_reasoning.count("Contradictory evidence") == 1


def test_a_model_may_ask_for_another_plan_itself(image: Path) -> None:
    update = settled(image, MORE)
    assert update["summarizer_result"].replan_reason == MORE["replan_reason"]
    assert update["iteration_count"] == 1
    assert update["replan_history"] == ["[Iteration 1] Missing tool scores for vehicle region"]


def test_a_model_that_gives_no_reason_gets_one(image: Path) -> None:
    update = settled(image, {**PLAIN, "need_replan": True})
    assert update["replan_history"] == ["[Iteration 1] No reason provided"]


# How often


@pytest.mark.parametrize(("count", "most"), [(2, None), (0, 0), (1, 1), (5, 2)])
def test_at_the_maximum_the_answer_stands_with_a_warning(
    image: Path, count: int, most: int | None, caplog: pytest.LogCaptureFixture
) -> None:
    fields = {} if most is None else {"max_replan_iterations": most}
    with caplog.at_level(logging.WARNING):
        update = settled(image, MORE, iteration_count=count, **fields)
    result = update["summarizer_result"]
    assert (result.need_replan, result.replan_reason) == (False, None)
    assert update["iteration_count"] == count
    assert "replan_history" not in update
    assert f"maximum of {2 if most is None else most} replanning iterations" in caplog.text


def test_the_decision_is_logged_with_reason_and_count(
    image: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO):
        settled(image, MORE, iteration_count=1)
    (line,) = (m for m in caplog.messages if m.startswith("need_replan=true"))
    assert line == "need_replan=true after iteration 1: Missing tool scores for vehicle region"


def test_the_history_grows_and_forgets_the_oldest(
    image: Path, caplog: pytest.LogCaptureFixture
) -> None:
    before = [f"[Iteration {number}] reason" for number in range(1, MOST_HISTORY + 1)]
    fields = {"iteration_count": 10, "max_replan_iterations": 20, "replan_history": before}
    with caplog.at_level(logging.WARNING):
        history = settled(image, MORE, **fields)["replan_history"]
    assert len(history) == MOST_HISTORY
    assert history[0] == before[1]
    assert history[-1] == "[Iteration 11] Missing tool scores for vehicle region"
    assert "excessive replanning" in caplog.text


# The graph


def test_the_graph_plans_executes_and_summarises(image: Path) -> None:
    with talking(*once(PLAIN)) as model:
        final = create_agentic_graph().invoke(start(image))
    assert [call.role for call in model.calls] == [*STEPS, SCORE]
    assert isinstance(final["plan"], PlannerOutput)
    assert isinstance(final["executor_evidence"], ExecutorOutput)
    assert final["executor_evidence"].distortion_set == {"Global": ["Blurs"]}
    assert final["summarizer_result"].final_answer == "C"
    assert final["iteration_count"] == 0
    assert "error" not in final


def test_a_gap_goes_back_to_the_planner_with_its_reason(image: Path) -> None:
    with talking(*once(MORE, PLAIN)) as model:
        final = create_agentic_graph().invoke(start(image))
    planned = [call.prompt for call in model.calls if call.role == "iqa/planner"]
    assert len(planned) == 2
    assert MORE["replan_reason"] not in planned[0]
    assert MORE["replan_reason"] in planned[1]
    assert final["iteration_count"] == 1
    assert final["replan_history"] == ["[Iteration 1] Missing tool scores for vehicle region"]
    assert final["summarizer_result"].final_answer == "C"


@pytest.mark.parametrize("most", [0, 1, 2, 3])
def test_a_model_that_is_never_content_goes_round_so_often_and_no_more(
    image: Path, most: int
) -> None:
    with talking(*once(*[MORE] * (most + 1))) as model:
        final = create_agentic_graph().invoke(start(image, max_replan_iterations=most))
    assert len([call for call in model.calls if call.role == SCORE]) == most + 1
    assert final["iteration_count"] == most == len(final.get("replan_history", []))
    assert final["summarizer_result"].need_replan is False


def test_without_a_maximum_in_the_state_it_is_two(image: Path) -> None:
    with talking(*once(MORE, MORE, MORE)):
        final = create_agentic_graph().invoke(start(image))
    assert final["iteration_count"] == 2


def test_the_summarizers_update_is_merged_and_the_rest_is_kept(image: Path) -> None:
    where: Any = {"configurable": {"thread_id": "1"}}
    graph = create_agentic_graph(MemorySaver())
    with talking(*once(PLAIN)):
        graph.invoke(start(image, reference_path=None), where)
    newest, before = list(graph.get_state_history(where))[:2]
    assert before.next == ("summarizer",)
    assert "summarizer_result" not in before.values
    for name in ("plan", "executor_evidence", "query", "image_path"):
        assert newest.values[name] == before.values[name]
    assert isinstance(newest.values["summarizer_result"], SummarizerOutput)


@pytest.mark.parametrize("vision", [True, False])
def test_a_picture_that_cannot_be_read_ends_the_graph_with_an_error(
    tmp_path: Path, vision: bool
) -> None:
    missing = start(tmp_path / "missing.png")
    if vision:
        with talking(*once(PLAIN)):
            final = create_agentic_graph().invoke(missing)
    else:
        final = create_agentic_graph().invoke(missing)
    assert "missing.png" in final["error"]
    assert "summarizer_result" not in final


def test_a_state_of_an_earlier_phase_stays_valid(image: Path) -> None:
    """A plan alone, a plan with evidence: no node stumbles over what is not there yet."""
    with talking(*once(PLAIN)):
        planned: Any = {**start(image), **planner_node(start(image))}
        executed: Any = {**planned, **executor_node(planned)}
    assert set(planned) == {"query", "image_path", "plan"}
    assert decide_next_node(planned) == decide_next_node(executed) == END
    assert executed["executor_evidence"].quality_scores


def test_without_evidence_the_summarizer_asks_nobody(image: Path) -> None:
    """The executor failed: the graph ends there, and a direct call says what is missing."""
    assert "plan" in executor_node(start(image))["error"]
    with talking(GOOD) as model:
        update = summarizer_node(state(image, executor_evidence=...))
    assert "executor_evidence" in update["error"]
    assert model.calls == []


# Checkpoints


def test_a_graph_that_broke_goes_on_from_its_checkpoint(image: Path, tmp_path: Path) -> None:
    """The model is gone before the summary; another graph over the same file finishes the work."""
    where: Any = {"configurable": {"thread_id": "photo"}}
    file = tmp_path / "checkpoints.db"
    with sqlite3.connect(file, check_same_thread=False) as first, talking(*once(PLAIN)[:-1]):
        graph = create_agentic_graph(SqliteSaver(first))
        with pytest.raises(PrerequisiteError):
            graph.invoke(start(image), where)
    first.close()
    with sqlite3.connect(file, check_same_thread=False) as second, talking(PLAIN) as model:
        graph = create_agentic_graph(SqliteSaver(second))
        assert graph.get_state(where).next == ("summarizer",)
        final = graph.invoke(None, where)
    second.close()
    assert [call.role for call in model.calls] == [SCORE]
    assert final["summarizer_result"].final_answer == "C"
    assert final["executor_evidence"].distortion_set == {"Global": ["Blurs"]}


def test_threads_of_one_checkpointer_do_not_mix(image: Path) -> None:
    graph = create_agentic_graph(MemorySaver())
    other = {**PLAIN, "final_answer": "D"}
    with talking(*once(PLAIN, other)):
        for name in ("a", "b"):
            graph.invoke(start(image), {"configurable": {"thread_id": name}})
    answers = [
        graph.get_state({"configurable": {"thread_id": name}}).values["summarizer_result"]
        for name in ("a", "b")
    ]
    assert [answer.final_answer for answer in answers] == ["C", "D"]
