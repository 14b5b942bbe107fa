"""From a folder to a `Problem`: what is given, what the tables imply, what misleads in them."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
from pydantic import ValidationError

from proveout.apps.mle.intake import measure, reading, roles, traps
from proveout.apps.mle.intake.drafting import Draft, opened
from proveout.apps.mle.intake.errors import TASK_FILE, columns_are, question, unusable
from proveout.apps.mle.intake.extras import extras
from proveout.apps.mle.intake.given import direction_in
from proveout.apps.mle.intake.handing_in import copied_as_told, copied_in, order_told
from proveout.apps.mle.intake.judged import Judged, judged_by
from proveout.apps.mle.intake.key_telling import key_tells
from proveout.apps.mle.intake.noticed import noticed
from proveout.apps.mle.intake.ordering import Both, groups_in, time_in
from proveout.apps.mle.problem import Column, Dropped, Kind, Problem
from proveout.apps.mle.tables.columns import (
    as_dates,
    as_label,
    described,
    easily_misread,
    is_number,
    iso_dates,
)
from proveout.apps.mle.tables.folds import choose
from proveout.apps.mle.tables.keys import (
    composed,
    group_columns,
    key_text,
    spanned_years,
    time_columns,
)
from proveout.apps.mle.tables.spelling import MISSING
from proveout.kernel.types import Finding

RECURRING = 0.2
"""Share of training rows with a key that was there before, and of test keys that training has."""


@dataclass(frozen=True)
class Inspection:
    """The problem, and what was noticed on the way."""

    problem: Problem
    findings: tuple[Finding, ...] = ()


def inspect(folder: Path) -> Problem:
    """What the folder asks for. Raises `IntakeError` with a question where that cannot be told."""
    return _asked(opened(Path(folder)))


def look(folder: Path, *, briefly: bool = False) -> Inspection:
    """The same with the findings; `briefly`: without those that come up again in the arena."""
    draft = opened(Path(folder))
    problem = _asked(draft)
    if briefly:
        return Inspection(problem, tuple(draft.findings))
    train, test = draft.tables.train, draft.tables.test
    about_rows = choose(problem, train, test).findings if draft.rows < 2 * len(train) else ()
    found = (*draft.findings, *noticed(problem, train, test), *about_rows)
    return Inspection(problem, found)


def _asked(draft: Draft) -> Problem:
    named = _named(draft)
    features = _features(draft, named)
    try:
        return Problem.model_validate({**named, **features, **draft.given})
    except ValidationError as error:
        first = error.errors()[0]
        message = f"{TASK_FILE}: {'.'.join(str(it) for it in first['loc'])}: {first['msg']}"
        raise unusable(message, "broken_task_file", "mend the file") from None


def _named(draft: Draft) -> dict[str, Any]:
    """Everything about target, metric and answer."""
    given, tables = draft.given, draft.tables
    key = roles.id_column(tables, given, draft.text)
    wanted = roles.targets(tables, given, key, draft.text)
    copied = _copied_columns(draft, key)
    naming = (*filter(None, (key,)), *copied)
    answer = _answer_columns(draft, {key, *copied}, wanted)
    if roles.one_hot(tables.train, wanted):
        wanted = _collapse(draft, wanted)
    values = _target_values(draft, wanted)
    block = draft.tables.train[list(wanted)]
    metric, kind = _metric_and_kind(draft, block)
    classes: tuple[str, ...] = ()
    if kind != "regression":
        classes = roles.labels(values, given, answer, wanted[0], draft.text)
        classes = _as_spelled(draft, wanted[0], classes)
        if "kind" not in given:
            kind = "binary" if len(classes) == 2 else "multiclass"
        answer = answer or _usual_answer(metric, kind, classes, wanted)
    else:
        answer = answer or wanted
        _check_values(answer, wanted, naming)
    order = (*naming, *answer)
    if tables.sample is None and not {"submission_columns", "targets", "labels"} & {*given}:
        order = order_told(draft.text, order)
        answer = tuple(it for it in order if it not in naming)
        # What is predicted for each target, or of each class, stands in its column.
        wanted = answer if {*answer} == {*wanted} else wanted
        classes = answer if {*answer} == {*classes} else classes
    sample = tables.sample[answer[0]] if tables.sample is not None else None
    spoken = direction_in(draft.text)
    form = roles.form(kind, metric, list(answer), classes, sample)
    _tell_assumptions(
        draft, key, classes, answer, of_second=form == "probability" or metric == "f1"
    )
    return {
        "name": given.get("name") or draft.folder.resolve().name,
        "kind": kind,
        "metric": metric,
        "direction": measure.direction(metric, given, spoken),
        "targets": wanted,
        "labels": classes,
        "id_column": key,
        "submission_columns": _in_order(draft, order),
        "copied": copied,
        "submission": form,
        **draft.sources,
    }


def _check_values(
    answer: tuple[str, ...], wanted: tuple[str, ...], naming: tuple[str, ...]
) -> None:
    """One column of the answer for each target, if targets are numbers."""
    if len(answer) != len(wanted):
        message = f"which columns of the sample are the answer? It has {', '.join(answer)}"
        line = ", ".join(f'"{name}"' for name in (*naming, *wanted))
        raise question(message, "submission", f"submission_columns = [{line}]")


def _in_order(draft: Draft, columns: tuple[str, ...]) -> tuple[str, ...]:
    """Columns of the answer as they are given, else as the sample has them."""
    sample, given = draft.tables.sample, draft.given.get("submission_columns")
    if given:
        return tuple(given)
    sampled = tuple(str(it) for it in sample.columns) if sample is not None else ()
    return sampled if {*sampled} == {*columns} else columns


def _metric_and_kind(draft: Draft, block: pd.DataFrame) -> tuple[str, Kind]:
    """As given or as the text says; where it does not name it plainly, its sentence is told."""
    judged = judged_by(draft.text, (str(it) for it in draft.tables.train.columns))
    said, kind = measure.metric_and_kind(block, draft.given, judged, draft.tables.sample)
    metric = measure.for_all_classes(said, kind, block)
    classes = 0 if metric == said else block.iloc[:, 0].nunique()
    if "metric" in draft.given:
        # Nothing of the text has been read.
        judged, draft.given["metric"] = Judged(), metric
    if classes or judged.sentence:
        message, hint = measure.told(judged, metric, classes)
        draft.note("mle.data.metric_read", message, hint=hint)
    return metric, kind


def _as_spelled(draft: Draft, target: str, classes: tuple[str, ...]) -> tuple[str, ...]:
    """Classes like `007`: a number to whoever reads the table, a name to whoever judges answers."""
    if not is_number(draft.tables.train[target]):
        return classes
    for name in draft.files.train:
        if target in reading.header_of(draft.folder / name):
            cells = reading.first_rows(draft.folder / name, target)[target].str.strip().unique()
            spelled = {as_label(cell): str(cell) for cell in cells if str(cell).isdigit()}
            return tuple(spelled.get(as_label(label), label) for label in classes)
    return classes


def _tell_assumptions(
    draft: Draft, key: str, classes: tuple[str, ...], answer: tuple[str, ...], *, of_second: bool
) -> None:
    """What nothing in the folder settles, and what was assumed."""
    tables = draft.tables
    if tables.sample is not None and key in tables.sample and key not in tables.test:
        named = tables.sample[key]
        counted = is_number(named) and bool((named.diff().dropna() == 1).all())
        if not counted and composed(named, tables.test) is None:
            message = f"{key!r} is in the sample only: test rows are named in the sample's order"
            draft.note("mle.data.named_by_order", message, key, "Check that both are in one order.")
    unsettled = len(classes) == 2 and not roles.positive(classes, answer, draft.text)
    if unsettled and of_second and not draft.given.get("labels"):
        message = f"{classes[1]!r} is taken for the class that is looked for, not {classes[0]!r}"
        hint = f'If it is not: labels = ["{classes[1]}", "{classes[0]}"] in {TASK_FILE}.'
        draft.note("mle.data.positive_class", message, classes[1], hint)


def _copied_columns(draft: Draft, key: str) -> tuple[str, ...]:
    """Those of the answer that name its rows together, or do so beside the key."""
    tables = draft.tables
    if {"copied", "submission_columns"} & {*draft.given}:
        return tuple(draft.given.get("copied", ()))
    if tables.sample is not None:
        return copied_in(tables.sample, tables.test, key)
    return () if key else copied_as_told(draft.text, tables.train, tables.test)


def _answer_columns(draft: Draft, naming: set[str], wanted: tuple[str, ...]) -> tuple[str, ...]:
    """Columns of the answer besides those that name rows; empty if nobody says."""
    given = tuple(draft.given.get("submission_columns", ()))
    if given:
        return tuple(name for name in given if name not in naming)
    if draft.tables.sample is not None:
        return tuple(str(name) for name in draft.tables.sample.columns if name not in naming)
    return wanted if len(wanted) > 1 else ()


def _usual_answer(
    metric: str, kind: str, classes: tuple[str, ...], wanted: tuple[str, ...]
) -> tuple[str, ...]:
    many = kind == "multiclass" and metric in ("auc", "ap", "logloss", "brier")
    return classes if many else wanted


def _collapse(draft: Draft, columns: tuple[str, ...]) -> tuple[str, ...]:
    """Class columns become one column of class names (the arena writes it so, too)."""
    train = roles.collapsed(draft.tables.train, columns)
    draft.tables = roles.Tables(train, draft.tables.test, draft.tables.sample)
    return (str(train.columns[-1]),)


def _target_values(draft: Draft, wanted: tuple[str, ...]) -> pd.Series:
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


def _no_words_for_missing(draft: Draft, target: str) -> None:
    """A class that is called "None" would be lost without a word."""
    for name in draft.files.train:
        spelled = reading.read_table(draft.folder / name, text=True)
        if target not in spelled.columns or is_number(draft.tables.train[target]):
            continue
        words = spelled[target].str.strip()
        lost = words[words.isin(MISSING - {""})]
        if len(lost):
            message = (
                f"the target {target!r} holds {lost.iloc[0]!r} {len(lost)} times: a class, or "
                "missing? Every reader of tables takes it for missing"
            )
            hint = "give the class another name in the file, or leave those cells empty"
            raise unusable(message, "missing_word", hint)


def _features(draft: Draft, named: Mapping[str, Any]) -> dict[str, Any]:
    """Columns, order, groups, traps, further tables."""
    turned = _turn_dates(draft)
    train, test = draft.tables.train, draft.tables.test
    barred = set(named["targets"]) | _plain_key(named["id_column"], train, test)
    shared = [str(name) for name in train.columns if name in test.columns and name not in barred]
    if not shared and not draft.files.others:
        raise _nothing_to_learn_from(named["id_column"], train, test)
    _tell_unshared(draft, barred, {*named["labels"], *named["submission_columns"]})
    columns = tuple(described(name, train[name], test[name]) for name in shared)
    both = Both(train[[*shared, *_key_columns(named, train, test, shared)]], test)
    time = _given_or(draft, "time", lambda: time_in(both, shared))
    ordered = time_columns(_shaped(named, columns, time=time))
    _check_columns(ordered, both)
    dropped = traps.barred_columns(both, columns, set(ordered), traps.stretches(both, ordered))
    groups = ""
    if not time or "groups" in draft.given:
        usable = {it.name for it in columns} - _names(dropped) | {named["id_column"]}
        groups = _given_or(draft, "groups", lambda: groups_in(both, named["id_column"], usable))
    grouped, mark = group_columns(_shaped(named, columns, groups=groups))
    _check_columns(grouped, both)
    if groups:
        # Rows of one group are no independent evidence: one of each must be enough.
        singles = both.thinned(grouped, mark)
        sure = _names(traps.barred_columns(singles, columns, set(ordered), traps.Stretches()))
        dropped = tuple(it for it in dropped if it.column in sure and it.column not in grouped)
    if len(dropped) == len(columns) and not draft.files.others and "dropped" not in draft.given:
        told = "; ".join(f"{it.column}: {it.reason}" for it in dropped[:3])
        message = f"no column is left to learn from ({told})"
        raise unusable(message, "no_features", f"name those to use: dropped = [] in {TASK_FILE}")
    further, about = extras(draft.folder, draft.files, draft.tables, named["targets"], turned)
    draft.findings += about
    tells = not time and not groups and "key_tells" not in draft.given
    return {
        "columns": columns,
        "key_tells": tells and key_tells(train, test, named["id_column"], named["targets"]),
        "time": time,
        "years": spanned_years(both.train, ordered),
        "groups": groups,
        # Of a sample copies may have been left out.
        "repeats": draft.rows > len(train)
        or bool(train[[*shared, *named["targets"]]].duplicated().any()),
        "dropped": dropped,
        "tables": further,
    }


def _nothing_to_learn_from(key: str, train: pd.DataFrame, test: pd.DataFrame) -> Exception:
    if key not in train.columns or key not in test.columns or is_number(train[key]):
        message = "training and test file have no feature column in common"
        return unusable(message, "no_features", "check that both files are of the same task")
    message = (
        f"the only column that both files have is {key!r}, which names rows (such as "
        f"'{train[key].iloc[0]}') and is no date that could be read"
    )
    hint = "if it is a time, write it like 2024-03-01 07:05; else add columns that tell something"
    return unusable(message, "no_features", hint)


def _tell_unshared(draft: Draft, barred: set[str], answers: set[str]) -> None:
    """Columns that only one file has, and that are no part of the answer."""
    train, test = draft.tables.train, draft.tables.test
    alone = [str(it) for it in train.columns if it not in test.columns and it not in barred]
    if alone:
        message = f"{columns_are(alone)} in the training file only"
        draft.note("mle.data.only_in_training", message, alone[0])
    asked = barred | answers
    new = [str(it) for it in test.columns if it not in train.columns and it not in asked]
    if new:
        message = f"{columns_are(new)} in the test file only"
        draft.note("mle.data.only_at_test", message, new[0])


def _turn_dates(draft: Draft) -> list[str]:
    """The 7th of May is no 5th of July because one of the two files has no day after the 12th;
    weeks and quarters begin on a day."""
    train, test = draft.tables.train, draft.tables.test
    shared = [str(name) for name in train.columns if name in test.columns]
    turned = [name for name in shared if easily_misread(train[name], test[name])]
    for name in turned:
        train = train.assign(**{name: iso_dates(train[name])})
        test = test.assign(**{name: iso_dates(test[name])})
    draft.tables = roles.Tables(train, test, draft.tables.sample)
    return turned


def _plain_key(key: str, train: pd.DataFrame, test: pd.DataFrame) -> set[str]:
    """The key, unless it tells something about rows: a date, or whom several rows are about, of
    which the test has one each."""
    if key not in train.columns or key not in test.columns:
        return {key}
    return set() if as_dates(train[key]) is not None or _recurs(key, train, test) else {key}


def _recurs(key: str, train: pd.DataFrame, test: pd.DataFrame) -> bool:
    """Whether test rows are about somebody that training has several rows of, which differ."""
    names = [it for it in train.columns if it in test.columns]
    again = train.loc[~train[names].duplicated(), key].duplicated().mean()
    return bool(min(again, key_text(test[key]).isin(key_text(train[key])).mean()) > RECURRING)


def _key_columns(
    named: Mapping[str, Any], train: pd.DataFrame, test: pd.DataFrame, others: list[str]
) -> list[str]:
    key = named["id_column"]
    return [key] if key in train.columns and key in test.columns and key not in others else []


def _given_or(draft: Draft, name: str, found: Any) -> str:
    return str(draft.given[name]) if name in draft.given else str(found())


def _shaped(named: Mapping[str, Any], columns: tuple[Column, ...], **more: Any) -> Problem:
    return Problem.model_validate({**named, "columns": columns, **more})


def _check_columns(names: tuple[str, ...], both: Both) -> None:
    """What `task.toml` says about groups and time must exist."""
    for name in names:
        if name and name not in both.train.columns:
            message = f"there is no column {name!r} in training and test file"
            raise unusable(message, "no_column", f"columns: {', '.join(both.shared[:20])}")


def _names(dropped: tuple[Dropped, ...]) -> set[str]:
    return {item.column for item in dropped}
