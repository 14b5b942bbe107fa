"""What executing a script showed, and what each phase came to."""

from typing import Any, Protocol

from proveout.apps.mle.scripts.outputs import RetrievedModel
from proveout.apps.mle.scripts.solution import (
    CodeBlock,
    PipelineConfig,
    SolutionScript,
    TaskDescription,
)
from proveout.kernel.types import Frozen


class ExecutionRawResult(Frozen):
    """A finished process. Nothing in it is interpreted yet."""

    stdout: str
    stderr: str
    exit_code: int
    duration_seconds: float
    timed_out: bool


class EvaluationResult(Frozen):
    """What a run of a script says about it."""

    score: float | None = None
    stdout: str
    stderr: str
    exit_code: int
    duration_seconds: float
    is_error: bool
    error_traceback: str | None = None


class ScoreFunction(Protocol):
    """Anything that scores a script on a task."""

    def __call__(self, solution: SolutionScript, task: TaskDescription) -> EvaluationResult: ...


class RefinementAttempt(Frozen):
    """One plan for one block, and what came of it."""

    plan: str
    score: float | None = None
    code_block: str
    was_improvement: bool


class EnsembleAttempt(Frozen):
    plan: str
    score: float | None = None
    solution: SolutionScript


class InnerLoopResult(Frozen):
    """What refining one block came to."""

    best_solution: SolutionScript
    best_score: float
    attempts: list[RefinementAttempt]
    improved: bool
    """Strictly better than what came in."""


class Phase1Result(Frozen):
    """Candidates in the order in which they were made, failed ones included."""

    retrieved_models: list[RetrievedModel]
    candidate_solutions: list[SolutionScript]
    candidate_scores: list[float | None]
    initial_solution: SolutionScript
    initial_score: float


class Phase2Result(Frozen):
    ablation_summaries: list[str]
    refined_blocks: list[CodeBlock]
    best_solution: SolutionScript
    best_score: float
    step_history: list[dict[str, Any]]


class Phase3Result(Frozen):
    input_solutions: list[SolutionScript]
    ensemble_plans: list[str]
    ensemble_scores: list[float | None]
    best_ensemble: SolutionScript
    best_ensemble_score: float | None
    """None only for a single solution that never had a score."""


class FinalResult(Frozen):
    task: TaskDescription
    config: PipelineConfig
    phase1: Phase1Result
    phase2_results: list[Phase2Result]
    phase3: Phase3Result | None = None
    final_solution: SolutionScript
    submission_path: str
    """Empty where there is no submission."""
    total_duration_seconds: float
    total_cost_usd: float | None = None
