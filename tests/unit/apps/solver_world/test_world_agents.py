"""Whoever knows the expectations passes every task; whoever knows one trick passes few."""

import pytest

from proveout.apps.solver.world.generator import generate
from tests.unit.apps.solver_world.world_agents import always, graded, link_everything, perfect


@pytest.mark.parametrize("seed", [3, 17, 1004])
def test_a_perfect_agent_gets_everything_right(seed: int) -> None:
    results = graded(seed, perfect)
    failed = {spec: logs for spec, (score, logs) in results.items() if score < 1}
    assert failed == {}
    assert len(results) >= 100


@pytest.mark.parametrize(
    ("outcome", "most"),
    [("denied_security", 0.45), ("none_clarification_needed", 0.15), ("ok_answer", 0.05)],
)
def test_one_answer_for_everything_scores_low(outcome: str, most: float) -> None:
    results = graded(5, always(outcome))
    assert sum(score for score, _ in results.values()) / len(results) < most


def test_linking_everything_scores_low() -> None:
    results = graded(5, link_everything(generate(5, "small")))
    assert sum(score for score, _ in results.values()) / len(results) < 0.1


def test_always_denying_fails_every_family_that_is_not_about_rights() -> None:
    results = graded(5, always("denied_security"))
    for letter in ("l.", "m."):
        assert all(score == 0 for spec, (score, _) in results.items() if spec.startswith(letter))
