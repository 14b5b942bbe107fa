"""Pictures to fit the doubt on: clean ones of every size, and mostly weak distortions.

`python -m benchmarks.iqa.fit.presence_samples PHOTOS --set own --out own.npz`. Clean pictures are
reduced by the methods that people's programs use, to anything from a thumbnail to more than the
working size. Of TID2013 only the references that may be fitted on are read.
"""

import argparse
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np
from PIL import Image

from benchmarks.iqa.fit.collect import frame_of
from benchmarks.iqa.fit.distort import DISTORTIONS, Pixels, encoded
from benchmarks.iqa.fit.mood_samples import in_one_colour
from benchmarks.iqa.fit.samples import clean_variant, detail_of, file_at, tid, toned_variant
from benchmarks.iqa.fit.variants import vary
from proveout.apps.iqa import features_mood
from proveout.apps.iqa.features import rounded, vector
from proveout.apps.iqa.fitted_models import Doubles
from proveout.apps.iqa.view import view_of

KINDS = tuple(name for name in DISTORTIONS if name != "mean_shift")
DISTORTED, STRONGEST = 3, 4.2
"""Distortions per photo, and the level up to which they go: strong ones nobody doubts."""
TONED, SAVED = 0.25, 0.6
MONOCHROME = 3
"""Every so many photos one also comes in one colour: intent, not a fault."""
_WAYS = (
    Image.Resampling.LANCZOS,
    Image.Resampling.BICUBIC,
    Image.Resampling.BOX,
    Image.Resampling.HAMMING,
    Image.Resampling.BILINEAR,
)

Row = tuple[str, str, float, Pixels]
"""Photo, name, level and picture."""


class Measured(NamedTuple):
    """What is kept of a picture."""

    group: str
    name: str
    level: float
    short: int
    values: Doubles
    moods: Doubles


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


def clean_sizes(photo: Pixels, rng: np.random.Generator) -> Iterator[Pixels]:
    """A thumbnail, a picture of middle size, and one of any size."""
    shorts = (
        int(np.exp(rng.uniform(np.log(90), np.log(300)))),
        int(rng.integers(300, 513)),
        int(np.exp(rng.uniform(np.log(150), np.log(1000)))),
    )
    for short in shorts:
        made = resized(photo, short, rng)
        if rng.random() < TONED:
            made = toned_variant(made, rng)
        if rng.random() < SAVED:
            made = encoded(made, "JPEG", quality=int(rng.integers(86, 99)))
        yield made


def own(folder: Path, seed: int, photos: slice) -> Iterator[Row]:
    paths = sorted(folder.glob("*.png"))
    for number, path in list(enumerate(paths))[photos]:
        photo = file_at(path)()
        rng = np.random.default_rng((seed, number))
        for made in clean_sizes(photo, rng):
            yield path.stem, "clean", 0.0, made
        for turn in range(DISTORTED + 1):
            name = KINDS[(number * (DISTORTED + 1) + turn) % len(KINDS)]
            level = float(rng.uniform(1, STRONGEST))
            thumbnail = turn == DISTORTED
            before = resized(photo, int(rng.integers(110, 300)), rng) if thumbnail else None
            base = clean_variant(photo, rng) if before is None else before
            yield path.stem, name, level, vary(name, base, level, rng)


def monochrome(folder: Path, seed: int) -> Iterator[Row]:
    for number, path in enumerate(sorted(folder.glob("*.png"))):
        if number % MONOCHROME == 0:
            rng = np.random.default_rng((seed, number, 1))
            photo = resized(file_at(path)(), int(rng.integers(200, 513)), rng)
            yield path.stem, "clean", 0.0, in_one_colour(photo, rng)


def rated(folder: Path) -> Iterator[Row]:
    for sample in tid(folder):
        yield sample.group, sample.name, sample.level, sample.load()


def chosen(name: str, folder: Path, seed: int, photos: slice) -> Iterator[Row]:
    if name == "own":
        return own(folder, seed, photos)
    if name == "monochrome":
        return monochrome(folder, seed)
    return islice(rated(folder), photos.start, photos.stop, photos.step)


def save(rows: list[Measured], out: Path) -> None:
    np.savez_compressed(
        out, allow_pickle=False, X=np.array([row.values for row in rows]),
        moods=np.array([row.moods for row in rows]), group=np.array([row.group for row in rows]),
        name=np.array([row.name for row in rows]), level=np.array([row.level for row in rows]),
        short=np.array([row.short for row in rows]),
    )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--set", choices=("own", "monochrome", "tid"), default="own")
    parser.add_argument("--photos", type=int, nargs="+", default=(0, 10_000), help="from, to, step")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=11)
    given = parser.parse_args()
    samples = chosen(given.set, given.folder, given.seed, slice(*given.photos))
    rows: list[Measured] = []
    for group, name, level, picture in samples:
        view = view_of(frame_of(picture))
        moods = rounded(features_mood.features(view))
        short = min(picture.shape[:2])
        rows.append(Measured(group, name, level, short, vector(view), moods))
        if len(rows) % 100 == 0:
            print(len(rows), file=sys.stderr, flush=True)
            save(rows, given.out)
    save(rows, given.out)
    print(f"{len(rows)} pictures")


if __name__ == "__main__":
    main()
