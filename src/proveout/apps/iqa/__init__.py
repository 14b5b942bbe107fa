"""AgenticIQA: plans, measures, explains and grades the quality of an image.

The names of the specification can be imported from here; each is loaded when it is first used, so
that listing the apps costs nothing.
"""

import importlib
from typing import Any

from proveout.kernel.app import App
from proveout.kernel.lessons import LessonRule

APP = App(
    name="iqa",
    summary="Plans, measures, explains and grades image quality.",
    task="proveout.apps.iqa.task:IqaTask",
    flow="proveout.apps.iqa.flow:run",
    roles="proveout.apps.iqa.roles:ROLES",
    panels="proveout.apps.iqa.panels:panels",
    prompts="proveout.apps.iqa.prompts",
    commands="proveout.cli.iqa:add_commands",
    extra="iqa",
    demand="proveout.apps.iqa.answers:demand_pictures",
    waited_for=True,
    findings={
        "iqa.plan.reference": "The plan's reference mode does not fit the files.",
        "iqa.plan.unknown_tool": "The plan names a tool that does not exist.",
        "iqa.plan.flags": "The plan measures for a question that needs no measurement.",
        "iqa.detect.scope": "A region was named that the plan does not know.",
        "iqa.detect.unknown": "A distortion was named that is not in the list.",
        "iqa.analyse.missing": "A named distortion was not graded.",
        "iqa.select.unknown_tool": "A tool was chosen that does not exist.",
        "iqa.answer.no_option": "The answer is none of the options.",
        "iqa.answer.undetermined": "The evidence does not answer the question.",
        "iqa.answer.no_grade": "The answer is no grade.",
        "iqa.answer.far_from_evidence": "The grade lies far from what was measured.",
        "iqa.answer.ungrounded_number": "The reasoning quotes a number that nobody measured.",
    },
    lessons={"iqa.*": LessonRule(topic="response_contract")},
    demo="proveout.apps.iqa.samples:demo",
    example="photo.jpg --query 'Is the sky noisy?'",
)

_HOMES = {
    "assess": "calling",
    "SummarizerOutput": "models",
    "AgenticIQAState": "models",
    "PlannerOutput": "models",
    "PlanControlFlags": "models",
    "ExecutorOutput": "models",
    "DistortionAnalysis": "models",
    "ToolExecutionLog": "models",
    "ScoreFusion": "fusion",
    "planner_node": "nodes",
    "executor_node": "nodes",
    "summarizer_node": "nodes",
    "create_agentic_graph": "graph",
    "create_vlm_client": "vlm_client",
}
__all__ = ["APP", *_HOMES]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
