"""The same trivial loop as a graph: propose → judge → propose … until the last round."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, Literal, TypedDict

from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph

Durability = Literal["sync", "async", "exit"]


class State(TypedDict, total=False):
    """What our journal holds of an attempt."""

    top: int
    round: int
    proposal: dict[str, Any]
    findings: list[dict[str, str]]


def propose(state: State) -> State:
    number = state.get("round", 0) + 1
    return {"round": number, "proposal": {"number": number}}


def judge(state: State) -> State:
    number = state["proposal"]["number"]
    if number >= state["top"]:
        return {"findings": []}
    message = f"{number} of {state['top']}"
    hint = "Climb one step higher."
    return {"findings": [{"code": "bench.too_low", "message": message, "hint": hint}]}


def attempt(state: State) -> State:
    """Both in one node: half the checkpoints, for a loop that can afford to repeat a proposal."""
    proposed = propose(state)
    return {**proposed, **judge({**state, **proposed})}


def _next(again: str) -> Callable[[State], str]:
    return lambda state: again if state["findings"] else END


def run_langgraph(path: Path, rounds: int, durability: Durability, *, one_node: bool) -> int:
    """Make `rounds` attempts with a checkpoint after each node."""
    graph = StateGraph(State)
    if one_node:
        graph.add_node("attempt", attempt)
        graph.add_edge(START, "attempt")
        graph.add_conditional_edges("attempt", _next("attempt"))
    else:
        graph.add_node("propose", propose)
        graph.add_node("judge", judge)
        graph.add_edge(START, "propose")
        graph.add_edge("propose", "judge")
        graph.add_conditional_edges("judge", _next("propose"))
    with closing(sqlite3.connect(path, check_same_thread=False)) as connection:
        saver = SqliteSaver(connection)
        # As the saver sets it up: write-ahead log, and SQLite's default of full synchronisation.
        compiled = graph.compile(checkpointer=saver)
        ended = compiled.invoke(
            {"top": rounds},
            {"configurable": {"thread_id": "climb"}, "recursion_limit": 2 * rounds + 10},
            durability=durability,
        )
    return int(ended["round"])
