"""The names of the specification's data models, in one place.

They are defined by subject: `kinds`, `solution`, `outputs`, `results`, `registry`, `agents`.
"""

from proveout.apps.mle.scripts.agents import AgentConfig, build_default_agent_configs
from proveout.apps.mle.scripts.kinds import (
    AgentType,
    CodeBlockCategory,
    DataModality,
    MetricDirection,
    SolutionPhase,
    TaskType,
)
from proveout.apps.mle.scripts.outputs import (
    DataContaminationResult,
    ExtractorOutput,
    LeakageAnswer,
    LeakageDetectionOutput,
    RefinePlan,
    RetrievedModel,
    RetrieverOutput,
)
from proveout.apps.mle.scripts.registry import PromptRegistry, PromptTemplate
from proveout.apps.mle.scripts.results import (
    EnsembleAttempt,
    EvaluationResult,
    ExecutionRawResult,
    FinalResult,
    InnerLoopResult,
    Phase1Result,
    Phase2Result,
    Phase3Result,
    RefinementAttempt,
    ScoreFunction,
)
from proveout.apps.mle.scripts.solution import (
    CodeBlock,
    PhaseTimeBudget,
    PipelineConfig,
    SolutionScript,
    TaskDescription,
    is_improvement,
    is_improvement_or_equal,
)

__all__ = [
    "AgentConfig",
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
    "PromptRegistry",
    "PromptTemplate",
    "RefinePlan",
    "RefinementAttempt",
    "RetrievedModel",
    "RetrieverOutput",
    "ScoreFunction",
    "SolutionPhase",
    "SolutionScript",
    "TaskDescription",
    "TaskType",
    "build_default_agent_configs",
    "is_improvement",
    "is_improvement_or_equal",
]
