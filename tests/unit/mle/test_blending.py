"""Weights: right where the answer is known, honest where they could flatter themselves."""

import numpy as np
import pytest
from scipy.optimize import minimize

from proveout.apps.mle.experts import blending
from proveout.apps.mle.experts.blending import Array, Rows, Seen, Strategy
from proveout.apps.mle.experts.blocks.stacking import (
    PULL_ROWS,
    fit_chances,
    fit_stack,
    stack_inputs,
    stack_output,
    stacked,
)


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
    blend = blending.fit(strategy, Seen(members, truth), squared(truth), np.arange(len(truth)))
    assert sum(blend.weights) == pytest.approx(1.0, abs=1e-6)
    assert min(blend.weights) >= 0.0


@pytest.mark.parametrize("strategy", ["greedy", "convex"])
def test_better_members_weigh_more_and_bad_ones_nothing(strategy: Strategy) -> None:
    truth, members = sample(2, [0.3, 0.6, 5.0])
    weights = blending.fit(
        strategy, Seen(members, truth), squared(truth), np.arange(len(truth))
    ).weights
    assert weights[0] > weights[1] > 0.0
    assert weights[2] == 0.0


def test_blend_of_independent_errors_beats_each() -> None:
    truth, members = sample(3, [0.5, 0.5, 0.5])
    score, rows = squared(truth), np.arange(len(truth))
    blend = blending.fit("greedy", Seen(members, truth), score, rows)
    mixed = score(blending.mixed(members, blend.weights), rows)
    assert mixed > max(score(member, rows) for member in members)


def test_of_many_folds_several_are_left_out_at_once() -> None:
    """Each member knows the truth of two folds only: who is fitted without these must not know."""
    truth, _ = sample(5, [])
    folds = np.arange(len(truth)) % 10
    members = [
        np.where(folds // 2 == pair, truth, 0.5 * truth + pair)[:, None] for pair in range(5)
    ]
    scores = blending.honest_score("best", Seen(members, truth), squared(truth), folds)
    assert len(scores) == 10
    for fold, score in enumerate(scores):
        rows, others = np.flatnonzero(folds == fold), np.flatnonzero(folds // 2 != fold // 2)
        chosen = max(members, key=lambda it: squared(truth)(it[others], others))
        assert score == squared(truth)(chosen[rows], rows)


def test_honest_score_is_not_flattered_by_noise() -> None:
    """Forty members that know nothing: fitted weights look good on their own rows only."""
    truth, members = sample(4, [10.0] * 40, rows=60)
    score, rows = squared(truth), np.arange(60)
    flattered = score(
        blending.mixed(members, blending.fit("convex", Seen(members, truth), score, rows).weights),
        rows,
    )
    honest = np.mean(blending.honest_score("convex", Seen(members, truth), score, rows % 5))
    assert honest < flattered


def test_one_fold_is_scored_on_itself() -> None:
    truth, members = sample(5, [0.5, 0.7], rows=50)
    folds = np.zeros(50, dtype=np.int64)
    scores = blending.honest_score("greedy", Seen(members, truth), squared(truth), folds)
    assert len(scores) == 1


def test_single_member_gets_all() -> None:
    truth, members = sample(6, [0.5])
    for strategy in blending.STRATEGIES:
        blend = blending.fit(strategy, Seen(members, truth), squared(truth), np.arange(len(truth)))
        assert blend.weights == (1.0,)


def test_a_stack_draws_on_members_that_no_mean_has_use_for() -> None:
    """One that knows only another's error: worthless in a mean, worth most to a second model."""
    truth, (good,) = sample(8, [0.8])
    error = good - truth[:, None]
    score, folds = squared(truth), np.arange(len(truth)) % 5
    seen, rows = Seen([good, error], truth), np.arange(len(truth))
    assert blending.fit("greedy", seen, score, rows).weights[1] == 0.0
    assert blending.fit("stack", seen, score, rows).weights[1] > 0.3
    honest = blending.honest_score("stack", seen, score, folds)
    assert np.mean(honest) > 0.2 * score(good, rows)


@pytest.mark.parametrize("classes", [False, True])
def test_the_fewer_rows_the_closer_a_stack_stays_to_the_plain_mean(classes: bool) -> None:
    away = {}
    for rows in (20, 2_000):
        truth, members = sample(9, [0.3, 3.0, 3.0], rows)
        if classes:
            members = [1.0 / (1.0 + np.exp(-np.hstack([it, -it]))) for it in members]
            truth = (truth < 0).astype(float)
        weights, _ = fit_stack(stack_inputs(members, classes), truth, classes)
        away[rows] = np.abs(weights - 1 / 3).max()
    assert away[20] < 0.7 * away[2_000]


def test_a_stack_takes_out_what_all_members_share() -> None:
    """Members that are all too high by one, and too flat: no mean of them can mend that."""
    truth, members = sample(7, [0.2, 0.3])
    members = [0.5 * member + 1.0 for member in members]
    score, folds = squared(truth), np.arange(len(truth)) % 5
    plain = np.mean(blending.honest_score("convex", Seen(members, truth), score, folds))
    honest = np.mean(blending.honest_score("stack", Seen(members, truth), score, folds))
    assert honest > -0.05 > plain


def test_a_stack_of_sure_but_wrong_chances_becomes_humble() -> None:
    chance = np.random.default_rng(8)
    truth = chance.integers(0, 3, 900)
    hits = np.where(chance.random(900) < 0.7, truth, chance.integers(0, 3, 900))
    member = np.full((900, 3), 0.001)
    member[np.arange(900), hits] = 0.998

    def score(given: Array, rows: Rows) -> float:
        return float(np.log(given[np.arange(len(rows)), truth[rows]]).mean())

    rows = np.arange(900)
    alone = np.mean([score(member[rows % 5 == fold], rows[rows % 5 == fold]) for fold in range(5)])
    made = np.mean(blending.honest_score("stack", Seen([member], truth, True), score, rows % 5))
    assert made > alone + 0.5


def test_a_stack_does_not_look_at_the_fold_that_it_predicts() -> None:
    truth, members = sample(9, [0.5, 0.6], rows=100)
    fold = np.arange(100) % 4
    before, test_before = stacked(members, members, truth[:, None], fold, False)
    changed = truth.copy()
    changed[fold == 2] += 50.0
    after, test_after = stacked(members, members, changed[:, None], fold, False)
    assert np.array_equal(before[fold == 2], after[fold == 2])
    assert not np.allclose(before[fold != 2], after[fold != 2])
    assert not np.allclose(test_before, test_after)


def test_a_stack_with_nothing_to_learn_stays_near_the_mean() -> None:
    chance = np.random.default_rng(10)
    twins = [chance.normal(size=(40, 1))] * 3
    weights, offsets = fit_stack(stack_inputs(twins, False), twins[0], False)
    assert weights == pytest.approx([1 / 3] * 3, abs=1e-6)
    assert offsets == pytest.approx([0.0], abs=1e-9)


def test_ranks_do_not_care_how_sure_members_are() -> None:
    """One member's chances are squeezed into a corner; its order is as good as the other's."""
    chance = np.random.default_rng(11)
    truth = chance.integers(0, 2, 400)
    signals = [truth + chance.normal(scale=0.8, size=400) for _ in range(2)]
    wide = 1 / (1 + np.exp(-4 * signals[0]))
    narrow = 0.5 + 1e-4 * np.tanh(signals[1])
    members = [np.column_stack([1 - it, it]) for it in (wide, narrow)]

    def score(given: Array, rows: Rows) -> float:
        positive = truth[rows] == 1
        return float((given[positive, 1][:, None] > given[~positive, 1][None, :]).mean())

    folds = np.arange(400) % 5
    seen = Seen(members, truth, True)
    ranks = np.mean(blending.honest_score("rank", seen, score, folds))
    plain = np.mean(blending.honest_score("greedy", seen, score, folds))
    assert ranks > plain
    given = blending.blended("rank", seen, members, (0.5, 0.5))
    assert given.sum(axis=1) == pytest.approx(np.ones(400))
    assert score(given, np.arange(400)) > score(members[0], np.arange(400))


def skewed(seed: int, errors: list[float], rows: int = 600) -> tuple[Array, list[Array]]:
    """A few values are a thousand times the others, and errors grow with them."""
    chance = np.random.default_rng(seed)
    level = chance.normal(scale=2.0, size=rows)
    truth = np.expm1(np.maximum(level + 3.0, 0.0))
    noisy = [level + 3.0 + chance.normal(scale=it, size=rows) for it in errors]
    return truth, [np.expm1(np.maximum(it, 0.0))[:, None] for it in noisy]


LOSSES = {
    "rmsle": lambda y, p: np.sqrt(np.mean((np.log1p(np.maximum(p, 0)) - np.log1p(y)) ** 2)),
    "mae": lambda y, p: np.mean(np.abs(y - p)),
    "mape": lambda y, p: np.mean(np.abs(y - p) / np.maximum(y, 0.1)),
    "smape": lambda y, p: np.mean(2 * np.abs(y - p) / np.maximum(np.abs(y) + np.abs(p), 1e-9)),
}


@pytest.mark.parametrize("metric", LOSSES)
def test_a_stack_is_fitted_in_the_measure_of_the_metric(metric: str) -> None:
    """The squares of the largest values say nothing about most rows."""
    truth, members = skewed(12, [0.6, 0.7, 0.8])
    truth = np.maximum(truth, 0.1)
    folds = np.arange(len(truth)) % 5

    def score(given: Array, rows: Rows) -> float:
        return -float(LOSSES[metric](truth[rows], given[:, 0]))

    def honest(strategy: Strategy, aim: str) -> float:
        return float(
            np.mean(blending.honest_score(strategy, Seen(members, truth, aim=aim), score, folds))
        )

    fitting = honest("stack", blending.AIMS[metric])
    assert fitting > honest("stack", "squared")
    assert fitting > 1.02 * honest("average", "squared")


@pytest.mark.parametrize("unit", [1e-3, 1e3])
def test_a_stack_for_symmetric_shares_does_not_sink(unit: float) -> None:
    """Where nobody knows half of it, shares of the value alone are least far below the middle."""
    chance = np.random.default_rng(15)
    known = unit * np.exp(chance.normal(size=600))
    truth = known * np.exp(chance.normal(scale=0.6, size=600))
    members = [(known * np.exp(chance.normal(scale=it, size=600)))[:, None] for it in (0.2, 0.3)]

    def score(given: Array, rows: Rows) -> float:
        return -float(LOSSES["smape"](truth[rows], given[:, 0]))

    folds = np.arange(600) % 5
    seen = Seen(members, truth, aim=blending.AIMS["smape"])
    stack = np.mean(blending.honest_score("stack", seen, score, folds))
    assert stack > max(score(member, np.arange(600)) for member in members) - 0.01


@pytest.mark.parametrize("aim", ["squared", "log", "absolute", "relative", "symmetric"])
def test_a_script_stacks_as_the_search_did(aim: str) -> None:
    truth, members = skewed(13, [0.5, 0.9])
    fold = np.arange(len(truth)) % 5
    _, made = stacked(members, members, truth[:, None], fold, False, aim)
    said = blending.blended("stack", Seen(members, truth, aim=aim), members, (0.5, 0.5))
    assert made == pytest.approx(said)
    assert np.isfinite(made).all()


@pytest.mark.parametrize("aim", ["log", "absolute", "relative", "symmetric"])
def test_a_stack_of_constants_and_noughts_is_finite(aim: str) -> None:
    truth = np.zeros(50)
    members = [np.zeros((50, 1)), np.ones((50, 1))]
    made = blending.blended("stack", Seen(members, truth, aim=aim), members, (0.5, 0.5))
    assert np.isfinite(made).all()


def test_two_columns_are_stacked_with_offsets_of_their_own() -> None:
    truth, members = sample(14, [0.2, 0.3])
    both = np.column_stack([truth, truth + 5.0])
    wide = [np.hstack([it, it]) for it in members]
    weights, offsets = fit_stack(stack_inputs(wide, False), both, False, "absolute")
    assert offsets[1] - offsets[0] == pytest.approx(5.0, abs=0.1)
    assert weights.sum() == pytest.approx(1.0, abs=0.1)


@pytest.mark.parametrize(("rows", "classes"), [(60, 2), (500, 4), (200, 12)])
@pytest.mark.parametrize("alike", [0.05, 2.0])
def test_the_likelihood_peaks_where_a_general_optimiser_finds_it(
    rows: int, classes: int, alike: float
) -> None:
    chance = np.random.default_rng(rows)
    signal = chance.normal(scale=2.0, size=(rows, classes))
    truth = (signal + chance.gumbel(size=signal.shape)).argmax(axis=1)
    members = []
    for _ in range(5):
        raised = np.exp(signal + chance.normal(scale=alike, size=signal.shape))
        members.append(raised / raised.sum(axis=1, keepdims=True))
    inputs = stack_inputs(members, classes=True)

    def lost(model: Array) -> float:
        given = stack_output(inputs, (model[:5], model[5:]), classes=True)
        pull = ((model[:5] - 0.2) ** 2).sum() + (model[5:] ** 2).sum() / classes
        likely = given[np.arange(rows), truth]
        return float(PULL_ROWS / rows * pull - np.log(likely).mean())

    ours = np.concatenate(fit_chances(inputs, truth))
    start = np.concatenate([np.full(5, 0.2), np.zeros(classes)])
    theirs = minimize(lost, start, method="BFGS", options={"gtol": 1e-7}).x
    assert lost(ours) <= lost(theirs) + 1e-9
    assert ours == pytest.approx(theirs, abs=2e-3)
