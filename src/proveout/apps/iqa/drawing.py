"""A region that the user drew."""

import math
from typing import NamedTuple

Box = tuple[float, float, float, float]
"""Left, top, right, bottom, in pixels of the full picture."""
MARKED = "marked area"
"""What a region is called that the user drew and the question does not name."""


class Drawn(NamedTuple):
    """A box, or else a picture that is white where the region is."""

    box: Box | None = None
    mask: str = ""
    """Path of the picture."""

    @property
    def pixels(self) -> tuple[int, int, int, int]:
        """The box in whole pixels: left, top, right, bottom."""
        left, top, right, bottom = self.box or (0, 0, 0, 0)
        return math.floor(left), math.floor(top), math.ceil(right), math.ceil(bottom)

    @property
    def side(self) -> int:
        """The shorter side of the box; 0 for a mask."""
        left, top, right, bottom = self.pixels
        return min(right - left, bottom - top)
