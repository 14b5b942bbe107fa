"""The graph: plan, execute, summarise, and plan again while the evidence does not suffice.

LangGraph routes; what the nodes do is in `nodes`. Inside a run every step is recorded in the
journal, which is what a resumed run goes by; a checkpointer may be given besides, for use without a
run.
"""

import logging
from typing import Any

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from proveout.apps.iqa.models import DEFAULT_REPLANS, AgenticIQAState
from proveout.apps.iqa.nodes import executor_node, planner_node, summarizer_node

logger = logging.getLogger(__name__)


def create_agentic_graph(checkpointer: Any = None) -> CompiledStateGraph[Any, Any, Any, Any]:
    """`planner → executor → summarizer → (planner | end)`, compiled."""
    graph: StateGraph[Any, Any, Any, Any] = StateGraph(AgenticIQAState)
    graph.add_node("planner", planner_node)
    graph.add_node("executor", executor_node)
    graph.add_node("summarizer", summarizer_node)
    graph.add_edge(START, "planner")
    graph.add_conditional_edges("planner", _unless_failed("executor"))
    graph.add_conditional_edges("executor", _unless_failed("summarizer"))
    graph.add_conditional_edges("summarizer", decide_next_node)
    return graph.compile(checkpointer=checkpointer)


def decide_next_node(state: AgenticIQAState) -> str:
    """Back to the planner only if that was asked for and is still allowed."""
    result = state.get("summarizer_result")
    if result is None or state.get("error") or not result.need_replan:
        return END
    if state.get("iteration_count", 0) > state.get("max_replan_iterations", DEFAULT_REPLANS):
        logger.warning("maximum of replanning iterations reached; the answer stands as it is")
        return END
    return "planner"


def _unless_failed(name: str) -> Any:
    def route(state: AgenticIQAState) -> str:
        return END if state.get("error") else name

    return route
