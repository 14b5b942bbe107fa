"""Phase 2, outer loop: ablate, summarise, choose a block, refine it; T times (Algorithm 2)."""

import logging
from dataclasses import dataclass, field, replace
from typing import Any

from proveout.apps.mle import roles
from proveout.apps.mle.scripts.blocks import (
    EXTRACTOR_NOTES,
    matched_block,
    script_in,
    validate_code_block,
)
from proveout.apps.mle.scripts.kinds import SolutionPhase
from proveout.apps.mle.scripts.outputs import ExtractorOutput, RefinePlan
from proveout.apps.mle.scripts.results import InnerLoopResult, Phase2Result
from proveout.apps.mle.scripts.solution import (
    CodeBlock,
    PipelineConfig,
    SolutionScript,
    TaskDescription,
    is_improvement_or_equal,
)
from proveout.apps.mle.star.backing import Backend, ask, in_force
from proveout.apps.mle.star.execution import (
    build_evaluation_result,
    complaint,
    demand_runnable,
    execute_source,
)
from proveout.apps.mle.star.phase2_inner import run_phase2_inner_loop
from proveout.apps.mle.star.room import Room, working
from proveout.apps.mle.star.safety import known, make_debug_callback
from proveout.kernel import ambient

__all__ = [
    "invoke_ablation",
    "invoke_extractor",
    "invoke_summarize",
    "matched_block",
    "run_ablation",
    "run_phase2_outer_loop",
    "validate_code_block",
]
logger = logging.getLogger(__name__)
AUTO_SUMMARY = "[Auto-summary from raw output] "
SHOWN_OUTPUT = 2_000
LONGEST_ABLATION_SECONDS = 600.0
NO_STUDY = "No ablation study could be run."


async def invoke_ablation(
    solution: SolutionScript,
    previous_summaries: list[str],
    *,
    task: TaskDescription | None = None,
    seconds: float = 60.0,
    backend: Backend | None = None,
) -> SolutionScript | None:
    """A script that studies parts of the solution; None if the agent wrote none."""
    with in_force(backend):
        reply = await ask(
            roles.ABLATION,
            solution_script=solution.content,
            previous_ablations=list(previous_summaries),
            seconds=seconds,
            **known(task),
        )
    code = None if reply is None else script_in(reply)
    return None if code is None else SolutionScript(content=code, phase=SolutionPhase.refined)


async def invoke_summarize(
    ablation_code: str,
    raw_output: str,
    *,
    task: TaskDescription | None = None,
    backend: Backend | None = None,
) -> str:
    """The agent's summary as it is; if there is none, the end of the output itself.

    Raises:
        ValueError: if there is no code that could have been run.
    """
    if not ablation_code.strip():
        message = "there is no ablation study to summarise"
        raise ValueError(message)
    with in_force(backend):
        summary = await ask(
            roles.SUMMARIZE, ablation_code=ablation_code, raw_result=raw_output, **known(task)
        )
    if summary is None or not summary.strip():
        logger.warning("the ablation study was not summarised; its output stands in")
        return AUTO_SUMMARY + raw_output[-SHOWN_OUTPUT:]
    return summary


async def invoke_extractor(
    summary: str,
    solution: SolutionScript,
    previous_blocks: list[str],
    *,
    note: str = "",
    task: TaskDescription | None = None,
    backend: Backend | None = None,
) -> ExtractorOutput | None:
    """Blocks worth refining, with plans; None if the answer could not be read, also asked again.

    Raises:
        ValueError: if there is no summary or no script.
    """
    if not summary.strip() or not solution.content.strip():
        message = "the extractor needs a summary and a script"
        raise ValueError(message)
    with in_force(backend):
        return await ask(
            roles.EXTRACTOR,
            solution_script=solution.content,
            ablation_summary=summary,
            previous_code_blocks=list(previous_blocks),
            note=note,
            **known(task),
        )


async def choose_block(
    summary: str,
    solution: SolutionScript,
    previous_blocks: list[str],
    *,
    task: TaskDescription | None = None,
) -> RefinePlan | None:
    """The first plan whose block stands in the script; None if there is none.

    A block that differs in white space at line ends only is taken as it stands in the script. Any
    other is asked for again, twice at most; after that the other plans are looked through.
    """
    plans: list[RefinePlan] = []
    for note in EXTRACTOR_NOTES:
        answer = await invoke_extractor(summary, solution, previous_blocks, note=note, task=task)
        if answer is None:
            break
        plans = answer.plans
        first = plans[0]
        found = matched_block(first.code_block, solution.content)
        if found is not None:
            return RefinePlan(code_block=found, plan=first.plan)
        logger.warning("the extracted block is not in the script: %.80r", first.code_block)
    return next((it for it in plans if validate_code_block(it.code_block, solution)), None)


def ablation_seconds(config: PipelineConfig) -> float:
    """How long a study may take."""
    return min(config.time_limit_seconds / (config.outer_loop_steps * 2), LONGEST_ABLATION_SECONDS)


async def run_ablation(
    ablation: SolutionScript, task: TaskDescription, config: PipelineConfig, room: Room
) -> tuple[SolutionScript, str] | None:
    """Run a study, mended if need be; the script that ran and what it printed, or None."""
    callback = make_debug_callback(task, config)
    folder = room.folder / "ablation"
    # It has a bound of its own, and need not keep to what one evaluation may take.
    bounds = replace(room, seconds=None)
    for attempt in range(1 + config.max_debug_attempts):
        try:
            demand_runnable(ablation.content)
            seconds = bounds.limit(ambient.current("mle"), ablation_seconds(config))
            raw = await execute_source(ablation.content, folder, seconds)
            if raw.exit_code == 0 and not raw.timed_out:
                return ablation, raw.stdout
            problem = complaint(build_evaluation_result(raw))
        except ValueError as error:
            problem = f"ValueError: {error}"
        if attempt == config.max_debug_attempts:
            break
        mended = await callback(ablation, problem)
        if mended.content == ablation.content:
            break
        ablation = mended
    logger.warning("the ablation study could not be run")
    return None


@dataclass
class Outer:
    """State of the outer loop: where it stands, the best so far, what was learnt."""

    task: TaskDescription
    config: PipelineConfig
    room: Room
    current: SolutionScript
    best: SolutionScript
    best_score: float
    summaries: list[str] = field(default_factory=list)
    blocks: list[CodeBlock] = field(default_factory=list)
    history: list[dict[str, Any]] = field(default_factory=list)

    async def step(self, number: int) -> None:
        """One turn: study, summarise, choose, refine; exactly one entry in every list."""
        if self.room.overdue(ambient.current("mle")):
            self.skip(number, "")
            return
        summary = await self.study()
        target = await choose_block(
            summary or NO_STUDY,
            self.current,
            [block.content for block in self.blocks if block.content],
            task=self.task,
        )
        if target is None:
            logger.warning("step %d has no block to refine and is skipped", number)
            self.skip(number, summary)
            return
        result = await run_phase2_inner_loop(
            self.current,
            target.code_block,
            target.plan,
            self.best_score,
            self.task,
            self.config,
        )
        self.take(result)
        self.note(number, summary, target, result)

    async def study(self) -> str:
        """The summary of a new study; empty if none could be run."""
        ablation = await invoke_ablation(
            self.current,
            [summary for summary in self.summaries if summary],
            task=self.task,
            seconds=ablation_seconds(self.config) * 0.6,
        )
        if ablation is None:
            return ""
        ran = await run_ablation(ablation, self.task, self.config, self.room)
        if ran is None:
            return ""
        script, printed = ran
        return await invoke_summarize(script.content, printed, task=self.task)

    def take(self, result: InnerLoopResult) -> None:
        """Go on from the best attempt if it is at least as good as the best so far."""
        tried = any(attempt.was_improvement for attempt in result.attempts)
        direction = self.task.metric_direction
        if tried and is_improvement_or_equal(result.best_score, self.best_score, direction):
            self.best = self.current = result.best_solution
            self.best_score = result.best_score

    def note(
        self, number: int, summary: str, target: RefinePlan, result: InnerLoopResult | None
    ) -> None:
        self.summaries.append(summary)
        self.blocks.append(CodeBlock(content=target.code_block, outer_step=number))
        attempts = result.attempts if result else []
        self.history.append(
            {
                "outer_step": number,
                "ablation_summary": summary,
                "code_block": target.code_block,
                "plan": target.plan,
                "inner_loop_attempts": [it.model_dump(mode="json") for it in attempts],
                "best_score_after_step": self.best_score,
                "was_skipped": result is None,
            }
        )

    def skip(self, number: int, summary: str) -> None:
        self.note(number, summary, RefinePlan(code_block="", plan=""), None)

    def result(self) -> Phase2Result:
        return Phase2Result(
            ablation_summaries=self.summaries,
            refined_blocks=self.blocks,
            best_solution=self.best.model_copy(update={"score": self.best_score}),
            best_score=self.best_score,
            step_history=self.history,
        )


async def run_phase2_outer_loop(
    initial_solution: SolutionScript,
    initial_score: float,
    task: TaskDescription,
    config: PipelineConfig,
    *,
    backend: Backend | None = None,
) -> Phase2Result:
    """T steps; the result is never worse than what came in."""
    with in_force(backend), working(task) as room:
        loop = Outer(task, config, room, initial_solution, initial_solution, initial_score)
        for number in range(config.outer_loop_steps):
            await loop.step(number)
            if room.progress is not None:
                room.progress(loop.best.model_copy(update={"score": loop.best_score}))
    return loop.result()
