"""The whole pipeline: first solutions, L paths of refinement side by side, ensemble, submission.

What fails is replaced by what came before it: a path by its start, the ensemble by the best path,
the final script by the validated one. A spent budget ends the run with the best so far.
"""

import asyncio
import logging
import os
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from proveout.apps.mle.scripts.results import FinalResult, Phase1Result, Phase2Result, Phase3Result
from proveout.apps.mle.scripts.solution import (
    PipelineConfig,
    SolutionScript,
    TaskDescription,
    is_improvement,
)
from proveout.apps.mle.star.backing import Backend, in_force
from proveout.apps.mle.star.finalization import Phases, finished, run_finalization
from proveout.apps.mle.star.guarding import tell_saved
from proveout.apps.mle.star.phase1 import run_phase1
from proveout.apps.mle.star.phase2_outer import run_phase2_outer_loop
from proveout.apps.mle.star.phase3 import run_phase3
from proveout.apps.mle.star.room import Room, entering, part_of, working
from proveout.kernel.ambient import using
from proveout.kernel.budget import Budget
from proveout.kernel.context import Context
from proveout.kernel.errors import BudgetSpent, Interrupted, ProveoutError

logger = logging.getLogger(__name__)
ResultT = TypeVar("ResultT")
ENVIRONMENT: Mapping[str, str] = {
    "MLE_STAR_MODEL": "model",
    "MLE_STAR_LOG_LEVEL": "log_level",
    "MLE_STAR_MAX_BUDGET": "max_budget_usd",
    "MLE_STAR_TIME_LIMIT": "time_limit_seconds",
}
SCRIPT_SLACK = 2.0
"""How much longer than its even share of the time one script may take."""
SHORTEST_SCRIPT_SECONDS = 10.0
PLENTY = 10_000_000


class PipelineError(RuntimeError):
    """The pipeline has no result; `diagnostics` says how far it came."""

    def __init__(self, message: str, diagnostics: Mapping[str, Any]) -> None:
        super().__init__(message)
        self.diagnostics = dict(diagnostics)


class PipelineTimeoutError(PipelineError):
    """A bound was reached before there was any solution."""


@dataclass
class PipelineState:
    """Where the pipeline stands."""

    current_phase: str = "start"
    elapsed_seconds: float = 0.0
    accumulated_cost_usd: float = 0.0
    phase2_path_statuses: dict[str, str] = field(default_factory=dict)
    best_score_so_far: float | None = None
    agent_call_count: int = 0

    def enter(self, phase: str, context: Context) -> None:
        usage = context.meter.usage
        self.current_phase = phase
        self.elapsed_seconds = context.meter.used("seconds")
        self.accumulated_cost_usd, self.agent_call_count = usage.cost_usd, usage.calls
        logger.info("phase: %s", phase)


def configured(
    config: PipelineConfig | None, environment: Mapping[str, str] | None = None
) -> PipelineConfig:
    """What is set explicitly, then the environment, then the defaults."""
    held = os.environ if environment is None else environment
    told = {field: held[name] for name, field in ENVIRONMENT.items() if held.get(name)}
    explicit = config.model_dump(exclude_unset=True) if config else {}
    return PipelineConfig.model_validate({**told, **explicit})


def _demand_data(task: TaskDescription) -> None:
    folder = Path(task.data_dir)
    if not folder.is_dir() or not any(folder.iterdir()):
        message = f"data_dir must be a folder that holds files: {task.data_dir}"
        raise ValueError(message)


async def run_pipeline(
    task: TaskDescription,
    config: PipelineConfig | None = None,
    *,
    backend: Backend | None = None,
) -> FinalResult:
    """From a task to a submission.

    Raises:
        ValueError: if the task or the configuration cannot be right.
        PipelineTimeoutError: if a bound was reached before there was a solution.
    """
    settled = configured(config)
    with in_force(backend) as outer:
        if not outer.record.replaying:
            _demand_data(task)
        branch = outer.branch("pipeline", _budget(outer, settled))
        share = settled.time_limit_seconds / settled.planned_runs * SCRIPT_SLACK
        with using(branch), working(task) as room:
            limited = replace(room, seconds=max(share, SHORTEST_SCRIPT_SECONDS))
            with entering(limited):
                pipeline = Pipeline(task, settled, branch, limited)
                try:
                    found = await pipeline.run()
                except BudgetSpent as spent:
                    outer.drained(spent)
                    found = pipeline.cut_short(spent)
                tell_saved(branch)
                return found


def run_pipeline_sync(
    task: TaskDescription,
    config: PipelineConfig | None = None,
    *,
    backend: Backend | None = None,
) -> FinalResult:
    """The same, for callers without an event loop."""
    return asyncio.run(run_pipeline(task, config, backend=backend))


def _budget(context: Context, config: PipelineConfig) -> Budget:
    """Time and money as configured; the run's own bounds hold besides."""
    most = context.meter.limit("cost_usd")
    return Budget(
        rounds=PLENTY,
        calls=PLENTY,
        tokens=PLENTY * 1000,
        cost_usd=min(most, config.max_budget_usd or most),
        seconds=min(float(config.time_limit_seconds), 10_000_000.0),
    )


@dataclass
class Pipeline:
    """One run and what it has so far."""

    task: TaskDescription
    config: PipelineConfig
    context: Context
    room: Room
    state: PipelineState = field(default_factory=PipelineState)
    phase1: Phase1Result | None = None
    phase2: list[Phase2Result] = field(default_factory=list)
    bests: dict[int, SolutionScript] = field(default_factory=dict)
    """The best of each path so far."""

    async def run(self) -> FinalResult:
        self.state.enter("phase1", self.context)
        self.phase1 = first = await run_phase1(self.task, self.config)
        self.state.enter("phase2", self.context)
        self.phase2 = await self._refined(first)
        self.state.enter("phase3", self.context)
        ensemble = await self._ensembled()
        chosen = self._chosen(ensemble)
        self.state.enter("finalization", self.context)
        phases = (first, self.phase2, ensemble)
        done = await _attempted(
            run_finalization(chosen, self.task, self.config, *phases), "finalization"
        )
        self.state.enter("done", self.context)
        return done or self._result(phases, chosen)

    async def _refined(self, first: Phase1Result) -> list[Phase2Result]:
        """L paths from the same start, side by side; a path that fails is its start."""
        count = self.config.num_parallel_solutions
        # Their clocks start now.
        deadline = self._part(self.config.shares.phase2)
        branches = [self.context.branch(f"path-{number}") for number in range(count)]
        for number, branch in enumerate(branches):
            # Experts would otherwise walk the same path L times.
            branch.seed += number
        paths = [self._path(number, first, branches[number], deadline) for number in range(count)]
        results: list[Phase2Result] = []
        for number, found in enumerate(await asyncio.gather(*paths, return_exceptions=True)):
            name = f"path-{number}"
            if isinstance(found, Phase2Result):
                self.state.phase2_path_statuses[name] = "done"
                results.append(found)
                continue
            _raise_if_final(found)
            logger.warning("%s failed and is replaced by its start: %s", name, found)
            self.state.phase2_path_statuses[name] = "failed"
            results.append(_unrefined(first))
        return results

    async def _path(
        self, number: int, first: Phase1Result, branch: Context, deadline: float
    ) -> Phase2Result:
        def progress(best: SolutionScript) -> None:
            self.bests[number] = best

        room = replace(part_of(self.room, f"path-{number}", deadline), progress=progress)
        start = first.initial_solution.model_copy(deep=True)
        with using(branch), entering(room):
            return await run_phase2_outer_loop(start, first.initial_score, self.task, self.config)

    def _part(self, share: float, spent: float = 0.0) -> float:
        """Seconds of what is left that fall to a phase; `spent` are shares of phases after the
        first that are over."""
        shares = self.config.shares
        rest = shares.phase2 + shares.phase3 + shares.finalization - spent
        left = max(0.0, self.config.time_limit_seconds - self.context.meter.used("seconds"))
        return left * share / rest if rest else left

    async def _ensembled(self) -> Phase3Result | None:
        if len(self.phase2) < 2:
            return None
        solutions = [it.best_solution for it in self.phase2]
        shares = self.config.shares
        used = self.context.meter.used("seconds")
        until = used + self._part(shares.phase3, spent=shares.phase2)
        with entering(replace(self.room, deadline=until)):
            return await _attempted(run_phase3(solutions, self.task, self.config), "phase 3")

    def _chosen(self, ensemble: Phase3Result | None) -> SolutionScript:
        """The ensemble, unless a single solution is strictly better than it."""
        best = self._best_single()
        if ensemble is None or ensemble.best_ensemble.score is None:
            return best
        score, direction = ensemble.best_ensemble.score, self.task.metric_direction
        if best.score is not None and is_improvement(best.score, score, direction):
            logger.warning("a single solution is better than every ensemble and is chosen")
            return best
        return ensemble.best_ensemble

    def _best_single(self) -> SolutionScript:
        """Of the paths, finished or not, and of the start."""
        assert self.phase1 is not None
        best = self.phase1.initial_solution
        found = [it.best_solution for it in self.phase2] or list(self.bests.values())
        for solution in found:
            known = best.score is not None and solution.score is not None
            direction = self.task.metric_direction
            if known and is_improvement(solution.score or 0.0, best.score or 0.0, direction):
                best = solution
        self.state.best_score_so_far = best.score
        return best

    def cut_short(self, spent: BudgetSpent) -> FinalResult:
        """The best so far, without another call."""
        self.state.enter("stopped", self.context)
        if self.phase1 is None:
            message = f"no solution yet: {spent}"
            raise PipelineTimeoutError(message, vars(self.state)) from spent
        logger.warning("stopped early: %s", spent)
        paths = self.phase2 or [_unrefined(self.phase1)]
        return self._result((self.phase1, paths, None), self._best_single())

    def _result(self, phases: Phases, solution: SolutionScript) -> FinalResult:
        return finished(self.context, self.task, self.config, phases, solution, "")


def _unrefined(first: Phase1Result) -> Phase2Result:
    return Phase2Result(
        ablation_summaries=[],
        refined_blocks=[],
        best_solution=first.initial_solution,
        best_score=first.initial_score,
        step_history=[],
    )


async def _attempted(work: Awaitable[ResultT], name: str) -> ResultT | None:
    """The result, or None if the work failed by itself."""
    (found,) = await asyncio.gather(work, return_exceptions=True)
    if isinstance(found, BaseException):
        _raise_if_final(found)
        logger.warning("%s failed: %s", name, found)
        return None
    return found


def _raise_if_final(error: BaseException) -> None:
    """A spent budget, a provider that is down, somebody who says stop: those end the run, which can
    be resumed. To go on without the path would be recorded as if it had been tried."""
    if isinstance(error, ProveoutError | Interrupted) or not isinstance(error, Exception):
        raise error
