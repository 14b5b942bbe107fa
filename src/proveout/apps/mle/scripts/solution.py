"""A training script on its way through the pipeline, the settings it is made under, and scores."""

import re
from datetime import UTC, datetime
from typing import Self

from pydantic import BaseModel, ConfigDict, Field

from proveout.apps.mle.problem import Problem
from proveout.apps.mle.scripts.kinds import (
    CodeBlockCategory,
    DataModality,
    MetricDirection,
    SolutionPhase,
    TaskType,
)
from proveout.kernel.types import Frozen

SCORE = re.compile(r"Final Validation Performance:\s*([\d.eE+-]+)")
"""How a script tells its score."""


class PhaseTimeBudget(Frozen):
    """Shares of the time limit, in per cent."""

    phase1: float = Field(default=10.0, ge=0)
    phase2: float = Field(default=65.0, ge=0)
    phase3: float = Field(default=15.0, ge=0)
    finalization: float = Field(default=10.0, ge=0)


class PipelineConfig(Frozen):
    """How much is tried. The defaults are the paper's."""

    num_retrieved_models: int = Field(default=4, ge=1)
    outer_loop_steps: int = Field(default=4, ge=1)
    inner_loop_steps: int = Field(default=4, ge=1)
    num_parallel_solutions: int = Field(default=2, ge=1)
    ensemble_rounds: int = Field(default=5, ge=1)
    time_limit_seconds: int = Field(default=86_400, ge=1)
    subsample_limit: int = Field(default=30_000, ge=1)
    max_debug_attempts: int = Field(default=3, ge=1)
    max_budget_usd: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    permission_mode: str = "bypassPermissions"
    """Kept for compatibility. Back ends here are never given more than they need."""
    model: str = "sonnet"
    """Kept for compatibility. The run's settings name the model."""
    log_level: str = "INFO"
    log_file: str | None = None
    """Kept for compatibility, like the level: logging is set up by whoever runs the process."""
    phase_time_budget: PhaseTimeBudget | None = None

    @property
    def shares(self) -> PhaseTimeBudget:
        return self.phase_time_budget or PhaseTimeBudget()

    @property
    def planned_runs(self) -> int:
        """Scripts that a run executes if nothing has to be debugged."""
        first = 2 * self.num_retrieved_models + 1
        steps = self.num_parallel_solutions * self.outer_loop_steps
        return first + steps * (self.inner_loop_steps + 1) + self.ensemble_rounds + 1


class TaskDescription(Frozen):
    """What is to be predicted, in the words of whoever asks."""

    competition_id: str
    task_type: TaskType
    data_modality: DataModality
    evaluation_metric: str
    metric_direction: MetricDirection
    description: str
    data_dir: str = "./input"
    output_dir: str = "./final"
    target_column: str | None = None
    baseline_value: float | None = None
    problem: Problem | None = None
    """What code could tell about the data; experts work from it, models do not see it."""


class SolutionScript(BaseModel):
    """A single-file program that trains, scores itself and predicts."""

    model_config = ConfigDict(extra="forbid", validate_assignment=True)

    content: str
    phase: SolutionPhase
    score: float | None = None
    is_executable: bool = True
    source_model: str | None = None
    created_at: datetime = Field(default_factory=lambda: datetime.now(UTC))

    def replace_block(self, old: str, new: str) -> Self:
        """A copy in which the first occurrence of `old` is `new`.

        Raises:
            ValueError: if `old` is empty or does not occur.
        """
        if not old:
            # It would "occur" everywhere; nobody can have meant that.
            message = "an empty block cannot be replaced"
            raise ValueError(message)
        if old not in self.content:
            message = f"the block is not part of the script: {old[:80]!r}"
            raise ValueError(message)
        return self.model_copy(update={"content": self.content.replace(old, new, 1)})


class CodeBlock(Frozen):
    """A part of a script that was chosen to be refined."""

    content: str
    category: CodeBlockCategory | None = None
    outer_step: int | None = None


def is_improvement(new: float, old: float, direction: MetricDirection) -> bool:
    """Strictly better."""
    return new > old if direction == MetricDirection.maximize else new < old


def is_improvement_or_equal(new: float, old: float, direction: MetricDirection) -> bool:
    """At least as good; what is not a number is never good."""
    return new >= old if direction == MetricDirection.maximize else new <= old
