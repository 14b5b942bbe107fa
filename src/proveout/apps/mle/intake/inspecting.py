"""From a folder to a `Problem`: what is given, what the tables imply, what misleads in them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from pydantic import ValidationError

from proveout.apps.mle.intake import files as tables_of
from proveout.apps.mle.intake import roles, traps
from proveout.apps.mle.intake.errors import TASK_FILE, unusable
from proveout.apps.mle.intake.extras import extras
from proveout.apps.mle.intake.given import direction_in, given_in, metrics_in
from proveout.apps.mle.intake.noticed import noticed
from proveout.apps.mle.intake.ordering import Both, groups_in, time_in
from proveout.apps.mle.problem import Column, Dropped, Problem
from proveout.apps.mle.tables.columns import as_dates, described, is_number
from proveout.apps.mle.tables.folds import choose
from proveout.apps.mle.tables.keys import group_column, moments, time_columns
from proveout.kernel.types import Finding

MOST_STRETCHES = 40


@dataclass(frozen=True)
class Inspection:
    """The problem, and what was noticed on the way."""

    problem: Problem
    findings: tuple[Finding, ...] = ()


@dataclass
class _Draft:
    """What is known so far. `given` wins over everything that is worked out."""

    folder: Path
    given: dict[str, Any]
    text: str
    files: tables_of.Files
    tables: roles.Tables
    rows: int
    test_rows: int
    findings: list[Finding] = field(default_factory=list)

    def note(self, code: str, message: str, where: str = "", hint: str = "") -> None:
        severity: Any = "info" if not hint else "warning"
        self.findings.append(
            Finding(code=code, message=message, where=where, severity=severity, hint=hint)
        )


def inspect(folder: Path) -> Problem:
    """What the folder asks for. Raises `IntakeError` with a question where that cannot be told."""
    return _asked(_opened(Path(folder)))


def look(folder: Path) -> Inspection:
    """The same with the findings."""
    draft = _opened(Path(folder))
    problem = _asked(draft)
    train, test = draft.tables.train, draft.tables.test
    about_rows = choose(problem, train, test).findings if draft.rows < 2 * len(train) else ()
    found = (*draft.findings, *noticed(problem, train, test), *about_rows)
    return Inspection(problem, found)


def _asked(draft: _Draft) -> Problem:
    named = _named(draft)
    features = _features(draft, named)
    try:
        return Problem.model_validate({**named, **features, **draft.given})
    except ValidationError as error:
        first = error.errors()[0]
        message = f"{TASK_FILE}: {'.'.join(str(it) for it in first['loc'])}: {first['msg']}"
        raise unusable(message, "broken_task_file", "mend the file") from None


def _opened(folder: Path) -> _Draft:
    if not folder.is_dir():
        message = f"{folder} is not a folder"
        raise unusable(message, "no_folder", "name the folder that holds the task's files")
    given = given_in(folder)
    files = tables_of.parts(folder, given)
    if len(files.train) > 1:
        whole = [tables_of.read_table(folder / name) for name in files.train]
        train = tables_of.joined(whole, list(files.train))
        rows = len(train)
    else:
        sampled = tables_of.sample_table(folder / files.train[0])
        train, rows = sampled.frame, sampled.rows
    test = tables_of.sample_table(folder / files.test)
    sample = tables_of.sample_table(folder / files.sample).frame if files.sample else None
    tables = roles.Tables(train, test.frame, sample)
    text = tables_of.description_in(folder)
    draft = _Draft(folder, given, text, files, tables, rows, test.rows)
    if rows > len(train):
        draft.note("mle.data.sampled", f"{len(train)} of {rows} training rows were looked at")
    return draft


def _named(draft: _Draft) -> dict[str, Any]:
    """Everything about target, metric and answer."""
    given, tables = draft.given, draft.tables
    key = roles.id_column(tables, given)
    wanted = roles.targets(tables, given, key, draft.text)
    answer = _answer_columns(draft, key, wanted)
    if roles.one_hot(tables.train, wanted):
        wanted = _collapse(draft, wanted)
    values = _target_values(draft, wanted)
    metric, kind = roles.metric_and_kind(values, given, metrics_in(draft.text), len(wanted))
    classes: tuple[str, ...] = ()
    if kind != "regression":
        classes = roles.labels(values, given, answer, wanted[0])
        if "kind" not in given:
            kind = "binary" if len(classes) == 2 else "multiclass"
        answer = answer or _usual_answer(metric, kind, classes, wanted)
    else:
        answer = answer or wanted
    sample = tables.sample[answer[0]] if tables.sample is not None else None
    spoken = direction_in(draft.text)
    columns = draft.given.get("submission_columns") or ((key, *answer) if key else answer)
    return {
        "name": given.get("name") or draft.folder.resolve().name,
        "kind": kind,
        "metric": metric,
        "direction": roles.direction(metric, given, spoken),
        "targets": wanted,
        "labels": classes,
        "id_column": key,
        "submission_columns": tuple(columns),
        "submission": roles.form(kind, metric, list(answer), classes, sample),
        "train_files": draft.files.train,
        "test_file": draft.files.test,
        "sample_file": draft.files.sample,
        "rows": draft.rows,
        "test_rows": draft.test_rows,
    }


def _answer_columns(draft: _Draft, key: str, wanted: tuple[str, ...]) -> tuple[str, ...]:
    """Columns of the answer besides the key; empty if nobody says."""
    given = tuple(draft.given.get("submission_columns", ()))
    if given:
        return tuple(name for name in given if name != key)
    if draft.tables.sample is not None:
        return tuple(str(name) for name in draft.tables.sample.columns if name != key)
    return wanted if len(wanted) > 1 else ()


def _usual_answer(
    metric: str, kind: str, classes: tuple[str, ...], wanted: tuple[str, ...]
) -> tuple[str, ...]:
    many = kind == "multiclass" and metric in ("auc", "ap", "logloss", "brier")
    return classes if many else wanted


def _collapse(draft: _Draft, columns: tuple[str, ...]) -> tuple[str, ...]:
    """Class columns become one column of class names (the arena writes it so, too)."""
    train = collapsed(draft.tables.train, columns)
    draft.tables = roles.Tables(train, draft.tables.test, draft.tables.sample)
    return (str(train.columns[-1]),)


def collapsed(train: pd.DataFrame, columns: tuple[str, ...]) -> pd.DataFrame:
    """One column with the name of the class column that is 1, instead of all of them."""
    block = train[list(columns)].astype(float)
    rest = train.drop(columns=list(columns))
    name = next(it for it in ("class", "label", "target_class") if it not in rest.columns)
    rest[name] = np.array(columns, dtype=object)[block.to_numpy().argmax(axis=1)]
    return rest


def _target_values(draft: _Draft, wanted: tuple[str, ...]) -> pd.Series:
    """Of the first target, where every target is known."""
    block = draft.tables.train[list(wanted)]
    known = block.notna().all(axis=1)
    if not known.any():
        message = f"the target {wanted[0]!r} is missing in every training row"
        raise unusable(message, "target_missing", "get rows with a known target")
    if not known.all():
        _no_words_for_missing(draft, wanted[0])
        lost = int((~known).sum())
        message = f"{lost} training rows have no target and are left out"
        draft.note("mle.data.target_missing", message, wanted[0], "Check why it is missing.")
        train = draft.tables.train[known].reset_index(drop=True)
        # Whole numbers with gaps were read as fractions; without the gaps they are whole again.
        for name in wanted:
            if train[name].dtype == float and (train[name] % 1 == 0).all():
                train[name] = train[name].astype("int64")
        draft.tables = roles.Tables(train, draft.tables.test, draft.tables.sample)
    return draft.tables.train[wanted[0]]


def _no_words_for_missing(draft: _Draft, target: str) -> None:
    """A class that is called "None" would be lost without a word."""
    for name in draft.files.train:
        spelled = tables_of.read_table(draft.folder / name, text=True)
        if target not in spelled.columns or is_number(draft.tables.train[target]):
            continue
        words = spelled[target].str.strip()
        lost = words[words.isin(tables_of.MISSING - {""})]
        if len(lost):
            message = (
                f"the target {target!r} holds {lost.iloc[0]!r} {len(lost)} times: a class, or "
                "missing? Every reader of tables takes it for missing"
            )
            hint = "give the class another name in the file, or leave those cells empty"
            raise unusable(message, "missing_word", hint)


def _features(draft: _Draft, named: Mapping[str, Any]) -> dict[str, Any]:
    """Columns, order, groups, traps, further tables."""
    train, test = draft.tables.train, draft.tables.test
    barred = set(named["targets"]) | _plain_key(named["id_column"], train)
    shared = [str(name) for name in train.columns if name in test.columns and name not in barred]
    if not shared and not draft.files.others:
        message = "training and test file have no feature column in common"
        raise unusable(message, "no_features", "check that both files are of the same task")
    for name in train.columns:
        if name not in test.columns and name not in barred:
            message = f"column {name!r} is in the training file only"
            draft.note("mle.data.only_in_training", message, str(name))
    columns = tuple(described(name, train[name], test[name]) for name in shared)
    both = Both(train[[*shared, *_key_columns(named, train, test, shared)]], test)
    time = _given_or(draft, "time", lambda: time_in(both, shared))
    ordered = time_columns(_shaped(named, columns, time=time))
    _check_columns(ordered, both)
    dropped = traps.barred_columns(both, columns, set(ordered), _stretches(both, ordered))
    groups = ""
    if not time or "groups" in draft.given:
        usable = {it.name for it in columns} - _names(dropped) | {named["id_column"]}
        groups = _given_or(draft, "groups", lambda: groups_in(both, named["id_column"], usable))
    grouped = group_column(_shaped(named, columns, groups=groups))[0]
    _check_columns((grouped,), both)
    if groups:
        # Rows of one group are no independent evidence: one of each must be enough.
        singles = both.thinned(*group_column(_shaped(named, columns, groups=groups)))
        sure = _names(traps.barred_columns(singles, columns, set(ordered), traps.Stretches()))
        dropped = tuple(it for it in dropped if it.column in sure and it.column != grouped)
    further, about = extras(draft.folder, draft.files, draft.tables, named["targets"])
    draft.findings += about
    return {
        "columns": columns,
        "time": time,
        "groups": groups,
        "dropped": dropped,
        "tables": further,
    }


def _plain_key(key: str, train: pd.DataFrame) -> set[str]:
    """The key, unless it is a date: then it names rows and tells something about them."""
    dated = key in train.columns and as_dates(train[key]) is not None
    return set() if dated else {key}


def _key_columns(
    named: Mapping[str, Any], train: pd.DataFrame, test: pd.DataFrame, others: list[str]
) -> list[str]:
    key = named["id_column"]
    return [key] if key in train.columns and key in test.columns and key not in others else []


def _given_or(draft: _Draft, name: str, found: Any) -> str:
    return str(draft.given[name]) if name in draft.given else str(found())


def _shaped(named: Mapping[str, Any], columns: tuple[Column, ...], **more: Any) -> Problem:
    return Problem.model_validate({**named, "columns": columns, **more})


def _check_columns(names: tuple[str, ...], both: Both) -> None:
    """What `task.toml` says about groups and time must exist."""
    for name in names:
        if name and name not in both.train.columns:
            message = f"there is no column {name!r} in training and test file"
            raise unusable(message, "no_column", f"columns: {', '.join(both.shared[:20])}")


def _stretches(both: Both, names: tuple[str, ...]) -> traps.Stretches:
    """Parts of training that are as long as the test, if time orders the rows."""
    if not names:
        return traps.Stretches()
    when, later = moments(both.train, names), moments(both.test, names)
    length = float(np.nanmax(later) - np.nanmin(later)) or 1.0
    number = np.floor((np.nanmax(when) - when) / length)
    number = np.where(np.isfinite(number), number, -1)
    parts = [np.flatnonzero(number == at) for at in range(MOST_STRETCHES)]
    return traps.Stretches(tuple(part for part in parts if len(part) >= 20))


def _names(dropped: tuple[Dropped, ...]) -> set[str]:
    return {item.column for item in dropped}
