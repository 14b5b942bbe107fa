"""Fit one falling curve per detector: its strength on distorted photos against KADID-10k's anchors.

`python -m benchmarks.iqa.fit.fit_severity PHOTOS --out src/proveout/apps/iqa/fitted`. Names without
anchors keep the hand-set curves below, which are cautious and marked as not fitted.
"""

import argparse
import datetime
import hashlib
import json
from pathlib import Path

import numpy as np
from scipy.stats import spearmanr
from sklearn.isotonic import IsotonicRegression

from benchmarks.iqa.fit.distort import ANCHORS, anchor, distort
from benchmarks.iqa.fit.samples import clean_variant, file_at
from benchmarks.iqa.fit.taken import frame_of
from proveout.apps.iqa.detectors.readings import read_all
from proveout.apps.iqa.view import view_of

Curve = dict[str, list[float]]
HAND_SET: dict[str, tuple[list[float], list[float]]] = {
    "clipping": ([0, 15, 30, 60, 90], [5, 4.5, 4.2, 3.0, 1.8]),
    "low_contrast": ([0, 60, 100, 140, 180], [5, 4.7, 4.3, 3.2, 2.0]),
    "moire": ([0, 4, 8, 20, 45], [5, 4.5, 4.2, 3.2, 2.0]),
    "ringing": ([0, 3, 6, 12, 20], [5, 4.5, 4.1, 3.0, 2.0]),
    "flat": ([0, 5, 25, 40], [5, 4.5, 1.5, 1.0]),
}
POINTS = 7


def strengths(folder: Path, count: int) -> dict[str, list[tuple[float, float]]]:
    """Pairs of strength and anchor per distortion, over the first photos of a folder."""
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in ANCHORS}
    for number, path in enumerate(sorted(folder.glob("*.png"))[:count]):
        rng = np.random.default_rng((23, number))
        photo = clean_variant(file_at(path)(), rng)
        frame = frame_of(photo)
        clean = read_all(view_of(frame), frame.facts)
        for name in ANCHORS:
            found[name].append((clean[name].strength, 4.85))
            for level in (1, 2, 3, 4, 5):
                changed = frame_of(distort(name, photo, level, rng))
                reading = read_all(view_of(changed), changed.facts)[name]
                found[name].append((reading.strength, anchor(name, level)))
    return found


def curve(pairs: list[tuple[float, float]]) -> tuple[Curve, float]:
    """A falling curve of few points, and the rank correlation behind it."""
    strength, quality = np.array(pairs).T
    fitted = IsotonicRegression(increasing=False, y_min=1, y_max=5, out_of_bounds="clip")
    fitted.fit(strength, quality)
    points = np.unique(np.quantile(strength, np.linspace(0, 1, POINTS)))
    values = np.minimum.accumulate(fitted.predict(points))
    rank = -float(spearmanr(strength, quality)[0]) if strength.std() > 0 else 0.0
    return {
        "fitted": [1.0],
        "strength": [round(float(point), 4) for point in points],
        "quality": [round(float(value), 3) for value in values],
    }, rank


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("photos", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--count", type=int, default=5)
    given = parser.parse_args()
    pairs = strengths(given.photos, given.count)
    curves: dict[str, Curve] = {
        name: {"fitted": [0.0], "strength": strength, "quality": quality}
        for name, (strength, quality) in HAND_SET.items()
    }
    ranks = {}
    for name, kept in pairs.items():
        curves[name], ranks[name] = curve(kept)
    facts = {
        "version": "1",
        "fit_data_sha256": hashlib.sha256(json.dumps(pairs).encode()).hexdigest(),
        "photos": given.count,
        "rank_of_strength_with_anchor": {name: round(rank, 3) for name, rank in ranks.items()},
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "command": "python -m benchmarks.iqa.fit.fit_severity",
        "curves": curves,
    }
    (given.out / "severity.json").write_text(json.dumps(facts, indent=1, sort_keys=True) + "\n")
    print(json.dumps(facts["rank_of_strength_with_anchor"], indent=1))


if __name__ == "__main__":
    main()
