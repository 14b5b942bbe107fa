"""From probabilities to classes, when the largest probability is not what the metric wants."""

from collections.abc import Callable
from typing import Any

import numpy as np

from proveout.apps.mle.experts.blocks.scores import label_values
from proveout.apps.mle.experts.blocks.settings import LABELS

Score = Callable[[np.ndarray, np.ndarray, np.ndarray], float]


def choose_by_threshold(
    truth: np.ndarray, given: np.ndarray, score: Score
) -> Callable[[np.ndarray], np.ndarray]:
    """The second class from that probability on that scores best; a plateau's middle is taken."""
    edges = np.unique(np.quantile(given[:, 1], np.linspace(0.01, 0.99, 99)))
    scores = np.array([score(truth, given, (given[:, 1] >= e).astype(int)) for e in edges])
    smooth = np.convolve(np.pad(scores, 4, mode="edge"), np.ones(9) / 9, mode="valid")
    edge = float(edges[int(smooth.argmax())])
    return lambda rows: (rows[:, 1] >= edge).astype(int)


def choose_by_weights(
    truth: np.ndarray, given: np.ndarray, score: Score
) -> Callable[[np.ndarray], np.ndarray]:
    """Classes weighted against their frequency, as strongly as scores best."""
    share = np.maximum(np.bincount(truth, minlength=len(LABELS)), 1) / len(truth)
    powers = np.linspace(0, 1, 11)
    scores = [score(truth, given, (given / share**p).argmax(axis=1)) for p in powers]
    weight = share ** powers[int(np.argmax(scores))]
    return lambda rows: (rows / weight).argmax(axis=1)


def choose_by_cuts(
    truth: np.ndarray, given: np.ndarray, score: Score
) -> Callable[[np.ndarray], np.ndarray]:
    """Ordered classes: the expected value is cut where the shares of the classes come out best."""
    values = label_values()
    order = np.argsort(values)
    middle = given @ values
    shares = np.cumsum(np.bincount(truth, minlength=len(LABELS))[order]) / len(truth)
    cuts = np.quantile(middle, np.clip(shares[:-1], 0, 1))

    def decide(expected: np.ndarray, at: np.ndarray) -> np.ndarray:
        return order[np.searchsorted(np.sort(at), expected, side="right")]

    best = score(truth, given, decide(middle, cuts))
    for step in (0.2, 0.1, 0.05):
        for position in range(len(cuts)):
            for move in (-step, step):
                trial = cuts.copy()
                trial[position] += move * middle.std()
                found = score(truth, given, decide(middle, trial))
                if found > best:
                    best, cuts = found, trial
    return lambda rows: decide(rows @ values, cuts)


def nested_decisions(
    choose: Callable[..., Any],
    truth: np.ndarray,
    given: np.ndarray,
    fold: np.ndarray,
    test: np.ndarray,
    score: Score,
) -> tuple[np.ndarray, np.ndarray]:
    """Each fold is decided by a rule found on the other folds; test rows by one found on all."""
    decisions = np.zeros(len(truth), dtype=int)
    for number in np.unique(fold):
        others = fold != number
        decisions[~others] = choose(truth[others], given[others], score)(given[~others])
    return decisions, choose(truth, given, score)(test)
