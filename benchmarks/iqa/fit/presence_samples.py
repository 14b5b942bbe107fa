"""Pictures to fit the doubt on: clean ones of every size, and mostly weak distortions.

`python -m benchmarks.iqa.fit.collect own PHOTOS --out own.npz`. Clean pictures are reduced by the
methods that people's programs use, to anything from a thumbnail to more than the working size.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from benchmarks.iqa.fit.distort import DISTORTIONS, Pixels, encoded
from benchmarks.iqa.fit.mood_samples import in_one_colour
from benchmarks.iqa.fit.samples import (
    CLEAN_SCORE,
    Sample,
    clean_variant,
    detail_of,
    file_at,
    toned_variant,
)
from benchmarks.iqa.fit.variants import vary

KINDS = tuple(name for name in DISTORTIONS if name != "mean_shift")
DISTORTED, STRONGEST = 3, 4.2
"""Distortions per photo, and the level up to which they go: strong ones nobody doubts."""
TONED, SAVED = 0.25, 0.6
PLAIN = ((100, 200), (200, 512))
"""Short sides to which the whole photo is averaged, as file managers and web sites do."""
MONOCHROME = 3
"""Every so many photos one also comes in one colour: intent, not a fault."""
REFERENCES, PARTS, LEAST_PART = 24, 0.5, 0.7
"""Clean pictures of a rated reference, the share of parts among them, and the least part."""
UNRATED = float("nan")
_WAYS = (
    Image.Resampling.LANCZOS,
    Image.Resampling.BICUBIC,
    Image.Resampling.BOX,
    Image.Resampling.HAMMING,
    Image.Resampling.BILINEAR,
)
Make = Callable[[np.random.Generator], Pixels]
Rounding = Callable[[NDArray[np.float64]], NDArray[np.float64]]


def resized(photo: Pixels, short: int, rng: np.random.Generator) -> Pixels:
    """Some part of the photo with a short side of so many pixels, never enlarged."""
    part = detail_of(photo, rng)
    scale = min(short / min(part.shape[:2]), 1)
    size = (max(round(part.shape[1] * scale), 8), max(round(part.shape[0] * scale), 8))
    way = int(rng.integers(0, len(_WAYS) + 1))
    if way == len(_WAYS):
        small = np.asarray(cv2.resize(part, size, interpolation=cv2.INTER_AREA), np.uint8)
    else:
        small = np.asarray(Image.fromarray(part).resize(size, _WAYS[way]))
    turned = small[:, ::-1] if rng.random() < 0.5 else small
    return np.ascontiguousarray(turned)


def halves_up(means: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.floor(means + 0.5)


ROUNDINGS = (halves_up, halves_up, np.rint, np.floor)
"""Most programs round halves up; NumPy rounds them to even, which leaves a comb of grey levels, and
casts by cutting off."""


def averaged(photo: Pixels, short: int, to_whole: Rounding = halves_up) -> Pixels:
    """The whole photo by means over blocks, whole ones where the size allows, else shared ones."""
    side = min(photo.shape[:2]) // short
    if side >= 2:
        rows, columns = photo.shape[0] // side, photo.shape[1] // side
        cut = photo[: rows * side, : columns * side].astype(np.float64)
        means = cut.reshape(rows, side, columns, side, 3).mean(axis=(1, 3))
        return np.asarray(to_whole(means), np.uint8)
    scale = min(short / min(photo.shape[:2]), 1)
    size = (round(photo.shape[1] * scale), round(photo.shape[0] * scale))
    return np.asarray(cv2.resize(photo, size, interpolation=cv2.INTER_AREA), np.uint8)


def finished(made: Pixels, rng: np.random.Generator) -> Pixels:
    """Some of them toned to taste, many saved again."""
    if rng.random() < TONED:
        made = toned_variant(made, rng)
    if rng.random() < SAVED:
        made = encoded(made, "JPEG", quality=int(rng.integers(86, 99)))
    return made


def clean_ways(photo: Pixels) -> list[Make]:
    """A thumbnail, a picture of middle size, one of any size, and plain averages."""
    shorts: tuple[Callable[[np.random.Generator], int], ...] = (
        lambda rng: int(np.exp(rng.uniform(np.log(90), np.log(300)))),
        lambda rng: int(rng.integers(300, 513)),
        lambda rng: int(np.exp(rng.uniform(np.log(150), np.log(1000)))),
    )
    return [
        *(lambda rng, short=short: finished(resized(photo, short(rng), rng), rng)
          for short in shorts),
        *(lambda rng, ends=ends: averaged(
            photo, int(rng.integers(*ends)), ROUNDINGS[rng.integers(len(ROUNDINGS))]
        ) for ends in PLAIN),
    ]  # fmt: skip


def distorted_ways(photo: Pixels, number: int) -> Iterator[tuple[str, Make]]:
    """Names dealt out so that all come equally often; the last one on a thumbnail."""
    for turn in range(DISTORTED + 1):
        name = KINDS[(number * (DISTORTED + 1) + turn) % len(KINDS)]

        def make(rng: np.random.Generator, name: str = name, turn: int = turn) -> Pixels:
            level = float(rng.uniform(1, STRONGEST))
            thumbnail = turn == DISTORTED
            small = resized(photo, int(rng.integers(110, 300)), rng) if thumbnail else None
            base = clean_variant(photo, rng) if small is None else small
            return vary(name, base, level, rng)

        yield name, make


def own(folder: Path, seed: int) -> Iterator[Sample]:
    """Clean pictures and mostly weak distortions of every photo."""
    for number, path in enumerate(sorted(folder.glob("*.png"))):
        photo = file_at(path)()
        ways = [("clean", make) for make in clean_ways(photo)]
        ways += list(distorted_ways(photo, number))
        for turn, (name, make) in enumerate(ways):
            score = CLEAN_SCORE if name == "clean" else UNRATED
            load = _made(make, (seed, number, turn, 3))
            yield Sample("doubt", path.stem, name, 0, score, load)


def monochrome(folder: Path, seed: int) -> Iterator[Sample]:
    for number, path in enumerate(sorted(folder.glob("*.png"))):
        if number % MONOCHROME == 0:
            load = _made(_in_one_colour(path), (seed, number, 1))
            yield Sample("doubt", path.stem, "clean", 0, CLEAN_SCORE, load)


def references(folder: Path, seed: int) -> Iterator[Sample]:
    """The references of the rated set, clean in many ways, beside their many distortions.

    Without them the look of that set, which is nearly always distorted, would pass for a fault.
    """
    for number, path in enumerate(sorted(folder.glob("i[0-9][0-9].png"))):
        for turn in range(REFERENCES):
            load = _made(_near(path), (seed, number, turn, 5))
            yield Sample("ring", path.stem, "clean", 0, CLEAN_SCORE, load)


def _near(path: Path) -> Make:
    def make(rng: np.random.Generator) -> Pixels:
        photo = file_at(path)()
        height, width = (round(side * rng.uniform(LEAST_PART, 1)) for side in photo.shape[:2])
        top = int(rng.integers(0, photo.shape[0] - height + 1))
        left = int(rng.integers(0, photo.shape[1] - width + 1))
        part = photo[top : top + height, left : left + width] if rng.random() < PARTS else photo
        return clean_variant(np.ascontiguousarray(part), rng)

    return make


def _made(make: Make, key: tuple[int, ...]) -> Callable[[], Pixels]:
    return lambda: make(np.random.default_rng(key))


def _in_one_colour(path: Path) -> Make:
    def make(rng: np.random.Generator) -> Pixels:
        return in_one_colour(resized(file_at(path)(), int(rng.integers(200, 513)), rng), rng)

    return make
