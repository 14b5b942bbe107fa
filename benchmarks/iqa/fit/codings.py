"""Losses of coding by other settings than those of `distort`; see `variants`."""

from collections.abc import Callable

import numpy as np

from benchmarks.iqa.fit.distort import Distortion, Pixels, encoded
from benchmarks.iqa.fit.tints import at, whole


def off_grid(picture: Pixels, code: Callable[[Pixels], Pixels], rng: np.random.Generator) -> Pixels:
    """Coded in a larger frame, so that block borders lie anywhere."""
    top, left = (int(value) for value in rng.integers(0, 8, 2))
    padded = np.pad(picture, ((top, 8 - top), (left, 8 - left), (0, 0)), mode="reflect")
    coded = code(np.ascontiguousarray(padded))
    height, width = picture.shape[:2]
    return np.ascontiguousarray(coded[top : top + height, left : left + width])


def _jpeg(picture: Pixels, level: float, rng: np.random.Generator) -> Pixels:
    quality = round(at(level, 42, 31, 20, 11, 4))
    sampling = int(rng.integers(0, 3))

    def code(pixels: Pixels) -> Pixels:
        return encoded(pixels, "JPEG", quality=quality, subsampling=sampling)

    return off_grid(picture, code, rng) if rng.random() < 0.5 else code(picture)


def _jpeg_twice(picture: Pixels, level: float, rng: np.random.Generator) -> Pixels:
    first = _jpeg(picture, level, rng)
    return encoded(first, "JPEG", quality=int(rng.integers(70, 92)))


def _wavelets(picture: Pixels, level: float, rng: np.random.Generator) -> Pixels:
    """By signal-to-noise ratio instead of size, with other depths."""
    return encoded(
        picture, "JPEG2000", quality_mode="dB", irreversible=bool(rng.random() < 0.8),
        quality_layers=[at(level, 33, 30.5, 28, 25, 21.5)],
        num_resolutions=int(rng.integers(4, 7)),
    )  # fmt: skip


def _wavelets_by_size(picture: Pixels, level: float, rng: np.random.Generator) -> Pixels:
    rate = at(level, 30, 45, 75, 130, 230) * rng.uniform(0.9, 1.1)
    return encoded(picture, "JPEG2000", quality_layers=[rate], irreversible=True)


def _webp(picture: Pixels, level: float, rng: np.random.Generator) -> Pixels:
    quality, method = round(at(level, 34, 23, 13, 6, 0)), int(rng.choice([0, 4, 6]))

    def code(pixels: Pixels) -> Pixels:
        return encoded(pixels, "WEBP", quality=quality, method=method)

    return off_grid(picture, code, rng) if rng.random() < 0.3 else code(picture)


def _noisy_file(picture: Pixels, level: float, rng: np.random.Generator) -> Pixels:
    """Noise of any strength in a file of almost any quality."""
    sigma = at(level, 8, 12, 17, 25, 38)
    noise = rng.normal(0, sigma, picture.shape)
    if rng.random() < 0.4:
        noise = rng.normal(0, sigma, (*picture.shape[:2], 1)) + 0.4 * noise
    quality = int(rng.uniform(10, 60) if sigma < 18 else rng.uniform(10, 78))
    return encoded(
        whole(picture + noise), "JPEG", quality=quality, subsampling=int(rng.choice([0, 2]))
    )


OTHERS: dict[str, tuple[Distortion, ...]] = {
    "jpeg": (_jpeg, _jpeg_twice),
    "jpeg2000": (_wavelets, _wavelets_by_size),
    "webp": (_webp,),
    "noisy_compression": (_noisy_file,),
}
