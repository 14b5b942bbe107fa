"""Light and colour over the whole frame, from a small copy: fall-off to the corners, faint colours.

What a lens does to the light, it does everywhere: a fall-off makes every smooth place a little
darker on its outer side, whatever is shown there. So slopes are measured, not levels, along the
radius, and content (which slopes either way) cancels in their median. Faint colours are told from
grey subjects by the strongest colours and by colour edges: a photo nearly always has some.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from proveout.apps.iqa.frame import Floats
from proveout.apps.iqa.quantiles import each_percentile, percentile
from proveout.apps.iqa.view import View, highest, lowest, once

LONG_SIDE = 128
_SECTORS = 8
_BANDS = ((0.08, 0.25), (0.25, 0.5), (0.5, 1.01))
"""Of the squared radius; the corners are at one."""
_RINGS = ((0.0, 0.3), (0.3, 0.5), (0.5, 0.7), (0.7, 0.85), (0.85, 1.01))
_RING_MARKS = (50, 90, 97)
_REACH_MARKS = (5, 25, 50, 75, 90, 95, 99, 99.7)
_LEAST_CELLS = 30
_DARK, _BRIGHT = 8, 250
"""Outside of these a slope says nothing about the light."""


def features(view: View) -> dict[str, float]:
    """Every measure by name; zeros where the picture gives nothing to go by."""
    small = _small(view)
    return _slopes(view) | _levels(small) | _colours(small) | _faintness(small)


def fall_off(view: View) -> float:
    """Share of light that the corners have lost, from the median slope along the radius."""
    return float(1 - np.exp(-max(_slopes(view)["slope.middle"], 0.0)))


@once
def _small(view: View) -> Floats:
    scale = min(LONG_SIDE / max(view.height, view.width), 1.0)
    size = (max(round(view.width * scale), 8), max(round(view.height * scale), 8))
    return np.asarray(cv2.resize(view.rgb, size, interpolation=cv2.INTER_AREA), np.float32)


def _middle(values: Floats, weights: Floats) -> float:
    """Weighted median."""
    order = np.argsort(values, kind="stable")
    total = np.cumsum(weights[order])
    return float(values[order][np.searchsorted(total, total[-1] / 2)])


def _luma(small: Floats) -> Floats:
    return np.asarray(small @ np.array([0.299, 0.587, 0.114], np.float32), np.float32)


def _places(shape: tuple[int, ...]) -> tuple[Floats, Floats]:
    """Row and column of every cell from -1 to 1."""
    y, x = np.mgrid[-1 : 1 : shape[0] * 1j, -1 : 1 : shape[1] * 1j]
    return np.asarray(y, np.float32), np.asarray(x, np.float32)


@once
def _slopes(view: View) -> dict[str, float]:
    """How log luma falls along the radius, as the factor of a parabola, over all and by place."""
    names = ("middle", "spread", "ratio", "share", "low", "second", "sectors", "share_low",
             "share_second", "share_sectors", "counted")  # fmt: skip
    found = {f"slope.{name}": 0.0 for name in names}
    found |= {f"slope.{kind}{k}": 0.0 for k in range(len(_BANDS)) for kind in ("band", "share")}
    small = _small(view)
    luma = _luma(small)
    log = np.log(luma + 3)
    y, x = (place[1:-1, 1:-1] for place in _places(luma.shape))
    across = (log[1:-1, 2:] - log[1:-1, :-2]) * (luma.shape[1] - 1) / 4
    down = (log[2:, 1:-1] - log[:-2, 1:-1]) * (luma.shape[0] - 1) / 4
    square = np.asarray((x * x + y * y) / 2, np.float32)
    usable = (luma[1:-1, 1:-1] > _DARK) & (highest(small)[1:-1, 1:-1] < _BRIGHT)
    usable &= square > _BANDS[0][0]
    if int(usable.sum()) < 4 * _LEAST_CELLS:
        return found
    weight = square[usable]
    outward = np.asarray(-(x * across + y * down)[usable] / (2 * weight), np.float32)
    around = np.asarray((y * across - x * down)[usable] / (2 * weight), np.float32)
    spread = _middle(np.abs(around), weight) + 0.02
    overall = _middle(outward, weight)
    found |= {
        "slope.middle": overall, "slope.spread": spread, "slope.ratio": overall / spread,
        "slope.share": _falling(outward, weight), "slope.counted": float(usable.mean()),
    }  # fmt: skip
    turn = (np.arctan2(y, x)[usable] + np.pi) / (2 * np.pi) * _SECTORS
    found |= _by_sector(outward, weight, turn.astype(np.int64) % _SECTORS)
    for k, (inner, outer) in enumerate(_BANDS):
        inside = (weight > inner) & (weight <= outer)
        if int(inside.sum()) >= _LEAST_CELLS:
            found[f"slope.band{k}"] = _middle(outward[inside], weight[inside])
            found[f"slope.share{k}"] = _falling(outward[inside], weight[inside])
    return found


def _falling(outward: Floats, weight: Floats) -> float:
    """Weighted share of cells that darken outwards, less a half."""
    return float(weight[outward > 0].sum() / weight.sum()) - 0.5


def _by_sector(outward: Floats, weight: Floats, sector: NDArray[np.int64]) -> dict[str, float]:
    """The least steep sectors: a fall-off is in all of them, a dark subject in some."""
    chosen = [sector == k for k in range(_SECTORS)]
    chosen = [inside for inside in chosen if int(inside.sum()) >= _LEAST_CELLS]
    if len(chosen) < 2:
        return {}
    steep = sorted(_middle(outward[inside], weight[inside]) for inside in chosen)
    share = sorted(_falling(outward[inside], weight[inside]) for inside in chosen)
    return {
        "slope.low": steep[0], "slope.second": steep[1], "slope.sectors": float(np.median(steep)),
        "slope.share_low": share[0], "slope.share_second": share[1],
        "slope.share_sectors": float(np.median(share)),
    }  # fmt: skip


def _levels(small: Floats) -> dict[str, float]:
    """Log luma by ring, corner and side, and the parabola that fits it best."""
    log = np.log(_luma(small) + 3)
    y, x = _places(log.shape)
    radius = np.hypot(x, y) / 2**0.5
    found: dict[str, float] = {}
    rings = [log[(radius >= inner) & (radius < outer)] for inner, outer in _RINGS]
    ranked = [each_percentile(ring, _RING_MARKS) for ring in rings]
    for place, mark in enumerate(_RING_MARKS):
        profile = [marks[place] for marks in ranked]
        found |= {f"level.p{mark}.{k}": profile[k] - profile[0] for k in range(1, len(_RINGS))}
        found[f"level.p{mark}.rise"] = float(np.diff(profile).max())
    corners = {
        (a, b): float(np.median(log[(radius > 0.75) & (x * a > 0) & (y * b > 0)]))
        for a in (-1, 1)
        for b in (-1, 1)
    }
    ends = {(a, 0): float(np.median(log[(np.abs(y) < 0.3) & (x * a > 0.8)])) for a in (-1, 1)}
    ends |= {(0, b): float(np.median(log[(np.abs(x) < 0.3) & (y * b > 0.8)])) for b in (-1, 1)}
    beside = [value - ends[a, 0] for (a, _), value in corners.items()]
    beside += [value - ends[0, b] for (_, b), value in corners.items()]
    found |= {f"level.beside{k}": value for k, value in enumerate(sorted(beside))}
    middle = float(np.median(log[radius < 0.35]))
    found["level.corner_high"] = max(corners.values()) - middle
    found["level.corner_low"] = min(corners.values()) - middle
    terms = (np.ones_like(x), x, y, (x * x + y * y) / 2, x * y, x * x - y * y)
    basis = np.stack([term.ravel().astype(np.float64) for term in terms], axis=1)
    factor = np.linalg.lstsq(basis, log.ravel().astype(np.float64), rcond=None)[0]
    found["level.parabola"] = float(factor[3])
    found["level.tilt"] = float(np.hypot(factor[1], factor[2]))
    found["level.rest"] = float(np.std(log.ravel() - basis @ factor))
    found["level.spread"] = float(log.std())
    return found


def _colours(small: Floats) -> dict[str, float]:
    """How far colours reach, from grey and from the picture's own middle colour."""
    lab = np.asarray(cv2.cvtColor(small / 255, cv2.COLOR_RGB2LAB), np.float32)
    light, a, b = (lab[..., k].ravel() for k in range(3))
    middle = (float(np.median(a)), float(np.median(b)))
    chroma, apart = np.hypot(a, b), np.hypot(a - middle[0], b - middle[1])
    found = {"reach.middle": float(np.hypot(*middle)), "reach.mean": float(chroma.mean())}
    reached = each_percentile(chroma, _REACH_MARKS), each_percentile(apart, _REACH_MARKS)
    for mark, whole, own in zip(_REACH_MARKS, *reached, strict=True):
        found[f"reach.p{mark}"], found[f"reach.apart{mark}"] = whole, own
    found["reach.tail"] = found["reach.apart99"] / (found["reach.apart50"] + 0.5)
    found["reach.tail_far"] = found["reach.apart99.7"] / (found["reach.apart75"] + 0.5)
    low, high = percentile(light, [20, 80])
    found["reach.lights"] = float(chroma[light >= high].mean())
    found["reach.shadows"] = float(chroma[light <= low].mean())
    narrow, wide = np.sqrt(np.maximum(np.linalg.eigvalsh(np.cov(np.stack([a, b]))), 0))
    found |= {"reach.wide": float(wide), "reach.round": float(narrow / (wide + 0.3))}
    found["reach.hues"] = _entropy(np.arctan2(b, a), chroma)
    found["reach.hues_apart"] = _entropy(np.arctan2(b - middle[1], a - middle[0]), apart)
    return found


def _entropy(angle: Floats, weight: Floats) -> float:
    counts = np.histogram(angle, bins=24, range=(-np.pi, np.pi), weights=weight)[0]
    shares = counts / (counts.sum() + 1e-6)
    return float(-(shares * np.log(shares + 1e-9)).sum())


def _faintness(small: Floats) -> dict[str, float]:
    """Saturation, and colour edges against edges of light."""
    most = highest(small)
    saturation = (most - lowest(small)) / (most + 1)
    marks = percentile(saturation, [50, 90, 99])
    found = {f"faint.p{p}": float(v) for p, v in zip((50, 90, 99), marks, strict=True)}
    lab = np.asarray(cv2.cvtColor(small / 255, cv2.COLOR_RGB2LAB), np.float32)
    light = np.abs(np.diff(lab[..., 0], axis=1))
    colour = np.hypot(np.diff(lab[..., 1], axis=1), np.diff(lab[..., 2], axis=1))
    found["faint.edges"] = float(colour.mean() / (light.mean() + 0.1))
    strong = float(percentile(colour, 99))
    found["faint.strong_edges"] = strong / (float(percentile(light, 99)) + 0.1)
    return found
