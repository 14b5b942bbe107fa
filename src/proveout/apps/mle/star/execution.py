"""Running scripts and reading what came of it (REQ-EX).

Scripts run in the sandbox of the context in force and nowhere else. Every evaluation is an attempt
of the run: the script is the proposal, executing it is the check, its score is in the verdict.
"""

import asyncio
import json
import logging
import shutil
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from proveout.apps.mle.scripts.candidate import Candidate
from proveout.apps.mle.scripts.kinds import MetricDirection
from proveout.apps.mle.scripts.reading import (
    build_evaluation_result,
    complaint,
    detect_error,
    detect_error_masking,
    ending_calls,
    extract_traceback,
    parse_score,
    printed_scores,
)
from proveout.apps.mle.scripts.results import EvaluationResult, ExecutionRawResult
from proveout.apps.mle.scripts.solution import (
    PipelineConfig,
    SolutionScript,
    TaskDescription,
    is_improvement,
)
from proveout.apps.mle.scripts.workshop import workshop
from proveout.apps.mle.star.room import Room, room_in_force, run_script, working
from proveout.kernel.ambient import current
from proveout.kernel.budget import BOUNDS, Budget
from proveout.kernel.context import Context
from proveout.kernel.errors import BudgetSpent
from proveout.kernel.loop import attempts
from proveout.kernel.ports import Ask, Brief, Checked, Surroundings
from proveout.kernel.types import Attempt, Finding, Task

__all__ = [
    "SUBSAMPLE_INSTRUCTION",
    "build_evaluation_result",
    "build_execution_env",
    "clean_output_directory",
    "complaint",
    "detect_error",
    "detect_error_masking",
    "detect_gpu_info",
    "evaluate_batch",
    "evaluate_solution",
    "evaluate_with_retry",
    "execute_script",
    "extract_traceback",
    "get_subsample_instruction",
    "get_submission_info",
    "is_better_solution",
    "parse_score",
    "rank_solutions",
    "request_subsample_extraction",
    "request_subsample_removal",
    "setup_working_directory",
    "verify_submission",
    "write_script",
]
logger = logging.getLogger(__name__)
DebugCallback = Callable[[SolutionScript, str], Awaitable[SolutionScript]]
OUTPUT = "final"
SCRIPT = "solution.py"
SUBMISSION = "submission.csv"
SUBSAMPLE_INSTRUCTION = (
    "If there are more than {limit} training samples, "
    "train on a sample of {limit} for a faster run."
)


def setup_working_directory(base_path: str) -> str:
    """Make `input/` and `final/` in a folder; returns its absolute path."""
    base = Path(base_path).resolve()
    for name in ("input", OUTPUT):
        (base / name).mkdir(parents=True, exist_ok=True)
    return str(base)


def clean_output_directory(base_path: str) -> None:
    """Empty `final/`: nothing of an earlier script may pass for the next one's."""
    output = Path(base_path) / OUTPUT
    shutil.rmtree(output, ignore_errors=True)
    output.mkdir(parents=True, exist_ok=True)


def detect_gpu_info() -> dict[str, object]:
    """Graphics cards, as the driver lists them; never raises."""
    names: list[str] = []
    try:
        for entry in sorted(Path("/proc/driver/nvidia/gpus").glob("*/information")):
            lines = entry.read_text(encoding="utf-8", errors="replace").splitlines()
            named = [line.partition(":")[2].strip() for line in lines if line.startswith("Model")]
            names += named[:1] or ["unknown"]
    except OSError:
        names = []
    return {"cuda_available": bool(names), "gpu_count": len(names), "gpu_names": names}


def build_execution_env(gpu_indices: Sequence[int] | None = None) -> dict[str, str]:
    """The variables that a script may rely on."""
    env = {"PYTHONUNBUFFERED": "1", "PYTHONHASHSEED": "0"}
    if gpu_indices is not None:
        env["CUDA_VISIBLE_DEVICES"] = ",".join(str(index) for index in gpu_indices)
    return env


def write_script(solution: SolutionScript, working_dir: str, filename: str = SCRIPT) -> str:
    """Write a script down; returns its path.

    Raises:
        ValueError: if it is empty or would end the interpreter.
    """
    demand_runnable(solution.content)
    path = Path(working_dir) / filename
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(solution.content, encoding="utf-8")
    return str(path)


def demand_runnable(source: str) -> None:
    """Raises ValueError for a script that is empty or would end the interpreter."""
    if not source.strip():
        message = "the script is empty"
        raise ValueError(message)
    endings = ending_calls(source)
    if endings:
        message = f"the script calls {endings[0]}, which would end it before its score is known"
        raise ValueError(message)


async def execute_script(
    script_path: str,
    working_dir: str,
    timeout_seconds: float,
    env: Mapping[str, str] | None = None,
) -> ExecutionRawResult:
    """Run a script that stands on disk; an exit code is a result, never an exception.

    The sandbox has an environment of its own: of `env`, nothing reaches the script.
    """
    if set(env or ()) - set(build_execution_env()):
        logger.warning("a script's environment is the sandbox's own; not passed on: %s", env)
    source = Path(script_path).read_text(encoding="utf-8")
    if room_in_force() is not None:
        return await execute_source(source, Path(working_dir), timeout_seconds)
    with workshop(current("mle").ports.open_sandbox):
        return await execute_source(source, Path(working_dir), timeout_seconds)


async def execute_source(source: str, folder: Path, seconds: float) -> ExecutionRawResult:
    """Run a script and write down what it said; a resumed run reads that instead."""
    context, room = current("mle"), room_in_force()
    # Outside of a room, `input/` is a folder like any other in the working directory.
    data = room.data if room else None

    def run() -> ExecutionRawResult:
        seen = context.observe(
            "script", lambda: run_script(context, source, folder, data, seconds).model_dump()
        )
        return ExecutionRawResult.model_validate(seen)

    return await asyncio.to_thread(run)


class Evaluation(Task):
    """What one script is run for."""

    competition_id: str
    metric: str
    direction: MetricDirection


@dataclass(frozen=True)
class Given:
    """A script that somebody else proposed already."""

    candidate: Candidate
    returns = Candidate

    def propose(self, brief: Brief, ask: Ask) -> Candidate:
        del brief, ask
        return self.candidate


@dataclass(frozen=True)
class Runs:
    """The script must run and print a score. It is believed: this is the paper's evaluation."""

    context: Context
    room: Room
    seconds: float

    def __call__(self, task: Evaluation, proposal: Candidate, around: Surroundings) -> Checked:
        del task
        seen = around.observe("run", lambda: self._run(proposal.source).model_dump())
        result = settled(build_evaluation_result(ExecutionRawResult.model_validate(seen)))
        return Checked(findings=_findings(result), score=None if result.is_error else result.score)

    def _run(self, source: str) -> ExecutionRawResult:
        room = self.room
        folder = setup_working_directory(str(room.folder))
        clean_output_directory(folder)
        (room.folder / SCRIPT).write_text(source, encoding="utf-8")
        return run_script(self.context, source, room.folder, room.data, self.seconds)


def _findings(result: EvaluationResult) -> tuple[Finding, ...]:
    if result.is_error:
        ended = result.exit_code == -1
        last = complaint(result).strip().splitlines()[-1]
        hint = "Do less work." if ended else "Mend the cause that the traceback names."
        code = "mle.run.ended" if ended else "mle.run.failed"
        return (Finding(code=code, message=last[:500], hint=hint),)
    return _about_score(result.score, printed_scores(result.stdout))


def _about_score(score: float | None, printed: list[str]) -> tuple[Finding, ...]:
    if score is None:
        said = f"the score cannot be read: {printed[-1]!r}" if printed else "no score was printed"
        hint = "Print `Final Validation Performance: <score>` at the end."
        return (Finding(code="mle.run.no_score", message=said, hint=hint),)
    several = len(set(printed))
    if several < 2:
        return ()
    finding = Finding(
        code="mle.run.many_scores",
        message=f"{several} different scores were printed; the last one, {score:g}, counts",
        severity="warning",
        hint="Print the score once: the mean, if there are folds.",
    )
    return (finding,)


def settled(result: EvaluationResult) -> EvaluationResult:
    """Something logged a traceback, but the script ended well and has a score: that is no error."""
    if result.is_error and result.exit_code == 0 and result.score is not None:
        logger.warning("a traceback was printed by a script that ended well")
        return result.model_copy(update={"is_error": False})
    return result


async def evaluate_solution(
    solution: SolutionScript,
    task: TaskDescription,
    config: PipelineConfig,
    timeout_override: float | None = None,
) -> EvaluationResult:
    """Run a script on the task's data. What cannot be run at all is an error in the result."""
    with working(task) as room:
        context = current("mle")
        try:
            demand_runnable(solution.content)
        except ValueError as error:
            return EvaluationResult(
                stdout="",
                stderr="",
                exit_code=1,
                duration_seconds=0.0,
                is_error=True,
                error_traceback=f"ValueError: {error}",
            )
        wanted = timeout_override or float(config.time_limit_seconds)
        check = Runs(context, room, room.limit(context, wanted))
        return await asyncio.to_thread(_attempted, solution, task, check)


def _attempted(solution: SolutionScript, task: TaskDescription, check: Runs) -> EvaluationResult:
    """One attempt in a branch of its own, so that it stands in the run's tree with its score."""
    context = check.context
    name = solution.source_model or ""
    origin = f"{solution.phase.value}:{name}" if name else solution.phase.value
    proposer = Given(Candidate(source=solution.content, origin=origin))
    about = Evaluation(
        competition_id=task.competition_id,
        metric=task.evaluation_metric,
        direction=task.metric_direction,
    )
    branch = context.branch(f"evaluate-{solution.phase.value}", Budget(rounds=1))
    for attempt in attempts(about, proposer, (check,), branch):
        return settled(build_evaluation_result(_observed(attempt, context)))
    bound = next(bound for bound in BOUNDS if bound == context.spent[-1])
    limit = context.meter.limit(bound)
    raise BudgetSpent(bound, limit, limit)


def _observed(attempt: Attempt[Candidate], context: Context) -> ExecutionRawResult:
    seen = json.loads(context.record.get(attempt.verdict.evidence[0]))
    return ExecutionRawResult.model_validate(seen)


async def evaluate_with_retry(
    solution: SolutionScript,
    task: TaskDescription,
    config: PipelineConfig,
    debug_callback: DebugCallback,
    max_retries: int | None = None,
) -> tuple[SolutionScript, EvaluationResult]:
    """Run, and as long as it fails have it mended and run again; at the end the last pair."""
    retries = config.max_debug_attempts if max_retries is None else max_retries
    with working(task):
        result = await evaluate_solution(solution, task, config)
        for _ in range(retries):
            if not result.is_error:
                break
            mended = await debug_callback(solution, complaint(result))
            if mended.content == solution.content:
                # It would only fail again.
                break
            solution = mended
            result = await evaluate_solution(solution, task, config)
    return solution, result


async def evaluate_batch(
    solutions: Sequence[SolutionScript], task: TaskDescription, config: PipelineConfig
) -> list[EvaluationResult]:
    """One after the other, in order."""
    with working(task):
        return [await evaluate_solution(solution, task, config) for solution in solutions]


def is_better_solution(
    result: EvaluationResult, old_score: float, direction: MetricDirection
) -> bool:
    if result.is_error or result.score is None:
        return False
    return is_improvement(result.score, old_score, direction)


def rank_solutions(
    solutions: Sequence[SolutionScript],
    results: Sequence[EvaluationResult],
    direction: MetricDirection,
) -> list[tuple[SolutionScript, EvaluationResult]]:
    """Best first, then those without a score, then those that failed; equals keep their order."""
    sign = -1.0 if direction == MetricDirection.maximize else 1.0

    def place(pair: tuple[SolutionScript, EvaluationResult]) -> tuple[int, float]:
        result = pair[1]
        if result.is_error:
            return 2, 0.0
        return (1, 0.0) if result.score is None else (0, sign * result.score)

    return sorted(zip(solutions, results, strict=True), key=place)


def get_subsample_instruction(config: PipelineConfig) -> str:
    return SUBSAMPLE_INSTRUCTION.format(limit=config.subsample_limit)


def request_subsample_extraction(solution: SolutionScript) -> str:
    """The prompt that asks where a script subsamples."""
    from proveout.apps.mle.scripts.kinds import AgentType
    from proveout.apps.mle.scripts.registry import shared_registry

    template = shared_registry().get(AgentType.test, "subsampling_extract")
    return template.render(initial_solution=solution.content)


def request_subsample_removal(solution: SolutionScript) -> str:
    """The prompt that asks for the script, or a block of it, without its subsampling."""
    from proveout.apps.mle.scripts.kinds import AgentType
    from proveout.apps.mle.scripts.registry import shared_registry

    template = shared_registry().get(AgentType.test, "subsampling_remove")
    return template.render(code_block=solution.content)


def verify_submission(working_dir: str, expected_filename: str = SUBMISSION) -> bool:
    """Whether `final/` holds the file, and something in it."""
    path = Path(working_dir) / OUTPUT / expected_filename
    return path.is_file() and path.stat().st_size > 0


def get_submission_info(working_dir: str, expected_filename: str = SUBMISSION) -> dict[str, object]:
    """Where it is, how large, and how many rows below its heading."""
    path = Path(working_dir) / OUTPUT / expected_filename
    exists = path.is_file()
    lines = path.read_bytes().splitlines() if exists else []
    rows = sum(1 for line in lines if line.strip())
    return {
        "exists": exists,
        "path": str(path),
        "size_bytes": path.stat().st_size if exists else 0,
        "row_count": max(0, rows - 1) if exists else None,
    }
