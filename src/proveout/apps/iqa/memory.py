"""Memory that is free goes back to the system.

The C library keeps what large arrays leave behind for the next ones. Between two stages of an
assessment that is as much as a photo, and it lies in pieces that the next stage cannot use. To ask
for it anew costs time, so it stays while pictures are small.
"""

import ctypes
import sys

from proveout.apps.iqa.frame import Frame

LARGE = 4_000_000
"""Pixels from which memory matters more than some milliseconds."""


def hand_back_after(frame: Frame) -> None:
    """Once a stage is done with a large picture; nothing where the C library has no such call."""
    large = frame.width * frame.height >= LARGE
    if large and sys.platform.startswith("linux"):
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)
