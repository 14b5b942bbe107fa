"""Distortions for fitting, after KADID-10k's list: a name, a level from 1 to 5, a picture.

Levels are continuous; parameters and expected human scores (mean over 81 contents, KADID-10k) are
interpolated between the five published ones. Names without a published score have no anchor: they
teach the naming model what the fault looks like, and nothing about how much it hurts.
"""

import io
from collections.abc import Callable

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray
from PIL import Image
from scipy.ndimage import map_coordinates

Pixels = NDArray[np.uint8]
Distortion = Callable[[Pixels, float, np.random.Generator], Pixels]

ANCHORS: dict[str, tuple[float, ...]] = {
    "gaussian_blur": (4.61, 4.38, 2.91, 1.87, 1.30),
    "lens_blur": (3.86, 2.65, 1.76, 1.44, 1.30),
    "motion_blur": (4.60, 4.10, 2.85, 2.18, 1.67),
    "color_diffusion": (4.50, 2.60, 1.76, 1.61, 1.39),
    "chromatic_aberration": (4.23, 2.55, 1.92, 1.85, 1.86),
    "color_quantization": (4.11, 3.97, 3.72, 3.20, 2.42),
    "undersaturation": (2.75, 2.33, 2.26, 2.24, 2.03),
    "oversaturation": (4.58, 3.33, 2.65, 1.82, 1.52),
    "jpeg2000": (4.55, 4.20, 3.87, 2.44, 1.39),
    "jpeg": (4.34, 4.25, 3.87, 1.95, 1.35),
    "white_noise": (3.89, 3.39, 3.05, 2.71, 2.30),
    "color_noise": (4.47, 3.68, 3.17, 2.69, 2.38),
    "impulse_noise": (3.58, 2.93, 2.61, 2.31, 2.13),
    "multiplicative_noise": (4.40, 3.58, 3.08, 2.64, 2.12),
    "denoising": (3.67, 2.73, 2.20, 1.65, 1.47),
    "overexposure": (4.51, 4.29, 3.63, 2.70, 1.81),
    "underexposure": (4.60, 4.53, 4.23, 3.53, 2.22),
    "mean_shift": (4.60, 4.56, 4.45, 4.37, 3.90),
    "jitter": (4.42, 4.09, 3.24, 1.85, 1.34),
    "patches": (4.33, 3.94, 3.77, 3.46, 3.26),
    "pixelation": (3.89, 3.10, 2.90, 2.79, 1.50),
    "quantization": (4.17, 3.93, 3.69, 3.37, 2.80),
    "local_blocks": (2.69, 2.36, 2.30, 2.13, 2.04),
    "oversharpening": (3.58, 2.64, 2.14, 1.61, 1.34),
    "contrast_change": (4.40, 4.29, 4.14, 3.86, 3.32),
}
"""Mean human score per level, 1 bad to 5 imperceptible."""


def anchor(name: str, level: float) -> float:
    """Expected human score, NaN where none is published."""
    if name not in ANCHORS:
        return float("nan")
    return float(np.interp(level, range(1, 6), ANCHORS[name]))


def distort(name: str, picture: Pixels, level: float, rng: np.random.Generator) -> Pixels:
    return DISTORTIONS[name](picture, level, rng)


def _at(level: float, *values: float) -> float:
    return float(np.interp(level, range(1, 6), values))


def _bytes(picture: ArrayLike) -> Pixels:
    return np.asarray(np.clip(np.round(np.asarray(picture)), 0, 255), np.uint8)


def _gaussian_blur(picture: Pixels, level: float, rng: np.random.Generator) -> Pixels:
    del rng
    sigma = max(_at(level, 0.1, 0.5, 1, 2, 5), 0.05)
    return _bytes(cv2.GaussianBlur(picture.astype(np.float32), (0, 0), sigma))


def _lens_blur(picture: Pixels, level: float, rng: np.random.Generator) -> Pixels:
    del rng
    return _bytes(cv2.filter2D(picture.astype(np.float32), -1, disk(_at(level, 1, 2, 4, 6, 8))))


def disk(radius: float) -> NDArray[np.float32]:
    """A flat disk with a soft rim, sum 1."""
    reach = int(np.ceil(radius))
    y, x = np.mgrid[-reach : reach + 1, -reach : reach + 1]
    kernel = np.clip(radius + 0.5 - np.hypot(y, x), 0, 1)
    return np.asarray(kernel / kernel.sum(), np.float32)


def _motion_blur(picture: Pixels, level: float, rng: np.random.Generator) -> Pixels:
    length = _at(level, 1, 2, 4, 6, 10)
    return _bytes(cv2.filter2D(picture.astype(np.float32), -1, line(length, rng.uniform(0, np.pi))))


def line(length: float, angle: float) -> NDArray[np.float32]:
    """A straight smear of `length` pixels, sum 1."""
    reach = int(np.ceil(length / 2)) + 1
    kernel = np.zeros((2 * reach + 1, 2 * reach + 1), np.float32)
    for t in np.linspace(-(length - 1) / 2, (length - 1) / 2, max(int(8 * length), 1)):
        x, y = reach + t * np.cos(angle), reach + t * np.sin(angle)
        left, top = int(x), int(y)
        for row, column, share in (
            (top, left, (1 - y % 1) * (1 - x % 1)), (top, left + 1, (1 - y % 1) * (x % 1)),
            (top + 1, left, (y % 1) * (1 - x % 1)), (top + 1, left + 1, (y % 1) * (x % 1)),
        ):  # fmt: skip
            kernel[row, column] += share
    return np.asarray(kernel / kernel.sum(), np.float32)


def _with_lab(picture: Pixels, change: Callable[[NDArray[np.float32]], None]) -> Pixels:
    lab = np.asarray(cv2.cvtColor(picture.astype(np.float32) / 255, cv2.COLOR_RGB2LAB), np.float32)
    change(lab)
    return _bytes(np.clip(cv2.cvtColor(lab, cv2.COLOR_LAB2RGB), 0, 1) * 255)


def _color_diffusion(picture: Pixels, level: float, rng: np.random.Generator) -> Pixels:
    del rng
    amount = _at(level, 1, 3, 6, 8, 12)

    def change(lab: NDArray[np.float32]) -> None:
        soft = cv2.GaussianBlur(lab[..., 1:], (0, 0), 1.5 * amount + 2)
        lab[..., 1:] = np.asarray(soft) * amount

    return _with_lab(picture, change)


def _chromatic_aberration(picture: Pixels, level: float, rng: np.random.Generator) -> Pixels:
    reach = _at(level, 1, 2.5, 4.5, 6.5, 9)
    angle = rng.uniform(0, 2 * np.pi)
    result = picture.astype(np.float32)
    signs = ((0, 1.0), (2, -1.0)) if rng.random() < 0.5 else ((1, 1.0),)
    for channel, sign in signs:
        move = np.array(
            [[1, 0, sign * reach * np.cos(angle)], [0, 1, sign * reach * np.sin(angle)]], np.float32
        )
        size = (picture.shape[1], picture.shape[0])
        plane = np.ascontiguousarray(result[..., channel])
        result[..., channel] = cv2.warpAffine(
            plane, move, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
        )
    return _bytes(result)


def _color_quantization(picture: Pixels, level: float, rng: np.random.Generator) -> Pixels:
    del rng
    colours = round(_at(level, 64, 48, 32, 16, 8))
    image = Image.fromarray(picture).quantize(colours, dither=Image.Dither.FLOYDSTEINBERG)
    return np.asarray(image.convert("RGB"))


def _undersaturation(picture: Pixels, level: float, rng: np.random.Generator) -> Pixels:
    del rng
    hsv = np.asarray(cv2.cvtColor(picture.astype(np.float32) / 255, cv2.COLOR_RGB2HSV), np.float32)
    hsv[..., 1] *= _at(level, 0.4, 0.2, 0.1, 0.03, 0)
    return _bytes(cv2.cvtColor(hsv, cv2.COLOR_HSV2RGB) * 255)


def _oversaturation(picture: Pixels, level: float, rng: np.random.Generator) -> Pixels:
    del rng
    factor = _at(level, 1, 2, 3, 6, 9)

    def change(lab: NDArray[np.float32]) -> None:
        lab[..., 1:] *= factor

    return _with_lab(picture, change)


def encoded(picture: Pixels, kind: str, **options: object) -> Pixels:
    """The picture after a trip through a file format."""
    store = io.BytesIO()
    Image.fromarray(picture).save(store, kind, **options)
    store.seek(0)
    return np.asarray(Image.open(store).convert("RGB"))


def _jpeg2000(picture: Pixels, level: float, rng: np.random.Generator) -> Pixels:
    del rng
    rate = _at(level, 16, 32, 45, 120, 170)
    return encoded(
        picture, "JPEG2000", quality_mode="rates", quality_layers=[rate], irreversible=True
    )


def _jpeg(picture: Pixels, level: float, rng: np.random.Generator) -> Pixels:
    sampling = int(rng.choice([0, 2]))
    return encoded(
        picture, "JPEG", quality=round(_at(level, 43, 36, 24, 7, 4)), subsampling=sampling
    )


def _webp(picture: Pixels, level: float, rng: np.random.Generator) -> Pixels:
    del rng
    return encoded(picture, "WEBP", quality=round(_at(level, 45, 30, 18, 8, 1)))


def _white_noise(picture: Pixels, level: float, rng: np.random.Generator) -> Pixels:
    sigma = 255 * _at(level, 0.001, 0.002, 0.003, 0.005, 0.01) ** 0.5
    return _bytes(picture + rng.normal(0, sigma, picture.shape))


def _color_noise(picture: Pixels, level: float, rng: np.random.Generator) -> Pixels:
    sigma = 255 * _at(level, 0.0001, 0.0005, 0.001, 0.002, 0.003) ** 0.5
    planes = cv2.cvtColor(picture.astype(np.float32), cv2.COLOR_RGB2YCrCb)
    share = 1.0 if rng.random() < 0.5 else 0.35
    noise = rng.normal(0, sigma, planes.shape) * np.array([share, 1, 1])
    planes = (planes - [0, 127.5, 127.5] + noise + [0, 127.5, 127.5]).astype(np.float32)
    return _bytes(cv2.cvtColor(planes, cv2.COLOR_YCrCb2RGB))


def _impulse_noise(picture: Pixels, level: float, rng: np.random.Generator) -> Pixels:
    density = _at(level, 0.001, 0.005, 0.01, 0.02, 0.03)
    result = picture.copy()
    per_channel = rng.random() < 0.5
    shape = picture.shape if per_channel else picture.shape[:2]
    hit = rng.random(shape) < density
    result[hit] = np.where(rng.random(shape)[hit] < 0.5, 0, 255).reshape(
        -1, *([1] if not per_channel else [])
    )
    return result


def _multiplicative_noise(picture: Pixels, level: float, rng: np.random.Generator) -> Pixels:
    sigma = _at(level, 0.001, 0.005, 0.01, 0.02, 0.05) ** 0.5
    return _bytes(picture * (1 + rng.normal(0, sigma, picture.shape)))


def _correlated_noise(picture: Pixels, level: float, rng: np.random.Generator) -> Pixels:
    noise = cv2.GaussianBlur(rng.normal(0, 1, picture.shape), (0, 0), rng.uniform(0.8, 1.6))
    noise *= _at(level, 4, 7, 10, 14, 20) / noise.std()
    return _bytes(picture + noise)


def _high_frequency_noise(picture: Pixels, level: float, rng: np.random.Generator) -> Pixels:
    noise = rng.normal(0, 1, picture.shape)
    noise -= cv2.GaussianBlur(noise, (0, 0), 0.9)
    noise *= _at(level, 8, 13, 18, 26, 36) / noise.std()
    return _bytes(picture + noise)


def _noisy_compression(picture: Pixels, level: float, rng: np.random.Generator) -> Pixels:
    noisy = picture + rng.normal(0, _at(level, 6, 9, 13, 18, 25), picture.shape)
    return encoded(_bytes(noisy), "JPEG", quality=round(_at(level, 55, 42, 32, 22, 14)))


def _denoising(picture: Pixels, level: float, rng: np.random.Generator) -> Pixels:
    sigma = _at(level, 8, 12, 16, 24, 34)
    noisy = _bytes(picture + rng.normal(0, sigma, picture.shape))
    if rng.random() < 0.5:
        return np.asarray(cv2.bilateralFilter(noisy, 9, 3.2 * sigma, 3), np.uint8)
    return np.asarray(
        cv2.fastNlMeansDenoisingColored(noisy, None, 0.9 * sigma, 0.9 * sigma, 5, 11), np.uint8
    )


def _curved(picture: Pixels, middle: float) -> Pixels:
    def change(lab: NDArray[np.float32]) -> None:
        light = lab[..., 0] / 100
        # The parabola through (0, 0), (1/2, middle) and (1, 1).
        bend = 4 * middle - 2
        lab[..., 0] = np.clip(light + bend * light * (1 - light), 0, 1) * 100

    return _with_lab(picture, change)


def _overexposure(picture: Pixels, level: float, rng: np.random.Generator) -> Pixels:
    del rng
    return _curved(picture, 0.5 + 0.5 * _at(level, 0.1, 0.2, 0.4, 0.7, 1.1))


def _underexposure(picture: Pixels, level: float, rng: np.random.Generator) -> Pixels:
    del rng
    return _curved(picture, 0.5 - 0.5 * _at(level, 0.05, 0.1, 0.2, 0.4, 0.8))


def _mean_shift(picture: Pixels, level: float, rng: np.random.Generator) -> Pixels:
    amount = _at(level, 0.02, 0.05, 0.08, 0.12, 0.18) * rng.choice([-1, 1])
    return _bytes(picture + 255 * amount)


def _contrast_change(picture: Pixels, level: float, rng: np.random.Generator) -> Pixels:
    mean = picture.mean()
    factor = _at(level, 1.12, 1.25, 1.45, 1.7, 2.1)
    return _bytes((picture - mean) * (1 / factor if rng.random() < 0.5 else factor) + mean)


def _jitter(picture: Pixels, level: float, rng: np.random.Generator) -> Pixels:
    reach = 2.2 * _at(level, 0.05, 0.1, 0.2, 0.5, 1)
    y, x = np.mgrid[: picture.shape[0], : picture.shape[1]].astype(np.float32)
    moved = [grid + rng.normal(0, reach, grid.shape) for grid in (y, x)]
    planes = [
        map_coordinates(picture[..., k].astype(np.float32), moved, order=1, mode="nearest")
        for k in range(3)
    ]
    return _bytes(np.stack(planes, axis=2))


def _patches(picture: Pixels, level: float, rng: np.random.Generator) -> Pixels:
    result = picture.copy()
    side = 16
    height, width = picture.shape[:2]
    for _ in range(round(_at(level, 20, 40, 60, 80, 100))):
        top, left = rng.integers(0, height - side), rng.integers(0, width - side)
        down = int(np.clip(top + rng.integers(-12, 13), 0, height - side))
        right = int(np.clip(left + rng.integers(-12, 13), 0, width - side))
        result[top : top + side, left : left + side] = picture[
            down : down + side, right : right + side
        ]
    return result


def _pixelation(picture: Pixels, level: float, rng: np.random.Generator) -> Pixels:
    del rng
    factor = 0.95 - _at(level, 0.01, 0.05, 0.1, 0.2, 0.5) ** 0.6
    height, width = picture.shape[:2]
    small = cv2.resize(
        picture, (round(width * factor), round(height * factor)), interpolation=cv2.INTER_AREA
    )
    return np.asarray(cv2.resize(small, (width, height), interpolation=cv2.INTER_NEAREST), np.uint8)


def _quantization(picture: Pixels, level: float, rng: np.random.Generator) -> Pixels:
    levels = round(_at(level, 20, 16, 13, 10, 7))
    if rng.random() < 0.5:
        step = 255 / (levels - 1)
        return _bytes(np.round(picture / step) * step)
    edges = np.quantile(picture[::2, ::2], np.linspace(0, 1, levels + 1)[1:-1])
    index = np.searchsorted(edges, picture)
    centres = np.array(
        [picture[index == k].mean() if (index == k).any() else 0 for k in range(levels)]
    )
    return _bytes(centres[index])


def _local_blocks(picture: Pixels, level: float, rng: np.random.Generator) -> Pixels:
    result = picture.astype(np.float32)
    side = 32
    vivid = rng.random() < 0.5
    for _ in range(round(_at(level, 2, 4, 6, 8, 10))):
        top = rng.integers(0, picture.shape[0] - side)
        left = rng.integers(0, picture.shape[1] - side)
        piece = result[top : top + side, left : left + side]
        colour = rng.uniform(0, 255, 3) if vivid else piece.mean(axis=(0, 1)) + rng.normal(0, 30, 3)
        piece[:] = colour
    return _bytes(result)


def _oversharpening(picture: Pixels, level: float, rng: np.random.Generator) -> Pixels:
    amount = _at(level, 1, 2, 3, 6, 12) * 0.75
    sigma = rng.uniform(0.8, 2.0)
    fine = picture - cv2.GaussianBlur(picture.astype(np.float32), (0, 0), sigma)
    return _bytes(picture + amount * fine)


def _upscaling(picture: Pixels, level: float, rng: np.random.Generator) -> Pixels:
    factor = _at(level, 1.6, 2, 2.6, 3.4, 5)
    height, width = picture.shape[:2]
    small = cv2.resize(
        picture, (round(width / factor), round(height / factor)), interpolation=cv2.INTER_AREA
    )
    way = int(rng.choice([cv2.INTER_CUBIC, cv2.INTER_LINEAR]))
    return np.asarray(cv2.resize(small, (width, height), interpolation=way), np.uint8)


def _haze(picture: Pixels, level: float, rng: np.random.Generator) -> Pixels:
    height, width = picture.shape[:2]
    depth = np.linspace(1, 0.55, height)[:, None, None] * np.ones((1, width, 1))
    clear = np.exp(-_at(level, 0.35, 0.6, 0.9, 1.4, 2.2) * depth)
    light = rng.uniform(200, 245)
    return _bytes(picture * clear + light * (1 - clear))


def _color_cast(picture: Pixels, level: float, rng: np.random.Generator) -> Pixels:
    strength = _at(level, 0.08, 0.14, 0.22, 0.32, 0.45)
    way = rng.choice([0, 1, 2, 3])
    gains = {0: (1, 0, -1), 1: (-1, 0, 1), 2: (-0.5, 0.6, -0.5), 3: (0.6, -0.6, 0.6)}[int(way)]
    return _bytes(picture * (1 + strength * np.array(gains)))


def _vignetting(picture: Pixels, level: float, rng: np.random.Generator) -> Pixels:
    del rng
    height, width = picture.shape[:2]
    y, x = np.mgrid[-1 : 1 : height * 1j, -1 : 1 : width * 1j]
    fall = _at(level, 0.25, 0.4, 0.55, 0.7, 0.9)
    return _bytes(picture * (1 - fall * np.clip((x**2 + y**2) / 2, 0, 1) ** 1.2)[..., None])


def _interlacing(picture: Pixels, level: float, rng: np.random.Generator) -> Pixels:
    result = picture.copy()
    shift = round(_at(level, 1, 2, 4, 7, 12)) * int(rng.choice([-1, 1]))
    result[1::2] = np.roll(result[1::2], shift, 1)
    return result


_ALL: tuple[Distortion, ...] = (
    _gaussian_blur, _lens_blur, _motion_blur, _upscaling, _white_noise, _color_noise,
    _correlated_noise, _high_frequency_noise, _impulse_noise, _multiplicative_noise, _denoising,
    _jpeg, _jpeg2000, _webp, _noisy_compression, _chromatic_aberration, _color_diffusion,
    _color_quantization, _undersaturation, _oversaturation, _color_cast, _overexposure,
    _underexposure, _mean_shift, _vignetting, _contrast_change, _haze, _jitter, _patches,
    _pixelation, _quantization, _local_blocks, _interlacing, _oversharpening,
)  # fmt: skip
DISTORTIONS = {str(getattr(made, "__name__")).removeprefix("_"): made for made in _ALL}  # noqa: B009
