"""The files that scripts get to see, made once from the task's own; and the truth, kept apart."""

import hashlib
import json
import shutil
from functools import cache
from itertools import compress
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proveout.apps.mle.harness.writing import Lines, write_csv
from proveout.apps.mle.intake.errors import unusable
from proveout.apps.mle.intake.files import joined
from proveout.apps.mle.intake.noticed import noticed
from proveout.apps.mle.intake.reading import as_expected, header_of, read_table
from proveout.apps.mle.intake.roles import collapsed
from proveout.apps.mle.problem import (
    FOLDS_FILE,
    TEST_FILE,
    TRAIN_FILE,
    Problem,
    Table,
    as_it_stands,
)
from proveout.apps.mle.tables.columns import as_label, easily_misread, iso_dates
from proveout.apps.mle.tables.folds import Folds, choose
from proveout.apps.mle.tables.keys import composed, group_columns, joint, row_keys
from proveout.apps.mle.tables.spelling import MISSING
from proveout.kernel.types import Finding

SAMPLE_FILE = "sample_submission.csv"
LARGEST_FILE = 2**30
LARGEST_PACKED = 2**28
"""Of a file that is compressed: its rows need several times that in memory."""


def sources(problem: Problem, folder: Path) -> dict[str, list[int]]:
    """Size and time of every file that the arena is made from."""
    names = [*problem.train_files, problem.test_file, *(it.file for it in problem.tables)]
    names += [problem.sample_file] if problem.sample_file else []
    found: dict[str, list[int]] = {}
    for name in names:
        path = folder / name
        if not path.is_file():
            message = f"there is no file {name!r} in {folder}"
            raise unusable(message, "no_file", "inspect the folder again")
        about = path.stat()
        plain = name.lower().endswith((".csv", ".tsv"))
        most = LARGEST_FILE if plain else LARGEST_PACKED
        if about.st_size > most:
            message = f"{name} has {about.st_size >> 20} MiB; up to {most >> 20} MiB are handled"
            raise unusable(message, "too_large", "give a part of its rows")
        found[name] = [about.st_size, about.st_mtime_ns]
    return found


def digest(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def labelled(problem: Problem, folder: Path) -> pd.DataFrame:
    """Labelled rows, every value as it is spelled; without those whose target is missing."""
    names = list(problem.train_files)
    train = joined([read_table(folder / name, text=True) for name in names], names)
    if problem.targets[0] not in train.columns:
        train = collapsed(train.copy(), problem.labels)
    lost = train[list(problem.targets)].isna().any(axis=1)
    for name in problem.targets:
        # A word for "missing" is a class if somebody has listed it as one.
        lost |= train[name].str.strip().isin(MISSING - set(problem.labels))
    known = train[~lost].reset_index(drop=True)
    # One spelling of a class: `1.0` beside gaps, `TRUE`, a blank behind it.
    spelled = {as_label(label): label for label in problem.labels}
    for name in problem.targets if spelled else ():
        known[name] = known[name].map(cache(lambda cell: spelled.get(as_label(cell), cell)))
    return _blank(known, problem)


def to_predict(problem: Problem, folder: Path) -> pd.DataFrame:
    """Rows of the test file; if it has the target, scripts do not get to see it."""
    test = read_table(folder / problem.test_file, text=True)
    return _blank(test.drop(columns=list(problem.targets), errors="ignore"), problem)


def _blank(frame: pd.DataFrame, problem: Problem) -> pd.DataFrame:
    """Columns that are filled in after the outcome stay, empty: no script can learn from them."""
    for item in problem.dropped:
        if item.column in frame.columns and item.code != "mle.data.constant":
            frame[item.column] = ""
    return frame


def truth_of(problem: Problem, train: pd.DataFrame) -> NDArray[Any]:
    """Class numbers, or a column of numbers per target."""
    if problem.kind == "regression":
        block = train[list(problem.targets)].apply(pd.to_numeric, errors="coerce")
        for name in problem.targets:
            if set(train[name].str.lower()) <= {"true", "false"}:
                block[name] = (train[name].str.lower() == "true").astype(float)
        values = block.to_numpy(dtype=np.float64)
        bad = int((~np.isfinite(values)).any(axis=1).sum())
        if bad:
            message = f"{bad} values of the target are no finite number"
            raise unusable(message, "target_values", "mend the training file")
        return np.asarray(values)
    place = {as_label(label): at for at, label in enumerate(problem.labels)}
    found = train[problem.targets[0]].map(cache(lambda cell: place.get(as_label(cell), -1)))
    if (found < 0).any():
        odd = train[problem.targets[0]][found < 0].iloc[0]
        message = f"{int((found < 0).sum())} targets are no known label, for instance {odd!r}"
        raise unusable(message, "unknown_label", "inspect the folder again")
    return np.asarray(found, dtype=np.int64)


class Build:
    """One arena in the making."""

    def __init__(self, problem: Problem, folder: Path, root: Path) -> None:
        self.problem, self.folder, self.root = problem, folder, root
        self.train, self.test = labelled(problem, folder), to_predict(problem, folder)
        self.truth = truth_of(problem, self.train)
        self.sample = (
            read_table(folder / problem.sample_file, text=True) if problem.sample_file else None
        )
        self.findings: tuple[Finding, ...] = ()
        self._name_rows()
        self._trim_names()
        self.turned = self._turn_dates()
        self._join_keys()
        self._join_groups()

    def _join_groups(self) -> None:
        """Columns that name a group together become one; it is empty where a part is."""
        named, (parts, _) = self.problem.groups, group_columns(self.problem)
        if len(parts) > 1:
            for side in (self.train, self.test):
                whole = (side[list(parts)].apply(lambda cells: cells.str.strip()) != "").all(axis=1)
                side[named] = joint(side, parts).where(whole, "")

    def _join_keys(self) -> None:
        """Columns that are the key of a further table together become one."""
        for table in self.problem.tables:
            for side in (self.train, self.test):
                named = [table.key] if table.key in side.columns else table.key.split("+")
                lost = [name for name in named if name not in side.columns]
                if lost:
                    message = f"{table.file}: there is no column {lost[0]!r} to join it by"
                    raise unusable(message, "no_column", "correct [[tables]] in task.toml")
                if table.key not in side.columns:
                    side[table.key] = row_keys(side, table.key)

    def _trim_names(self) -> None:
        """Blanks at the ends make no other category; keys stay as their tables have them."""
        keys = {
            part for table in self.problem.tables for part in (table.key, *table.key.split("+"))
        }
        for column in self.problem.columns:
            name = column.name
            if column.kind != "category" or name in {*keys, self.problem.id_column}:
                continue
            for side in (self.train, self.test):
                if name in side.columns:
                    side[name] = side[name].str.strip()

    def _turn_dates(self) -> list[str]:
        """Days before months, weeks and quarters become plain dates. A key keeps its spelling."""
        turned: list[str] = []
        for column in self.problem.columns:
            name = column.name
            if column.kind != "date" or name == self.problem.id_column:
                continue
            sides = [it[name].where(it[name].str.strip() != "") for it in (self.train, self.test)]
            if easily_misread(*sides):
                self.train[name], self.test[name] = (iso_dates(it).fillna("") for it in sides)
                turned.append(name)
        return turned

    def _name_rows(self) -> None:
        """A key that only the sample has: rows are in its order and get their names from it."""
        for name in self.problem.copied:
            for side in (self.train, self.test):
                side[as_it_stands(name)] = side[name] if name in side.columns else ""
        key = self.problem.id_column
        if not key or key in self.test.columns:
            return
        made = composed(self.sample[key], self.test) if self.sample is not None else None
        if made is not None:
            self.test.insert(0, key, made)
            return
        if self.sample is None or len(self.sample) != len(self.test):
            message = f"the key {key!r} is not in the test file, and no sample has it for all rows"
            raise unusable(message, "no_id_column", 'set id_column = "" in task.toml')
        self.test.insert(0, key, self.sample[key])

    def _hidden_rows(self, held_out: NDArray[np.bool_]) -> pd.DataFrame:
        """Labelled rows as test rows; new keys if they have none, or one that a test row has.

        A key that joins a further table stays: under another one, its lines would not be found; and
        so does one that is a feature. Where its parts tell something, only those change that would
        be there twice.
        """
        hidden = self.train[held_out].reindex(columns=self.test.columns)
        key = self.problem.id_column
        features = {column.name for column in self.problem.columns}
        joins = key in {table.key for table in self.problem.tables} | features
        unnamed = key not in self.train.columns
        clash = hidden[key].isin(self.test[key]) if key and not unnamed else np.zeros(0, bool)
        if key and (unnamed or (not joins and clash.any())):
            taken = pd.to_numeric(self.test[key], errors="coerce")
            first = 0 if taken.isna().any() else int(taken.max()) + 1
            mark = "h" if taken.isna().any() else ""
            fresh = pd.Series([f"{mark}{first + at}" for at in range(len(hidden))], hidden.index)
            own = self.problem.key_tells and not unnamed
            hidden[key] = hidden[key].where(~clash, fresh) if own else fresh
        return hidden

    def _with_key(self, train: pd.DataFrame) -> pd.DataFrame:
        """Scripts find the key in both files, even if only test rows have names of their own."""
        key = self.problem.id_column
        if not key or key in train.columns:
            return train
        named = train.copy(deep=False)
        named.insert(0, key, [f"train {at}" for at in range(len(train))])
        return named

    def write(self, seed: int, share: float, count: int) -> Folds:
        full = self.root / "full_input"
        full.mkdir(parents=True)
        known, asked = Lines(self._with_key(self.train)), Lines(self.test)
        known.write(full / TRAIN_FILE)
        asked.write(full / TEST_FILE)
        # As a script would read them: numbers as numbers, gaps as gaps.
        typed = [pd.read_csv(full / name, low_memory=False) for name in (TRAIN_FILE, TEST_FILE)]
        self.findings = tuple(noticed(self.problem, typed[0], typed[1]))
        chosen = choose(self.problem, typed[0], typed[1], seed, share, count)
        self._finish(full, chosen.full, self._keys(self.test))
        order = self._write_search(chosen, seed, known, asked)
        np.savez(
            self.root / "truth.npz",
            truth=self.truth,
            search=chosen.search,
            full=chosen.full,
            groups=chosen.groups,
            order=order,
        )
        return chosen

    def _write_search(
        self, chosen: Folds, seed: int, known: Lines, asked: Lines
    ) -> NDArray[np.int64]:
        """Hidden rows among the test rows. Returns who stands where: test rows, then labelled."""
        folder = self.root / "input"
        folder.mkdir()
        hidden = self._hidden_rows(chosen.holdout)
        who = np.concatenate(
            [np.arange(len(self.test)), len(self.test) + np.flatnonzero(chosen.holdout)]
        )
        rng = np.random.default_rng([seed, len(who)])
        order = rng.permutation(len(who)) if len(hidden) else np.arange(len(who))
        known.write(folder / TRAIN_FILE, compress(known.rows, ~chosen.holdout))
        mixed = asked.rows + Lines(hidden).rows
        asked.write(folder / TEST_FILE, (mixed[at] for at in order))
        keys = np.concatenate([self._keys(self.test), self._keys(hidden)])[order]
        self._finish(folder, chosen.search[~chosen.holdout], keys)
        return np.asarray(who[order], dtype=np.int64)

    def _keys(self, test: pd.DataFrame) -> NDArray[Any]:
        """Names of test rows; where they have none, something for each of them."""
        key = self.problem.id_column
        return test[key].to_numpy(dtype=object) if key else np.arange(len(test))

    def _finish(self, folder: Path, fold: NDArray[np.int64], keys: NDArray[Any]) -> None:
        """Folds, further tables, a metric of one's own, and a sample for these very test rows."""
        write_csv(pd.DataFrame({"fold": fold}), folder / FOLDS_FILE)
        for table in self.problem.tables:
            self._write_further(table, folder / table.file)
        own = self.problem.custom_metric.rpartition(":")[0]
        # Told by whoever needs it, with what to do, if it is not there.
        if (self.folder / own).is_file():
            (folder / own).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(self.folder / own, folder / own)
        if self.sample is not None and len(self.sample):
            first = self.sample.iloc[0]
            made = {
                name: keys if name == self.problem.id_column else [first[name]] * len(keys)
                for name in self.sample.columns
            }
            write_csv(pd.DataFrame(made), folder / SAMPLE_FILE)

    def _write_further(self, table: Table, place: Path) -> None:
        """As it is, if whoever knows no more than its name and key reads it right."""
        source = self.folder / table.file
        place.parent.mkdir(parents=True, exist_ok=True)
        names = header_of(source)
        turned = [name for name in self.turned if name in names]
        if table.key in names and not turned and as_expected(source):
            shutil.copyfile(source, place)
            return
        packed = place.name.lower().endswith((".parquet", ".pq"))
        frame = read_table(source, text=not packed)
        for name in turned:
            frame[name] = iso_dates(frame[name])
        if table.key not in names:
            frame[table.key] = row_keys(frame, table.key)
        if packed:
            frame.to_parquet(place, index=False)
        else:
            frame.to_csv(place, sep="\t" if ".tsv" in place.name else ",", index=False)


def write_manifest(root: Path, facts: dict[str, Any]) -> None:
    text = json.dumps(facts, indent=1, sort_keys=True, ensure_ascii=False)
    (root / "arena.json").write_text(text + "\n", "utf-8")
