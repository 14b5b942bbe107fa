"""Phase 3: R ways to combine L solutions, and the best of them (Algorithm 3)."""

import logging
from collections.abc import Sequence

from proveout.apps.mle import roles
from proveout.apps.mle.scripts.blocks import script_in
from proveout.apps.mle.scripts.kinds import MetricDirection, SolutionPhase
from proveout.apps.mle.scripts.results import EnsembleAttempt, Phase3Result
from proveout.apps.mle.scripts.solution import (
    PipelineConfig,
    SolutionScript,
    TaskDescription,
    is_improvement_or_equal,
)
from proveout.apps.mle.star.backing import Backend, ask, in_force
from proveout.apps.mle.star.execution import evaluate_with_retry, verify_submission
from proveout.apps.mle.star.room import room_in_force, working
from proveout.apps.mle.star.safety import check_and_fix_leakage, known, mending, scored

logger = logging.getLogger(__name__)
ENS_PLANNER_FAILED = "[ens_planner failed]"


async def invoke_ens_planner(
    solutions: Sequence[SolutionScript],
    plans: list[str],
    scores: list[float | None],
    *,
    task: TaskDescription | None = None,
    backend: Backend | None = None,
) -> str | None:
    """How to combine the solutions; None if there was no answer.

    Raises:
        ValueError: if there are fewer than two.
    """
    _demand_two(solutions)
    with in_force(backend):
        reply = await ask(
            roles.ENS_PLANNER,
            L=len(solutions),
            solutions=[solution.content for solution in solutions],
            plans=list(plans),
            scores=list(scores),
            **known(task),
        )
    return reply.strip() if reply else None


async def invoke_ensembler(
    plan: str,
    solutions: Sequence[SolutionScript],
    *,
    task: TaskDescription | None = None,
    backend: Backend | None = None,
) -> SolutionScript | None:
    """One script that follows the plan; None if the agent wrote none.

    Raises:
        ValueError: if there is no plan, or fewer than two solutions.
    """
    if not plan.strip():
        message = "An ensemble plan is required for A_ensembler"
        raise ValueError(message)
    _demand_two(solutions)
    with in_force(backend):
        reply = await ask(
            roles.ENSEMBLER,
            L=len(solutions),
            solutions=[solution.content for solution in solutions],
            plan=plan,
            **known(task),
        )
    code = None if reply is None else script_in(reply)
    return None if code is None else SolutionScript(content=code, phase=SolutionPhase.ensemble)


def _demand_two(solutions: Sequence[SolutionScript]) -> None:
    if len(solutions) < 2:
        message = "At least two solutions are required for an ensemble"
        raise ValueError(message)


async def run_phase3(
    solutions: Sequence[SolutionScript],
    task: TaskDescription,
    config: PipelineConfig,
    *,
    backend: Backend | None = None,
) -> Phase3Result:
    """R rounds, or as many as there is time for; the best ensemble, of equals the newest; the best
    input if none ran."""
    if not solutions:
        message = "there is no solution to ensemble"
        raise ValueError(message)
    if len(solutions) == 1:
        return _result(solutions, [], solutions[0])
    rounds: list[EnsembleAttempt] = []
    with in_force(backend) as context, working(task) as room:
        for _ in range(config.ensemble_rounds):
            if room.overdue(context):
                logger.warning("no time for more than %d ensembles", len(rounds))
                break
            rounds.append(await _round(solutions, rounds, task, config))
    best = _best([it.solution for it in rounds if it.score is not None], task.metric_direction)
    if best is None:
        logger.warning("no ensemble ran; the best of the solutions is kept")
        best = _best(solutions, task.metric_direction) or solutions[0]
    return _result(solutions, rounds, best)


async def _round(
    solutions: Sequence[SolutionScript],
    earlier: list[EnsembleAttempt],
    task: TaskDescription,
    config: PipelineConfig,
) -> EnsembleAttempt:
    """Plan, write, check, run; whatever fails is a round without a score."""
    plans = [attempt.plan for attempt in earlier]
    plan = await invoke_ens_planner(solutions, plans, [it.score for it in earlier], task=task)
    nothing = SolutionScript(content="", phase=SolutionPhase.ensemble, is_executable=False)
    if plan is None:
        return EnsembleAttempt(plan=ENS_PLANNER_FAILED, solution=nothing)
    made = await invoke_ensembler(plan, solutions, task=task)
    if made is None:
        return EnsembleAttempt(plan=plan, solution=nothing)
    made = await check_and_fix_leakage(made)
    made, result = await evaluate_with_retry(made, task, config, mending(task, config))
    made = scored(made, result)
    room = room_in_force()
    if room and not result.is_error and not verify_submission(str(room.folder)):
        logger.warning("the ensemble wrote no submission")
    return EnsembleAttempt(plan=plan, score=made.score, solution=made)


def _best(solutions: Sequence[SolutionScript], direction: MetricDirection) -> SolutionScript | None:
    """The best score; of equals the last."""
    best: SolutionScript | None = None
    for solution in solutions:
        if solution.score is None:
            continue
        known = best.score if best else None
        if known is None or is_improvement_or_equal(solution.score, known, direction):
            best = solution
    return best


def _result(
    solutions: Sequence[SolutionScript], rounds: list[EnsembleAttempt], best: SolutionScript
) -> Phase3Result:
    return Phase3Result(
        input_solutions=list(solutions),
        ensemble_plans=[attempt.plan for attempt in rounds],
        ensemble_scores=[attempt.score for attempt in rounds],
        best_ensemble=best,
        best_ensemble_score=best.score,
    )
