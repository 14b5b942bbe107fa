"""A picture in known form, and the scales at which it is looked at.

Whatever the file was, detectors and tools see the same thing: 8-bit sRGB as floats from 0 to 1,
upright, without alpha. Expensive work happens at a fixed working size, so that a 50-megapixel photo
costs little more than a small one; what only shows at full resolution is looked for in fixed crops.
"""

from dataclasses import dataclass, field
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from proveout.kernel.types import Frozen

Floats = NDArray[np.float32]
"""One value per pixel, or per pixel and channel."""

WORKING_SIDE = 512
"""Short side of the working picture; smaller pictures are not enlarged."""
CROP_SIDE = 512
MOST_CROPS = 5


class ImageFacts(Frozen):
    """What is known of the file besides its pixels; every conversion is listed in `steps`."""

    path: str = ""
    sha256: str
    """Of the bytes as given."""
    pixels_sha256: str
    """Of the pixels that were judged."""
    format: str
    """PNG, JPEG, …; ARRAY for pictures given in memory."""
    width: int
    height: int
    bytes: int
    bits: int = 8
    mode: str = "RGB"
    frames: int = 1
    jpeg_quality: int | None = None
    """Estimated from the file's own quantisation tables."""
    jpeg_subsampling: str = ""
    steps: tuple[str, ...] = ()
    """`orientation 6 applied`, `16 bit scaled to 8`, `alpha over grey`, …"""


@dataclass(frozen=True)
class Frame:
    """The picture that is judged."""

    rgb: Floats = field(repr=False)
    """Height × width × 3, from 0 to 1, sRGB."""
    facts: ImageFacts

    @property
    def height(self) -> int:
        return int(self.rgb.shape[0])

    @property
    def width(self) -> int:
        return int(self.rgb.shape[1])

    @cached_property
    def luma(self) -> Floats:
        """Rec. 601 luma at full size."""
        return luma_of(self.rgb)

    @cached_property
    def working(self) -> Floats:
        """The picture at working size, by area averaging."""
        scale = WORKING_SIDE / min(self.height, self.width)
        if scale >= 1:
            return self.rgb
        size = (round(self.width * scale), round(self.height * scale))
        return np.asarray(cv2.resize(self.rgb, size, interpolation=cv2.INTER_AREA), np.float32)

    @cached_property
    def working_luma(self) -> Floats:
        return luma_of(self.working)

    @cached_property
    def crops(self) -> tuple[tuple[int, int, Floats], ...]:
        """Full-resolution pieces (top, left, rgb): centre and quarters; all of a small one."""
        side_y, side_x = min(CROP_SIDE, self.height), min(CROP_SIDE, self.width)
        if side_y == self.height and side_x == self.width:
            return ((0, 0, self.rgb),)
        places = [(0.5, 0.5), (0.2, 0.2), (0.2, 0.8), (0.8, 0.2), (0.8, 0.8)][:MOST_CROPS]
        corners = dict.fromkeys(
            (round((self.height - side_y) * y), round((self.width - side_x) * x)) for y, x in places
        )
        return tuple(
            (top, left, self.rgb[top : top + side_y, left : left + side_x]) for top, left in corners
        )


def luma_of(rgb: Floats) -> Floats:
    return np.asarray(rgb @ np.array([0.299, 0.587, 0.114], np.float32), np.float32)
