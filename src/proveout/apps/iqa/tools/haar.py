"""HaarPSI: agreement of Haar wavelet coefficients (Reisenhofer et al. 2018).

The 2 × 2 averaging before the transform takes blocks, as `piq` does; the authors' program takes the
average around each pixel and drops every other one.
"""

import cv2
import numpy as np

from proveout.apps.iqa.frame import Floats
from proveout.apps.iqa.tools.planes import YIQ, Measured, at_least, floats, half, mix, similarity

CONSTANT = 30.0
STEEPNESS = 4.2
SMALLEST_SIDE = 16


def haarpsi(reference: Floats, test: Floats) -> Measured:
    first, second = _halved(reference), _halved(test)
    weights: list[Floats] = []
    agreements: list[Floats] = []
    for vertical in (False, True):
        fine_1, middle_1, coarse_1 = _coefficients(first[0], vertical=vertical)
        fine_2, middle_2, coarse_2 = _coefficients(second[0], vertical=vertical)
        weights.append(np.maximum(coarse_1, coarse_2))
        agreements.append(
            floats(
                (similarity(fine_1, fine_2, CONSTANT) + similarity(middle_1, middle_2, CONSTANT))
                / 2
            )
        )
    weights.append(floats((weights[0] + weights[1]) / 2))
    chroma = [
        similarity(_around(one), _around(other), CONSTANT)
        for one, other in zip(first[1:], second[1:], strict=True)
    ]
    agreements.append(floats((chroma[0] + chroma[1]) / 2))
    return _pool(weights, agreements)


def _pool(weights: list[Floats], agreements: list[Floats]) -> Measured:
    epsilon = float(np.finfo(np.float32).eps)
    top = bottom = 0.0
    weighted = np.zeros_like(weights[0], np.float64)
    for weight, agreement in zip(weights, agreements, strict=True):
        seen = 1 / (1 + np.exp(-STEEPNESS * agreement.astype(np.float64)))
        top += float((seen * weight).sum())
        bottom += float(weight.sum(dtype=np.float64))
        weighted += (1 - agreement) * weight
    share = (top + epsilon) / (bottom + epsilon)
    if bottom == 0:
        # Two flat pictures of the same brightness everywhere have nothing to weigh.
        share = float(1 / (1 + np.exp(-STEEPNESS * np.mean(agreements))))
    value = (np.log(share / (1 - share)) / STEEPNESS) ** 2
    scale = max(bottom / weights[0].size, epsilon)
    return Measured(float(value), floats(weighted / scale))


def _halved(rgb: Floats) -> tuple[Floats, Floats, Floats]:
    planes = cv2.split(half(mix(at_least(rgb, SMALLEST_SIDE), YIQ)))
    return floats(planes[0]), floats(planes[1]), floats(planes[2])


def _coefficients(plane: Floats, *, vertical: bool) -> tuple[Floats, Floats, Floats]:
    """Magnitudes of the Haar responses of width 2, 4 and 8."""
    fine, middle, coarse = (_response(plane, size, vertical=vertical) for size in (2, 4, 8))
    return fine, middle, coarse


def _response(plane: Floats, size: int, *, vertical: bool) -> Floats:
    step = np.ones(size, np.float32)
    step[size // 2 :] = -1
    flat = np.full(size, 1 / size, np.float32)
    horizontal_kernel, vertical_kernel = (flat, step) if vertical else (step, flat)
    anchor = (size // 2 - 1, size // 2 - 1)
    response = cv2.sepFilter2D(
        plane,
        cv2.CV_32F,
        horizontal_kernel,
        vertical_kernel,
        anchor=anchor,
        borderType=cv2.BORDER_CONSTANT,
    )
    return np.abs(floats(response))


def _around(plane: Floats) -> Floats:
    """Magnitude of the mean with the right and lower neighbours."""
    means = cv2.boxFilter(plane, cv2.CV_32F, (2, 2), anchor=(0, 0), borderType=cv2.BORDER_CONSTANT)
    return np.abs(floats(means))
