"""PSNR, SSIM and MS-SSIM.

SSIM and MS-SSIM are measured on luma, as their authors do; the average pooling before SSIM and
between the scales of MS-SSIM follows `piq` (the authors filter and then drop every other sample).
"""

import cv2
import numpy as np

from proveout.apps.iqa.frame import Floats
from proveout.apps.iqa.tools.planes import (
    Measured,
    at_least,
    block_mean,
    floats,
    luma,
    mean,
    viewing_factor,
)

WINDOW = 11
SIGMA = 1.5
FIRST_CONSTANT = 0.01**2
SECOND_CONSTANT = 0.03**2
SCALE_WEIGHTS = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333)
MS_SSIM_SIDE = (WINDOW - 1) * 2 ** (len(SCALE_WEIGHTS) - 1) + 1
STRIP_ROWS = 64
"""Worked through at once: few enough to stay in the processor's cache."""
LOSSLESS_DB = 80.0
"""PSNR of an identical pair: the error is then bounded below by 1e-8, as in `piq`."""


def psnr(reference: Floats, test: Floats) -> Measured:
    """Over the three channels together, in dB."""
    loss = np.empty(reference.shape[:2], np.float32)
    for top in range(0, len(loss), STRIP_ROWS):
        strip = slice(top, top + STRIP_ROWS)
        apart = floats(cv2.absdiff(reference[strip], test[strip]))
        np.multiply(apart, apart, out=apart)
        cv2.transform(apart, np.full((1, 3), 1 / 3, np.float32), loss[strip])
    return Measured(float(-10 * np.log10(mean(loss) + 1e-8)), loss)


def ssim(reference: Floats, test: Floats, *, reduce: bool = True) -> Measured:
    """`reduce=False` compares at full size, as scikit-image does."""
    first, second = luma(reference, 1.0), luma(test, 1.0)
    factor = viewing_factor(first) if reduce else 1
    structure, _ = ssim_maps(
        at_least(block_mean(first, factor), WINDOW), at_least(block_mean(second, factor), WINDOW)
    )
    return Measured(mean(structure), floats(1 - structure))


def ms_ssim(reference: Floats, test: Floats) -> Measured:
    """Pictures with a side under 161 pixels are mirrored outwards to that size."""
    first = at_least(luma(reference, 1.0), MS_SSIM_SIDE)
    second = at_least(luma(test, 1.0), MS_SSIM_SIDE)
    value = 1.0
    loss: Floats | None = None
    for scale, weight in enumerate(SCALE_WEIGHTS):
        if scale:
            first, second = _next_scale(first), _next_scale(second)
        structure, contrast = ssim_maps(first, second)
        last = scale == len(SCALE_WEIGHTS) - 1
        value *= max(0.0, mean(structure if last else contrast)) ** weight
        loss = floats(1 - contrast) if loss is None else loss
    assert loss is not None
    return Measured(value, loss)


def ssim_maps(first: Floats, second: Floats) -> tuple[Floats, Floats]:
    """SSIM and its contrast-structure part, where the window lies within the picture."""
    mean_1, mean_2 = _blur(first), _blur(second)
    squares, product = mean_1 * mean_1 + mean_2 * mean_2, mean_1 * mean_2
    variance = _blur(first * first + second * second) - squares
    covariance = _blur(first * second) - product
    contrast = (2 * covariance + SECOND_CONSTANT) / (variance + SECOND_CONSTANT)
    light = (2 * product + FIRST_CONSTANT) / (squares + FIRST_CONSTANT)
    return floats(light * contrast), floats(contrast)


def _blur(plane: Floats) -> Floats:
    edge = WINDOW // 2
    blurred = cv2.GaussianBlur(plane, (WINDOW, WINDOW), SIGMA, borderType=cv2.BORDER_REFLECT_101)
    return floats(blurred[edge:-edge, edge:-edge])


def _next_scale(plane: Floats) -> Floats:
    odd = max(plane.shape[0] % 2, plane.shape[1] % 2)
    if odd:
        plane = floats(cv2.copyMakeBorder(plane, odd, 0, odd, 0, cv2.BORDER_REPLICATE))
    return block_mean(plane, 2)
