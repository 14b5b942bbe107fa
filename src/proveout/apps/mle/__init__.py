"""MLE-STAR: writes, ablates, refines and ensembles training scripts, and never leaks.

The names of the specification can be imported from here; each is loaded when it is first used, so
that listing the apps costs nothing.
"""

import importlib
from typing import Any

from proveout.apps.mle.codes import FINDINGS
from proveout.kernel.app import App
from proveout.kernel.lessons import LessonRule

APP = App(
    name="mle",
    summary="Writes, ablates, refines and ensembles training scripts; never leaks (MLE-STAR).",
    task="proveout.apps.mle.task:MleTask",
    flow="proveout.apps.mle.flow:run",
    roles="proveout.apps.mle.roles:ROLES",
    panels="proveout.apps.mle.panels:panels",
    prompts="proveout.apps.mle.prompts",
    commands="proveout.cli.mle:add_commands",
    extra="mle",
    demand="proveout.apps.mle.intake.demanding:demand_tables",
    findings=FINDINGS,
    lessons={
        "mle.leak.*": LessonRule(topic="operational"),
        "mle.script.*": LessonRule(topic="operational"),
        "mle.*": LessonRule(topic="response_contract"),
    },
    demo="proveout.apps.mle.samples:demo",
    example="titanic/ --out titanic-out",
    # Time ends a search, not the number of scripts.
    bounds={"rounds": 100_000, "seconds": 300.0},
)

_HOMES = {
    "MleTask": "task",
    "Problem": "problem",
    "inspect": "intake",
    **dict.fromkeys(
        (
            "AgentType",
            "CodeBlock",
            "CodeBlockCategory",
            "DataContaminationResult",
            "DataModality",
            "EnsembleAttempt",
            "EvaluationResult",
            "ExecutionRawResult",
            "ExtractorOutput",
            "FinalResult",
            "InnerLoopResult",
            "LeakageAnswer",
            "LeakageDetectionOutput",
            "MetricDirection",
            "Phase1Result",
            "Phase2Result",
            "Phase3Result",
            "PhaseTimeBudget",
            "PipelineConfig",
            "RefinePlan",
            "RefinementAttempt",
            "RetrievedModel",
            "RetrieverOutput",
            "ScoreFunction",
            "SolutionPhase",
            "SolutionScript",
            "TaskDescription",
            "TaskType",
            "is_improvement",
            "is_improvement_or_equal",
        ),
        "models",
    ),
    "AgentConfig": "scripts.agents",
    "build_default_agent_configs": "scripts.agents",
    "PromptRegistry": "scripts.registry",
    "PromptTemplate": "scripts.registry",
    **dict.fromkeys(("extract_code_block", "validate_code_block"), "scripts.blocks"),
    **dict.fromkeys(
        (
            "evaluate_batch",
            "evaluate_solution",
            "evaluate_with_retry",
            "execute_script",
            "get_submission_info",
            "parse_score",
            "rank_solutions",
            "verify_submission",
            "write_script",
        ),
        "star.execution",
    ),
    **dict.fromkeys(
        (
            "check_and_fix_leakage",
            "check_data_usage",
            "correct_leakage",
            "debug_solution",
            "detect_leakage",
            "make_debug_callback",
            "parse_data_agent_response",
        ),
        "star.safety",
    ),
    **dict.fromkeys(
        (
            "generate_candidate",
            "merge_solutions",
            "parse_retriever_output",
            "retrieve_models",
            "run_phase1",
        ),
        "star.phase1",
    ),
    **dict.fromkeys(
        ("invoke_ablation", "invoke_extractor", "invoke_summarize", "run_phase2_outer_loop"),
        "star.phase2_outer",
    ),
    **dict.fromkeys(
        ("invoke_coder", "invoke_planner", "run_phase2_inner_loop"), "star.phase2_inner"
    ),
    **dict.fromkeys(("invoke_ens_planner", "invoke_ensembler", "run_phase3"), "star.phase3"),
    **dict.fromkeys(
        (
            "check_contamination",
            "generate_test_submission",
            "remove_subsampling",
            "run_finalization",
        ),
        "star.finalization",
    ),
    **dict.fromkeys(
        (
            "PipelineError",
            "PipelineState",
            "PipelineTimeoutError",
            "run_pipeline",
            "run_pipeline_sync",
        ),
        "star.orchestrator",
    ),
}
__all__ = ["APP", *_HOMES]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
