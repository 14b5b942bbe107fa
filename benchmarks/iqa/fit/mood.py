"""Fit the second look at light and colour on collected measures; report grouped folds.

`python -m benchmarks.iqa.fit.mood mood.npz --out src/proveout/apps/iqa/fitted`. Photos never stand
on both sides of a fold; every number printed and stored is out of fold.
"""

import argparse
import datetime
import hashlib
import json
import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.iqa.fit import train
from benchmarks.iqa.fit.fit import save
from benchmarks.iqa.fit.mood_samples import MOODS
from proveout.apps.iqa.features import names as feature_names
from proveout.apps.iqa.fitted_models import Doubles
from proveout.apps.iqa.scorehead import TREES_SHARE

CLASSES = ("clean", "other", *MOODS)
FOLDS = 5
NETWORKS = 2
ALARMS = 0.002
"""Share of clean pictures that each name may be said of wrongly, out of fold."""


def fitted(
    table: Doubles, label: NDArray[np.int64], rows: NDArray[np.bool_]
) -> tuple[Doubles, train.Arrays]:
    """Chances of every class for the whole table by models fitted on `rows`, and the models."""
    weight = np.where(label[rows] == 0, 1.5, 1.0)
    arrays = train.scaling(table[rows])
    scaled = train.scaled(table, arrays)
    trees = train.boosted_names(table[rows], label[rows], weight)
    chances = TREES_SHARE * np.asarray(trees.predict_proba(table.astype(np.float32)))
    arrays |= train.tree_arrays(trees, "trees") | {"networks": np.array(NETWORKS)}
    for number in range(NETWORKS):
        network = train.network_names(scaled[rows], label[rows], weight, number, width=24)
        arrays |= train.network_arrays(network, f"network{number}")
        chances = chances + (1 - TREES_SHARE) / NETWORKS * network.predict_proba(scaled)
    return chances, arrays


def odds_of(chances: Doubles) -> Doubles:
    """Of every class against nothing of the kind."""
    return np.asarray(chances / (chances + chances[:, :2].sum(axis=1, keepdims=True) + 1e-9))


def limits(best: NDArray[np.int64], odds: Doubles, clean: NDArray[np.bool_]) -> list[float]:
    """The odds that each name must pass, so that it is seldom said of a clean picture."""
    allowed = int(ALARMS * clean.sum())
    found = []
    for place in range(len(CLASSES)):
        wrong = np.sort(odds[clean & (best == place), place])[::-1]
        found.append(float(wrong[allowed]) if len(wrong) > allowed else 0.5)
    return [round(max(limit, 0.5), 4) for limit in found]


def report(
    kind: NDArray[np.str_], level: Doubles, best: NDArray[np.int64], there: NDArray[np.bool_]
) -> dict[str, float]:
    named = np.where(there, np.array(CLASSES)[best], "clean")
    found = {"false_alarms": float(np.mean(named[kind == "clean"] != "clean"))}
    for name in MOODS:
        own = kind == name
        found[name] = float(np.mean(named[own] == name))
        found[f"{name}_weak"] = float(np.mean(named[own & (level < 3)] == name))
        wrong, count = np.unique(named[own & (named != name)], return_counts=True)
        print(f"  {name:18s} {found[name]:.2f} weak {found[f'{name}_weak']:.2f}",
              dict(zip(wrong.tolist(), count.tolist(), strict=True)), file=sys.stderr)  # fmt: skip
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    with np.load(given.table, allow_pickle=False) as kept:
        table, names, kind = kept["X"], [str(name) for name in kept["names"]], kept["name"]
        group, level = kept["group"], kept["level"]
    label = np.array(
        [CLASSES.index(str(name) if name in CLASSES else "other") for name in kind], np.int64
    )
    photos = sorted(set(group))
    fold = np.array([photos.index(one) % FOLDS for one in group])
    chances = np.zeros((len(label), len(CLASSES)))
    for number in range(FOLDS):
        chances[fold == number] = fitted(table, label, fold != number)[0][fold == number]
    odds, best = odds_of(chances), chances[:, 2:].argmax(axis=1) + 2
    least = limits(best, odds, label == 0)
    there = odds[np.arange(len(best)), best] > np.array(least)[best]
    found = report(kind, level, best, there)
    print(json.dumps(found, indent=1))
    order = feature_names()
    facts: dict[str, object] = {
        "version": "1",
        "fit_data_sha256": hashlib.sha256(table.tobytes()).hexdigest(),
        "samples": {str(name): int((kind == name).sum()) for name in sorted(set(kind))},
        "photos": len(photos), "folds": FOLDS, "classes": list(CLASSES),
        "least_odds": least, "places": [order.index(name) for name in names if name in order],
        "out_of_fold": found, "command": "python -m benchmarks.iqa.fit.mood",
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
    }  # fmt: skip
    save(given.out, "mood", fitted(table, label, np.ones(len(label), bool))[1], facts)


if __name__ == "__main__":
    main()
