"""Tables in files: found, and told apart by name, by columns, by what they hold."""

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from proveout.apps.mle.intake.errors import question, unusable
from proveout.apps.mle.intake.reading import ENDINGS, PACKED, header_of, sample_table
from proveout.apps.mle.tables.keys import key_text

DESCRIPTIONS = (".md", ".txt", ".rst")
PLACES = ("", "input", "data")
"""Where tables may be, inside the folder."""
LARGEST_TEXT = 1_000_000
"""Characters of a description that are read."""
_PLAIN_TEXT = tuple(f"{plain}{packed}" for plain in (".txt", ".dat") for packed in ("", *PACKED))
_TEST, _TRAIN = {"test", "testing"}, {"train", "training"}
_SUBMISSION = {"submission", "submissions", "submit"}
_ANSWERS = {"answer", "answers", "solution", "solutions", "truth", "groundtruth"}


@dataclass(frozen=True)
class Files:
    """Which file plays which part; paths are relative to the task folder."""

    train: tuple[str, ...]
    test: str
    sample: str
    others: tuple[str, ...]

    def with_sample(self, name: str) -> "Files":
        """The same with one of the others for the sample."""
        others = tuple(other for other in self.others if other != name)
        return replace(self, sample=name, others=others)


def tables_in(folder: Path) -> list[str]:
    """Every table of the folder, by name; links that lead elsewhere are tables like any other."""
    found: list[str] = []
    for place in PLACES:
        here = folder / place
        if here.is_dir():
            found += [
                str(path.relative_to(folder))
                for path in sorted(here.iterdir())
                if _is_table(path.name) and path.is_file()
            ]
    return found


def _is_table(name: str) -> bool:
    """By its ending; plain text is a table if it is called after the part it plays."""
    if name.lower().endswith(ENDINGS):
        return True
    return name.lower().endswith(_PLAIN_TEXT) and bool(
        words_of(name) & {*_TEST, *_TRAIN, *_SUBMISSION}
    )


def description_in(folder: Path) -> str:
    """What is written about the task, in one text: `description.*` first, then the rest."""
    texts: list[tuple[bool, str, Path]] = []
    for place in PLACES:
        here = folder / place
        if here.is_dir():
            texts += [
                (
                    not re.match(r"(description|overview|task|readme)", path.name.lower()),
                    path.name,
                    path,
                )
                for path in here.iterdir()
                if path.name.lower().endswith(DESCRIPTIONS)
                and not _is_table(path.name)
                and path.is_file()
            ]
    parts = [path.read_text("utf-8", errors="replace")[:LARGEST_TEXT] for *_, path in sorted(texts)]
    return "\n\n".join(parts)


def words_of(name: str) -> set[str]:
    """Parts of a file name: `X_train2.csv` → {x, train, csv}."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", Path(name).name)
    return {part for part in re.split(r"[^a-z]+", spaced.lower()) if part}


def parts(folder: Path, given: dict[str, Any]) -> Files:
    """Who is who: what `given` names, else by name, else by columns."""
    found = tables_in(folder)
    if not found:
        raise _no_table(folder)
    sample = given.get("sample_file") or _sample(found)
    rest = [name for name in found if name != sample]
    test = given.get("test_file") or _test(folder, rest)
    train = tuple(given.get("train_files") or _train(folder, [it for it in rest if it != test]))
    for name in (*train, test, *([sample] if sample else [])):
        if not (folder / name).is_file():
            message = f"there is no file {name!r} in {folder}"
            raise unusable(message, "no_file", f"tables that are there: {', '.join(found)}")
    used = {*train, test, sample}
    others = tuple(name for name in found if name not in used)
    return Files(train, test, sample, others)


def _no_table(folder: Path) -> Exception:
    there = sorted(path.name for path in folder.iterdir() if path.is_file())[:8]
    message = f"no table in {folder}, nor in its folders {', '.join(PLACES[1:])}"
    if there:
        message += f"; there are {', '.join(there)}"
    packed = any(name.lower().endswith(".zip") for name in there)
    wanted = f"put in .csv, .tsv (also with {', '.join(PACKED)} at the end) or .parquet files"
    return unusable(message, "no_tables", "unpack the archives" if packed else wanted)


def _sample(found: list[str]) -> str:
    """Called a submission; or a sample, but not of training or test rows."""
    named = [name for name in found if words_of(name) & _SUBMISSION]
    named += [
        name
        for name in found
        if "sample" in words_of(name) and not words_of(name) & {*_TEST, *_TRAIN}
    ]
    return next(iter(named), "")


def sample_by_content(folder: Path, files: Files, train: pd.DataFrame, test: pd.DataFrame) -> str:
    """A table with a row for every test row, whose columns besides the key all say one thing.

    Nobody has to call it a sample in English. Answers would not be all the same.
    """
    only = {str(name).lower() for name in train.columns if name not in test.columns}
    for name in files.others:
        if words_of(name) & _ANSWERS:
            continue
        columns = header_of(folder / name)
        keys = [column for column in columns if column in test.columns]
        answers = [column for column in columns if column not in keys]
        if len(keys) > 1 or not answers or not {it.lower() for it in answers} <= only:
            continue
        table = sample_table(folder / name)
        alike = all(table.frame[column].nunique(dropna=False) == 1 for column in answers)
        if alike and len(table.frame) == len(test):
            return name
    return ""


def _test(folder: Path, found: list[str]) -> str:
    named = [name for name in found if _TEST & words_of(name) and not _labels_only(name)]
    if len(named) == 1:
        return named[0]
    if not named and len(found) == 2:
        one, other = ({*header_of(folder / name)} for name in found)
        if one < other or other < one:
            return found[0] if one < other else found[1]
    if not named and len(found) <= 1:
        only = f"besides {found[0]} there is no table" if found else "there is no table"
        message = f"which file holds the rows to predict? In {folder.name} {only}"
        line = 'test_file = "…", after putting those rows, without the target, in their own file'
        raise question(message, "test", line)
    if not named:
        message = f"which file holds the rows to predict? There are: {', '.join(found)}"
        raise question(message, "test", 'test_file = "…"')
    message = f"which of {', '.join(named)} holds the rows to predict?"
    raise question(message, "test", f'test_file = "{named[0]}"')


def _labels_only(name: str) -> bool:
    return bool(
        words_of(name) & {"label", "labels", "target", "targets", "y", "answers", "solution"}
    )


def _train(folder: Path, found: list[str]) -> list[str]:
    named = [name for name in found if _TRAIN & words_of(name)]
    if not named and len(found) == 1:
        named = found
    if not named:
        listed = ", ".join(found) or "no other table"
        message = f"which file holds the labelled rows? There is {listed}"
        raise question(message, "train", 'train_files = ["…"]')
    named.sort(key=lambda name: (_labels_only(name), -len(header_of(folder / name)), name))
    return named


def joined(frames: list[pd.DataFrame], names: list[str]) -> pd.DataFrame:
    """Labelled rows out of several files: more rows of the same columns, or columns by a key."""
    whole = frames[0]
    for frame, name in zip(frames[1:], names[1:], strict=True):
        if set(frame.columns) == set(whole.columns):
            whole = pd.concat([whole, frame[list(whole.columns)]], ignore_index=True)
            continue
        keys = [column for column in frame.columns if column in whole.columns]
        if keys and not frame.duplicated(keys).any():
            whole = _merged(whole, frame, keys)
        elif not keys and len(frame) == len(whole):
            whole = pd.concat([whole, frame.reset_index(drop=True)], axis=1)
        else:
            message = f"how do {names[0]} and {name} belong together? They share no key column"
            raise question(message, "train", f'train_files = ["{names[0]}"]')
    return whole


def _merged(whole: pd.DataFrame, frame: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """By what keys say, however each of the files spells them."""
    hidden = {key: f"\0{key}" for key in keys}
    left = whole.assign(**{hidden[key]: key_text(whole[key]) for key in keys})
    right = frame.assign(**{hidden[key]: key_text(frame[key]) for key in keys}).drop(columns=keys)
    return left.merge(right, on=[*hidden.values()], how="left", sort=False).drop(
        columns=[*hidden.values()]
    )
