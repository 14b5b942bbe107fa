"""The spectrum of a plane at one fixed size, and the grids by which it is read."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from proveout.apps.iqa.frame import Floats

SPECTRUM_SIDE = 384
"""Size of the piece whose spectrum is taken, so that bands mean the same everywhere."""


def amplitudes(plane: Floats) -> NDArray[np.float64]:
    """Height of every wave in the plane's middle; half of the frequencies, as the rest mirrors."""
    return np.abs(np.fft.rfft2(_piece(plane).astype(np.float64)))


@lru_cache(maxsize=1)
def frequencies() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Cycles per pixel of the amplitudes' rows and columns, as a column and a row."""
    down, across = np.fft.fftfreq(SPECTRUM_SIDE), np.fft.rfftfreq(SPECTRUM_SIDE)
    return np.asarray(down[:, None], np.float64), np.asarray(across[None, :], np.float64)


@lru_cache(maxsize=1)
def radii() -> NDArray[np.float64]:
    """Cycles per pixel of every amplitude, in whatever direction; not to be changed."""
    down, across = frequencies()
    return np.hypot(down, across)


@lru_cache(maxsize=1)
def _window() -> Floats:
    return np.hanning(SPECTRUM_SIDE).astype(np.float32)


def _piece(plane: Floats) -> Floats:
    """The middle of the plane, faded to its rim, reflected outwards where it is too small."""
    height, width = plane.shape
    top, left = max((height - SPECTRUM_SIDE) // 2, 0), max((width - SPECTRUM_SIDE) // 2, 0)
    cut = plane[top : top + SPECTRUM_SIDE, left : left + SPECTRUM_SIDE]
    below, right = SPECTRUM_SIDE - cut.shape[0], SPECTRUM_SIDE - cut.shape[1]
    if below or right:
        cut = np.pad(cut, ((0, below), (0, right)), mode="symmetric")
    window = _window()
    return np.asarray((cut - cut.mean()) * window[:, None] * window[None, :], np.float32)
