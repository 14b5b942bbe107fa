"""AgenticSolver: solves business tasks over an API under a written policy.

The names of the specification can be imported from here; each is loaded when it is first used, so
that listing the apps costs nothing.
"""

import importlib
from typing import Any

from proveout.apps.solver.validating.codes import FINDINGS
from proveout.kernel.app import App
from proveout.kernel.lessons import LessonRule

APP = App(
    name="solver",
    summary="Solves business tasks over an API under a written policy, with proofs.",
    task="proveout.apps.solver.task:SolverTask",
    flow="proveout.apps.solver.flow:run",
    roles="proveout.apps.solver.roles:ROLES",
    panels="proveout.apps.solver.panels:panels",
    prompts="proveout.apps.solver.prompts",
    commands="proveout.cli.solver:add_commands",
    extra="solver",
    findings=FINDINGS,
    lessons={
        "solver.plan.bad_args": LessonRule(
            operation="patch_tool", topic="required_parameter", role="solver/propose"
        ),
        "solver.plan.unknown_tool": LessonRule(
            operation="patch_tool", topic="endpoint_semantics", role="solver/propose"
        ),
        "solver.plan.*": LessonRule(topic="operational", role="solver/propose"),
        "solver.sql.*": LessonRule(
            operation="patch_tool", topic="constraint", role="solver/propose"
        ),
        "solver.write.*": LessonRule(topic="permission", role="solver/propose"),
        "solver.*": LessonRule(topic="response_contract", role="solver/propose"),
    },
    demo="proveout.apps.solver.samples:demo",
    example="'Who leads the depot project?' --task-url http://127.0.0.1:8765/erc3-dev/tsk-1",
)

_HOMES = {
    "SolverTask": "task",
    "Plan": "plan",
    "Decision": "decision",
    "ProofBundle": "decision",
    "Response": "decision",
    "ExperienceStore": "experience",
    "Policy": "policy",
    "Toolbox": "tools",
    "TOOLS": "tools",
    "propose": "solving",
    "validate": "solving",
    "compile_wiki": "rules.compile",
    "api_map": "api_map",
}
__all__ = ["APP", *_HOMES]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
