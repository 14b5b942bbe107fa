"""GMSD, MS-GMSD and MDSI: how unevenly the gradients (and the chroma) of a pair agree.

Xue et al. 2013, Zhang et al. 2017, Nafchi et al. 2016. Pooling and zero borders follow `piq`; the
authors' programs filter and drop samples instead, which changes the third digit.
"""

import cv2
import numpy as np

from proveout.apps.iqa.frame import Floats
from proveout.apps.iqa.tools.planes import (
    PREWITT,
    Measured,
    at_least,
    floats,
    gradient,
    half,
    luma,
    mean,
    mix,
    padded_block_mean,
    similarity,
    viewing_factor,
)

GMSD_CONSTANT = 170.0
MS_GMSD_WEIGHTS = (0.096, 0.596, 0.289, 0.019)
MS_GMSD_MASKING = 0.5
MS_GMSD_SIDE = 2 ** len(MS_GMSD_WEIGHTS) + 1

LHM = np.array([[0.2989, 0.587, 0.114], [0.3, 0.04, -0.35], [0.34, -0.6, 0.17]], np.float32)
MDSI_CONSTANTS = (140.0, 55.0, 550.0)
MDSI_GRADIENT_SHARE = 0.6
MDSI_POWER = 0.25
"""Of the values before their deviation is taken, and of that deviation."""


def gmsd(reference: Floats, test: Floats) -> Measured:
    """Standard deviation of the gradient similarity at half size: 0 is perfect."""
    first, second = gradient(half(luma(reference)), PREWITT), gradient(half(luma(test)), PREWITT)
    agreement = similarity(first, second, GMSD_CONSTANT)
    return Measured(_deviation(agreement), floats(1 - agreement))


def ms_gmsd(reference: Floats, test: Floats) -> Measured:
    """GMSD over four scales, with masking of strong gradients; the map is that of half size."""
    first, second = at_least(luma(reference), MS_GMSD_SIDE), at_least(luma(test), MS_GMSD_SIDE)
    total = 0.0
    losses: list[Floats] = []
    for scale, weight in enumerate(MS_GMSD_WEIGHTS):
        if scale:
            first, second = half(first), half(second)
        agreement = _masked_similarity(gradient(first, PREWITT), gradient(second, PREWITT))
        total += weight * _deviation(agreement) ** 2
        losses.append(floats(1 - agreement))
    return Measured(float(np.sqrt(total)), losses[1])


def mdsi(reference: Floats, test: Floats) -> Measured:
    """Mean deviation of gradient and chroma similarity: 0 is perfect. Not symmetric."""
    light_1, *chroma_1 = _pooled(reference)
    light_2, *chroma_2 = _pooled(test)
    edges_1, edges_2 = gradient(light_1, PREWITT), gradient(light_2, PREWITT)
    edges_fused = gradient(floats((light_1 + light_2) / 2), PREWITT)
    between, fused, chroma = MDSI_CONSTANTS
    edges = (
        similarity(edges_1, edges_2, between)
        + similarity(edges_2, edges_fused, fused)
        - similarity(edges_1, edges_fused, fused)
    )
    products = sum(one * other for one, other in zip(chroma_1, chroma_2, strict=True))
    squares = sum(plane * plane for plane in (*chroma_1, *chroma_2))
    colours = (2 * products + chroma) / (squares + chroma)
    combined = floats(MDSI_GRADIENT_SHARE * edges + (1 - MDSI_GRADIENT_SHARE) * colours)
    return Measured(_mean_deviation(combined) ** MDSI_POWER, floats(1 - combined))


def _mean_deviation(values: Floats) -> float:
    """Of the fourth roots; negative values have a complex one, whose phase counts."""
    size = np.sqrt(np.sqrt(np.abs(values)))
    turned = values < 0
    if not turned.any():
        return mean(np.abs(size - np.float32(mean(size))))
    diagonal = np.float32(np.sqrt(0.5))
    real = np.where(turned, size * diagonal, size)
    imaginary = np.where(turned, size * diagonal, np.float32(0))
    return mean(np.hypot(real - np.float32(mean(real)), imaginary - np.float32(mean(imaginary))))


def _masked_similarity(first: Floats, second: Floats) -> Floats:
    product = first * second
    top = (2 - MS_GMSD_MASKING) * product + GMSD_CONSTANT
    bottom = first**2 + second**2 - MS_GMSD_MASKING * product + GMSD_CONSTANT
    return floats(top / bottom)


def _deviation(agreement: Floats) -> float:
    return float(np.std(agreement, dtype=np.float64))


def _pooled(rgb: Floats) -> list[Floats]:
    """Luminance and two planes of chroma."""
    factor = viewing_factor(rgb)
    small = padded_block_mean(rgb, factor, (factor - 1) // 2, cv2.BORDER_CONSTANT)
    return [floats(plane) for plane in cv2.split(mix(small, LHM))]
