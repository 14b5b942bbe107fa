"""One working picture and what is computed from it once, whoever asks.

Features and detectors share planes, local statistics, gradients and residuals; each is worked out
at its first use. All planes are on the 0 to 255 scale, in 32-bit floats.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, wraps
from typing import Any, TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from proveout.apps.iqa.frame import Floats, Frame
from proveout.apps.iqa.spectrum import amplitudes

# One thread: sums do not depend on how many cores the machine has.
cv2.setNumThreads(1)

Found = TypeVar("Found")
LEAST_SIDE = 24
"""Below this a picture is padded by reflection, so that every filter has something to stand on."""
_YCC = np.array(
    [[0.299, 0.587, 0.114], [-0.168736, -0.331264, 0.5], [0.5, -0.418688, -0.081312]], np.float32
)


@dataclass(frozen=True)
class View:
    """A picture at the size it is measured at."""

    rgb: Floats = field(repr=False)
    """Height × width × 3, 0 to 255."""
    native: Floats = field(repr=False)
    """A full-resolution piece of the same picture, whole numbers from 0 to 255."""
    scale: float = 1.0
    """Working size divided by full size."""
    worked_out: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)
    """What functions marked `once` have found, by their names."""

    @property
    def height(self) -> int:
        return int(self.rgb.shape[0])

    @property
    def width(self) -> int:
        return int(self.rgb.shape[1])

    @cached_property
    def planes(self) -> Floats:
        """Y, Cb and Cr, the colour planes around 0."""
        return np.asarray(cv2.transform(self.rgb, _YCC), np.float32)

    @cached_property
    def y(self) -> Floats:
        return np.ascontiguousarray(self.planes[..., 0])

    @cached_property
    def cb(self) -> Floats:
        return np.ascontiguousarray(self.planes[..., 1])

    @cached_property
    def cr(self) -> Floats:
        return np.ascontiguousarray(self.planes[..., 2])

    @cached_property
    def native_y(self) -> Floats:
        return np.ascontiguousarray(cv2.transform(self.native, _YCC[:1]))

    @cached_property
    def gradients(self) -> tuple[Floats, Floats]:
        """Central differences of luma, across and down."""
        return (
            np.asarray(np.asarray(cv2.Sobel(self.y, cv2.CV_32F, 1, 0, ksize=3)) / 8, np.float32),
            np.asarray(np.asarray(cv2.Sobel(self.y, cv2.CV_32F, 0, 1, ksize=3)) / 8, np.float32),
        )

    @cached_property
    def gradient(self) -> Floats:
        """Length of the luma gradient, in grey levels per pixel."""
        across, down = self.gradients
        return np.asarray(cv2.magnitude(across, down), np.float32)

    @cached_property
    def local_mean(self) -> Floats:
        return smooth(self.y)

    @cached_property
    def local_sigma(self) -> Floats:
        """Standard deviation of luma around each pixel, seven pixels wide."""
        square = smooth(self.y * self.y)
        return np.asarray(np.sqrt(np.maximum(square - self.local_mean**2, 0)), np.float32)

    @cached_property
    def mscn(self) -> Floats:
        """Luma, locally centred and scaled."""
        return np.asarray((self.y - self.local_mean) / (self.local_sigma + 1), np.float32)

    @cached_property
    def lab(self) -> Floats:
        """CIE Lab of the picture."""
        return np.asarray(cv2.cvtColor(self.rgb / 255, cv2.COLOR_RGB2LAB), np.float32)

    @cached_property
    def residuals(self) -> Floats:
        """Y, Cb and Cr after a filter that straight edges and ramps do not pass (Immerkær's)."""
        kernel = np.array([[1, -2, 1], [-2, 4, -2], [1, -2, 1]], np.float32) / 6
        return np.asarray(
            cv2.filter2D(self.planes, cv2.CV_32F, kernel, borderType=cv2.BORDER_REFLECT_101),
            np.float32,
        )

    @cached_property
    def spectrum(self) -> NDArray[np.float64]:
        """Height of the waves in luma, at the size of `spectrum.SPECTRUM_SIDE`."""
        return amplitudes(self.y)

    @cached_property
    def log_spectrum(self) -> NDArray[np.float64]:
        """Logarithm of the waves, none of them below zero."""
        return np.log(self.spectrum + 1.0)

    @cached_property
    def median_residual(self) -> Floats:
        """Each RGB channel less its 3 × 3 median."""
        return self.native - np.asarray(cv2.medianBlur(self.native.astype(np.uint8), 3), np.float32)


def once(work: Callable[[View], Found]) -> Callable[[View], Found]:
    """Mark what features and detectors both need of a view: it is worked out for the first."""
    name = f"{work.__module__}.{work.__qualname__}"

    @wraps(work)
    def shared(view: View) -> Found:
        if name not in view.worked_out:
            view.worked_out[name] = work(view)
        found: Found = view.worked_out[name]
        return found

    return shared


def view_of(frame: Frame) -> View:
    """The frame at working size, on the 0 to 255 scale."""
    working = _padded(frame.working * 255)
    scale = working.shape[0] / max(frame.height, 1)
    if frame.small:
        return View(rgb=working, native=np.round(working), scale=1.0)
    return View(rgb=working, native=np.round(native_piece(frame) * 255), scale=scale)


def native_piece(frame: Frame) -> Floats:
    """The fixed crop with most gradient: the one where full-resolution faults show best."""
    crops = [crop for _, _, crop in frame.crops]
    return _padded(max(crops, key=_activity))


def smooth(plane: Floats) -> Floats:
    return np.asarray(cv2.GaussianBlur(plane, (7, 7), 7 / 6), np.float32)


def halved(plane: Floats) -> Floats:
    """Half size by area averaging."""
    height, width = plane.shape[:2]
    size = (max(width // 2, 8), max(height // 2, 8))
    return np.asarray(cv2.resize(plane, size, interpolation=cv2.INTER_AREA), np.float32)


def highest(pixels: Floats) -> Floats:
    """The greatest of three channels; far quicker than a general reduction over so few."""
    return np.maximum(np.maximum(pixels[..., 0], pixels[..., 1]), pixels[..., 2])


def lowest(pixels: Floats) -> Floats:
    """The least of three channels."""
    return np.minimum(np.minimum(pixels[..., 0], pixels[..., 1]), pixels[..., 2])


def blocks(plane: Floats, side: int) -> Floats:
    """Rows × columns × side × side: the whole blocks of a plane."""
    rows, columns = plane.shape[0] // side, plane.shape[1] // side
    cut = plane[: rows * side, : columns * side]
    return cut.reshape(rows, side, columns, side).swapaxes(1, 2)


def _activity(crop: Floats) -> float:
    small = crop[::4, ::4, 1]
    return float(np.abs(np.diff(small, axis=0)).mean() + np.abs(np.diff(small, axis=1)).mean())


def _padded(rgb: Floats) -> Floats:
    height, width = rgb.shape[:2]
    below, right = max(LEAST_SIDE - height, 0), max(LEAST_SIDE - width, 0)
    if not below and not right:
        return np.ascontiguousarray(rgb, np.float32)
    padded = np.pad(rgb, ((0, below), (0, right), (0, 0)), mode="symmetric")
    return np.ascontiguousarray(padded, np.float32)
