"""The quick ranking gives what numpy gives, bit by bit."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from proveout.apps.iqa.quantiles import each_percentile, median, percentile

MARKS = [0, 0.1, 5, 25, 50, 75, 90, 97, 99.7, 100]
Reals = NDArray[np.floating[Any]]


def rows(kind: type[np.floating[Any]], width: int) -> st.SearchStrategy[Reals]:
    within = st.floats(-1000, 1000, width=width, allow_subnormal=False)  # type: ignore[arg-type]
    return arrays(np.dtype(kind), st.integers(1, 300), elements=within)


VALUES = rows(np.float32, 32) | rows(np.float64, 64)


def same(one: Any, other: Any) -> bool:
    left, right = np.asarray(one), np.asarray(other)
    return left.dtype == right.dtype and left.tobytes() == right.tobytes()


@given(values=VALUES, mark=st.sampled_from(MARKS))
def test_one_mark(values: Reals, mark: float) -> None:
    assert same(percentile(values, mark), np.percentile(values, mark))


@given(values=VALUES)
def test_many_marks_and_the_middle(values: Reals) -> None:
    assert same(percentile(values, MARKS), np.percentile(values, MARKS))
    assert same(median(values), np.median(values))


@given(values=VALUES)
def test_many_marks_each_as_if_alone(values: Reals) -> None:
    assert each_percentile(values, MARKS) == [float(np.percentile(values, m)) for m in MARKS]


@pytest.mark.parametrize("shape", [(64, 96), (7, 5, 3)])
def test_planes_are_taken_whole_and_left_as_they_are(shape: tuple[int, ...]) -> None:
    plane = np.random.default_rng(3).normal(0, 9, shape).astype(np.float32)
    before = plane.copy()
    assert same(percentile(plane[::2], 20), np.percentile(plane[::2], 20))
    assert same(median(plane), np.median(plane))
    assert same(plane, before)
