"""Target, key, classes and form of the answer: what is given, else what the tables imply."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from proveout.apps.mle.intake.errors import question, unusable
from proveout.apps.mle.problem import Direction, Kind, SubmissionForm
from proveout.apps.mle.tables import metrics
from proveout.apps.mle.tables.columns import as_label, is_key_name, is_number

MOST_CLASSES = 1_000
FEW_NUMBERS = 20
"""Whole-number targets with at most so many values may be classes."""
_NEGATIVE = frozenset(
    [
        "no",
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


def id_column(tables: Tables, given: Mapping[str, Any]) -> str:
    """The column that names rows; empty if their order counts."""
    if "id_column" in given:
        name = str(given["id_column"])
        known = {
            *tables.test.columns,
            *(tables.sample.columns if tables.sample is not None else ()),
        }
        if name and name not in known:
            message = f"the id column {name!r} is in no file"
            raise unusable(message, "no_id_column", f"columns: {_listed(tables.test.columns)}")
        return name
    if tables.sample is not None:
        for name in tables.sample.columns:
            if name in tables.test.columns and _same_keys(tables.sample[name], tables.test[name]):
                return str(name)
        first = str(tables.sample.columns[0])
        if len(tables.sample.columns) > 1 and first not in tables.train.columns:
            return first if tables.sample[first].is_unique else ""
    named = [str(name) for name in tables.test.columns if is_key_name(str(name))]
    return next((name for name in named if tables.test[name].is_unique), "")


def _same_keys(sample: pd.Series, test: pd.Series) -> bool:
    """The sample names test rows. Inspection may have seen only some of them."""
    if not test.is_unique or not sample.is_unique:
        return False
    seen = sample.astype(str).isin(set(test.astype(str)))
    return bool(seen.mean() > 0.99) if len(sample) == len(test) else bool(seen.any())


def targets(tables: Tables, given: Mapping[str, Any], key: str, text: str) -> tuple[str, ...]:
    """Columns to predict."""
    columns = [str(name) for name in tables.train.columns]
    if given.get("targets"):
        named = tuple(str(name) for name in given["targets"])
        lost = [name for name in named if name not in columns]
        if lost and not one_hot(tables.train, tuple(given.get("labels", ()))):
            message = f"the target {lost[0]!r} is not a column of the training file"
            raise unusable(message, "no_target", f"columns: {_listed(columns)}")
        return named
    only = [name for name in columns if name not in tables.test.columns and name != key]
    wanted: list[str] = []
    if tables.sample is not None:
        wanted = [str(name) for name in tables.sample.columns if name != key]
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
    named_so = [name for name in only if _called_target(name, text)]
    if len(named_so) == 1:
        return (named_so[0],)
    message = (
        f"which column is to be predicted? Only the training file has: {_listed(only)}"
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


def metric_and_kind(
    values: pd.Series, given: Mapping[str, Any], spoken: list[str], wanted: int
) -> tuple[str, Kind]:
    """`values` of the (first) target; `spoken`: metrics the text names; `wanted`: targets."""
    metric = str(given.get("metric", "")) or _spoken(spoken)
    if metric != "custom" and metrics.METRICS[metric].needs == "values":
        kind: Kind = "regression"
    elif wanted > 1 or "kind" in given:
        kind = given.get("kind", "regression")
    else:
        kind = _implied(values, metric)
    if given.get("kind", kind) != kind:
        message = f"the metric {metric} does not fit the kind {given['kind']!r}"
        raise question(message, "metric", 'metric = "accuracy"')
    if kind == "regression" and not (is_number(values) or values.dtype == bool):
        message = f"the target {values.name!r} is not a number, but the metric {metric} needs one"
        raise question(message, "metric", 'metric = "accuracy"')
    return metric, kind


def _spoken(spoken: list[str]) -> str:
    if len(spoken) == 1:
        return spoken[0]
    if not spoken:
        message = "by which metric are predictions judged? The description names none that is known"
        raise question(message, "metric", 'metric = "rmse"')
    message = f"by which metric are predictions judged? The description speaks of {_listed(spoken)}"
    raise question(message, "metric", f'metric = "{spoken[0]}"')


def _implied(values: pd.Series, metric: str) -> Kind:
    unique = values.nunique(dropna=True)
    if metric == "custom" and is_number(values) and unique > 2:
        whole = bool((values.dropna() % 1 == 0).all())
        return "multiclass" if whole and unique <= FEW_NUMBERS else "regression"
    return "binary" if unique == 2 else "multiclass"


def labels(
    values: pd.Series, given: Mapping[str, Any], answer: tuple[str, ...], target: str
) -> tuple[str, ...]:
    """Classes as the training file spells them: in the order given, of the answer, or their own."""
    spelled = sorted({str(value) for value in values.dropna().unique()})
    if len(spelled) < 2:
        message = f"the target {target!r} has one class only: {_listed(spelled)}"
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
        return tuple(sorted(spelled, key=lambda label: (label.lower() not in _NEGATIVE, label)))


def _given_labels(named: list[str], spelled: list[str], target: str) -> tuple[str, ...]:
    by_name = {as_label(label): label for label in spelled}
    unknown = [label for label in spelled if as_label(label) not in {as_label(it) for it in named}]
    if unknown:
        message = f"the target {target!r} has values that are no given label: {_listed(unknown)}"
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
            message = f"the answer's columns {_listed(columns)} are not the classes"
            raise question(message, "submission", 'submission_columns = ["…"]')
        return "wide"
    needs = metrics.METRICS[metric].needs if metric != "custom" else "labels"
    if kind == "binary" and needs == "probabilities":
        return "probability"
    if kind == "binary" and metric == "custom" and sample is not None and _is_share(sample):
        return "probability"
    return "value"


def _is_share(values: pd.Series) -> bool:
    return is_number(values) and bool((values % 1 != 0).any())


def direction(metric: str, given: Mapping[str, Any], spoken: str) -> Direction:
    if "direction" in given:
        chosen: Direction = given["direction"]
        return chosen
    if metric != "custom":
        return metrics.METRICS[metric].direction
    if not spoken:
        message = "is more or less of the metric better?"
        raise question(message, "direction", 'direction = "maximize"')
    return "maximize" if spoken == "maximize" else "minimize"


def _listed(names: Any) -> str:
    shown = [str(name) for name in names]
    return ", ".join(shown[:12]) + (", …" if len(shown) > 12 else "")
