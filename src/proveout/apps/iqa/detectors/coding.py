"""What coders leave: block borders, ringing, lost detail, and data that never arrived."""

import cv2
import numpy as np

from proveout.apps.iqa.detectors.reading import Reading, cell_mean, rounded
from proveout.apps.iqa.features_block import SIDE, excess, phases
from proveout.apps.iqa.frame import Floats, ImageFacts
from proveout.apps.iqa.view import View

_HIGH_QUALITY = 85
_CLEAR_GRID = 0.3


def read(view: View, file: ImageFacts) -> dict[str, Reading]:
    ringing = _ringing(view)
    soft = Reading(ringing.strength, ringing.facts, ringing.note, ringing.cells, 0.5)
    broken = _broken(view)
    return {
        "jpeg": _blocks(view, file),
        "jpeg2000": soft,
        "webp": soft,
        "sparse_sampling": soft,
        "jpeg_transmission": broken,
        "jpeg2000_transmission": broken,
        "ringing": ringing,
    }


def _blocks(view: View, file: ImageFacts) -> Reading:
    columns, rows = phases(view.native_y)
    across, at_x = excess(columns)
    down, at_y = excess(rows)
    strength = _border_step(view.native_y, at_x, at_y)
    facts = {
        "grid_excess_percent": 100 * min(across, down),
        "grid_x": float(at_x),
        "grid_y": float(at_y),
        "border_levels": strength,
    }
    if file.jpeg_quality is not None:
        facts["file_quality"] = float(file.jpeg_quality)
    visible = min(across, down) > _CLEAR_GRID
    again = file.jpeg_quality is not None and file.jpeg_quality >= _HIGH_QUALITY and visible
    shifted = visible and (at_x != 0 or at_y != 0) and view.scale == 1.0
    facts["compressed_twice"] = float(again or (shifted and file.format == "JPEG"))
    facts = rounded(facts)
    note = f"steps at 8-pixel borders are {facts['grid_excess_percent']:.0f} % above the rest"
    if shifted:
        note += f"; the grid starts at {at_x}, {at_y}"
    if facts["compressed_twice"]:
        note += "; compressed more than once"
    return Reading(strength, facts, note, _border_cells(view, at_x, at_y), 0.8)


def _border_step(plane: Floats, at_x: int, at_y: int) -> float:
    """How many grey levels higher steps at the grid are than between its lines."""
    across = np.minimum(np.abs(np.diff(plane, axis=1)), 80).mean(axis=0)
    down = np.minimum(np.abs(np.diff(plane, axis=0)), 80).mean(axis=1)
    found = []
    for steps, at in ((across, at_x), (down, at_y)):
        on = (np.arange(len(steps)) + 1) % SIDE == at
        found.append(float(steps[on].mean() - steps[~on].mean()) if on.any() else 0.0)
    return max(min(found), 0.0)


def _border_cells(view: View, at_x: int, at_y: int) -> Floats | None:
    """Steps at the grid against steps beside it, smoothed; only where the piece is the whole."""
    if view.scale != 1.0:
        return None
    y = view.native_y
    across = np.zeros_like(y)
    across[:, 1:] = np.abs(np.diff(y, axis=1))
    down = np.zeros_like(y)
    down[1:] = np.abs(np.diff(y, axis=0))
    on_x = (np.arange(y.shape[1]) % SIDE == at_x).astype(np.float32)
    on_y = (np.arange(y.shape[0]) % SIDE == at_y).astype(np.float32)
    step = across * (on_x * SIDE - 1)[None, :] + down * (on_y * SIDE - 1)[:, None]
    cells = cell_mean(step.astype(np.float32), view)
    calm = cell_mean(np.minimum(across + down, 40).astype(np.float32), view)
    soft = np.asarray(cv2.GaussianBlur(cells, (0, 0), 3.0), np.float32)
    level = np.asarray(cv2.GaussianBlur(calm, (0, 0), 3.0), np.float32)
    return np.asarray(np.maximum(soft, 0) / (level + 1), np.float32)


def _ringing(view: View) -> Reading:
    limit = max(float(np.percentile(view.gradient[::2, ::2], 96)), 10.0)
    strong = (view.gradient > limit).astype(np.uint8)
    near = np.asarray(cv2.dilate(strong, np.ones((5, 5), np.uint8))) > 0
    wide = np.asarray(cv2.dilate(strong, np.ones((17, 17), np.uint8))) > 0
    beside, far = wide & ~near, ~wide
    if int(beside.sum()) < 200 or int(far.sum()) < 200:
        return Reading.not_applicable("no strong edges with calm surroundings")
    waves = np.abs(view.residuals[..., 0])
    inside, outside = float(np.median(waves[beside])), float(np.median(waves[far]))
    cells = cell_mean((waves * beside).astype(np.float32), view)
    facts = rounded({"waves_beside_edges": inside, "waves_elsewhere": outside})
    note = (
        f"waves of {facts['waves_beside_edges']:.1f} grey levels beside strong edges, "
        f"{facts['waves_elsewhere']:.1f} elsewhere"
    )
    cells = np.asarray(cv2.GaussianBlur(cells, (0, 0), 1.5), np.float32)
    return Reading(max(inside - 1.5 * outside - 0.5, 0), facts, note, cells, 0.5)


def _broken(view: View) -> Reading:
    """Blocks whose upper border is a long straight jump that the picture does not explain."""
    jumps = np.abs(np.diff(view.native, axis=0)).mean(axis=2)
    rows, columns = (jumps.shape[0] - 1) // SIDE, jumps.shape[1] // SIDE
    if rows < 2 or columns < 2:
        return Reading.not_applicable("too small for blocks")
    cut = jumps[: rows * SIDE, : columns * SIDE].reshape(rows, SIDE, columns, SIDE).mean(axis=3)
    sharp = cut[:, SIDE - 1] / (np.maximum(cut[:, 2], cut[:, 4]) + 4)
    share = 100 * float(np.mean(sharp > 3))
    facts = rounded({"broken_blocks_percent": share})
    note = f"{facts['broken_blocks_percent']:.1f} % of blocks end in a jump"
    rough = np.asarray(cv2.GaussianBlur(np.maximum(sharp - 1, 0), (0, 0), 1.5), np.float32)
    return Reading(share, facts, note, cell_mean(rough, view), 0.6)
