"""Fit the full-reference tools to human scores: `python -m benchmarks.iqa.fit.tools TID_FOLDER`.

Reads the references I01 to I12 of TID2013 and no other. Writes `fitted/tools.json` (a curve per tool and
its strengths) and `fitted/fr_score.npz` (the stacked score), and prints what twelve-fold validation says:
each fold leaves one reference out with all its distortions, so no picture content is on both sides.
"""

import argparse
import hashlib
import json
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares
from scipy.stats import pearsonr, rankdata, spearmanr

from benchmarks.iqa.fit.samples import LAST_REFERENCE, tid, tid_score
from proveout.apps.iqa.catalogue import TID2013
from proveout.apps.iqa.tools import fr_score
from proveout.apps.iqa.tools.bank import ENTRIES, Entry
from proveout.apps.iqa.tools.curve import Logistic
from proveout.apps.iqa.tools.fr_features import TINY, UNIT_METRICS, fr_features

Column = NDArray[np.float64]
FITTED = Path(fr_score.__file__).parents[1] / "fitted"
PERFECT_WEIGHT = 24
"""How many pictures the point "identical pair = 5" counts for when a curve is fitted."""
STRONG_RANKS = 3
"""A tool is strong on a distortion when it is among so many best ones."""
SOURCE = (
    "TID2013, references I01 to I12 only (1440 distorted pictures);"
    " quality = clip(1 + 0.585 (MOS - 0.6), 1, 5)"
)


class Table(NamedTuple):
    """One row per distorted picture, in the order of the files."""

    features: NDArray[np.float64]
    names: list[str]
    quality: Column
    group: NDArray[np.str_]
    kind: NDArray[np.str_]
    digest: str


class Agreement(NamedTuple):
    srcc: float
    plcc: float
    rmse: float


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
    return Table(
        np.array(rows), names, np.array(quality), np.array(group), np.array(kind), digest.hexdigest()
    )


def _read(path: Path) -> NDArray[np.uint8]:
    import cv2

    return np.ascontiguousarray(cv2.imread(str(path), cv2.IMREAD_COLOR)[..., ::-1])


def _unit(pixels: NDArray[np.uint8]) -> NDArray[np.float32]:
    return np.asarray(pixels, np.float32) / np.float32(255)


def raw_values(table: Table, name: str) -> Column:
    """The metric itself, back from the feature made of it."""
    column = table.features[:, table.names.index(name)]
    if name not in UNIT_METRICS:
        return column
    away = np.exp(-column) - TINY
    excess = f"{name}.excess"
    above = table.features[:, table.names.index(excess)] if excess in table.names else 0 * away
    return np.where(above > 0, 1 + above, 1 - away)


def agreement(predicted: Column, quality: Column) -> Agreement:
    return Agreement(
        float(spearmanr(predicted, quality).statistic),
        float(pearsonr(predicted, quality).statistic),
        float(np.sqrt(np.mean((predicted - quality) ** 2))),
    )


def fit_curve(raw: Column, quality: Column, entry: Entry) -> Logistic:
    """Least squares with every slope in the tool's direction, so the curve is monotone everywhere."""
    low, high = entry.range
    sign = 1.0 if entry.direction == "higher" else -1.0
    perfect = high if sign > 0 else low
    perfect = min(perfect, 1.0) if entry.name in UNIT_METRICS else perfect
    x = np.clip(np.concatenate([raw, [perfect]]), low, high)
    y = np.concatenate([quality, [5.0]])
    weight = np.concatenate([np.ones(len(raw)), [PERFECT_WEIGHT**0.5]])
    spread, middle = float(x.std()), float(np.median(x))

    def curve(p: Column, at: Column) -> Column:
        z = sign * (at - middle) / spread
        inner = np.clip(p[1] * (z - p[2]), -60, 60)
        return np.asarray(p[0] * (0.5 - 1 / (1 + np.exp(inner))) + p[3] * z + p[4])

    found = least_squares(
        lambda p: weight * (curve(p, x) - y),
        x0=[3.0, 1.5, 0.0, 0.2, 3.0],
        bounds=([0, 0.05, -4, 0, -5], [12, 40, 8, 3, 10]),
    ).x
    b4 = float(found[3] * sign / spread)
    return Logistic(
        float(found[0]),
        float(found[1] * sign / spread),
        float(middle + sign * spread * found[2]),
        b4,
        float(found[4] - b4 * middle),
    )


def left_out(table: Table, entry: Entry, raw: Column) -> Column:
    """Quality of each picture by a curve that was fitted without its reference."""
    predicted = np.empty(len(raw))
    for group in np.unique(table.group):
        test = table.group == group
        curve = fit_curve(raw[~test], table.quality[~test], entry)
        predicted[test] = [curve.quality(float(value)) for value in raw[test]]
    return predicted


def per_type(predicted: Column, table: Table) -> dict[str, float]:
    return {
        name: round(float(spearmanr(predicted[table.kind == name], table.quality[table.kind == name])[0]), 4)
        for name in TID2013
    }


def fit_tools(table: Table, stacked: Column) -> dict[str, dict[str, object]]:
    found: dict[str, dict[str, object]] = {}
    types: dict[str, dict[str, float]] = {}
    for entry in ENTRIES:
        if entry.kind != "FR":
            continue
        if entry.name == "FR-Score":
            # Already on the common scale.
            curve, predicted = Logistic(0.0, 1.0, 3.0, 1.0, 0.0), stacked
        else:
            raw = raw_values(table, entry.name)
            curve, predicted = fit_curve(raw, table.quality, entry), left_out(table, entry, raw)
        if not curve.monotone(*entry.range, rising=entry.direction == "higher"):
            message = f"the curve of {entry.name} is not monotone"
            raise ValueError(message)
        types[entry.name] = per_type(predicted, table)
        found[entry.name] = {
            "betas": [round(beta, 6) for beta in curve],
            "left_out": {k: round(v, 4) for k, v in agreement(predicted, table.quality)._asdict().items()},
            "per_type_srcc": types[entry.name],
        }
    for name, strengths in _strengths(types).items():
        found[name]["strengths"] = strengths
    return found


def _strengths(types: dict[str, dict[str, float]]) -> dict[str, list[str]]:
    """Per tool: distortions on which it is among the best three single metrics; the stack, the best."""
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--cache", type=Path, help="keep the features here between runs (.npz)")
    given = parser.parse_args()
    table = _cached(given.folder, given.cache)
    from benchmarks.iqa.fit.fr_stack import fit_stack

    stack = fit_stack(table)
    tools = fit_tools(table, stack.left_out)
    fit = {"data": SOURCE, "pictures_sha256": table.digest, "validation": "leave one reference out"}
    text = json.dumps({"fit": fit, "tools": tools}, indent=1)
    (FITTED / "tools.json").write_text(text + "\n")
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
            str(kept["digest"]),
        )
    table = collect(folder)
    if cache:
        np.savez_compressed(cache, **table._asdict())
    return table


if __name__ == "__main__":
    assert tid_score(0.6) == 1
    main()
