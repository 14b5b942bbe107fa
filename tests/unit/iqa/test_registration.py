"""Pairs that fit are aligned; pairs that do not are refused with the reason."""

import cv2
import numpy as np
import pytest

from proveout.apps.iqa.frame import Frame
from proveout.apps.iqa.intake import load
from proveout.apps.iqa.tools.registration import register
from proveout.apps.iqa.tools.ssim import psnr
from proveout.kernel.errors import UsageError
from tests.unit.iqa.pairs import DISTORTIONS, PHOTOS, Bytes, distorted, photo

ASTRONAUT = photo("astronaut")


def frame(pixels: Bytes) -> Frame:
    return load(np.ascontiguousarray(pixels))


def refusal(reference: Bytes, test: Bytes) -> UsageError:
    with pytest.raises(UsageError) as caught:
        register(frame(reference), frame(test))
    assert caught.value.hint
    return caught.value


@pytest.mark.parametrize("name", PHOTOS)
@pytest.mark.parametrize("distortion", DISTORTIONS)
def test_distorted_pairs_are_left_in_place(name: str, distortion: str) -> None:
    original = photo(name)
    pair = register(frame(original), frame(distorted(original, distortion)))
    assert pair.shift == (0.0, 0.0)
    assert pair.steps == ()
    assert pair.test.shape == original.shape


@pytest.mark.parametrize(("down", "right"), [(3, -5), (-8, 1), (0, 12), (20, 20)])
def test_whole_pixel_shift_is_undone_exactly(down: int, right: int) -> None:
    edge = 24
    here = ASTRONAUT[edge:-edge, edge:-edge]
    there = ASTRONAUT[edge - down : -edge - down, edge - right : -edge - right or None]
    pair = register(frame(here), frame(there[: here.shape[0], : here.shape[1]]))
    assert pair.shift == pytest.approx((down, right), abs=0.1)
    assert psnr(pair.reference, pair.test).value == pytest.approx(80)
    assert "undone" in pair.steps[0]


@pytest.mark.parametrize(("down", "right"), [(0.5, 0.0), (-2.3, 1.6)])
def test_fraction_of_a_pixel_is_undone_by_resampling(down: float, right: float) -> None:
    move = np.array([[1, 0, right], [0, 1, down]])
    moved = cv2.warpAffine(ASTRONAUT, move, (512, 512), flags=cv2.INTER_CUBIC)[8:-8, 8:-8]
    here = ASTRONAUT[8:-8, 8:-8]
    pair = register(frame(here), frame(np.asarray(moved, np.uint8)))
    assert pair.shift == pytest.approx((down, right), abs=0.1)
    before = psnr(frame(here).rgb, frame(np.asarray(moved, np.uint8)).rgb).value
    assert psnr(pair.reference, pair.test).value > before + 6


def test_shifted_and_noisy_pair_is_still_aligned() -> None:
    noisy = distorted(ASTRONAUT, "noise")
    pair = register(frame(ASTRONAUT[10:-10, 10:-10]), frame(noisy[6:-14, 13:-7]))
    assert pair.shift == pytest.approx((4, -3), abs=0.1)


def test_gain_and_offset_are_noted_and_left_in() -> None:
    darker = np.rint(ASTRONAUT * 0.5 + 30).astype(np.uint8)
    pair = register(frame(ASTRONAUT), frame(darker))
    assert pair.gain == pytest.approx(0.5, abs=0.01)
    assert pair.offset == pytest.approx(30 / 255, abs=0.01)
    np.testing.assert_array_equal(pair.test, frame(darker).rgb)


@pytest.mark.parametrize("factor", [0.5, 0.25, 2.0])
def test_other_size_of_the_same_aspect_is_brought_to_the_reference(factor: float) -> None:
    coffee = photo("coffee")
    size = (int(600 * factor), int(400 * factor))
    other = np.asarray(cv2.resize(coffee, size, interpolation=cv2.INTER_AREA), np.uint8)
    pair = register(frame(coffee), frame(other))
    assert pair.test.shape == coffee.shape
    assert ("enlarged" if factor < 1 else "reduced") in pair.steps[0]


def test_lower_resolution_counts_as_loss() -> None:
    coffee = photo("coffee")
    values = []
    for factor in (2, 4):
        size = (600 // factor, 400 // factor)
        other = np.asarray(cv2.resize(coffee, size, interpolation=cv2.INTER_AREA), np.uint8)
        pair = register(frame(coffee), frame(other))
        values.append(psnr(pair.reference, pair.test).value)
    assert values[0] > values[1] + 1


def test_small_crop_is_cut_to_what_both_show() -> None:
    pair = register(frame(ASTRONAUT), frame(ASTRONAUT[:, :506]))
    assert pair.reference.shape == pair.test.shape == (512, 506, 3)


@pytest.mark.parametrize(
    ("test", "code", "word"),
    [
        (ASTRONAUT[:, :400], "size", "aspect"),
        (photo("coffee")[:400, :400], "content", "same thing"),
        (ASTRONAUT[::-1, ::-1], "orientation", "180"),
        (ASTRONAUT[:, ::-1], "orientation", "mirrored"),
        (np.rot90(ASTRONAUT), "orientation", "90"),
        (255 - ASTRONAUT, "orientation", "negative"),
    ],
)
def test_pairs_that_do_not_fit_are_refused_with_the_reason(
    test: Bytes, code: str, word: str
) -> None:
    error = refusal(ASTRONAUT, test)
    assert error.code == f"iqa.reference.{code}"
    assert word in error.message


def test_turned_sizes_are_named() -> None:
    coffee = photo("coffee")
    assert "90 degrees" in refusal(coffee, np.rot90(coffee)).hint


@pytest.mark.parametrize("degrees", [-3.0, 1.0, 2.0, 6.0])
def test_small_rotation_is_refused_with_its_angle(degrees: float) -> None:
    turn = cv2.getRotationMatrix2D((256, 256), degrees, 1.0)
    turned = cv2.warpAffine(ASTRONAUT, turn, (512, 512), borderMode=cv2.BORDER_REFLECT)
    error = refusal(ASTRONAUT, np.asarray(turned, np.uint8))
    assert error.code == "iqa.reference.rotation"
    told = float(error.message.partition("rotated by ")[2].partition(" ")[0])
    assert told == pytest.approx(degrees, abs=0.3)


def test_flat_and_tiny_pictures_are_taken_as_they_are() -> None:
    for side in (8, 20, 64):
        flat = np.full((side, side, 3), 90, np.uint8)
        other = np.full((side, side, 3), 120, np.uint8)
        pair = register(frame(flat), frame(other))
        assert pair.shift == (0.0, 0.0)
        assert pair.offset == pytest.approx(30 / 255, abs=1e-3)


def test_large_pictures_are_reduced_by_a_whole_number() -> None:
    large = np.tile(ASTRONAUT, (4, 5, 1))
    pair = register(frame(large), frame(large))
    assert pair.factor == 3
    assert pair.reference.shape == (682, 853, 3)
    assert "both reduced by 3" in pair.steps
