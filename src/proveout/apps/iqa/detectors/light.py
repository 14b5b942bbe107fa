"""Exposure, clipping, contrast, haze and fall-off towards the corners."""

import numpy as np

from proveout.apps.iqa.detectors.reading import CELL, Reading, cell_mean, rounded
from proveout.apps.iqa.features_mood import fall_off
from proveout.apps.iqa.features_tone import dark_channel, histogram, percentiles
from proveout.apps.iqa.view import View

_AT = (1.0, 5.0, 50.0, 95.0, 99.0)


def read(view: View) -> dict[str, Reading]:
    marks = [float(v) for v in percentiles(histogram(view.y), _AT)]
    return _exposure(view, marks) | _contrast(view, marks) | {"vignetting": _vignetting(view)}


def _exposure(view: View, marks: list[float]) -> dict[str, Reading]:
    white = (view.rgb >= 252).all(axis=2).astype(np.float32)
    black = (view.rgb <= 3).all(axis=2).astype(np.float32)
    bright = (view.y > 235).astype(np.float32)
    dark = (view.y < 24).astype(np.float32)
    any_clipped = ((view.rgb >= 254) | (view.rgb <= 1)).any(axis=2).astype(np.float32)
    mean = float(view.y.mean())
    facts = rounded(
        {
            "mean_luma": mean,
            "median_luma": marks[2],
            "bright_end": marks[3],
            "white_percent": 100 * float(white.mean()),
            "black_percent": 100 * float(black.mean()),
            "bright_percent": 100 * float(bright.mean()),
            "dark_percent": 100 * float(dark.mean()),
            "clipped_percent": 100 * float(any_clipped.mean()),
        }
    )
    over = facts["bright_percent"] + max(mean - 150, 0)
    under = facts["dark_percent"] + max(70 - mean, 0)
    bright_note = (
        f"mean luma {mean:.0f} of 255; {facts['bright_percent']:.0f} % of pixels near white"
    )
    dark_note = f"mean luma {mean:.0f} of 255; {facts['dark_percent']:.0f} % of pixels near black"
    clipped_note = f"{facts['clipped_percent']:.1f} % of pixels have a channel at its end"
    lights = cell_mean(np.maximum(view.y - 190, 0), view) + 0.01
    shadows = cell_mean(np.maximum(60 - view.y, 0), view) + 0.01
    return {
        "overexposure": Reading(over, facts, bright_note, lights, 0.7),
        "underexposure": Reading(under, facts, dark_note, shadows, 0.7),
        "clipping": Reading(
            facts["white_percent"] + 0.5 * facts["black_percent"],
            facts,
            clipped_note,
            cell_mean(np.asarray(any_clipped, np.float32), view),
            0.9,
        ),
        "mean_shift": Reading(abs(mean - 118), facts, bright_note, None, 0.2),
    }


def _contrast(view: View, marks: list[float]) -> dict[str, Reading]:
    span = marks[4] - marks[0]
    local = float(np.median(view.local_sigma[::2, ::2]))
    dark = dark_channel(view)
    veil = 100 * float(np.percentile(dark, 20)) / 255
    facts = rounded(
        {
            "tonal_range": span,
            "darkest": marks[0],
            "brightest": marks[4],
            "local_contrast": local,
            "veil_percent": veil,
        }
    )
    low_note = f"98 % of tones lie within {span:.0f} of 255 levels, from {marks[0]:.0f} upwards"
    haze_note = f"a veil of about {facts['veil_percent']:.0f} % lies even over the darkest places"
    flatness = np.asarray(1 / (cell_mean(view.local_sigma, view) + 4), np.float32)
    reading = Reading(max(200 - span, 0), facts, low_note, flatness, 0.6)
    veiled = np.asarray(cell_mean(dark, view) + 0.01, np.float32)
    return {
        "low_contrast": reading,
        "contrast_change": Reading(abs(span - 215), facts, low_note, flatness, 0.4),
        "haze": Reading(veil, facts, haze_note, veiled, 0.5),
    }


def _vignetting(view: View) -> Reading:
    """How much light the corners have lost, by the slope of smooth places all over the frame."""
    height, width = view.height // CELL, view.width // CELL
    if min(height, width) < 6:
        return Reading.not_applicable("too small for corners")
    y, x = np.mgrid[-1 : 1 : height * 1j, -1 : 1 : width * 1j]
    shade = np.asarray((x * x + y * y) / 2, np.float32)
    facts = rounded({"light_lost_percent": 100 * fall_off(view)})
    note = f"the corners have lost about {facts['light_lost_percent']:.0f} % of the light"
    return Reading(facts["light_lost_percent"], facts, note, shade, 0.5)
