"""Ring A: photos and distortions that nothing was fitted on, judged by the product as it ships.

`python -m benchmarks.iqa.ring_a [FOLDER …]`. Without a folder the photos bundled with
scikit-image are used. Levels come from `other_distort`, written apart from the generator that was
fitted on. No human rated these pictures: what is measured is order, names and false alarms, never
correlation with people.
"""

import argparse
import time
from collections import defaultdict
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from scipy.stats import spearmanr
from skimage import data

from benchmarks.iqa.fit.taken import frame_of
from benchmarks.iqa.other_distort import DISTORTIONS, Pixels, distort
from proveout.apps.iqa.catalogue import CATALOGUE
from proveout.apps.iqa.measure import Measurement, measure

SIDE = (512, 384)
SAME = {
    "upscaling": ("gaussian_blur", "lens_blur"),
    "gaussian_blur": ("lens_blur",),
    "lens_blur": ("gaussian_blur",),
    "webp": ("jpeg2000",),
}
"""Other names that a person would accept too; counted apart."""
TARGETS = {"severity rank": 0.90, "top-1": 0.85, "family": 0.92, "false alarms": 0.05}


def bundled() -> dict[str, Pixels]:
    """The natural colour photos inside scikit-image."""
    return {
        name: np.asarray(getattr(data, name)())
        for name in ("astronaut", "chelsea", "coffee", "rocket")
    }


def from_folder(folder: Path) -> dict[str, Pixels]:
    return {
        path.stem: np.asarray(Image.open(path).convert("RGB"))
        for path in sorted(folder.iterdir())
        if path.suffix.lower() in (".png", ".jpg", ".jpeg", ".webp")
    }


def fitted_size(photo: Pixels) -> Pixels:
    """The middle of the photo in the proportion 4 : 3, reduced to 512 × 384 where it is larger."""
    height, width = photo.shape[:2]
    scale = min(height / SIDE[1], width / SIDE[0])
    crop = (round(SIDE[0] * min(scale, width / SIDE[0])), round(SIDE[1] * scale))
    left, top = (width - crop[0]) // 2, (height - crop[1]) // 2
    image = Image.fromarray(photo).crop((left, top, left + crop[0], top + crop[1]))
    if image.width > SIDE[0]:
        image = image.resize(SIDE, Image.Resampling.BOX if scale >= 2 else Image.Resampling.LANCZOS)
    return np.asarray(image)


def named(measurement: Measurement) -> str:
    """The distortion that is reported first, or `clean`."""
    present = measurement.present
    return present[0].name if present else "clean"


def clean_variants(photo: Pixels) -> list[Pixels]:
    """What people would call clean: as it is, mirrored, cropped, a little smaller."""
    image = Image.fromarray(photo)
    smaller = image.resize((image.width * 4 // 5, image.height * 4 // 5), Image.Resampling.LANCZOS)
    middle = image.crop((image.width // 8, image.height // 8, image.width * 7 // 8, image.height))
    mirrored = np.ascontiguousarray(photo[:, ::-1])
    return [photo, mirrored, np.asarray(smaller), np.asarray(middle)]


def judge_clean(photos: dict[str, Pixels]) -> tuple[float, list[float]]:
    """Share of clean pictures with a finding, and all their scores."""
    scores, alarms = [], []
    for name, photo in photos.items():
        for number, variant in enumerate(clean_variants(photo)):
            found = measure(frame_of(variant))
            scores.append(found.score)
            alarms.append(bool(found.present))
            if found.present or found.score < 4.2:
                print(f"  clean {name} #{number}: {found.score:.2f} {named(found)}")
    return float(np.mean(alarms)), scores


def judge_distorted(
    photos: dict[str, Pixels], levels: tuple[int, ...]
) -> dict[str, list[tuple[str, int, str, float]]]:
    """Per distortion: photo, level, what was named, score."""
    found: dict[str, list[tuple[str, int, str, float]]] = defaultdict(list)
    for number, (photo_name, photo) in enumerate(photos.items()):
        for kind, name in enumerate(DISTORTIONS):
            for level in levels:
                rng = np.random.default_rng((17, number, kind, level))
                picture = distort(name, photo, level, rng)
                result = measure(frame_of(np.ascontiguousarray(picture)))
                found[name].append((photo_name, level, named(result), result.score))
    return found


def rank(rows: list[tuple[str, int, str, float]]) -> float:
    """Mean over photos of the rank correlation of score with level, sign turned."""
    values = []
    for photo in dict.fromkeys(row[0] for row in rows):
        own = [row for row in rows if row[0] == photo]
        scores: NDArray[np.float64] = np.array([row[3] for row in own])
        if scores.std() > 0:
            values.append(-float(spearmanr([row[1] for row in own], scores)[0]))
        else:
            values.append(0.0)
    return float(np.mean(values))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", type=Path, nargs="*")
    parser.add_argument("--levels", type=int, nargs="+", default=(1, 3, 5))
    given = parser.parse_args()
    photos = bundled()
    for folder in given.folders:
        photos |= from_folder(folder)
    photos = {name: fitted_size(photo) for name, photo in photos.items()}
    started = time.process_time()
    alarms, scores = judge_clean(photos)
    found = judge_distorted(photos, tuple(given.levels))
    print(f"{'distortion':22s} top-1  accepted  family  missed  rank   named instead")
    totals: dict[str, list[float]] = defaultdict(list)
    for name, rows in found.items():
        names = [row[2] for row in rows]
        right = [one == name for one in names]
        accepted = [one == name or one in SAME.get(name, ()) for one in names]
        family = [
            one in CATALOGUE and CATALOGUE[one].category == CATALOGUE[name].category
            for one in names
        ]
        missed = [one == "clean" for one in names]
        order = rank(rows)
        totals["top-1"] += right
        totals["accepted"] += accepted
        totals["family"] += family
        totals["severity rank"].append(order)
        wrong = sorted({one for one in names if one != name}, key=names.count, reverse=True)[:3]
        print(
            f"{name:22s} {np.mean(right):5.2f}  {np.mean(accepted):8.2f}  {np.mean(family):6.2f}"
            f"  {np.mean(missed):6.2f}  {order:5.2f}  {', '.join(wrong)}"
        )
    count = sum(len(rows) for rows in found.values())
    print(f"\n{len(photos)} photos, {count} distorted pictures, {len(scores)} clean ones")
    values = {key: float(np.mean(kept)) for key, kept in totals.items()} | {"false alarms": alarms}
    for key, value in values.items():
        aim = f"(aim {TARGETS[key]:.2f})" if key in TARGETS else ""
        print(f"{key:16s} {value:.3f} {aim}")
    print(f"clean scores     median {np.median(scores):.2f}, least {min(scores):.2f}")
    print(f"CPU              {time.process_time() - started:.0f} s")


if __name__ == "__main__":
    main()
