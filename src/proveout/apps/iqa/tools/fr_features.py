"""Numbers that describe how a test picture departs from its reference.

The metrics say how much; the rest says in which way, because people forgive a shift of brightness
and do not forgive noise of the same energy. All are measured on a pair reduced to a short side of
about 512 pixels, the size at which no-reference features are measured too.
"""

from collections.abc import Mapping

import cv2
import numpy as np

from proveout.apps.iqa.frame import WORKING_SIDE, Floats
from proveout.apps.iqa.tools.dct import decibels, masked_error
from proveout.apps.iqa.tools.full_reference import METRICS
from proveout.apps.iqa.tools.planes import (
    PREWITT,
    YIQ,
    Measured,
    at_least,
    block_mean,
    floats,
    gradient,
    half,
    mean,
    mix,
)

SMALLEST_SIDE = 48
UNIT_METRICS = ("SSIM", "MS-SSIM", "FSIMc", "VSI", "HaarPSI", "VIFp")
"""Metrics whose perfect value is 1: their distance from it counts on a logarithmic scale."""
TINY = 1e-4
POOLED = ("GMSD", "MDSI", "VSI", "PSNR-HVS-M")
NO_MAP = np.zeros((0, 0), np.float32)


def fr_features(reference: Floats, test: Floats) -> dict[str, float]:
    """By name, in a fixed order."""
    reference, test = reduced(reference), reduced(test)
    measured = {name: _measured(name, reference, test) for name in METRICS}
    planes_1, planes_2 = _planes(reference), _planes(test)
    return {
        **_metric_features(measured),
        **_pooling_features(measured),
        **_tone_features(planes_1, planes_2),
        **_plane_errors(planes_1, planes_2),
        **_detail_features(planes_1, planes_2),
        **_error_features(planes_1[0], planes_2[0]),
        **_grid_features(planes_1[0], planes_2[0]),
        **_channel_features(reference, test),
    }


def _measured(name: str, reference: Floats, test: Floats) -> Measured:
    """A metric; only those maps are held that something is pooled from."""
    found = METRICS[name](reference, test)
    return found if name in POOLED else Measured(found.value, NO_MAP)


def _planes(rgb: Floats) -> list[Floats]:
    return [floats(plane) for plane in cv2.split(mix(rgb, YIQ))]


def reduced(rgb: Floats) -> Floats:
    factor = max(1, round(min(rgb.shape[:2]) / WORKING_SIDE))
    return at_least(block_mean(rgb, factor), SMALLEST_SIDE)


def _metric_features(measured: Mapping[str, Measured]) -> dict[str, float]:
    found = {}
    for name, one in measured.items():
        if name in UNIT_METRICS:
            found[name] = -float(np.log(abs(1 - one.value) + TINY))
            found[f"{name}.excess"] = max(0.0, one.value - 1)
        else:
            found[name] = one.value
    del found["SSIM.excess"], found["MS-SSIM.excess"], found["FSIMc.excess"]
    del found["VSI.excess"], found["HaarPSI.excess"]
    return found


def _pooling_features(measured: Mapping[str, Measured]) -> dict[str, float]:
    """How concentrated the loss is: a few bad places, or a little everywhere."""
    found = {}
    for name in POOLED[:3]:
        loss = measured[name].map
        low, high, top = np.percentile(loss, (50, 90, 99))
        found[f"{name}.median"] = float(low)
        found[f"{name}.p90"] = float(high)
        found[f"{name}.p99"] = float(top)
    blocks = measured[POOLED[3]].map
    found["blocks.peak"] = float(np.log1p(np.percentile(blocks, 99)) - np.log1p(mean(blocks)))
    found["blocks.clean"] = float((blocks < 1).mean())
    return found


def _tone_features(first: list[Floats], second: list[Floats]) -> dict[str, float]:
    """Brightness, contrast and colour as a whole, signed."""
    found = {}
    for name, one, other in zip(("Y", "I", "Q"), first, second, strict=True):
        found[f"shift.{name}"] = (mean(other) - mean(one)) / 25
        found[f"shift.{name}.size"] = abs(mean(other) - mean(one)) / 25
        found[f"stretch.{name}"] = _log_ratio(float(other.std()), float(one.std()), 2.0)
        found[f"apart.{name}"] = float(np.sqrt(max(0.0, 1 - _correlation(one, other))))
    chroma_1, chroma_2 = np.hypot(first[1], first[2]), np.hypot(second[1], second[2])
    found["chroma"] = _log_ratio(mean(chroma_2), mean(chroma_1), 2.0)
    for low, name in ((5, "dark"), (95, "light")):
        ends = np.percentile(second[0], low) - np.percentile(first[0], low)
        found[f"end.{name}"] = float(ends) / 25
    return found


def _plane_errors(first: list[Floats], second: list[Floats]) -> dict[str, float]:
    """Visible error per plane, before and after the best straight line through the tones."""
    found = {}
    for name, one, other in zip(("Y", "I", "Q"), first, second, strict=True):
        centred = other - np.float32(mean(other))
        power = mean(centred * centred)
        slope = mean((one - np.float32(mean(one))) * centred) / power if power > 0.01 else 1.0
        straight = floats(centred * np.float32(slope) + np.float32(mean(one)))
        found[f"visible.{name}"] = decibels(mean(masked_error(one, other)) + 0.02)
        found[f"visible.{name}.straight"] = decibels(mean(masked_error(one, straight)) + 0.02)
        found[f"error.{name}"] = decibels(mean((one - other) ** 2) + 0.02)
    return found


def _detail_features(first: list[Floats], second: list[Floats]) -> dict[str, float]:
    """Gradients gained or lost, fine to coarse."""
    found = {}
    for name, one, other in zip(("Y", "I", "Q"), first, second, strict=True):
        for scale in range(4 if name == "Y" else 2):
            if scale:
                one, other = half(one), half(other)
            edges_1, edges_2 = gradient(one, PREWITT), gradient(other, PREWITT)
            found[f"detail.{name}{scale}"] = _log_ratio(mean(edges_2), mean(edges_1), 0.5)
            if name == "Y":
                quiet = edges_1 <= np.percentile(edges_1, 30)
                found[f"quiet.{scale}"] = _log_ratio(
                    mean(edges_2[quiet]), mean(edges_1[quiet]), 0.5
                )
    return found


def _error_features(first: Floats, second: Floats) -> dict[str, float]:
    """The error itself: how fine, how heavy-tailed, whether on texture or on plain areas."""
    error = second - first
    centred = error - np.float32(mean(error))
    power = mean(centred**2) + 0.05
    found = {"tails": float(np.log(mean(centred**4) / power**2 + 0.1))}
    coarse = centred
    for scale in range(1, 4):
        coarse = half(coarse)
        found[f"coarse.{scale}"] = float(mean(coarse**2) / power)
    found["untouched"] = float((np.abs(error) < 0.75).mean())
    found["extreme"] = float((np.abs(error) > 60).mean() * 10)
    activity = cv2.GaussianBlur(gradient(first, PREWITT), (0, 0), 3)
    plain, busy = np.percentile(activity, (40, 70))
    on_plain, on_busy = mean(centred[activity <= plain] ** 2), mean(centred[activity >= busy] ** 2)
    found["plain"] = _log_ratio(on_plain, on_busy, 0.5)
    found["plain.size"] = float(np.log(on_plain + 0.5))
    local = cv2.boxFilter(floats(centred**2), cv2.CV_32F, (32, 32))
    found["local"] = float(np.log((np.percentile(local, 98) + 0.5) / (np.median(local) + 0.5)))
    return found


def _grid_features(first: Floats, second: Floats) -> dict[str, float]:
    """Steps at every eighth row and column, beyond those of the reference."""
    found = {}
    for axis, name in ((0, "rows"), (1, "columns")):
        jumps_1, jumps_2 = (np.abs(np.diff(plane, axis=axis)) for plane in (first, second))
        other = (1, 0)[axis]
        gained = (jumps_2 - jumps_1).mean(axis=other, dtype=np.float64)
        on_grid = gained[7::8].mean()
        found[f"grid.{name}"] = float(on_grid - np.delete(gained, np.s_[7::8]).mean())
        flat_1, flat_2 = (float((jumps < 0.5).mean()) for jumps in (jumps_1, jumps_2))
        found[f"flat.{name}"] = flat_2 - flat_1
    return found


def _channel_features(reference: Floats, test: Floats) -> dict[str, float]:
    """Whether red, green and blue changed together."""
    # In place and plane by plane: a few copies of the pair would be the largest thing in memory.
    flat = (test - reference).reshape(-1, 3)
    flat *= 255
    flat -= flat.mean(axis=0)
    spread = np.array([flat[:, channel].std() for channel in range(3)]) + 0.5
    together = (flat.T @ flat) / len(flat) / np.outer(spread, spread)
    names = (("red.green", 0, 1), ("red.blue", 0, 2), ("green.blue", 1, 2))
    found = {name: float(together[i, j]) for name, i, j in names}
    found["levels"] = _log_ratio(float(_shades(test)), float(_shades(reference)), 1.0)
    return found


def _shades(rgb: Floats) -> int:
    levels = np.rint(rgb[..., 1] * 255).astype(np.uint8)
    return int(np.count_nonzero(np.bincount(levels.ravel(), minlength=256)))


def _correlation(first: Floats, second: Floats) -> float:
    """1 for a flat reference: there is nothing to lose."""
    centred_1, centred_2 = first - np.float32(mean(first)), second - np.float32(mean(second))
    power_1, power_2 = mean(centred_1 * centred_1), mean(centred_2 * centred_2)
    if power_1 < 1e-4:
        return 1.0
    return mean(centred_1 * centred_2) / float(np.sqrt(power_1 * max(power_2, 1e-4)))


def _log_ratio(over: float, under: float, floor: float) -> float:
    return float(np.log((over + floor) / (under + floor)))
