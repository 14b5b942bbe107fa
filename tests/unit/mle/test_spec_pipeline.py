"""The whole pipeline: order, counts, paths side by side, choices, fallbacks, bounds, resuming."""

import asyncio
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from proveout.apps.mle import roles
from proveout.apps.mle.models import (
    ExtractorOutput,
    FinalResult,
    PipelineConfig,
    RefinePlan,
    RetrievedModel,
    RetrieverOutput,
)
from proveout.apps.mle.star import guarding
from proveout.apps.mle.star.orchestrator import (
    PipelineTimeoutError,
    configured,
    run_pipeline,
    run_pipeline_sync,
)
from proveout.kernel.budget import Budget
from proveout.kernel.canonical import plain
from proveout.kernel.errors import ModelRefused
from proveout.kernel.events import Event, Note
from proveout.kernel.ports import ModelCall, Reply, ScriptJob
from proveout.kernel.types import Usage
from tests.unit.mle.spec_kit import CLEAN, PLENTY, Stage, fence, run, script, small, stage, staged
from tests.workbench import Speaker, Workbench

BLOCK = "score = 0.5"
SCRIPT = f'{BLOCK}\nprint("Final Validation Performance:", score)'
SUBMIT = "open('final/submission.csv', 'w').write('id,y\\n1,2\\n')\n"
MODELS = RetrieverOutput(
    models=[RetrievedModel(model_name=name, example_code="use()") for name in "abcd"]
)


def score_line(call: ModelCall) -> ExtractorOutput:
    """The block that is there now."""
    found = re.findall(r"^score = [\d.]+$", call.prompt, re.MULTILINE)
    return ExtractorOutput(plans=[RefinePlan(code_block=found[0], plan="p0")])


ANSWERS: dict[str, Any] = {
    "retriever": MODELS,
    "init": fence(SCRIPT),
    "merger": fence(SCRIPT.replace("0.5", "0.4")),
    "data": "All the provided information is used.",
    "ablation": fence('print("Baseline: 0.5, No x: 0.4")'),
    "summarize": "The summary.",
    "extractor": score_line,
    "coder": fence("score = 0.6"),
    "planner": "another plan",
    "ens_planner": "an ensemble",
    "ensembler": fence(script(0.7, "ensemble")),
    "leakage_detection": CLEAN,
    "test_subsampling_extract": "There is none.",
    "test": fence(SUBMIT + script(0.7, "final")),
    "debugger": "no idea",
}


def provider(**changes: Any) -> Speaker:
    """Says the same to the same role every time, however many ask at once."""
    answers = {**ANSWERS, **changes}

    def answer(call: ModelCall) -> Reply:
        said = answers[call.role.removeprefix("mle/")]
        said = said(call) if callable(said) else said
        usage = Usage(calls=1, cost_usd=0.01)
        if isinstance(said, str):
            return Reply(text=said, usage=usage)
        return Reply(value=plain(said), usage=usage)

    return Speaker(answer, most=Usage(calls=1, cost_usd=0.01))


def on_stage(bench: Workbench, folder: Path, budget: Budget | None = None, **changes: Any) -> Stage:
    return stage(bench, folder, provider(**changes), budget=budget)


def piped(on: Stage, **changes: int) -> FinalResult:
    return run(run_pipeline(on.task, small(**changes), backend=on.context))


def test_a_default_run_makes_as_many_calls_as_the_pseudocode(
    bench: Workbench, tmp_path: Path
) -> None:
    """148, with every merge accepted and nothing to mend."""
    on = on_stage(bench, tmp_path, merger=fence(SCRIPT))
    config = PipelineConfig(time_limit_seconds=3000)
    found = run(run_pipeline(on.task, config, backend=on.context))
    counts = on.counts
    assert counts["init"] == 4
    assert counts["merger"] == 3
    assert counts["ablation"] == counts["summarize"] == counts["extractor"] == 2 * 4
    assert counts["coder"] == 2 * 4 * 4
    assert counts["planner"] == 2 * 4 * 3
    assert counts["ens_planner"] == counts["ensembler"] == 5
    assert counts["leakage_detection"] == 4 + 3 + 1 + 32 + 5 + 1 == 46
    # Extraction of the subsampling finds none here, so its removal is not asked for.
    assert sum(counts.values()) == 148 - 1
    assert len(on.ran) == 4 + 3 + 2 * 4 * 5 + 5 + 1
    assert on.sandbox.closed == 1
    assert [len(path.step_history) for path in found.phase2_results] == [4, 4]


def test_the_pipeline_ends_with_a_submission(bench: Workbench, tmp_path: Path) -> None:
    on = on_stage(bench, tmp_path)
    found = piped(on)
    assert Path(found.submission_path).read_text(encoding="utf-8") == "id,y\n1,2\n"
    assert found.phase3 is not None
    assert found.phase3.best_ensemble_score == 0.7
    assert [it.best_score for it in found.phase2_results] == [0.6, 0.6]
    assert found.total_cost_usd == pytest.approx(0.01 * len(on.asked))
    assert found.config == small()


def test_paths_work_in_rooms_of_their_own(bench: Workbench, tmp_path: Path) -> None:
    on = on_stage(bench, tmp_path)
    piped(on)
    folders = {
        Path(job.folder).relative_to(tmp_path / "work").as_posix() for job in on.sandbox.jobs
    }
    assert {".", "path-0", "path-1", "path-0/ablation", "path-1/ablation"} == folders
    assert {job.data for job in on.sandbox.jobs} == {str(tmp_path / "input")}


def test_one_path_needs_no_ensemble(bench: Workbench, tmp_path: Path) -> None:
    on = on_stage(bench, tmp_path)
    found = piped(on, num_parallel_solutions=1)
    assert found.phase3 is None
    assert on.counts["ensembler"] == 0
    assert found.submission_path


def test_a_single_solution_that_is_better_is_submitted(bench: Workbench, tmp_path: Path) -> None:
    on = on_stage(bench, tmp_path, ensembler=fence(script(0.55, "ensemble")))
    piped(on)
    assert "score = 0.6" in on.prompts("test")[0]
    assert "ensemble" not in on.prompts("test")[0]


def test_an_equal_ensemble_is_submitted(bench: Workbench, tmp_path: Path) -> None:
    on = on_stage(bench, tmp_path, ensembler=fence(script(0.6, "ensemble")))
    piped(on)
    assert 'tag = "ensemble"' in on.prompts("test")[0]


def raising(error: Exception, when: Callable[[ModelCall], bool], otherwise: Any) -> Any:
    def answer(call: ModelCall) -> Any:
        if when(call):
            raise error
        return otherwise

    return answer


class Broken(PermissionError):
    """A folder that cannot be written, say."""


def test_a_path_that_fails_is_replaced_by_its_start(bench: Workbench, tmp_path: Path) -> None:
    on = on_stage(bench, tmp_path)
    original = on.sandbox.run

    class Failing:
        def run(self, job: ScriptJob, cancel: Any) -> Any:
            if job.folder.endswith("path-1"):
                raise Broken
            return original(job, cancel)

        def close(self) -> None:
            """Nothing is held."""

    failing = Failing()
    on.context.ports = replace(on.context.ports, open_sandbox=lambda: failing)
    found = piped(on)
    assert [it.best_score for it in found.phase2_results] == [0.6, 0.5]
    assert found.phase2_results[1].step_history == []
    assert found.submission_path


def test_a_failing_ensemble_leaves_the_best_path(bench: Workbench, tmp_path: Path) -> None:
    on = on_stage(bench, tmp_path, ens_planner=raising(Broken(), lambda _: True, ""))
    found = piped(on)
    assert found.phase3 is None
    assert "score = 0.6" in on.prompts("test")[0]


def test_a_failing_end_leaves_the_validated_script(bench: Workbench, tmp_path: Path) -> None:
    on = on_stage(bench, tmp_path, test=raising(Broken(), lambda _: True, ""))
    found = piped(on)
    assert found.submission_path == ""
    assert 'tag = "ensemble"' in found.final_solution.content


def test_a_provider_that_refuses_ends_the_run(bench: Workbench, tmp_path: Path) -> None:
    """It can be resumed; to go on without the path would look as if it had been tried."""
    on = on_stage(bench, tmp_path, ablation=raising(ModelRefused("no"), lambda _: True, ""))
    with pytest.raises(ModelRefused):
        piped(on)
    assert on.sandbox.closed == 1


def test_a_spent_budget_ends_with_the_best_so_far(bench: Workbench, tmp_path: Path) -> None:
    """Two candidates, a merge and a few attempts; then no more rounds."""
    on = on_stage(bench, tmp_path, budget=Budget(rounds=5, calls=1000))
    found = piped(on, outer_loop_steps=3, inner_loop_steps=1, num_parallel_solutions=1)
    assert found.submission_path == ""
    assert found.final_solution.score == 0.6
    assert found.phase3 is None
    assert on.context.spent[-1] == "rounds"


def test_a_budget_spent_too_early_is_an_error(bench: Workbench, tmp_path: Path) -> None:
    on = on_stage(bench, tmp_path, budget=Budget(calls=3))
    with pytest.raises(PipelineTimeoutError, match="no solution yet") as caught:
        piped(on)
    assert caught.value.diagnostics["current_phase"] == "stopped"
    assert caught.value.diagnostics["agent_call_count"] == 3


def test_a_run_that_was_cut_short_tells_what_code_saved(bench: Workbench, tmp_path: Path) -> None:
    seen: list[Event] = []
    budget = Budget(rounds=5, calls=1000)
    context = bench.begin(speaker := provider(), budget=budget, watch=seen.append)
    on = staged(context, speaker, tmp_path)
    guarding.spare(on.context, roles.LEAKAGE_DETECTION.name)
    piped(on, outer_loop_steps=3, inner_loop_steps=1, num_parallel_solutions=1)
    assert {"model_calls_saved": 1} in [it.detail for it in seen if isinstance(it, Note)]
    assert guarding.model_calls_saved(on.context.run) == 0


def test_money_is_bounded_by_the_configuration(bench: Workbench, tmp_path: Path) -> None:
    on = on_stage(bench, tmp_path)
    config = small().model_copy(update={"max_budget_usd": 0.15})
    found = run(run_pipeline(on.task, config, backend=on.context))
    assert len(on.asked) == 15
    assert found.final_solution.score is not None


def test_a_run_out_of_time_skips_what_is_left(bench: Workbench, tmp_path: Path) -> None:
    """Time passes with each look at the clock; steps that are overdue are recorded as skipped."""
    bench.clock.tick = 0.5
    on = on_stage(bench, tmp_path)
    found = piped(on, outer_loop_steps=12, time_limit_seconds=400, num_parallel_solutions=1)
    (path,) = found.phase2_results
    skipped = [step["was_skipped"] for step in path.step_history]
    assert len(skipped) == 12
    assert skipped == sorted(skipped)
    assert skipped[-1]


def taking(bench: Workbench, seconds: float, reply: Any) -> Callable[[ModelCall], Any]:
    """An answer that is long in coming."""

    def answer(call: ModelCall) -> Any:
        del call
        bench.clock.time += seconds
        return reply

    return answer


def test_a_first_phase_that_took_long_leaves_time_for_the_end(
    bench: Workbench, tmp_path: Path
) -> None:
    """Half of the time is gone before there is a path; its share is of the other half."""
    late, slow = taking(bench, 300, MODELS), taking(bench, 30, ANSWERS["ablation"])
    on = on_stage(bench, tmp_path, retriever=late, ablation=slow)
    found = piped(on, outer_loop_steps=12, time_limit_seconds=600, num_parallel_solutions=1)
    (path,) = found.phase2_results
    # 65 parts of 90 of the 300 s that are left.
    assert [step["was_skipped"] for step in path.step_history] == [False] * 8 + [True] * 4
    assert found.submission_path


def test_ensembles_that_take_long_leave_time_for_the_end(bench: Workbench, tmp_path: Path) -> None:
    """15 parts of 25 of the time that the paths left are theirs."""
    on = on_stage(bench, tmp_path, ens_planner=taking(bench, 100, "an ensemble"))
    found = piped(on, ensemble_rounds=9, time_limit_seconds=600)
    assert found.phase3 is not None
    assert len(found.phase3.ensemble_scores) == on.counts["ens_planner"] == 4
    assert found.phase3.best_ensemble_score == 0.7
    assert found.submission_path


def test_a_path_out_of_time_tries_no_further_versions_of_its_block(
    bench: Workbench, tmp_path: Path
) -> None:
    on = on_stage(bench, tmp_path, coder=taking(bench, 100, ANSWERS["coder"]))
    found = piped(on, inner_loop_steps=20, time_limit_seconds=600, num_parallel_solutions=1)
    ((step,),) = [path.step_history for path in found.phase2_results]
    # 65 parts of 90 of 600 s; what was tried counts.
    assert len(step["inner_loop_attempts"]) == 5
    assert not step["was_skipped"]
    assert found.phase2_results[0].best_score == 0.6
    assert found.submission_path


def test_without_any_time_left_every_step_is_skipped(bench: Workbench, tmp_path: Path) -> None:
    shares = {"phase1": 100, "phase2": 0, "phase3": 0, "finalization": 100}
    on = on_stage(bench, tmp_path)
    config = PipelineConfig.model_validate(
        {**small(num_parallel_solutions=1).model_dump(), "phase_time_budget": shares}
    )
    found = run(run_pipeline(on.task, config, backend=on.context))
    assert [step["was_skipped"] for step in found.phase2_results[0].step_history] == [True]
    assert found.submission_path


def test_no_script_may_go_on_beyond_the_end_of_the_run(bench: Workbench, tmp_path: Path) -> None:
    on = on_stage(bench, tmp_path, retriever=taking(bench, 100, MODELS))
    piped(on, time_limit_seconds=160, num_parallel_solutions=1)
    assert all(job.limits.seconds <= 60 for job in on.sandbox.jobs)
    final = on.sandbox.jobs[-1]
    assert "final" in final.source
    # All that is left, which is more than a script's share.
    assert final.limits.seconds == 60


def test_a_study_keeps_to_the_time_of_its_path(bench: Workbench, tmp_path: Path) -> None:
    on = on_stage(bench, tmp_path, ablation=taking(bench, 60, ANSWERS["ablation"]))
    piped(on, time_limit_seconds=100, num_parallel_solutions=1)
    (study,) = [job for job in on.sandbox.jobs if job.folder.endswith("ablation")]
    # The path has 65 parts of 90, and 60 s of them are gone.
    assert study.limits.seconds == pytest.approx(100 * 65 / 90 - 60)


def test_a_resumed_pipeline_asks_and_runs_nothing_twice(bench: Workbench, tmp_path: Path) -> None:
    first = on_stage(bench, tmp_path)
    before = piped(first)
    bench.close()
    again = stage(bench, tmp_path, provider(), resume=True)
    after = piped(again)
    assert again.asked == []
    assert again.ran == []
    assert after.final_solution.content == before.final_solution.content
    assert after.submission_path == before.submission_path
    assert after.total_duration_seconds == before.total_duration_seconds


def test_the_same_from_outside_of_an_event_loop(bench: Workbench, tmp_path: Path) -> None:
    on = on_stage(bench, tmp_path)
    found = run_pipeline_sync(on.task, small(), backend=on.context)
    assert found.submission_path


def test_a_second_run_knows_nothing_of_the_first(bench: Workbench, tmp_path: Path) -> None:
    on = on_stage(bench, tmp_path)
    first, second = piped(on), piped(on)
    assert first.phase1.candidate_scores == second.phase1.candidate_scores
    assert len(on.ran) % 2 == 0


@pytest.mark.parametrize("content", [None, "empty"])
def test_a_task_without_data_is_refused_before_anything_is_asked(
    bench: Workbench, tmp_path: Path, content: str | None
) -> None:
    on = on_stage(bench, tmp_path)
    place = tmp_path / "elsewhere"
    if content:
        place.mkdir()
    task = on.task.model_copy(update={"data_dir": str(place)})
    with pytest.raises(ValueError, match="data_dir"):
        run(run_pipeline(task, small(), backend=on.context))
    assert on.asked == []


def test_what_is_explicit_wins_over_the_environment() -> None:
    environment = {"MLE_STAR_TIME_LIMIT": "60", "MLE_STAR_MAX_BUDGET": "2.5", "MLE_STAR_MODEL": ""}
    assert configured(None, environment).time_limit_seconds == 60
    assert configured(None, environment).model == "sonnet"
    explicit = configured(PipelineConfig(time_limit_seconds=5), environment)
    assert (explicit.time_limit_seconds, explicit.max_budget_usd) == (5, 2.5)
    assert configured(None, {}) == PipelineConfig()
    with pytest.raises(ValueError, match="time_limit_seconds"):
        configured(None, {"MLE_STAR_TIME_LIMIT": "soon"})


def test_it_is_a_coroutine_function() -> None:
    assert asyncio.iscoroutinefunction(run_pipeline)


def test_a_replay_comes_to_the_same_without_model_script_or_folder(
    bench: Workbench, tmp_path: Path
) -> None:
    first = on_stage(bench, tmp_path)
    before = piped(first)
    shutil.rmtree(tmp_path / "work")
    shutil.rmtree(tmp_path / "final")
    again = staged(bench.replay(budget=PLENTY), provider(), tmp_path)
    shutil.rmtree(tmp_path / "input")
    after = piped(again)
    assert again.asked == []
    assert again.ran == []
    assert after.final_solution.content == before.final_solution.content
    assert after.submission_path == before.submission_path
    assert not (tmp_path / "work").exists()
    assert not (tmp_path / "final").exists()


def test_a_replay_of_a_run_that_was_cut_short_ends_there_too(
    bench: Workbench, tmp_path: Path
) -> None:
    budget = Budget(rounds=1000, calls=15)
    first = on_stage(bench, tmp_path, budget=budget)
    before = piped(first, num_parallel_solutions=1)
    again = staged(bench.replay(budget=budget), provider(), tmp_path)
    after = piped(again, num_parallel_solutions=1)
    assert again.asked == []
    assert after.final_solution.content == before.final_solution.content
    assert (after.submission_path, before.submission_path) == ("", "")
