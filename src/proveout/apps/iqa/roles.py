"""The agents: a prompt file, a return type and an expert each.

An expert gets the same brief as a model: what the prompt would say is in its variables, as typed
values.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from proveout.apps.iqa.checks import CATEGORIES
from proveout.apps.iqa.evidence import Evidence
from proveout.apps.iqa.experts import executor
from proveout.apps.iqa.experts.ground import Ground, ground_of
from proveout.apps.iqa.experts.planner import plan
from proveout.apps.iqa.experts.summarizer import summarize
from proveout.apps.iqa.models import (
    GLOBAL,
    AnalysisSet,
    DistortionSet,
    ExecutorOutput,
    PlannerOutput,
    SummarizerOutput,
    ToolChoice,
)
from proveout.apps.iqa.vlm_client import load_backends
from proveout.kernel.ports import Brief
from proveout.kernel.proposer import Role

_BACKENDS = load_backends()
_ASKED: Mapping[str, Any] = {"round": 0, "findings": (), "query": "Is this photo blurry?"}


def _planned(brief: Brief) -> PlannerOutput:
    told = brief.variables
    return plan(
        told["query"],
        has_reference=told["has_reference"],
        compared=told["compared"],
        replan_reason=told["replan_reason"],
        previous=told.get("previous_plan"),
    )


def _named(brief: Brief) -> DistortionSet:
    return executor.named_by(brief.variables["evidence"], brief.variables["scopes"])


def _graded(brief: Brief) -> AnalysisSet:
    return executor.graded(brief.variables["evidence"], brief.variables["distortion_set"])


def _chosen(brief: Brief) -> ToolChoice:
    told = brief.variables
    return executor.chosen(told["distortion_set"], executor.kind_of_tool(told["plan"]))


def ground_for(evidence: Evidence, executed: ExecutorOutput | None, marked: str = "") -> Ground:
    """What the summarizer may stand on: measurements, places, the reference if there is one."""
    paired = evidence.reference
    ground = ground_of(
        executed,
        evidence,
        evidence.places,
        paired.score if paired else None,
        paired.interval if paired else None,
    )
    return replace(ground, marked=marked)


def _answered(brief: Brief) -> SummarizerOutput:
    told = brief.variables
    evidence = told["evidence"]
    return summarize(
        told["query"],
        told["plan"],
        told["executed"],
        ground_for(evidence, told["executed"], told["marked"]),
        other=ground_for(evidence.other, None) if evidence.other else None,
        iteration_count=told["iteration_count"],
        max_replan_iterations=told["max_replan_iterations"],
    )


PLANNER = Role(
    name="iqa/planner",
    returns=PlannerOutput,
    description="Plans how a question about an image's quality will be answered.",
    expert=_planned,
    asks_again=False,
    limits=_BACKENDS["planner"].limits,
    examples={
        **_ASKED,
        "choices": (),
        "has_reference": False,
        "compared": False,
        "categories": CATEGORIES,
        "replan_reason": "",
    },
)
DETECT = Role(
    name="iqa/detect",
    returns=DistortionSet,
    description="Names the distortions that are visible in each region of an image.",
    expert=_named,
    asks_again=False,
    limits=_BACKENDS["executor"].limits,
    examples={**_ASKED, "scopes": (GLOBAL,), "categories": CATEGORIES},
)
ANALYSE = Role(
    name="iqa/analyse",
    returns=AnalysisSet,
    description="Grades the severity of each named distortion and says what it does.",
    expert=_graded,
    asks_again=False,
    limits=_BACKENDS["executor"].limits,
    examples={**_ASKED, "distortion_set": {GLOBAL: ["Blurs"]}},
)
SELECT = Role(
    name="iqa/select",
    returns=ToolChoice,
    description="Chooses a measuring tool for each distortion.",
    expert=_chosen,
    asks_again=False,
    limits=_BACKENDS["executor"].limits,
    examples={**_ASKED, "distortion_set": {GLOBAL: ["Blurs"]}, "tools": "- VSI (FR): …"},
)
_EVIDENCE: Mapping[str, Any] = {
    **_ASKED,
    "choices": (),
    "distortion_analysis": {
        GLOBAL: [{"type": "Blurs", "severity": "moderate", "explanation": "Edges are soft."}]
    },
    "quality_scores": {GLOBAL: {"Blurs": ["VSI", 2.6]}},
    "fused_score": 2.6,
    "marked": "",
    "pair": None,
}
ANSWER = Role(
    name="iqa/summarizer_answer",
    returns=SummarizerOutput,
    description="Answers a question about an image from the evidence.",
    expert=_answered,
    asks_again=False,
    limits=_BACKENDS["summarizer"].limits,
    examples=_EVIDENCE,
)
SCORE = Role(
    name="iqa/summarizer_score",
    returns=SummarizerOutput,
    description="Grades an image from the evidence.",
    expert=_answered,
    asks_again=False,
    limits=_BACKENDS["summarizer"].limits,
    examples=_EVIDENCE,
)
ROLES = (PLANNER, DETECT, ANALYSE, SELECT, ANSWER, SCORE)
AGENT_ROLES: Mapping[str, tuple[Role[Any], ...]] = {
    "planner": (PLANNER,),
    "executor": (DETECT, ANALYSE, SELECT),
    "summarizer": (ANSWER, SCORE),
}
"""Which roles a section of `model_backends.yaml` speaks for."""
