"""Repetition: enlargement, pixelation, block grids and interlacing leave a rhythm behind.

Every second difference is averaged along rows or columns; what is left of a photo is noise, what is
left of a resampled or blocky picture is a comb. Its strongest tooth tells the period.
"""

import numpy as np

from proveout.apps.iqa.frame import Floats
from proveout.apps.iqa.quantiles import percentile
from proveout.apps.iqa.view import View

_LOWEST = 1 / 24
_CAP = 24.0
_TEETH = (2, 3, 4, 5, 6, 8, 10, 12, 16)
_ALWAYS = 0.985


def features(view: View) -> dict[str, float]:
    return _combs(view) | _runs(view)


def comb(plane: Floats, axis: int) -> Floats:
    """Mean size of the second difference at each column (axis 1) or row (axis 0)."""
    steps = np.minimum(np.abs(np.diff(plane, n=2, axis=axis)), _CAP)
    return np.asarray(steps.mean(axis=1 - axis), np.float32)


def tooth(profile: Floats) -> tuple[float, float, Floats]:
    """Height of the strongest line in the profile's spectrum, its frequency, and all lines."""
    size = len(profile)
    if size < 32:
        return 0.0, 0.0, np.zeros(size // 2 + 1, np.float32)
    smooth = np.convolve(np.pad(profile, 12, mode="reflect"), np.ones(25) / 25, mode="valid")
    flat = (profile - smooth) / (smooth + 0.2) * np.hanning(size)
    power = np.abs(np.fft.rfft(flat))
    frequency = np.fft.rfftfreq(size)
    high = frequency >= _LOWEST
    level = float(np.median(power[high])) + 0.05
    lines = np.asarray(power / level, np.float32)
    best = int(np.argmax(np.where(high, lines, 0)))
    return float(lines[best]), float(frequency[best]), lines


def _combs(view: View) -> dict[str, float]:
    found = {}
    teeth = []
    for axis, name in ((1, "across"), (0, "down")):
        height, at, lines = tooth(comb(view.native_y, axis))
        found[f"comb.{name}"] = float(np.log1p(height))
        found[f"comb.{name}.at"] = at
        teeth.append([_near(lines, 1 / period) for period in _TEETH])
    for place, period in enumerate(_TEETH):
        found[f"comb.of{period}"] = float(np.log1p(min(teeth[0][place], teeth[1][place])))
    found["comb.rows_only"] = float(np.log1p(teeth[1][0]) - np.log1p(teeth[0][0]))
    return found


def _near(lines: Floats, frequency: float) -> float:
    place = round(frequency * 2 * (len(lines) - 1))
    return float(lines[max(place - 1, 0) : place + 2].max()) if len(lines) > 2 else 0.0


def _runs(view: View) -> dict[str, float]:
    """Lines that hardly ever differ from their neighbour, and the colours that there are."""
    found = {}
    for axis, name in ((1, "across"), (0, "down")):
        same = (np.diff(view.native, axis=axis) == 0).all(axis=2).mean(axis=1 - axis)
        never = same > _ALWAYS
        found[f"runs.{name}"] = float(never.mean())
        found[f"runs.{name}.low"] = float(percentile(same, 10)) if same.size else 0.0
        found[f"runs.{name}.longest"] = float(np.log1p(_longest(never)))
    pixels = view.native.astype(np.int64)
    packed = (pixels[..., 0] << 16) | (pixels[..., 1] << 8) | pixels[..., 2]
    found["runs.colours"] = float(np.log10(len(np.unique(packed))))
    return found


def _longest(flags: Floats) -> int:
    edges = np.flatnonzero(np.diff(np.concatenate([[0], flags.astype(np.int8), [0]])))
    return int((edges[1::2] - edges[::2]).max()) if edges.size else 0
