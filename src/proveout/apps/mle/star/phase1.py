"""Phase 1: models that might work, a script for each, and the best of them merged (Algorithm 1)."""

import logging

from proveout.apps.mle import roles
from proveout.apps.mle.scripts.blocks import script_in
from proveout.apps.mle.scripts.kinds import SolutionPhase
from proveout.apps.mle.scripts.outputs import RetrievedModel, RetrieverOutput
from proveout.apps.mle.scripts.results import EvaluationResult, Phase1Result
from proveout.apps.mle.scripts.solution import (
    PipelineConfig,
    SolutionScript,
    TaskDescription,
    is_improvement_or_equal,
)
from proveout.apps.mle.star.backing import Backend, ask, in_force
from proveout.apps.mle.star.execution import (
    evaluate_with_retry,
    get_subsample_instruction,
    rank_solutions,
)
from proveout.apps.mle.star.room import working
from proveout.apps.mle.star.safety import (
    check_and_fix_leakage,
    check_data_usage,
    described,
    known,
    mending,
    scored,
)
from proveout.kernel.ports import Reply
from proveout.kernel.proposer import read_reply
from proveout.kernel.types import Malformed

logger = logging.getLogger(__name__)
SHOWN = 500
NO_MODELS = "A_retriever returned zero models"


def parse_retriever_output(response: str) -> RetrieverOutput:
    """The models in a reply, wherever in it the JSON stands.

    Raises:
        ValueError: with the beginning of the reply, if there are none.
    """
    found = read_reply(Reply(text=response), RetrieverOutput)
    if isinstance(found, Malformed):
        message = f"the retriever's answer cannot be read: {response[:SHOWN]}"
        raise ValueError(message)
    return found


async def retrieve_models(
    task: TaskDescription, config: PipelineConfig, *, backend: Backend | None = None
) -> list[RetrievedModel]:
    """Models that might work, with examples; those without a name or code are dropped.

    Raises:
        ValueError: if none remain.
    """
    with in_force(backend):
        answer = await ask(
            roles.RETRIEVER,
            M=config.num_retrieved_models,
            seconds=float(config.time_limit_seconds) * config.shares.phase1 / 100,
            **described(task),
        )
    if answer is None:
        raise ValueError(NO_MODELS)
    models = [it for it in answer.models if it.model_name.strip() and it.example_code.strip()]
    dropped = len(answer.models) - len(models)
    if dropped:
        logger.warning("%d retrieved models had no name or no code and were dropped", dropped)
    if not models:
        raise ValueError(NO_MODELS)
    if len(models) < config.num_retrieved_models:
        logger.warning("%d models of %d", len(models), config.num_retrieved_models)
    return models[: config.num_retrieved_models]


async def generate_candidate(
    task: TaskDescription,
    model: RetrievedModel,
    config: PipelineConfig,
    *,
    backend: Backend | None = None,
) -> SolutionScript | None:
    """A first script around one model; None if the agent wrote none."""
    with in_force(backend):
        reply = await ask(
            roles.INIT,
            model_name=model.model_name,
            example_code=model.example_code,
            subsample_instruction=get_subsample_instruction(config),
            **described(task),
        )
    code = None if reply is None else script_in(reply)
    if code is None:
        return None
    return SolutionScript(content=code, phase=SolutionPhase.init, source_model=model.model_name)


async def merge_solutions(
    base: SolutionScript,
    reference: SolutionScript,
    config: PipelineConfig,
    *,
    task: TaskDescription | None = None,
    backend: Backend | None = None,
) -> SolutionScript | None:
    """The base with the reference's model in it; None if the agent wrote no script."""
    del config
    with in_force(backend):
        reply = await ask(
            roles.MERGER,
            base_code=base.content,
            reference_code=reference.content,
            **known(task),
        )
    code = None if reply is None else script_in(reply)
    return None if code is None else SolutionScript(content=code, phase=SolutionPhase.merged)


async def run_phase1(
    task: TaskDescription, config: PipelineConfig, *, backend: Backend | None = None
) -> Phase1Result:
    """Retrieve, try each, merge in the order of rank until a merge does not help.

    Raises:
        ValueError: if no model was retrieved.
        RuntimeError: if no candidate ran.
    """
    with in_force(backend), working(task):
        models = await retrieve_models(task, config)
        candidates, results = await _candidates(models, task, config)
        ranked = rank_solutions(candidates, results, task.metric_direction)
        usable = [(it, result.score) for it, result in ranked if _has_score(result)]
        if not usable:
            count = config.num_retrieved_models
            message = f"Phase 1 failed: all {count} candidates produced execution errors"
            raise RuntimeError(message)
        merged, score = await _merged(usable, task, config)
        solution, score = await _guarded(merged, score, task, config)
    scores = [result.score if _has_score(result) else None for result in results]
    return Phase1Result(
        retrieved_models=models,
        candidate_solutions=candidates,
        candidate_scores=scores,
        initial_solution=solution.model_copy(update={"score": score}),
        initial_score=score,
    )


def _has_score(result: EvaluationResult) -> bool:
    return not result.is_error and result.score is not None


async def _candidates(
    models: list[RetrievedModel], task: TaskDescription, config: PipelineConfig
) -> tuple[list[SolutionScript], list[EvaluationResult]]:
    """A script per model, checked and run; failed ones stay in their place."""
    candidates: list[SolutionScript] = []
    results: list[EvaluationResult] = []
    for model in models:
        made = await generate_candidate(task, model, config)
        if made is None:
            logger.warning("no script was written for %s", model.model_name)
            made, result = _unwritten(model), _NOTHING_RAN
        else:
            made = await check_and_fix_leakage(made)
            made, result = await evaluate_with_retry(made, task, config, mending(task, config))
        candidates.append(scored(made, result))
        results.append(result)
    return candidates, results


_NOTHING_RAN = EvaluationResult(
    stdout="", stderr="", exit_code=1, duration_seconds=0.0, is_error=True
)


def _unwritten(model: RetrievedModel) -> SolutionScript:
    return SolutionScript(
        content="", phase=SolutionPhase.init, is_executable=False, source_model=model.model_name
    )


async def _merged(
    ranked: list[tuple[SolutionScript, float | None]],
    task: TaskDescription,
    config: PipelineConfig,
) -> tuple[SolutionScript, float]:
    """Algorithm 1: accept what is at least as good, stop at the first that is not."""
    best, first = ranked[0]
    assert first is not None
    score = first
    for reference, _ in ranked[1:]:
        made = await merge_solutions(best, reference, config, task=task)
        if made is None:
            break
        made = await check_and_fix_leakage(made)
        made, result = await evaluate_with_retry(made, task, config, mending(task, config))
        new = result.score if _has_score(result) else None
        if new is None or not is_improvement_or_equal(new, score, task.metric_direction):
            break
        best, score = scored(made, result), new
    return best, score


async def _guarded(
    solution: SolutionScript, score: float, task: TaskDescription, config: PipelineConfig
) -> tuple[SolutionScript, float]:
    """Use all data, leak none of them; a change that cannot be run is not kept."""
    guarded = await check_and_fix_leakage(await check_data_usage(solution, task))
    if guarded.content == solution.content:
        return solution, score
    guarded, result = await evaluate_with_retry(guarded, task, config, mending(task, config))
    if result.is_error or result.score is None:
        logger.warning("the guarded script cannot be run; the one before is kept")
        return solution, score
    return scored(guarded, result), result.score
