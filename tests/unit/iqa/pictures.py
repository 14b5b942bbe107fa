"""Pictures for the tests: bundled photos and faults made by a line or two each."""

import hashlib
import io
from collections.abc import Callable

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray
from PIL import Image
from skimage import data

from proveout.apps.iqa.frame import Frame, ImageFacts

Pixels = NDArray[np.uint8]
Fault = Callable[[Pixels, float], Pixels]


def frame_of(pixels: Pixels, kind: str = "ARRAY", jpeg_quality: int | None = None) -> Frame:
    digest = hashlib.sha256(pixels.tobytes()).hexdigest()
    facts = ImageFacts(
        sha256=digest,
        pixels_sha256=digest,
        format=kind,
        width=pixels.shape[1],
        height=pixels.shape[0],
        bytes=pixels.nbytes,
        jpeg_quality=jpeg_quality,
    )
    return Frame(rgb=np.asarray(pixels / 255, np.float32), facts=facts)


def photos() -> dict[str, Pixels]:
    """The clean colour photos that are good enough to be judged as they are."""
    kept = {name: np.asarray(getattr(data, name)()) for name in ("astronaut", "coffee")}
    return {
        name: photo[: 384 if name != "astronaut" else 512, :512] for name, photo in kept.items()
    }


def as_bytes(values: ArrayLike) -> Pixels:
    return np.asarray(np.clip(np.round(np.asarray(values)), 0, 255), np.uint8)


def blurred(photo: Pixels, level: float) -> Pixels:
    return as_bytes(cv2.GaussianBlur(photo.astype(np.float32), (0, 0), level))


def smeared(photo: Pixels, level: float) -> Pixels:
    kernel = np.ones((1, int(level)), np.float32) / int(level)
    return as_bytes(cv2.filter2D(photo.astype(np.float32), -1, kernel))


def noisy(photo: Pixels, level: float) -> Pixels:
    return as_bytes(photo + np.random.default_rng(3).normal(0, level, photo.shape))


def grey_noisy(photo: Pixels, level: float) -> Pixels:
    return as_bytes(photo + np.random.default_rng(3).normal(0, level, photo.shape[:2])[..., None])


def peppered(photo: Pixels, level: float) -> Pixels:
    rng = np.random.default_rng(3)
    result = photo.copy()
    hit = rng.random(photo.shape[:2]) < level / 100
    result[hit] = rng.choice([0, 255], int(hit.sum()))[:, None]
    return result


def coded(photo: Pixels, level: float) -> Pixels:
    """JPEG; the level is 100 less the quality."""
    store = io.BytesIO()
    Image.fromarray(photo).save(store, "JPEG", quality=int(100 - level))
    return np.asarray(Image.open(store).convert("RGB"))


def sharpened(photo: Pixels, level: float) -> Pixels:
    fine = photo - cv2.GaussianBlur(photo.astype(np.float32), (0, 0), 1.2)
    return as_bytes(photo + level * fine)


def brighter(photo: Pixels, level: float) -> Pixels:
    return as_bytes(photo * level)


def darker(photo: Pixels, level: float) -> Pixels:
    return as_bytes(photo / level)


def flatter(photo: Pixels, level: float) -> Pixels:
    return as_bytes((photo - 128.0) / level + 128)


def hazy(photo: Pixels, level: float) -> Pixels:
    return as_bytes(photo * (1 - level) + 230 * level)


def tinted(photo: Pixels, level: float) -> Pixels:
    """Greyed first, so that the tint is the only colour there is."""
    grey = photo.mean(axis=2, keepdims=True)
    return as_bytes(grey * np.array([1 + level, 1, 1 - level]))


def vivid(photo: Pixels, level: float) -> Pixels:
    grey = photo.mean(axis=2, keepdims=True)
    return as_bytes(grey + level * (photo - grey))


def paler(photo: Pixels, level: float) -> Pixels:
    return vivid(photo, 1 / level)


def banded(photo: Pixels, level: float) -> Pixels:
    return as_bytes(np.round(photo / level) * level)


def pixelated(photo: Pixels, level: float) -> Pixels:
    side = int(level)
    height, width = photo.shape[0] // side, photo.shape[1] // side
    small = cv2.resize(
        photo[: height * side, : width * side], (width, height), interpolation=cv2.INTER_AREA
    )
    return np.repeat(np.repeat(small, side, axis=0), side, axis=1)


def fringed(photo: Pixels, level: float) -> Pixels:
    result = photo.copy()
    result[..., 0] = np.roll(photo[..., 0], int(level), axis=1)
    return result


def combed(photo: Pixels, level: float) -> Pixels:
    result = photo.copy()
    result[::2] = np.roll(photo[::2], int(level), axis=1)
    return result


def shaded(photo: Pixels, level: float) -> Pixels:
    y, x = np.mgrid[-1 : 1 : photo.shape[0] * 1j, -1 : 1 : photo.shape[1] * 1j]
    return as_bytes(np.full_like(photo, 170) * (1 - level * (x**2 + y**2) / 2)[..., None])


def waffled(photo: Pixels, level: float) -> Pixels:
    """A fine diagonal pattern over everything."""
    y, x = np.mgrid[: photo.shape[0], : photo.shape[1]]
    return as_bytes(photo + level * np.sin(1.1 * x + 0.9 * y)[..., None])


def half_of(photo: Pixels, fault: Fault, level: float) -> Pixels:
    """Only the right half is faulty."""
    changed = fault(photo, level)[: photo.shape[0], : photo.shape[1]]
    result = photo[: changed.shape[0], : changed.shape[1]].copy()
    middle = result.shape[1] // 2 // 8 * 8
    result[:, middle:] = changed[:, middle:]
    return result
