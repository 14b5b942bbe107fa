"""Percentiles and medians of all values of an array, as numpy gives them to the last bit.

There must be values, and none of them NaN. A picture is looked at through a hundred of these, most
of a few thousand values: there numpy's general functions take several times as long to find their
way as to rank the values.
"""

from collections.abc import Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

Reals = NDArray[np.floating[Any]]


@overload
def percentile(values: Reals, marks: float) -> np.floating[Any]: ...
@overload
def percentile(values: Reals, marks: Sequence[float]) -> Reals: ...
def percentile(values: Reals, marks: float | Sequence[float]) -> np.floating[Any] | Reals:
    """`np.percentile(values, marks)`: between two neighbours, in proportion."""
    if isinstance(marks, int | float):
        return _at_one(values, marks)
    last = values.size - 1
    place = last * (np.asarray(marks, np.float64) / 100)
    below = place.astype(np.intp)
    above = np.minimum(below + 1, last)
    ranked = _ranked(values, {0, last, *below.tolist(), *above.tolist()})
    low, high, share = ranked[below], ranked[above], place - below
    rise = high - low
    return np.where(share >= 0.5, high - rise * (1 - share), low + rise * share)


def each_percentile(values: Reals, marks: Sequence[float]) -> list[float]:
    """Several marks, each as if it were asked for alone: at the precision of the values."""
    last = values.size - 1
    places = [last * (mark / 100) for mark in marks]
    ranked = _ranked(values, {0, last, *map(int, places), *(min(int(p) + 1, last) for p in places)})
    return [float(_between(ranked, place)) for place in places]


def median(values: Reals) -> np.floating[Any]:
    """`np.median(values)`."""
    half = values.size // 2
    if values.size % 2:
        middle: np.floating[Any] = _ranked(values, {half, values.size - 1})[half]
    else:
        ranked = _ranked(values, {half - 1, half, values.size - 1})
        middle = (ranked[half - 1] + ranked[half]) / 2
    # Numpy takes a mean, and knows no zero below zero then.
    return middle + 0


def _at_one(values: Reals, mark: float) -> np.floating[Any]:
    last = values.size - 1
    place = last * (mark / 100)
    ranked = _ranked(values, {0, last, int(place), min(int(place) + 1, last)})
    return _between(ranked, place)


def _between(ranked: Reals, place: float) -> np.floating[Any]:
    """The value at a place that may lie between two."""
    below = int(place)
    share = place - below
    low, high = ranked[below], ranked[min(below + 1, ranked.size - 1)]
    rise = high - low
    # From the nearer end: a mark that falls on a value gives this value.
    found: np.floating[Any] = high - rise * (1 - share) if share >= 0.5 else low + rise * share
    return found


def _ranked(values: Reals, places: set[int]) -> Reals:
    """A flat copy with the right values at these places.

    Numpy wants the ends in place as well; so do we, as zeros of either sign are ranked by chance.
    """
    copy = values.flatten()
    copy.partition(sorted(places))
    return copy
