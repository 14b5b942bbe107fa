"""The end: all rows instead of a sample, test rows instead of validation rows, a submission."""

import logging
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from proveout.apps.mle import roles
from proveout.apps.mle.scripts.blocks import fragment_in, replaced, script_in, validate_code_block
from proveout.apps.mle.scripts.kinds import SolutionPhase
from proveout.apps.mle.scripts.outputs import DataContaminationResult
from proveout.apps.mle.scripts.results import FinalResult, Phase1Result, Phase2Result, Phase3Result
from proveout.apps.mle.scripts.solution import PipelineConfig, SolutionScript, TaskDescription
from proveout.apps.mle.star.backing import Backend, ask, in_force
from proveout.apps.mle.star.execution import (
    SUBMISSION,
    complaint,
    evaluate_solution,
    get_submission_info,
    verify_submission,
)
from proveout.apps.mle.star.room import Room, entering, working
from proveout.apps.mle.star.safety import check_and_fix_leakage, described, known, mending, scored
from proveout.kernel.context import Context

logger = logging.getLogger(__name__)
NO_FILE = f"FileNotFoundError: the script ended well but wrote no ./final/{SUBMISSION}"


async def remove_subsampling(
    solution: SolutionScript,
    *,
    task: TaskDescription | None = None,
    backend: Backend | None = None,
) -> SolutionScript:
    """The script on all rows; as it is if it takes no sample, or the sample cannot be taken out."""
    with in_force(backend):
        found = await ask(
            roles.SUBSAMPLING_EXTRACT, initial_solution=solution.content, **known(task)
        )
        block = fragment_in(found) if found else None
        if block is None or not validate_code_block(block, solution):
            return solution
        answer = await ask(roles.SUBSAMPLING_REMOVE, code_block=block, **known(task))
    new = fragment_in(answer) if answer else None
    if new is None:
        return solution
    try:
        return replaced(solution, block, new)
    except ValueError as error:
        logger.warning("the subsampling stays: %s", error)
        return solution


async def generate_test_submission(
    task: TaskDescription, solution: SolutionScript, *, backend: Backend | None = None
) -> SolutionScript | None:
    """A script that predicts the test rows; None if the agent wrote none."""
    with in_force(backend):
        reply = await ask(roles.TEST, initial_solution=solution.content, **described(task))
    code = None if reply is None else script_in(reply)
    if code is None:
        return None
    changes = {"content": code, "phase": SolutionPhase.final, "score": None}
    return solution.model_copy(update=changes)


async def check_contamination(
    solution: SolutionScript,
    reference_discussions: Sequence[str],
    *,
    backend: Backend | None = None,
) -> DataContaminationResult | None:
    """Compared with each discussion: the same as one is the same. None if nothing was said."""
    answers = []
    with in_force(backend):
        for discussion in reference_discussions:
            answer = await ask(
                roles.CONTAMINATION,
                reference_discussion=discussion,
                initial_solution=solution.content,
            )
            answers += [answer] if answer else []
    same = [answer for answer in answers if answer.verdict == "Same"]
    return next(iter([*same, *answers]), None)


async def run_finalization(  # noqa: PLR0913 - as specified
    solution: SolutionScript,
    task: TaskDescription,
    config: PipelineConfig,
    phase1_result: Phase1Result,
    phase2_results: list[Phase2Result],
    phase3_result: Phase3Result | None,
    reference_discussions: Sequence[str] | None = None,
    *,
    backend: Backend | None = None,
) -> FinalResult:
    """All rows, the test rows, the check for leaks, the run, the submission."""
    with in_force(backend) as context, working(task) as room:
        whole = await remove_subsampling(solution, task=task)
        made = await generate_test_submission(task, whole)
        path = ""
        final = solution
        if made is not None:
            made = await check_and_fix_leakage(made)
            # The last script may take all the time that is left.
            with entering(replace(room, seconds=None)) as longer:
                made, submitted = await _submitted(made, task, config, context, longer)
            final, path = (made, submitted) if submitted else (solution, "")
        if not path:
            logger.warning("there is no submission; the validated script is the result")
        if reference_discussions:
            verdict = await check_contamination(final, reference_discussions)
            logger.info("contamination: %s", verdict.verdict if verdict else "not known")
        return finished(
            context, task, config, (phase1_result, phase2_results, phase3_result), final, path
        )


Phases = tuple[Phase1Result, list[Phase2Result], Phase3Result | None]


def finished(  # noqa: PLR0913 - everything a result is made of
    context: Context,
    task: TaskDescription,
    config: PipelineConfig,
    phases: Phases,
    solution: SolutionScript,
    submission_path: str,
) -> FinalResult:
    """The result, with what it took."""
    used = context.observe("seconds", lambda: round(context.meter.used("seconds"), 3))
    usage = context.meter.usage
    return FinalResult(
        task=task,
        config=config,
        phase1=phases[0],
        phase2_results=phases[1],
        phase3=phases[2],
        final_solution=solution,
        submission_path=submission_path,
        total_duration_seconds=float(used) if isinstance(used, int | float) else 0.0,
        total_cost_usd=usage.cost_usd if usage.calls else None,
    )


async def _submitted(
    solution: SolutionScript,
    task: TaskDescription,
    config: PipelineConfig,
    context: Context,
    room: Room,
) -> tuple[SolutionScript, str]:
    """Run until there is a submission or the debugger has no more turns; where it was put."""
    callback = mending(task, config)
    for attempt in range(1 + config.max_debug_attempts):
        result = await evaluate_solution(solution, task, config, config.time_limit_seconds)
        wrote = not result.is_error and bool(
            context.observe("submission", lambda: verify_submission(str(room.folder)))
        )
        if wrote:
            return scored(solution, result), _kept(context, room, task)
        if attempt == config.max_debug_attempts:
            break
        mended = await callback(solution, complaint(result) if result.is_error else NO_FILE)
        if mended.content == solution.content:
            break
        solution = mended
    return solution, ""


def _kept(context: Context, room: Room, task: TaskDescription) -> str:
    """Into the journal and from there to the output folder, also when a run is resumed."""
    made = get_submission_info(str(room.folder))
    logger.info("submission: %s rows", made["row_count"])
    content = context.exhibit(SUBMISSION, "text/csv", Path(str(made["path"])).read_bytes)
    place = Path(task.output_dir).resolve() / SUBMISSION
    if not context.record.replaying:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(context.record.get(content))
    return str(place)
