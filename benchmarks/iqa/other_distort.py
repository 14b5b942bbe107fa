"""A second set of distortions for testing, written apart from the one that was fitted on.

Other kernels, noise laws, encoders and parameters; the names are the catalogue's. Level 1 is meant
to be just visible and level 5 gross. Nothing here may be used for fitting.
"""

from collections.abc import Callable

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw
from scipy import ndimage
from skimage import restoration

Pixels = NDArray[np.uint8]
Doubles = NDArray[np.float64]
Distortion = Callable[[Doubles, int, np.random.Generator], Doubles]
"""Takes and returns values from 0 to 1."""


def distort(name: str, picture: Pixels, level: int, rng: np.random.Generator) -> Pixels:
    changed = DISTORTIONS[name](picture / 255.0, level - 1, rng)
    return np.clip(np.round(changed * 255), 0, 255).astype(np.uint8)


def _per_channel(picture: Doubles, change: Callable[[Doubles], Doubles]) -> Doubles:
    return np.stack([change(picture[..., k]) for k in range(3)], axis=2)


def _linear(picture: Doubles) -> Doubles:
    return np.asarray(picture**2.2, np.float64)


def _display(light: Doubles) -> Doubles:
    return np.asarray(np.clip(light, 0, 1) ** (1 / 2.2), np.float64)


def gaussian_blur(picture: Doubles, level: int, rng: np.random.Generator) -> Doubles:
    del rng
    sigma = (0.85, 1.2, 1.8, 2.8, 4.2)[level]
    return _per_channel(picture, lambda p: ndimage.gaussian_filter(p, sigma, mode="nearest"))


def lens_blur(picture: Doubles, level: int, rng: np.random.Generator) -> Doubles:
    """A six-bladed aperture."""
    radius = (1.6, 2.4, 3.6, 5.2, 7.5)[level]
    turn = rng.uniform(0, np.pi / 3)
    side = 2 * int(np.ceil(radius)) + 3
    big = Image.new("L", (side * 8, side * 8))
    corners = [
        (
            side * 4 + 8 * radius * np.cos(turn + k * np.pi / 3),
            side * 4 + 8 * radius * np.sin(turn + k * np.pi / 3),
        )
        for k in range(6)
    ]
    ImageDraw.Draw(big).polygon(corners, fill=255)
    kernel = np.asarray(big.resize((side, side), Image.Resampling.BOX), np.float64)
    kernel /= kernel.sum()
    return _per_channel(picture, lambda p: ndimage.convolve(p, kernel, mode="nearest"))


def motion_blur(picture: Doubles, level: int, rng: np.random.Generator) -> Doubles:
    """A slightly bent path, made by averaging shifted copies in linear light."""
    length = (3.5, 5, 8, 12, 18)[level]
    angle, bend = rng.uniform(0, np.pi), rng.uniform(-0.1, 0.1)
    steps = np.linspace(-0.5, 0.5, 2 * int(length) + 1) * (length - 1)
    light = _linear(picture)
    total = np.zeros_like(light)
    for step in steps:
        turned = angle + bend * step / length
        shift = (step * np.sin(turned), step * np.cos(turned), 0)
        total += ndimage.shift(light, shift, order=1, mode="nearest")
    return _display(total / len(steps))


def upscaling(picture: Doubles, level: int, rng: np.random.Generator) -> Doubles:
    del rng
    factor = (2.0, 2.4, 3.0, 4.0, 6.0)[level]
    image = Image.fromarray((picture * 255).astype(np.uint8))
    small = image.resize(
        (round(image.width / factor), round(image.height / factor)), Image.Resampling.LANCZOS
    )
    return np.asarray(small.resize(image.size, Image.Resampling.BICUBIC)) / 255.0


def white_noise(picture: Doubles, level: int, rng: np.random.Generator) -> Doubles:
    sigma = (7, 11, 16, 23, 33)[level] / 255
    return np.asarray(picture + sigma * rng.standard_t(9, picture.shape) * (7 / 9) ** 0.5)


def color_noise(picture: Doubles, level: int, rng: np.random.Generator) -> Doubles:
    sigma = (7, 11, 16, 22, 32)[level] / 255
    noise = rng.normal(0, sigma, picture.shape)
    grey = noise @ np.array([0.299, 0.587, 0.114])
    return np.asarray(picture + 1.4 * (noise - 0.75 * grey[..., None]))


def correlated_noise(picture: Doubles, level: int, rng: np.random.Generator) -> Doubles:
    sigma = (5, 8, 11, 15, 22)[level] / 255
    noise = ndimage.uniform_filter(rng.normal(0, 1, picture.shape), (3, 3, 1))
    return np.asarray(picture + sigma * noise / noise.std(), np.float64)


def high_frequency_noise(picture: Doubles, level: int, rng: np.random.Generator) -> Doubles:
    sigma = (10, 15, 21, 29, 40)[level] / 255
    white = rng.normal(0, 1, picture.shape)
    noise = white - ndimage.uniform_filter(white, (3, 3, 1))
    return np.asarray(picture + sigma * noise / noise.std(), np.float64)


def impulse_noise(picture: Doubles, level: int, rng: np.random.Generator) -> Doubles:
    share = (0.003, 0.008, 0.015, 0.03, 0.06)[level]
    hit = rng.random(picture.shape) < share
    return np.where(hit, rng.choice([0.02, 0.98], picture.shape), picture)


def multiplicative_noise(picture: Doubles, level: int, rng: np.random.Generator) -> Doubles:
    sigma = (0.06, 0.09, 0.13, 0.19, 0.28)[level]
    return picture * rng.gamma(1 / sigma**2, sigma**2, picture.shape)


def denoising(picture: Doubles, level: int, rng: np.random.Generator) -> Doubles:
    sigma = (0.035, 0.05, 0.07, 0.1, 0.15)[level]
    noisy = np.clip(picture + rng.normal(0, sigma, picture.shape), 0, 1)
    smooth: Callable[..., Doubles] = restoration.denoise_tv_chambolle
    return np.asarray(smooth(noisy, weight=1.6 * sigma, channel_axis=2, max_num_iter=40))


def _opencv(picture: Doubles, ending: str, *options: int) -> Doubles:
    pixels = np.ascontiguousarray(
        (np.clip(picture, 0, 1) * 255).round().astype(np.uint8)[..., ::-1]
    )
    _, stored = cv2.imencode(ending, pixels, list(options))
    return np.asarray(cv2.imdecode(stored, cv2.IMREAD_COLOR), np.float64)[..., ::-1] / 255


def jpeg(picture: Doubles, level: int, rng: np.random.Generator) -> Doubles:
    """Through another encoder, then cropped, so that the grid does not start at the corner."""
    quality = (32, 22, 14, 9, 5)[level]
    coded = _opencv(picture, ".jpg", cv2.IMWRITE_JPEG_QUALITY, quality)
    if rng.random() < 0.5:
        return coded
    return coded[int(rng.integers(1, 8)) :, int(rng.integers(1, 8)) :]


def jpeg2000(picture: Doubles, level: int, rng: np.random.Generator) -> Doubles:
    del rng
    rate = (30, 18, 12, 7, 4)[level]
    return _opencv(picture, ".jp2", cv2.IMWRITE_JPEG2000_COMPRESSION_X1000, rate)


def webp(picture: Doubles, level: int, rng: np.random.Generator) -> Doubles:
    del rng
    return _opencv(picture, ".webp", cv2.IMWRITE_WEBP_QUALITY, (28, 20, 12, 6, 1)[level])


def noisy_compression(picture: Doubles, level: int, rng: np.random.Generator) -> Doubles:
    noisy = picture + rng.normal(0, (9, 13, 17, 22, 28)[level] / 255, picture.shape)
    return _opencv(noisy, ".jpg", cv2.IMWRITE_JPEG_QUALITY, (40, 32, 25, 18, 12)[level])


def chromatic_aberration(picture: Doubles, level: int, rng: np.random.Generator) -> Doubles:
    """Red and blue enlarged and reduced from the centre, plus a small shift."""
    reach = (1.2, 2.0, 3.2, 4.8, 7.0)[level]
    height, width = picture.shape[:2]
    result = picture.copy()
    angle = rng.uniform(0, 2 * np.pi)
    for channel, sign in ((0, 1), (2, -1)):
        grow = 1 + sign * reach / max(height, width)
        centre = np.array([height, width]) / 2
        shift = sign * 0.7 * reach * np.array([np.sin(angle), np.cos(angle)])
        offset = centre - centre / grow + shift
        result[..., channel] = ndimage.affine_transform(
            picture[..., channel], [1 / grow, 1 / grow], offset, order=1, mode="nearest"
        )
    return result


def color_diffusion(picture: Doubles, level: int, rng: np.random.Generator) -> Doubles:
    del rng
    sigma, gain = ((4, 1.5), (6, 2.2), (9, 3), (12, 4.5), (16, 7))[level]
    grey = picture @ np.array([0.299, 0.587, 0.114])
    colour = picture - grey[..., None]
    soft = _per_channel(colour, lambda p: ndimage.gaussian_filter(p, sigma, mode="nearest"))
    return np.asarray(grey[..., None] + gain * soft)


def color_quantization(picture: Doubles, level: int, rng: np.random.Generator) -> Doubles:
    """A fixed adaptive palette with dithering by error diffusion (median cut)."""
    del rng
    colours = (56, 36, 24, 14, 8)[level]
    image = Image.fromarray((picture * 255).astype(np.uint8))
    palette = image.quantize(colours, method=Image.Quantize.MAXCOVERAGE)
    return np.asarray(image.quantize(palette=palette).convert("RGB")) / 255.0


def undersaturation(picture: Doubles, level: int, rng: np.random.Generator) -> Doubles:
    del rng
    share = (0.45, 0.3, 0.18, 0.08, 0.0)[level]
    grey = (picture @ np.array([0.2126, 0.7152, 0.0722]))[..., None]
    return np.asarray(grey + share * (picture - grey))


def oversaturation(picture: Doubles, level: int, rng: np.random.Generator) -> Doubles:
    del rng
    gain = (2.0, 2.6, 3.4, 5.0, 8.0)[level]
    grey = (picture @ np.array([0.299, 0.587, 0.114]))[..., None]
    return np.asarray(grey + gain * (picture - grey))


def color_cast(picture: Doubles, level: int, rng: np.random.Generator) -> Doubles:
    strength = (0.18, 0.28, 0.4, 0.55, 0.75)[level]
    tint = ((1, 0.55, 0.1), (0.1, 0.5, 1), (0.3, 1, 0.4))[int(rng.integers(0, 3))]
    gains = 1 + strength * (np.array(tint) / np.mean(tint) - 1)
    return _display(_linear(picture) * gains)


def overexposure(picture: Doubles, level: int, rng: np.random.Generator) -> Doubles:
    del rng
    return _display(_linear(picture) * 2 ** (0.7, 1.1, 1.6, 2.2, 3.0)[level])


def underexposure(picture: Doubles, level: int, rng: np.random.Generator) -> Doubles:
    del rng
    return _display(_linear(picture) * 2.0 ** -((1.3, 1.9, 2.6, 3.4, 4.4)[level]))


def contrast_change(picture: Doubles, level: int, rng: np.random.Generator) -> Doubles:
    factor = (0.72, 0.6, 0.48, 0.36, 0.25)[level]
    middle = float(picture.mean()) + rng.uniform(-0.05, 0.05)
    return middle + factor * (picture - middle)


def haze(picture: Doubles, level: int, rng: np.random.Generator) -> Doubles:
    clear = (0.65, 0.52, 0.4, 0.28, 0.18)[level]
    slope = rng.uniform(0, 0.15)
    field = clear + slope * np.linspace(-0.5, 0.5, picture.shape[0])[:, None, None]
    return picture * field + rng.uniform(0.8, 0.92) * (1 - field)


def vignetting(picture: Doubles, level: int, rng: np.random.Generator) -> Doubles:
    """The cosine-to-the-fourth law with an exaggerated angle."""
    del rng
    height, width = picture.shape[:2]
    y, x = np.mgrid[-1 : 1 : height * 1j, -1 : 1 : width * 1j]
    angle = np.arctan((0.75, 0.95, 1.2, 1.5, 1.9)[level] * np.hypot(x, y) / 2**0.5)
    return _display(_linear(picture) * (np.cos(angle) ** 4)[..., None])


def jitter(picture: Doubles, level: int, rng: np.random.Generator) -> Doubles:
    reach = (0.35, 0.6, 0.95, 1.5, 2.4)[level]
    y, x = np.mgrid[: picture.shape[0], : picture.shape[1]].astype(float)
    moved = [g + rng.uniform(-1.7, 1.7, g.shape) * reach for g in (y, x)]
    return _per_channel(
        picture, lambda p: ndimage.map_coordinates(p, moved, order=1, mode="nearest")
    )


def patches(picture: Doubles, level: int, rng: np.random.Generator) -> Doubles:
    result = picture.copy()
    side = 15
    for _ in range((25, 45, 70, 100, 140)[level]):
        top, left, down, right = (
            int(rng.integers(0, length - side)) for length in picture.shape[:2] * 2
        )
        down = int(np.clip(down, max(top - 20, 0), min(top + 20, picture.shape[0] - side)))
        right = int(np.clip(right, max(left - 20, 0), min(left + 20, picture.shape[1] - side)))
        result[top : top + side, left : left + side] = picture[
            down : down + side, right : right + side
        ]
    return result


def pixelation(picture: Doubles, level: int, rng: np.random.Generator) -> Doubles:
    del rng
    side = (2, 3, 4, 6, 9)[level]
    height, width = (length // side * side for length in picture.shape[:2])
    cells = picture[:height, :width].reshape(height // side, side, width // side, side, 3)
    return np.repeat(np.repeat(cells.mean(axis=(1, 3)), side, axis=0), side, axis=1)


def quantization(picture: Doubles, level: int, rng: np.random.Generator) -> Doubles:
    """Rounding towards zero to fewer steps, as a wrong bit depth does."""
    del rng
    steps = (18, 14, 11, 8, 6)[level]
    return np.floor(picture * steps).clip(0, steps - 1) / (steps - 1)


def local_blocks(picture: Doubles, level: int, rng: np.random.Generator) -> Doubles:
    result = picture.copy()
    side = int(rng.choice([24, 32, 40]))
    for _ in range((2, 4, 6, 9, 13)[level]):
        top, left = (int(rng.integers(0, length - side)) for length in picture.shape[:2])
        result[top : top + side, left : left + side] = rng.uniform(0.05, 0.95, 3)
    return result


def interlacing(picture: Doubles, level: int, rng: np.random.Generator) -> Doubles:
    shift = (2, 3, 5, 8, 12)[level] * int(rng.choice([-1, 1]))
    result = picture.copy()
    result[::2] = ndimage.shift(picture[::2], (0, shift, 0), order=0, mode="nearest")
    return result


def oversharpening(picture: Doubles, level: int, rng: np.random.Generator) -> Doubles:
    """By subtracting a Laplacian, not by unsharp masking."""
    amount = (0.35, 0.6, 0.95, 1.6, 3.0)[level]
    sigma = rng.uniform(0.4, 0.9)
    return picture - amount * _per_channel(
        picture, lambda p: ndimage.gaussian_laplace(p, sigma, mode="nearest")
    ) * (1 + sigma)


DISTORTIONS: dict[str, Distortion] = {
    made.__name__: made
    for made in (
        gaussian_blur, lens_blur, motion_blur, upscaling, white_noise, color_noise,
        correlated_noise, high_frequency_noise, impulse_noise, multiplicative_noise, denoising,
        jpeg, jpeg2000, webp, noisy_compression, chromatic_aberration, color_diffusion,
        color_quantization, undersaturation, oversaturation, color_cast, overexposure,
        underexposure, contrast_change, haze, vignetting, jitter, patches, pixelation,
        quantization, local_blocks, interlacing, oversharpening,
    )
}  # fmt: skip
