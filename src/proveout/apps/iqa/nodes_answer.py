"""The summarizer's answer: asked for, judged, scored, and with what it must not leave out."""

import logging
from typing import Any

from proveout.apps.iqa import roles
from proveout.apps.iqa.checks import AnswerStands, level_number
from proveout.apps.iqa.evidence import Evidence, numbers_in
from proveout.apps.iqa.experts.sufficiency import contradictions
from proveout.apps.iqa.fusion import ScoreFusion, belief_in, letter_of
from proveout.apps.iqa.language.question import read
from proveout.apps.iqa.models import (
    DEFAULT_REPLANS,
    AgenticIQAState,
    ExecutorOutput,
    PlannerOutput,
    SummarizerOutput,
)
from proveout.apps.iqa.nodes_asking import Asked, Settled, by_rule, tried
from proveout.kernel.context import Context

logger = logging.getLogger(__name__)
UNREADABLE = SummarizerOutput(
    final_answer="Unable to determine", quality_reasoning="VLM output parsing failed"
)
NO_EVIDENCE = "There was no tool evidence: this rests on the picture itself."


def summarised(
    state: AgenticIQAState, evidence: Evidence, branch: Context, parent: Context
) -> Settled[SummarizerOutput]:
    """The answer, and whether it stands; one that nobody could read is final."""
    plan, executed = state["plan"], state["executor_evidence"]
    score, interval = measured_score(plan, evidence)
    options = tuple(option.answer for option in read(state["query"]).options)
    check = AnswerStands(
        options=() if plan.grading else options,
        grading=plan.grading,
        fused=score,
        numbers=numbers_in(evidence, executed),
        text=state["query"],
    )
    role = roles.SCORE if plan.grading else roles.ANSWER
    asked = Asked(role, (check,), _told(state, evidence))
    found = tried(asked, state, branch)
    if found.unreadable:
        logger.error("the model's answer could not be read: %s", found.unreadable)
        return Settled(UNREADABLE)
    settled = Settled(found.proposal) if found.proposal else by_rule(asked, state, parent, branch)
    scored = _with_score(settled.proposal, plan, score, interval)
    return Settled(_noted(scored, executed), settled.stands)


def _told(state: AgenticIQAState, evidence: Evidence) -> dict[str, Any]:
    """What the prompt says and the expert stands on."""
    executed = state["executor_evidence"]
    return {
        "query": state["query"],
        "choices": (),
        "plan": state["plan"],
        "executed": executed,
        "evidence": evidence,
        "marked": state["plan"].scopes[0] if state.get("drawn") else "",
        "fused_score": ScoreFusion().fuse(executed.scores() if executed else []),
        "iteration_count": state.get("iteration_count", 0),
        "max_replan_iterations": state.get("max_replan_iterations", DEFAULT_REPLANS),
        **_as_json(executed),
        "pair": _pair_as_json(evidence),
    }


def measured_score(
    plan: PlannerOutput, evidence: Evidence
) -> tuple[float, tuple[float, float] | None]:
    """The score that the answer is about, with its interval where one is known."""
    region = evidence.regions.get(plan.scopes[0])
    if region is not None and region.found and region.score is not None:
        return region.score, None
    if evidence.reference:
        return evidence.reference.score, evidence.reference.interval
    return evidence.score, evidence.interval


def _noted(answer: SummarizerOutput, executed: ExecutorOutput | None) -> SummarizerOutput:
    """Say what the reasoning must not leave out: evidence at odds with itself, or none at all."""
    said = answer.quality_reasoning
    notes = [f"{line}." for line in contradictions(executed) if line not in said]
    shown = executed is not None and (executed.distortion_analysis or executed.quality_scores)
    if not shown and "evidence" not in said.lower():
        notes.append(NO_EVIDENCE)
    return answer.model_copy(update={"quality_reasoning": " ".join([said, *notes])})


def _with_score(
    answer: SummarizerOutput,
    plan: PlannerOutput,
    score: float,
    interval: tuple[float, float] | None,
) -> SummarizerOutput:
    """Add the measured score; where a model gave a grade, what both say together.

    A score that nobody measured is a model's own and does not count.
    """
    if answer.quality_score == score:
        grade = letter_of(score) if plan.grading else answer.final_answer
        return answer.model_copy(update={"final_answer": grade, "interval": interval})
    level = level_number(answer.final_answer) if plan.grading else None
    fused = score if level is None else ScoreFusion().fuse([score], belief_in(round(level)))
    return answer.model_copy(
        update={"quality_score": fused, "interval": interval, "confidence": None}
    )


def _as_json(executed: ExecutorOutput | None) -> dict[str, Any]:
    """The evidence as the prompts show it; what is missing is left out."""
    dumped = executed.model_dump(mode="json") if executed else {}
    return {
        "distortion_analysis": dumped.get("distortion_analysis"),
        "quality_scores": dumped.get("quality_scores"),
    }


def _pair_as_json(evidence: Evidence) -> dict[str, Any] | None:
    """What was measured of two pictures that are compared, as the prompts show it."""
    if evidence.other is None:
        return None
    return {
        name: {
            "score": one.reference.score if one.reference else one.score,
            "distortions": [
                {"type": seen.name, "severity": seen.severity, "explanation": seen.note}
                for seen in one.detections
                if seen.applicable and seen.severity != "none"
            ],
        }
        for name, one in (("first", evidence), ("second", evidence.other))
    }
