"""Algorithm 2: ablate, summarise, extract, then K attempts on the original block."""

from pathlib import Path

import pytest

from proveout.apps.mle.models import (
    ExtractorOutput,
    MetricDirection,
    RefinePlan,
    SolutionPhase,
)
from proveout.apps.mle.star.phase2_inner import invoke_coder, invoke_planner, run_phase2_inner_loop
from proveout.apps.mle.star.phase2_outer import run_phase2_outer_loop
from tests.unit.mle.spec_kit import CLEAN, broken, fence, run, small, solution, stage
from tests.workbench import Workbench

BLOCK = "score = 0.5"
SCRIPT = f'name = "start"\n{BLOCK}\nprint("Final Validation Performance:", score)\n'
STUDY = fence('print("Baseline: 0.5, No name: 0.4")')


def blocks(*found: str, plan: str = "p0") -> ExtractorOutput:
    return ExtractorOutput(plans=[RefinePlan(code_block=block, plan=plan) for block in found])


def to(score: object) -> str:
    return fence(f"score = {score}")


def test_k_attempts_the_first_by_the_given_plan(bench: Workbench, tmp_path: Path) -> None:
    on = stage(
        bench,
        tmp_path,
        coder=[to(0.6), to(0.4), to(0.7)],
        planner=["p1", " p2\n"],
        leakage_detection=[CLEAN] * 9,
    )
    found = run(
        run_phase2_inner_loop(
            solution(SCRIPT, 0.5),
            BLOCK,
            "p0",
            0.5,
            on.task,
            small(inner_loop_steps=3),
            backend=on.context,
        )
    )
    turn = ["coder", "leakage_detection"]
    assert on.asked == [*turn, "planner", *turn, "planner", *turn]
    assert [it.plan for it in found.attempts] == ["p0", "p1", "p2"]
    assert [it.score for it in found.attempts] == [0.6, 0.4, 0.7]
    assert [it.was_improvement for it in found.attempts] == [True, False, True]
    assert (found.best_score, found.improved) == (0.7, True)
    assert found.best_solution.content == SCRIPT.replace("0.5", "0.7")
    assert found.best_solution.phase is SolutionPhase.refined


def test_every_attempt_starts_from_the_original(bench: Workbench, tmp_path: Path) -> None:
    on = stage(
        bench, tmp_path, coder=[to(0.6), to(0.7)], planner=["p1"], leakage_detection=[CLEAN] * 9
    )
    run(
        run_phase2_inner_loop(
            solution(SCRIPT), BLOCK, "p0", 0.5, on.task, small(), backend=on.context
        )
    )
    assert all(BLOCK in prompt for prompt in on.prompts("coder"))
    assert on.ran == [SCRIPT.replace("0.5", "0.6"), SCRIPT.replace("0.5", "0.7")]


def test_the_planner_sees_all_plans_and_scores(bench: Workbench, tmp_path: Path) -> None:
    on = stage(
        bench,
        tmp_path,
        coder=[to(0.6), "prose only"],
        planner=["p1", "p2"],
        leakage_detection=[CLEAN] * 9,
    )
    run(
        run_phase2_inner_loop(
            solution(SCRIPT),
            BLOCK,
            "p0",
            0.5,
            on.task,
            small(inner_loop_steps=2),
            backend=on.context,
        )
    )
    (prompt,) = on.prompts("planner")
    assert "## Plan: p0\n## Score: 0.6" in prompt


@pytest.mark.parametrize(
    ("direction", "new", "kept"),
    [
        (MetricDirection.maximize, 0.5, True),
        (MetricDirection.maximize, 0.49, False),
        (MetricDirection.minimize, 0.5, True),
        (MetricDirection.minimize, 0.51, False),
    ],
)
def test_at_least_as_good_is_good_enough(
    bench: Workbench, tmp_path: Path, direction: MetricDirection, new: float, kept: bool
) -> None:
    on = stage(
        bench, tmp_path, direction=direction, coder=[to(f"{new}  # new")], leakage_detection=[CLEAN]
    )
    found = run(
        run_phase2_inner_loop(
            solution(SCRIPT),
            BLOCK,
            "p0",
            0.5,
            on.task,
            small(inner_loop_steps=1),
            backend=on.context,
        )
    )
    assert ("# new" in found.best_solution.content) is kept
    assert found.attempts[0].was_improvement is kept
    assert found.improved is False


def test_of_equals_the_newest_is_kept(bench: Workbench, tmp_path: Path) -> None:
    on = stage(
        bench,
        tmp_path,
        coder=[to("0.6  # older"), to("0.6  # newer")],
        planner=["p1"],
        leakage_detection=[CLEAN] * 2,
    )
    found = run(
        run_phase2_inner_loop(
            solution(SCRIPT), BLOCK, "p", 0.5, on.task, small(), backend=on.context
        )
    )
    assert "# newer" in found.best_solution.content


def test_failures_are_recorded_and_count(bench: Workbench, tmp_path: Path) -> None:
    """Coder silent, block that breaks the script, planner silent, script that cannot be mended."""
    on = stage(
        bench,
        tmp_path,
        coder=["no code here, sorry", fence("score = ("), to("1 / 0")],
        planner=["p1", " ", "\n", "p3"],
        leakage_detection=[CLEAN] * 9,
        debugger=["no"],
    )
    found = run(
        run_phase2_inner_loop(
            solution(SCRIPT, 0.5),
            BLOCK,
            "p0",
            0.5,
            on.task,
            small(inner_loop_steps=4),
            backend=on.context,
        )
    )
    assert [it.plan for it in found.attempts] == ["p0", "p1", "[planner failed]", "p3"]
    assert [it.code_block for it in found.attempts] == ["", "score = (", "", "score = 1 / 0"]
    assert [it.score for it in found.attempts] == [None] * 4
    assert found.best_solution.content == SCRIPT
    assert (found.best_score, found.improved) == (0.5, False)
    last = on.prompts("planner")[-1]
    assert last.count("N/A (evaluation failed)") == 3
    assert "## Plan: [planner failed]" in last


def test_a_block_that_is_not_in_the_script_is_a_failed_attempt(
    bench: Workbench, tmp_path: Path
) -> None:
    on = stage(bench, tmp_path, coder=[to(0.9)])
    found = run(
        run_phase2_inner_loop(
            solution(SCRIPT),
            "absent = 1",
            "p",
            0.5,
            on.task,
            small(inner_loop_steps=1),
            backend=on.context,
        )
    )
    assert found.attempts[0].code_block == "score = 0.9"
    assert found.attempts[0].score is None
    assert on.ran == []


def test_a_mended_attempt_counts_with_its_score(bench: Workbench, tmp_path: Path) -> None:
    mended = fence(SCRIPT.replace("0.5", "0.8"))
    on = stage(
        bench, tmp_path, coder=[to("1 / 0")], debugger=[mended], leakage_detection=[CLEAN] * 2
    )
    found = run(
        run_phase2_inner_loop(
            solution(SCRIPT),
            BLOCK,
            "p",
            0.5,
            on.task,
            small(inner_loop_steps=1),
            backend=on.context,
        )
    )
    assert found.best_score == 0.8
    assert on.asked == ["coder", "leakage_detection", "debugger", "leakage_detection"]


@pytest.mark.parametrize(("block", "plan"), [("", "p"), (" ", "p"), ("x", ""), ("x", "\n")])
def test_the_coder_needs_a_block_and_a_plan(
    bench: Workbench, tmp_path: Path, block: str, plan: str
) -> None:
    on = stage(bench, tmp_path)
    with pytest.raises(ValueError, match="needs a code block and a plan"):
        run(invoke_coder(block, plan, backend=on.context))


def test_the_planner_needs_a_plan(bench: Workbench, tmp_path: Path) -> None:
    on = stage(bench, tmp_path)
    wanted = "At least one previous plan is required for A_planner"
    with pytest.raises(ValueError, match=wanted):
        run(invoke_planner("x", [], [], backend=on.context))


# The outer loop


def test_one_step_in_the_order_of_the_algorithm(bench: Workbench, tmp_path: Path) -> None:
    on = stage(
        bench,
        tmp_path,
        ablation=[STUDY],
        summarize=["The summary."],
        extractor=[blocks(BLOCK)],
        coder=[to(0.6), to(0.55)],
        planner=["p1"],
        leakage_detection=[CLEAN] * 9,
    )
    start = solution(SCRIPT, 0.5)
    found = run(run_phase2_outer_loop(start, 0.5, on.task, small(), backend=on.context))
    turn = ["coder", "leakage_detection"]
    assert on.asked == ["ablation", "summarize", "extractor", *turn, "planner", *turn]
    assert "Baseline: 0.5, No name: 0.4" in on.prompts("summarize")[0]
    assert found.ablation_summaries == ["The summary."]
    assert [(it.content, it.outer_step) for it in found.refined_blocks] == [(BLOCK, 0)]
    assert (found.best_score, found.best_solution.score) == (0.6, 0.6)
    (step,) = found.step_history
    assert step["inner_loop_attempts"][1]["plan"] == "p1"
    assert {name: step[name] for name in step if name != "inner_loop_attempts"} == {
        "outer_step": 0,
        "ablation_summary": "The summary.",
        "code_block": BLOCK,
        "plan": "p0",
        "best_score_after_step": 0.6,
        "was_skipped": False,
    }
    assert start.content == SCRIPT


def test_a_step_starts_from_the_best_and_knows_what_was_learnt(
    bench: Workbench, tmp_path: Path
) -> None:
    """REQ-P2O-011: the summary is kept as it is, for the next study and for the extractor."""
    on = stage(
        bench,
        tmp_path,
        ablation=[STUDY] * 3,
        summarize=["  first summary\n", "second summary", "third"],
        extractor=[blocks(BLOCK), blocks("score = 0.6"), blocks('name = "start"')],
        coder=[to(0.6), to(0.2), fence('name = "other"')],
        leakage_detection=[CLEAN] * 9,
    )
    config = small(outer_loop_steps=3, inner_loop_steps=1)
    found = run(run_phase2_outer_loop(solution(SCRIPT), 0.5, on.task, config, backend=on.context))
    _, second, third = on.prompts("ablation")
    assert "## Study 1\n  first summary\n" in second
    assert "## Study 2\nsecond summary" in third
    assert "score = 0.6" in second
    # The second step failed to improve: the third starts where the second did.
    assert "score = 0.6" in third
    last = on.prompts("extractor")[-1]
    assert "third" in last
    assert f"## Code block 1\n```python\n{BLOCK}\n```" in last
    assert found.ablation_summaries == ["  first summary\n", "second summary", "third"]
    assert [it.outer_step for it in found.refined_blocks] == [0, 1, 2]
    assert [it["best_score_after_step"] for it in found.step_history] == [0.6, 0.6, 0.6]
    # Equal is good enough, so the last one is the newest of the best.
    assert 'name = "other"' in found.best_solution.content


def test_steps_that_cannot_be_made_are_skipped_and_counted(
    bench: Workbench, tmp_path: Path
) -> None:
    on = stage(
        bench,
        tmp_path,
        ablation=[STUDY] * 3,
        summarize=["s0", "s1", "s2"],
        extractor=[*[blocks("nowhere")] * 3, "prose", "prose", blocks(BLOCK)],
        coder=[to(0.7)],
        leakage_detection=[CLEAN] * 3,
    )
    config = small(outer_loop_steps=3, inner_loop_steps=1)
    found = run(run_phase2_outer_loop(solution(SCRIPT), 0.5, on.task, config, backend=on.context))
    assert [it["was_skipped"] for it in found.step_history] == [True, True, False]
    assert [it.content for it in found.refined_blocks] == ["", "", BLOCK]
    assert found.ablation_summaries == ["s0", "s1", "s2"]
    assert found.best_score == 0.7
    # A skipped step leaves no block that the next one would have to avoid.
    assert "improved before" not in on.prompts("extractor")[-1]


def test_a_study_that_fails_is_mended(bench: Workbench, tmp_path: Path) -> None:
    on = stage(
        bench,
        tmp_path,
        ablation=[fence(broken("study"))],
        debugger=[STUDY],
        summarize=["s"],
        extractor=[blocks(BLOCK)],
        coder=[to(0.6)],
        leakage_detection=[CLEAN],
    )
    config = small(inner_loop_steps=1)
    run(run_phase2_outer_loop(solution(SCRIPT), 0.5, on.task, config, backend=on.context))
    assert on.asked[:4] == ["ablation", "debugger", "summarize", "extractor"]
    assert "Baseline" in on.prompts("summarize")[0]


@pytest.mark.parametrize("study", [fence(broken("study")), "prose", fence("exit()")])
def test_without_a_study_the_extractor_still_works(
    bench: Workbench, tmp_path: Path, study: str
) -> None:
    on = stage(
        bench,
        tmp_path,
        ablation=[study],
        debugger=["no"],
        extractor=[blocks(BLOCK)],
        coder=[to(0.6)],
        leakage_detection=[CLEAN],
    )
    config = small(inner_loop_steps=1)
    found = run(run_phase2_outer_loop(solution(SCRIPT), 0.5, on.task, config, backend=on.context))
    assert found.ablation_summaries == [""]
    assert found.best_score == 0.6
    assert "No ablation study could be run." in on.prompts("extractor")[0]


def test_the_result_is_never_worse_than_the_start(bench: Workbench, tmp_path: Path) -> None:
    on = stage(
        bench,
        tmp_path,
        ablation=[STUDY] * 2,
        summarize=["s"] * 2,
        extractor=[blocks(BLOCK)] * 2,
        coder=[to(0.1), to(0.2)],
        leakage_detection=[CLEAN] * 2,
    )
    config = small(outer_loop_steps=2, inner_loop_steps=1)
    found = run(run_phase2_outer_loop(solution(SCRIPT), 0.5, on.task, config, backend=on.context))
    assert (found.best_score, found.best_solution.content) == (0.5, SCRIPT)


def test_a_study_has_little_time(bench: Workbench, tmp_path: Path) -> None:
    on = stage(
        bench,
        tmp_path,
        ablation=[STUDY],
        summarize=["s"],
        extractor=["prose", "prose"],
    )
    config = small(outer_loop_steps=1, time_limit_seconds=100)
    run(run_phase2_outer_loop(solution(SCRIPT), 0.5, on.task, config, backend=on.context))
    assert on.sandbox.jobs[0].limits.seconds == 50
