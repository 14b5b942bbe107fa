"""The metrics against published implementations, and at the edges of what they may be given."""

import hashlib
import json
import subprocess
import sys
from functools import cache
from pathlib import Path

import cv2
import numpy as np
import pytest
from skimage.metrics import peak_signal_noise_ratio, structural_similarity

from proveout.apps.iqa.frame import Floats
from proveout.apps.iqa.tools.dct import psnr_hvs_m
from proveout.apps.iqa.tools.full_reference import METRICS
from proveout.apps.iqa.tools.phase import middle
from proveout.apps.iqa.tools.ssim import psnr, ssim
from tests.unit.iqa.pairs import DISTORTIONS, as_floats, distorted, hashed, photo

PUBLISHED = json.loads(Path(__file__).with_name("reference_values.json").read_text())
PERFECT = {"PSNR": 80.0, "PSNR-HVS-M": 100.0, "PSNR-HA": 100.0, "GMSD": 0, "MS-GMSD": 0, "MDSI": 0}
SYMMETRIC = ("PSNR", "PSNR-HVS-M", "SSIM", "MS-SSIM", "GMSD", "MS-GMSD", "FSIMc", "VSI", "HaarPSI")


@cache
def pair(name: str) -> tuple[Floats, Floats]:
    picture, distortion = name.split("/")
    original = photo(picture)
    changed = distorted(original, distortion)
    digest = hashlib.sha256(changed.tobytes()).hexdigest()[:16]
    assert digest == PUBLISHED["pixels_sha256"][name], "the recipe makes other pictures here"
    return as_floats(original), as_floats(changed)


def picture_of(height: int, width: int, seed: int = 3) -> Floats:
    return hashed((height, width, 3), seed).astype(np.float32)


@pytest.mark.parametrize("name", PUBLISHED["values"])
def test_values_agree_with_piq_to_a_thousandth(name: str) -> None:
    reference, test = pair(name)
    for metric, published in PUBLISHED["values"][name].items():
        assert METRICS[metric](reference, test).value == pytest.approx(published, abs=1e-3), metric


@pytest.mark.parametrize("distortion", DISTORTIONS)
def test_psnr_and_full_size_ssim_agree_with_scikit_image(distortion: str) -> None:
    reference, test = pair(f"chelsea/{distortion}")
    weights = np.array([0.299, 0.587, 0.114])
    grey, other = (np.asarray(rgb, np.float64) @ weights for rgb in (reference, test))
    theirs = structural_similarity(  # type: ignore[no-untyped-call]
        grey, other, data_range=1, gaussian_weights=True, sigma=1.5, use_sample_covariance=False
    )
    assert ssim(reference, test, reduce=False).value == pytest.approx(theirs, abs=1e-3)
    decibels = peak_signal_noise_ratio(  # type: ignore[no-untyped-call]
        reference, test, data_range=1
    )
    assert psnr(reference, test).value == pytest.approx(decibels, abs=1e-3)


@pytest.mark.parametrize("metric", METRICS)
def test_identical_pair_scores_perfect_with_an_empty_map(metric: str) -> None:
    reference, _ = pair("coffee/blur")
    measured = METRICS[metric](reference, reference.copy())
    assert measured.value == pytest.approx(PERFECT.get(metric, 1.0), abs=1e-6)
    assert np.abs(measured.map).max() < 1e-5


@pytest.mark.parametrize("metric", METRICS)
def test_stronger_distortion_scores_worse(metric: str) -> None:
    reference, test = pair("astronaut/noise")
    half = np.asarray(reference + (test - reference) / 2, np.float32)
    perfect = METRICS[metric](reference, reference).value
    values = [METRICS[metric](reference, other).value for other in (half, test)]
    assert 0 < abs(values[0] - perfect) < abs(values[1] - perfect)


@pytest.mark.parametrize("metric", SYMMETRIC)
def test_order_of_the_pair_does_not_matter_where_it_should_not(metric: str) -> None:
    reference, test = pair("coffee/levels")
    one, other = METRICS[metric](reference, test).value, METRICS[metric](test, reference).value
    assert one == pytest.approx(other, abs=1e-6)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("size", [(8, 8), (8, 160), (9, 13), (33, 31), (160, 160), (17, 700)])
def test_small_and_odd_sizes_give_a_number(metric: str, size: tuple[int, int]) -> None:
    reference = picture_of(*size)
    test = np.clip(reference * np.float32(0.8), 0, 1)
    assert np.isfinite(METRICS[metric](reference, test).value)
    perfect = METRICS[metric](reference, reference).value
    assert perfect == pytest.approx(PERFECT.get(metric, 1.0), abs=1e-5)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("levels", [(0.0, 0.0), (1.0, 1.0), (0.5, 0.5), (0.0, 1.0), (0.4, 0.6)])
def test_flat_pictures_give_a_number(metric: str, levels: tuple[float, float]) -> None:
    flat, other = (np.full((64, 64, 3), level, np.float32) for level in levels)
    value = METRICS[metric](flat, other).value
    assert np.isfinite(value)
    if levels[0] == levels[1]:
        assert value == pytest.approx(PERFECT.get(metric, 1.0), abs=1e-5)


@pytest.mark.parametrize("metric", METRICS)
def test_grey_pictures_give_a_worse_value_when_blurred(metric: str) -> None:
    grey = np.repeat(pair("chelsea/blur")[0][..., :1], 3, axis=2)
    blurred = np.asarray(cv2.GaussianBlur(grey, (0, 0), 2), np.float32)
    perfect = PERFECT.get(metric, 1.0)
    assert abs(METRICS[metric](grey, blurred).value - perfect) > 0.005


@pytest.mark.parametrize("metric", METRICS)
def test_values_are_the_same_on_one_and_two_threads(metric: str) -> None:
    reference, test = pair("rocket/blocks")
    before = cv2.getNumThreads()
    try:
        cv2.setNumThreads(1)
        one = METRICS[metric](reference, test).value
        cv2.setNumThreads(2)
        # The last bits of a sum depend on where in memory the numbers lie; reports round them.
        assert METRICS[metric](reference, test).value == pytest.approx(one, abs=1e-9)
    finally:
        cv2.setNumThreads(before)


def test_masking_hides_noise_in_texture_but_not_on_plain_ground() -> None:
    plain = np.full((128, 128, 3), 0.5, np.float32)
    busy = np.clip(plain + (picture_of(128, 128) - 0.5) * np.float32(0.8), 0.05, 0.95)
    noise = (picture_of(128, 128, 5) - 0.5) * np.float32(0.06)
    on_plain, on_busy = psnr_hvs_m(plain, plain + noise), psnr_hvs_m(busy, busy + noise)
    assert psnr(plain, plain + noise).value == pytest.approx(
        psnr(busy, busy + noise).value, abs=0.5
    )
    assert on_busy.value > on_plain.value + 10


def test_twelve_megapixels_take_little_more_memory_than_the_two_pictures_themselves() -> None:
    program = """
import pathlib, numpy as np
from proveout.apps.iqa.frame import Frame, ImageFacts
from proveout.apps.iqa.tools.bank import default_bank
rgb = np.empty((3000, 4000, 3), np.float32)
for row in range(3000):
    rgb[row] = ((np.arange(4000) * (row % 97 + 1)) % 256 / np.float32(255))[:, None]
test = rgb.copy()
test[::2] *= np.float32(0.9)
def frame(pixels, name):
    return Frame(rgb=pixels, facts=ImageFacts(sha256=name, pixels_sha256=name, format="ARRAY",
                                              width=4000, height=3000, bytes=pixels.nbytes))
bank = default_bank()
for name in bank.names("FR"):
    bank.run(name, frame(test, "b"), frame(rgb, "a"))
status = pathlib.Path("/proc/self/status").read_text()
print(status.partition("VmHWM:")[2].split()[0])
"""
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=110
    )
    assert run.returncode == 0, run.stderr
    pictures_kilobytes = 2 * 3000 * 4000 * 3 * 4 / 1024
    assert pictures_kilobytes < int(run.stdout) < pictures_kilobytes + 260 * 1024


@pytest.mark.parametrize("count", [1, 2, 30, 31, 1000, 4097])
@pytest.mark.parametrize("kind", ["even", "heavy", "flat", "rising"])
def test_the_middle_value_is_the_same_as_after_sorting(count: int, kind: str) -> None:
    rng = np.random.default_rng(count)
    values = {
        "even": rng.random(count),
        "heavy": rng.pareto(0.5, count),
        "flat": np.full(count, 0.25),
        "rising": np.arange(count),
    }[kind].astype(np.float32)
    assert middle(values) == float(np.sort(values)[(count - 1) // 2])
