"""Weights: right where the answer is known, honest where they could flatter themselves."""

import numpy as np
import pytest

from proveout.apps.mle.experts import blending
from proveout.apps.mle.experts.blending import Array, Rows, Strategy


def squared(truth: Array) -> blending.Score:
    def score(predictions: Array, rows: Rows) -> float:
        return -float(np.mean((predictions[:, 0] - truth[rows]) ** 2))

    return score


def sample(seed: int, errors: list[float], rows: int = 600) -> tuple[Array, list[Array]]:
    chance = np.random.default_rng(seed)
    truth = chance.normal(size=rows)
    members = [(truth + chance.normal(scale=it, size=rows))[:, None] for it in errors]
    return truth, members


@pytest.mark.parametrize("strategy", blending.STRATEGIES)
def test_weights_are_shares(strategy: Strategy) -> None:
    truth, members = sample(1, [0.5, 0.6, 3.0])
    blend = blending.fit(strategy, members, squared(truth), np.arange(len(truth)))
    assert sum(blend.weights) == pytest.approx(1.0, abs=1e-6)
    assert min(blend.weights) >= 0.0


@pytest.mark.parametrize("strategy", ["greedy", "convex"])
def test_better_members_weigh_more_and_bad_ones_nothing(strategy: Strategy) -> None:
    truth, members = sample(2, [0.3, 0.6, 5.0])
    weights = blending.fit(strategy, members, squared(truth), np.arange(len(truth))).weights
    assert weights[0] > weights[1] > 0.0
    assert weights[2] == 0.0


def test_blend_of_independent_errors_beats_each() -> None:
    truth, members = sample(3, [0.5, 0.5, 0.5])
    score, rows = squared(truth), np.arange(len(truth))
    blend = blending.fit("greedy", members, score, rows)
    mixed = score(blending.mixed(members, blend.weights), rows)
    assert mixed > max(score(member, rows) for member in members)


def test_honest_score_is_not_flattered_by_noise() -> None:
    """Forty members that know nothing: fitted weights look good on their own rows only."""
    truth, members = sample(4, [10.0] * 40, rows=60)
    score, rows = squared(truth), np.arange(60)
    flattered = score(
        blending.mixed(members, blending.fit("convex", members, score, rows).weights), rows
    )
    honest = np.mean(blending.honest_score("convex", members, score, rows % 5))
    assert honest < flattered


def test_one_fold_is_scored_on_itself() -> None:
    truth, members = sample(5, [0.5, 0.7], rows=50)
    scores = blending.honest_score("greedy", members, squared(truth), np.zeros(50, dtype=np.int64))
    assert len(scores) == 1


def test_single_member_gets_all() -> None:
    truth, members = sample(6, [0.5])
    for strategy in blending.STRATEGIES:
        blend = blending.fit(strategy, members, squared(truth), np.arange(len(truth)))
        assert blend.weights == (1.0,)
