"""Block by block: what is wrong in places only, and how unevenly."""

import cv2
import numpy as np

from proveout.apps.iqa.frame import Floats
from proveout.apps.iqa.quantiles import percentile
from proveout.apps.iqa.view import View, blocks, highest, lowest, once

SIDE = 16


def features(view: View) -> dict[str, float]:
    side = SIDE if min(view.height, view.width) >= 4 * SIDE else 4
    return (
        _unevenness(view, side) | _squares(view) | _foreign(view, side) | _loose_waves(view, side)
    )


def _unevenness(view: View, side: int) -> dict[str, float]:
    """Percentiles over blocks of sharpness, fine noise and colour noise."""
    found = {}
    noise = np.sqrt(_block_mean(np.square(view.residuals), side))
    gradient = _block_mean(view.gradient, side)
    finest = noise[..., 0] / (gradient + 1)
    for name, values in {
        "noise": noise[..., 0], "cb": noise[..., 1], "cr": noise[..., 2], "fine": finest,
    }.items():  # fmt: skip
        marks = percentile(values, [5, 50, 95, 99.5])
        for p, value in zip((5, 50, 95, 99), marks, strict=True):
            found[f"map.{name}.p{p}"] = float(value)
        found[f"map.{name}.tail"] = float((marks[3] + 0.2) / (marks[2] + 0.2))
    return found


def _block_mean(plane: Floats, side: int) -> Floats:
    height, width = plane.shape[0] // side, plane.shape[1] // side
    cut = plane[: height * side, : width * side]
    return np.asarray(cv2.resize(cut, (width, height), interpolation=cv2.INTER_AREA), np.float32)


@once
def square_mask(view: View) -> Floats:
    """1 inside areas of one exact colour (9 × 9 or more) that end in a jump."""
    pixels = view.native
    kernel = np.ones((9, 9), np.uint8)
    span = np.asarray(cv2.dilate(pixels, kernel), np.float32) - np.asarray(
        cv2.erode(pixels, kernel), np.float32
    )
    dead = (highest(span) <= 1).astype(np.uint8)
    clipped = (highest(pixels) <= 2) | (lowest(pixels) >= 253)
    dead[clipped] = 0
    return np.asarray(cv2.dilate(dead, kernel), np.float32)


def _squares(view: View) -> dict[str, float]:
    mask = square_mask(view)
    found = {"squares.share": float(np.log10(mask.mean() + 1e-4))}
    across = highest(np.abs(np.diff(view.native, axis=1)))
    down = highest(np.abs(np.diff(view.native, axis=0)))
    rim_across = np.abs(np.diff(mask, axis=1)) > 0
    rim_down = np.abs(np.diff(mask, axis=0)) > 0
    jumps = np.concatenate([across[rim_across], down[rim_down]])
    found["squares.jump"] = float(np.median(jumps)) if jumps.size else 0.0
    for name, steps, size in (("across", across, (1, 12)), ("down", down, (12, 1))):
        lines = np.asarray(cv2.erode((steps > 6).astype(np.uint8), np.ones(size[::-1], np.uint8)))
        kept = float(lines.mean())
        found[f"squares.lines_{name}"] = float(np.log10(kept + 1e-5))
    return found


def _foreign(view: View, side: int) -> dict[str, float]:
    """How strange the strangest blocks are next to their neighbours, in brightness and colour."""
    found = {}
    means = _block_mean(view.planes, side)
    around = np.asarray(cv2.blur(means, (3, 3)), np.float32)
    strange = np.abs(means - around)
    for index, name in enumerate(("y", "cb", "cr")):
        marks = percentile(strange[..., index], [50, 90, 99, 100])
        found[f"foreign.{name}"] = float((marks[2] + 0.5) / (marks[0] + 0.5))
        found[f"foreign.{name}.most"] = float((marks[3] + 0.5) / (marks[1] + 0.5))
    return found


def _loose_waves(view: View, side: int) -> dict[str, float]:
    """Oscillation without an edge to cause it, as lost wavelet data leaves behind."""
    found = {}
    for name, sigma in (("small", 1.5), ("large", 4.0)):
        fine = np.asarray(cv2.GaussianBlur(view.y, (0, 0), sigma), np.float32)
        wide = np.asarray(cv2.GaussianBlur(view.y, (0, 0), 2 * sigma), np.float32)
        power = np.sqrt(_block_mean(np.square(fine - wide), side))
        detail = np.sqrt(_block_mean(np.square(view.y - fine), side))
        ratio = power / (detail + 1)
        marks = percentile(ratio, [5, 50, 95, 99.5])
        for p, value in zip((5, 50, 95, 99), marks, strict=True):
            found[f"waves.{name}.p{p}"] = float(value)
    spread = blocks(view.y, side).std(axis=(2, 3))
    found["waves.calm"] = float(percentile(spread, 5))
    found["waves.uneven"] = float(percentile(spread, 99) / (percentile(spread, 50) + 1))
    return found
