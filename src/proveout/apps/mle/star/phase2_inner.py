"""Phase 2, inner loop: K plans for one block, each carried out on the original (Algorithm 2)."""

import logging
from dataclasses import dataclass, field

from proveout.apps.mle import roles
from proveout.apps.mle.scripts.blocks import fragment_in, replaced
from proveout.apps.mle.scripts.kinds import SolutionPhase
from proveout.apps.mle.scripts.results import InnerLoopResult, RefinementAttempt
from proveout.apps.mle.scripts.solution import (
    PipelineConfig,
    SolutionScript,
    TaskDescription,
    is_improvement,
    is_improvement_or_equal,
)
from proveout.apps.mle.star.backing import Backend, ask, in_force
from proveout.apps.mle.star.execution import evaluate_with_retry, get_subsample_instruction
from proveout.apps.mle.star.room import working
from proveout.apps.mle.star.safety import check_and_fix_leakage, known, mending, scored

logger = logging.getLogger(__name__)
PLANNER_FAILED = "[planner failed]"


async def invoke_coder(
    code_block: str,
    plan: str,
    *,
    solution: SolutionScript | None = None,
    task: TaskDescription | None = None,
    config: PipelineConfig | None = None,
    backend: Backend | None = None,
) -> str | None:
    """The block after the plan; None if the agent wrote no code.

    Raises:
        ValueError: if there is no block or no plan.
    """
    if not code_block.strip() or not plan.strip():
        message = "the coder needs a code block and a plan"
        raise ValueError(message)
    with in_force(backend):
        reply = await ask(
            roles.CODER,
            code_block=code_block,
            plan=plan,
            solution_script=solution.content if solution else "",
            subsample_instruction=get_subsample_instruction(config) if config else "",
            **known(task),
        )
    return None if reply is None else fragment_in(reply)


async def invoke_planner(
    code_block: str,
    plans: list[str],
    scores: list[float | None],
    *,
    solution: SolutionScript | None = None,
    task: TaskDescription | None = None,
    backend: Backend | None = None,
) -> str | None:
    """The next plan, from what the earlier ones led to; None if there was no answer.

    Raises:
        ValueError: if nothing was tried yet.
    """
    if not plans:
        message = "At least one previous plan is required for A_planner"
        raise ValueError(message)
    with in_force(backend):
        reply = await ask(
            roles.PLANNER,
            code_block=code_block,
            plans=list(plans),
            scores=list(scores),
            solution_script=solution.content if solution else "",
            number=len(plans) - 1,
            **known(task),
        )
    return reply.strip() if reply else None


@dataclass
class Refinement:
    """What has been tried on one block so far, and the best of it."""

    solution: SolutionScript
    """As it was before the block was touched."""
    block: str
    task: TaskDescription
    config: PipelineConfig
    best: SolutionScript
    best_score: float
    attempts: list[RefinementAttempt] = field(default_factory=list)

    async def plan(self) -> str | None:
        return await invoke_planner(
            self.block,
            [attempt.plan for attempt in self.attempts],
            [attempt.score for attempt in self.attempts],
            solution=self.solution,
            task=self.task,
        )

    async def carry_out(self, plan: str) -> None:
        """One attempt, recorded whatever comes of it."""
        made = await invoke_coder(
            self.block, plan, solution=self.solution, task=self.task, config=self.config
        )
        if made is None:
            self.record(plan, "", None)
            return
        try:
            candidate = replaced(self.solution, self.block, made)
        except ValueError as error:
            logger.warning("the refined block was not put in: %s", error)
            self.record(plan, made, None)
            return
        changes = {"phase": SolutionPhase.refined, "score": None}
        candidate = await check_and_fix_leakage(candidate.model_copy(update=changes))
        candidate, result = await evaluate_with_retry(
            candidate, self.task, self.config, mending(self.task, self.config)
        )
        candidate = scored(candidate, result)
        self.record(plan, made, candidate)

    def record(self, plan: str, block: str, candidate: SolutionScript | None) -> None:
        score = candidate.score if candidate else None
        better = score is not None and is_improvement_or_equal(
            score, self.best_score, self.task.metric_direction
        )
        if better and candidate is not None and score is not None:
            self.best, self.best_score = candidate, score
        self.attempts.append(
            RefinementAttempt(plan=plan, score=score, code_block=block, was_improvement=better)
        )


async def run_phase2_inner_loop(  # noqa: PLR0913 - as specified
    solution: SolutionScript,
    code_block: str,
    initial_plan: str,
    best_score: float,
    task: TaskDescription,
    config: PipelineConfig,
    *,
    backend: Backend | None = None,
) -> InnerLoopResult:
    """K attempts: the first by the given plan, the others planned by what came before.

    Each starts from the original block and script; at least as good becomes the best. Where the
    path's time is over, what was tried until then is the result.
    """
    work = Refinement(solution, code_block, task, config, solution, best_score)
    with in_force(backend) as context, working(task) as room:
        await work.carry_out(initial_plan)
        for _ in range(1, config.inner_loop_steps):
            if room.overdue(context):
                break
            plan = await work.plan()
            if plan is None:
                work.record(PLANNER_FAILED, "", None)
            else:
                await work.carry_out(plan)
    return InnerLoopResult(
        best_solution=work.best,
        best_score=work.best_score,
        attempts=work.attempts,
        improved=is_improvement(work.best_score, best_score, task.metric_direction),
    )
