"""The agents as roles: a prompt file, a return type and an expert each."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from proveout.apps.mle import by_rule
from proveout.apps.mle.problem import Column, Problem
from proveout.apps.mle.scripts.agents import DEFAULTS
from proveout.apps.mle.scripts.kinds import AgentType
from proveout.apps.mle.scripts.outputs import (
    DataContaminationResult,
    ExtractorOutput,
    LeakageDetectionOutput,
    RetrieverOutput,
)
from proveout.kernel.ports import Brief, CallLimits
from proveout.kernel.proposer import Role

ReturnT = TypeVar("ReturnT")
THINKING = CallLimits(timeout_seconds=300.0, max_output_tokens=4_096)
WRITING = CallLimits(timeout_seconds=600.0, max_output_tokens=16_384)
WITH_TOOLS = frozenset({AgentType.retriever, AgentType.extractor, AgentType.leakage})
"""Agents that are offered their tools. The others' prompts hold all there is to read, and commands
would run outside of the sandbox: only scripts run, and only in it."""


def _role(
    agent: AgentType,
    returns: type[ReturnT],
    expert: Callable[[Brief], ReturnT],
    examples: Mapping[str, Any],
    *,
    variant: str | None = None,
) -> Role[ReturnT]:
    default = DEFAULTS[agent, variant]
    return Role(
        name=f"mle/{agent.value}_{variant}" if variant else f"mle/{agent.value}",
        returns=returns,
        description=default.description,
        expert=expert,
        tools=default.tools if agent in WITH_TOOLS else None,
        limits=WRITING if returns is str else THINKING,
        examples=examples,
    )


SCRIPT = """import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

rows = pd.read_csv("./input/train.csv")
target = rows.pop("target")
fit, held, y, truth = train_test_split(rows, target, random_state=0)
model = make_pipeline(StandardScaler(), LogisticRegression())
model.fit(fit, y)
print("Final Validation Performance:", model.score(held, truth))
"""
BLOCK = "model = make_pipeline(StandardScaler(), LogisticRegression())"
_TABLE = Problem(
    name="example",
    kind="binary",
    metric="accuracy",
    direction="maximize",
    targets=("target",),
    labels=("0", "1"),
    columns=(
        Column(name="height", kind="number", unique=900),
        Column(name="colour", kind="category", unique=4),
    ),
    rows=1000,
    test_rows=100,
)
_TOLD: Mapping[str, Any] = {"findings": (), "problem": _TABLE}
_TASK = "Predict `target`; the metric is accuracy."
_STUDY = "Baseline: 0.81\nwithout StandardScaler: 0.74\n"
_TRIED: Mapping[str, Any] = {"plans": ["Scale by ranks."], "scores": [None]}

RETRIEVER = _role(
    AgentType.retriever,
    RetrieverOutput,
    by_rule.retrieved,
    {**_TOLD, "task_description": _TASK, "M": 2},
)
INIT = _role(
    AgentType.init,
    str,
    by_rule.begun,
    {
        **_TOLD,
        "task_description": _TASK,
        "model_name": "logistic regression",
        "example_code": SCRIPT,
    },
)
MERGER = _role(
    AgentType.merger, str, by_rule.merged, {**_TOLD, "base_code": SCRIPT, "reference_code": SCRIPT}
)
ABLATION = _role(
    AgentType.ablation,
    str,
    by_rule.ablated,
    {**_TOLD, "solution_script": SCRIPT, "previous_ablations": []},
)
SUMMARIZE = _role(
    AgentType.summarize,
    str,
    by_rule.summarised,
    {**_TOLD, "ablation_code": SCRIPT, "raw_result": _STUDY},
)
EXTRACTOR = _role(
    AgentType.extractor,
    ExtractorOutput,
    by_rule.extracted,
    {
        **_TOLD,
        "solution_script": SCRIPT,
        "ablation_summary": "Most impactful component: StandardScaler.",
        "previous_code_blocks": [],
    },
)
CODER = _role(
    AgentType.coder, str, by_rule.coded, {**_TOLD, "code_block": BLOCK, "plan": "Scale by ranks."}
)
PLANNER = _role(AgentType.planner, str, by_rule.planned, {**_TOLD, "code_block": BLOCK, **_TRIED})
ENS_PLANNER = _role(
    AgentType.ens_planner,
    str,
    by_rule.ens_planned,
    {**_TOLD, "L": 2, "solutions": [SCRIPT, SCRIPT], "plans": [], "scores": []},
)
ENSEMBLER = _role(
    AgentType.ensembler,
    str,
    by_rule.ensembled,
    {**_TOLD, "L": 2, "solutions": [SCRIPT, SCRIPT], "plan": "Average both."},
)
DEBUGGER = _role(
    AgentType.debugger,
    str,
    by_rule.mended,
    {**_TOLD, "code": SCRIPT, "bug": "NameError: name 'np' is not defined"},
)
LEAKAGE_DETECTION = _role(
    AgentType.leakage,
    LeakageDetectionOutput,
    by_rule.detected,
    {**_TOLD, "code": SCRIPT},
    variant="detection",
)
LEAKAGE_CORRECTION = _role(
    AgentType.leakage, str, by_rule.corrected, {**_TOLD, "code": SCRIPT}, variant="correction"
)
DATA = _role(
    AgentType.data,
    str,
    by_rule.sufficient,
    {**_TOLD, "initial_solution": SCRIPT, "task_description": _TASK},
)
TEST = _role(
    AgentType.test,
    str,
    by_rule.tested,
    {**_TOLD, "initial_solution": SCRIPT, "task_description": _TASK},
)
SUBSAMPLING_EXTRACT = _role(
    AgentType.test,
    str,
    by_rule.sampling,
    {**_TOLD, "initial_solution": SCRIPT},
    variant="subsampling_extract",
)
SUBSAMPLING_REMOVE = _role(
    AgentType.test,
    str,
    by_rule.unsampled,
    {**_TOLD, "code_block": BLOCK},
    variant="subsampling_remove",
)
CONTAMINATION = _role(
    AgentType.test,
    DataContaminationResult,
    by_rule.compared,
    {**_TOLD, "initial_solution": SCRIPT, "reference_discussion": "Use a neural network."},
    variant="contamination",
)
ROLES = (
    RETRIEVER,
    INIT,
    MERGER,
    ABLATION,
    SUMMARIZE,
    EXTRACTOR,
    CODER,
    PLANNER,
    ENS_PLANNER,
    ENSEMBLER,
    DEBUGGER,
    LEAKAGE_DETECTION,
    LEAKAGE_CORRECTION,
    DATA,
    TEST,
    SUBSAMPLING_EXTRACT,
    SUBSAMPLING_REMOVE,
    CONTAMINATION,
)
