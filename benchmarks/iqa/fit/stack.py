"""Fit the third model, whether a picture is distorted at all, and the interval; report the whole.

`python -m benchmarks.iqa.fit.stack TABLE.npz … --mood MOOD.npz … --out FITTED` with all tables of
`collect`. The first two looks and the score are fitted once per fold by the same
recipe as those that ship, and the third model learns from what they say of pictures that they have
not seen: what they say of their own is too sure. The report is what the product's own rules make of
pictures whose fold no model, limit or curve was taken from.
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
    Models,
    Moods,
    Rows,
    Said,
    asked,
    decided,
    first_models,
    put_together,
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
ALARMS = 0.04
"""Share of clean pictures that the third model alone may call distorted, out of fold."""
CLEAN_TIMES = 1.5
NETWORKS = 2
PROCESSES = 2


class Stack(NamedTuple):
    """All pictures, and everything that was found out about them by models of other folds."""

    table: Table
    rows: list[Taken]
    models: list[Models]
    """Per fold, without the third."""
    known: Doubles
    """What the third model is asked about."""
    chance: Doubles
    """Of being distorted."""

    def clean(self) -> Rows:
        return np.asarray(self.table.name == "clean")


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


def first_looks(table: Table, moods: Moods) -> list[Models]:
    """Per fold the models of the first two looks and of the score, fitted on the other folds."""
    fold, base = table.fold(), table.source != "doubt"
    with ProcessPoolExecutor(PROCESSES) as pool:
        waited = [
            pool.submit(
                first_models, table, moods, base & (fold != k), moods.fold != k, NETWORKS
            )
            for k in range(FOLDS)
        ]  # fmt: skip
        firsts = [one.result() for one in waited]
    unseen = First(
        {}, _own_fold([first.chances for first in firsts], fold),
        _own_fold([first.raw for first in firsts], fold), firsts[0].means,
        _own_fold([first.moods for first in firsts], moods.fold),
    )  # fmt: skip
    return [
        put_together(
            table, moods, first, unseen, base & (fold != number), moods.fold != number
        )
        for number, first in enumerate(firsts)
    ]  # fmt: skip


def _own_fold(by_model: list[Doubles], fold: NDArray[np.int64]) -> Doubles:
    """Of every row what the model says that was not fitted on it."""
    return np.array([by_model[number][place] for place, number in enumerate(fold)])


def teaching(table: Table) -> Rows:
    """Which pictures the third model learns from: photos that are surely clean or surely not."""
    return np.asarray((table.source != "agiqa") & (table.name != "doubtful"))


def third(known: Doubles, clean: Rows, use: Rows) -> tuple[train.Arrays, Fitted]:
    label = (~clean[use]).astype(np.int64)
    trees = train.boosted_pair(known[use], label, np.where(label == 0, CLEAN_TIMES, 1.0))
    arrays = train.scaling(known[use]) | train.tree_arrays(trees, "trees")
    arrays |= {"networks": np.array(0)}
    return arrays, Fitted.read(arrays, {"classes": list(CLASSES), "limit": [0.5]})


def stacked(paths: list[Path], mood_paths: list[Path]) -> Stack:
    table = read(paths)
    moods = read_moods(mood_paths, folds_of(table.group))
    rows = [row for path in paths for row in rows_of(np.load(path, allow_pickle=False))]
    models, fold = first_looks(table, moods), table.fold()
    clean, use = table.name == "clean", teaching(table)
    known = np.zeros(0)
    for number in range(FOLDS):
        out = np.flatnonzero(fold == number)
        found = asked(models[number], [rows[place] for place in out])
        known = known if known.size else np.zeros((len(rows), found.shape[1]))
        known[out] = found
    chance = np.zeros(len(rows))
    for number in range(FOLDS):
        out = fold == number
        model = third(known, clean, use & ~out)[1]
        models[number]["presence"] = model
        chance[out] = [model.chances(row)["distorted"] for row in known[out]]
    return Stack(table, rows, models, known, chance)


def limit_of(stack: Stack, rows: Rows) -> float:
    """The chance that few clean pictures among `rows` pass."""
    return round(float(np.quantile(stack.chance[stack.clean() & rows], 1 - ALARMS)), 4)


def judged_by_others(stack: Stack) -> list[Said]:
    """What the product says of each picture, all models and limits being of the other folds."""
    fold = stack.table.fold()
    found: dict[int, Said] = {}
    for number in range(FOLDS):
        model = stack.models[number]["presence"]
        limit = limit_of(stack, fold != number)
        third_model = Fitted(
            model.scaling, model.trees, model.networks, model.facts | {"limit": [limit]}
        )
        out = [int(place) for place in np.flatnonzero(fold == number)]
        models = stack.models[number] | {"presence": third_model}
        said = decided(models, [stack.rows[place] for place in out])
        found |= dict(zip(out, said, strict=True))
    return [found[place] for place in range(len(fold))]


def finish(stack: Stack, out: Path | None) -> None:
    """Report, and keep what is fitted on all folds."""
    table, said = stack.table, judged_by_others(stack)
    interval = fit_interval(table, np.array([one.score for one in said]))
    found = report(table, np.array([row.short for row in stack.rows]), said)
    width = {"coverage": interval.coverage, "quantile": interval.quantile}
    limit = limit_of(stack, np.ones(len(said), bool))
    print(json.dumps({"limit": limit} | found | {"interval": width}, indent=1))
    if out is None:
        return
    clean, use = stack.clean(), teaching(table)
    facts: dict[str, object] = {
        "version": "2",
        "fit_data_sha256": hashlib.sha256(stack.known.tobytes()).hexdigest(),
        "samples": {"clean": int((use & clean).sum()), "distorted": int((use & ~clean).sum())},
        "photos": len(set(table.group[use])), "folds": FOLDS,
        "out_of_fold": found, "command": "python -m benchmarks.iqa.fit.stack",
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
    }  # fmt: skip
    own = {"classes": list(CLASSES), "limit": [limit]}
    save(out, "presence", third(stack.known, clean, use)[0], facts | own)
    own = {"quantile": [interval.quantile], "limits": list(interval.limits), "out_of_fold": width}
    save(out, "spread", interval.arrays, facts | own)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", type=Path, nargs="+")
    parser.add_argument("--mood", type=Path, nargs="+", required=True)
    parser.add_argument("--out", type=Path, default=None)
    given = parser.parse_args()
    warnings.filterwarnings("ignore", category=UserWarning)
    finish(stacked(given.tables, given.mood), given.out)


if __name__ == "__main__":
    main()
