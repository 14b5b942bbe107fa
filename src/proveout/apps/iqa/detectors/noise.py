"""Noise of every kind: sigma in flat places, its colour, grain and law, and single wild pixels."""

import cv2
import numpy as np

from proveout.apps.iqa.detectors.reading import Reading, cell_mean, rounded
from proveout.apps.iqa.features_noise import flat_sigmas, impulse_mask, median_sigma
from proveout.apps.iqa.frame import Floats
from proveout.apps.iqa.view import View

_KINDS = (
    "white_noise",
    "correlated_noise",
    "masked_noise",
    "high_frequency_noise",
    "multiplicative_noise",
    "comfort_noise",
    "noisy_compression",
)
_LEAST_BLOCKS = 12


def read(view: View) -> dict[str, Reading]:
    return _luma(view) | {"color_noise": _colour(view), "impulse_noise": _impulse(view)}


def _luma(view: View) -> dict[str, Reading]:
    sigma, luma = flat_sigmas(view)
    usable = (luma > 6) & (luma < 249)
    if int(usable.sum()) < _LEAST_BLOCKS:
        return dict.fromkeys(
            _KINDS, Reading.not_applicable("no place that is neither black nor white")
        )
    low, middle = (float(v) for v in np.percentile(sigma[usable], [20, 60]))
    dark, bright = usable & (luma < 100), usable & (luma > 150)
    facts = rounded(
        {
            "noise_sigma": low,
            "noise_in_shadows": _low(sigma[dark], low),
            "noise_in_lights": _low(sigma[bright], low),
            "noise_in_texture": middle,
        }
    )
    note = f"noise in flat areas has a sigma of {facts['noise_sigma']:.1f} grey levels"
    cells = cell_mean(np.square(view.residuals[..., 0]), view)
    cells = np.sqrt(np.asarray(cv2.GaussianBlur(cells, (0, 0), 1.5), np.float32))
    plain = Reading(max(low - 0.8, 0), facts, note, cells, 0.8)
    found = dict.fromkeys(_KINDS, plain)
    textured = Reading(max(middle - 3.0, 0), facts, note, cells, 0.5)
    return found | {"masked_noise": textured}


def _low(values: Floats, otherwise: float) -> float:
    return float(np.percentile(values, 20)) if values.size >= _LEAST_BLOCKS else otherwise


def _colour(view: View) -> Reading:
    blue, red = (median_sigma(view.residuals[..., k]) for k in (1, 2))
    luma = median_sigma(view.residuals[..., 0])
    power = np.square(view.residuals[..., 1]) + np.square(view.residuals[..., 2])
    cells = np.sqrt(np.asarray(cv2.GaussianBlur(cell_mean(power, view), (0, 0), 1.5), np.float32))
    facts = rounded({"noise_cb": blue, "noise_cr": red, "noise_luma": luma})
    note = (
        f"colour noise has a sigma of {facts['noise_cb']:.1f} (blue) "
        f"and {facts['noise_cr']:.1f} (red) grey levels"
    )
    if float(np.abs(view.cb).mean() + np.abs(view.cr).mean()) < 0.05:
        return Reading.not_applicable("the picture has no colour")
    return Reading(max(max(blue, red) - 0.8, 0), facts, note, cells, 0.7)


def _impulse(view: View) -> Reading:
    mask = impulse_mask(view) * (np.abs(view.median_residual).max(axis=2) > 40)
    share = 100 * float(mask.mean())
    cells = np.asarray(cv2.GaussianBlur(cell_mean(mask, view), (0, 0), 1.5), np.float32)
    facts = rounded({"wild_pixels_percent": share})
    note = f"{facts['wild_pixels_percent']:.2f} % of pixels stand alone against all neighbours"
    return Reading(share, facts, note, cells, 0.85)
