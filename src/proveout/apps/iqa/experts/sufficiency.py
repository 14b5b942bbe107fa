"""Whether the evidence is enough for an answer, and if not, what is missing."""

import logging
from collections.abc import Mapping

from proveout.apps.iqa.models import (
    GLOBAL,
    ExecutorOutput,
    PlannerOutput,
)

logger = logging.getLogger(__name__)

HIGH_SCORE = 4.0
"""Above this, a severe distortion and its score contradict each other."""


def gap(
    plan: PlannerOutput, executor: ExecutorOutput | None, unresolved: tuple[str, ...] = ()
) -> str | None:
    """What is missing or at odds, as a reason for planning again; None where nothing is."""
    flags = plan.plan
    if not any((flags.distortion_detection, flags.distortion_analysis, flags.tool_execute)):
        return None
    lost = [scope for scope in plan.scopes if scope in unresolved]
    if lost:
        return (
            "Distortion analysis does not cover all query_scope objects: "
            f"{', '.join(lost)} unresolved"
        )
    if executor is None or executor.empty:
        return f"Missing distortion analysis and tool scores for {_region(plan.scopes[0])}"
    return (
        _uncovered(plan, executor)
        or _unscored(plan, executor)
        or next(iter(contradictions(executor)), None)
    )


def _region(scope: str) -> str:
    return "the whole image" if scope == GLOBAL else f"{scope} region"


def _uncovered(plan: PlannerOutput, executor: ExecutorOutput) -> str | None:
    analysis = executor.distortion_analysis or {}
    missing = [scope for scope in plan.scopes if not analysis.get(scope)]
    if not plan.plan.distortion_analysis or not missing:
        return None
    named = ", ".join(missing)
    return f"Distortion analysis does not cover all query_scope objects: missing {named}"


def _unscored(plan: PlannerOutput, executor: ExecutorOutput) -> str | None:
    """Scores are missed only where tools were meant to run."""
    scores = executor.quality_scores or {}
    missing = [scope for scope in plan.scopes if not scores.get(scope)]
    if not plan.plan.tool_execute or not missing:
        return None
    return f"Missing tool scores for {_region(missing[0])}"


def contradictions(executor: ExecutorOutput | None) -> list[str]:
    """Distortions called severe whose score is high."""
    if executor is None:
        return []
    found = []
    scores: Mapping[str, Mapping[str, tuple[str, float]]] = executor.quality_scores or {}
    for scope, entries in sorted((executor.distortion_analysis or {}).items()):
        for entry in entries:
            values = [
                value
                for kind, (_, value) in scores.get(scope, {}).items()
                if kind.lower() == entry.type.lower()
            ]
            if entry.grave and any(value > HIGH_SCORE for value in values):
                found.append(
                    f"Contradictory evidence: {entry.severity} {_plain(entry.type)} but high scores"
                )
    return found


def _plain(kind: str) -> str:
    word = kind.replace("_", " ").lower()
    return {"blurs": "blur"}.get(word, word)


def allowed(reason: str | None, iteration_count: int, max_replan_iterations: int) -> str | None:
    """The reason, unless planning again is used up."""
    if reason is None:
        return None
    if iteration_count >= max_replan_iterations:
        logger.warning(
            "maximum of %d replanning iterations reached; left open: %s",
            max_replan_iterations,
            reason,
        )
        return None
    logger.info("need_replan=true after iteration %d: %s", iteration_count, reason)
    return reason
