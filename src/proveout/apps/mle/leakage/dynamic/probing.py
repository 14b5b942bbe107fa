"""Changes held-out rows and looks whether training, or other held-out rows, notice.

Nothing that a model is trained on may depend on rows it is scored on. Features of an evaluated row
may depend on earlier rows, never on later ones and never on its own label.
"""

from dataclasses import dataclass, replace

import numpy as np

from proveout.apps.mle.leakage import catalogue
from proveout.apps.mle.leakage.dynamic.comparing import (
    Mask,
    aligned,
    differing_inputs,
    differing_rows,
    first_difference,
)
from proveout.apps.mle.leakage.dynamic.evidence import Channel, Outcome, Witness
from proveout.apps.mle.leakage.dynamic.pairs import Pair
from proveout.apps.mle.leakage.dynamic.record import Event, Record
from proveout.apps.mle.leakage.dynamic.tables import Rows
from proveout.apps.mle.leakage.dynamic.trial import Trial
from proveout.apps.mle.leakage.dynamic.universe import Universe

SUMMARY_ROWS = 64
"""A statistic with more values than this has one for every row."""
SUMMARIES = ("describe", "value_counts", "corr")
MOST_COLUMNS = 8
"""Tried one by one where changing all at once moves rows across the split."""


@dataclass(frozen=True)
class Probe:
    """One changed version of the data, and what the program saw of it."""

    channel: Channel
    base: Record
    run: Record
    changed: Rows
    """The rows that differ."""

    @property
    def common(self) -> int:
        return aligned(self.base, self.run)

    def fit_differs(self, number: int) -> Mask | None:
        """Rows of the training matrix that changed; None if other rows were trained on."""
        if number >= self.common:
            return None
        one, two = self.base.events[number], self.run.events[number]
        target = differing_rows(one.y, two.y)
        if target is None or target.any():
            return None
        return differing_inputs(one, two)

    def evaluation_differs(self, pair: Pair) -> Mask | None:
        """Evaluated rows that changed though only later rows were touched."""
        if pair.evaluation >= self.common or not pair.placed:
            return None
        one, two = self.base.events[pair.evaluation], self.run.events[pair.evaluation]
        found = differing_inputs(one, two)
        labels = differing_rows(one.y, two.y)
        moved = self.channel == "features" and labels is not None and labels.any()
        if found is None or len(found) != len(pair.held) or moved:
            return None
        first = int(self.changed.min())
        if self.channel != "labels":
            return np.asarray(found & (pair.held >= 0) & (pair.held < first))
        if self._own(pair, found):
            return found
        return np.asarray(found & (pair.held >= 0) & (pair.held <= first))

    def _own(self, pair: Pair, found: Mask) -> bool:
        """Only rows whose own label was changed differ; a neighbour's would show elsewhere too."""
        return bool(found.any() and np.isin(pair.held[found], self.changed).all())


def probe_pairs(
    trial: Trial, world: Universe, base: Record, pairs: list[Pair], held: Rows
) -> list[Probe]:
    """The same held-out rows with other features, then with other labels."""
    touched = held[len(held) // 4 :]
    mask = world.mask(touched)
    concerned = [pair for pair in pairs if not np.intersect1d(pair.trained, touched).size]
    found: list[Probe] = []
    columns = world.columns()
    quiet = world.columns(timely=False)
    for tried in (columns, quiet) if quiet != columns else (columns,):
        probe = try_change(trial, world, base, "features", mask, tried)
        if probe is not None and _readable(probe, concerned):
            found.append(probe)
            break
    else:
        for name in quiet[:MOST_COLUMNS]:
            probe = try_change(trial, world, base, "features", mask, [name])
            if probe is not None and _readable(probe, concerned):
                found.append(probe)
    # With gaps between them, so that a row's own label and its neighbour's can be told apart.
    gapped = world.mask(touched[np.arange(len(touched)) % 3 > 0] if len(touched) > 2 else touched)
    probe = try_change(trial, world, base, "labels", gapped, [world.target])
    if probe is not None and _readable(probe, concerned):
        found.append(probe)
    return found


def try_change(
    trial: Trial,
    world: Universe,
    base: Record,
    channel: Channel,
    mask: Mask,
    columns: list[str],
) -> Probe | None:
    if not columns:
        return None
    data, differing = world.changed(mask, columns, "away")
    if not len(differing):
        return None
    run = trial.run(data)
    return None if run.failure else Probe(channel, base, run, differing)


def _readable(probe: Probe, pairs: list[Pair]) -> bool:
    """The same rows were trained on as before, for at least one pair."""
    return any(probe.fit_differs(pair.fit) is not None for pair in pairs)


def judge_probe(probe: Probe, pairs: list[Pair], world: Universe, outcome: Outcome) -> None:
    """Add what the probe proves, or that it was silent."""
    concerned = [
        pair
        for pair in pairs
        if pair.honest and not np.intersect1d(pair.trained, probe.changed).size
    ]
    felt = probe.channel != "features" or any(_felt(probe, pair) for pair in concerned)
    first_legal = _first_training_on(probe, pairs)
    for pair in concerned:
        witness = _training_depends(probe, pair, world, first_legal)
        witness = witness or _evaluation_depends(probe, pair, world, first_legal)
        if witness is not None:
            outcome.witnesses.append(replace(witness, sure=felt))
            outcome.tried.add(probe.channel)
            return
    if felt:
        outcome.tried.add(probe.channel)
    outcome.cancelled |= any(_cancelled(probe, pair) for pair in concerned)
    limit = min(first_legal, probe.common)
    outcome.saw |= frozenset(probe.base.events[at].line for at in looked_in_vain(probe, limit))


def _felt(probe: Probe, pair: Pair) -> bool:
    """Most of the changed rows differ where the model is asked about them: the change got through,
    and it hit the rows that were meant. Labels of tomorrow would show as rows of tomorrow."""
    if pair.evaluation >= probe.common:
        return False
    one, two = probe.base.events[pair.evaluation], probe.run.events[pair.evaluation]
    differs = differing_inputs(one, two)
    if differs is None:
        return False
    if not pair.placed:
        meant = np.intersect1d(pair.held, probe.changed).size
        return bool(meant and differs.sum() >= meant / 2)
    own = np.isin(pair.held, probe.changed)
    return bool(own.any() and differs[own].mean() >= 0.5)


def _cancelled(probe: Probe, pair: Pair) -> bool:
    """A step on as many rows as the model is trained on, just before it, noticed; the model not.

    A second scaling, for example, takes back what the first has done.
    """
    for number in range(pair.fit - 1, -1, -1):
        event = probe.base.events[number]
        if event.kind in ("fit", "predict", "score", "metric") or number >= probe.common:
            return False
        if event.kind == "learn" and event.rows == probe.base.events[pair.fit].rows:
            differs = differing_inputs(event, probe.run.events[number])
            if differs is not None and differs.any():
                return True
    return False


def _first_training_on(probe: Probe, pairs: list[Pair]) -> int:
    """The first fit that may see the changed rows: in its fold they are training rows."""
    legal = [pair.fit for pair in pairs if np.intersect1d(pair.trained, probe.changed).size]
    return min(legal, default=len(probe.base.events))


def saw_changes(probe: Probe, limit: int) -> list[int]:
    """Fits of transformers and statistics up to there that noticed."""
    found = []
    for number in range(min(limit, probe.common)):
        one, two = probe.base.events[number], probe.run.events[number]
        if one.kind not in ("learn", "statistic", "resample"):
            continue
        changed = differing_inputs(one, two)
        if _resized(one, two) or (changed is not None and _beyond(one, changed, probe)):
            found.append(number)
    return found


def _beyond(event: Event, changed: Mask, probe: Probe) -> bool:
    """More than the changed rows themselves: `apply` gives every row its own value, too."""
    by_row = event.kind == "statistic" and len(changed) > SUMMARY_ROWS
    return int(changed.sum()) > (len(probe.changed) if by_row else 0)


def looked_in_vain(probe: Probe, limit: int) -> list[int]:
    """Fits and statistics whose rows changed, and whose result was not seen to."""
    found = []
    for number in range(min(limit, probe.common)):
        one, two = probe.base.events[number], probe.run.events[number]
        if one.kind == "statistic":
            given, made = differing_rows(one.y, two.y), differing_rows(one.x, two.x)
        elif one.kind == "learn":
            given, made = differing_inputs(one, two), differing_rows(one.out, two.out)
        else:
            continue
        resized = one.out is not None and two.out is not None and len(one.out) != len(two.out)
        moved = resized or (made is not None and bool(made.any()))
        if given is not None and given.any() and not moved and not _resized(one, two):
            found.append(number)
    return found


def _resized(one: Event, two: Event) -> bool:
    return one.x is not None and two.x is not None and len(one.x) != len(two.x)


def _training_depends(
    probe: Probe, pair: Pair, world: Universe, first_legal: int
) -> Witness | None:
    differs = probe.fit_differs(pair.fit)
    if differs is None or not differs.any():
        return None
    one, two = probe.base.events[pair.fit], probe.run.events[pair.fit]
    row = int(np.flatnonzero(differs)[0])
    told = (
        f"changing the {_what(probe)} of {len(probe.changed)} held-out rows "
        f"({world.place(int(probe.changed[0]))}, …) changed {int(differs.sum())} of "
        f"{len(differs)} rows that {one.name} is trained on at line {one.line} "
        f"({first_difference(one, two, row)})"
    )
    partial = differs.mean() < 0.5
    later = _all_later(probe, pair, differs)
    return _witness(probe, pair, told, min(first_legal, pair.fit), partial=partial, later=later)


def computed_out_of_fold(trial: Trial, world: Universe, probe: Probe, pairs: list[Pair]) -> bool:
    """Whether labels reach other rows only: with one label changed, its own row keeps its features.

    Values that were computed by other folds than those that score are like that. It is told, and is
    no proof.
    """
    row = probe.changed[len(probe.changed) // 2]
    mask = world.mask(np.asarray([row]))
    single = try_change(trial, world, probe.base, "labels", mask, [world.target])
    if single is None:
        return False
    kept = False
    for pair in pairs:
        places = np.flatnonzero(pair.held == row)
        if not len(places) or not pair.placed or pair.evaluation >= single.common:
            continue
        one, two = probe.base.events[pair.evaluation], single.run.events[pair.evaluation]
        differs = differing_inputs(one, two)
        if differs is None or differs[places].any():
            return False
        kept = True
    return kept


def _all_later(probe: Probe, pair: Pair, differs: Mask) -> bool:
    rows = pair.trained
    if len(rows) != len(differs):
        return False
    return bool(rows[differs].min() > probe.changed.min())


def _evaluation_depends(
    probe: Probe, pair: Pair, world: Universe, first_legal: int
) -> Witness | None:
    differs = probe.evaluation_differs(pair)
    if differs is None or not differs.any():
        return None
    one = probe.base.events[pair.evaluation]
    two = probe.run.events[pair.evaluation]
    row = int(np.flatnonzero(differs)[0])
    own = probe.channel == "labels" and bool(np.isin(pair.held[differs], probe.changed).all())
    fit = probe.base.events[pair.fit]
    if own:
        told = (
            f"changing only the label of {world.place(int(pair.held[row]))} changed its own "
            f"features where {fit.name} is asked at line {one.line} "
            f"({first_difference(one, two, row)})"
        )
        return Witness(
            "labels", "leak.target_as_feature", fit.line, told,
            fit_line=fit.line, score_line=one.line, rows=f"{len(pair.held)} scored rows",
        )  # fmt: skip
    told = (
        f"changing the {_what(probe)} of {len(probe.changed)} held-out rows "
        f"({world.place(int(probe.changed[0]))}, …) changed {int(differs.sum())} other rows that "
        f"{fit.name} is asked about at line {one.line} ({first_difference(one, two, row)})"
    )
    return _witness(probe, pair, told, min(first_legal, pair.evaluation), evaluated=True)


def _what(probe: Probe) -> str:
    return "labels" if probe.channel == "labels" else "features"


def _witness(
    probe: Probe,
    pair: Pair,
    told: str,
    limit: int,
    *,
    evaluated: bool = False,
    partial: bool = False,
    later: bool = False,
) -> Witness:
    events = probe.base.events
    noticed = saw_changes(probe, limit)
    source = _source([events[at] for at in noticed])
    code = _code(probe, source, evaluated=evaluated, partial=partial, later=later)
    fit, asked = events[pair.fit], events[pair.evaluation]
    if source is not None:
        told = f"`{source.name}` at line {source.line} saw them: {told}"
    return Witness(
        channel=probe.channel,
        code=code,
        line=source.line if source is not None else fit.line,
        told=told,
        seen=frozenset(events[at].line for at in noticed),
        fit_line=fit.line,
        score_line=asked.line,
        rows=f"{len(probe.changed)} of {len(pair.held_rows)} held-out rows",
    )


def _source(noticed: list[Event]) -> Event | None:
    """What most likely carried it on: a fit, else the latest statistic that is no summary, else an
    encoder, which learns which values exist and rarely more."""
    encoders = [event for event in noticed if catalogue.meaning(event.name) == "encoder"]
    fits = [
        event
        for event in noticed
        if event.kind != "statistic" and not any(event is it for it in encoders)
    ]
    if fits:
        return fits[0]
    statistics = [event for event in noticed if event.kind == "statistic"]
    plain = [event for event in statistics if event.name not in SUMMARIES]
    left = plain or statistics or encoders[::-1]
    return left[-1] if left else None


def _code(
    probe: Probe, source: Event | None, *, evaluated: bool, partial: bool, later: bool
) -> str:
    meaning = catalogue.meaning(source.name) if source and source.kind == "learn" else ""
    if evaluated:
        return "leak.fit_on_test"
    if meaning == "selector":
        return "leak.selection_on_all_rows"
    if source is None and partial:
        return "leak.shuffled_time_or_groups" if later else "leak.future_value"
    if source is not None and source.kind == "resample":
        return "leak.resample_before_split"
    if source is not None and source.kind == "learn" and source.y is None:
        return "leak.fit_before_split"
    if probe.channel == "labels" or meaning == "target_encoder":
        return "leak.target_statistic_outside_fold"
    if source is not None and source.kind == "learn":
        return "leak.fit_before_split"
    return "leak.statistic_before_split"
