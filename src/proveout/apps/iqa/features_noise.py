"""Noise: how much, of which colour, how it depends on light and place, and wild pixels."""

import cv2
import numpy as np

from proveout.apps.iqa.frame import Floats
from proveout.apps.iqa.quantiles import median, percentile
from proveout.apps.iqa.view import View, blocks, halved, once

# E|x| of a Gaussian is sigma * sqrt(2 / pi); a median absolute deviation is 0.6745 sigma.
_MEAN_TO_SIGMA = (np.pi / 2) ** 0.5
_MEDIAN_TO_SIGMA = 1 / 0.6745
FLAT_SIDE = 8


def features(view: View) -> dict[str, float]:
    return (
        _global(view)
        | _flat_blocks(view)
        | _texture_of_noise(view)
        | _channels(view)
        | _impulses(view)
        | _masking(view)
    )


def median_sigma(residual: Floats) -> float:
    """Noise sigma from the median of absolute values: edges, being few, do not count."""
    return float(median(np.abs(residual[::2, ::2]))) * _MEDIAN_TO_SIGMA


def _global(view: View) -> dict[str, float]:
    found = {}
    for index, name in enumerate(("y", "cb", "cr")):
        residual = view.residuals[..., index]
        found[f"noise.{name}.mean"] = float(np.abs(residual).mean()) * _MEAN_TO_SIGMA
        found[f"noise.{name}.median"] = median_sigma(residual)
    kernel = np.array([[1, -2, 1], [-2, 4, -2], [1, -2, 1]], np.float32) / 6
    half = cv2.filter2D(halved(view.planes), cv2.CV_32F, kernel)
    for index, name in enumerate(("y", "cb", "cr")):
        sigma = median_sigma(np.asarray(half[..., index], np.float32))
        found[f"noise.{name}.half"] = sigma
        found[f"noise.{name}.half_ratio"] = sigma / (found[f"noise.{name}.median"] + 0.3)
    luma = found["noise.y.median"] + 0.3
    found["noise.cb_ratio"] = found["noise.cb.median"] / luma
    found["noise.cr_ratio"] = found["noise.cr.median"] / luma
    return found


@once
def flat_sigmas(view: View) -> tuple[Floats, Floats]:
    """Per 8 × 8 block: root mean square of the residual, and mean luma."""
    square = np.square(view.residuals[..., 0])
    size = (view.width // FLAT_SIDE, view.height // FLAT_SIDE)
    cut = np.s_[: size[1] * FLAT_SIDE, : size[0] * FLAT_SIDE]
    power = cv2.resize(square[cut], size, interpolation=cv2.INTER_AREA)
    luma = cv2.resize(view.y[cut], size, interpolation=cv2.INTER_AREA)
    return np.sqrt(np.asarray(power, np.float32)), np.asarray(luma, np.float32)


def _flat_blocks(view: View) -> dict[str, float]:
    sigma, luma = flat_sigmas(view)
    marks = percentile(sigma, [1, 5, 10, 25, 50, 75, 95])
    found = {f"flat.p{p}": float(v) for p, v in zip((1, 5, 10, 25, 50, 75, 95), marks, strict=True)}
    found["flat.spread"] = float((marks[3] + 0.2) / (marks[5] + 0.2))
    found["flat.low_ratio"] = float((marks[1] + 0.2) / (marks[4] + 0.2))
    low = []
    for band, (start, stop) in enumerate(((8, 70), (70, 130), (130, 190), (190, 248))):
        inside = sigma[(luma >= start) & (luma < stop)]
        value = float(percentile(inside, 15)) if inside.size >= 12 else -1.0
        found[f"flat.band{band}"] = value
        low.append(value)
    known = [(k, v) for k, v in enumerate(low) if v >= 0]
    found["flat.slope"] = (
        (known[-1][1] - known[0][1]) / (known[-1][0] - known[0][0]) if len(known) > 1 else 0.0
    )
    found["flat.relative_slope"] = found["flat.slope"] / (float(marks[2]) + 0.3)
    return found


def _texture_of_noise(view: View) -> dict[str, float]:
    """Is what remains in flat places white, smooth, high-pass or directional?"""
    found = {}
    fine = view.y - np.asarray(cv2.GaussianBlur(view.y, (0, 0), 2.0), np.float32)
    strength = np.asarray(cv2.boxFilter(np.abs(fine), -1, (9, 9)), np.float32)
    limit = float(percentile(strength[::3, ::3], 30)) + 1e-3
    flat = strength <= limit
    power = float(np.square(fine[flat]).mean()) + 1e-3
    for name, (down, across) in {
        "h1": (0, 1), "v1": (1, 0), "d1": (1, 1), "h2": (0, 2), "v2": (2, 0), "h4": (0, 4),
    }.items():  # fmt: skip
        height, width = fine.shape
        pair = fine[: height - down, : width - across] * fine[down:, across:]
        mask = flat[: height - down, : width - across]
        found[f"grain.{name}"] = float(pair[mask].mean()) / power
    found["grain.sigma"] = power**0.5
    values = fine[flat]
    found["grain.kurtosis"] = float(np.mean(values**4)) / power**2
    found["grain.zero"] = float(np.mean(np.abs(values) < 0.25))
    return found


def _channels(view: View) -> dict[str, float]:
    """Noise per colour channel, and whether the channels' noise goes together."""
    kernel = np.array([[1, -2, 1], [-2, 4, -2], [1, -2, 1]], np.float32) / 6
    residual = np.asarray(cv2.filter2D(view.rgb, cv2.CV_32F, kernel), np.float32)[::2, ::2]
    strength = np.abs(residual).sum(axis=2)
    quiet = residual[strength <= np.median(strength)]
    found = {}
    for index, name in enumerate("rgb"):
        found[f"noise.{name}.median"] = median_sigma(residual[..., index])
    spread = quiet.std(axis=0) + 0.05
    centred = quiet - quiet.mean(axis=0)
    for one, other, name in ((0, 1, "rg"), (1, 2, "gb"), (0, 2, "rb")):
        together = float((centred[:, one] * centred[:, other]).mean())
        found[f"noise.{name}.together"] = together / float(spread[one] * spread[other])
    found["noise.blue_excess"] = found["noise.b.median"] / (found["noise.g.median"] + 0.3)
    found["noise.red_excess"] = found["noise.r.median"] / (found["noise.g.median"] + 0.3)
    return found


@once
def impulse_mask(view: View) -> Floats:
    """1 where a channel of the full-resolution piece is far from all of its neighbours."""
    ring = np.array([[1, 1, 1], [1, 0, 1], [1, 1, 1]], np.uint8)
    pixels = view.native.astype(np.uint8)
    above = view.native - np.asarray(cv2.dilate(pixels, ring), np.float32)
    below = np.asarray(cv2.erode(pixels, ring), np.float32) - view.native
    return np.asarray((np.maximum(above, below) > 18).any(axis=2), np.float32)


def _impulses(view: View) -> dict[str, float]:
    residual = np.abs(view.median_residual)
    found = {}
    for limit in (12, 40, 90):
        found[f"impulse.over{limit}"] = float(np.log10(1e-5 + np.mean(residual > limit)))
    extreme = (view.native <= 1) | (view.native >= 254)
    found["impulse.extreme"] = float(np.log10(1e-5 + np.mean(extreme & (residual > 25))))
    found["impulse.alone"] = float(np.log10(1e-5 + impulse_mask(view).mean()))
    mean = float(residual.mean()) + 0.1
    found["impulse.peak"] = float(np.sqrt(np.square(residual).mean())) / mean
    several = (residual > 25).sum(axis=2)
    hit = several > 0
    found["impulse.channels"] = float(several[hit].mean()) if hit.any() else 0.0
    return found


def _masking(view: View) -> dict[str, float]:
    """Does the noise follow texture (masked noise) or ignore it?"""
    sigma, _ = flat_sigmas(view)
    activity = blocks(view.gradient, FLAT_SIDE).mean(axis=(2, 3))
    order = np.argsort(activity, axis=None, kind="stable")
    ranked = sigma.ravel()[order]
    quarter = max(ranked.size // 4, 1)
    low, high = float(np.median(ranked[:quarter])), float(np.median(ranked[-quarter:]))
    texture = float(np.median(np.sort(activity, axis=None)[-quarter:]))
    return {
        "masking.ratio": high / (low + 0.3),
        "masking.high": high,
        "masking.high_by_gradient": high / (texture + 0.5),
    }
