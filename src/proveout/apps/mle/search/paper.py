"""`paper` mode as a run: the specified pipeline on the prepared data, then the same files."""

from pathlib import Path

from proveout.apps.mle.models import (
    DataModality,
    MetricDirection,
    PipelineConfig,
    TaskDescription,
    TaskType,
)
from proveout.apps.mle.problem import Problem
from proveout.apps.mle.scripts.describing import description
from proveout.apps.mle.search.finishing import out_folder, write_bytes, write_input, write_solution
from proveout.apps.mle.search.searching import Search
from proveout.apps.mle.search.telling import number, shortened
from proveout.apps.mle.star.orchestrator import PipelineError, run_pipeline_sync
from proveout.apps.mle.task import MleTask
from proveout.kernel.types import Outcome

SMOKE = {
    "num_retrieved_models": 2,
    "outer_loop_steps": 1,
    "inner_loop_steps": 2,
    "num_parallel_solutions": 1,
    "ensemble_rounds": 1,
}
SETTINGS = {
    "models": "num_retrieved_models",
    "outer_steps": "outer_loop_steps",
    "inner_steps": "inner_loop_steps",
    "ensemble_rounds": "ensemble_rounds",
}
"""What the paper's M, T, K and R are called by a task, and by the pipeline."""
NOTHING = "no submission"


def run_paper(search: Search) -> Outcome:
    """Scores are what scripts print, as specified; the submission is checked all the same."""
    live = not search.context.record.replaying
    task = TaskDescription(
        competition_id=search.problem.name,
        task_type=_task_type(search.problem),
        data_modality=_modality(search.problem),
        evaluation_metric=search.problem.metric,
        metric_direction=MetricDirection(search.problem.direction),
        description=description(Path(search.task.folder), search.problem),
        data_dir=str(_data(search)),
        output_dir=str(Path(search.work) / "paper" / "final"),
        problem=search.problem,
    )
    config = config_of(search.task, search.left())
    try:
        result = run_pipeline_sync(task, config)
    except (PipelineError, RuntimeError) as error:
        return Outcome(accepted=False, summary=shortened(f"{NOTHING}: {error}"))
    score = result.final_solution.score
    refusal = _refusal(search, result.submission_path)
    submitted = bool(result.submission_path) and not refusal
    if live:
        write_solution(search, result.final_solution.content)
        write_input(search)
        if submitted:
            write_bytes(search, "submission.csv", Path(result.submission_path).read_bytes())
    return Outcome(
        accepted=submitted,
        answer={
            "submission": str(out_folder(search) / "submission.csv") if submitted else "",
            "solution": str(out_folder(search) / "solution.py"),
            "metric": search.problem.metric,
            "direction": search.problem.direction,
            "score": score,
            "reason": "the published algorithm's choice, by the score that its script printed",
            "stage": "paper",
        },
        score=score,
        summary=summary_of(search.problem.metric, score, submitted=submitted, refusal=refusal),
    )


def _refusal(search: Search, path: str) -> str:
    """Why what the final script wrote cannot be handed in; empty if it can, or is not there."""
    if not path:
        return ""
    folder = Path(path).parent.parent
    found = search.context.observe(
        "refusals", lambda: [it.message for it in search.arena.refusals(folder)]
    )
    return "; ".join(map(str, found)) if isinstance(found, list) else ""


def summary_of(metric: str, score: float | None, *, submitted: bool, refusal: str = "") -> str:
    shown = "none" if score is None else number(score)
    printed = f"{metric} {shown} as printed by the final script"
    why = f"the one that the final script made cannot be handed in: {refusal}"
    why = why if refusal else "none that the final script made holds"
    return printed if submitted else shortened(f"{NOTHING}: {why}; {printed}")


def config_of(task: MleTask, seconds: float) -> PipelineConfig:
    """What the task says; where it says what it would say by itself, the paper's values stand."""
    said = {
        setting: getattr(task, name)
        for name, setting in SETTINGS.items()
        if getattr(task, name) != MleTask.model_fields[name].default
    }
    smoke = SMOKE if task.smoke else {}
    limit = {"time_limit_seconds": max(1, int(seconds))}
    return PipelineConfig.model_validate({**said, **smoke, **limit})


def _data(search: Search) -> Path:
    """All labelled rows and the test rows."""
    live = not search.context.record.replaying
    return search.arena.full_input if live else Path(search.work) / "arena" / "full_input"


def _task_type(problem: Problem) -> TaskType:
    return TaskType.regression if problem.kind == "regression" else TaskType.classification


def _modality(problem: Problem) -> DataModality:
    kinds = {column.kind for column in problem.features}
    if kinds <= {"text"}:
        return DataModality.text
    return DataModality.mixed if "text" in kinds else DataModality.tabular
