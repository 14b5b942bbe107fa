"""PSNR-HVS-M and a PSNR-HA-like measure: errors weighed as the eye does, block by block.

Differences of 8 × 8 DCT coefficients count by contrast sensitivity and are masked by the texture of
their block (Ponomarenko et al. 2007). Both tables follow from the luminance table of the JPEG
standard. The second measure adds what those authors add later (2011): mean shift and a change of
contrast are taken out, forgiven in part, and put back; chroma counts at half the weight of luma.
Its masking and constants are of our choosing, so its values are its own.
"""

import numpy as np
import scipy.fft
from numpy.typing import NDArray

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
SENSITIVITY = 25.735088 / JPEG_LUMINANCE
MASKING = (10 / JPEG_LUMINANCE) ** 2
BLOCK = 8
CEILING_DB = 100.0
FORGIVEN_SHIFT, FORGIVEN_STRETCH = 0.04, 0.1
CHROMA_WEIGHT = 0.5


def psnr_hvs_m(reference: Floats, test: Floats) -> Measured:
    """On luma, in dB; 100 for an identical pair. Not symmetric in nothing: both sides mask."""
    loss = masked_error(luma(reference), luma(test))
    return Measured(decibels(mean(loss)), loss)


def psnr_ha(reference: Floats, test: Floats) -> Measured:
    first, second = mix(reference, YIQ), mix(test, YIQ)
    loss = np.zeros((1, 1), np.float32)
    for channel, weight in enumerate((1.0, CHROMA_WEIGHT, CHROMA_WEIGHT)):
        one = np.ascontiguousarray(first[..., channel])
        other = np.ascontiguousarray(second[..., channel])
        loss = floats(loss + weight * _corrected_error(one, other))
    return Measured(decibels(mean(loss) / (1 + 2 * CHROMA_WEIGHT)), loss)


def decibels(error: float) -> float:
    return float(min(CEILING_DB, 10 * np.log10(255**2 / max(error, 1e-12))))


def masked_error(first: Floats, second: Floats) -> Floats:
    """Mean squared visible error per block."""
    one, other = _blocks(first), _blocks(second)
    spectrum_1, spectrum_2 = _transform(one), _transform(other)
    mask = np.maximum(_mask(one, spectrum_1), _mask(other, spectrum_2))[..., None, None]
    apart = np.abs(spectrum_1 - spectrum_2)
    limit = mask / MASKING
    # The mean of a block (its first coefficient) is never masked.
    limit[..., 0, 0] = 0
    visible = np.maximum(apart - limit, 0) * SENSITIVITY
    return floats((visible * visible).sum(axis=(2, 3)) / BLOCK**2)


def _corrected_error(first: Floats, second: Floats) -> Floats:
    """Error of one plane; most of a uniform shift and of a uniform stretch is forgiven."""
    mean_1, mean_2 = mean(first), mean(second)
    centred_1, centred_2 = first - np.float32(mean_1), second - np.float32(mean_2)
    power = mean(centred_2 * centred_2)
    stretch = mean(centred_1 * centred_2) / power if power > 1e-6 else 1.0
    plain = masked_error(first, second)
    if stretch <= 0:
        return plain
    aligned = floats(centred_2 * np.float32(stretch) + np.float32(mean_1))
    shifted = floats(second + np.float32(mean_1 - mean_2))
    after_shift, after_both = masked_error(first, shifted), masked_error(first, aligned)
    by_stretch = max(0.0, mean(after_shift) - mean(after_both)) * FORGIVEN_STRETCH
    by_shift = (mean_1 - mean_2) ** 2 * FORGIVEN_SHIFT
    best = after_both if mean(after_both) <= mean(after_shift) else after_shift
    return floats(best + np.float32(by_stretch + by_shift))


def _blocks(plane: Floats) -> Floats:
    plane = at_least(plane, BLOCK)
    rows, columns = plane.shape[0] // BLOCK, plane.shape[1] // BLOCK
    whole = plane[: rows * BLOCK, : columns * BLOCK]
    return floats(whole.reshape(rows, BLOCK, columns, BLOCK).transpose(0, 2, 1, 3))


def _transform(blocks: Floats) -> Floats:
    return floats(scipy.fft.dctn(blocks, axes=(2, 3), norm="ortho"))


def _mask(blocks: Floats, spectrum: Floats) -> NDArray[np.float32]:
    """How much error the texture of a block hides; edges hide less than even texture."""
    energy = (spectrum * spectrum * MASKING).sum(axis=(2, 3)) - spectrum[..., 0, 0] ** 2 * MASKING[
        0, 0
    ]
    whole = _scatter(blocks)
    half = BLOCK // 2
    quarters = sum(
        _scatter(blocks[..., top : top + half, left : left + half])
        for top in (0, half)
        for left in (0, half)
    )
    evenness = np.divide(quarters, whole, out=np.zeros_like(whole), where=whole > 0)
    return floats(np.sqrt(np.maximum(energy * evenness, 0)) / 32)


def _scatter(blocks: Floats) -> Floats:
    count = blocks.shape[2] * blocks.shape[3]
    return floats(blocks.var(axis=(2, 3)) * count * count / (count - 1))
