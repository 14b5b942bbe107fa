"""Faults of light and colour by other makers than those of `distort`; see `variants`."""

from collections.abc import Callable

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchmarks.iqa.fit.distort import Distortion, Pixels

Planes = NDArray[np.float32]


def at(level: float, *values: float) -> float:
    """A parameter at a level from 1 to 5."""
    return float(np.interp(level, range(1, 6), values))


def whole(picture: ArrayLike) -> Pixels:
    return np.asarray(np.clip(np.round(np.asarray(picture)), 0, 255), np.uint8)


def linear(picture: Pixels) -> Planes:
    """Light from 0 to 1 by the sRGB curve."""
    value = picture / np.float32(255)
    low, high = value / 12.92, ((value + 0.055) / 1.055) ** 2.4
    return np.asarray(np.where(value <= 0.04045, low, high), np.float32)


def display(light: ArrayLike) -> Pixels:
    value = np.clip(np.asarray(light), 0, 1)
    curved = np.where(value <= 0.0031308, 12.92 * value, 1.055 * value ** (1 / 2.4) - 0.055)
    return whole(255 * curved)


def with_lab(picture: Pixels, change: Callable[[Planes], None]) -> Pixels:
    lab = np.asarray(cv2.cvtColor(picture.astype(np.float32) / 255, cv2.COLOR_RGB2LAB), np.float32)
    change(lab)
    return whole(np.clip(cv2.cvtColor(lab, cv2.COLOR_LAB2RGB), 0, 1) * 255)


def _grey(picture: Pixels) -> Planes:
    return np.asarray(cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY), np.float32)[..., None]


def _diffused(picture: Pixels, level: float, rng: np.random.Generator) -> Pixels:
    """Colour planes blurred and strengthened, luma left alone."""
    planes = np.asarray(cv2.cvtColor(picture, cv2.COLOR_RGB2YCrCb), np.float32)
    reach, gain = at(level, 4, 6, 9, 13, 18), at(level, 1.4, 2.0, 2.9, 4.2, 7)
    soft = cv2.GaussianBlur(planes[..., 1:] - 128, (0, 0), reach * rng.uniform(0.7, 1.4))
    planes[..., 1:] = np.clip(128 + gain * np.asarray(soft), 0, 255)
    return np.asarray(cv2.cvtColor(whole(planes), cv2.COLOR_YCrCb2RGB), np.uint8)


def _paler(picture: Pixels, level: float, rng: np.random.Generator) -> Pixels:
    share = at(level, 0.5, 0.33, 0.2, 0.1, 0.0)
    if rng.random() < 0.5:
        grey = _grey(picture)
        return whole(grey + share * (picture - grey))

    def change(lab: Planes) -> None:
        lab[..., 1:] *= share

    return with_lab(picture, change)


def _richer(picture: Pixels, level: float, rng: np.random.Generator) -> Pixels:
    gain = at(level, 1.8, 2.4, 3.3, 4.8, 8)
    if rng.random() < 0.5:
        grey = picture.mean(axis=2, keepdims=True)
        return whole(grey + gain * (picture - grey))
    hsv = np.asarray(cv2.cvtColor(picture.astype(np.float32) / 255, cv2.COLOR_RGB2HSV), np.float32)
    hsv[..., 1] = np.minimum(hsv[..., 1] * gain, 1)
    return whole(np.asarray(cv2.cvtColor(hsv, cv2.COLOR_HSV2RGB)) * 255)


def _tinted(picture: Pixels, level: float, rng: np.random.Generator) -> Pixels:
    """A wrong white point in light, an offset in Lab, or a coloured filter."""
    angle = rng.uniform(0, 2 * np.pi)
    way = int(rng.integers(0, 3))
    if way == 0:
        amount = at(level, 9, 14, 20, 29, 42)

        def change(lab: Planes) -> None:
            lab[..., 1] += amount * np.cos(angle)
            lab[..., 2] += amount * np.sin(angle)

        return with_lab(picture, change)
    turns = np.cos(angle + np.array([0, 2, 4]) * np.pi / 3)
    if way == 1:
        stops = at(level, 0.25, 0.4, 0.6, 0.9, 1.4)
        return display(linear(picture) * 2 ** (stops * turns - 0.15 * stops))
    share = at(level, 0.12, 0.19, 0.28, 0.4, 0.56)
    colour = 128 + 127 * turns / np.abs(turns).max()
    return whole(picture * (1 - share) + share * colour * (0.4 + 0.6 * picture / 255))


def _brighter(picture: Pixels, level: float, rng: np.random.Generator) -> Pixels:
    way = int(rng.integers(0, 3))
    if way == 0:
        return whole(255 * (picture / 255.0) ** at(level, 0.68, 0.56, 0.44, 0.33, 0.22))
    stops = at(level, 0.65, 1.0, 1.5, 2.2, 3.2)
    if way == 1:
        return whole(picture * 2 ** (stops / 2.2))
    return display(linear(picture) * 2**stops)


def _darker(picture: Pixels, level: float, rng: np.random.Generator) -> Pixels:
    way = int(rng.integers(0, 3))
    if way == 0:
        return whole(255 * (picture / 255.0) ** at(level, 1.6, 2.0, 2.6, 3.4, 4.6))
    stops = at(level, 1.2, 1.8, 2.5, 3.4, 4.6)
    if way == 1:
        return whole(picture / 2 ** (stops / 2.2))
    return display(linear(picture) / 2**stops)


def _contrast(picture: Pixels, level: float, rng: np.random.Generator) -> Pixels:
    """Around middle grey or the median, straight, or along an s-shaped curve."""
    way = int(rng.integers(0, 3))
    share = at(level, 0.74, 0.62, 0.5, 0.37, 0.24)
    if way == 0:
        middle = float(np.median(picture))
        return whole(middle + share * (picture - middle))
    if way == 1:
        middle = rng.uniform(100, 150)
        return whole(middle + share * (picture - middle))
    value = picture / 255.0 - 0.5
    steep = at(level, 4.5, 6, 8, 11, 16)
    curve = 1 / (1 + np.exp(-steep * value))
    low, high = 1 / (1 + np.exp(steep / 2)), 1 / (1 + np.exp(-steep / 2))
    return whole(255 * (curve - low) / (high - low))


def _fog(picture: Pixels, level: float, rng: np.random.Generator) -> Pixels:
    """Even fog, or fog that follows a smooth random depth, in grey or slightly blue air."""
    clear = at(level, 0.68, 0.55, 0.42, 0.3, 0.18)
    height, width = picture.shape[:2]
    depth = np.ones((height, width), np.float32)
    if rng.random() < 0.5:
        coarse = rng.uniform(0.75, 1.25, (4, 5)).astype(np.float32)
        depth = np.asarray(cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC))
    passed = np.clip(clear**depth, 0.05, 1)[..., None]
    air = rng.uniform(195, 245) + np.array([-1, 0, 1]) * rng.uniform(0, 8)
    return whole(picture * passed + air * (1 - passed))


def _shaded(picture: Pixels, level: float, rng: np.random.Generator) -> Pixels:
    """Corners darkened by a bell or a power of the radius, the middle not always in the middle."""
    height, width = picture.shape[:2]
    y, x = np.mgrid[-1 : 1 : height * 1j, -1 : 1 : width * 1j]
    radius = np.hypot(x - rng.uniform(-0.12, 0.12), y - rng.uniform(-0.12, 0.12)) / 2**0.5
    corner = at(level, 0.62, 0.48, 0.35, 0.22, 0.1)
    if rng.random() < 0.5:
        field = corner ** (radius ** rng.uniform(2, 3.5))
        return display(linear(picture) * field[..., None] ** 1.8)
    field = 1 - (1 - corner) * np.clip(radius, 0, 1.1) ** rng.uniform(1.6, 3.5)
    return whole(picture * np.clip(field, 0.02, 1)[..., None])


OTHERS: dict[str, tuple[Distortion, ...]] = {
    "color_diffusion": (_diffused,), "undersaturation": (_paler,), "oversaturation": (_richer,),
    "color_cast": (_tinted,), "overexposure": (_brighter,), "underexposure": (_darker,),
    "contrast_change": (_contrast,), "haze": (_fog,), "vignetting": (_shaded,),
}  # fmt: skip
