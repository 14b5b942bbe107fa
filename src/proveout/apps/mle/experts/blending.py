"""How much of each script goes into an ensemble, from predictions for rows they had not seen.

Weights that are fitted on the very rows they are then scored on flatter themselves. `honest_score`
therefore fits them anew without each fold before it scores that fold. The same goes for the rule by
which classes are chosen, where the largest probability is not what the metric wants.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from proveout.apps.mle.experts.blocks.stacking import fit_stack, stack_inputs, stack_output
from proveout.apps.mle.experts.recipe import Blend
from proveout.kernel.types import Frozen

Array = NDArray[np.float64]
Rows = NDArray[np.int64]
Score = Callable[[Array, Rows], float]
"""Predictions for these rows (positions in the common order) → a number, higher is better."""
Rule = Callable[[Array], Rows]
"""From probabilities to class numbers."""
Choose = Callable[[NDArray[Any], Array], Rule]
"""Finds the rule that does best, from the truth and the probabilities of the same rows."""
Strategy = Literal["best", "average", "greedy", "convex", "rank", "stack"]
STRATEGIES: tuple[Strategy, ...] = ("greedy", "convex", "stack", "average", "rank", "best")
BLENDS: dict[Strategy, Blend] = {"rank": "rank", "stack": "stack"}
"""How a script mixes for a strategy; for those not named, by the mean."""

AIMS = {
    "rmsle": "log",
    "mae": "absolute",
    "medae": "absolute",
    "mape": "relative",
    "smape": "symmetric",
}
"""What the second model of a stack makes small for a metric; for those not named, squares."""

GREEDY_STEPS = 40
PATIENCE = 6
"""Steps of the greedy way without a gain, before it ends."""
MOST_ROWS = 10_000
"""Weights hardly change with more rows than this; the time to find them does."""
MOST_RULED = 50_000
"""Rows that a rule is found on; it rests on the few of them that are close calls."""
MOST_PARTS = 5
"""That weights are fitted without, one after the other: of ten folds two at a time."""
SMALLEST_WEIGHT = 0.02
"""A member with less costs its whole training time and changes nothing."""


class Weights(Frozen):
    """Weights of members, in their order; they add up to one."""

    strategy: Strategy
    weights: tuple[float, ...]

    @property
    def members(self) -> tuple[int, ...]:
        return tuple(place for place, weight in enumerate(self.weights) if weight > 0)


@dataclass(frozen=True)
class Seen:
    """What members predicted for rows that they had not seen, and what was true of these rows."""

    predictions: Sequence[Array]
    truth: NDArray[Any]
    classes: bool = False
    """Whether `truth` holds class numbers; else a column per target."""
    aim: str = "squared"
    """What the second model of a stack makes small, if they are no classes."""
    choose: Choose | None = None
    """How classes are chosen, if not by the largest probability."""

    def of(self, rows: Rows, members: Sequence[int]) -> "Seen":
        drawn = _drawn(rows, len(rows))
        chosen = [self.predictions[place][drawn] for place in members]
        return replace(self, predictions=chosen, truth=self.truth[drawn])


def mixed(predictions: Sequence[Array], weights: Sequence[float] | Array) -> Array:
    """The weighted mean of members' predictions."""
    total = np.zeros_like(predictions[0])
    for member, weight in zip(predictions, weights, strict=True):
        if weight:
            total += weight * member
    return total


def fit(strategy: Strategy, seen: Seen, score: Score, rows: Rows, seed: int = 0) -> Weights:
    """Weights that do best on these rows. Those of a stack tell how much it makes of whom."""
    predictions, drawn = seen.predictions, _drawn(rows, seed)
    if seen.choose is not None:
        # A rule makes the best of whatever order it is given: what counts is what they know.
        score = _likelihood(seen)
    if strategy == "best":
        weights = _one_hot(_best(predictions, score, drawn), len(predictions))
    elif strategy == "stack":
        weights = _importance(seen.of(drawn, range(len(predictions))))
    elif strategy == "average":
        weights = _average(predictions, score, drawn)
    elif strategy in ("greedy", "rank"):
        weights = _greedy(predictions, score, drawn)
    else:
        weights = _convex(predictions, score, drawn)
    return Weights(strategy=strategy, weights=_tidy(weights))


def honest_score(
    strategy: Strategy, seen: Seen, score: Score, folds: NDArray[np.int64], seed: int = 0
) -> list[float]:
    """Per fold: the score of weights that were fitted without that fold, and without its
    neighbours if there are many."""
    scores: list[float] = []
    if strategy == "rank":
        seen = replace(seen, predictions=ranked(seen.predictions, folds))
    every = np.unique(folds)
    for left_out in np.array_split(every, min(len(every), MOST_PARTS)):
        apart = np.isin(folds, left_out)
        inside, outside = np.flatnonzero(apart), np.flatnonzero(~apart)
        # With one fold there is no other; its own rows must do, and the hold-out decides.
        outside = outside if len(outside) else inside
        weights = fit(strategy, seen, score, outside, seed).weights
        given = _mixed(strategy, seen, outside, [it[inside] for it in seen.predictions], weights)
        classes = _ruled(strategy, seen, outside, given, weights)
        answer = given if classes is None else certain(classes, given)
        for fold in left_out:
            mine = folds[inside] == fold
            scores.append(score(answer[mine], inside[mine]))
    return scores


def blended(
    strategy: Strategy, seen: Seen, others: Sequence[Array], weights: Sequence[float]
) -> Array:
    """What the blend says of other rows, as its script would."""
    if strategy == "rank":
        others = ranked(others, np.zeros(len(others[0]), dtype=np.int64))
    return _mixed(strategy, seen, np.arange(len(seen.truth)), others, weights)


def decided(
    strategy: Strategy, seen: Seen, others: Sequence[Array], weights: Sequence[float]
) -> Rows | None:
    """The classes that it chooses for them; nothing if these are the most probable ones."""
    given = blended(strategy, seen, others, weights)
    return _ruled(strategy, seen, np.arange(len(seen.truth)), given, weights)


def certain(classes: Rows, like: Array) -> Array:
    """Probabilities that leave no doubt about these classes."""
    made: Array = np.eye(like.shape[1])[classes]
    return made


def _mixed(
    strategy: Strategy, seen: Seen, rows: Rows, others: Sequence[Array], weights: Sequence[float]
) -> Array:
    """Predictions for other rows; what is to be learnt for that is learnt from these."""
    if strategy != "stack":
        return mixed(others, weights)
    members = [place for place, weight in enumerate(weights) if weight > 0]
    return stacked_on(seen.of(rows, members), others, members)


def _ruled(
    strategy: Strategy, seen: Seen, rows: Rows, given: Array, weights: Sequence[float]
) -> Rows | None:
    """Classes for what is given, by a rule that is found on these rows."""
    if seen.choose is None:
        return None
    drawn = _drawn(rows, len(rows), MOST_RULED)
    known = _mixed(strategy, seen, rows, [it[drawn] for it in seen.predictions], weights)
    return np.asarray(seen.choose(seen.truth[drawn], known)(given), dtype=np.int64)


def _likelihood(seen: Seen) -> Score:
    """The mean logarithm of the probability that was given to the true class."""

    def score(predictions: Array, rows: Rows) -> float:
        true = predictions[np.arange(len(rows)), seen.truth[rows].astype(np.int64).ravel()]
        return float(np.log(np.clip(true, 1e-6, 1.0)).mean())

    return score


def _second_model(seen: Seen) -> tuple[Array, Array]:
    """Weights and offsets, fitted on what was seen."""
    inputs = stack_inputs(list(seen.predictions), seen.classes, seen.aim)
    # Several threads that wait for each other by spinning cost more than such small sums do.
    with _libraries().limit(limits=1):
        return fit_stack(inputs, seen.truth, seen.classes, seen.aim)


@cache
def _libraries() -> Any:
    """Those that are loaded by now and calculate by several threads."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def _importance(seen: Seen) -> Array:
    """How much the second model makes of each member; one that it subtracts counts as well."""
    weights = np.abs(_second_model(seen)[0])
    shares: Array = weights / weights.sum()
    return shares


def stacked_on(seen: Seen, others: Sequence[Array], members: Sequence[int]) -> Array:
    """A second model for the same members' predictions of other rows."""
    model = _second_model(seen)
    chosen = stack_inputs([others[place] for place in members], seen.classes, seen.aim)
    return np.asarray(stack_output(chosen, model, seen.classes, seen.aim))


def ranked(predictions: Sequence[Array], folds: NDArray[np.int64]) -> list[Array]:
    """Chances of the second class as places in the order of their own fold."""
    made = [np.zeros_like(member) for member in predictions]
    for fold in np.unique(folds):
        held = np.flatnonzero(folds == fold)
        for member, places in zip(predictions, made, strict=True):
            place = _places(member[held, 1])
            places[held] = np.column_stack([1.0 - place, place])
    return made


def _places(values: Array) -> Array:
    """From 0 to 1 by order; equals share the middle of their places."""
    _, place, count = np.unique(values, return_inverse=True, return_counts=True)
    before = np.cumsum(count) - count
    return np.asarray((before + count / 2)[place] / len(values))


def _drawn(rows: Rows, seed: int, most: int = MOST_ROWS) -> Rows:
    if len(rows) <= most:
        return rows
    return np.sort(np.random.default_rng(seed).choice(rows, most, replace=False))


def _best(predictions: Sequence[Array], score: Score, rows: Rows) -> int:
    return int(np.argmax([score(member[rows], rows) for member in predictions]))


def _one_hot(place: int, size: int) -> Array:
    weights = np.zeros(size)
    weights[place] = 1.0
    return weights


def _average(predictions: Sequence[Array], score: Score, rows: Rows) -> Array:
    """Equal parts of the best few: as many as still help."""
    order = np.argsort([-score(member[rows], rows) for member in predictions], kind="stable")
    found, best = _one_hot(int(order[0]), len(predictions)), -np.inf
    total = np.zeros_like(predictions[0][rows])
    for count, place in enumerate(order, start=1):
        total += predictions[int(place)][rows]
        value = score(total / count, rows)
        if value > best:
            best = value
            found = np.zeros(len(predictions))
            found[order[:count]] = 1.0 / count
    return found


def _greedy(predictions: Sequence[Array], score: Score, rows: Rows) -> Array:
    """Add, with repetition, whichever member helps most; stop when none has helped for a while."""
    parts = [member[rows] for member in predictions]
    counts = np.zeros(len(parts))
    total = np.zeros_like(parts[0])
    best, found = -np.inf, counts
    since = 0
    for step in range(1, GREEDY_STEPS + 1):
        values = [score((total + part) / step, rows) for part in parts]
        place = int(np.argmax(values))
        total += parts[place]
        counts[place] += 1
        since += 1
        if values[place] > best + 1e-12:
            best, found, since = values[place], counts.copy(), 0
        if since >= PATIENCE:
            break
    shares: Array = found / found.sum()
    return shares


def _convex(predictions: Sequence[Array], score: Score, rows: Rows) -> Array:
    """From the greedy weights on, move weight between two members as long as that helps."""
    parts = [member[rows] for member in predictions]
    weights = _greedy(predictions, score, rows)
    best = score(mixed(parts, weights), rows)
    for size in (0.1, 0.05, 0.02):
        for _ in range(3):
            moved = False
            for giver in np.flatnonzero(weights >= size):
                for taker in range(len(parts)):
                    if taker == giver or weights[giver] < size:
                        continue
                    trial = weights.copy()
                    trial[giver] -= size
                    trial[taker] += size
                    value = score(mixed(parts, trial), rows)
                    if value > best + 1e-12:
                        best, weights, moved = value, trial, True
            if not moved:
                break
    return weights


def _tidy(weights: Array) -> tuple[float, ...]:
    """Without traces of members, in round numbers that a person can read in a script."""
    kept = np.where(weights >= SMALLEST_WEIGHT, weights, 0.0)
    kept = np.round(kept / kept.sum(), 3)
    kept[int(np.argmax(kept))] += 1.0 - kept.sum()
    return tuple(round(float(weight), 3) for weight in kept)
