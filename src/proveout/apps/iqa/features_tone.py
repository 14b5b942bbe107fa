"""Tone and colour: where the histogram lies, what it lacks, casts, haze, shifted channels."""

import cv2
import numpy as np
from numpy.typing import NDArray

from proveout.apps.iqa.frame import Floats
from proveout.apps.iqa.quantiles import percentile
from proveout.apps.iqa.view import View, blocks

SHIFTS = range(-4, 5)


def features(view: View) -> dict[str, float]:
    return _histogram(view) | _gaps(view) | _colour(view) | _contrast(view) | _shifts(view)


def histogram(plane: Floats) -> NDArray[np.int64]:
    """Counts of the 256 grey levels of a plane of whole numbers."""
    values = np.clip(np.round(plane), 0, 255).astype(np.uint8)
    return np.bincount(values.ravel(), minlength=256)


def percentiles(counts: NDArray[np.int64], at: tuple[float, ...]) -> NDArray[np.int64]:
    total = np.cumsum(counts)
    return np.asarray(np.searchsorted(total, np.array(at) / 100 * total[-1]), np.int64)


def _histogram(view: View) -> dict[str, float]:
    counts = histogram(view.y)
    at = (0.5, 5, 25, 50, 75, 95, 99.5)
    marks = percentiles(counts, at)
    found = {f"tone.p{p}": float(v) for p, v in zip(at, marks, strict=True)}
    found["tone.range"] = float(marks[6] - marks[0])
    found["tone.mid_range"] = float(marks[4] - marks[2])
    shares = counts / counts.sum()
    levels = np.arange(256)
    mean = float((shares * levels).sum())
    spread = float((shares * (levels - mean) ** 2).sum()) ** 0.5
    found["tone.mean"], found["tone.spread"] = mean, spread
    found["tone.skew"] = float((shares * (levels - mean) ** 3).sum()) / (spread + 1) ** 3
    found["tone.entropy"] = float(-(shares * np.log2(shares + 1e-12)).sum())
    used = np.flatnonzero(shares > 1e-5)
    found["tone.lowest"], found["tone.highest"] = float(used[0]), float(used[-1])
    return found


def _gaps(view: View) -> dict[str, float]:
    """Empty and overfull grey levels per channel, and how many colours there are."""
    found = {}
    per_channel = []
    for index in range(3):
        counts = histogram(view.native[..., index]).astype(np.float64)
        low, high = percentiles(counts.astype(np.int64), (1, 99))
        inner = counts[low : high + 1]
        steps = np.abs(np.diff(inner)).sum() / (inner.sum() + 1)
        per_channel.append(
            (
                float(np.mean(inner <= inner.mean() * 0.02)),
                float(steps),
                float(counts[0] + counts[1]) / counts.sum(),
                float(counts[254] + counts[255]) / counts.sum(),
                float(np.count_nonzero(counts)),
                float(np.flatnonzero(counts)[0]),
                float(np.flatnonzero(counts)[-1]),
            )
        )
    names = ("empty", "comb", "black", "white", "levels", "first", "last")
    for place, name in enumerate(names):
        values = [channel[place] for channel in per_channel]
        found[f"gaps.{name}.low"], found[f"gaps.{name}.high"] = min(values), max(values)
        found[f"gaps.{name}.middle"] = sorted(values)[1]
    pixels = view.native.astype(np.int64)
    packed = (pixels[..., 0] << 16) | (pixels[..., 1] << 8) | pixels[..., 2]
    some = packed.ravel()[:: max(packed.size // 60000, 1)]
    found["gaps.colours"] = float(np.log(len(np.unique(some)) / some.size))
    luma = histogram(view.native_y).astype(np.float64)
    found["gaps.luma_comb"] = float(np.abs(np.diff(luma)).sum() / luma.sum())
    smooth = np.convolve(luma, np.ones(9) / 9, mode="same")
    found["gaps.luma_spikes"] = float(np.mean(luma[smooth > 0] > 3 * smooth[smooth > 0]))
    return found


def _colour(view: View) -> dict[str, float]:
    lab = view.lab[::2, ::2]
    light, a, b = lab[..., 0], lab[..., 1], lab[..., 2]
    chroma = np.hypot(a, b)
    neutral = chroma < 18
    found = {
        "colour.a": float(a.mean()), "colour.b": float(b.mean()),
        "colour.a_spread": float(a.std()), "colour.b_spread": float(b.std()),
        "colour.chroma": float(chroma.mean()),
        "colour.neutral": float(neutral.mean()),
        "colour.neutral_a": float(a[neutral].mean()) if neutral.any() else 0.0,
        "colour.neutral_b": float(b[neutral].mean()) if neutral.any() else 0.0,
    }  # fmt: skip
    for p, value in zip((5, 50, 95, 99), percentile(chroma, [5, 50, 95, 99]), strict=True):
        found[f"colour.chroma_p{p}"] = float(value)
    rgb = view.rgb[::2, ::2]
    red_green = rgb[..., 0] - rgb[..., 1]
    yellow_blue = 0.5 * (rgb[..., 0] + rgb[..., 1]) - rgb[..., 2]
    spread = float(np.hypot(red_green.std(), yellow_blue.std()))
    found["colour.colourfulness"] = spread + 0.3 * float(
        np.hypot(red_green.mean(), yellow_blue.mean())
    )
    highest, lowest = rgb.max(axis=2), rgb.min(axis=2)
    saturation = (highest - lowest) / (highest + 1)
    found["colour.saturation"] = float(saturation.mean())
    found["colour.saturation_p95"] = float(percentile(saturation, 95))
    found["colour.pure"] = float(np.mean((lowest < 3) & (highest > 60)))
    found["colour.by_light"] = float(np.mean((chroma - chroma.mean()) * (light - light.mean()))) / (
        float(chroma.std() * light.std()) + 1
    )
    edges = float(np.abs(np.diff(view.cb, axis=1)).mean() + np.abs(np.diff(view.cr, axis=1)).mean())
    found["colour.detail"] = edges / (float(np.abs(np.diff(view.y, axis=1)).mean()) + 0.3)
    found["colour.detail_by_spread"] = edges / (float(view.cb.std() + view.cr.std()) + 0.5)
    found["colour.twist"] = float(np.mean(np.abs(a[:, 1:] - a[:, :-1]) > 20))
    return found


def dark_channel(view: View) -> Floats:
    """Least of the three channels in a 15-pixel neighbourhood, at half size."""
    least = view.rgb[::2, ::2].min(axis=2)
    return np.asarray(cv2.erode(least, np.ones((15, 15), np.uint8)), np.float32)


def _contrast(view: View) -> dict[str, float]:
    dark = dark_channel(view)
    found = {"dark.mean": float(dark.mean()), "dark.p10": float(percentile(dark, 10))}
    found["dark.p90"] = float(percentile(dark, 90))
    side = 32 if min(view.height, view.width) >= 64 else 8
    spread = blocks(view.y, side).std(axis=(2, 3))
    marks = percentile(spread, [10, 50, 90])
    for p, value in zip((10, 50, 90), marks, strict=True):
        found[f"contrast.p{p}"] = float(value)
    found["contrast.mean"] = float(spread.mean())
    return found


def _shifts(view: View) -> dict[str, float]:
    """Do the edges of red and blue, and of colour and luma, lie where those of green do?"""
    found = {}
    step = [np.asarray(cv2.Sobel(view.rgb[..., k], cv2.CV_32F, 1, 1), np.float32) for k in range(3)]
    for axis, name in ((1, "across"), (0, "down")):
        edges = [np.diff(view.rgb[..., k], axis=axis) for k in range(3)]
        for channel, letter in ((0, "r"), (2, "b")):
            scores = [alike(edges[channel], edges[1], axis, shift) for shift in SHIFTS]
            best = int(np.argmax(scores))
            found[f"shift.{letter}.{name}"] = float(abs(SHIFTS[best]))
            found[f"shift.{letter}.{name}.gain"] = scores[best] - scores[len(scores) // 2]
            found[f"shift.{letter}.{name}.alike"] = scores[len(scores) // 2]
            found[f"shift.{letter}.{name}.lean"] = scores[5] - scores[3]
    found["shift.corners"] = alike(step[0], step[2], 1, 0)
    return found


def alike(one: Floats, other: Floats, axis: int, shift: int) -> float:
    """Correlation of two edge planes, the first moved by `shift` pixels."""
    length = one.shape[axis]
    start, stop = max(shift, 0), length + min(shift, 0)
    if axis == 1:
        first, second = one[::2, start:stop], other[::2, start - shift : stop - shift]
    else:
        first, second = one[start:stop, ::2], other[start - shift : stop - shift, ::2]
    together = float(np.vdot(first, second))
    scale = float(np.vdot(first, first)) ** 0.5 * float(np.vdot(second, second)) ** 0.5
    return float(together / (scale + 1))
