"""Pictures to fit the second look on: faults of light and colour, and what is none of them.

`python -m benchmarks.iqa.fit.mood_samples PHOTOS --out mood.npz`.
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.iqa.fit.distort import DISTORTIONS, Pixels
from benchmarks.iqa.fit.samples import clean_variant, detail_of, file_at, toned_variant
from benchmarks.iqa.fit.taken import frame_of
from benchmarks.iqa.fit.variants import vary
from proveout.apps.iqa import features_light, features_mood, features_tone
from proveout.apps.iqa.features import rounded
from proveout.apps.iqa.view import view_of

MOODS = ("vignetting", "undersaturation", "oversaturation", "color_cast", "overexposure",
         "underexposure", "contrast_change", "haze")  # fmt: skip
OTHERS = tuple(name for name in DISTORTIONS if name not in (*MOODS, "mean_shift"))
PER_PHOTO, CLEAN = 12, 3
TONED, MONOCHROME = 0.3, 0.35
"""Shares of clean pictures with another mood, and of photos that also come in one colour."""


def samples(folder: Path, seed: int, photos: slice) -> Iterator[tuple[str, str, float, Pixels]]:
    """Photo, name, level and picture; the names are dealt out equally."""
    for number, path in list(enumerate(sorted(folder.glob("*.png"))))[photos]:
        photo = file_at(path)()
        for turn in range(CLEAN):
            rng = np.random.default_rng((seed, number, turn))
            made = clean_variant(detail_of(photo, rng), rng)
            toned = toned_variant(made, rng) if rng.random() < TONED else made
            yield path.stem, "clean", 0.0, toned
        rng = np.random.default_rng((seed, number, 500))
        if rng.random() < MONOCHROME:
            yield path.stem, "clean", 0.0, in_one_colour(clean_variant(photo, rng), rng)
        for turn in range(PER_PHOTO + 1):
            rng = np.random.default_rng((seed, number, 1000 + turn))
            dealt = (number * PER_PHOTO + turn) % len(MOODS)
            name = MOODS[dealt] if turn < PER_PHOTO else OTHERS[number % len(OTHERS)]
            level = min(float(rng.uniform(1, 5.2)), 5.0)
            yield path.stem, name, level, vary(name, clean_variant(photo, rng), level, rng)


def in_one_colour(photo: Pixels, rng: np.random.Generator) -> Pixels:
    """Black and white, or toned like an old print: intent, not a fault."""
    grey = photo @ np.array([0.299, 0.587, 0.114])
    angle = rng.uniform(0, 2 * np.pi)
    tint = 1 + rng.choice([0.0, 0.02, 0.06, 0.15]) * np.cos(angle + np.arange(3) * 2 * np.pi / 3)
    return np.asarray(np.clip(np.round(grey[..., None] * tint), 0, 255), np.uint8)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--part", type=int, nargs=2, default=(0, 1), help="k n: every n-th photo")
    given = parser.parse_args()
    part, parts = given.part
    rows, groups, labels, levels = [], [], [], []
    for group, name, level, picture in samples(given.folder, given.seed, slice(part, None, parts)):
        view = view_of(frame_of(picture))
        found = features_tone.features(view) | features_light.features(view)
        measured = found | features_mood.features(view)
        rows.append(rounded(measured))
        groups.append(group)
        labels.append(name)
        levels.append(level)
        if len(rows) % 500 == 0:
            print(len(rows), file=sys.stderr, flush=True)
    np.savez_compressed(
        given.out, X=np.array(rows), names=np.array(list(measured)), group=np.array(groups),
        name=np.array(labels), level=np.array(levels), allow_pickle=False,
    )  # fmt: skip
    print(f"{len(rows)} pictures, {len(measured)} features")


if __name__ == "__main__":
    main()
