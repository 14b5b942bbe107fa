"""A second model on top of the members: how much each counts, and what all of them miss together.

It has one weight per member and one offset per column, no more: with predictions for unseen rows
as its only data, a larger one would learn their noise. It is pulled towards the plain mean, the
less the more rows speak.
"""

import numpy as np
from scipy.optimize import minimize

PULL_ROWS = 20.0
"""Rows that the pull towards equal weights and no offsets is worth."""


def stack_inputs(predictions: list[np.ndarray], classes: bool) -> np.ndarray:
    """Members first. Probabilities are added as logarithms, so that no sum leaves 0 to 1."""
    values = np.stack(predictions)
    return np.log(np.clip(values, 1e-6, 1.0)) if classes else values


def stack_output(
    inputs: np.ndarray, model: tuple[np.ndarray, np.ndarray], classes: bool
) -> np.ndarray:
    """What the second model makes of the members' predictions."""
    weights, offsets = model
    mixed = np.tensordot(weights, inputs, axes=1) + offsets
    if not classes:
        return mixed
    chances = np.exp(mixed - mixed.max(axis=1, keepdims=True))
    return chances / chances.sum(axis=1, keepdims=True)


def fit_stack(
    inputs: np.ndarray, truth: np.ndarray, classes: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Weights and offsets; `truth` holds class numbers, or one column per target."""
    members, rows, width = inputs.shape
    equal, strength = np.full(members, 1.0 / members), PULL_ROWS / rows
    if not classes:
        wanted = np.asarray(truth, dtype=float).reshape(rows, width)
        centre, aim = inputs.mean(axis=1), wanted.mean(axis=0)
        x = (inputs - centre[:, None, :]).reshape(members, -1).T
        rest = (wanted - aim).ravel() - x @ equal
        pull = strength * np.trace(x.T @ x) / members * np.eye(members)
        weights = equal + np.linalg.solve(x.T @ x + pull + 1e-12 * np.eye(members), x.T @ rest)
        return weights, aim - np.tensordot(weights, centre, axes=1)
    hits = np.eye(width)[np.asarray(truth, dtype=int).ravel()]

    def loss(model: np.ndarray) -> tuple[float, np.ndarray]:
        weights, offsets = model[:members], model[members:]
        chances = stack_output(inputs, (weights, offsets), True)
        away = (chances - hits) / rows
        lost = -np.log(np.maximum((chances * hits).sum(axis=1), 1e-15)).mean()
        pull = strength * (((weights - equal) ** 2).sum() + (offsets**2).sum() / width)
        slope = np.concatenate([np.tensordot(inputs, away, axes=2), away.sum(axis=0)])
        slope += 2 * strength * np.concatenate([weights - equal, offsets / width])
        return lost + pull, slope

    start = np.concatenate([equal, np.zeros(width)])
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 200})
    return found.x[:members], found.x[members:]


def stacked(
    found: list[np.ndarray],
    tests: list[np.ndarray],
    truth: np.ndarray,
    fold: np.ndarray,
    classes: bool,
) -> tuple[np.ndarray, np.ndarray]:
    """For each fold by a second model that was fitted on the others; for the test by one of all."""
    inputs, given = stack_inputs(found, classes), np.zeros_like(found[0])
    rows = np.flatnonzero(fold >= 0)
    for number in range(fold.max() + 1):
        held = fold == number
        others = rows[fold[rows] != number]
        others = others if len(others) else rows
        model = fit_stack(inputs[:, others], truth[others], classes)
        given[held] = stack_output(inputs[:, held], model, classes)
    model = fit_stack(inputs[:, rows], truth[rows], classes)
    return given, stack_output(stack_inputs(tests, classes), model, classes)
