"""Two runs side by side: which rows of what was seen differ."""

import numpy as np
from numpy.typing import NDArray

from proveout.apps.mle.leakage.dynamic.record import Event, Matrix, Record

CLOSE = 1e-9
Mask = NDArray[np.bool_]


def aligned(base: Record, other: Record) -> int:
    """How many events, from the first on, are the same steps of the program."""
    count = 0
    for one, two in zip(base.events, other.events, strict=False):
        if (one.kind, one.line, one.name) != (two.kind, two.line, two.name):
            break
        count += 1
    return count


def differing_rows(one: Matrix | None, two: Matrix | None) -> Mask | None:
    """By position; None if the two cannot be compared. Another width is a difference everywhere."""
    if one is None or two is None or len(one) != len(two):
        return None
    if one.shape != two.shape:
        return np.ones(len(one), dtype=bool)
    same = np.isclose(one, two, rtol=CLOSE, atol=1e-12, equal_nan=True)
    return np.asarray(~same.all(axis=1))


def differing_inputs(one: Event, two: Event) -> Mask | None:
    """Of what an estimator was handed."""
    found = differing_rows(one.x, two.x)
    if found is not None and one.width != two.width:
        return np.ones(len(found), dtype=bool)
    return found


def first_difference(one: Event, two: Event, row: int) -> str:
    """`0.12 became 3.4`, of the first column that differs in that row."""
    if one.x is None or two.x is None:
        return ""
    if one.width != two.width:
        return f"{one.width} columns became {two.width}"
    before, after = one.x[row], two.x[row]
    close = np.isclose(before, after, rtol=CLOSE, atol=1e-12, equal_nan=True)
    places = np.flatnonzero(~close)
    if not len(places):
        return ""
    at = int(places[0])
    return f"column {at + 1}: {before[at]:.6g} became {after[at]:.6g}"


def same_runs(one: Record, two: Record) -> bool:
    """Whether two runs on the same data saw the same: without that nothing can be concluded."""
    if len(one.events) != len(two.events) or aligned(one, two) != len(one.events):
        return False
    for first, second in zip(one.events, two.events, strict=True):
        for left, right in ((first.x, second.x), (first.y, second.y)):
            if (left is None) != (right is None):
                return False
            changed = differing_rows(left, right)
            if left is not None and (changed is None or changed.any()):
                return False
    return True
