"""Faults of form: bands, big pixels, jitter, misplaced pieces, combs, moiré, empty pictures."""

from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from proveout.apps.iqa.detectors.reading import Reading, cell_mean, rounded
from proveout.apps.iqa.features_block import copy_mask
from proveout.apps.iqa.features_map import square_mask
from proveout.apps.iqa.features_tone import histogram
from proveout.apps.iqa.frame import Floats
from proveout.apps.iqa.spectrum import SPECTRUM_SIDE, radii
from proveout.apps.iqa.view import View

_LONGEST_PERIOD = 16
_CLEAR_PEAK = 2.4


def read(view: View) -> dict[str, Reading]:
    return {
        "quantization": _bands(view),
        "pixelation": _big_pixels(view),
        "jitter": _jitter(view),
        "patches": _share(
            copy_mask(view), view, "repeated_percent", "occurs twice, value for value"
        ),
        "local_blocks": _share(
            square_mask(view), view, "one_colour_percent", "is of one exact colour"
        ),
        "moire": _moire(view),
        "interlacing": _combs(view),
        "flat": _flat(view),
        "oversharpening": _brims(view),
    }


def _share(mask: Floats, view: View, fact: str, what: str) -> Reading:
    percent = 100 * float(mask.mean())
    facts = rounded({fact: percent})
    return Reading(
        percent, facts, f"{facts[fact]:.1f} % of the picture {what}", cell_mean(mask, view), 0.7
    )


def _bands(view: View) -> Reading:
    """Empty grey levels, and plateaus that end in small steps."""
    empty = []
    for channel in range(3):
        counts = histogram(view.native[..., channel])
        used = np.flatnonzero(counts > counts.sum() * 1e-5)
        span = int(used[-1] - used[0]) + 1 if used.size else 1
        empty.append(1 - used.size / span)
    missing = 100 * min(empty)
    green = view.native[..., 1]
    kernel = np.ones((5, 5), np.uint8)
    spread = np.asarray(cv2.dilate(green, kernel)) - np.asarray(cv2.erode(green, kernel))
    plateau = cell_mean((spread == 0).astype(np.float32), view)
    facts = rounded(
        {"missing_levels_percent": missing, "plateau_percent": 100 * float(plateau.mean())}
    )
    note = f"{facts['missing_levels_percent']:.0f} % of the grey levels in use are missing"
    return Reading(missing, facts, note, plateau + 0.01, 0.7)


def _big_pixels(view: View) -> Reading:
    """Period at which columns and rows change, when they do not change in between."""
    best, period = 0.0, 1
    across = np.abs(np.diff(view.native_y, axis=1))
    equal = across < 0.5
    profile = across.mean(axis=0)
    for length in range(2, _LONGEST_PERIOD + 1):
        if len(profile) < 4 * length:
            break
        cut = profile[: len(profile) // length * length].reshape(-1, length).mean(axis=0)
        peak = float(cut.max())
        rest = float((cut.sum() - peak) / (length - 1))
        score = (peak - rest) / (peak + rest + 0.5)
        if score > best + 0.02:
            best, period = score, length
    stuck = float(equal.mean())
    strength = period * best if best > 0.5 and stuck > 0.3 else max(stuck - 0.35, 0) * 4
    facts = rounded(
        {"big_pixel_side": float(period), "regularity": best, "equal_percent": 100 * stuck}
    )
    note = f"{facts['equal_percent']:.0f} % of neighbours are equal; changes come every {period} px"
    return Reading(
        strength,
        facts,
        note,
        cell_mean(np.pad(equal, ((0, 0), (0, 1))).astype(np.float32), view),
        0.6,
    )


def _jitter(view: View) -> Reading:
    """Roughness along edges: residual on strong gradients against their height."""
    strong = view.gradient > max(float(np.percentile(view.gradient[::2, ::2], 90)), 6)
    if int(strong.sum()) < 100:
        return Reading.not_applicable("no edges")
    waves = np.abs(view.residuals[..., 0])
    rough = float(waves[strong].mean() / (view.gradient[strong].mean() + 1))
    facts = rounded({"edge_roughness": rough})
    note = f"edges are ragged by {facts['edge_roughness']:.2f} of their slope"
    return Reading(
        max(rough - 0.3, 0) * 4,
        facts,
        note,
        cell_mean((waves * strong).astype(np.float32), view),
        0.4,
    )


@lru_cache(maxsize=1)
def _beside_moire() -> NDArray[np.bool_]:
    """Frequencies at which a peak is no moiré."""
    outside = (radii() <= 0.06) | (radii() >= 0.45)
    # Axes hold the grid of coders and of the frame itself.
    outside[:3] = outside[-3:] = True
    outside[:, :3] = True
    return outside


def _moire(view: View) -> Reading:
    """Narrow peaks in the middle of the spectrum."""
    amplitude = view.spectrum
    power = np.log(amplitude + 20)
    around = np.asarray(cv2.medianBlur(power.astype(np.float32), 5), np.float64)
    above = np.where(_beside_moire(), 0, power - around)
    place = int(np.argmax(above))
    peak = float(above.ravel()[place])
    # A wave of height A gives a peak of A / 8 per squared side under the window in use.
    height = 8 * float(amplitude.ravel()[place]) / SPECTRUM_SIDE**2
    facts = rounded(
        {"peak": peak, "cycles_per_px": float(radii().ravel()[place]), "wave_levels": height}
    )
    note = f"a regular pattern of {facts['cycles_per_px']:.2f} cycles per pixel stands out"
    return Reading(height if peak > _CLEAR_PEAK else 0.0, facts, note, None, 0.4)


def _combs(view: View) -> Reading:
    """Odd against even rows: do neighbours two rows away agree where direct ones do not?"""
    y = view.native_y
    near = np.abs(y[1:-1] - 0.5 * (y[:-2] + y[2:]))
    far = np.abs(y[:-2] - y[2:]) * 0.5
    comb = near > far + 10
    share = 100 * float(comb.mean())
    turned = y.T
    near_across = np.abs(turned[1:-1] - 0.5 * (turned[:-2] + turned[2:]))
    across = 100 * float((near_across > np.abs(turned[:-2] - turned[2:]) * 0.5 + 10).mean())
    excess = max(share - 1.3 * across - 0.5, 0)
    facts = rounded({"combed_percent": share, "combed_across_percent": across})
    note = f"{facts['combed_percent']:.1f} % of pixels belong to one-row combs"
    cells = cell_mean(np.pad(comb, ((1, 1), (0, 0))).astype(np.float32), view)
    return Reading(excess, facts, note, cells, 0.7)


def _flat(view: View) -> Reading:
    """How much of the picture is one single colour, or a dead lower end."""
    pixels = view.native.astype(np.int64)
    packed = ((pixels[..., 0] << 16) | (pixels[..., 1] << 8) | pixels[..., 2]).ravel()
    _, counts = np.unique(packed, return_counts=True)
    share = 100 * float(counts.max()) / packed.size
    rows = view.native.reshape(view.native.shape[0], -1)
    dead = (rows.max(axis=1) - rows.min(axis=1)) < 1
    tail = int(np.argmin(dead[::-1])) if not dead.all() else len(dead)
    ending = 100 * tail / len(dead)
    facts = rounded({"one_colour_percent": share, "dead_lower_percent": ending})
    note = f"{share:.0f} % of the picture is one colour; the lowest {ending:.0f} % is empty"
    strength = max(share - 60, ending if ending > 5 else 0, 0)
    return Reading(strength, facts, note, None, 0.9)


def _brims(view: View) -> Reading:
    """Height of the brim at strong edges, against the edge."""
    soft = np.asarray(cv2.GaussianBlur(view.y, (0, 0), 2.5), np.float32)
    strong = view.gradient > max(float(np.percentile(view.gradient[::2, ::2], 94)), 10)
    if int(strong.sum()) < 100:
        return Reading.not_applicable("no strong edges")
    brim = np.abs(view.y - soft)
    ratio = float(brim[strong].mean() / (view.gradient[strong].mean() + 1))
    slope = float(view.gradient[strong].mean())
    facts = rounded({"edge_slope": slope, "brim_ratio": ratio})
    note = f"strong edges rise by {facts['edge_slope']:.0f} grey levels per pixel"
    cells = cell_mean((brim * strong).astype(np.float32), view)
    return Reading(max(ratio - 0.9, 0) + max(slope - 35, 0) / 20, facts, note, cells, 0.5)
