"""The stacked score: its ends, its order, its interval, its independence of size and machine."""

import cv2
import numpy as np
import pytest

from proveout.apps.iqa.tools.bank import fitted_numbers
from proveout.apps.iqa.tools.fr_features import fr_features
from proveout.apps.iqa.tools.fr_score import assess, fr_score, stack
from tests.unit.iqa.pairs import DISTORTIONS, PHOTOS, as_floats, distorted, hashed, photo

COFFEE = as_floats(photo("coffee"))


@pytest.mark.parametrize("name", PHOTOS)
def test_identical_pair_is_perfect_and_certain(name: str) -> None:
    rgb = as_floats(photo(name))
    found = assess(rgb, rgb.copy())
    assert (found.quality, found.low, found.high) == (5.0, 5.0, 5.0)


@pytest.mark.parametrize("name", PHOTOS)
def test_change_that_nobody_sees_stays_near_the_top(name: str) -> None:
    rgb = as_floats(photo(name))
    nudged = np.clip(rgb + (hashed(rgb.shape, 9) > 0.5).astype(np.float32) / 255, 0, 1)
    assert assess(rgb, np.asarray(nudged, np.float32)).quality > 4.4


@pytest.mark.parametrize("distortion", DISTORTIONS)
def test_score_falls_as_a_distortion_grows(distortion: str) -> None:
    full = as_floats(distorted(photo("coffee"), distortion))
    mixed = [np.asarray(COFFEE + share * (full - COFFEE), np.float32) for share in (0.2, 0.6, 1.0)]
    scores = [assess(COFFEE, test).quality for test in mixed]
    # Lower contrast and fewer levels hardly bother people at first: no strict order is demanded.
    assert scores[0] > scores[2]
    assert scores[0] >= scores[1] - 0.15
    assert scores[1] >= scores[2] - 0.15


@pytest.mark.parametrize("sigma", [0.6, 1.5, 4.0, 12.0, 40.0])
def test_blur_far_beyond_the_fit_scores_ever_lower(sigma: float) -> None:
    test, worse = (cv2.GaussianBlur(COFFEE, (0, 0), width) for width in (sigma, sigma * 1.8))
    better = assess(COFFEE, np.asarray(test, np.float32))
    lower = assess(COFFEE, np.asarray(worse, np.float32))
    assert better.quality >= lower.quality - 0.05
    assert better.low <= better.quality <= better.high


def test_other_picture_altogether_is_bad_and_strange() -> None:
    other = as_floats(np.ascontiguousarray(photo("rocket")[:400, :600]))
    found = assess(COFFEE, other)
    assert found.quality < 2
    assert found.novelty > 0.5


def test_interval_is_wider_for_what_the_fit_has_not_seen() -> None:
    model = stack()
    assert model.half_width(0.9) > model.half_width(0.1) > 0


def test_stored_model_is_plain_numbers() -> None:
    model = stack()
    assert model.names == tuple(fr_features(COFFEE, COFFEE))
    assert len(model.weights) == len(model.support)
    assert model.base_weights.min() >= 0
    assert model.base_weights.sum() == pytest.approx(1)
    for array in (model.centre, model.spread, model.support, model.weights):
        assert np.isfinite(array).all()


def test_left_out_references_were_ranked_as_promised() -> None:
    numbers = fitted_numbers()["tools"]["FR-Score"]["left_out"]
    assert numbers["srcc"] >= 0.94
    assert numbers["plcc"] >= 0.94


def test_large_pair_is_judged_like_its_reduction() -> None:
    rgb = as_floats(np.ascontiguousarray(photo("astronaut")[:384, :384]))
    noisy = as_floats(distorted(photo("astronaut"), "blocks")[:384, :384])
    large, large_noisy = (np.repeat(np.repeat(part, 3, 0), 3, 1) for part in (rgb, noisy))
    assert assess(large, large_noisy).quality == pytest.approx(assess(rgb, noisy).quality, abs=0.4)


@pytest.mark.parametrize("size", [(8, 8), (8, 200), (17, 33), (160, 160)])
def test_small_pairs_get_a_score(size: tuple[int, int]) -> None:
    rgb = hashed((*size, 3), 4).astype(np.float32)
    found = assess(rgb, np.asarray(rgb * np.float32(0.9), np.float32))
    assert 1 <= found.low <= found.quality <= found.high <= 5


@pytest.mark.parametrize("level", [0.0, 0.5, 1.0])
def test_flat_pairs_get_a_score(level: float) -> None:
    flat = np.full((80, 90, 3), level, np.float32)
    other = np.full((80, 90, 3), abs(level - 0.2), np.float32)
    assert 1 <= assess(flat, other).quality <= 5


def test_same_pair_gives_the_same_score_on_any_number_of_threads() -> None:
    test = as_floats(distorted(photo("coffee"), "noise"))
    before = cv2.getNumThreads()
    try:
        cv2.setNumThreads(1)
        one = assess(COFFEE, test)
        cv2.setNumThreads(2)
        assert assess(COFFEE, test) == one
    finally:
        cv2.setNumThreads(before)
    assert fr_score(COFFEE, test).value == one.quality
