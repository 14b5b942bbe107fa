"""Photos and distortions that any machine can make again to the byte: numpy and integers only."""

from collections.abc import Callable, Mapping

import numpy as np
import skimage.data
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Floats64 = NDArray[np.float64]

PHOTOS = ("astronaut", "chelsea", "coffee", "rocket")


def photo(name: str) -> Bytes:
    return np.ascontiguousarray(getattr(skimage.data, name)()[..., :3])


def hashed(shape: tuple[int, ...], seed: int) -> Floats64:
    """Even noise from 0 to 1 by integer hashing: no library's generator is involved."""
    state = np.arange(int(np.prod(shape)), dtype=np.uint64) + np.uint64(seed * 7919 + 1)
    for multiplier in (0xBF58476D1CE4E5B9, 0x94D049BB133111EB):
        state = (state ^ (state >> np.uint64(30))) * np.uint64(multiplier)
    return ((state >> np.uint64(11)).astype(np.float64) / float(1 << 53)).reshape(shape)


def noise(rgb: Floats64) -> Floats64:
    drawn = np.sum([hashed(rgb.shape, seed) for seed in range(4)], axis=0)
    return np.asarray(rgb + (drawn - 2) * 35)


def impulses(rgb: Floats64) -> Floats64:
    drawn = hashed(rgb.shape[:2], 11)[..., None]
    return np.where(drawn < 0.01, 0.0, np.where(drawn > 0.99, 255.0, rgb))


def blur(rgb: Floats64) -> Floats64:
    for axis in (0, 1):
        rgb = np.sum([np.roll(rgb, step, axis) for step in range(-2, 3)], axis=0) / 5
    return rgb


def blocks(rgb: Floats64) -> Floats64:
    rows, columns = rgb.shape[0] // 8 * 8, rgb.shape[1] // 8 * 8
    whole = rgb[:rows, :columns].reshape(rows // 8, 8, columns // 8, 8, 3)
    means = np.broadcast_to(whole.mean(axis=(1, 3), keepdims=True), whole.shape)
    out = rgb.copy()
    out[:rows, :columns] = (0.4 * whole + 0.6 * means).reshape(rows, columns, 3)
    return out


def contrast(rgb: Floats64) -> Floats64:
    return (rgb - 128) * 0.6 + 118


def colours(rgb: Floats64) -> Floats64:
    grey = rgb.mean(axis=2, keepdims=True)
    return np.asarray(grey + (rgb[..., [1, 0, 2]] - grey) * 1.2)


def levels(rgb: Floats64) -> Floats64:
    return np.asarray(np.floor(rgb / 36) * 36 + 18)


DISTORTIONS: Mapping[str, Callable[[Floats64], Floats64]] = {
    "noise": noise,
    "impulses": impulses,
    "blur": blur,
    "blocks": blocks,
    "contrast": contrast,
    "colours": colours,
    "levels": levels,
}


def distorted(rgb: Bytes, name: str) -> Bytes:
    return np.clip(np.rint(DISTORTIONS[name](rgb.astype(np.float64))), 0, 255).astype(np.uint8)


def as_floats(rgb: Bytes) -> NDArray[np.float32]:
    return np.asarray(rgb, np.float32) / np.float32(255)
