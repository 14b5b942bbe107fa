"""What tests of the specified functions stand on: a scripted model, processes, a journal."""

import asyncio
import subprocess
import sys
from collections import Counter
from collections.abc import Awaitable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel

from proveout.adapters.models.scripted import ScriptedModel, ScriptedReply
from proveout.adapters.prompts import PromptFolder
from proveout.apps.mle.models import (
    DataModality,
    LeakageAnswer,
    LeakageDetectionOutput,
    MetricDirection,
    PipelineConfig,
    SolutionPhase,
    SolutionScript,
    TaskDescription,
    TaskType,
)
from proveout.kernel.budget import Budget
from proveout.kernel.canonical import plain
from proveout.kernel.context import Context
from proveout.kernel.ports import Cancel, Model, ScriptJob, ScriptRun
from tests.workbench import Workbench

ResultT = TypeVar("ResultT")
CLEAN = LeakageDetectionOutput(
    answers=[LeakageAnswer(leakage_status="No Data Leakage", code_block="x")]
)
PLENTY = Budget(rounds=100_000, calls=100_000, tokens=10**9)
Said = str | BaseModel | Mapping[str, Any]


@dataclass
class PlainSandbox:
    """Real processes without confinement: the scripts here are the tests' own."""

    jobs: list[ScriptJob] = field(default_factory=list)
    closed: int = 0

    def run(self, job: ScriptJob, cancel: Cancel) -> ScriptRun:
        del cancel
        self.jobs.append(job)
        folder = Path(job.folder)
        place = folder / "input"
        if job.data and not place.is_symlink():
            if place.is_dir():
                place.rmdir()
            place.symlink_to(job.data)
        (folder / "script.py").write_text(job.source, encoding="utf-8")
        try:
            done = subprocess.run(
                [sys.executable, "-I", "-S", "script.py"],
                cwd=folder,
                capture_output=True,
                text=True,
                timeout=job.limits.seconds,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return ScriptRun(exit_code=-1, ended_by="seconds", seconds=job.limits.seconds)
        return ScriptRun(
            exit_code=done.returncode, stdout=done.stdout, stderr=done.stderr, seconds=0.01
        )

    def close(self) -> None:
        self.closed += 1


@dataclass
class Stage:
    """A context whose model says what it was told to, and whose scripts really run."""

    context: Context
    model: Any
    sandbox: PlainSandbox
    task: TaskDescription

    @property
    def asked(self) -> list[str]:
        """Which roles were asked, in order."""
        return [call.role.removeprefix("mle/") for call in self.model.calls]

    @property
    def counts(self) -> Counter[str]:
        return Counter(self.asked)

    def prompts(self, role: str) -> list[str]:
        return [call.prompt for call in self.model.calls if call.role == f"mle/{role}"]

    @property
    def ran(self) -> list[str]:
        return [job.source for job in self.sandbox.jobs]


def said(**by_role: Iterable[Said]) -> list[ScriptedReply]:
    """Replies by role, each taken in its order."""
    return [_reply(f"mle/{role}", reply) for role, replies in by_role.items() for reply in replies]


def _reply(role: str, reply: Said) -> ScriptedReply:
    if isinstance(reply, str):
        return ScriptedReply(role=role, text=reply)
    if isinstance(reply, BaseModel):
        return ScriptedReply(role=role, value=plain(reply))
    return ScriptedReply.model_validate({"role": role, **reply})


def stage(
    bench: Workbench,
    folder: Path,
    model: Model | None = None,
    *,
    direction: MetricDirection = MetricDirection.maximize,
    budget: Budget | None = None,
    resume: bool = False,
    **by_role: Iterable[Said],
) -> Stage:
    speaker = model or ScriptedModel(said(**by_role))
    opening = bench.resume if resume else bench.begin
    context = opening(speaker, budget=budget or PLENTY)
    return staged(context, speaker, folder, direction)


def staged(
    context: Context,
    model: Any,
    folder: Path,
    direction: MetricDirection = MetricDirection.maximize,
) -> Stage:
    sandbox = PlainSandbox()

    def door() -> PlainSandbox:
        return sandbox

    context.app = "mle"
    context.ports = replace(
        context.ports,
        prompts=PromptFolder({"mle": "proveout.apps.mle.prompts"}),
        open_sandbox=door,
    )
    return Stage(context, model, sandbox, task_in(folder, direction))


def task_in(folder: Path, direction: MetricDirection = MetricDirection.maximize) -> TaskDescription:
    data = folder / "input"
    data.mkdir(parents=True, exist_ok=True)
    (data / "train.csv").write_text("a,target\n1,0\n2,1\n", encoding="utf-8")
    return TaskDescription(
        competition_id="tiny",
        task_type=TaskType.tabular,
        data_modality=DataModality.tabular,
        evaluation_metric="accuracy",
        metric_direction=direction,
        description="Predict target.",
        data_dir=str(data),
        output_dir=str(folder / "final"),
    )


def run(work: Awaitable[ResultT]) -> ResultT:
    async def waiting() -> ResultT:
        return await work

    return asyncio.run(waiting())


def script(score: object, tag: str = "") -> str:
    """A program that prints a score; the tag tells one from another."""
    return f'tag = "{tag}"\nprint("Final Validation Performance: {score}")'


def broken(tag: str = "") -> str:
    return f'tag = "{tag}"\nraise KeyError(tag)'


def fence(code: str) -> str:
    return f"Here it is:\n```python\n{code}\n```\n"


def solution(content: str, score: float | None = None) -> SolutionScript:
    return SolutionScript(content=content, phase=SolutionPhase.init, score=score)


def small(**changes: int) -> PipelineConfig:
    """The least of everything, and no time for debugging unless asked."""
    least = {
        "num_retrieved_models": 2,
        "outer_loop_steps": 1,
        "inner_loop_steps": 2,
        "num_parallel_solutions": 2,
        "ensemble_rounds": 2,
        "time_limit_seconds": 600,
        "max_debug_attempts": 1,
    }
    return PipelineConfig.model_validate({**least, **changes})
