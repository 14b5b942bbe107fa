"""Sharpness: how quickly edges rise, what the spectrum holds, what stands beside edges."""

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from proveout.apps.iqa.frame import Floats
from proveout.apps.iqa.quantiles import each_percentile, percentile
from proveout.apps.iqa.spectrum import frequencies, radii
from proveout.apps.iqa.view import View, halved

BANDS = 12


def features(view: View) -> dict[str, float]:
    return _reblur(view) | _edges(view) | _spectrum(view) | _direction(view) | _overshoot(view)


def _reblur(view: View) -> dict[str, float]:
    """How much a further blur takes away: much from a sharp picture, little from a soft."""
    found = {}
    plane = view.y
    for scale in range(2):
        for axis, name in ((1, "across"), (0, "down")):
            size = (9, 1) if axis == 1 else (1, 9)
            soft = np.asarray(cv2.blur(plane, size), np.float32)
            before = np.abs(np.diff(plane, axis=axis))
            after = np.abs(np.diff(soft, axis=axis))
            lost = np.maximum(before - after, 0).sum(dtype=np.float64)
            found[f"reblur{scale}.{name}"] = 1 - float(lost / (before.sum(dtype=np.float64) + 1))
        plane = halved(plane)
    strength = []
    for sigma in (0.8, 1.6, 3.2):
        soft = np.asarray(cv2.GaussianBlur(view.y, (0, 0), sigma), np.float32)
        strength.append(float(np.abs(view.y - soft).mean()))
    found["reblur.fine"] = strength[0] / (strength[1] + 0.2)
    found["reblur.coarse"] = strength[1] / (strength[2] + 0.2)
    found["reblur.level"] = strength[2]
    return found


def edge_widths(view: View) -> tuple[Floats, NDArray[np.bool_]]:
    """Rise of luma by its steepest slope, in pixels, and where there is an edge to measure."""
    kernel = np.ones((9, 9), np.uint8)
    span = np.asarray(cv2.dilate(view.y, kernel), np.float32) - np.asarray(
        cv2.erode(view.y, kernel), np.float32
    )
    steepest = np.asarray(cv2.dilate(view.gradient, np.ones((3, 3), np.uint8)), np.float32)
    ridge = (view.gradient >= steepest) & (span > 30) & (view.gradient > 3)
    return span / (view.gradient + 0.5), ridge


def _edges(view: View) -> dict[str, float]:
    widths, ridge = edge_widths(view)
    chosen = widths[ridge]
    marks = percentile(chosen, [5, 10, 25, 50, 75]) if chosen.size > 40 else np.full(5, -1.0)
    names = ("p5", "p10", "p25", "p50", "p75")
    found = {f"edge.width.{n}": float(v) for n, v in zip(names, marks, strict=True)}
    found["edge.count"] = float(np.log10(1e-4 + chosen.size / ridge.size))
    gradient = view.gradient[::2, ::2]
    levels = percentile(gradient, [10, 25, 50, 75, 90, 99])
    for p, value in zip((10, 25, 50, 75, 90, 99), levels, strict=True):
        found[f"gradient.p{p}"] = float(np.log1p(value))
    found["gradient.peakedness"] = float(levels[5] / (levels[2] + 1))
    laplacian = np.asarray(cv2.Laplacian(view.y, cv2.CV_32F), np.float32)
    found["edge.laplacian"] = float(np.log1p(laplacian.var()))
    found["edge.laplacian_by_gradient"] = float(
        np.abs(laplacian).mean() / (view.gradient.mean() + 0.5)
    )
    return found


@dataclass(frozen=True)
class _Grid:
    """How frequencies are sorted; flat, in the order of the amplitudes."""

    band: NDArray[np.int64]
    """Ring number of each frequency."""
    counts: NDArray[np.int64]
    """Frequencies per ring."""
    high: NDArray[np.int64]
    """Where the upper half of the rings lies."""
    direction: NDArray[np.int64]
    """Which of four directions each of these lies in."""
    middle: NDArray[np.int64]
    """Where all but the lowest three rings lie."""


@lru_cache(maxsize=1)
def _grid() -> _Grid:
    down, across = frequencies()
    band = np.minimum((radii() / 0.5 * BANDS).astype(np.int64), BANDS).ravel()
    angle = np.degrees(np.arctan2(down, across)) % 180
    direction = ((np.round(angle / 45).astype(np.int64)) % 4).ravel()
    high = np.flatnonzero((band >= BANDS // 2) & (band < BANDS))
    return _Grid(
        band=band,
        counts=np.bincount(band, minlength=BANDS + 1),
        high=high,
        direction=direction[high],
        middle=np.flatnonzero((band >= 3) & (band < BANDS)),
    )


def _spectrum(view: View) -> dict[str, float]:
    grid, log = _grid(), view.log_spectrum.ravel()
    means = np.bincount(grid.band, weights=log, minlength=BANDS + 1) / grid.counts
    found = {f"spectrum.band{k}": float(means[k] - means[0]) for k in range(1, BANDS + 1)}
    x = np.log(np.arange(1, BANDS) + 0.5)
    slope = np.polyfit(x, means[1:BANDS], 2)
    found["spectrum.slope"], found["spectrum.bend"] = float(slope[1]), float(slope[0])
    drops = means[2:-1] - means[3:]
    found["spectrum.cut"] = float(np.argmax(drops))
    found["spectrum.biggest_drop"] = float(drops.max())
    found["spectrum.floor"] = float(means[BANDS])
    sums = np.bincount(grid.direction, weights=log[grid.high], minlength=4)
    directed = sums / np.maximum(np.bincount(grid.direction, minlength=4), 1)
    for k in range(4):
        found[f"spectrum.direction{k}"] = float(directed[k] - directed.mean())
    found["spectrum.anisotropy"] = float(directed.max() - directed.min())
    peaks = log[grid.middle]
    top, middle = each_percentile(peaks, (99.9, 50))
    found["spectrum.peaks"] = top - middle
    return found


def _direction(view: View) -> dict[str, float]:
    """Unevenness of gradient directions, of the picture and of its finest detail."""
    found = {}
    across, down = view.gradients
    fine_across = np.diff(view.y, axis=1)[:-1]
    fine_down = np.diff(view.y, axis=0)[:, :-1]
    for name, (x, y) in {"coarse": (across, down), "fine": (fine_across, fine_down)}.items():
        xx, yy = float(np.square(x).mean()), float(np.square(y).mean())
        xy = float((x * y).mean())
        length = ((xx - yy) ** 2 + 4 * xy * xy) ** 0.5
        found[f"direction.{name}"] = length / (xx + yy + 0.5)
        found[f"direction.{name}_axis"] = (xx - yy) / (xx + yy + 0.5)
    return found


def _overshoot(view: View) -> dict[str, float]:
    """Waves beside strong edges (ringing) and brims on them (sharpening)."""
    strong = view.gradient > max(float(percentile(view.gradient[::2, ::2], 96)), 10.0)
    near = np.asarray(cv2.dilate(strong.astype(np.uint8), np.ones((5, 5), np.uint8))) > 0
    wide = np.asarray(cv2.dilate(strong.astype(np.uint8), np.ones((17, 17), np.uint8))) > 0
    beside, far = wide & ~near, ~wide
    waves = np.abs(view.residuals[..., 0])
    inside = float(waves[beside].mean()) if beside.any() else 0.0
    outside = float(waves[far].mean()) if far.any() else 0.0
    low = float(percentile(waves[beside], 25)) if beside.any() else 0.0
    soft = np.asarray(cv2.GaussianBlur(view.y, (0, 0), 2.5), np.float32)
    brim = np.abs(view.y - soft)[strong]
    slope = view.gradient[strong]
    return {
        "ringing.ratio": inside / (outside + 0.3),
        "ringing.beside": inside,
        "ringing.low": low,
        "ringing.share": float(beside.mean()),
        "sharpened.brim": float(brim.mean() / (slope.mean() + 1)) if brim.size else 0.0,
        "sharpened.slope": float(np.log1p(slope.mean())) if brim.size else 0.0,
        "sharpened.clipped": float(np.mean((view.y <= 1) | (view.y >= 254))),
    }
