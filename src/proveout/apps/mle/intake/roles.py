"""Target, key, classes and form of the answer: what is given, else what the tables imply."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from proveout.apps.mle.intake.errors import listed, question, unusable
from proveout.apps.mle.intake.handing_in import copied_in, key_told, targets_told
from proveout.apps.mle.intake.measure import is_share
from proveout.apps.mle.problem import Kind, SubmissionForm
from proveout.apps.mle.tables import metrics
from proveout.apps.mle.tables.columns import as_dates, as_label, is_key_name, is_number, words_in
from proveout.apps.mle.tables.keys import key_text

MOST_CLASSES = 1_000
_NEGATIVE = frozenset(
    [
        "no",
        "nein",
        "non",
        "nee",
        "nej",
        "não",
        "nao",
        "nie",
        "нет",
        "false",
        "n",
        "f",
        "0",
        "-1",
        "negative",
        "neg",
        "none",
        "absent",
        "normal",
        "healthy",
        "benign",
        "good",
        "ham",
        "legit",
        "stay",
    ]
)


@dataclass(frozen=True)
class Tables:
    """The three tables of a task, typed; the sample may be missing."""

    train: pd.DataFrame
    test: pd.DataFrame
    sample: pd.DataFrame | None


@dataclass(frozen=True)
class Answer:
    """How a submission looks."""

    id_column: str
    columns: tuple[str, ...]
    form: SubmissionForm = "value"


def id_column(tables: Tables, given: Mapping[str, Any], text: str = "") -> str:
    """The column that names rows; empty if their order counts."""
    if "id_column" in given:
        name = str(given["id_column"])
        known = {
            *tables.test.columns,
            *(tables.sample.columns if tables.sample is not None else ()),
        }
        if name and name not in known:
            message = f"the id column {name!r} is in no file"
            raise unusable(message, "no_id_column", f"columns: {listed(tables.test.columns)}")
        return name
    if tables.sample is not None:
        for name in tables.sample.columns:
            if name in tables.test.columns and _same_keys(tables.sample[name], tables.test[name]):
                return str(name)
        _no_other_rows(tables.sample, tables.test)
        first = str(tables.sample.columns[0])
        if len(tables.sample.columns) > 1 and first not in tables.train.columns:
            return first if tables.sample[first].is_unique else ""
    told = key_told(text, tables.train, tables.test) if tables.sample is None else ""
    if told:
        return told
    named = [str(name) for name in tables.test.columns if is_key_name(str(name))]
    return next((name for name in named if tables.test[name].is_unique), _first_as_key(tables))


def _no_other_rows(sample: pd.DataFrame, test: pd.DataFrame) -> None:
    """A sample for another test file would be a guess about everything."""
    for name in sample.columns:
        if name not in test.columns or not (sample[name].is_unique and test[name].is_unique):
            continue
        if len(sample) > 1 and not _named_alike(sample[name], test[name]).any():
            message = (
                f"the sample names other rows than the test file: no {name!r} of it is there, "
                f"for instance {sample[name].iloc[0]}"
            )
            raise unusable(message, "sample_rows", "get the sample of this test file, or remove it")


def _first_as_key(tables: Tables) -> str:
    """The first column, if all its values are different and it counts rows or names them."""
    name = tables.test.columns[0]
    if tables.sample is not None or name not in tables.train.columns:
        return ""
    both = pd.concat([tables.train[name], tables.test[name]], ignore_index=True)
    if both.isna().any() or not both.is_unique or as_dates(both) is not None:
        return ""
    if is_number(both):
        running = bool((both % 1 == 0).all()) and both.max() - both.min() <= 2 * len(both)
        return str(name) if running else ""
    return str(name) if words_in(both) < 1.5 else ""


def _same_keys(sample: pd.Series, test: pd.Series) -> bool:
    """The sample names test rows. Inspection may have seen only some of them."""
    if not test.is_unique or not sample.is_unique:
        return False
    seen = _named_alike(sample, test)
    return bool(seen.mean() > 0.99) if len(sample) == len(test) else bool(seen.any())


def _named_alike(sample: pd.Series, test: pd.Series) -> pd.Series:
    return key_text(sample).isin(set(key_text(test)))


def targets(tables: Tables, given: Mapping[str, Any], key: str, text: str) -> tuple[str, ...]:
    """Columns to predict."""
    columns = [str(name) for name in tables.train.columns]
    if given.get("targets"):
        named = tuple(str(name) for name in given["targets"])
        lost = [name for name in named if name not in columns]
        if lost and not one_hot(tables.train, tuple(given.get("labels", ()))):
            message = f"the target {lost[0]!r} is not a column of the training file"
            raise unusable(message, "no_target", f"columns: {listed(columns)}")
        return named
    only = [name for name in columns if name not in tables.test.columns and name != key]
    wanted: list[str] = []
    if tables.sample is not None:
        naming = {key, *copied_in(tables.sample, tables.test, key)}
        wanted = [str(name) for name in tables.sample.columns if name not in naming]
        spelled = {name.lower(): name for name in (*tables.test.columns, *only)}
        inside = [spelled[name.lower()] for name in wanted if name.lower() in spelled]
        if inside and len(inside) == len(wanted):
            return tuple(inside)
    if not only:
        only = [name for name in columns if name != key and tables.test[name].isna().all()]
    if len(only) == 1:
        return (only[0],)
    holds = [name for name in only if wanted and _spells(tables.train[name], wanted)]
    if len(holds) == 1:
        return (holds[0],)
    for called in (_called_target, _to_be_predicted):
        named_so = [name for name in only if called(name, text)]
        if len(named_so) == 1:
            return (named_so[0],)
    if told := targets_told(text, tables.train, tables.test) if tables.sample is None else ():
        return told
    message = (
        f"which column is to be predicted? Only the training file has: {listed(only)}"
        if only
        else "which column is to be predicted? The test file has every column of the training file"
    )
    raise question(message, "target", 'targets = ["…"]')


def _spells(values: pd.Series, wanted: list[str]) -> bool:
    classes = {as_label(value) for value in values.dropna().unique()[: MOST_CLASSES + 1]}
    return len(classes) > 1 and matched(sorted(classes), wanted) is not None


def _called_target(name: str, text: str) -> bool:
    """In one clause with the word: "the target `price`", "`price`: target, in dollars"."""
    quoted = rf"[`\"'*]+{re.escape(name)}[`\"'*]+"
    word = r"\b(target|label|predict)\w*\b"
    return bool(
        re.search(
            rf"{word}[^.;\n]{{0,40}}{quoted}|{quoted}[^.;\n]{{0,20}}{word}", text, re.IGNORECASE
        )
    )


def _to_be_predicted(name: str, text: str) -> bool:
    """Without quotes, right after the verb: "predict the sale price of each house"."""
    spoken = re.escape(name).replace("_", "[_ ]")
    verb = r"\b(predict|forecast|estimate)(s|ing)?\b"
    return bool(re.search(rf"{verb}( \w+)? {spoken}\b", text, re.IGNORECASE))


def matched(labels: list[str], columns: list[str]) -> list[str] | None:
    """Labels in the order of the columns that stand for them: equal, or ending alike."""
    if len(labels) != len(columns):
        return None
    by_name = {as_label(label): label for label in labels}
    found = [by_name.get(as_label(column)) for column in columns]
    if None in found:
        found = []
        for column in columns:
            ends = [label for label in labels if column.lower().endswith(label.lower())]
            found.append(max(ends, key=len) if ends else None)
    names = [label for label in found if label is not None]
    return names if len(set(names)) == len(columns) else None


def one_hot(train: pd.DataFrame, columns: tuple[str, ...]) -> bool:
    """Exactly one of these columns is 1 in every row, the others 0."""
    if len(columns) < 2 or any(name not in train.columns for name in columns):
        return False
    block = train[list(columns)]
    if not all(is_number(block[name]) or block[name].dtype == bool for name in columns):
        return False
    values = block.to_numpy(dtype=float)
    return bool(np.isin(values, (0.0, 1.0)).all() and (values.sum(axis=1) == 1.0).all())


def collapsed(train: pd.DataFrame, columns: tuple[str, ...]) -> pd.DataFrame:
    """One column with the name of the class column that is 1, instead of all of them."""
    block = train[list(columns)].astype(float)
    rest = train.drop(columns=list(columns))
    name = next(it for it in ("class", "label", "target_class") if it not in rest.columns)
    rest[name] = np.array(columns, dtype=object)[block.to_numpy().argmax(axis=1)]
    return rest


def labels(
    values: pd.Series,
    given: Mapping[str, Any],
    answer: tuple[str, ...],
    target: str,
    text: str = "",
) -> tuple[str, ...]:
    """Classes as the training file spells them: in the order given, of the answer, or their own."""
    spelled = sorted({str(value) for value in values.dropna().unique()})
    if len(spelled) < 2:
        message = f"the target {target!r} has one class only: {listed(spelled)}"
        raise unusable(message, "one_class", "there is nothing to learn; get rows of other classes")
    if len(spelled) > MOST_CLASSES:
        message = f"the target {target!r} has {len(spelled)} classes; is it a number?"
        raise question(message, "kind", 'kind = "regression"')
    if given.get("labels"):
        return _given_labels([str(label) for label in given["labels"]], spelled, target)
    order = matched(spelled, list(answer))
    if order is not None:
        return tuple(order)
    try:
        return tuple(sorted(spelled, key=float))
    except ValueError:
        pass
    if len(spelled) > 2:
        return tuple(sorted(spelled, key=lambda label: (label.lower() not in _NEGATIVE, label)))
    meant = positive(spelled, answer, text)
    if not meant:
        # The rarer one is mostly what is looked for.
        counts = values.astype(str).value_counts()
        meant = min(spelled[::-1], key=lambda label: int(counts.get(label, 0)))
    return tuple(sorted(spelled, key=lambda label: label == meant))


def positive(spelled: Iterable[str], answer: tuple[str, ...], text: str) -> str:
    """Which of two classes a probability is of, if names or the description say so."""
    two = sorted(spelled)
    if [as_label(label) for label in two] in (["0", "1"], ["-1", "1"], ["false", "true"]):
        return two[1]
    ends = [it for it in two if len(answer) == 1 and answer[0].lower().endswith(it.lower())]
    if ends:
        return max(ends, key=len)
    rest = [label for label in two if label.lower() not in _NEGATIVE]
    if len(rest) == 1:
        return rest[0]
    said = [
        label
        for label in two
        if re.search(
            rf"probabilit(y|ies) (that|of|for)\b[^.\n]{{0,80}}\b{re.escape(label)}\b",
            text,
            re.IGNORECASE,
        )
    ]
    return said[0] if len(said) == 1 else ""


def _given_labels(named: list[str], spelled: list[str], target: str) -> tuple[str, ...]:
    by_name = {as_label(label): label for label in spelled}
    unknown = [label for label in spelled if as_label(label) not in {as_label(it) for it in named}]
    if unknown:
        message = f"the target {target!r} has values that are no given label: {listed(unknown)}"
        raise unusable(message, "unknown_label", "correct labels, or delete the line")
    return tuple(by_name.get(as_label(label), label) for label in named)


def form(
    kind: Kind, metric: str, columns: list[str], classes: tuple[str, ...], sample: pd.Series | None
) -> SubmissionForm:
    """What stands in the answer's cells; `columns` are those that are not the key."""
    if kind == "regression":
        return "value"
    if len(columns) > 1:
        if matched(list(classes), columns) is None:
            message = f"the answer's columns {listed(columns)} are not the classes"
            raise question(message, "submission", 'submission_columns = ["…"]')
        return "wide"
    needs = metrics.METRICS[metric].needs if metric != "custom" else "labels"
    if kind == "binary" and needs == "probabilities":
        return "probability"
    if kind == "binary" and metric == "custom" and sample is not None and is_share(sample):
        return "probability"
    return "value"
