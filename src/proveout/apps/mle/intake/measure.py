"""By what predictions are judged, and what that makes of the target: classes or numbers."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from proveout.apps.mle.intake.errors import TASK_FILE, listed, question, unusable
from proveout.apps.mle.intake.judged import Judged
from proveout.apps.mle.problem import Direction, Kind
from proveout.apps.mle.tables import metrics
from proveout.apps.mle.tables.columns import is_number

FEW_NUMBERS = 20
"""Whole-number targets with at most so many values may be classes."""
MOST_QUOTED = 200
"""Characters of a sentence that is told."""


def metric_and_kind(
    block: pd.DataFrame, given: Mapping[str, Any], judged: Judged, sample: pd.DataFrame | None
) -> tuple[str, Kind]:
    """`block`: the targets' columns; `judged`: what the text says about the metric."""
    values, wanted = block.iloc[:, 0], len(block.columns)
    metric = str(given.get("metric", "")) or _spoken(judged, block, sample)
    if wanted > 1:
        _several(block, metric)
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


def _several(block: pd.DataFrame, metric: str) -> None:
    """Several targets at once are numbers, or yes and no with a metric of probabilities."""
    one = 'name one of them in task.toml: targets = ["…"]'
    words = [str(it) for it in block if not (is_number(block[it]) or block[it].dtype == bool)]
    if words:
        message = f"of several targets, {listed(words)} hold words; only numbers are handled"
        raise unusable(message, "several_targets", one)
    if metric != "custom" and (metrics.METRICS[metric].needs == "labels" or metric == "brier"):
        known = [it.name for it in metrics.METRICS.values() if it.needs != "labels"]
        message = f"{metric} over several targets is not computed here"
        hint = f"{one}, or a metric that is: {listed(it for it in known if it != 'brier')}"
        raise unusable(message, "several_targets", hint)


def _spoken(judged: Judged, block: pd.DataFrame, sample: pd.DataFrame | None) -> str:
    spoken = judged.names
    known = [name for name in spoken if name in metrics.METRICS]
    fits = judged.sure or not known or _fits(known[0], block)
    if len(spoken) == 1 and known and fits:
        return known[0]
    asked = "by which metric are predictions judged?"
    usual = _usual(block, sample, judged.aside)
    line = f'metric = "{known[0] if known and fits else usual}"'
    if spoken and not known:
        message = f"{asked} The description speaks of {spoken[0]!r}, which is not computed here"
        own = 'metric = "custom" and custom_metric = "file.py:function", or one like it: '
        raise question(message, "metric", own + line)
    if not spoken:
        message = f"{asked} The description names none that is known"
        numbers = metrics.METRICS[usual].needs == "values"
        fit = [it.name for it in metrics.METRICS.values() if (it.needs == "values") == numbers]
        raise question(message, "metric", f"{line}, or another of {', '.join(fit)}")
    message = f"{asked} The description speaks of {listed(spoken)}"
    raise question(message, "metric", line)


def for_all_classes(metric: str, kind: Kind, block: pd.DataFrame) -> str:
    """The F1 of one class says nothing about three: then its mean over the classes is meant."""
    several = kind == "multiclass" and block.iloc[:, 0].nunique() > 2
    return "macro_f1" if several and metric == "f1" else metric


def told(judged: Judged, metric: str, classes: int = 0) -> tuple[str, str]:
    """Message about a metric that the text does not simply name, and a hint if in doubt.

    `classes`: how many the target has, if the metric was taken for that reason.
    """
    message = f"the metric is {metric} ({metrics.METRICS[metric].words})"
    if judged.aside:
        message += f", not {listed(judged.aside)}"
    if classes:
        message += f", as the target has {classes} classes and f1 is of one of two"
    if judged.sentence:
        message += f", as read from: {judged.sentence[:MOST_QUOTED]!r}"
    sure = judged.sure and not classes
    return message, "" if sure else f'If it is not: metric = "…" in {TASK_FILE}.'


def _fits(metric: str, block: pd.DataFrame) -> bool:
    """What was read between the lines must suit the target."""
    values = block.iloc[:, 0].dropna()
    if metrics.METRICS[metric].needs == "values":
        return is_number(values)
    return _few(values) or not is_number(values)


def _few(values: pd.Series) -> bool:
    whole = not is_number(values) or bool((values % 1 == 0).all())
    return whole and values.nunique() <= FEW_NUMBERS


def _usual(block: pd.DataFrame, sample: pd.DataFrame | None, aside: Sequence[str]) -> str:
    """What such targets are mostly judged by: a suggestion, for a question."""
    values = block.iloc[:, 0].dropna()
    shares = sample is not None and any(is_share(sample[name]) for name in sample.columns)
    likely: tuple[str, ...] = ("logloss", "accuracy") if shares else ("accuracy", "macro_f1")
    if values.nunique() == 2:
        likely = ("auc",) if shares or len(block.columns) > 1 else ()
        likely = (*likely, "accuracy", "f1")
    elif is_number(values) and not _few(values):
        likely = ("rmse", "mae")
    return next((name for name in likely if name not in aside), likely[0])


def _implied(values: pd.Series, metric: str) -> Kind:
    unique = values.nunique(dropna=True)
    if metric == "custom" and is_number(values) and unique > 2:
        whole = bool((values.dropna() % 1 == 0).all())
        return "multiclass" if whole and unique <= FEW_NUMBERS else "regression"
    return "binary" if unique == 2 else "multiclass"


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


def is_share(values: pd.Series) -> bool:
    return is_number(values) and bool((values % 1 != 0).any())
