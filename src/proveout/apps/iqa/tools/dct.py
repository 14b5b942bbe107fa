"""PSNR-HVS-M and a PSNR-HA-like measure: errors weighed as the eye does, block by block.

Differences of 8 × 8 DCT coefficients count by contrast sensitivity and are masked by the texture of
their block (Ponomarenko et al. 2007). Both tables follow from the luminance table of the JPEG
standard. The second measure adds what those authors add later (2011): mean shift and a change of
contrast are taken out, forgiven in part, and put back; chroma counts at half the weight of luma.
Its masking and constants are of our choosing, so its values are its own.
"""

from typing import NamedTuple

import numpy as np
import scipy.fft

from proveout.apps.iqa.frame import Floats
from proveout.apps.iqa.tools.planes import YIQ, Measured, at_least, floats, luma, mean, mix

JPEG_LUMINANCE = np.array(
    [
        [16, 11, 10, 16, 24, 40, 51, 61],
        [12, 12, 14, 19, 26, 58, 60, 55],
        [14, 13, 16, 24, 40, 57, 69, 56],
        [14, 17, 22, 29, 51, 87, 80, 62],
        [18, 22, 37, 56, 68, 109, 103, 77],
        [24, 35, 55, 64, 81, 104, 113, 92],
        [49, 64, 78, 87, 103, 121, 120, 101],
        [72, 92, 95, 98, 112, 100, 103, 99],
    ],
    np.float32,
)
BLOCK = 8
SENSITIVITY = floats(25.735088 / JPEG_LUMINANCE).ravel()
MASKING = floats((10 / JPEG_LUMINANCE) ** 2).ravel()
HIDDEN = 1 / MASKING
HIDDEN[0] = 0
"""The mean of a block (its first coefficient) is never masked."""
_COSINES = floats(scipy.fft.dct(np.eye(BLOCK), axis=0, norm="ortho"))
TRANSFORM = np.ascontiguousarray(np.kron(_COSINES, _COSINES).T)
"""64 × 64: the DCT of a block as one product of matrices."""
_HALVES = floats(np.kron(np.eye(2), np.ones((4, 1))))
QUARTERS = np.ascontiguousarray(np.kron(_HALVES, _HALVES))
"""64 × 4: which quarter of its block a pixel lies in."""
CEILING_DB = 100.0
FORGIVEN_SHIFT, FORGIVEN_STRETCH = 0.04, 0.1
CHROMA_WEIGHT = 0.5


def psnr_hvs_m(reference: Floats, test: Floats) -> Measured:
    """On luma, in dB; 100 for an identical pair. Symmetric: the stronger mask of the two counts."""
    loss = masked_error(luma(reference), luma(test))
    return Measured(decibels(mean(loss)), loss)


def psnr_ha(reference: Floats, test: Floats) -> Measured:
    loss = np.zeros((1, 1), np.float32)
    for channel, weight in enumerate((1.0, CHROMA_WEIGHT, CHROMA_WEIGHT)):
        row = YIQ[channel : channel + 1]
        loss = floats(loss + weight * _corrected_error(mix(reference, row), mix(test, row)))
    return Measured(decibels(mean(loss) / (1 + 2 * CHROMA_WEIGHT)), loss)


def decibels(error: float) -> float:
    return float(min(CEILING_DB, 10 * np.log10(255**2 / max(error, 1e-12))))


class Seen(NamedTuple):
    """A plane as blocks of frequencies, with what each block hides."""

    spectrum: Floats
    """Blocks × 64."""
    mask: Floats
    grid: tuple[int, int]
    """Blocks down and across."""


def masked_error(first: Floats, second: Floats) -> Floats:
    """Mean squared visible error per block."""
    return apart(look(first), look(second))


def look(plane: Floats) -> Seen:
    plane = at_least(plane, BLOCK)
    rows, columns = plane.shape[0] // BLOCK, plane.shape[1] // BLOCK
    whole = plane[: rows * BLOCK, : columns * BLOCK]
    blocks = whole.reshape(rows, BLOCK, columns, BLOCK).transpose(0, 2, 1, 3)
    flat = np.ascontiguousarray(blocks).reshape(-1, BLOCK * BLOCK)
    spectrum = floats(flat @ TRANSFORM)
    return Seen(spectrum, _mask(flat, spectrum), (rows, columns))


def apart(first: Seen, second: Seen) -> Floats:
    mask = np.maximum(first.mask, second.mask)
    visible = np.abs(first.spectrum - second.spectrum)
    visible -= mask[:, None] * HIDDEN
    np.maximum(visible, 0, out=visible)
    visible *= SENSITIVITY
    return floats(np.einsum("ij,ij->i", visible, visible) / BLOCK**2).reshape(first.grid)


def _corrected_error(first: Floats, second: Floats) -> Floats:
    """Error of one plane; most of a uniform shift and of a uniform stretch is forgiven."""
    mean_1, mean_2 = mean(first), mean(second)
    centred = second - np.float32(mean_2)
    power = mean(centred * centred)
    stretch = mean((first - np.float32(mean_1)) * centred) / power if power > 1e-6 else 1.0
    if stretch <= 0:
        return masked_error(first, second)
    original = look(first)
    centred *= np.float32(stretch)
    centred += np.float32(mean_1)
    after_both = apart(original, look(centred))
    after_shift = apart(original, look(floats(second + np.float32(mean_1 - mean_2))))
    by_stretch = max(0.0, mean(after_shift) - mean(after_both)) * FORGIVEN_STRETCH
    by_shift = (mean_1 - mean_2) ** 2 * FORGIVEN_SHIFT
    best = after_both if mean(after_both) <= mean(after_shift) else after_shift
    return floats(best + np.float32(by_stretch + by_shift))


def _mask(blocks: Floats, spectrum: Floats) -> Floats:
    """How much error the texture of a block hides; edges hide less than even texture."""
    energy = (spectrum[:, 1:] ** 2) @ MASKING[1:]
    squares = blocks * blocks
    sums, powers = blocks @ QUARTERS, squares @ QUARTERS
    part = BLOCK * BLOCK // 4
    quarters = np.maximum(powers - sums * sums / part, 0).sum(axis=1) * part / (part - 1)
    count = BLOCK * BLOCK
    total = np.maximum(powers.sum(axis=1) - sums.sum(axis=1) ** 2 / count, 0) * count / (count - 1)
    evenness = np.divide(quarters, total, out=np.zeros_like(total), where=total > 1e-3)
    return floats(np.sqrt(energy * evenness) / 32)
