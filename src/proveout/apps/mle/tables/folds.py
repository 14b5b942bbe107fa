"""Which rows are validated when: folds and a hidden hold-out that mimic how test rows were taken.

Rows that belong together (a group, copies of one row) are never on both sides. Where test rows come
later, validated rows come later than those trained on, by as much. Everything follows from the
seed.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proveout.apps.mle.problem import Problem, Scheme
from proveout.apps.mle.tables.keys import group_keys, later_groups, time_keys
from proveout.apps.mle.tables.repeats import copies
from proveout.kernel.types import Finding

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

HELD_OUT = -2
NEVER = -1
"""The oldest rows of time folds: trained on, never validated."""
FEWEST_FOR_HOLDOUT = 300
MOST_HELD_OUT = 20_000
LARGE, FOLDS_IF_LARGE = 300_000, 3
TINY_CELLS, FOLDS_IF_TINY = 50_000, 10
"""Where a script takes a second or two, twice as many folds learn from more rows and leave less to
luck. Cells count once for each class or target that is learnt."""
FEWEST_IN_FOLD = 10
"""Rows of a class, for that; where numbers are predicted, three times as many: the score of a fold
must mean something."""
COMMON_SHARE = 0.95
"""Of the rows, in classes that every fold shall have."""
MANY_GROUPS = 20_000
"""From here on groups are dealt out at once instead of one by one."""
OLDEST_SHARE = 0.3
"""At least so much of the time is left for the first training: models that had to learn from much
less than the final one will have say little about it."""
LARGEST_WINDOW = 0.25
"""At most so much of the time is one window, however long the test period is."""
MOST_LATEST = 0.3
"""At most so many of the rows are hidden as the latest ones: a little more than the largest window
holds where rows are even in time."""
STRAY_SHARE, STRAY_REACH = 0.01, 2.0
"""So few rows do not say when time begins, if without them it were so many times shorter: a date
that was mistyped, or stands for none, is no history."""
OVERFULL = 1.5
"""How much larger than wanted the hidden part may be, where whole groups are hidden."""


@dataclass(frozen=True)
class Folds:
    """A fold for every labelled row, in the order of the training file."""

    scheme: Scheme
    count: int
    search: Ints
    """While looking for a solution: 0…count-1, `NEVER`, or `HELD_OUT`."""
    full: Ints
    """For the final run: as before, nothing held out."""
    full_count: int
    groups: Ints
    """A number per row, the same for rows that are never on both sides."""
    findings: tuple[Finding, ...] = ()

    @property
    def holdout(self) -> NDArray[np.bool_]:
        return np.asarray(self.search == HELD_OUT)


def choose(
    problem: Problem,
    train: pd.DataFrame,
    test: pd.DataFrame,
    seed: int = 0,
    holdout: float = 0.15,
    folds: int = 5,
) -> Folds:
    """The scheme that the data ask for; `train` are labelled rows only."""
    rows = len(train)
    findings: list[Finding] = []
    share = _holdout_share(rows, holdout, findings)
    count = min(folds, FOLDS_IF_LARGE) if rows > LARGE else folds
    when = time_keys(problem, train)
    if when is not None and np.isfinite(when).any() and np.ptp(when[np.isfinite(when)]) > 0:
        spans = when, time_keys(problem, test)
        return _by_time(problem, spans, _strata(problem, train), (share, count), findings)
    groups, scheme, order = _groups(problem, train, test, findings)
    strata = _strata(problem, train)
    if _is_tiny(problem, strata):
        count = max(count, FOLDS_IF_TINY)
    rng = np.random.default_rng([seed, rows])
    search = np.zeros(rows, dtype=np.int64)
    count = _feasible(count, groups, strata, problem, findings)

    def dealt(some: Ints, count: int, rng: np.random.Generator) -> Ints:
        parts = _stretches(order[some], count)
        classes = strata[some] if problem.kind != "regression" else np.zeros_like(some)
        if parts is not None and _none_is_alone(classes, parts):
            return parts
        return _spread(groups[some], strata[some], count, rng)

    if share > 0:
        parts = dealt(np.arange(rows), max(2, round(1 / share)), rng)
        hidden = parts == _hidden_part(parts, share)
        search[hidden & ~_needed(hidden, groups, strata, problem)] = HELD_OUT
    left = np.flatnonzero(search != HELD_OUT)
    # Where there are few groups, those hidden are missing as folds.
    used = min(count, len(np.unique(groups[left])))
    search[left] = dealt(left, used, rng)
    full = dealt(np.arange(rows), count, np.random.default_rng([seed, rows, 1]))
    return Folds(scheme, used, search, full, count, groups, tuple(findings))


def _is_tiny(problem: Problem, strata: Ints) -> bool:
    """Quick to learn from, but not so small that a tenth of it says nothing."""
    rows, learnt = len(strata), max(len(problem.labels) - 1, len(problem.targets))
    rarest = rows // 3 if problem.kind == "regression" else int(np.bincount(strata).min())
    enough = rarest >= FEWEST_IN_FOLD * FOLDS_IF_TINY
    return enough and rows * len(problem.features) * learnt < TINY_CELLS


def _hidden_part(parts: Ints, share: float) -> int:
    """The first; or if a huge group went there, the one whose size is nearest to what is wanted."""
    sizes, wanted = np.bincount(parts), share * len(parts)
    if sizes[0] <= OVERFULL * wanted:
        return 0
    filled = np.flatnonzero(sizes)
    return int(filled[np.abs(sizes[filled] - wanted).argmin()])


def _needed(
    hidden: NDArray[np.bool_], groups: Ints, strata: Ints, problem: Problem
) -> NDArray[np.bool_]:
    """Groups of classes that would have fewer than two groups left to learn from; all of them if
    no two groups were left at all."""
    if problem.kind == "regression":
        return np.full(len(hidden), len(np.unique(groups[~hidden])) < 2)
    pairs = np.unique(np.column_stack([strata, groups])[~hidden], axis=0)
    left = np.bincount(pairs[:, 0], minlength=int(strata.max()) + 1)
    return np.asarray(np.isin(groups, groups[(left < 2)[strata]]))


def _holdout_share(rows: int, wanted: float, findings: list[Finding]) -> float:
    if wanted <= 0:
        return 0.0
    if rows < FEWEST_FOR_HOLDOUT:
        message = f"{rows} rows are too few to hide some of them from the search"
        findings.append(Finding(code="mle.folds.no_holdout", message=message, severity="info"))
        return 0.0
    return min(wanted, 0.5, MOST_HELD_OUT / rows)


def _groups(
    problem: Problem, train: pd.DataFrame, test: pd.DataFrame, findings: list[Finding]
) -> tuple[Ints, Scheme, Floats]:
    """A number per row, the same for rows that must stay together; and the place of their group, if
    the test has only later ones (else all places are the same)."""
    scheme: Scheme = "shuffled" if problem.kind == "regression" else "stratified"
    found: list[Ints] = []
    order = np.zeros(len(train))
    keys, others = group_keys(problem, train), group_keys(problem, test)
    if keys is not None:
        found.append(np.asarray(pd.factorize(keys)[0], dtype=np.int64))
        scheme = "grouped"
        message = f"folds keep rows of one {problem.groups!r} together ({keys.nunique()} groups)"
        places = later_groups(keys, others) if others is not None else None
        if places is not None:
            order = places
            message += " and follow their order: the test has only later ones"
        findings.append(Finding(code="mle.folds.grouped", message=message, severity="info"))
    same = copies(problem, train, test)
    if same is not None:
        found.append(same.keys)
        scheme = "grouped"
        order = np.zeros(len(train))
        findings.append(Finding(code="mle.folds.repeats", message=same.message, severity="warning"))
    return united(found, len(train)), scheme, order


def united(keys: list[Ints], rows: int) -> Ints:
    """A number per row: whoever shares any of the keys belongs together."""
    if len(keys) <= 1:
        return keys[0] if keys else np.arange(rows)
    from scipy.sparse import coo_matrix, csgraph

    # Rows and keys are the two sides of a graph; what hangs together is one group.
    shifts = np.cumsum([rows, *(int(it.max()) + 1 for it in keys)])
    ends = np.concatenate([it + shift for it, shift in zip(keys, shifts, strict=False)])
    begins = np.tile(np.arange(rows), len(keys))
    size = int(shifts[-1])
    graph = coo_matrix((np.ones(len(ends)), (begins, ends)), shape=(size, size))
    return np.asarray(csgraph.connected_components(graph, directed=False)[1][:rows], dtype=np.int64)


def _strata(problem: Problem, train: pd.DataFrame) -> Ints:
    """Classes, or tenths of the (first) target's range of ranks, so that folds are alike."""
    values = train[problem.targets[0]]
    if problem.kind != "regression":
        return np.asarray(pd.factorize(values.astype(str), sort=True)[0], dtype=np.int64)
    ranks = pd.to_numeric(values, errors="coerce").rank(method="first").to_numpy()
    tenths = (10 * (ranks - 1) / max(1, len(ranks))).astype(np.int64)
    return np.asarray(np.minimum(9, tenths), dtype=np.int64)


def _feasible(
    count: int, groups: Ints, strata: Ints, problem: Problem, findings: list[Finding]
) -> int:
    """No more folds than groups, or than groups of a common class (two at least)."""
    most = len(np.unique(groups))
    if problem.kind != "regression":
        pairs = np.unique(np.column_stack([strata, groups]), axis=0)
        most = min(most, int(np.bincount(pairs[:, 0])[_common(strata)].min()))
    chosen = max(2, min(count, most))
    if chosen < count:
        message = f"{chosen} folds: there are no more rows of some class, or groups"
        findings.append(Finding(code="mle.folds.fewer", message=message, severity="info"))
    return chosen


def _common(strata: Ints) -> Ints:
    """Classes that make nearly all rows, two at least: what is hardly ever asked for may be missing
    where scripts are validated, and costs the others no fold."""
    sizes = np.bincount(strata)
    largest = np.argsort(-sizes, kind="stable")
    before = np.cumsum(sizes[largest]) - sizes[largest]
    return largest[(before < COMMON_SHARE * len(strata)) | (np.arange(len(sizes)) < 2)]


def _stretches(order: Floats, count: int) -> Ints | None:
    """Where groups have an order, one stretch of it after the other, the latest first: what is
    close in it is often alike, and the test is not close. None if there are not so many."""
    ranks = pd.Series(-order).rank(method="max", pct=True).to_numpy()
    parts = np.asarray(np.ceil(ranks * count - 1e-9) - 1, dtype=np.int64)
    return parts if len(np.unique(parts)) == count else None


def _none_is_alone(classes: Ints, parts: Ints) -> bool:
    """Whether every class is in two parts, to be learnt from one when the other is validated."""
    pairs = np.unique(np.column_stack([classes, parts]), axis=0)
    return bool(np.bincount(pairs[:, 0]).min() >= 2)


def _spread(groups: Ints, strata: Ints, count: int, rng: np.random.Generator) -> Ints:
    """Whole groups to parts of equal size and equal mix; large groups first, then by chance."""
    names, place, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    kinds = int(strata.max(initial=0)) + 1
    if len(names) == len(groups):
        return _spread_rows(strata, count, rng)
    mix = np.zeros((len(names), kinds))
    np.add.at(mix, (place, strata), 1.0)
    order = rng.permutation(len(names))
    if len(names) > MANY_GROUPS:
        # Many small groups: dealt out like cards, those of one size and kind in turn.
        dealt = order[np.lexsort((-sizes[order], mix.argmax(axis=1)[order]))]
        part = np.zeros(len(names), dtype=np.int64)
        part[dealt] = np.arange(len(names)) % count
        return np.asarray(part[place])
    wanted = np.maximum(mix.sum(axis=0), 1.0) / count
    filled = np.zeros((count, kinds))
    taken = np.zeros(count)
    part = np.zeros(len(names), dtype=np.int64)
    for at in order[np.argsort(-sizes[order], kind="stable")]:
        own = mix[at] > 0
        # Fill of the strata that this group adds to, relative to their share; then of rows.
        fill = (filled[:, own] / wanted[own]).mean(axis=1) + taken / len(groups)
        part[at] = chosen = int(fill.argmin())
        filled[chosen] += mix[at]
        taken[chosen] += sizes[at]
    return part[place]


def _spread_rows(strata: Ints, count: int, rng: np.random.Generator) -> Ints:
    part = np.zeros(len(strata), dtype=np.int64)
    order = rng.permutation(len(strata))
    # Rows of a stratum are dealt out like cards, and the next stratum goes on where it ended.
    dealt = order[np.argsort(strata[order], kind="stable")]
    part[dealt] = np.arange(len(strata)) % count
    return part


def _by_time(
    problem: Problem,
    spans: tuple[Floats, Floats | None],
    strata: Ints,
    wanted: tuple[float, int],
    findings: list[Finding],
) -> Folds:
    (when, later), (share, count) = spans, wanted
    known = np.isfinite(when)
    begin = _beginning(when[known])
    # Rows without a time are trained on, never validated; and so are those from long before all.
    filled = np.where(known, np.maximum(when, begin), begin)
    window = _window(filled, later, findings)
    search = np.full(len(filled), NEVER, dtype=np.int64)
    if share > 0:
        search[_latest(filled, window)] = HELD_OUT
    left = search != HELD_OUT
    classes = strata if problem.kind != "regression" else np.zeros_like(strata)
    search[left] = _with_all_classes(_windows(filled[left], window, count), classes[left])
    full = _with_all_classes(_windows(filled, window, count), classes)
    used, full_used = int(search.max()) + 1, int(full.max()) + 1
    dated = any(it.name == problem.time and it.kind == "date" for it in problem.columns)
    unit = "days" if dated else f"as {problem.time!r} counts"
    length = f"{float(f'{window:.3g}'):,g} ({unit})"
    folds = "1 fold" if used == 1 else f"{used} folds, each"
    message = (
        f"test rows are later by {problem.time!r}: {folds} a stretch of {length} after what is "
        "learnt from; the hold-out is the last stretch before the test"
    )
    findings.insert(0, Finding(code="mle.folds.time", message=message, severity="info"))
    return Folds("time", used, search, full, full_used, np.arange(len(filled)), tuple(findings))


def _beginning(when: Floats) -> float:
    """The earliest time, or where the others begin if very few rows are far older than those."""
    first, end = float(when.min()), float(when.max())
    place = int(STRAY_SHARE * len(when))
    usual = float(np.partition(when, place)[place])
    stray = usual < end and end - first > STRAY_REACH * (end - usual)
    return usual if stray else first


def _latest(when: Floats, window: float) -> NDArray[np.bool_]:
    """Rows of the last window; fewer if these were most of all, but never a part of a moment."""
    moments, sizes = np.unique(when, return_counts=True)
    since = np.cumsum(sizes[::-1])[::-1]
    few = moments[since <= MOST_LATEST * len(when)]
    begin = float(few[0]) if len(few) else float(moments[-1])
    return np.asarray((when > moments[-1] - window) & (when >= begin))


def _window(when: Floats, later: Floats | None, findings: list[Finding]) -> float:
    """As long as the test period, if training has room for three such windows and a beginning."""
    reach = float(when.max() - when.min())
    finite = later[np.isfinite(later)] if later is not None else np.zeros(0)
    # From the last known row to the end of the test: what a forecast has to span.
    horizon = float(finite.max() - finite.min()) if len(finite) else 0.0
    steps = np.diff(np.unique(when))
    step = float(np.median(steps)) if len(steps) else 0.0
    horizon = max(horizon + step, reach / 50)
    # No part of a step: rows come once a year, say, and a stretch of half a year holds none.
    largest = max(LARGEST_WINDOW * reach, step)
    if horizon > largest:
        message = f"the test spans {horizon:g}, training {reach:g}: windows are shorter than that"
        findings.append(Finding(code="mle.folds.short_windows", message=message, severity="info"))
        return largest
    return horizon


def _windows(when: Floats, window: float, count: int) -> Ints:
    """Windows of one length up to the last row; the newest has the highest number."""
    end, begin = float(when.max()), float(when.min())
    room = (1 - OLDEST_SHARE) * (end - begin)
    used = max(1, min(count, int(room / window + 1e-9))) if window > 0 else 1
    ahead = np.floor((end - when) / window).astype(np.int64) if window > 0 else np.zeros(len(when))
    fold = np.where(ahead < used, used - 1 - ahead, NEVER).astype(np.int64)
    sizes = np.bincount(fold[fold >= 0], minlength=used)
    typical = len(when) * window / max(end - begin, window)
    if sizes.min() < max(5, 0.2 * typical) or (fold == NEVER).sum() < 5:
        return _equal_windows(when, used)
    return fold


def _with_all_classes(fold: Ints, classes: Ints) -> Ints:
    """The first windows are given up while the rows before them lack a class of later ones."""
    wanted = len(np.unique(classes))
    while fold.max() > 0 and len(np.unique(classes[fold == NEVER])) < wanted:
        fold = np.maximum(fold - 1, NEVER)
    return fold


def _equal_windows(when: Floats, count: int) -> Ints:
    """Where rows are uneven in time: windows with the same number of rows, cut between times."""
    ranks = pd.Series(when).rank(method="max", pct=True).to_numpy()
    used = max(1, min(count, len(np.unique(when)) - 1))
    fold = np.ceil((ranks - OLDEST_SHARE) / (1 - OLDEST_SHARE) * used - 1e-9).astype(np.int64) - 1
    found = np.unique(fold[fold >= 0])
    return np.where(fold < 0, NEVER, np.searchsorted(found, fold)).astype(np.int64)
