"""Fit the third model: whether a picture is distorted at all, given what both looks said.

`python -m benchmarks.iqa.fit.presence TABLE.npz … --out src/proveout/apps/iqa/fitted`. Photos never
stand on both sides of a fold; every number printed and stored is out of fold. The first two looks
were fitted on some of the same photos, so a check on others is needed too: `--check TABLE.npz`.
"""

import argparse
import datetime
import hashlib
import json
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.iqa.fit import train
from benchmarks.iqa.fit.fit import save
from benchmarks.iqa.fit.targets import FOLDS, MERGED
from proveout.apps.iqa.catalogue import CATALOGUE
from proveout.apps.iqa.fitted_models import Doubles
from proveout.apps.iqa.scorehead import is_present, likeliest, name_chances
from proveout.apps.iqa.second_look import evidence, is_meant, mood_chances, revised

CLASSES = ("clean", "distorted")
ALARMS = 0.04
"""Share of clean pictures that may be called distorted, out of fold."""
CLEAN_TIMES = 1.5


@dataclass(frozen=True)
class Table:
    """Pictures with what is known of them and what the first two looks make of them."""

    known: Doubles
    """What the third model is asked about."""
    clean: NDArray[np.bool_]
    group: NDArray[np.str_]
    short: Doubles
    truth: NDArray[np.str_]
    before: NDArray[np.str_]
    """What the first look alone would report."""
    if_there: NDArray[np.str_]
    """What is reported if the picture is taken to be distorted; `clean` where nothing may be."""

    def fold(self) -> NDArray[np.int64]:
        photos = sorted(set(self.group), key=lambda g: hashlib.sha256(g.encode()).hexdigest())
        place = {photo: number % FOLDS for number, photo in enumerate(photos)}
        return np.array([place[photo] for photo in self.group])


def read(paths: list[Path]) -> Table:
    tables = [np.load(path, allow_pickle=False) for path in paths]
    column = {
        key: np.concatenate([table[key] for table in tables])
        for key in ("X", "moods", "group", "name", "short")
    }
    known, before, named = [], [], []
    for values, own, short in zip(column["X"], column["moods"], column["short"], strict=True):
        first, moods = name_chances(values), mood_chances(values, own)
        known.append(evidence(values, own, int(short), first, moods))
        before.append(likeliest(first) if is_present(values, first) else "clean")
        name = likeliest(revised(values, first, moods, distorted=True))
        named.append("clean" if is_meant(values, moods, name) else name)
    return Table(
        known=np.array(known),
        clean=column["name"] == "clean",
        group=column["group"],
        short=np.asarray(column["short"], float),
        truth=np.array([MERGED.get(name, name) for name in column["name"]]),
        before=np.array(before),
        if_there=np.array(named),
    )


def fitted(table: Table, rows: NDArray[np.bool_], asked: Doubles) -> tuple[Doubles, train.Arrays]:
    """Chance of being distorted for `asked` by models fitted on `rows`, and the models."""
    label = (~table.clean[rows]).astype(np.int64)
    weight = np.where(label == 0, CLEAN_TIMES, 1.0)
    trees = train.boosted_pair(table.known[rows], label, weight)
    chance = np.asarray(trees.predict_proba(asked.astype(np.float32)))[:, 1]
    arrays = train.scaling(table.known[rows]) | train.tree_arrays(trees, "trees")
    return chance, arrays | {"networks": np.array(0)}


def report(table: Table, chance: Doubles, limit: float) -> dict[str, float]:
    """Alarms on clean pictures, names and categories of the others; `before` for comparison."""
    named = np.where(chance > limit, table.if_there, "clean")
    found = {"alarms": float(np.mean(named[table.clean] != "clean"))}
    found["alarms_before"] = float(np.mean(table.before[table.clean] != "clean"))
    for least, most in ((0, 200), (200, 300), (300, 520), (520, 9999)):
        rows = table.clean & (table.short >= least) & (table.short < most)
        if rows.any():
            found[f"alarms_from_{least}"] = float(np.mean(named[rows] != "clean"))
            found[f"alarms_from_{least}_before"] = float(np.mean(table.before[rows] != "clean"))
    rest = ~table.clean
    if rest.any():
        for key, said in (("", named), ("_before", table.before)):
            found[f"named{key}"] = float(np.mean(said[rest] == table.truth[rest]))
            right = [
                _kind(a) == _kind(b) for a, b in zip(said[rest], table.truth[rest], strict=True)
            ]
            found[f"category{key}"] = float(np.mean(right))
    return {key: round(value, 4) for key, value in found.items()}


def _kind(name: str) -> str:
    return CATALOGUE[name].category if name in CATALOGUE else name


def by_name(table: Table, chance: Doubles, limit: float) -> None:
    named = np.where(chance > limit, table.if_there, "clean")
    for name in sorted(set(table.truth)):
        own = table.truth == name
        wrong, count = np.unique(named[own & (named != name)], return_counts=True)
        before = float(np.mean(table.before[own] == name))
        print(f"  {name:22s} {before:.2f} -> {np.mean(named[own] == name):.2f}",
              dict(zip(wrong.tolist(), count.tolist(), strict=True)), file=sys.stderr)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", type=Path, nargs="+")
    parser.add_argument("--check", type=Path, nargs="*", default=())
    parser.add_argument("--out", type=Path, default=None)
    given = parser.parse_args()
    table = read(given.tables)
    fold, chance = table.fold(), np.zeros(len(table.clean))
    for number in range(FOLDS):
        out = fold == number
        chance[out] = fitted(table, ~out, table.known[out])[0]
    limit = round(float(np.quantile(chance[table.clean], 1 - ALARMS)), 4)
    by_name(table, chance, limit)
    found = report(table, chance, limit)
    print(json.dumps({"limit": limit} | found, indent=1))
    everything = np.ones(len(table.clean), bool)
    for path in given.check:
        other = read([path])
        seen, arrays = fitted(table, everything, other.known)
        print(path.name, json.dumps(report(other, seen, limit), indent=1))
        by_name(other, seen, limit)
    if given.out is None:
        return
    arrays = fitted(table, everything, table.known)[1]
    facts: dict[str, object] = {
        "version": "1",
        "fit_data_sha256": hashlib.sha256(table.known.tobytes()).hexdigest(),
        "samples": {"clean": int(table.clean.sum()), "distorted": int((~table.clean).sum())},
        "photos": len(set(table.group)), "folds": FOLDS, "classes": list(CLASSES),
        "limit": [limit], "out_of_fold": found, "command": "python -m benchmarks.iqa.fit.presence",
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
    }  # fmt: skip
    save(given.out, "presence", arrays, facts)


if __name__ == "__main__":
    main()
