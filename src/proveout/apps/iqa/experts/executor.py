"""The executor's parts by rule: which distortions, how bad, with which tool."""

from collections.abc import Mapping, Sequence

from proveout.apps.iqa.catalogue import CATALOGUE
from proveout.apps.iqa.drawing import Drawn
from proveout.apps.iqa.evidence import Evidence, Measured, frame_of, region_frame
from proveout.apps.iqa.models import (
    GLOBAL,
    AnalysisSet,
    DistortionAnalysis,
    DistortionSet,
    PlannerOutput,
    ToolChoice,
)
from proveout.apps.iqa.tools.bank import shared_bank as bank
from proveout.apps.iqa.tools.registry import ToolResult
from proveout.apps.iqa.tools.tool import Kind

MOST_NAMED = 3
"""Distortions named per region: what people notice."""
OVERALL = "Overall"
"""The distortion of a score that speaks for the whole picture."""


def kind_of_tool(plan: PlannerOutput) -> Kind:
    return "FR" if plan.reference_mode == "Full-Reference" else "NR"


def named_by(evidence: Evidence, scopes: Sequence[str]) -> DistortionSet:
    """The visible distortions of each region, the most harmful first."""
    return DistortionSet(
        distortion_set={
            scope: [seen.name for seen in visible(evidence.of(scope))[:MOST_NAMED]]
            for scope in scopes
        }
    )


def graded(evidence: Evidence, wanted: Mapping[str, Sequence[str]]) -> AnalysisSet:
    """Each named distortion with its measured severity."""
    return AnalysisSet(
        distortion_analysis={
            scope: [_grade(name, evidence.of(scope)) for name in names] or [_nothing()]
            for scope, names in wanted.items()
        }
    )


def chosen(wanted: Mapping[str, Sequence[str]], kind: Kind) -> ToolChoice:
    """A tool for each distortion; the overall score of the picture besides."""
    return ToolChoice(
        selected_tools={
            scope: {name: _tool_for(name, kind) for name in (*names, OVERALL)}
            for scope, names in wanted.items()
        }
    )


def named_tools(
    tools: Sequence[str], scopes: Sequence[str], wanted: Mapping[str, Sequence[str]] | None
) -> dict[str, dict[str, str]]:
    """The tools that the question names, spread over the distortions that it is about."""
    spread = {}
    for scope in scopes:
        names = [*(wanted or {}).get(scope, ()), OVERALL]
        spread[scope] = {
            (name if number == 0 else f"{name} ({tool})"): bank().get(tool).name
            for number, tool in enumerate(tools)
            for name in names[-1:]
        }
    return spread


def run_tool(
    tool: str, scope: str, image: str, reference: str | None, drawn: Drawn | None = None
) -> ToolResult:
    """What a tool says about a picture, or about the part of it that a region covers."""
    if scope == GLOBAL:
        return bank().run(tool, frame_of(image), frame_of(reference) if reference else None)
    part = region_frame(image, scope, drawn=drawn)
    if reference is None:
        return bank().run(tool, part)
    return bank().run(tool, part, region_frame(reference, scope, like=image, drawn=drawn))


def visible(detections: Sequence[Measured]) -> list[Measured]:
    return [seen for seen in detections if seen.applicable and seen.severity != "none"]


def matching(name: str, detections: Sequence[Measured]) -> list[Measured]:
    """The detections that a name or a category stands for, the worst first."""
    wanted = name.lower().replace(" ", "_")
    fitting = [
        seen
        for seen in detections
        if wanted in (seen.name.lower(), seen.category.lower().replace(" ", "_"))
    ]
    return sorted(fitting, key=lambda seen: (seen.quality, seen.name))


def _grade(name: str, detections: Sequence[Measured]) -> DistortionAnalysis:
    found = [seen for seen in matching(name, detections) if seen.applicable]
    if not found:
        return DistortionAnalysis(
            type=name, severity="none", explanation="Nothing of the kind was measured."
        )
    worst = found[0]
    words = CATALOGUE[worst.name].words if worst.name in CATALOGUE else worst.name
    return DistortionAnalysis(
        type=name, severity=worst.severity, explanation=worst.note or f"{words}: {worst.severity}."
    )


def _nothing() -> DistortionAnalysis:
    return DistortionAnalysis(
        type="None", severity="none", explanation="No distortion is visible here."
    )


def _tool_for(name: str, kind: Kind) -> str:
    if name != OVERALL:
        fitting = bank().get_tools_for_distortion(name, kind)
        if fitting:
            return fitting[0].name
    return default_tool(kind)


def default_tool(kind: Kind) -> str:
    """The tool that speaks for the whole picture."""
    known = bank().names(kind)
    preferred = ("proveout",) if kind == "NR" else ("FR-Score", "VSI")
    return next((name for name in preferred if name in known), known[0])
