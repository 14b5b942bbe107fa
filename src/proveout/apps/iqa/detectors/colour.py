"""Colour: casts, too much or too little of it, smeared or reduced colours, fringes."""

import cv2
import numpy as np

from proveout.apps.iqa.detectors.reading import Reading, cell_mean, rounded
from proveout.apps.iqa.features_tone import SHIFTS, alike
from proveout.apps.iqa.frame import Floats
from proveout.apps.iqa.view import View

_COLOURLESS = 1.5


def read(view: View) -> dict[str, Reading]:
    chroma = np.hypot(view.lab[..., 1], view.lab[..., 2])
    mean = float(chroma.mean())
    high = float(np.percentile(chroma[::2, ::2], 95))
    facts = rounded({"mean_chroma": mean, "high_chroma": high})
    note = f"mean chroma {facts['mean_chroma']:.0f}, the strongest 5 % above {high:.0f} Lab units"
    cells = cell_mean(chroma.astype(np.float32), view)
    vivid = np.asarray(np.maximum(cells - 20, 0) + 0.01, np.float32)
    pale = np.asarray(1 / (cells + 2), np.float32)
    strong = Reading(max(high - 60, 0), facts, note, vivid, 0.6)
    weak = Reading(max(12 - mean, 0), facts, note, pale, 0.6)
    found = {
        "oversaturation": strong,
        "undersaturation": weak,
        "saturation_change": Reading(max(strong.strength, weak.strength), facts, note, None, 0.4),
        "color_diffusion": _diffusion(view, cells),
        "color_cast": _cast(view),
        "color_quantization": _few_colours(view),
    }
    if mean < _COLOURLESS:
        none = Reading.not_applicable("the picture has no colour")
        found |= dict.fromkeys(("oversaturation", "color_diffusion", "color_cast"), none)
        return found | {"chromatic_aberration": none}
    return found | {"chromatic_aberration": _fringes(view)}


def _diffusion(view: View, cells: Floats) -> Reading:
    """Strong colours without colour detail."""
    detail = float(
        np.abs(np.diff(view.cb, axis=1)).mean() + np.abs(np.diff(view.cr, axis=1)).mean()
    )
    spread = float(view.cb.std() + view.cr.std())
    ratio = spread / (detail + 0.3)
    facts = rounded({"colour_spread": spread, "colour_detail": detail})
    note = (
        f"colours vary by {spread:.0f} levels over the picture but {detail:.1f} from pixel to pixel"
    )
    return Reading(ratio if spread > 20 else 0.0, facts, note, cells, 0.5)


def _cast(view: View) -> Reading:
    """Mean colour of what should be grey: near-neutral places and the edges of everything."""
    lab = view.lab[::2, ::2]
    chroma = np.hypot(lab[..., 1], lab[..., 2])
    light = lab[..., 0]
    usable = (light > 15) & (light < 95)
    if int(usable.sum()) < 200:
        return Reading.not_applicable("too dark or too bright to judge colour balance")
    neutral = usable & (chroma <= np.percentile(chroma[usable], 30))
    a, b = float(lab[..., 1][neutral].mean()), float(lab[..., 2][neutral].mean())
    edge = np.abs(np.diff(view.rgb, axis=1)).reshape(-1, 3).mean(axis=0)
    warm = float(np.log2((edge[0] + 1) / (edge[2] + 1)))
    strength = float(np.hypot(a, b))
    facts = rounded({"neutral_a": a, "neutral_b": b, "cast": strength, "edges_red_to_blue": warm})
    towards = ("yellow" if b > 0 else "blue") if abs(b) > abs(a) else ("red" if a > 0 else "green")
    note = f"the least coloured places lean towards {towards} by {strength:.0f} Lab units"
    return Reading(strength, facts, note, None, 0.5)


def _few_colours(view: View) -> Reading:
    pixels = view.native.astype(np.int64)
    packed = (pixels[..., 0] << 16) | (pixels[..., 1] << 8) | pixels[..., 2]
    count = float(len(np.unique(packed)))
    share = count / packed.size
    levels = max(len(np.unique(pixels[..., channel])) for channel in range(3))
    facts = rounded(
        {"distinct_colours": count, "colours_per_pixel": share, "most_levels": float(levels)}
    )
    note = f"{count:.0f} distinct colours"
    busy = (np.abs(view.residuals[..., 0]) > 4).astype(np.float32)
    flat = np.asarray(cv2.blur(busy, (9, 9)), np.float32)
    strength = max(np.log10(2000 / max(count, 1.0)), 0.0)
    return Reading(float(strength), facts, note, cell_mean(flat, view), 0.7)


def _fringes(view: View) -> Reading:
    """How far red and blue edges have to be moved to lie on the green ones."""
    moved = {}
    gain = 0.0
    for axis, name in ((1, "x"), (0, "y")):
        edges = [np.diff(view.rgb[..., k], axis=axis) for k in range(3)]
        for channel, colour in ((0, "red"), (2, "blue")):
            scores = [alike(edges[channel], edges[1], axis, shift) for shift in SHIFTS]
            best = int(np.argmax(scores))
            moved[f"{colour}_{name}_px"] = float(SHIFTS[best])
            gain = max(gain, scores[best] - scores[len(scores) // 2])
    reach = max(
        np.hypot(moved["red_x_px"], moved["red_y_px"]),
        np.hypot(moved["blue_x_px"], moved["blue_y_px"]),
        np.hypot(moved["red_x_px"] - moved["blue_x_px"], moved["red_y_px"] - moved["blue_y_px"]),
    )
    facts = rounded(moved | {"fringe_px": float(reach), "better_by": gain})
    note = f"red and blue edges lie up to {facts['fringe_px']:.1f} px apart"
    fringed = np.abs(view.residuals[..., 1]) + np.abs(view.residuals[..., 2])
    cells = cell_mean(np.asarray(cv2.blur(fringed, (9, 9)), np.float32), view)
    return Reading(float(reach) * min(gain * 10, 1), facts, note, cells, 0.6)
