"""Fit the NIQE- and BRISQUE-like tools: clean photos for the one, collected features for the other.

`python -m benchmarks.iqa.fit.fit_tools PHOTOS TABLE.npz … --out src/proveout/apps/iqa/fitted`
"""

import argparse
import datetime
import json
from pathlib import Path

import numpy as np
from scipy.stats import spearmanr

from benchmarks.iqa.fit import train
from benchmarks.iqa.fit.samples import clean_variant, file_at
from benchmarks.iqa.fit.taken import frame_of
from benchmarks.iqa.fit.targets import FOLDS, read
from proveout.apps.iqa.features import names
from proveout.apps.iqa.tools.no_reference import BRISQUE_PARTS, patch_features
from proveout.apps.iqa.view import view_of


def fit_niqe(folder: Path) -> tuple[train.Arrays, int]:
    """Mean and covariance of the sharp patches of clean photos."""
    rows = []
    for number, path in enumerate(sorted(folder.glob("*.png"))):
        picture = clean_variant(file_at(path)(), np.random.default_rng((5, number)))
        rows.append(patch_features(view_of(frame_of(picture)).y, sharp_only=True))
    table = np.concatenate(rows)
    arrays: train.Arrays = {
        "niqe.mean": table.mean(axis=0).astype(np.float32),
        "niqe.covariance": np.cov(table.T).astype(np.float32),
    }
    return arrays, len(table)


def fit_brisque(paths: list[Path]) -> tuple[train.Arrays, dict[str, float]]:
    table = read(paths)
    places = np.array([names().index(part) for part in BRISQUE_PARTS])
    known = np.isfinite(table.score)
    features, target = table.features[known][:, places], table.score[known]
    fold, source = table.fold()[known], table.source[known]
    arrays = train.scaling(features)
    scaled = train.scaled(features, arrays)
    weight = np.ones(len(target))
    out = np.zeros(len(target))
    for number in range(FOLDS):
        rows = fold != number
        model = train.network_scores(scaled[rows], target[rows], weight[rows], 0, width=24)
        out[~rows] = model.predict(scaled[~rows])
    report = {
        f"{name}_srcc": float(spearmanr(out[source == name], target[source == name])[0])
        for name in sorted(set(source))
    }
    model = train.network_scores(scaled, target, weight, 0, width=24)
    kept = {f"brisque.{key}": value for key, value in arrays.items()}
    kept |= train.network_arrays(model, "brisque.network") | {"brisque.places": places}
    return kept, report


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("photos", type=Path)
    parser.add_argument("tables", type=Path, nargs="+")
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    niqe, patches = fit_niqe(given.photos)
    brisque, report = fit_brisque(given.tables)
    np.savez_compressed(given.out / "no_reference.npz", allow_pickle=False, **(niqe | brisque))
    facts = {
        "version": "1",
        "fit_data_sha256": read(given.tables).digest,
        "niqe_patches": patches,
        "brisque_out_of_fold": report,
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "command": "python -m benchmarks.iqa.fit.fit_tools",
    }
    (given.out / "no_reference.json").write_text(json.dumps(facts, indent=1, sort_keys=True) + "\n")
    print(json.dumps(facts, indent=1))


if __name__ == "__main__":
    main()
