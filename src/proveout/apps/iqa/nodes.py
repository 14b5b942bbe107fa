"""The three nodes of the graph: planner, executor, summarizer.

How they ask is in `nodes_asking`, how an answer is made in `nodes_answer`. Called outside of a run,
a node works all the same, over a journal in memory.
"""

import logging
from collections.abc import Mapping
from functools import wraps
from typing import Any, Protocol

from langchain_core.runnables import RunnableConfig
from pydantic import JsonValue

from proveout.apps.iqa import roles
from proveout.apps.iqa.catalogue import CATALOGUE
from proveout.apps.iqa.checks import (
    CATEGORIES,
    AllAreGraded,
    NamesAreKnown,
    PlanIsSound,
    ToolsExist,
)
from proveout.apps.iqa.evidence import Evidence, gather
from proveout.apps.iqa.experts import executor as experts
from proveout.apps.iqa.experts.planner import about_drawn
from proveout.apps.iqa.experts.sufficiency import allowed, gap
from proveout.apps.iqa.language.question import read
from proveout.apps.iqa.models import (
    DEFAULT_REPLANS,
    AgenticIQAState,
    ExecutorOutput,
    PlannerOutput,
    ToolExecutionLog,
    remembered,
)
from proveout.apps.iqa.nodes_answer import NO_EVIDENCE, UNREADABLE, summarised
from proveout.apps.iqa.nodes_asking import TRIES, Asked, agreed
from proveout.apps.iqa.tools.bank import shared_bank
from proveout.kernel.ambient import current
from proveout.kernel.budget import Budget
from proveout.kernel.context import Context
from proveout.kernel.errors import UsageError

logger = logging.getLogger(__name__)
__all__ = [
    "NO_EVIDENCE",
    "TRIES",
    "UNREADABLE",
    "evidence_of",
    "executor_node",
    "planner_node",
    "summarizer_node",
]


class Node(Protocol):
    """What LangGraph calls; an update of the state comes back."""

    def __call__(
        self, state: AgenticIQAState, config: RunnableConfig | None = None
    ) -> dict[str, Any]: ...


def _told_in_state(node: Node) -> Node:
    """A picture that cannot be read is an error in the state, not an exception in the graph."""

    @wraps(node)
    def guarded(state: AgenticIQAState, config: RunnableConfig | None = None) -> dict[str, Any]:
        try:
            return node(state, config)
        except UsageError as error:
            return {"error": str(error)}

    return guarded


@_told_in_state
def planner_node(state: AgenticIQAState, config: RunnableConfig | None = None) -> dict[str, Any]:
    """Decide what is asked and how it will be measured."""
    del config
    number, history = state.get("iteration_count", 0), state.get("replan_history", [])
    has_reference = bool(state.get("reference_path"))
    told = {
        "query": state["query"],
        "choices": (),
        "has_reference": has_reference,
        "compared": bool(state.get("compare_path")),
        "categories": CATEGORIES,
        "replan_reason": history[-1] if number and history else "",
        "previous_plan": state.get("plan"),
    }
    checks = (PlanIsSound(has_reference, shared_bank().names()),)
    asked = Asked(roles.PLANNER, checks, told)
    settled = agreed(asked, state, current("iqa"), f"planner-{number}")
    plan = about_drawn(settled.proposal) if state.get("drawn") else settled.proposal
    # The kind of question decides which prompt answers it, so code settles it.
    kind = kind_of(state["query"], plan, compared=bool(state.get("compare_path")))
    plan = plan.model_copy(update={"query_type": kind})
    logger.info("plan: %s about %s", plan.query_type, ", ".join(plan.scopes))
    return {"plan": plan} if settled.stands else {"plan": plan, "unasked": True}


@_told_in_state
def executor_node(state: AgenticIQAState, config: RunnableConfig | None = None) -> dict[str, Any]:
    """Gather the evidence that the plan asks for; a subtask that fails leaves its field empty."""
    del config
    plan = state.get("plan")
    if plan is None:
        return {"error": "the executor needs a plan, and the state has none"}
    number = state.get("iteration_count", 0)
    branch = current("iqa").branch(f"executor-{number}")
    evidence = evidence_of(state, plan, branch)
    told = {"query": state["query"], "plan": plan, "evidence": evidence, "scopes": plan.scopes}
    output = ExecutorOutput()
    wanted = _detected(state, plan, branch, told)
    if wanted:
        output.distortion_set = wanted
    about = {**told, "distortion_set": wanted or {scope: [] for scope in plan.scopes}}
    if plan.plan.distortion_analysis:
        output.distortion_analysis = _analysed(state, branch, about)
    if plan.plan.tool_selection:
        output.selected_tools = _selected(state, plan, branch, about)
    elif plan.plan.tool_execute and plan.required_tool:
        output.selected_tools = experts.named_tools(plan.required_tool, plan.scopes, wanted)
    if plan.plan.tool_execute:
        _execute(state, plan, output, branch)
    return {"executor_evidence": output}


@_told_in_state
def summarizer_node(state: AgenticIQAState, config: RunnableConfig | None = None) -> dict[str, Any]:
    """Answer from the evidence, or say what is missing."""
    del config
    plan = state.get("plan")
    if plan is None or "executor_evidence" not in state:
        missing = "plan" if plan is None else "executor_evidence"
        return {"error": f"the summarizer needs {missing!r}, and the state has none"}
    executed = state["executor_evidence"]
    number = state.get("iteration_count", 0)
    most = state.get("max_replan_iterations", DEFAULT_REPLANS)
    parent = current("iqa")
    branch = parent.branch(f"summarizer-{number}", Budget(rounds=TRIES))
    evidence = evidence_of(state, plan, branch)
    _log(state, plan, executed)
    settled = summarised(state, evidence, branch, parent)
    result = settled.proposal
    unresolved = tuple(
        name
        for one in (evidence, evidence.other)
        for name, region in (one.regions.items() if one else ())
        if not region.found
    )
    # What the executor left out is named before what nobody could find in the picture.
    reason = gap(plan, executed) or gap(plan, executed, unresolved)
    reason = reason or (result.replan_reason if result.need_replan else None)
    reason = None if result == UNREADABLE else allowed(reason, number, most)
    result = result.model_copy(update={"need_replan": reason is not None, "replan_reason": reason})
    update: dict[str, Any] = {"summarizer_result": result, "iteration_count": number}
    if not settled.stands:
        update |= {"unasked": True}
    if reason is not None:
        history = remembered(state.get("replan_history", []), number + 1, reason)
        update |= {"iteration_count": number + 1, "replan_history": history}
    return update


def kind_of(query: str, plan: PlannerOutput, *, compared: bool = False) -> str:
    """`IQA` for a grade; with options `MCQ`, any other technical question `Explanation`."""
    if not plan.grading:
        return plan.query_type
    reading = read(query)
    if reading.options:
        return "MCQ"
    graded = reading.kind in ("rate", "other") and not compared
    return "IQA" if graded else "Explanation"


def evidence_of(state: AgenticIQAState, plan: PlannerOutput, context: Context) -> Evidence:
    """What was measured, recorded by the run so that nobody has to measure it again."""
    reference = state.get("reference_path")
    paired = reference if plan.reference_mode == "Full-Reference" else None
    drawn, second = state.get("drawn"), state.get("compare_path")

    def produce() -> JsonValue:
        found = gather(state["image_path"], plan.scopes, paired, drawn)
        if second:
            other = gather(second, plan.scopes, paired, drawn)
            found = found.model_copy(update={"other": other})
        value: JsonValue = found.model_dump(mode="json")
        return value

    return Evidence.model_validate(context.observe("measured", produce))


def _detected(
    state: AgenticIQAState, plan: PlannerOutput, branch: Context, told: Mapping[str, Any]
) -> dict[str, list[str]] | None:
    if not plan.plan.distortion_detection:
        return plan.distortions
    checks = (NamesAreKnown(plan.scopes, tuple(CATALOGUE)),)
    asked = Asked(roles.DETECT, checks, {**told, "categories": CATEGORIES})
    return agreed(asked, state, branch, "detect").proposal.distortion_set


def _analysed(state: AgenticIQAState, branch: Context, told: Mapping[str, Any]) -> dict[str, Any]:
    pairs = tuple(
        (scope, name) for scope, all_of in told["distortion_set"].items() for name in all_of
    )
    asked = Asked(roles.ANALYSE, (AllAreGraded(pairs),), told)
    return agreed(asked, state, branch, "analyse").proposal.distortion_analysis


def _selected(
    state: AgenticIQAState, plan: PlannerOutput, branch: Context, told: Mapping[str, Any]
) -> dict[str, dict[str, str]]:
    bank, kind = shared_bank(), experts.kind_of_tool(plan)
    usable = bank.names() if kind == "FR" else bank.names("NR")
    described = {**told, "tools": bank.describe(plan.reference_mode)}
    asked = Asked(roles.SELECT, (ToolsExist(usable),), described)
    return agreed(asked, state, branch, "select").proposal.selected_tools


def _execute(
    state: AgenticIQAState, plan: PlannerOutput, output: ExecutorOutput, context: Context
) -> None:
    """Run the tools: code measures, whoever chose the tool."""
    chosen = (
        output.selected_tools
        or experts.chosen(
            {scope: [] for scope in plan.scopes}, experts.kind_of_tool(plan)
        ).selected_tools
    )
    scores: dict[str, dict[str, tuple[str, float]]] = {}
    for scope, pairs in chosen.items():
        for distortion, tool in pairs.items():
            log = _measured(state, scope, distortion, tool, context)
            output.tool_logs.append(log)
            scores.setdefault(scope, {})[distortion] = (log.tool_name, log.normalized_score)
    output.quality_scores = scores or None


def _measured(
    state: AgenticIQAState, scope: str, distortion: str, tool: str, context: Context
) -> ToolExecutionLog:
    def produce() -> JsonValue:
        drawn = state.get("drawn") if scope == state["plan"].scopes[0] else None
        result = experts.run_tool(
            tool, scope, state["image_path"], state.get("reference_path"), drawn
        )
        return {
            "tool_name": result.tool,
            "raw_score": round(result.raw, 6),
            "normalized_score": round(3.0 if result.quality is None else result.quality, 4),
            "execution_time": round(result.seconds, 3),
            "fallback": result.fallback,
            "error": result.error or None,
        }

    measured: Any = context.observe(f"tool-{tool}-{scope}", produce)
    return ToolExecutionLog.model_validate(
        {**measured, "object_name": scope, "distortion": distortion}
    )


def _log(state: AgenticIQAState, plan: PlannerOutput, executed: ExecutorOutput | None) -> None:
    mode = "scoring" if plan.grading else "explanation/QA"
    analysed = sum(map(len, (executed.distortion_analysis or {}).values())) if executed else 0
    scored = len(executed.scores()) if executed else 0
    logger.info("summarizer: query type %s, %s mode", plan.query_type, mode)
    logger.info("evidence: %d distortions, %d tool scores", analysed, scored)
    logger.info(
        "images: %s, %s", state["image_path"], state.get("reference_path") or "no reference"
    )
