"""Three guards around every script: it is mended, kept free of leaks, and made to use its data.

A guard never changes what it is given; it returns another script. A reply that holds no program
never becomes one.
"""

import ast
import asyncio
import logging
from collections.abc import Mapping
from typing import Any

from proveout.apps.mle import roles
from proveout.apps.mle.by_rule import ALL_USED
from proveout.apps.mle.leakage import Report, examine, repair
from proveout.apps.mle.problem import SCORE_PHRASE
from proveout.apps.mle.scripts.blocks import extract_code_block, fragment_in, replaced, script_in
from proveout.apps.mle.scripts.outputs import LeakageAnswer, LeakageDetectionOutput
from proveout.apps.mle.scripts.results import EvaluationResult
from proveout.apps.mle.scripts.solution import PipelineConfig, SolutionScript, TaskDescription
from proveout.apps.mle.star import guarding
from proveout.apps.mle.star.backing import Backend, ask, in_force
from proveout.apps.mle.star.execution import (
    DebugCallback,
    complaint,
    evaluate_solution,
    get_subsample_instruction,
)
from proveout.apps.mle.star.room import working
from proveout.apps.mle.syntax import parsed

__all__ = [
    "check_and_fix_leakage",
    "check_data_usage",
    "debug_solution",
    "detect_leakage",
    "correct_leakage",
    "described",
    "extract_code_block",
    "make_debug_callback",
    "mending",
    "parse_data_agent_response",
    "scored",
]
logger = logging.getLogger(__name__)
SCORE_NAME = "final_validation_score"


def described(task: TaskDescription) -> dict[str, Any]:
    """What every role about the task is told: the text for models, the problem for experts."""
    text = (
        f"{task.description.strip()}\n\n"
        f"Metric: {task.evaluation_metric} ({task.metric_direction.value}). "
        f"Kind of task: {task.task_type.value}; data: {task.data_modality.value}."
    )
    if task.target_column:
        text += f" Target column: {task.target_column}."
    return {"task_description": text, **known(task)}


def known(task: TaskDescription | None) -> Mapping[str, Any]:
    """What only experts look at."""
    if task is None:
        return {}
    return {"problem": task.problem, "direction": task.metric_direction.value}


def scored(solution: SolutionScript, result: EvaluationResult) -> SolutionScript:
    """The script with what its run showed."""
    score = None if result.is_error else result.score
    changes = {"score": score, "is_executable": not result.is_error}
    return solution.model_copy(update=changes)


# Debugging


async def _debugged(
    solution: SolutionScript, traceback: str, task: TaskDescription, config: PipelineConfig
) -> SolutionScript:
    """One question to the debugger; the script as it was if the answer holds no program."""
    if not traceback or not traceback.strip():
        message = "No traceback provided for debugging"
        raise ValueError(message)
    reply = await ask(
        roles.DEBUGGER,
        code=solution.content,
        bug=traceback,
        subsample_instruction=get_subsample_instruction(config),
        **known(task),
    )
    code = None if reply is None else script_in(reply)
    if code is None:
        logger.warning("the debugger offered no program; the script stays as it is")
        return solution
    changes = {"content": with_score_line(code), "is_executable": True, "score": None}
    return solution.model_copy(update=changes)


def with_score_line(code: str) -> str:
    """A repair may lose the line that prints the score; it is put back if the score is there."""
    if SCORE_PHRASE in code or not any(SCORE_NAME in _assigned(it) for it in parsed(code).body):
        return code
    logger.warning("the mended script did not print its score; the line was added")
    line = f'print(f"{SCORE_PHRASE} {{{SCORE_NAME}}}")'
    body = parsed(code).body
    known = max(place for place, it in enumerate(body) if SCORE_NAME in _assigned(it))
    guard = next((it for it in body[known:] if _is_main_guard(it)), None)
    if guard is None:
        return f"{code.rstrip()}\n{line}\n"
    lines = code.splitlines()
    return "\n".join([*lines[: guard.lineno - 1], line, *lines[guard.lineno - 1 :]]) + "\n"


def _assigned(statement: ast.stmt) -> set[str]:
    """Names that a statement at the top of the module gives a value."""
    if not isinstance(statement, ast.Assign | ast.AnnAssign) or statement.value is None:
        return set()
    names = (it for it in ast.walk(statement) if isinstance(it, ast.Name))
    return {name.id for name in names if isinstance(name.ctx, ast.Store)}


def _is_main_guard(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.If) and "__name__" in ast.unparse(statement.test)


def make_debug_callback(task: TaskDescription, config: PipelineConfig) -> DebugCallback:
    """One question to the debugger per call, no loop."""

    async def callback(solution: SolutionScript, traceback: str) -> SolutionScript:
        return await _debugged(solution, traceback, task, config)

    return callback


def mending(task: TaskDescription, config: PipelineConfig) -> DebugCallback:
    """The callback of the phases: what was mended is another script, so it is checked again."""
    callback = make_debug_callback(task, config)

    async def checked(solution: SolutionScript, traceback: str) -> SolutionScript:
        mended = await callback(solution, traceback)
        if mended.content == solution.content:
            return mended
        return await check_and_fix_leakage(mended)

    return checked


async def debug_solution(
    solution: SolutionScript,
    traceback: str,
    task: TaskDescription,
    config: PipelineConfig,
    *,
    backend: Backend | None = None,
) -> tuple[SolutionScript, EvaluationResult]:
    """Mend and run, up to `max_debug_attempts` times, each time by the newest traceback."""
    with in_force(backend), working(task):
        callback = mending(task, config)
        for _ in range(config.max_debug_attempts):
            before = solution.content
            solution = await callback(solution, traceback)
            result = await evaluate_solution(solution, task, config)
            if not result.is_error or solution.content == before:
                break
            traceback = complaint(result)
    return scored(solution, result), result


# Leakage


async def detect_leakage(
    solution: SolutionScript, *, backend: Backend | None = None
) -> LeakageDetectionOutput | None:
    """What the detection agent says; if nothing can be read, what the code itself shows."""
    _demand_content(solution)
    with in_force(backend):
        answer = await ask(roles.LEAKAGE_DETECTION, code=solution.content)
    if answer is not None:
        return answer
    from proveout.apps.mle.leakage.answers import detection

    logger.warning("leakage detection: no usable answer; the static detector decides")
    return detection(solution.content)


async def correct_leakage(
    solution: SolutionScript, code_block: str = "", *, backend: Backend | None = None
) -> str | None:
    """The corrected block; None if the agent offered none, or the leaky one again."""
    _demand_content(solution)
    with in_force(backend):
        reply = await ask(roles.LEAKAGE_CORRECTION, code=solution.content, leaky_block=code_block)
    corrected = None if reply is None else fragment_in(reply)
    if corrected is None or corrected.strip() == code_block.strip():
        logger.warning("leakage correction: the agent offered no other code")
        return None
    return corrected


async def check_and_fix_leakage(
    solution: SolutionScript, *, backend: Backend | None = None
) -> SolutionScript:
    """Find out whether the script leaks, have every block that does replaced, and look again.

    The detection agent is asked only where code is not sure; a certain repair is made by code, and
    the correction agent is asked for what that leaves.
    """
    _demand_content(solution)
    with in_force(backend) as context:
        seen = await asyncio.to_thread(guarding.look, context, solution.content)
        if seen.known != "open":
            guarding.spare(context, roles.LEAKAGE_DETECTION.name)
        if seen.known == "clean":
            return solution
        if seen.known == "leaks":
            repaired = _repaired(solution)
            if repaired is not solution:
                guarding.spare(context, roles.LEAKAGE_CORRECTION.name)
            solution, answers = repaired, _answers(repaired, seen.report)
        else:
            detected = await detect_leakage(solution)
            answers = [answer for answer in detected.answers if answer.leaks] if detected else []
        for answer in answers:
            solution = await _fixed(solution, answer)
        return _checked_again(solution) if answers else solution


def _repaired(solution: SolutionScript) -> SolutionScript:
    """Without the leaks whose repair is certain, which are those that reading sees."""
    made = repair(solution.content)
    if made is None:
        return solution
    return solution.model_copy(update={"content": made, "score": None})


def _answers(solution: SolutionScript, report: Report) -> list[LeakageAnswer]:
    """One for each statement that still leaks, by reading or, if only that showed it, by runs."""
    left = examine(solution.content).leaks
    if not left and not any(leak.proved == "static" for leak in report.leaks):
        left = report.leaks
    blocks = dict.fromkeys(leak.block for leak in left if leak.block in solution.content)
    return [
        LeakageAnswer(leakage_status="Yes Data Leakage", code_block=block)
        for block in blocks
        if block.strip()
    ]


def _checked_again(solution: SolutionScript) -> SolutionScript:
    """What an agent corrected is read again: a repair that is certain is made, the rest is told."""
    report = examine(solution.content)
    if not report.leaks:
        return solution
    mended = _repaired(solution)
    left = examine(mended.content).leaks
    if left:
        codes = ", ".join(sorted({leak.code for leak in left}))
        logger.warning("leakage: the script still leaks after its correction (%s)", codes)
    return mended


async def _fixed(solution: SolutionScript, answer: LeakageAnswer) -> SolutionScript:
    corrected = await correct_leakage(solution, answer.code_block)
    if corrected is None:
        return solution
    try:
        return replaced(solution, answer.code_block, corrected)
    except ValueError as error:
        logger.warning("leakage correction: not applied: %s", error)
        return solution


def _demand_content(solution: SolutionScript) -> None:
    if not solution.content.strip():
        message = "there is no script to check"
        raise ValueError(message)


# Data


def parse_data_agent_response(response: str, original: SolutionScript) -> SolutionScript:
    """The improved script; the original if everything is used, or if there is no script."""
    if ALL_USED.rstrip(".").lower() in " ".join(response.lower().split()):
        return original
    code = script_in(response)
    if code is None:
        logger.warning("the data agent offered no program; the script stays as it is")
        return original
    return original.model_copy(update={"content": code, "score": None})


async def check_data_usage(
    solution: SolutionScript, task: TaskDescription, *, backend: Backend | None = None
) -> SolutionScript:
    """Ask once whether all data are used, and take the better script if there is one."""
    with in_force(backend):
        reply = await ask(roles.DATA, initial_solution=solution.content, **described(task))
    return solution if reply is None else parse_data_agent_response(reply, solution)
