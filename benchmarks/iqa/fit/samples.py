"""Pictures to fit on: rated sets read from disk, and clean photos distorted here with known levels.

Every sample carries a group (reference, prompt or photo): what shares a group never stands on both
sides of a split.
"""

import csv
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np

from benchmarks.iqa.fit.distort import DISTORTIONS, Pixels, anchor, encoded
from benchmarks.iqa.fit.variants import vary
from proveout.apps.iqa.catalogue import TID2013

LAST_REFERENCE = 12
"""TID2013 references above this number are the test and are never opened."""


class Sample(NamedTuple):
    """One picture with what is known of it."""

    source: str
    group: str
    name: str
    """Distortion, or `clean`, or `generated`."""
    level: float
    score: float
    """On the scale from 1 to 5; NaN where nobody rated it."""
    load: Callable[[], Pixels]
    reference: Callable[[], Pixels] | None = None
    """The same picture before it was distorted, where it is known."""


def tid_score(mos: float) -> float:
    """TID2013's 0 to 9 on the common scale: its undistorted pictures lie near 7, which is 4.75."""
    return float(np.clip(1 + 0.585 * (mos - 0.6), 1, 5))


def tid(folder: Path) -> Iterator[Sample]:
    """The part of TID2013 that may be fitted on."""
    scores = {}
    for line in (folder / "mos.txt").read_text().splitlines():
        score, name = line.split()
        scores[name.lower()] = float(score)
    for path in sorted((folder / "distorted_images").iterdir(), key=lambda p: p.name.lower()):
        name = path.name.lower()
        if name not in scores:
            continue
        group, kind, level = name.removesuffix(".bmp").split("_")
        if int(group[1:]) > LAST_REFERENCE:
            continue
        yield Sample(
            "tid",
            group,
            TID2013[int(kind) - 1],
            float(level),
            tid_score(scores[name]),
            file_at(path),
        )


def agiqa(folder: Path) -> Iterator[Sample]:
    """Generated pictures; 0 to 5 becomes 1 to 5."""
    with (folder / "ratings.csv").open() as file:
        for row in csv.DictReader(file):
            score = 1 + 0.8 * float(row["mos_quality"])
            path = folder / "images" / row["image"]
            yield Sample("agiqa", row["prompt"], "generated", 0, score, file_at(path))


CLEAN_SCORE = 4.85
TONED, LARGE = 0.25, 0.2
"""Shares of clean pictures with another mood, and at more than the working size."""


def ring(
    folder: Path, distorted: int, clean: int, seed: int, kinds: Sequence[str] = tuple(DISTORTIONS)
) -> Iterator[Sample]:
    """Each photo clean in several ways, and with some of the distortions at random levels.

    A photo gets `distorted` of the names, dealt out so that every name comes equally often.
    """
    for number, path in enumerate(sorted(folder.glob("*.png"))):
        photo = file_at(path)()
        for turn in range(clean):
            made = _clean(photo, (seed, number, turn))
            yield Sample("ring", path.stem, "clean", 0, CLEAN_SCORE, made)
        for turn in range(distorted):
            name = kinds[(number * distorted + turn) % len(kinds)]
            key = (seed, number, 1000 + turn)
            level = float(np.random.default_rng((*key, 1)).uniform(1, 5.2))
            made, before = _distorted(photo, name, min(level, 5), key)
            yield Sample("ring", path.stem, name, level, anchor(name, min(level, 5)), made, before)


def file_at(path: Path) -> Callable[[], Pixels]:
    def load() -> Pixels:
        picture = cv2.imread(str(path), cv2.IMREAD_COLOR)
        if picture is None:
            message = f"{path} is not a picture"
            raise ValueError(message)
        return np.ascontiguousarray(np.asarray(picture, np.uint8)[..., ::-1])

    return load


def _clean(photo: Pixels, key: tuple[int, ...]) -> Callable[[], Pixels]:
    def load() -> Pixels:
        rng = np.random.default_rng(key)
        if rng.random() < LARGE and min(photo.shape[:2]) >= 640:
            return large_variant(photo, rng)
        made = clean_variant(detail_of(photo, rng), rng)
        return toned_variant(made, rng) if rng.random() < TONED else made

    return load


def _distorted(
    photo: Pixels, name: str, level: float, key: tuple[int, ...]
) -> tuple[Callable[[], Pixels], Callable[[], Pixels]]:
    def before() -> Pixels:
        return clean_variant(photo, np.random.default_rng(key))

    def load() -> Pixels:
        return vary(name, before(), level, np.random.default_rng((*key, 2)))

    return load, before


def large_variant(photo: Pixels, rng: np.random.Generator) -> Pixels:
    """More pixels than the working size, stored as cameras and web sites do."""
    crop = detail_of(photo, rng)
    scale = min(rng.uniform(560, 1000) / min(crop.shape[:2]), 1)
    size = (round(crop.shape[1] * scale), round(crop.shape[0] * scale))
    made = np.asarray(cv2.resize(crop, size, interpolation=cv2.INTER_AREA), np.uint8)
    if rng.random() < 0.7:
        return encoded(np.ascontiguousarray(made), "JPEG", quality=int(rng.integers(86, 98)))
    return np.ascontiguousarray(made)


def clean_variant(photo: Pixels, rng: np.random.Generator) -> Pixels:
    """Another crop, size, resampling.

    Mirror image or light recompression that nobody would notice.
    """
    height, width = photo.shape[:2]
    aspect = 4 / 3 if width >= height else 3 / 4
    largest = min(height, width / aspect)
    side = largest * (1 if largest < 420 else rng.uniform(max(0.55, min(420 / largest, 1)), 1))
    crop_height, crop_width = int(side), int(side * aspect)
    top, left = rng.integers(0, height - crop_height + 1), rng.integers(0, width - crop_width + 1)
    crop = photo[top : top + crop_height, left : left + crop_width]
    short = 384 if rng.random() < 0.7 else int(rng.integers(300, 513))
    scale = min(short / min(crop.shape[:2]), 1)
    if scale < 1:
        ways = (cv2.INTER_AREA, cv2.INTER_AREA, cv2.INTER_LINEAR if scale > 0.6 else cv2.INTER_AREA)
        size = (round(crop.shape[1] * scale), round(crop.shape[0] * scale))
        crop = np.asarray(cv2.resize(crop, size, interpolation=ways[rng.integers(0, 3)]), np.uint8)
    if rng.random() < 0.5:
        crop = crop[:, ::-1]
    if rng.random() < 0.3:
        fine = crop - cv2.GaussianBlur(crop.astype(np.float32), (0, 0), 0.8)
        crop = np.clip(np.round(crop + rng.uniform(0.1, 0.35) * fine), 0, 255).astype(np.uint8)
    if rng.random() < 0.4:
        crop = encoded(np.ascontiguousarray(crop), "JPEG", quality=int(rng.integers(90, 99)))
    return np.ascontiguousarray(crop)


def detail_of(photo: Pixels, rng: np.random.Generator) -> Pixels:
    """A part of a large photo, still larger than what is judged."""
    height, width = photo.shape[:2]
    least = min(1.0, 480 / min(height, width))
    share = float(rng.uniform(least, 1))
    rows, columns = round(height * share), round(width * share)
    top, left = rng.integers(0, height - rows + 1), rng.integers(0, width - columns + 1)
    return photo[top : top + rows, left : left + columns]


def toned_variant(photo: Pixels, rng: np.random.Generator) -> Pixels:
    """Exposure, contrast, warmth and saturation moved within what passes as taste."""
    light = (photo / 255) ** 2.2 * 2 ** rng.uniform(-0.45, 0.35)
    light = light * (1 + rng.uniform(-0.06, 0.06) * np.array([1, 0, -1]))
    values = np.clip(light, 0, 1) ** (1 / 2.2)
    middle = float(values.mean())
    values = middle + rng.uniform(0.88, 1.12) * (values - middle)
    grey = values.mean(axis=2, keepdims=True)
    values = grey + rng.uniform(0.7, 1.3) * (values - grey)
    return np.asarray(np.clip(np.round(values * 255), 0, 255), np.uint8)
