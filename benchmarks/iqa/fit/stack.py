"""Fit the third model, whether a picture is distorted at all, and the interval; report the whole.

`python -m benchmarks.iqa.fit.stack TABLE.npz … --mood MOOD.npz … --out FITTED` with all tables of
`collect`. The first two looks and the score are fitted once per fold by the same recipe as those
that ship, and the third model learns from what they say of pictures that they have not seen: what
they say of their own is too sure. The report is what the product's own rules make of pictures whose
fold no model, limit or curve was taken from.

Tables of photos that the looks which ship were not fitted on may come after `--apart`: these looks
judge them as they are, and only the third model is fitted in folds. What comes after `--taught` was
seen by the looks that ship: it teaches the third model, and is left out of every count.
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
KINDS = ("folded", "apart", "taught")
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
    """Per fold, for the pictures of its tables."""
    thirds: list[Fitted]
    """Per fold."""
    kind: NDArray[np.str_]
    """`folded`, `apart` or `taught`."""
    known: Doubles
    """What the third model is asked about."""
    chance: Doubles
    """Of being distorted."""

    def clean(self) -> Rows:
        """Those that count."""
        return np.asarray((self.table.name == "clean") & (self.kind != "taught"))

    def looks(self, place: int, fold: NDArray[np.int64]) -> Models:
        """The models that judge a picture, without the third; none: those that ship."""
        return self.models[int(fold[place])] if self.kind[place] == "folded" else {}


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


def first_looks(table: Table, moods: Moods, folded: Rows) -> list[Models]:
    """Per fold the models of the first two looks and of the score, fitted on the other folds."""
    fold, base = table.fold(), folded & (table.source != "doubt")
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


def stacked(tables: dict[str, list[Path]], mood_paths: list[Path]) -> Stack:
    """Read tables by kind, fit what there is to fit, and ask every picture's own models."""
    paths = [path for kind in KINDS for path in tables[kind]]
    table = read(paths)
    parts = [
        (kind, rows_of(np.load(p, allow_pickle=False))) for kind in KINDS for p in tables[kind]
    ]
    rows = [row for _, part in parts for row in part]
    kind = np.array([kind for kind, part in parts for _ in part])
    models: list[Models] = []
    if tables["folded"]:
        moods = read_moods(mood_paths, folds_of(table.group))
        models = first_looks(table, moods, kind == "folded")
    fold, count = table.fold(), len(rows)
    stack = Stack(table, rows, models, [], kind, np.zeros(0), np.zeros(count))
    known = np.array([asked(stack.looks(k, fold), rows[k : k + 1])[0] for k in range(count)])
    clean, use = np.asarray(table.name == "clean"), teaching(table)
    thirds = [third(known, clean, use & (fold != number))[1] for number in range(FOLDS)]
    chance = [thirds[fold[k]].chances(known[k])["distorted"] for k in range(count)]
    return stack._replace(known=known, thirds=thirds, chance=np.array(chance))


def limit_of(stack: Stack, rows: Rows) -> float:
    """The chance that few clean pictures among `rows` pass."""
    return round(float(np.quantile(stack.chance[stack.clean() & rows], 1 - ALARMS)), 4)


def judged_by_others(stack: Stack) -> list[Said]:
    """What the product says of each picture, all models and limits being of the other folds."""
    fold = stack.table.fold()
    limited = []
    for number, one in enumerate(stack.thirds):
        limit = limit_of(stack, fold != number)
        limited.append(Fitted(one.scaling, one.trees, (), one.facts | {"limit": [limit]}))
    return [
        decided(stack.looks(place, fold) | {"presence": limited[fold[place]]}, [row])[0]
        for place, row in enumerate(stack.rows)
    ]


def finish(stack: Stack, out: Path | None) -> None:
    """Report, and keep what is fitted on all folds."""
    table, said, counted = stack.table, judged_by_others(stack), stack.kind != "taught"
    found: dict[str, object] = dict(
        report(
            table.chosen(counted), np.array([row.short for row in stack.rows])[counted],
            [one for one, counts in zip(said, counted, strict=True) if counts],
        )
    )  # fmt: skip
    limit = limit_of(stack, np.ones(len(said), bool))
    print(json.dumps({"limit": limit} | found, indent=1))
    clean, use = np.asarray(table.name == "clean"), teaching(table)
    facts: dict[str, object] = {
        "version": "2",
        "fit_data_sha256": hashlib.sha256(stack.known.tobytes()).hexdigest(),
        "samples": {"clean": int((use & clean).sum()), "distorted": int((use & ~clean).sum())},
        "photos": {k: len(set(table.group[use & (stack.kind == k)])) for k in KINDS},
        "folds": FOLDS, "command": "python -m benchmarks.iqa.fit.stack",
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
    }  # fmt: skip
    if out is not None:
        own = {"classes": list(CLASSES), "limit": [limit], "out_of_fold": found}
        save(out, "presence", third(stack.known, clean, use)[0], facts | own)
    if not stack.models:
        return
    interval = fit_interval(table, np.array([one.score for one in said]))
    width = {"coverage": interval.coverage, "quantile": interval.quantile}
    print(json.dumps(width, indent=1))
    if out is not None:
        reach = {"quantile": [interval.quantile], "limits": list(interval.limits)}
        save(out, "spread", interval.arrays, facts | reach | {"out_of_fold": width})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folded", type=Path, nargs="*")
    parser.add_argument("--mood", type=Path, nargs="+", default=[])
    parser.add_argument("--apart", type=Path, nargs="+", default=[])
    parser.add_argument("--taught", type=Path, nargs="+", default=[])
    parser.add_argument("--out", type=Path, default=None)
    given = parser.parse_args()
    warnings.filterwarnings("ignore", category=UserWarning)
    tables = {kind: getattr(given, kind) for kind in KINDS}
    finish(stacked(tables, given.mood), given.out)


if __name__ == "__main__":
    main()
