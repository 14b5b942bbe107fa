"""A picture in known form, and the scales at which it is looked at.

Whatever the file was, detectors and tools see the same thing: 8-bit sRGB as floats from 0 to 1,
upright, without alpha. Expensive work happens at a fixed working size, so that a 50-megapixel photo
costs little more than a small one; what only shows at full resolution is looked for in fixed crops.
Bytes are kept, and become floats where and when they are looked at: a quarter of the memory.
"""

from collections.abc import Callable
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from proveout.kernel.types import Frozen

Floats = NDArray[np.float32]
"""One value per pixel, or per pixel and channel."""
Pixels = NDArray[np.uint8] | Floats
"""Levels from 0 to 255 as bytes, or from 0 to 1 as floats."""

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


class Frame:
    """The picture that is judged; not to be changed."""

    def __init__(
        self, rgb: Pixels, facts: ImageFacts, again: Callable[[], Pixels] | None = None
    ) -> None:
        self.facts = facts
        self.height, self.width = int(rgb.shape[0]), int(rgb.shape[1])
        self._held: Pixels | None = rgb
        self._again = again

    @property
    def pixels(self) -> Pixels:
        """Height × width × 3, sRGB, as given."""
        held = self._held
        if held is None:
            assert self._again is not None
            held = self._held = self._again()
        return held

    def let_go(self) -> None:
        """Full resolution goes, where it can be had again; whoever still asks waits for it."""
        if self._again is not None and not self.small:
            self._held = None

    @property
    def rgb(self) -> Floats:
        """Height × width × 3, from 0 to 1; made anew at every look: large ones are heavy."""
        return unit(self.pixels)

    @property
    def small(self) -> bool:
        """Whether it is looked at as it is, not reduced."""
        return min(self.height, self.width) <= WORKING_SIDE

    @cached_property
    def working(self) -> Floats:
        """The picture at working size, by area averaging."""
        if self.small:
            return self.rgb
        scale = WORKING_SIDE / min(self.height, self.width)
        size = (round(self.width * scale), round(self.height * scale))
        # One channel after the other gives the same numbers with a third of the memory.
        pixels = self.pixels
        planes = [
            cv2.resize(unit(pixels[..., channel]), size, interpolation=cv2.INTER_AREA)
            for channel in range(3)
        ]
        return np.asarray(np.dstack(planes), np.float32)

    @cached_property
    def working_luma(self) -> Floats:
        return luma_of(self.working)

    @property
    def crops(self) -> tuple[tuple[int, int, Floats], ...]:
        """Full-resolution pieces (top, left, rgb): centre and quarters; all of a small one."""
        side_y, side_x = min(CROP_SIDE, self.height), min(CROP_SIDE, self.width)
        if side_y == self.height and side_x == self.width:
            return ((0, 0, self.working if self.small else self.rgb),)
        places = [(0.5, 0.5), (0.2, 0.2), (0.2, 0.8), (0.8, 0.2), (0.8, 0.8)][:MOST_CROPS]
        corners = dict.fromkeys(
            (round((self.height - side_y) * y), round((self.width - side_x) * x)) for y, x in places
        )
        return tuple(
            (top, left, unit(self.pixels[top : top + side_y, left : left + side_x]))
            for top, left in corners
        )


def unit(pixels: Pixels) -> Floats:
    """From 0 to 1."""
    if pixels.dtype == np.uint8:
        return np.asarray(np.divide(pixels, np.float32(255), dtype=np.float32), np.float32)
    return np.asarray(pixels, np.float32)


def luma_of(rgb: Floats) -> Floats:
    return np.asarray(rgb @ np.array([0.299, 0.587, 0.114], np.float32), np.float32)
