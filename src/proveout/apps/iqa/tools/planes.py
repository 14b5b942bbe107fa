"""What the full-reference metrics share: planes of a picture, pooling, gradients, similarity.

Pictures are height × width × 3 floats from 0 to 1. Filters run in OpenCV on 32-bit floats; sums
that become a reported number run in 64 bits. Pictures smaller than a metric's window are mirrored
outwards until they fit: a rule that never fails and leaves an identical pair identical.
"""

from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from proveout.apps.iqa.frame import Floats

VIEWED_SIDE = 256
"""The short side to which the metrics of the SSIM family reduce a picture before they compare."""

YIQ = np.array(
    [[0.299, 0.587, 0.114], [0.5959, -0.2746, -0.3213], [0.2115, -0.5227, 0.3112]], np.float32
)


@dataclass(frozen=True)
class Measured:
    """What a metric says of a pair."""

    value: float
    map: Floats = field(repr=False, compare=False)
    """Loss per place at the metric's own scale: 0 where the pair is the same, larger is worse."""
    interval: tuple[float, float] | None = None
    """Where people's scores lie, for a metric that knows."""


def floats(values: object) -> Floats:
    return np.asarray(values, np.float32)


def mean(values: NDArray[np.floating]) -> float:
    return float(np.mean(values, dtype=np.float64))


def mix(rgb: Floats, matrix: Floats, scale: float = 255.0) -> Floats:
    """Another colour space, linear in `rgb`; the published constants expect values up to 255."""
    return floats(cv2.transform(rgb, matrix * np.float32(scale)))


def luma(rgb: Floats, scale: float = 255.0) -> Floats:
    return mix(rgb, YIQ[:1], scale)


def at_least(picture: Floats, side: int) -> Floats:
    """The picture, mirrored outwards on the right and below to `side` where it is smaller."""
    below, right = max(0, side - picture.shape[0]), max(0, side - picture.shape[1])
    if not below and not right:
        return picture
    return floats(cv2.copyMakeBorder(picture, 0, below, 0, right, cv2.BORDER_REFLECT))


def block_mean(plane: Floats, factor: int) -> Floats:
    """Means of `factor` × `factor` blocks; rows and columns left over are dropped."""
    if factor == 1:
        return plane
    rows, columns = plane.shape[0] // factor, plane.shape[1] // factor
    # A view: OpenCV reads rows with gaps between them, and a copy of a large photo is costly.
    whole = plane[: rows * factor, : columns * factor]
    return floats(cv2.resize(whole, (columns, rows), interpolation=cv2.INTER_AREA))


def padded_block_mean(plane: Floats, factor: int, before: int, border: int) -> Floats:
    """Block means after adding `factor - 1` rows and columns, `before` of them above and left."""
    if factor == 1:
        return plane
    height, width = plane.shape[:2]
    down = (height + factor - 1) // factor * factor - height - before
    right = (width + factor - 1) // factor * factor - width - before
    # What the last block does not reach is left off at once: the copy is the costly part.
    plane = plane[: height + min(0, down), : width + min(0, right)]
    edges = (before, max(0, down), before, max(0, right))
    return block_mean(floats(cv2.copyMakeBorder(plane, *edges, border, value=0)), factor)


def viewing_factor(plane: Floats) -> int:
    return max(1, round(float(min(plane.shape[:2])) / VIEWED_SIDE))


def half(plane: Floats) -> Floats:
    """Means of 2 × 2 blocks; when a side is odd, both are filled up with zeros first."""
    odd = max(plane.shape[0] % 2, plane.shape[1] % 2)
    if odd:
        plane = floats(cv2.copyMakeBorder(plane, 0, odd, 0, odd, cv2.BORDER_CONSTANT, value=0))
    return block_mean(plane, 2)


def similarity(first: Floats, second: Floats, constant: float) -> Floats:
    """1 where both agree, towards 0 where one is much larger than the other."""
    product = first * second
    return floats((2 * product + constant) / (first * first + second * second + constant))


def gradient(plane: Floats, smooth: tuple[float, float, float]) -> Floats:
    """Gradient magnitude; `smooth` across the direction of the difference (Prewitt, Scharr)."""
    across = floats(smooth)
    along = floats([-1, 0, 1])
    zero = cv2.BORDER_CONSTANT
    horizontal = cv2.sepFilter2D(plane, cv2.CV_32F, along, across, borderType=zero)
    vertical = cv2.sepFilter2D(plane, cv2.CV_32F, across, along, borderType=zero)
    return floats(cv2.magnitude(horizontal, vertical))


PREWITT = (1 / 3, 1 / 3, 1 / 3)
SCHARR = (3 / 16, 10 / 16, 3 / 16)
