"""The three nodes of the graph: planner, executor, summarizer.

Each asks its agents through the loop: a proposal that cannot be read or does not pass its checks is
sent back with the reasons, three times at most; then the rule-based expert answers. Called outside
of a run, a node works all the same, over a journal in memory.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any, Generic, Protocol, TypeVar

from langchain_core.runnables import RunnableConfig
from pydantic import BaseModel, JsonValue

from proveout.apps.iqa import roles
from proveout.apps.iqa.catalogue import CATALOGUE
from proveout.apps.iqa.checks import (
    CATEGORIES,
    AllAreGraded,
    AnswerStands,
    NamesAreKnown,
    PlanIsSound,
    ToolsExist,
    level_number,
)
from proveout.apps.iqa.evidence import Evidence, gather, numbers_in, shown
from proveout.apps.iqa.experts import executor as experts
from proveout.apps.iqa.experts.sufficiency import allowed, contradictions, gap
from proveout.apps.iqa.fusion import ScoreFusion, belief_in, letter_of
from proveout.apps.iqa.language.question import read
from proveout.apps.iqa.models import (
    DEFAULT_REPLANS,
    AgenticIQAState,
    ExecutorOutput,
    PlannerOutput,
    SummarizerOutput,
    ToolExecutionLog,
    remembered,
)
from proveout.apps.iqa.overheard import overhear
from proveout.apps.iqa.task import DEFAULT_QUERY, IqaTask
from proveout.kernel.ambient import current
from proveout.kernel.budget import Budget
from proveout.kernel.context import Context
from proveout.kernel.errors import UsageError
from proveout.kernel.loop import attempts
from proveout.kernel.ports import Brief, Check
from proveout.kernel.proposer import Role, RoleProposer
from proveout.kernel.types import Malformed

logger = logging.getLogger(__name__)
ShapeT = TypeVar("ShapeT", bound=BaseModel)
TRIES = 3
UNREADABLE = SummarizerOutput(
    final_answer="Unable to determine", quality_reasoning="VLM output parsing failed"
)
NO_EVIDENCE = "There was no tool evidence: this rests on the picture itself."


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
        "categories": CATEGORIES,
        "replan_reason": history[-1] if number and history else "",
        "previous_plan": state.get("plan"),
    }
    checks = (PlanIsSound(has_reference, experts.bank().names()),)
    branch = current("iqa").branch(f"planner-{number}", Budget(rounds=TRIES))
    agreed = _agreed(roles.PLANNER, state, checks, branch, told)
    plan = agreed.proposal or _by_rule(roles.PLANNER, told)
    # The kind of question decides which prompt answers it, so code settles it.
    plan = plan.model_copy(update={"query_type": kind_of(state["query"], plan)})
    logger.info("plan: %s about %s", plan.query_type, ", ".join(plan.scopes))
    return {"plan": plan}


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
    branch = current("iqa").branch(f"summarizer-{number}", Budget(rounds=TRIES))
    evidence = evidence_of(state, plan, branch)
    _log(state, plan, executed)
    result, asked = _summarised(state, evidence, branch)
    unresolved = tuple(name for name, region in evidence.regions.items() if not region.found)
    # What the executor left out is named before what nobody could find in the picture.
    reason = gap(plan, executed) or gap(plan, executed, unresolved)
    reason = reason or (result.replan_reason if result.need_replan else None)
    reason = None if result == UNREADABLE else allowed(reason, number, most)
    result = result.model_copy(update={"need_replan": reason is not None, "replan_reason": reason})
    update: dict[str, Any] = {"summarizer_result": result, "iteration_count": number}
    if not asked:
        update |= {"unasked": True}
    if reason is not None:
        history = remembered(state.get("replan_history", []), number + 1, reason)
        update |= {"iteration_count": number + 1, "replan_history": history}
    return update


def kind_of(query: str, plan: PlannerOutput) -> str:
    """`IQA` for a grade; with options `MCQ`, any other technical question `Explanation`."""
    if not plan.grading:
        return plan.query_type
    reading = read(query)
    if reading.options:
        return "MCQ"
    return "IQA" if reading.kind in ("rate", "other") else "Explanation"


def evidence_of(state: AgenticIQAState, plan: PlannerOutput, context: Context) -> Evidence:
    """What was measured, recorded by the run so that nobody has to measure it again."""
    reference = state.get("reference_path")
    paired = reference if plan.reference_mode == "Full-Reference" else None

    def produce() -> JsonValue:
        value: JsonValue = gather(state["image_path"], plan.scopes, paired).model_dump(mode="json")
        return value

    return Evidence.model_validate(context.observe("measured", produce))


def _detected(
    state: AgenticIQAState, plan: PlannerOutput, branch: Context, told: Mapping[str, Any]
) -> dict[str, list[str]] | None:
    if not plan.plan.distortion_detection:
        return plan.distortions
    checks = (NamesAreKnown(plan.scopes, tuple(CATALOGUE)),)
    asked = branch.branch("detect", Budget(rounds=TRIES))
    found = _agreed(roles.DETECT, state, checks, asked, {**told, "categories": CATEGORIES})
    return (found.proposal or _by_rule(roles.DETECT, told)).distortion_set


def _analysed(state: AgenticIQAState, branch: Context, told: Mapping[str, Any]) -> dict[str, Any]:
    pairs = tuple(
        (scope, name) for scope, all_of in told["distortion_set"].items() for name in all_of
    )
    asked = branch.branch("analyse", Budget(rounds=TRIES))
    found = _agreed(roles.ANALYSE, state, (AllAreGraded(pairs),), asked, told)
    return (found.proposal or _by_rule(roles.ANALYSE, told)).distortion_analysis


def _selected(
    state: AgenticIQAState, plan: PlannerOutput, branch: Context, told: Mapping[str, Any]
) -> dict[str, dict[str, str]]:
    bank, kind = experts.bank(), experts.kind_of_tool(plan)
    usable = bank.names() if kind == "FR" else bank.names("NR")
    described = {**told, "tools": bank.describe(plan.reference_mode)}
    asked = branch.branch("select", Budget(rounds=TRIES))
    found = _agreed(roles.SELECT, state, (ToolsExist(usable),), asked, described)
    return (found.proposal or _by_rule(roles.SELECT, told)).selected_tools


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
        reference = state.get("reference_path")
        result = experts.run_tool(tool, scope, state["image_path"], reference)
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


def _summarised(
    state: AgenticIQAState, evidence: Evidence, branch: Context
) -> tuple[SummarizerOutput, bool]:
    """The answer, and whether the budget had room to ask for one."""
    plan, executed = state["plan"], state["executor_evidence"]
    role = roles.SCORE if plan.grading else roles.ANSWER
    base = evidence.reference.score if evidence.reference else evidence.score
    told = {
        "query": state["query"],
        "choices": (),
        "plan": plan,
        "executed": executed,
        "evidence": evidence,
        "fused_score": ScoreFusion().fuse(executed.scores() if executed else []),
        "iteration_count": state.get("iteration_count", 0),
        "max_replan_iterations": state.get("max_replan_iterations", DEFAULT_REPLANS),
        **_as_json(executed),
    }
    options = tuple(option.answer for option in read(state["query"]).options)
    check = AnswerStands(
        options=() if plan.grading else options,
        grading=plan.grading,
        fused=base,
        numbers=numbers_in(evidence, executed),
        text=state["query"],
    )
    found = _agreed(role, state, (check,), branch, told)
    if found.unreadable:
        logger.error("the model's answer could not be read: %s", found.unreadable)
        return UNREADABLE, True
    answer = found.proposal or _by_rule(role, told)
    return _noted(_with_score(answer, plan, evidence, base), executed), found.asked


def _noted(answer: SummarizerOutput, executed: ExecutorOutput | None) -> SummarizerOutput:
    """Say what the reasoning must not leave out: evidence at odds with itself, or none at all."""
    said = answer.quality_reasoning
    notes = [f"{line}." for line in contradictions(executed) if line not in said]
    shown = executed is not None and (executed.distortion_analysis or executed.quality_scores)
    if not shown and "evidence" not in said.lower():
        notes.append(NO_EVIDENCE)
    return answer.model_copy(update={"quality_reasoning": " ".join([said, *notes])})


def _with_score(
    answer: SummarizerOutput, plan: PlannerOutput, evidence: Evidence, base: float
) -> SummarizerOutput:
    """Add the measured score; where a model gave a grade, what both say together.

    A score that nobody measured is a model's own and does not count.
    """
    paired = evidence.reference
    interval = paired.interval if paired else evidence.interval
    measured = {base, *(region.score for region in evidence.regions.values())}
    given = answer.quality_score
    if given is not None and given in measured:
        grade = letter_of(given) if plan.grading else answer.final_answer
        reach = interval if given == base else answer.interval
        return answer.model_copy(update={"final_answer": grade, "interval": reach})
    level = level_number(answer.final_answer) if plan.grading else None
    score = base if level is None else ScoreFusion().fuse([base], belief_in(round(level)))
    return answer.model_copy(
        update={"quality_score": score, "interval": interval, "confidence": None}
    )


@dataclass(frozen=True)
class Agreement(Generic[ShapeT]):
    """How a loop ended."""

    proposal: ShapeT | None = None
    """The one that passed, if any did."""
    unreadable: str = ""
    """What was said last, where nothing that was said could be read."""
    asked: bool = True
    """False where the budget was spent before."""


def _agreed(
    role: Role[ShapeT],
    state: AgenticIQAState,
    checks: Sequence[Check[IqaTask, ShapeT]],
    branch: Context,
    told: Mapping[str, Any],
) -> Agreement[ShapeT]:
    """Ask until a proposal passes."""
    seen = branch.model_for(role.name).name != "offline"
    pictures = shown(state["image_path"], state.get("reference_path")) if seen else ()
    task = IqaTask(image=state["image_path"], query=state["query"][:20_000] or DEFAULT_QUERY)
    overhear(branch)
    text, readable = "", False
    for attempt in attempts(task, RoleProposer(role, told, pictures), checks, branch):
        proposal = attempt.proposal
        if isinstance(proposal, Malformed):
            text = proposal.text or proposal.problem or proposal.reason
            logger.info("%s: attempt %d could not be read", role.name, attempt.round + 1)
            continue
        readable = True
        if attempt.accepted:
            return Agreement(proposal)
    return Agreement(unreadable="" if readable else text, asked=readable or bool(text))


def _by_rule(role: Role[ShapeT], told: Mapping[str, Any]) -> ShapeT:
    """What the expert says, where no proposal could stand."""
    assert role.expert is not None
    return role.expert(Brief(task=None, variables=told))


def _as_json(executed: ExecutorOutput | None) -> dict[str, Any]:
    """The evidence as the prompts show it; what is missing is left out."""
    dumped = executed.model_dump(mode="json") if executed else {}
    return {
        "distortion_analysis": dumped.get("distortion_analysis"),
        "quality_scores": dumped.get("quality_scores"),
    }


def _log(state: AgenticIQAState, plan: PlannerOutput, executed: ExecutorOutput | None) -> None:
    mode = "scoring" if plan.grading else "explanation/QA"
    analysed = sum(map(len, (executed.distortion_analysis or {}).values())) if executed else 0
    scored = len(executed.scores()) if executed else 0
    logger.info("summarizer: query type %s, %s mode", plan.query_type, mode)
    logger.info("evidence: %d distortions, %d tool scores", analysed, scored)
    logger.info(
        "images: %s, %s", state["image_path"], state.get("reference_path") or "no reference"
    )
