"""Blur of any cause: how wide edges are, where, and in which direction."""

from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from proveout.apps.iqa.detectors.reading import Reading, rounded, spread_over
from proveout.apps.iqa.frame import Floats
from proveout.apps.iqa.spectrum import frequencies, radii
from proveout.apps.iqa.view import View

_SECOND_BLUR = 1.0
_LEAST_EDGES = 60
_BLADES = 12


def read(view: View) -> dict[str, Reading]:
    """Gaussian, lens and motion blur, smoothing and enlargement."""
    sigma, weight = local_sigmas(view)
    edges = weight > 0
    if int(edges.sum()) < _LEAST_EDGES:
        none = Reading.not_applicable("no edges to judge sharpness by")
        names = ("gaussian_blur", "lens_blur", "motion_blur", "denoising", "upscaling")
        return dict.fromkeys(names, none)
    found = sigma[edges]
    sharpest, middle, softest = (float(v) for v in np.percentile(found, [15, 50, 85]))
    soft = float(np.mean(found > 1.5))
    cells = np.maximum(spread_over(sigma, weight, view) - 0.5, 0)
    facts = rounded(
        {
            "blur_px": middle,
            "sharpest_edges_px": sharpest,
            "softest_edges_px": softest,
            "soft_edges_percent": 100 * soft,
        }
    )
    note = (
        f"edges are blurred by about {facts['blur_px']:.2f} px (half of them); "
        f"{facts['soft_edges_percent']:.0f} % of edges are soft"
    )
    sure = float(np.clip(found.size / 2000, 0.2, 0.9))
    plain = Reading(max(sharpest - 0.45, 0), facts, note, cells, sure)
    return {
        "gaussian_blur": plain,
        "lens_blur": Reading(2 * plain.strength, facts, note, cells, sure),
        "motion_blur": _motion(view, facts, cells, sure),
        "denoising": Reading(plain.strength, facts, note, cells, sure),
        "upscaling": _upscaling(view, facts, cells),
    }


def local_sigmas(view: View) -> tuple[Floats, Floats]:
    """Blur in pixels by the fall of the gradient under a known second blur; weight 0 off edges."""
    again = np.asarray(cv2.GaussianBlur(view.y, (0, 0), _SECOND_BLUR), np.float32)
    across = cv2.Sobel(again, cv2.CV_32F, 1, 0) / 8
    down = cv2.Sobel(again, cv2.CV_32F, 0, 1) / 8
    softer = np.asarray(cv2.magnitude(across, down), np.float32)
    peak = np.asarray(cv2.dilate(view.gradient, np.ones((3, 3), np.uint8)), np.float32)
    limit = max(float(np.percentile(view.gradient[::2, ::2], 80)), 4.0)
    edge = (view.gradient >= peak) & (view.gradient > limit)
    ratio = np.clip(view.gradient / (softer + 1e-3), 1.005, 3)
    sigma = _SECOND_BLUR / np.sqrt(ratio * ratio - 1)
    return np.minimum(sigma, 8.0).astype(np.float32), edge.astype(np.float32)


@lru_cache(maxsize=1)
def _blades() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where the middle frequencies are among all, and which direction each of them has."""
    down, across = frequencies()
    middle = np.flatnonzero((radii() > 0.08) & (radii() < 0.35))
    angle = np.degrees(np.arctan2(down, across + 1e-9)) % 180
    blade = (angle / (180 / _BLADES)).astype(np.int64) % _BLADES
    return middle, blade.ravel()[middle]


@lru_cache(maxsize=1)
def _rings() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The ring of every frequency, and how many each ring has."""
    ring = np.minimum((radii() * 64).astype(np.int64), 32).ravel()
    return ring, np.bincount(ring)


def _motion(view: View, facts: dict[str, float], cells: Floats, sure: float) -> Reading:
    """Direction in which the spectrum dies first, and how much sooner than across it."""
    middle, blade = _blades()
    power = view.log_spectrum.ravel()[middle]
    sums = np.bincount(blade, weights=power, minlength=_BLADES)
    level = sums / np.maximum(np.bincount(blade, minlength=_BLADES), 1)
    weakest = int(np.argmin(level))
    gap = float(np.median(level) - level[weakest])
    direction = (weakest + 0.5) * 180 / _BLADES
    across_it = (weakest + _BLADES // 2) % _BLADES
    contrast = float(level[across_it] - level[weakest])
    length = max(contrast, 0) * 2.2 * max(facts["blur_px"], 0.5)
    more = facts | rounded(
        {"angle_degrees": direction, "length_px": length, "directional_gap": gap}
    )
    note = (
        f"detail is missing mostly along {more['angle_degrees']:.0f} degrees, "
        f"as a smear of about {more['length_px']:.1f} px would leave it"
    )
    return Reading(length, more, note, cells, sure)


def _upscaling(view: View, facts: dict[str, float], cells: Floats) -> Reading:
    """How far out the spectrum still stands clear of its floor."""
    ring, counts = _rings()
    power = np.log(view.spectrum + 0.5)
    means = np.bincount(ring, weights=power.ravel()) / counts
    floor = float(means[29:32].mean())
    above = np.flatnonzero(means[:32] > floor + 0.6)
    edge = (int(above[-1]) + 1) / 64 if above.size else 0.5
    factor = float(np.clip(0.5 / max(edge, 0.03), 1, 12))
    more = facts | rounded({"spectrum_ends_at": edge, "enlarged_times": factor})
    note = f"nothing above {more['spectrum_ends_at']:.2f} cycles per pixel in the spectrum"
    return Reading(factor - 1, more, note, cells, 0.6)
