"""Fusion: normalised, monotone, reaching both ends, and honest where there is nothing to fuse."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proveout.apps.iqa.fusion import LETTERS, LEVELS, ScoreFusion, belief_in, letter_of, level_of

scores = st.floats(min_value=1, max_value=5)
beliefs = st.lists(st.floats(min_value=0, max_value=1), min_size=5, max_size=5)


def test_without_a_belief_the_mean_of_the_tools_stands() -> None:
    assert ScoreFusion().fuse([2.0, 3.0]) == pytest.approx(2.5)


def test_without_tools_the_belief_stands() -> None:
    assert ScoreFusion().fuse([], belief_in(5)) == pytest.approx(0.7 * 5 + 0.075 * 10)
    assert ScoreFusion().fuse([]) is None


def test_a_uniform_belief_changes_nothing_at_the_middle_and_reaches_the_ends() -> None:
    fusion, uniform = ScoreFusion(), (0.2,) * 5
    assert fusion.fuse([3.0], uniform) == pytest.approx(3.0)
    assert fusion.fuse([1.0], uniform) == pytest.approx(1.0)
    assert fusion.fuse([5.0], uniform) == pytest.approx(5.0)


@given(st.lists(scores, min_size=1, max_size=6), beliefs)
def test_the_result_always_lies_on_the_scale(tools: list[float], belief: list[float]) -> None:
    fused = ScoreFusion().fuse(tools, belief)
    assert fused is not None
    assert 1 <= fused <= 5


@given(scores, scores, beliefs)
def test_better_tools_never_make_it_worse(one: float, other: float, belief: list[float]) -> None:
    low, high = sorted((one, other))
    below, above = ScoreFusion().fuse([low], belief), ScoreFusion().fuse([high], belief)
    if sum(belief) > 0.01 and below is not None and above is not None:
        assert below <= above + 1e-9


def test_an_observer_pulls_the_tools_towards_what_it_sees() -> None:
    fusion = ScoreFusion()
    alone = fusion.fuse([3.0], (0.2,) * 5)
    pulled = fusion.fuse([3.0], belief_in(5))
    assert alone is not None
    assert pulled is not None
    assert alone < pulled < 5


@pytest.mark.parametrize("belief", [(0.5, 0.5), (0.2, 0.2, 0.2, 0.2, -0.2), (float("nan"),) * 5])
def test_a_belief_that_is_none_is_refused(belief: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="five finite weights"):
        ScoreFusion().fuse([3.0], belief)


def test_levels_and_letters_agree() -> None:
    for number, level in enumerate(LEVELS, start=1):
        assert level_of(float(number)) == level
        assert LETTERS[letter_of(float(number))] == number
    assert [level_of(score) for score in (1.49, 1.5, 4.49, 4.5)] == [
        "Bad",
        "Poor",
        "Good",
        "Excellent",
    ]
