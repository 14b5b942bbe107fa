"""What the page of an assessment shows of its tools and of its plans."""

import json
from dataclasses import replace
from typing import Any

from proveout.apps.iqa.panels import panels
from proveout.apps.iqa.tools.bank import shared_bank
from proveout.kernel.errors import JournalError
from proveout.kernel.panels import Chart, Tree
from proveout.kernel.run import AttemptRecord, Run
from proveout.kernel.types import Outcome, Usage, Verdict
from tests.unit.report.examples import accepted_run

ANSWER: dict[str, Any] = {
    "final_answer": "Fair",
    "quality_reasoning": "Soft edges.",
    "plan": {"query_type": "IQA", "query_scope": "Global", "plan": {}},
    "executor_evidence": {
        "quality_scores": {
            "Global": {"Blurs": ["GMSD", 2.1], "Noise": ["VSI", 4.0]},
            "left-hand cup": {"Blurs": ["GMSD", 1.4]},
        }
    },
}
BLOBS = {
    "one": {"tool_name": "GMSD", "raw_score": 0.2},
    "two": {"tool_name": "VSI", "raw_score": 0.97},
    "three": {"tool_name": "GMSD", "raw_score": 0.31},
    "four": {"tool_name": "a tool that nobody has", "raw_score": 1},
}


def attempt(key: str) -> AttemptRecord:
    return AttemptRecord(key, "PlannerOutput", {}, Verdict(), Usage(), (), 0.0, 0.0)


def run_with(answer: dict[str, Any]) -> Run:
    keys = ("planner-0#0", "summarizer-0#0", "planner-1#0", "executor-1/analyse#0")
    return replace(
        accepted_run(),
        app="iqa",
        task={"image": "a.png", "query": "How good?"},
        outcome=Outcome(accepted=True, answer=answer),
        attempts=tuple(map(attempt, keys)),
    )


def fetch(name: str) -> bytes:
    if name not in BLOBS:
        message = "gone"
        raise JournalError(message)
    return json.dumps(BLOBS[name]).encode()


def test_tools_are_shown_with_their_range_and_direction() -> None:
    observed = {
        "executor-0@tool-GMSD-Global": "one",
        "executor-0@tool-VSI-Global~2": "two",
        "executor-0@tool-GMSD-left-hand cup": "three",
        "executor-0@tool-X-Global": "four",
        "executor-0@tool-Y-Global": "gone",
    }
    run = replace(run_with(ANSWER), observed=observed)
    chart = next(p for p in panels(run, fetch) if p.title == "Tools on their own scales")
    assert isinstance(chart, Chart)
    assert chart.labels == ("GMSD", "VSI", "GMSD, left-hand cup")
    assert chart.series[0].values == (0.2, 0.97, 0.31)
    assert [one.direction for one in chart.ranges] == ["lower", "higher", "lower"]
    assert [(one.low, one.high) for one in chart.ranges[:2]] == [
        shared_bank().get("GMSD").range,
        shared_bank().get("VSI").range,
    ]


def test_only_the_last_round_counts() -> None:
    observed = {"executor-0@tool-GMSD-Global": "one", "executor-1@tool-VSI-Global": "two"}
    run = replace(run_with({**ANSWER, "iterations": 1}), observed=observed)
    chart = next(p for p in panels(run, fetch) if p.title == "Tools on their own scales")
    assert isinstance(chart, Chart)
    assert chart.labels == ("VSI",)


def test_the_way_from_plan_to_plan() -> None:
    reason = "[Iteration 1] the cup was not measured"
    run = run_with({**ANSWER, "iterations": 1, "replan_history": [reason]})
    path = next(p for p in panels(run, fetch) if p.title == "Replan path")
    assert isinstance(path, Tree)
    assert [(one.label, one.status, one.note) for one in path.nodes] == [
        ("plan 1", "rejected", reason),
        ("plan 2", "accepted", "led to the answer"),
    ]
    assert [[step.label for step in one.children] for one in path.nodes] == [
        ["planner-0#0", "summarizer-0#0"],
        ["planner-1#0", "executor-1/analyse#0"],
    ]


def test_a_plan_that_was_kept_is_no_path() -> None:
    shown = panels(run_with(ANSWER), fetch)
    assert "Replan path" not in {panel.title for panel in shown}
    plan = next(panel for panel in shown if panel.title == "Plan")
    assert ("replanned", "never") in plan.model_dump()["rows"]
