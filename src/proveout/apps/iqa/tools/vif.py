"""VIFp: visual information fidelity in the pixel domain (Sheikh and Bovik 2006)."""

import cv2
import numpy as np

from proveout.apps.iqa.frame import Floats
from proveout.apps.iqa.tools.planes import Measured, at_least, floats, luma

NOISE_VARIANCE = 2.0
SMALLEST_SIDE = 41
SCALES = 4
EPSILON = 1e-8


def vifp(reference: Floats, test: Floats) -> Measured:
    """1 for an identical pair, above 1 where contrast was added. Not symmetric."""
    original, changed = (
        at_least(luma(reference), SMALLEST_SIDE),
        at_least(luma(test), SMALLEST_SIDE),
    )
    kept = present = EPSILON
    loss: Floats | None = None
    for scale in range(SCALES):
        size = 2 ** (SCALES - scale) + 1
        if scale:
            original, changed = _blur(original, size)[::2, ::2], _blur(changed, size)[::2, ::2]
            original, changed = np.ascontiguousarray(original), np.ascontiguousarray(changed)
        seen, there = _information(original, changed, size)
        kept += float(seen.sum(dtype=np.float64))
        present += float(there.sum(dtype=np.float64))
        loss = floats(there - seen) if loss is None else loss
    assert loss is not None
    return Measured(kept / present, np.maximum(loss, 0))


def _information(original: Floats, changed: Floats, size: int) -> tuple[Floats, Floats]:
    """Bits (to base ten) that the changed picture keeps, and that the original holds, per place."""
    mean_1, mean_2 = _blur(original, size), _blur(changed, size)
    variance_1 = np.maximum(_blur(original * original, size) - mean_1 * mean_1, 0)
    variance_2 = np.maximum(_blur(changed * changed, size) - mean_2 * mean_2, 0)
    covariance = _blur(original * changed, size) - mean_1 * mean_2
    gain = covariance / (variance_1 + EPSILON)
    rest = variance_2 - gain * covariance
    flat_1, flat_2 = variance_1 < EPSILON, variance_2 < EPSILON
    gain[flat_1 | flat_2] = 0
    rest = np.where(flat_1, variance_2, rest)
    rest[flat_2] = 0
    variance_1[flat_1] = 0
    rest = np.where(gain < 0, variance_2, rest)
    gain = np.maximum(gain, 0)
    rest = np.maximum(rest, EPSILON)
    seen = np.log10(1 + gain * gain * variance_1 / (rest + NOISE_VARIANCE))
    return floats(seen), floats(np.log10(1 + variance_1 / NOISE_VARIANCE))


def _blur(plane: Floats, size: int) -> Floats:
    edge = size // 2
    blurred = cv2.GaussianBlur(plane, (size, size), size / 5, borderType=cv2.BORDER_REFLECT_101)
    return floats(blurred[edge:-edge, edge:-edge])
