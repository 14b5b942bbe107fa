"""A second model on top of the members: how much each counts, and what all of them miss together.

It has one weight per member and one offset per column, no more: with predictions for unseen rows
as its only data, a larger one would learn their noise. It is pulled towards the plain mean, the
less the more rows speak. It errs as little as it can in the measure of the metric: squared, by the
logarithm, absolute, relative to the value, or symmetric: relative to value and prediction together.
"""

import numpy as np

PULL_ROWS = 20.0
"""Rows that the pull towards equal weights and no offsets is worth."""
NEWTON_STEPS = 30
WEIGHED_TIMES = 20
"""Times that rows are weighed anew for the least absolute error."""


def stack_inputs(predictions: list[np.ndarray], classes: bool, aim: str = "squared") -> np.ndarray:
    """Members first. Probabilities are added as logarithms, so that no sum leaves 0 to 1."""
    values = np.stack(predictions)
    if classes:
        return np.log(np.clip(values, 1e-6, 1.0))
    return np.log1p(np.maximum(values, 0.0)) if aim == "log" else values


def stack_output(
    inputs: np.ndarray,
    model: tuple[np.ndarray, np.ndarray],
    classes: bool,
    aim: str = "squared",
) -> np.ndarray:
    """What the second model makes of the members' predictions."""
    weights, offsets = model
    mixed = np.tensordot(weights, inputs, axes=1) + offsets
    if not classes:
        return np.expm1(np.maximum(mixed, 0.0)) if aim == "log" else mixed
    chances = np.exp(mixed - mixed.max(axis=1, keepdims=True))
    return chances / chances.sum(axis=1, keepdims=True)


def fit_stack(
    inputs: np.ndarray, truth: np.ndarray, classes: bool, aim: str = "squared"
) -> tuple[np.ndarray, np.ndarray]:
    """Weights and offsets; `truth` holds class numbers, or one column per target."""
    if classes:
        return fit_chances(inputs, truth)
    wanted = np.asarray(truth, dtype=float).reshape(inputs.shape[1:])
    if aim == "log":
        wanted = np.log1p(np.maximum(wanted, 0.0))
    if aim in ("absolute", "relative", "symmetric"):
        return fit_absolute(inputs, wanted, aim)
    return fit_squared(inputs, wanted, np.ones_like(wanted))


def fit_squared(
    inputs: np.ndarray, wanted: np.ndarray, worth: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The least squared error, each value counting as much as it is worth."""
    members, rows = inputs.shape[:2]
    equal, root = np.full(members, 1.0 / members), np.sqrt(worth)
    shares = worth / worth.sum(axis=0)
    centre, level = (inputs * shares).sum(axis=1), (wanted * shares).sum(axis=0)
    x = ((inputs - centre[:, None, :]) * root).reshape(members, -1).T
    rest = ((wanted - level) * root).ravel() - x @ equal
    pull = PULL_ROWS / rows * np.trace(x.T @ x) / members * np.eye(members)
    weights = equal + np.linalg.solve(x.T @ x + pull + 1e-12 * np.eye(members), x.T @ rest)
    return weights, level - np.tensordot(weights, centre, axes=1)


def fit_absolute(inputs: np.ndarray, wanted: np.ndarray, aim: str) -> tuple[np.ndarray, np.ndarray]:
    """The least absolute error, or share of the value: rows far off are worth less each time."""
    each = per_unit(inputs, wanted, aim)
    model = np.full(len(inputs), 1.0 / len(inputs)), np.zeros(wanted.shape[1])
    for _ in range(WEIGHED_TIMES):
        away = np.abs(wanted - stack_output(inputs, model, False))
        worth = each / not_nought(away)
        model = fit_squared(inputs, wanted, worth / worth.mean(axis=0))
    return model


def per_unit(inputs: np.ndarray, wanted: np.ndarray, aim: str) -> np.ndarray:
    """What one unit less of error is worth to a row."""
    size = np.abs(wanted)
    if aim == "relative":
        return 1.0 / not_nought(size)
    if aim == "symmetric":
        # The slope of that share where members see the row. Where the model itself sees it would
        # not do: a step towards nought makes the next one longer.
        return (size + 1e-12) / not_nought(size + np.median(np.abs(inputs), axis=0)) ** 2
    return np.ones_like(wanted)


def not_nought(sizes: np.ndarray) -> np.ndarray:
    """Sizes that can be divided by: none is less than a thousandth of their mean."""
    return np.maximum(sizes, 1e-3 * sizes.mean(axis=0) + 1e-12)


def fit_chances(inputs: np.ndarray, truth: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The largest likelihood of the classes that came true, by Newton's steps: it has one peak."""
    members, rows, width = inputs.shape
    start = np.concatenate([np.full(members, 1.0 / members), np.zeros(width)])
    pull = 2 * PULL_ROWS / rows * np.concatenate([np.ones(members), np.full(width, 1.0 / width)])
    hits = np.eye(width)[np.asarray(truth, dtype=int).ravel()]

    def lost(model: np.ndarray) -> tuple[float, np.ndarray]:
        chances = stack_output(inputs, (model[:members], model[members:]), True)
        likely = np.maximum((chances * hits).sum(axis=1), 1e-15)
        return float((pull * (model - start) ** 2).sum() / 2 - np.log(likely).mean()), chances

    model = start
    value, chances = lost(model)
    for _ in range(NEWTON_STEPS):
        away = (chances - hits) / rows
        slope = np.concatenate([np.tensordot(inputs, away, axes=2), away.sum(axis=0)])
        slope += pull * (model - start)
        step = np.linalg.solve(curvature(inputs, chances) + np.diag(pull), slope)
        gain, size = slope @ step, 1.0
        if gain < 1e-10:
            break
        while (found := lost(model - size * step))[0] > value - 1e-4 * size * gain and size > 1e-3:
            size /= 2
        model, (value, chances) = model - size * step, found
    return model[:members], model[members:]


def curvature(inputs: np.ndarray, chances: np.ndarray) -> np.ndarray:
    """How the slope of the likelihood changes with weights and offsets."""
    members, rows, width = inputs.shape
    expected = inputs * chances
    mean = expected.sum(axis=2)
    made = np.empty((members + width, members + width))
    flat = (members, rows * width)
    made[:members, :members] = expected.reshape(flat) @ inputs.reshape(flat).T - mean @ mean.T
    made[:members, members:] = expected.sum(axis=1) - mean @ chances
    made[members:, :members] = made[:members, members:].T
    made[members:, members:] = np.diag(chances.sum(axis=0)) - chances.T @ chances
    return made / rows


def stacked(
    found: list[np.ndarray],
    tests: list[np.ndarray],
    truth: np.ndarray,
    fold: np.ndarray,
    classes: bool,
    aim: str = "squared",
) -> tuple[np.ndarray, np.ndarray]:
    """For each fold by a second model that was fitted on the others; for the test by one of all."""
    inputs, given = stack_inputs(found, classes, aim), np.zeros_like(found[0])
    rows = np.flatnonzero(fold >= 0)
    for number in range(fold.max() + 1):
        held = fold == number
        others = rows[fold[rows] != number]
        others = others if len(others) else rows
        model = fit_stack(inputs[:, others], truth[others], classes, aim)
        given[held] = stack_output(inputs[:, held], model, classes, aim)
    model = fit_stack(inputs[:, rows], truth[rows], classes, aim)
    return given, stack_output(stack_inputs(tests, classes, aim), model, classes, aim)
