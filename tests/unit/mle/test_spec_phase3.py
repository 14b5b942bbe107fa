"""Algorithm 3: R plans for an ensemble, the best of them, and what happens if none runs."""

import logging
from pathlib import Path

import pytest

from proveout.apps.mle.models import MetricDirection, SolutionPhase
from proveout.apps.mle.star.phase3 import invoke_ens_planner, invoke_ensembler, run_phase3
from tests.unit.mle.spec_kit import CLEAN, broken, fence, run, script, small, solution, stage
from tests.workbench import Workbench

TWO = [solution(script(0.6, "one"), 0.6), solution(script(0.7, "two"), 0.7)]


def test_r_rounds_in_the_order_of_the_algorithm(bench: Workbench, tmp_path: Path) -> None:
    on = stage(
        bench,
        tmp_path,
        ens_planner=["e0", "e1", "e2"],
        ensembler=[fence(script(score)) for score in (0.71, 0.75, 0.73)],
        leakage_detection=[CLEAN] * 3,
    )
    found = run(run_phase3(TWO, on.task, small(ensemble_rounds=3), backend=on.context))
    assert on.asked == ["ens_planner", "ensembler", "leakage_detection"] * 3
    assert found.ensemble_plans == ["e0", "e1", "e2"]
    assert found.ensemble_scores == [0.71, 0.75, 0.73]
    assert found.best_ensemble_score == 0.75
    assert found.best_ensemble.phase is SolutionPhase.ensemble
    first, _, last = on.prompts("ens_planner")
    assert "that were tried" not in first
    assert "## Plan: e0\n## Score: 0.71\n" in last
    assert "## Plan: e1\n## Score: 0.75\n" in last
    assert 'tag = "one"' in last
    assert "combine 2 Python solutions" in last


@pytest.mark.parametrize("direction", list(MetricDirection))
def test_of_equals_the_last_is_kept(
    bench: Workbench, tmp_path: Path, direction: MetricDirection
) -> None:
    on = stage(
        bench,
        tmp_path,
        direction=direction,
        ens_planner=["e0", "e1"],
        ensembler=[fence(script(0.7, "older")), fence(script(0.7, "newer"))],
        leakage_detection=[CLEAN] * 2,
    )
    found = run(run_phase3(TWO, on.task, small(), backend=on.context))
    assert 'tag = "newer"' in found.best_ensemble.content


def test_an_ensemble_is_kept_even_if_it_is_worse_than_its_parts(
    bench: Workbench, tmp_path: Path
) -> None:
    """The algorithm compares ensembles only; whether one is submitted is decided later."""
    on = stage(
        bench,
        tmp_path,
        ens_planner=["e0"],
        ensembler=[fence(script(0.1))],
        leakage_detection=[CLEAN],
    )
    found = run(run_phase3(TWO, on.task, small(ensemble_rounds=1), backend=on.context))
    assert found.best_ensemble_score == 0.1


def test_rounds_that_fail_are_recorded(bench: Workbench, tmp_path: Path) -> None:
    on = stage(
        bench,
        tmp_path,
        ens_planner=[" ", "\n", "e1", "e2", "e3"],
        ensembler=["prose", fence(broken()), fence(script(0.65))],
        leakage_detection=[CLEAN] * 4,
        debugger=["no"],
    )
    found = run(run_phase3(TWO, on.task, small(ensemble_rounds=4), backend=on.context))
    assert found.ensemble_plans == ["[ens_planner failed]", "e1", "e2", "e3"]
    assert found.ensemble_scores == [None, None, None, 0.65]
    assert found.best_ensemble_score == 0.65
    assert on.prompts("ens_planner")[-1].count("N/A (evaluation failed)") == 3


@pytest.mark.parametrize(
    ("direction", "best"), [(MetricDirection.maximize, 0.7), (MetricDirection.minimize, 0.6)]
)
def test_if_no_ensemble_runs_the_best_input_is_kept(
    bench: Workbench,
    tmp_path: Path,
    direction: MetricDirection,
    best: float,
    caplog: pytest.LogCaptureFixture,
) -> None:
    on = stage(
        bench, tmp_path, direction=direction, ens_planner=["e0", "e1"], ensembler=["no", "no"]
    )
    with caplog.at_level(logging.WARNING):
        found = run(run_phase3(TWO, on.task, small(), backend=on.context))
    assert found.best_ensemble_score == best
    assert "no ensemble ran" in caplog.text


def test_a_single_solution_needs_no_ensemble(bench: Workbench, tmp_path: Path) -> None:
    on = stage(bench, tmp_path)
    found = run(run_phase3(TWO[:1], on.task, small(), backend=on.context))
    assert found.best_ensemble is TWO[0] or found.best_ensemble == TWO[0]
    assert (found.ensemble_plans, found.ensemble_scores) == ([], [])
    assert on.asked == []


def test_preconditions(bench: Workbench, tmp_path: Path) -> None:
    on = stage(bench, tmp_path)
    with pytest.raises(ValueError, match="At least two solutions"):
        run(invoke_ens_planner(TWO[:1], [], [], backend=on.context))
    with pytest.raises(ValueError, match="At least two solutions"):
        run(invoke_ensembler("plan", TWO[:1], backend=on.context))
    with pytest.raises(ValueError, match="An ensemble plan is required"):
        run(invoke_ensembler(" ", TWO, backend=on.context))
    with pytest.raises(ValueError, match="no solution"):
        run(run_phase3([], on.task, small(), backend=on.context))
