"""How a question about an image becomes an answer: the graph, inside the run."""

from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from langgraph.graph.state import CompiledStateGraph
from pydantic import JsonValue

from proveout.apps.iqa.evidence import Evidence
from proveout.apps.iqa.fusion import level_of
from proveout.apps.iqa.graph import create_agentic_graph
from proveout.apps.iqa.models import AgenticIQAState, PlannerOutput, SummarizerOutput
from proveout.apps.iqa.nodes import UNREADABLE, evidence_of
from proveout.apps.iqa.nodes_answer import measured_score
from proveout.apps.iqa.pictures import exhibits
from proveout.apps.iqa.task import IqaTask
from proveout.kernel.canonical import content_id
from proveout.kernel.context import Context
from proveout.kernel.errors import UsageError
from proveout.kernel.types import Outcome

MOST_STEPS = 60
"""Nodes that the graph may visit: three per iteration, and more than enough."""


def run(task: IqaTask, context: Context) -> Outcome:
    """Ask the graph; an answer that could not be determined, or asked for, is not accepted."""
    state: AgenticIQAState = {
        "query": task.question,
        "image_path": task.image,
        "reference_path": task.reference,
        "compare_path": task.compare,
        "drawn": task.drawn,
        "max_replan_iterations": task.max_replan_iterations,
    }
    _demand_same_pictures(task, context)
    final: Any = _graph().invoke(state, {"recursion_limit": MOST_STEPS})
    if final.get("error"):
        message = str(final["error"])
        raise UsageError(message)
    result: SummarizerOutput = final["summarizer_result"]
    evidence = evidence_of(final, final["plan"], context)
    pictures = exhibits(task, evidence, context)
    answer = _answer(final, result, evidence) | {"pictures": pictures}
    if task.compare and evidence.other:
        answer["compared_with"] = _counterpart(task.compare, final["plan"], evidence.other)
    determined = result.final_answer != UNREADABLE.final_answer
    return Outcome(
        accepted=determined and not final.get("unasked", False),
        answer=answer,
        score=result.quality_score,
        summary=_summary(result, answer.get("compared_with")),
    )


@lru_cache(maxsize=1)
def _graph() -> CompiledStateGraph[Any, Any, Any, Any]:
    """Compiled once: it holds no state of a run."""
    return create_agentic_graph()


def _demand_same_pictures(task: IqaTask, context: Context) -> None:
    """A run that goes on must go on with the pictures it began with."""
    for name, path in task.pictures.items():
        began = context.observe(f"{name}-bytes", partial(_digest, path))
        if not context.record.replaying and _digest(path) != began:
            message = f"{path} is another picture than when the run began"
            raise UsageError(message, hint="start a new run for it")


def _digest(path: str) -> JsonValue:
    """Of the bytes on disk; None where there are none to read, which the intake explains."""
    try:
        return content_id(Path(path).read_bytes())
    except (OSError, ValueError):
        return None


def _answer(final: dict[str, Any], result: SummarizerOutput, evidence: Evidence) -> dict[str, Any]:
    plan, executed = final["plan"], final.get("executor_evidence")
    score = result.quality_score
    return {
        "final_answer": result.final_answer,
        "quality_reasoning": result.quality_reasoning,
        "quality_score": score,
        "level": level_of(score) if score is not None else None,
        "interval": list(result.interval) if result.interval else None,
        "confidence": result.confidence,
        "distortions": _named(evidence),
        "warnings": list(evidence.warnings),
        "plan": plan.model_dump(mode="json"),
        "executor_evidence": executed.model_dump(mode="json", exclude={"tool_logs"})
        if executed
        else None,
        "iterations": final.get("iteration_count", 0),
        "replan_history": final.get("replan_history", []),
        "used_evidence": result.used_evidence,
    }


def _named(evidence: Evidence) -> list[dict[str, str]]:
    return [
        {"name": seen.name, "category": seen.category, "severity": seen.severity}
        for seen in evidence.detections
        if seen.severity != "none" and seen.applicable
    ]


def _counterpart(path: str, plan: PlannerOutput, other: Evidence) -> dict[str, Any]:
    """The second picture, in the words of the first."""
    score, interval = measured_score(plan, other)
    return {
        "image": path,
        "quality_score": score,
        "level": level_of(score),
        "interval": list(interval) if interval else None,
        "distortions": _named(other),
        "warnings": list(other.warnings),
    }


def _summary(result: SummarizerOutput, other: dict[str, Any] | None) -> str:
    if result.quality_score is None:
        return result.final_answer
    scores = f"{result.quality_score:.2f}"
    scores += f" and {other['quality_score']:.2f}" if other else ""
    return f"{result.final_answer} ({scores} of 5)"
