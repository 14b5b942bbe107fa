"""From probabilities to classes, when the largest probability is not what the metric wants."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

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
    share = np.maximum(np.bincount(truth, minlength=given.shape[1]), 1) / len(truth)
    powers = np.linspace(0, 1, 11)
    scores = [score(truth, given, (given / share**p).argmax(axis=1)) for p in powers]
    weight = share ** powers[int(np.argmax(scores))]
    return lambda rows: (rows / weight).argmax(axis=1)


def label_values(labels: Sequence[str]) -> np.ndarray:
    """What the labels are worth: their numbers, or their places if they are names."""
    values = np.array([float(label) if is_number(label) else np.nan for label in labels])
    return np.arange(len(labels), dtype=float) if np.isnan(values).any() else values


def is_number(word: str) -> bool:
    return word.lstrip("-").replace(".", "", 1).isdigit()


def choose_by_cuts(
    truth: np.ndarray, given: np.ndarray, score: Score, values: np.ndarray
) -> Callable[[np.ndarray], np.ndarray]:
    """Ordered classes: the expected value is cut where the shares of the classes come out best."""
    order = np.argsort(values)
    middle = given @ values
    shares = np.cumsum(np.bincount(truth, minlength=len(values))[order]) / len(truth)
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
        held = fold == number
        # With one fold there is no other; its own rows must do.
        others = held if held.all() else ~held
        decisions[held] = choose(truth[others], given[others], score)(given[held])
    return decisions, choose(truth, given, score)(test)
