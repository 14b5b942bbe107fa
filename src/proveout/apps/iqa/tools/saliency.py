"""VSI: agreement of what catches the eye (Zhang, Shen and Li 2014).

Saliency is SDSP: band-passed Lab colour, nearer to the centre, away from the coldest colours. As in
`piq`, the map is computed at 256 × 256, from colours under a D50 white, and stretched back with the
corners aligned.
"""

from functools import lru_cache

import cv2
import numpy as np
import scipy.fft
from numpy.typing import NDArray

from proveout.apps.iqa.frame import Floats
from proveout.apps.iqa.tools.phase import frequencies
from proveout.apps.iqa.tools.planes import (
    SCHARR,
    Measured,
    floats,
    gradient,
    mix,
    padded_block_mean,
    similarity,
    viewing_factor,
)

SALIENCY_SIDE = 256
BAND_CENTRE, BAND_SPREAD = 0.021, 1.34
CENTRE_SPREAD = 145.0
COLOUR_SPREAD = 0.001
LMN = np.array([[0.06, 0.63, 0.27], [0.30, 0.04, -0.35], [0.34, -0.6, 0.17]], np.float32)
XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ],
    np.float32,
)
D50_WHITE = np.array([0.9642119944211994, 1, 0.8251882845188288], np.float32)
SALIENCY_CONSTANT, GRADIENT_CONSTANT, CHROMA_CONSTANT = 1.27, 386.0, 130.0
GRADIENT_POWER, CHROMA_POWER = 0.4, 0.02
EPSILON = float(np.finfo(np.float32).eps)


def vsi(reference: Floats, test: Floats) -> Measured:
    factor = viewing_factor(reference)
    eye_1, eye_2 = (_pooled(saliency(rgb), factor) for rgb in (reference, test))
    first, second = (cv2.split(mix(_pooled(rgb, factor), LMN)) for rgb in (reference, test))
    edges = similarity(
        gradient(floats(first[0]), SCHARR), gradient(floats(second[0]), SCHARR), GRADIENT_CONSTANT
    )
    chroma = similarity(floats(first[1]), floats(second[1]), CHROMA_CONSTANT) * similarity(
        floats(first[2]), floats(second[2]), CHROMA_CONSTANT
    )
    # Opposite colours make the product negative; the real part of its complex power is meant.
    turn = np.where(chroma < 0, np.float32(np.cos(np.pi * CHROMA_POWER)), np.float32(1))
    agreement = similarity(eye_1, eye_2, SALIENCY_CONSTANT) * cv2.pow(edges, GRADIENT_POWER)
    agreement = floats(agreement * cv2.pow(np.abs(chroma), CHROMA_POWER) * turn)
    weight = np.maximum(eye_1, eye_2).astype(np.float64)
    value = ((agreement * weight).sum() + EPSILON) / (weight.sum() + EPSILON)
    return Measured(float(value), floats(1 - agreement))


def saliency(rgb: Floats) -> Floats:
    """From 0 to 1, at the size of the picture."""
    small = cv2.resize(rgb, (SALIENCY_SIDE, SALIENCY_SIDE), interpolation=cv2.INTER_LINEAR)
    lab = _lab(floats(small))
    band, centre = _band_and_centre()
    passed = scipy.fft.irfft2(scipy.fft.rfft2(lab, axes=(1, 2)) * band, axes=(1, 2))
    strength = np.sqrt((passed * passed).sum(axis=0))
    colours = lab[1:]
    low = colours.min(axis=(1, 2), keepdims=True)
    high = colours.max(axis=(1, 2), keepdims=True)
    warm = (((colours - low) / (high - low + EPSILON)) ** 2).sum(axis=0)
    eye = strength * centre * (1 - np.exp(-warm / COLOUR_SPREAD**2))
    stretched = _stretch(floats(eye), rgb.shape[0], rgb.shape[1])
    least, most = float(stretched.min()), float(stretched.max())
    stretched -= np.float32(least)
    stretched /= np.float32(most - least + EPSILON)
    return stretched


@lru_cache(maxsize=1)
def _band_and_centre() -> tuple[Floats, Floats]:
    steps = frequencies(SALIENCY_SIDE)
    down, right = np.meshgrid(steps, steps, indexing="ij")
    radius = np.hypot(down, right)
    radius[radius > 0.5] = 0
    radius[0, 0] = 1
    with np.errstate(divide="ignore"):
        band = np.exp(-(np.log(radius / BAND_CENTRE) ** 2) / (2 * BAND_SPREAD**2))
    band[0, 0] = 0
    places = (np.arange(SALIENCY_SIDE) - SALIENCY_SIDE // 2 + 1.0) ** 2
    centre = np.exp(-(places[:, None] + places[None, :]) / CENTRE_SPREAD**2)
    # The spectrum of a real picture is symmetric: half of it is enough.
    return np.ascontiguousarray(floats(band)[:, : SALIENCY_SIDE // 2 + 1]), floats(centre)


def _lab(rgb: Floats) -> Floats:
    """Channel × height × width."""
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    relative = mix(floats(linear), XYZ, 1.0) / D50_WHITE
    roots = np.where(relative > 0.008856, np.cbrt(relative), (903.3 * relative + 16) / 116)
    x, y, z = roots[..., 0], roots[..., 1], roots[..., 2]
    return floats(np.stack((116 * y - 16, 500 * (x - y), 200 * (y - z))))


def _stretch(plane: Floats, height: int, width: int) -> Floats:
    """Bilinear, the corners of both grids lying on each other.

    By hand, because OpenCV's `remap` rounds places to 1/32 of a pixel.
    """
    wide = _lengthened(np.ascontiguousarray(plane.T), width)
    return _lengthened(np.ascontiguousarray(wide.T), height)


def _lengthened(plane: Floats, wanted: int) -> Floats:
    """More rows, each between two of the old ones."""
    above, share = _between(len(plane), wanted)
    rows: Floats = plane[above]
    rows *= 1 - share
    below = plane[above + 1]
    below *= share
    rows += below
    return rows


@lru_cache(maxsize=8)
def _between(count: int, wanted: int) -> tuple[NDArray[np.intp], Floats]:
    """For each new row: the old one above it, and how much of the next one it takes."""
    exact = np.linspace(0, count - 1, wanted)
    above = np.minimum(exact.astype(np.intp), count - 2)
    return above, floats(exact - above)[:, None]


def _pooled(plane: Floats, factor: int) -> Floats:
    return padded_block_mean(plane, factor, factor // 2, cv2.BORDER_REPLICATE)
