"""Fit all models of the score without a reference, together, and report the whole out of fold.

`python -m benchmarks.iqa.fit.stack TABLE.npz … --mood MOOD.npz … --out FITTED` with all tables of
`collect`. The first two looks and the score are fitted once per fold and once on everything, by one
recipe; the third model, whether a picture is distorted at all, learns from what those of the folds
say of pictures that they have not seen: what models say of their own is too sure. The report is
what the product's own rules make of pictures whose fold no model, limit or curve was taken from.
"""

import argparse
import datetime
import hashlib
import json
import warnings
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.iqa.fit import train
from benchmarks.iqa.fit.chain import (
    First,
    Made,
    Models,
    Moods,
    Rows,
    Said,
    asked,
    decided,
    first_models,
    with_limits,
)
from benchmarks.iqa.fit.fit import save
from benchmarks.iqa.fit.interval import fit_interval
from benchmarks.iqa.fit.mood import CLASSES as MOOD_CLASSES
from benchmarks.iqa.fit.stack_report import report
from benchmarks.iqa.fit.taken import Taken, rows_of
from benchmarks.iqa.fit.targets import FOLDS, Table, folds_of, read
from proveout.apps.iqa.features import names as feature_names
from proveout.apps.iqa.fitted_models import Doubles
from proveout.apps.iqa.scorehead import Fitted

CLASSES = ("clean", "distorted")
ALARMS = 0.1
"""Share of clean pictures that the third model may call distorted, out of fold.

Many of them still pass: what it sees must have a likely name and cost quality.
"""
CLEAN_TIMES = 1.5
NETWORKS = 2
PROCESSES = 2


class Looks(NamedTuple):
    """The first two looks and the score."""

    folds: list[Models]
    """Of every fold, fitted on the others."""
    whole: dict[str, Made]
    """Fitted on everything, as they ship."""


class Stack(NamedTuple):
    """All pictures, and everything that was found out about them by models of other folds."""

    table: Table
    rows: list[Taken]
    looks: Looks
    thirds: list[Fitted]
    """Per fold."""
    known: Doubles
    """What the third model is asked about."""
    chance: Doubles
    """Of being distorted."""


def read_moods(paths: list[Path], fold: dict[str, int]) -> Moods:
    kept = [np.load(path, allow_pickle=False) for path in paths]
    kind, group = (np.concatenate([part[key] for part in kept]) for key in ("name", "group"))
    label = [MOOD_CLASSES.index(str(n) if n in MOOD_CLASSES else "other") for n in kind]
    order, names = feature_names(), [str(name) for name in kept[0]["names"]]
    return Moods(
        features=np.concatenate([part["X"] for part in kept]),
        label=np.array(label, np.int64),
        fold=np.array([fold[str(one)] for one in group]),
        places=[order.index(name) for name in names if name in order],
    )


def first_looks(table: Table, moods: Moods) -> Looks:
    """Fitted on all but one fold, for each, and on all."""
    fold, everything = table.fold(), np.ones(len(table.source), bool)
    parts = [(fold != k, moods.fold != k) for k in range(FOLDS)]
    parts.append((everything, np.ones(len(moods.fold), bool)))
    with ProcessPoolExecutor(PROCESSES) as pool:
        waited = [pool.submit(first_models, table, moods, *part, NETWORKS) for part in parts]
        firsts = [one.result() for one in waited]
    unseen = First(
        {}, _own_fold([first.chances for first in firsts], fold),
        _own_fold([first.raw for first in firsts], fold), firsts[0].means,
        _own_fold([first.moods for first in firsts], moods.fold),
    )  # fmt: skip
    made = [
        with_limits(table, moods, first, unseen, *part)
        for first, part in zip(firsts, parts, strict=True)
    ]
    folds = [{name: Fitted.read(*one) for name, one in part.items()} for part in made[:FOLDS]]
    return Looks(folds, made[FOLDS])


def _own_fold(by_model: list[Doubles], fold: NDArray[np.int64]) -> Doubles:
    """Of every row what the model says that was not fitted on it."""
    return np.array([by_model[number][place] for place, number in enumerate(fold)])


def teaching(table: Table) -> Rows:
    """Which pictures the third model learns from: photos that are surely clean or surely not."""
    return np.asarray((table.source != "agiqa") & (table.name != "doubtful"))


def third(table: Table, known: Doubles, use: Rows) -> Made:
    label = (table.name[use] != "clean").astype(np.int64)
    trees = train.boosted_pair(known[use], label, np.where(label == 0, CLEAN_TIMES, 1.0))
    arrays = train.scaling(known[use]) | train.tree_arrays(trees, "trees")
    arrays |= {"networks": np.array(0)}
    return Made(arrays, {"classes": list(CLASSES), "limit": [0.5]})


def stacked(paths: list[Path], mood_paths: list[Path]) -> Stack:
    """Fit what there is to fit, and ask every picture's own models."""
    table = read(paths)
    rows = [row for path in paths for row in rows_of(np.load(path, allow_pickle=False))]
    looks = first_looks(table, read_moods(mood_paths, folds_of(table.group)))
    fold = table.fold()
    known = np.array([asked(looks.folds[k], [row])[0] for k, row in zip(fold, rows, strict=True)])
    use = teaching(table)
    thirds = [Fitted.read(*third(table, known, use & (fold != k))) for k in range(FOLDS)]
    chance = [thirds[k].chances(one)["distorted"] for k, one in zip(fold, known, strict=True)]
    return Stack(table, rows, looks, thirds, known, np.array(chance))


def limit_of(stack: Stack, rows: Rows) -> float:
    """The chance that few clean pictures among `rows` pass."""
    clean = np.asarray(stack.table.name == "clean")
    return round(float(np.quantile(stack.chance[clean & rows], 1 - ALARMS)), 4)


def judged_by_others(stack: Stack) -> list[Said]:
    """What the product says of each picture, all models and limits being of the other folds."""
    fold = stack.table.fold()
    models = []
    for number, one in enumerate(stack.thirds):
        limit = {"limit": [limit_of(stack, fold != number)]}
        presence = Fitted(one.scaling, one.trees, one.networks, one.facts | limit)
        models.append(stack.looks.folds[number] | {"presence": presence})
    return [decided(models[k], [row])[0] for k, row in zip(fold, stack.rows, strict=True)]


def finish(stack: Stack, out: Path) -> None:
    """Report, and keep what is fitted on all folds."""
    table, said = stack.table, judged_by_others(stack)
    found = report(table, np.array([row.short for row in stack.rows]), said)
    limit = limit_of(stack, np.ones(len(said), bool))
    interval = fit_interval(table, np.array([one.score for one in said]))
    width: dict[str, object] = {"coverage": interval.coverage, "quantile": interval.quantile}
    print(json.dumps({"limit": limit} | found | width, indent=1))
    facts = facts_of(table)
    for name, made in stack.looks.whole.items():
        save(out, name, made.arrays, facts | made.facts)
    presence = third(table, stack.known, teaching(table))
    own = presence.facts | {"limit": [limit], "out_of_fold": found}
    save(out, "presence", presence.arrays, facts | own)
    reach = {"quantile": [interval.quantile], "limits": list(interval.limits)}
    save(out, "spread", interval.arrays, facts | reach | {"out_of_fold": width})


def facts_of(table: Table) -> dict[str, object]:
    """What every model was fitted on."""
    sources = sorted(set(table.source))
    return {
        "version": "3",
        "fit_data_sha256": hashlib.sha256(table.features.tobytes()).hexdigest(),
        "samples": {one: int((table.source == one).sum()) for one in sources},
        "groups": {one: len(set(table.group[table.source == one])) for one in sources},
        "counts": {str(one): int((table.name == one).sum()) for one in sorted(set(table.name))},
        "folds": FOLDS,
        "features": int(table.features.shape[1]),
        "command": "python -m benchmarks.iqa.fit.stack",
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", type=Path, nargs="+")
    parser.add_argument("--mood", type=Path, nargs="+", required=True)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    warnings.filterwarnings("ignore", category=UserWarning)
    finish(stacked(given.tables, given.mood), given.out)


if __name__ == "__main__":
    main()
