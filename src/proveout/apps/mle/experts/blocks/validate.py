"""Folds, members and how their predictions become one."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from proveout.apps.mle.experts.blocks.part import Part, Restore, seen, some_of, two_columns
from proveout.apps.mle.experts.blocks.settings import (
    ANSWERS,
    COPIED,
    FORM,
    ID,
    LABELS,
    MOST_ROWS,
    SEED,
    TARGETS,
    TIME_LIMIT,
    TIMES,
)
from proveout.apps.mle.experts.blocks.views import with_fitted

START = 0.0
Facts = dict[str, pd.DataFrame]
Parts = dict[Any, tuple[Part, list[Restore]]]
FORMS: dict[str, Callable[..., tuple[np.ndarray, list[Restore]]]] = {}
"""Other forms of the target; the writer names those of the script."""
WEIGHTS: dict[str, Callable[..., np.ndarray]] = {}
"""Reasons for training rows to count more or less."""
TUNERS: dict[str, Callable[..., dict[str, Any]]] = {}
"""Members whose options are searched for in each fold, for each target."""


@dataclass
class Data:
    """All rows: their facts by step, targets, folds and times."""

    train: Facts
    test: Facts
    y: np.ndarray
    fold: np.ndarray
    times: pd.DataFrame
    """Day and series of the training rows."""
    test_times: pd.DataFrame
    keys: np.ndarray
    """Rows with equal keys belong together."""


@dataclass
class Member:
    """A model, what it sees of the rows, and how much it counts."""

    name: str
    fit: Callable[[Part, dict[str, Any]], list[np.ndarray]]
    options: dict[str, Any]
    steps: tuple[str, ...]
    weight: float = 1.0
    seeds: int = 1
    form: str = "plain"
    weigh: tuple[str, ...] = ()


def read_target(train: pd.DataFrame) -> np.ndarray:
    """Class numbers in the order of the labels, or a column of numbers for each target."""
    if not LABELS:
        return train[TARGETS].to_numpy(dtype="float64")
    place = {label: number for number, label in enumerate(LABELS)}
    return train[TARGETS[0]].map(place).to_numpy(dtype="int64").reshape(-1, 1)


def row_keys(train: pd.DataFrame) -> np.ndarray:
    """Rows that repeat each other have the same key."""
    plain = train.drop(columns=[ID, *TARGETS], errors="ignore")
    return pd.factorize(pd.util.hash_pandas_object(plain, index=False))[0]


def rounds(fold: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray, bool]]:
    """Rows to learn from, rows to validate on, and whether test rows are predicted as well."""
    ordered = bool(fold.min() < 0)
    for number in range(fold.max() + 1):
        outside = np.flatnonzero(fold == number)
        inside = np.flatnonzero(fold < number if ordered else fold != number)
        yield inside, outside, not ordered
    if ordered:
        # The latest rows matter most for what comes after them.
        yield np.arange(len(fold)), np.arange(0), True


def thinned(data: Data, inside: np.ndarray, most: int) -> np.ndarray:
    """No more training rows than there is time for: the latest, or some by chance."""
    if not most or len(inside) <= most:
        return inside
    if TIMES:
        order = np.argsort(data.times["day"].to_numpy()[inside], kind="stable")
        return np.sort(inside[order[-most:]])
    return np.sort(np.random.default_rng(SEED).choice(inside, most, replace=False))


def affordable_rows(rows: int, took: float, folds_left: int) -> int:
    """Training rows for each fold that is left, if with so many all would take twice the time
    limit; nought: as before. Who learns from fewer rows says less; who is ended says nothing."""
    left = START + 2.0 * TIME_LIMIT - time.monotonic()
    affordable = int(rows * max(left, 0.0) / (folds_left * took + 1e-9))
    return 0 if affordable >= rows else max(300, affordable)


def stopping_rows(data: Data, inside: np.ndarray, share: float = 0.12) -> np.ndarray:
    """Training rows that tell when to stop: the latest, or whole groups of rows by chance."""
    if TIMES:
        days = data.times["day"].to_numpy()[inside]
        latest = np.asarray(days >= np.quantile(days, 1 - share))
        # Where most rows are of one moment, the latest may be all there are.
        if 0 < latest.sum() < len(latest):
            return latest
    keys, number = np.unique(data.keys[inside], return_inverse=True)
    if len(keys) < 2:
        return some_of(len(inside), share, SEED)
    return some_of(len(keys), share, SEED)[number]


def bounded(y: np.ndarray) -> Restore:
    """Values never seen are not predicted, unless time goes on and brings them."""
    return lambda values: values if LABELS or TIMES else np.clip(values, y.min(), y.max())


def log_form(
    y: np.ndarray, fit: pd.DataFrame, others: list[pd.DataFrame]
) -> tuple[np.ndarray, list[Restore]]:
    """The logarithm is learnt; the target's least value becomes nought first."""
    del fit
    least = min(float(y.min()), 0.0)
    top = np.log1p(y.max() - least)
    return np.log1p(y - least), [
        lambda values: np.expm1(np.clip(values, 0.0, 1.1 * top)) + least for _ in others
    ]


def usual_least(y: np.ndarray) -> float:
    """A size that few values are smaller than, noughts aside."""
    sizes = np.abs(y[y != 0.0])
    return float(np.quantile(sizes, 0.05)) if len(sizes) else 1.0


def share_form(
    y: np.ndarray, fit: pd.DataFrame, others: list[pd.DataFrame]
) -> tuple[np.ndarray, list[Restore]]:
    """The logarithm of either sign is learnt, in whatever unit: equal steps are equal shares."""
    del fit
    unit = usual_least(y)
    shares = np.arcsinh(y / unit)
    low, high = shares.min(), shares.max()
    return shares, [lambda values: unit * np.sinh(np.clip(values, low, high)) for _ in others]


def root_form(
    y: np.ndarray, fit: pd.DataFrame, others: list[pd.DataFrame]
) -> tuple[np.ndarray, list[Restore]]:
    """The square root is learnt: between the target and its logarithm."""
    del fit
    least = min(float(y.min()), 0.0)
    return np.sqrt(y - least), [lambda values: np.maximum(values, 0.0) ** 2 + least for _ in others]


def repeat_weights(data: Data, inside: np.ndarray) -> np.ndarray:
    """Copies of a row count together as one. Rows that are only alike have different targets."""
    rows = pd.DataFrame({"key": data.keys[inside], "y": data.y[inside, 0]})
    groups = rows.groupby("key")["y"]
    size = groups.transform("size")
    same = groups.transform("nunique")[size > 1] == 1
    return np.asarray(1.0 / size if same.mean() > 0.95 else np.ones(len(inside)))


def class_weights(data: Data, inside: np.ndarray) -> np.ndarray:
    """Rare classes count more, by the square root of how rare they are."""
    classes = data.y[inside, 0].astype(int)
    return np.asarray(1.0 / np.sqrt(np.bincount(classes)[classes]))


def recent_weights(data: Data, inside: np.ndarray) -> np.ndarray:
    """The latest rows count twice as much as those a third of the time earlier."""
    days = data.times["day"].to_numpy()[inside]
    span = max(days.max() - days.min(), 1e-9)
    return np.asarray(0.5 ** ((days.max() - days) / (span / 3)))


def small_weights(data: Data, inside: np.ndarray) -> np.ndarray:
    """The smaller a value the more a unit of error counts, as in shares of the value."""
    y = data.y[inside, 0]
    return np.asarray(1.0 / np.maximum(np.abs(y), usual_least(y)))


def make_part(
    data: Data, member: Member, inside: np.ndarray, outside: np.ndarray, target: int, test: bool
) -> tuple[Part, list[Restore]]:
    """One fold's rows as a member sees them, and how its predictions become those of the target."""
    steps = [name for name in member.steps if name in data.train]
    rows = pd.concat([data.train[name] for name in steps], axis=1)
    others, times = [], [data.times.iloc[inside]]
    if len(outside):
        others.append(rows.iloc[outside])
        times.append(data.times.iloc[outside])
    if test:
        others.append(pd.concat([data.test[name] for name in steps], axis=1))
        times.append(data.test_times)
    y = data.y[inside, target]
    restore: list[Restore] = [bounded(y) for _ in others]
    if member.form in FORMS:
        y, restore = FORMS[member.form](y, times[0], times[1:])
    weight = np.ones(len(inside))
    for reason in member.weigh:
        weight = weight * WEIGHTS[reason](data, inside)
    part = Part(
        fit=rows.iloc[inside],
        y=y,
        others=others,
        times=times,
        steps=member.steps,
        weight=weight / weight.mean(),
        stop=stopping_rows(data, inside),
        keys=data.keys[inside],
    )
    return part, restore


def seconds_for(fits_left: int, views_left: float) -> float:
    """An equal share of the time that is left, less what columns still to be made will take; who
    needs less leaves more to those that follow.

    No more than that: the last fit may be the one that predicts the test rows.
    """
    left = START + 0.85 * TIME_LIMIT - time.monotonic() - views_left
    return max(1.0, left / max(fits_left, 1))


def with_seeds(
    member: Member, part: Part, fits_left: int, views_left: float = 0.0
) -> list[np.ndarray]:
    """A member's predictions, averaged over its seeds."""
    made = []
    for number in range(member.seeds):
        part.seed = SEED + 1000 * number
        part.deadline = time.monotonic() + seconds_for(fits_left - number, views_left)
        made.append(member.fit(part, member.options))
    return [np.mean(same, axis=0) for same in zip(*made, strict=True)]


def with_best_options(data: Data, member: Member, part: Part) -> Member:
    """The member, with options searched for in this fold if it is one of those.

    Its search is told how many there are in all, which share the time for them.
    """
    if member.name not in TUNERS:
        return member
    searches = sum(1 for _ in rounds(data.fold)) * data.y.shape[1]
    return replace(member, options=TUNERS[member.name](part, member, searches))


def sight(member: Member, target: int) -> Any:
    """Members that are equal in this see the same rows in the same way."""
    return member.steps, member.form, member.weigh, target


def make_parts(
    data: Data, members: list[Member], turn: tuple[np.ndarray, np.ndarray, bool]
) -> Parts:
    """What members see in one fold, before any of them is fitted: their clocks run for fits only,
    for a model that has no time left when its columns are made is none."""
    inside, outside, test = turn
    parts: Parts = {}
    for member in members:
        for target in range(data.y.shape[1]):
            sees = sight(member, target)
            if sees not in parts:
                parts[sees] = make_part(data, member, inside, outside, target, test)
                seen(parts[sees][0], with_fitted)
    return parts


def run_round(
    data: Data, members: list[Member], parts: Parts, fits_left: int, views_left: float
) -> list[list[np.ndarray]]:
    """Each member's predictions for the rows outside, and for the test rows if asked."""
    found: list[list[np.ndarray]] = []
    for member in members:
        columns = []
        for target in range(data.y.shape[1]):
            part, restore = parts[sight(member, target)]
            chosen = with_best_options(data, member, part)
            made = with_seeds(chosen, part, fits_left, views_left)
            fits_left -= member.seeds
            columns.append([back(values) for back, values in zip(restore, made, strict=True)])
        found.append([np.hstack(same) for same in zip(*columns, strict=True)])
    return found


def run_members(data: Data, members: list[Member]) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Out-of-fold and test predictions of every member."""
    width = len(LABELS) or data.y.shape[1]
    found = [np.full((len(data.y), width), np.nan) for _ in members]
    tests: list[list[np.ndarray]] = [[] for _ in members]
    turns = list(rounds(data.fold))
    fits = data.y.shape[1] * sum(member.seeds for member in members)
    most = MOST_ROWS
    for number, turn in enumerate(turns):
        began = time.monotonic()
        inside = thinned(data, turn[0], most)
        parts = make_parts(data, members, (inside, *turn[1:]))
        per_row = (time.monotonic() - began) / len(turn[0])
        views_left = per_row * sum(len(later[0]) for later in turns[number + 1 :])
        round_found = run_round(data, members, parts, fits * (len(turns) - number), views_left)
        for position, made in enumerate(round_found):
            if len(turn[1]):
                found[position][turn[1]] = made.pop(0)
            tests[position] += made
        took, folds_left = time.monotonic() - began, len(turns) - number - 1
        most = (folds_left and affordable_rows(len(inside), took, folds_left)) or most
    return found, [np.mean(same, axis=0) for same in tests]


def blend_mean(predictions: list[np.ndarray], weights: list[float]) -> np.ndarray:
    """Weighted mean."""
    return np.average(np.stack(predictions), axis=0, weights=weights)


def blend_geometric(predictions: list[np.ndarray], weights: list[float]) -> np.ndarray:
    """Weighted mean of logarithms: a member that is sure counts more."""
    logs = [np.log(np.clip(chances, 1e-9, 1.0)) for chances in predictions]
    mixed = np.exp(np.average(np.stack(logs), axis=0, weights=weights))
    return mixed / mixed.sum(axis=1, keepdims=True)


def blend_ranks(predictions: list[np.ndarray], weights: list[float]) -> np.ndarray:
    """Weighted mean of places in the order: members need not agree on probabilities."""
    places = [(rankdata(chances[:, 1]) - 0.5) / len(chances) for chances in predictions]
    return two_columns(np.average(np.stack(places), axis=0, weights=weights))


def submission(
    test: pd.DataFrame, values: np.ndarray, decisions: np.ndarray | None
) -> pd.DataFrame:
    """The answer as the sample wants it."""
    table = pd.DataFrame(index=range(len(values)))
    if ID:
        table[ID] = test[ID].to_numpy()
    for name, source in COPIED.items():
        table[name] = test[source].to_numpy()
    if not LABELS:
        table[ANSWERS] = values
    elif FORM == "probability":
        table[ANSWERS[0]] = values[:, 1]
    elif FORM == "wide":
        table[ANSWERS] = values
    else:
        chosen = values.argmax(axis=1) if decisions is None else decisions
        table[ANSWERS[0]] = np.array(LABELS, dtype=object)[chosen]
    return table
