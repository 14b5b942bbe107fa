"""The planner without a model: what a question needs, by rule."""

from collections.abc import Sequence

from proveout.apps.iqa.drawing import MARKED
from proveout.apps.iqa.experts.comparing import as_comparison, beside_reference
from proveout.apps.iqa.language.question import Reading, declines_reference, read
from proveout.apps.iqa.models import GLOBAL, PlanControlFlags, PlannerOutput

OTHER = "Other"
IQA = "IQA"


def plan(
    query: str,
    *,
    choices: Sequence[str] | None = None,
    has_reference: bool = False,
    compared: bool = False,
    replan_reason: str = "",
    previous: PlannerOutput | None = None,
) -> PlannerOutput:
    """The plan for a question; with a reason for replanning, the previous plan changed.

    `compared` tells that there are two pictures.
    """
    reading = read(query, choices)
    reading = as_comparison(reading) if compared else reading
    reading = beside_reference(reading) if has_reference else reading
    made = _fresh(reading, has_reference=has_reference)
    if replan_reason.strip():
        return replanned(previous or made, replan_reason)
    return made


def _fresh(reading: Reading, *, has_reference: bool) -> PlannerOutput:
    with_reference = has_reference and not declines_reference(reading.stem)
    named = {region: list(said) for region, said in reading.named.items()} or None
    return PlannerOutput(
        query_type=IQA if reading.technical else OTHER,
        query_scope=list(reading.regions) or "Global",
        distortion_source="Explicit" if named else "Inferred",
        distortions=named,
        reference_mode="Full-Reference" if with_reference else "No-Reference",
        required_tool=list(reading.tools) or None,
        plan=flags(
            technical=reading.technical,
            named_distortion=bool(named),
            region=bool(reading.regions),
            named_tool=bool(reading.tools),
        ),
    )


def flags(
    *, technical: bool, named_distortion: bool, region: bool, named_tool: bool
) -> PlanControlFlags:
    """The published table: which subtasks run for which kind of question."""
    if not technical:
        return PlanControlFlags()
    return PlanControlFlags(
        distortion_detection=not named_distortion,
        distortion_analysis=True,
        tool_selection=not named_tool and not region,
        tool_execute=named_tool or not region,
    )


def replanned(before: PlannerOutput, reason: str) -> PlannerOutput:
    """The plan changed so that what the reason says was missing is supplied.

    A region that cannot be found is dropped, and the whole picture taken where none is left;
    missing scores and contradictions make tools run; a missing analysis makes detection and
    analysis run.
    """
    said = reason.lower()
    kept = before.plan
    if "contradict" in said:
        # Another look by everything: other tools, and detection not taken as read.
        return before.model_copy(
            update={"required_tool": None, "plan": _all(kept, detection=True, tools=True)}
        )
    if any(word in said for word in ("unresolved", "not found", "could not be located", "locate")):
        return _widened(before, said)
    if "score" in said or "tool" in said:
        return before.model_copy(
            update={"plan": _all(kept, detection=kept.distortion_detection, tools=True)}
        )
    if "analysis" in said or "cover" in said or "evidence" in said:
        return before.model_copy(
            update={"plan": _all(kept, detection=True, tools=kept.tool_execute)}
        )
    return before.model_copy(update={"plan": _all(kept, detection=True, tools=True)})


def _all(kept: PlanControlFlags, *, detection: bool, tools: bool) -> PlanControlFlags:
    return PlanControlFlags(
        distortion_detection=detection,
        distortion_analysis=True,
        tool_selection=kept.tool_selection or tools,
        tool_execute=kept.tool_execute or tools,
    )


def _widened(before: PlannerOutput, said: str) -> PlannerOutput:
    """Without the regions that the reason names; with all of them gone, the whole picture."""
    left = [scope for scope in before.scopes if scope != GLOBAL and scope.lower() not in said]
    if before.distortions is None:
        distortions = None
    else:
        every = list(dict.fromkeys(kind for kinds in before.distortions.values() for kind in kinds))
        distortions = {scope: before.distortions.get(scope, every) for scope in (left or [GLOBAL])}
    tools = before.plan.tool_execute or not left
    return before.model_copy(
        update={
            "query_scope": left or GLOBAL,
            "distortions": distortions,
            "plan": _all(before.plan, detection=distortions is None, tools=tools).model_copy(
                update={"tool_selection": before.required_tool is None and not left}
            ),
        }
    )


def about_drawn(made: PlannerOutput) -> PlannerOutput:
    """The plan for the region that the user drew, where the question names none.

    As for any region, no tool is chosen for it; tools that the question names still run.
    """
    if made.query_scope != GLOBAL or not any(vars(made.plan).values()):
        return made
    named = made.distortions and {MARKED: made.distortions.get(GLOBAL, [])}
    tools = bool(made.required_tool) and made.plan.tool_execute
    steps = made.plan.model_copy(update={"tool_selection": False, "tool_execute": tools})
    return made.model_copy(
        update={"query_scope": [MARKED], "distortions": named or None, "plan": steps}
    )
