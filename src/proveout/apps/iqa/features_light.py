"""Light over the frame and over the channels: fall-off, clipping by kind, and where white lies."""

import cv2
import numpy as np

from proveout.apps.iqa.frame import Floats
from proveout.apps.iqa.quantiles import percentile
from proveout.apps.iqa.view import View

RINGS = 5
_GRID = 32


def features(view: View) -> dict[str, float]:
    return _fall_off(view) | _white(view) | _ends(view) | _veil(view)


def _small(plane: Floats, how: int = cv2.INTER_AREA) -> Floats:
    return np.asarray(cv2.resize(plane, (_GRID, _GRID), interpolation=how), np.float32)


def ring_levels(view: View) -> Floats:
    """Mean of log luma in five rings around the middle, the corners being the last."""
    log = np.log(_small(view.y) + 4)
    return _by_ring(log)


def _by_ring(cells: Floats) -> Floats:
    y, x = np.mgrid[-1 : 1 : _GRID * 1j, -1 : 1 : _GRID * 1j]
    ring = np.minimum((np.hypot(x, y) / 2**0.5 * RINGS).astype(np.int64), RINGS - 1)
    sums = np.bincount(ring.ravel(), weights=cells.ravel(), minlength=RINGS)
    return np.asarray(sums / np.bincount(ring.ravel(), minlength=RINGS), np.float32)


def _fall_off(view: View) -> dict[str, float]:
    levels = ring_levels(view)
    found = {f"ring.{k}": float(levels[k] - levels[0]) for k in range(1, RINGS)}
    log = np.log(_small(view.y) + 4)
    side = _GRID // 5
    corners = [
        float(log[rows, columns].mean())
        for rows in (slice(None, side), slice(-side, None))
        for columns in (slice(None, side), slice(-side, None))
    ]
    middle = float(log[_GRID // 3 : -_GRID // 3, _GRID // 3 : -_GRID // 3].mean())
    found["ring.brightest_corner"] = max(corners) - middle
    found["ring.corner_range"] = max(corners) - min(corners)
    found["ring.steady"] = float(np.diff(levels).max())
    y, x = np.mgrid[-1 : 1 : _GRID * 1j, -1 : 1 : _GRID * 1j]
    square = x * x + y * y
    centred = square - square.mean()
    cells = log - log.mean()
    found["ring.slope"] = float((cells * centred).mean() / np.square(centred).mean())
    spread = float(cells.std() * centred.std()) + 0.02
    found["ring.fit"] = float((cells * centred).mean()) / spread
    bright = np.asarray(cv2.dilate(view.y, np.ones((9, 9), np.uint8)), np.float32)
    found["ring.bright_corner"] = float(np.ptp(_by_ring(np.log(_small(bright) + 4))[[0, -1]]))
    return found


def _white(view: View) -> dict[str, float]:
    """Colour of the brightest, the darkest and the least coloured places, and of edges."""
    lab = view.lab[::2, ::2].reshape(-1, 3)
    light, a, b = lab[:, 0], lab[:, 1], lab[:, 2]
    chroma = np.hypot(a, b)
    low, high = percentile(light, [5, 95])
    calm = float(percentile(chroma, 15))
    found = {}
    for name, chosen in (
        ("bright", light >= high), ("dark", light <= low), ("calm", chroma <= calm),
    ):  # fmt: skip
        found[f"white.{name}.a"] = float(a[chosen].mean())
        found[f"white.{name}.b"] = float(b[chosen].mean())
        found[f"white.{name}"] = float(np.hypot(a[chosen].mean(), b[chosen].mean()))
    found["white.one_sided"] = float(np.hypot(a.mean(), b.mean())) / (float(chroma.mean()) + 1)
    found["white.calmest"] = float(percentile(chroma, 2))
    found["white.near_grey"] = float(np.mean(chroma < 5))
    edges = np.abs(np.diff(view.rgb, axis=1)).reshape(-1, 3).mean(axis=0) + 0.5
    tops = np.percentile(view.rgb[::2, ::2].reshape(-1, 3), 99, axis=0) + 1
    means = view.rgb.reshape(-1, 3).mean(axis=0) + 1
    for name, triple in (("edges", edges), ("tops", tops), ("means", means)):
        logs = np.log2(triple)
        found[f"white.{name}.warm"] = float(logs[0] - logs[2])
        found[f"white.{name}.green"] = float(logs[1] - (logs[0] + logs[2]) / 2)
        found[f"white.{name}.apart"] = float(np.ptp(logs))
    return found


def _ends(view: View) -> dict[str, float]:
    """Pixels at either end of the scale, by channel and together, and how gently it is reached."""
    pixels = view.native
    top, bottom = pixels >= 252, pixels <= 3
    found = {
        "ends.white_any": float(top.any(axis=2).mean()),
        "ends.white_all": float(top.all(axis=2).mean()),
        "ends.black_any": float(bottom.any(axis=2).mean()),
        "ends.black_all": float(bottom.all(axis=2).mean()),
        "ends.both": float((top.any(axis=2) & bottom.any(axis=2)).mean()),
    }
    near = float(((pixels >= 235) & ~top).mean())
    found["ends.abrupt_white"] = float(np.log((top.mean() + 1e-4) / (near + 1e-4)))
    near = float(((pixels <= 20) & ~bottom).mean())
    found["ends.abrupt_black"] = float(np.log((bottom.mean() + 1e-4) / (near + 1e-4)))
    top_y, low_y = float(percentile(view.y, 99.9)), float(percentile(view.y, 0.1))
    found["ends.highest"], found["ends.lowest"] = top_y, low_y
    middle = float(np.median(view.y))
    found["ends.middle"] = (middle - low_y) / (top_y - low_y + 1)
    return found


def _veil(view: View) -> dict[str, float]:
    """A veil lifts the darkest places and greys them; low contrast lowers the brightest too."""
    rgb = view.rgb[::2, ::2].reshape(-1, 3)
    least = rgb.min(axis=1)
    marks = percentile(least, [0.5, 5, 25])
    luma = view.y[::2, ::2]
    spread = float(luma.std())
    fine = float(view.gradient.mean())
    return {
        "veil.darkest": float(marks[0]),
        "veil.dark": float(marks[1]),
        "veil.quarter": float(marks[2]),
        "veil.room_above": 255 - float(percentile(luma, 99.5)),
        "veil.fine_by_spread": fine / (spread + 1),
        "veil.spread_by_mean": spread / (float(luma.mean()) + 8),
    }
