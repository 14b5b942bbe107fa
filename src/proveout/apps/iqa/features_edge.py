"""Sharpness by the direction of edges: what moved is soft one way, what is defocused every way.

A picture has more edges in some directions than in others, but a sharp one has sharp edges in all
of them. So each edge is compared with itself after a known blur, and only then with other edges.
"""

import cv2
import numpy as np

from proveout.apps.iqa.frame import Floats
from proveout.apps.iqa.quantiles import percentile
from proveout.apps.iqa.view import View, halved

BINS = 8
_LEAST_PER_BIN = 25
_SCALES = (("near", 1.0), ("wide", 2.5))
_LAGS = (1, 2, 3, 4, 6, 8, 12, 16)


def features(view: View) -> dict[str, float]:
    return _by_direction(view) | _autocorrelation(view) | _coarse(view)


def sharpness_by_direction(view: View, sigma: float) -> Floats:
    """Slope against the slope after a blur, for each direction of the edge's normal; -1: none."""
    soft = np.asarray(cv2.GaussianBlur(view.y, (0, 0), sigma), np.float32)
    across = np.asarray(cv2.Sobel(soft, cv2.CV_32F, 1, 0), np.float32) / 8
    down = np.asarray(cv2.Sobel(soft, cv2.CV_32F, 0, 1), np.float32) / 8
    length = np.asarray(cv2.magnitude(across, down), np.float32)
    limit = max(float(percentile(length[::3, ::3], 85)), 2.0)
    edge = length > limit
    sharp_across, sharp_down = view.gradients
    turned = np.degrees(np.arctan2(down[edge], across[edge])) % 180
    place = np.round(turned * BINS / 180).astype(np.int64) % BINS
    # Only the slope along the blurred edge's own normal counts: noise has no direction.
    along = np.abs(sharp_across[edge] * across[edge] + sharp_down[edge] * down[edge])
    before = np.bincount(place, weights=along / length[edge], minlength=BINS)
    after = np.bincount(place, weights=length[edge], minlength=BINS)
    counts = np.bincount(place, minlength=BINS)
    ratio = before / np.maximum(after, 1e-3)
    return np.asarray(np.where(counts >= _LEAST_PER_BIN, ratio, -1.0), np.float32)


def _by_direction(view: View) -> dict[str, float]:
    found = {}
    for name, sigma in _SCALES:
        ratios = sharpness_by_direction(view, sigma)
        known = ratios >= 0
        values = ratios[known].astype(np.float64)
        if values.size < 3:
            values = np.ones(3)
            angles = np.zeros(3)
        else:
            angles = 2 * np.pi * np.flatnonzero(known) / BINS
        wave = np.hypot((values * np.cos(angles)).sum(), (values * np.sin(angles)).sum())
        ordered = np.sort(values)
        found[f"turn.{name}.least"] = float(ordered[0])
        found[f"turn.{name}.second"] = float(ordered[1])
        found[f"turn.{name}.middle"] = float(np.median(ordered))
        found[f"turn.{name}.most"] = float(ordered[-1])
        found[f"turn.{name}.range"] = float((ordered[-1] - ordered[0]) / np.median(ordered))
        found[f"turn.{name}.wave"] = float(wave / values.sum())
        found[f"turn.{name}.known"] = float(known.sum())
    return found


def _autocorrelation(view: View) -> dict[str, float]:
    """How alike slopes are some pixels on, across, down and on both diagonals: a smear's length."""
    fine = view.y - np.asarray(cv2.GaussianBlur(view.y, (0, 0), 6.0), np.float32)
    power = float(np.square(fine).mean()) + 0.5
    found = {}
    kept = []
    for lag in _LAGS:
        pairs = (
            fine[:, lag:] * fine[:, :-lag],
            fine[lag:] * fine[:-lag],
            fine[lag:, lag:] * fine[:-lag, :-lag],
            fine[lag:, :-lag] * fine[:-lag, lag:],
        )
        values = sorted(float(pair.mean()) / power for pair in pairs)
        kept.append(values)
        found[f"lag{lag}.least"], found[f"lag{lag}.most"] = values[0], values[3]
    found["lag.gap"] = max(values[3] - values[1] for values in kept)
    return found


def _coarse(view: View) -> dict[str, float]:
    """What a further blur takes away at a quarter and an eighth of the size: great enlargements."""
    found = {}
    plane = halved(view.y)
    for scale in (2, 3):
        plane = halved(plane)
        soft = np.asarray(cv2.GaussianBlur(plane, (0, 0), 1.0), np.float32)
        softer = np.asarray(cv2.GaussianBlur(plane, (0, 0), 2.0), np.float32)
        fine, wide = float(np.abs(plane - soft).mean()), float(np.abs(plane - softer).mean())
        found[f"reblur{scale}.fine"] = fine / (wide + 0.2)
        found[f"reblur{scale}.level"] = wide
    return found
