"""Fit the full-reference tools to human scores: `python -m benchmarks.iqa.fit.tools TID_FOLDER`.

Reads the references I01 to I12 of TID2013 and no other. Writes `fitted/tools.json` (a curve per
tool and its strengths) and `fitted/fr_score.npz` (the stacked score), and prints what twelve-fold
validation says: each fold leaves one reference out with all its distortions, so that no
content is on both sides.
"""

import argparse
import hashlib
import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from benchmarks.iqa.fit.curves import Column, Table, agreement, fit_curve, per_type, raw_values
from benchmarks.iqa.fit.fr_stack import Fitted, fit_stack, report
from benchmarks.iqa.fit.samples import LAST_REFERENCE, tid
from proveout.apps.iqa.catalogue import TID2013
from proveout.apps.iqa.tools import fr_score
from proveout.apps.iqa.tools.bank import ENTRIES, Entry
from proveout.apps.iqa.tools.fr_features import fr_features

FITTED = Path(fr_score.__file__).parents[1] / "fitted"
STRONG_RANKS = 3
"""A tool is strong on a distortion when it is among so many best ones."""
SOURCE = (
    "TID2013, references I01 to I12 only (1440 distorted pictures);"
    " quality = clip(1 + 0.585 (MOS - 0.6), 1, 5)"
)


def collect(folder: Path) -> Table:
    """Features of every pair; about ten minutes on one core."""
    references = {
        path.stem.lower(): path
        for path in (folder / "reference_images").iterdir()
        if int(path.stem[1:]) <= LAST_REFERENCE
    }
    digest = hashlib.sha256()
    rows, quality, group, kind = [], [], [], []
    names: list[str] = []
    for sample in tid(folder):
        test = sample.load()
        digest.update(test.tobytes())
        found = fr_features(_unit(_read(references[sample.group])), _unit(test))
        names = list(found)
        rows.append(list(found.values()))
        quality.append(sample.score)
        group.append(sample.group)
        kind.append(sample.name)
    clean = _unit(_read(references[min(references)]))
    return Table(
        features=np.array(rows),
        names=names,
        quality=np.array(quality),
        group=np.array(group),
        kind=np.array(kind),
        perfect=np.array(list(fr_features(clean, clean).values())),
        digest=digest.hexdigest(),
    )


def _read(path: Path) -> NDArray[np.uint8]:
    return np.ascontiguousarray(np.asarray(cv2.imread(str(path)), np.uint8)[..., ::-1])


def _unit(pixels: NDArray[np.uint8]) -> NDArray[np.float32]:
    return np.asarray(pixels, np.float32) / np.float32(255)


def left_out(table: Table, entry: Entry, raw: Column) -> Column:
    """Quality of each picture by a curve that was fitted without its reference."""
    predicted = np.empty(len(raw))
    for group in np.unique(table.group):
        test = table.group == group
        curve = fit_curve(raw[~test], table.quality[~test], entry)
        predicted[test] = [curve.quality(float(value)) for value in raw[test]]
    return predicted


def fit_tools(table: Table, stacked: Column) -> dict[str, dict[str, object]]:
    found: dict[str, dict[str, object]] = {}
    types: dict[str, dict[str, float]] = {}
    for entry in ENTRIES:
        if entry.kind != "FR":
            continue
        if entry.built_in:
            curve, predicted = entry.built_in, stacked
        else:
            raw = raw_values(table, entry.name)
            curve, predicted = fit_curve(raw, table.quality, entry), left_out(table, entry, raw)
        if not curve.monotone(*entry.range, rising=entry.direction == "higher"):
            message = f"the curve of {entry.name} is not monotone"
            raise ValueError(message)
        types[entry.name] = per_type(predicted, table)
        found[entry.name] = {
            "betas": [round(beta, 6) for beta in curve],
            "left_out": {
                k: round(v, 4) for k, v in agreement(predicted, table.quality)._asdict().items()
            },
            "per_type_srcc": types[entry.name],
        }
    for name, strengths in _strengths(types).items():
        found[name]["strengths"] = strengths
    return found


def _strengths(types: dict[str, dict[str, float]]) -> dict[str, list[str]]:
    """Distortions on which a metric is among the best three, or the stack is the best."""
    strengths: dict[str, list[str]] = {name: [] for name in types}
    singles = [name for name in types if name != "FR-Score"]
    for kind in TID2013:
        order = rankdata([-types[name][kind] for name in singles], method="min")
        for name, rank in zip(singles, order, strict=True):
            if rank <= STRONG_RANKS and types[name][kind] > 0.7:
                strengths[name].append(kind)
        if types["FR-Score"][kind] >= max(types[name][kind] for name in singles) - 0.02:
            strengths["FR-Score"].append(kind)
    return strengths


def save_stack(fitted: Fitted) -> None:
    stack = fitted.stack
    arrays: dict[str, Any] = {name: np.asarray(value) for name, value in stack._asdict().items()}
    arrays["support"] = stack.support.astype(np.float32)
    with (FITTED / "fr_score.npz").open("wb") as file:
        np.savez_compressed(file, **arrays)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--cache", type=Path, help="keep the features here between runs (.npz)")
    given = parser.parse_args()
    table = _cached(given.folder, given.cache)
    fitted = fit_stack(table)
    save_stack(fitted)
    print(report(fitted, table))
    tools = fit_tools(table, fitted.left_out)
    fit = {"data": SOURCE, "pictures_sha256": table.digest, "validation": "leave one reference out"}
    path = FITTED / "tools.json"
    kept = json.loads(path.read_text())["tools"] if path.exists() else {}
    # What `nr_tools` has added stays.
    text = json.dumps({"fit": fit, "tools": {**kept, **tools}}, indent=1)
    path.write_text(text + "\n")
    for name, numbers in tools.items():
        print(f"{name:11s} {numbers['left_out']}")


def _cached(folder: Path, cache: Path | None) -> Table:
    if cache and cache.exists():
        kept = np.load(cache)
        return Table(
            kept["features"],
            list(kept["names"]),
            kept["quality"],
            kept["group"],
            kept["kind"],
            kept["perfect"],
            str(kept["digest"]),
        )
    table = collect(folder)
    if cache:
        np.savez_compressed(cache, **table._asdict())
    return table


if __name__ == "__main__":
    main()
