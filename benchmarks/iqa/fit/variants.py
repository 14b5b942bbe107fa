"""Other ways to make the same fault: kernels, codecs, domains and parameters that `distort` lacks.

A model that saw one generator learns the generator. Each name here has one or more further makers;
`vary` draws one of them or the first one, and now and then saves the result as people would.
Nothing of the second generator that tests are made with is used here.
"""

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from benchmarks.iqa.fit import codings, tints
from benchmarks.iqa.fit.distort import DISTORTIONS, Distortion, Pixels, disk, encoded, line
from benchmarks.iqa.fit.tints import at, whole

Kernel = NDArray[np.float32]
SAVED_AGAIN = 0.15
FIRST_MAKER = 0.35


def vary(name: str, picture: Pixels, level: float, rng: np.random.Generator) -> Pixels:
    """The fault by one of its makers; the size stays."""
    others = OTHERS.get(name, ())
    first = not others or rng.random() < FIRST_MAKER
    make = DISTORTIONS[name] if first else others[int(rng.integers(0, len(others)))]
    made = make(picture, level, rng)
    if rng.random() < SAVED_AGAIN:
        return encoded(made, "JPEG", quality=int(rng.integers(88, 97)))
    return made


def _filtered(picture: Pixels, kernel: Kernel, rng: np.random.Generator) -> Pixels:
    """In display values or in linear light, as cameras blur."""
    if rng.random() < 0.5:
        light = tints.linear(picture)
        return tints.display(cv2.filter2D(light, -1, kernel, borderType=cv2.BORDER_REPLICATE))
    return whole(cv2.filter2D(picture.astype(np.float32), -1, kernel))


def _gaussian(picture: Pixels, level: float, rng: np.random.Generator) -> Pixels:
    sigma = at(level, 0.75, 1.1, 1.7, 2.7, 5)
    side = 2 * int(np.ceil(3 * sigma)) + 1
    along = cv2.getGaussianKernel(side, sigma * rng.uniform(0.92, 1.0))
    return _filtered(picture, np.asarray(along @ along.T, np.float32), rng)


def _boxes(picture: Pixels, level: float, rng: np.random.Generator) -> Pixels:
    del rng
    side = round(at(level, 1.2, 2, 3, 4.5, 7)) * 2 + 1
    soft = picture.astype(np.float32)
    for _ in range(2 if side < 6 else 3):
        soft = np.asarray(cv2.blur(soft, (side // 2 + 1, side // 2 + 1)), np.float32)
    return whole(soft)


def _aperture(picture: Pixels, level: float, rng: np.random.Generator) -> Pixels:
    """A polygon of five, seven or eight blades, or a ring as of a mirror lens."""
    radius = at(level, 1.5, 2.3, 3.5, 5.5, 8.5)
    blades = int(rng.choice([5, 7, 8, 0]))
    if blades == 0:
        kernel = disk(radius)
        inner = disk(radius * 0.4)
        edge = (kernel.shape[0] - inner.shape[0]) // 2
        kernel = kernel - 0.12 * np.pad(inner, edge)
        return _filtered(picture, np.asarray(np.maximum(kernel, 0) / kernel.sum(), np.float32), rng)
    side = 2 * int(np.ceil(radius)) + 3
    turns = rng.uniform(0, 2 * np.pi) + np.arange(blades) * 2 * np.pi / blades
    middle = side * 4
    corners = middle + 8 * radius * np.stack([np.cos(turns), np.sin(turns)], axis=1)
    big = cv2.fillPoly(
        np.zeros((side * 8, side * 8), np.float32), [np.round(corners).astype(np.int32)], (1.0,)
    )
    kernel = np.asarray(cv2.resize(big, (side, side), interpolation=cv2.INTER_AREA), np.float32)
    return _filtered(picture, kernel / kernel.sum(), rng)


def _smear(picture: Pixels, level: float, rng: np.random.Generator) -> Pixels:
    kernel = line(at(level, 3.2, 5, 8, 13, 22), rng.uniform(0, np.pi))
    return _filtered(picture, kernel, rng)


def _shake(picture: Pixels, level: float, rng: np.random.Generator) -> Pixels:
    """An unsteady hand: a path that mostly goes one way."""
    length = at(level, 3.5, 5.5, 9, 14, 22)
    heading = rng.uniform(0, 2 * np.pi) + np.cumsum(rng.normal(0, 0.12, 24))
    steps = np.cumsum(np.stack([np.cos(heading), np.sin(heading)], axis=1), axis=0)
    steps = (steps - steps.mean(axis=0)) * length / 24
    reach = int(np.ceil(np.abs(steps).max())) + 2
    kernel = np.zeros((2 * reach + 1, 2 * reach + 1), np.float32)
    for x, y in np.concatenate([steps, (steps[1:] + steps[:-1]) / 2]) + reach:
        left, top = int(x), int(y)
        kernel[top, left] += (1 - y % 1) * (1 - x % 1)
        kernel[top, left + 1] += (1 - y % 1) * (x % 1)
        kernel[top + 1, left] += (y % 1) * (1 - x % 1)
        kernel[top + 1, left + 1] += (y % 1) * (x % 1)
    return _filtered(picture, kernel / kernel.sum(), rng)


def _enlarged(picture: Pixels, level: float, rng: np.random.Generator) -> Pixels:
    factor = at(level, 1.7, 2.3, 3.3, 5.5, 11)
    height, width = picture.shape[:2]
    size = (max(round(width / factor), 8), max(round(height / factor), 8))
    down = int(rng.choice([cv2.INTER_AREA, cv2.INTER_AREA, cv2.INTER_CUBIC]))
    small = np.asarray(cv2.resize(picture, size, interpolation=down), np.uint8)
    if rng.random() < 0.4:
        ways = (Image.Resampling.BILINEAR, Image.Resampling.LANCZOS, Image.Resampling.HAMMING)
        way = ways[int(rng.integers(0, 3))]
        return np.asarray(Image.fromarray(small).resize((width, height), way))
    up = int(rng.choice([cv2.INTER_LINEAR, cv2.INTER_CUBIC, cv2.INTER_LANCZOS4]))
    return np.asarray(cv2.resize(small, (width, height), interpolation=up), np.uint8)


def _grain(picture: Pixels, level: float, rng: np.random.Generator) -> Pixels:
    """White noise of several laws, or the same in all channels."""
    sigma = at(level, 6, 10, 15, 24, 42)
    law = int(rng.integers(0, 4))
    shape = (*picture.shape[:2], 1) if law == 3 else picture.shape
    noise = rng.normal(0, 1, shape)
    if law == 1:
        noise = rng.uniform(-(3**0.5), 3**0.5, shape)
    if law == 2:
        noise = rng.laplace(0, 2**-0.5, shape)
    return whole(picture + sigma * noise)


def _colour_grain(picture: Pixels, level: float, rng: np.random.Generator) -> Pixels:
    """Noise mostly in colour: in Lab, or of unequal strength per channel."""
    sigma = at(level, 5, 8, 12, 19, 30)
    noise = rng.normal(0, sigma, picture.shape)
    if rng.random() < 0.5:
        grey = noise.mean(axis=2, keepdims=True)
        return whole(picture + 1.3 * (noise - rng.uniform(0.6, 1.0) * grey))

    def change(lab: NDArray[np.float32]) -> None:
        lab[..., 1:] += noise[..., 1:] * 0.45
        lab[..., 0] += noise[..., 0] * 0.1

    return tints.with_lab(picture, change)


def _blotches(picture: Pixels, level: float, rng: np.random.Generator) -> Pixels:
    height, width = picture.shape[:2]
    share = rng.uniform(1.5, 3)
    small = rng.normal(0, 1, (round(height / share), round(width / share), 3)).astype(np.float32)
    noise = np.asarray(cv2.resize(small, (width, height), interpolation=cv2.INTER_CUBIC))
    return whole(picture + noise * at(level, 4, 7, 11, 16, 24) / noise.std())


def _fine_grain(picture: Pixels, level: float, rng: np.random.Generator) -> Pixels:
    white = rng.normal(0, 1, picture.shape).astype(np.float32)
    noise = np.asarray(cv2.Laplacian(white, cv2.CV_32F))
    return whole(picture + noise * at(level, 7, 12, 18, 27, 40) / noise.std())


def _specks(picture: Pixels, level: float, rng: np.random.Generator) -> Pixels:
    """Wild pixels of any value, or only white or black ones."""
    density = at(level, 0.002, 0.006, 0.014, 0.03, 0.07)
    result = picture.copy()
    alone = rng.random() < 0.5
    hit = rng.random(picture.shape if alone else picture.shape[:2]) < density
    kind = int(rng.integers(0, 3))
    count = int(hit.sum())
    values = rng.integers(0, 256, count) if kind == 0 else np.full(count, 255 * (kind - 1))
    result[hit] = values if alone else values[:, None]
    return result


def _speckle(picture: Pixels, level: float, rng: np.random.Generator) -> Pixels:
    sigma = at(level, 0.05, 0.085, 0.13, 0.2, 0.3)
    shape = picture.shape if rng.random() < 0.6 else (*picture.shape[:2], 1)
    return whole(picture * (1 + rng.uniform(-(3**0.5), 3**0.5, shape) * sigma))


def _smoothed(picture: Pixels, level: float, rng: np.random.Generator) -> Pixels:
    """Noise taken away too well: median, repeated bilateral or edge-preserving filters."""
    sigma = at(level, 8, 12, 17, 25, 38)
    noisy = whole(picture + rng.normal(0, sigma, picture.shape))
    way = int(rng.integers(0, 3))
    if way == 0:
        side = 3 if sigma < 13 else 5
        for _ in range(2):
            noisy = np.asarray(cv2.medianBlur(noisy, side), np.uint8)
        return noisy
    if way == 1:
        for _ in range(2):
            noisy = np.asarray(cv2.bilateralFilter(noisy, 7, 2.6 * sigma, 2.5), np.uint8)
        return noisy
    share = float(np.clip(sigma / 90, 0.08, 0.45))
    return np.asarray(cv2.edgePreservingFilter(noisy, flags=1, sigma_s=12, sigma_r=share), np.uint8)


def _radial_fringes(picture: Pixels, level: float, rng: np.random.Generator) -> Pixels:
    """Channels of unequal size, as simple lenses draw them, or one channel moved."""
    reach = at(level, 1.3, 2.2, 3.6, 5.5, 8.5)
    height, width = picture.shape[:2]
    result = picture.copy()
    sign = float(rng.choice([-1.0, 1.0]))
    angle = rng.uniform(0, 2 * np.pi)
    for channel, share in ((0, sign), (2, -sign * rng.uniform(0.3, 1))):
        grow = 1 + 2.2 * share * reach / max(height, width)
        move = np.array(
            [
                [grow, 0, (1 - grow) * width / 2 + 0.4 * share * reach * np.cos(angle)],
                [0, grow, (1 - grow) * height / 2 + 0.4 * share * reach * np.sin(angle)],
            ]
        )
        plane = np.ascontiguousarray(picture[..., channel])
        result[..., channel] = cv2.warpAffine(
            plane, move, (width, height), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE
        )
    return result


def _palette(picture: Pixels, level: float, rng: np.random.Generator) -> Pixels:
    """Palettes of other methods, with and without dither."""
    colours = round(at(level, 60, 40, 26, 15, 8))
    image = Image.fromarray(picture)
    way = int(rng.integers(0, 3))
    if way == 0:
        few = image.quantize(colours, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
        return np.asarray(few.convert("RGB"))
    base = image.quantize(colours, method=Image.Quantize.FASTOCTREE)
    if way == 1:
        return np.asarray(
            image.quantize(palette=base, dither=Image.Dither.FLOYDSTEINBERG).convert("RGB")
        )
    kept = image.quantize(colours, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    return np.asarray(kept.convert("RGB"))


def _loose_pixels(picture: Pixels, level: float, rng: np.random.Generator) -> Pixels:
    reach = at(level, 0.6, 1.0, 1.6, 2.6, 4)
    y, x = np.mgrid[: picture.shape[0], : picture.shape[1]].astype(np.float32)
    moves = rng.uniform(-reach, reach, (2, *picture.shape[:2])).astype(np.float32)
    way = int(rng.choice([cv2.INTER_NEAREST, cv2.INTER_LINEAR]))
    return np.asarray(cv2.remap(picture, x + moves[0], y + moves[1], way, borderMode=1), np.uint8)


def _mosaic(picture: Pixels, level: float, rng: np.random.Generator) -> Pixels:
    """Square cells of any size, starting anywhere, averaged or sampled."""
    side = int(round(at(level, 2, 3, 4.4, 6.6, 11)))
    height, width = picture.shape[:2]
    top, left = int(rng.integers(0, side)), int(rng.integers(0, side))
    below, right = -(height + top) % side, -(width + left) % side
    padded = np.pad(picture, ((top, below), (left, right), (0, 0)), mode="edge")
    size = (padded.shape[1] // side, padded.shape[0] // side)
    way = cv2.INTER_AREA if rng.random() < 0.7 else cv2.INTER_NEAREST
    small = np.asarray(cv2.resize(padded, size, interpolation=way), np.uint8)
    big = small.repeat(side, axis=0).repeat(side, axis=1)
    return np.ascontiguousarray(big[top : top + height, left : left + width])


def _bands(picture: Pixels, level: float, rng: np.random.Generator) -> Pixels:
    """Fewer levels: cut off, centred in the step, or of luma alone."""
    step = 256 / round(at(level, 19, 15, 12, 9, 6))
    way = int(rng.integers(0, 3))
    if way == 0:
        return whole(np.floor(picture / step) * step)
    if way == 1:
        return whole((np.floor(picture / step) + 0.5) * step)
    planes = np.asarray(cv2.cvtColor(picture, cv2.COLOR_RGB2YCrCb), np.float32)
    planes[..., 0] = (np.floor(planes[..., 0] / step) + 0.5) * step
    return np.asarray(cv2.cvtColor(whole(planes), cv2.COLOR_YCrCb2RGB), np.uint8)


def _moved_pieces(picture: Pixels, level: float, rng: np.random.Generator) -> Pixels:
    result = picture.copy()
    side = int(rng.integers(10, 25))
    height, width = picture.shape[:2]
    for _ in range(round(at(level, 22, 40, 62, 90, 130) * (16 / side) ** 1.5)):
        top, left = int(rng.integers(0, height - side)), int(rng.integers(0, width - side))
        down = int(np.clip(top + rng.integers(-24, 25), 0, height - side))
        right = int(np.clip(left + rng.integers(-24, 25), 0, width - side))
        piece = picture[down : down + side, right : right + side]
        result[top : top + side, left : left + side] = piece
    return result


def _squares(picture: Pixels, level: float, rng: np.random.Generator) -> Pixels:
    result = picture.copy()
    for _ in range(round(at(level, 2, 4, 6, 9, 13))):
        rows, columns = int(rng.integers(18, 50)), int(rng.integers(18, 50))
        top = int(rng.integers(0, picture.shape[0] - rows))
        left = int(rng.integers(0, picture.shape[1] - columns))
        result[top : top + rows, left : left + columns] = rng.integers(0, 256, 3)
    return result


def _fields(picture: Pixels, level: float, rng: np.random.Generator) -> Pixels:
    """Two fields taken at two moments: the second is moved, a little also up or down."""
    reach = at(level, 1.5, 3, 5, 8, 13) * float(rng.choice([-1.0, 1.0]))
    move = np.array([[1, 0, reach], [0, 1, rng.uniform(-1, 1)]])
    size = (picture.shape[1], picture.shape[0])
    later = cv2.warpAffine(picture, move, size, borderMode=cv2.BORDER_REPLICATE)
    result = picture.copy()
    start = int(rng.integers(0, 2))
    result[start::2] = np.asarray(later, np.uint8)[start::2]
    return result


def _sharpened(picture: Pixels, level: float, rng: np.random.Generator) -> Pixels:
    """Three by three kernels, once or twice, or a mask of luma alone."""
    amount = at(level, 0.5, 0.85, 1.3, 2.1, 3.6)
    if rng.random() < 0.5:
        kernel = np.array([[-0.5, -1, -0.5], [-1, 6, -1], [-0.5, -1, -0.5]], np.float32) / 4
        if rng.random() < 0.5:
            kernel = np.array([[0, -1, 0], [-1, 4, -1], [0, -1, 0]], np.float32) / 3
        edges = cv2.filter2D(picture.astype(np.float32), -1, kernel)
        return whole(picture + amount * np.asarray(edges))
    luma = np.asarray(cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY), np.float32)
    fine = luma - np.asarray(cv2.GaussianBlur(luma, (0, 0), rng.uniform(0.7, 2.4)))
    return whole(picture + 1.6 * amount * fine[..., None])


OTHERS: dict[str, tuple[Distortion, ...]] = {
    "gaussian_blur": (_gaussian, _boxes), "lens_blur": (_aperture,),
    "motion_blur": (_smear, _smear, _shake), "upscaling": (_enlarged,), "white_noise": (_grain,),
    "color_noise": (_colour_grain,), "correlated_noise": (_blotches,),
    "high_frequency_noise": (_fine_grain,), "impulse_noise": (_specks,),
    "multiplicative_noise": (_speckle,), "denoising": (_smoothed,),
    "chromatic_aberration": (_radial_fringes,), "color_quantization": (_palette,),
    "jitter": (_loose_pixels,), "pixelation": (_mosaic,), "quantization": (_bands,),
    "patches": (_moved_pieces,), "local_blocks": (_squares,), "interlacing": (_fields,),
    "oversharpening": (_sharpened,),
    **tints.OTHERS,
    **codings.OTHERS,
}  # fmt: skip
