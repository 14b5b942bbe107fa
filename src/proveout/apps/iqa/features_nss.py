"""Natural-scene statistics: how luma and colour scatter once brightness and contrast are out."""

from math import lgamma

import cv2
import numpy as np

from proveout.apps.iqa.frame import Floats
from proveout.apps.iqa.view import View, halved, smooth

_SHAPES = np.arange(0.15, 10.0, 0.002)


def _ratio_table() -> Floats:
    """Ratio Γ(2/a)² / (Γ(1/a) Γ(3/a)) for each shape a; rises with a, so it can be searched."""
    from_gamma = [np.array([lgamma(k / shape) for shape in _SHAPES]) for k in (1.0, 2.0, 3.0)]
    return np.asarray(np.exp(2 * from_gamma[1] - from_gamma[0] - from_gamma[2]), np.float32)


_RATIOS = _ratio_table()


def shape_of(ratio: float) -> float:
    """Shape of the generalised Gaussian whose E|x|² / E[x²] is `ratio`."""
    place = int(np.searchsorted(_RATIOS, ratio))
    return float(_SHAPES[min(place, len(_SHAPES) - 1)])


def symmetric_fit(values: Floats) -> tuple[float, float]:
    """Shape and standard deviation of a generalised Gaussian."""
    variance = float(np.mean(np.square(values), dtype=np.float64))
    mean = float(np.mean(np.abs(values), dtype=np.float64))
    if variance <= 1e-12:
        return 10.0, 0.0
    return shape_of(mean * mean / variance), variance**0.5


def asymmetric_fit(values: Floats) -> tuple[float, float, float, float]:
    """Shape, mean, left and right spread of an asymmetric generalised Gaussian."""
    square = np.square(values)
    negative = values < 0
    count_left = max(int(np.count_nonzero(negative)), 1)
    count_right = max(values.size - count_left, 1)
    total = float(square.sum(dtype=np.float64))
    left_sum = float(square[negative].sum(dtype=np.float64))
    left, right = (left_sum / count_left) ** 0.5, (max(total - left_sum, 0) / count_right) ** 0.5
    if total <= 1e-9 or right <= 1e-9:
        return 10.0, 0.0, left, right
    gamma = left / right
    mean = float(np.mean(np.abs(values), dtype=np.float64))
    ratio = mean * mean / (total / values.size)
    adjusted = ratio * (gamma**3 + 1) * (gamma + 1) / (gamma * gamma + 1) ** 2
    return shape_of(adjusted), float(np.mean(values, dtype=np.float64)), left, right


def normalised(plane: Floats) -> tuple[Floats, Floats]:
    """The plane locally centred and scaled, and its local standard deviation."""
    mean = smooth(plane)
    sigma = np.sqrt(np.maximum(smooth(plane * plane) - mean * mean, 0))
    return (plane - mean) / (sigma + 1), sigma


def products(mscn: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Neighbours multiplied: across, down, and both diagonals."""
    return (
        mscn[:, :-1] * mscn[:, 1:],
        mscn[:-1] * mscn[1:],
        mscn[:-1, :-1] * mscn[1:, 1:],
        mscn[:-1, 1:] * mscn[1:, :-1],
    )


def features(view: View) -> dict[str, float]:
    found: dict[str, float] = {}
    plane = view.y
    for scale in range(3):
        mscn, sigma = (view.mscn, view.local_sigma) if scale == 0 else normalised(plane)
        found |= _luma(f"nss{scale}", mscn, sigma)
        plane = halved(plane)
    for name, colour in (("cb", view.cb), ("cr", view.cr)):
        found |= _colour(name, colour)
    found |= _log_colour(view)
    return found


def _luma(name: str, mscn: Floats, sigma: Floats) -> dict[str, float]:
    shape, spread = symmetric_fit(mscn)
    cube = mscn * mscn * mscn
    scale = max(spread, 1e-6)
    found = {
        f"{name}.shape": shape,
        f"{name}.spread": spread,
        f"{name}.skew": float(cube.mean(dtype=np.float64)) / scale**3,
        f"{name}.kurtosis": float((cube * mscn).mean(dtype=np.float64)) / scale**4,
        f"{name}.sigma_mean": float(sigma.mean(dtype=np.float64)),
        f"{name}.sigma_cv": float(sigma.std(dtype=np.float64)) / (float(sigma.mean()) + 1),
    }
    for side, product in zip("hvdc", products(mscn), strict=True):
        parts = asymmetric_fit(product)
        for part, value in zip(("shape", "mean", "left", "right"), parts, strict=True):
            found[f"{name}.{side}.{part}"] = value
        found[f"{name}.{side}.correlation"] = parts[1] / (scale * scale)
    return found


def _colour(name: str, plane: Floats) -> dict[str, float]:
    mscn, sigma = normalised(plane)
    shape, spread = symmetric_fit(mscn)
    found = {
        f"{name}.shape": shape,
        f"{name}.spread": spread,
        f"{name}.sigma_mean": float(sigma.mean(dtype=np.float64)),
    }
    scale = max(spread, 1e-6) ** 2
    for side, product in zip("hvd", products(mscn)[:3], strict=True):
        parts = asymmetric_fit(product)
        found[f"{name}.{side}.shape"], found[f"{name}.{side}.right"] = parts[0], parts[3]
        found[f"{name}.{side}.correlation"] = parts[1] / scale
    half, _ = normalised(halved(plane))
    found[f"{name}.half.shape"], found[f"{name}.half.spread"] = symmetric_fit(half)
    found[f"{name}.half.correlation"] = float((half[:, :-1] * half[:, 1:]).mean(dtype=np.float64))
    return found


def _log_colour(view: View) -> dict[str, float]:
    """Opponent colours of log intensities, whose moments colour noise and colour loss change."""
    logs = np.asarray(cv2.log(view.rgb[::2, ::2] + 8.0), np.float32)
    red, green, blue = (logs[..., k] - logs[..., k].mean() for k in range(3))
    found = {}
    for name, plane in (("yellow", red + green - 2 * blue), ("red", red - green)):
        shape, spread = symmetric_fit(plane)
        found[f"log_{name}.shape"], found[f"log_{name}.spread"] = shape, spread
    return found
