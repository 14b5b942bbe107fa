"""One program, its data, a sandbox: what running it proves."""

from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from proveout.apps.mle.leakage.dynamic import giving_away, shuffling, twins
from proveout.apps.mle.leakage.dynamic.bundled import with_bundled
from proveout.apps.mle.leakage.dynamic.comparing import same_runs
from proveout.apps.mle.leakage.dynamic.evidence import Outcome, Witness
from proveout.apps.mle.leakage.dynamic.lagging import is_a_lag
from proveout.apps.mle.leakage.dynamic.overlapping import judge_overlap
from proveout.apps.mle.leakage.dynamic.pairs import Pair, held_sets, pairs_of
from proveout.apps.mle.leakage.dynamic.probing import (
    Probe,
    computed_out_of_fold,
    judge_probe,
    probe_pairs,
)
from proveout.apps.mle.leakage.dynamic.record import Record
from proveout.apps.mle.leakage.dynamic.roles import find_roles, target_of
from proveout.apps.mle.leakage.dynamic.tables import Folder, sampled
from proveout.apps.mle.leakage.dynamic.test_rows import probe_test_tables
from proveout.apps.mle.leakage.dynamic.trial import Spent, Trial
from proveout.apps.mle.leakage.dynamic.universe import Universe, universe
from proveout.kernel.ports import Sandbox, ScriptLimits

ProbeName = Literal["dependence", "labels", "oracle", "twins"]
PROBES: tuple[ProbeName, ...] = ("dependence", "labels", "oracle", "twins")
MOST_SETS = 3


@dataclass(frozen=True)
class Means:
    """What proving may use."""

    sandbox: Sandbox
    seconds: float = 300.0
    """For all runs of one program."""
    rows: int = 400
    """Longer tables are thinned out; a program that fails then gets all rows."""
    most_runs: int = 80
    target: str = ""
    """The column to be predicted, where the program does not show it."""
    probes: tuple[ProbeName, ...] = PROBES
    limits: ScriptLimits = field(
        default_factory=lambda: ScriptLimits(seconds=60.0, memory_bytes=2 * 2**30)
    )


def prove(program: str, folder: Folder, means: Means) -> Outcome:
    """Run, change, run again. Whatever goes wrong, the result says so and claims nothing."""
    trial = Trial(
        program, means.sandbox, means.limits, most_runs=means.most_runs, seconds=means.seconds
    )
    outcome = Outcome()
    try:
        _prove(trial, folder, means, outcome)
    except Spent:
        outcome.undecided(f"the time or the number of runs was used up after {trial.runs} runs")
    outcome.runs, outcome.seconds = trial.runs, trial.spent
    return outcome


def _prove(trial: Trial, folder: Folder, means: Means, outcome: Outcome) -> None:
    folder = with_bundled(folder, trial.program)
    if not folder.tables:
        outcome.undecided("the data folder holds no table that can be read")
        return
    data, base = _first_run(trial, folder, means.rows)
    if base.failure:
        outcome.undecided(f"the program did not run to its end: {base.failure.splitlines()[0]}")
        return
    trial.splits = base.splits
    if not same_runs(base, trial.run(data)):
        outcome.undecided("two runs on the same data differ: the program is not deterministic")
        return
    outcome.fits = sum(event.kind == "fit" for event in base.events)
    outcome.evaluations = sum(event.kind in ("predict", "score") for event in base.events)
    if not base.read:
        outcome.undecided("the program read no table of the data folder")
    elif not outcome.fits:
        outcome.undecided("no training by a library that is watched was seen")
    elif not outcome.evaluations:
        outcome.undecided("no evaluation was seen")
    else:
        _with_target(trial, data, base, means, outcome)


def _first_run(trial: Trial, folder: Folder, rows: int) -> tuple[Folder, Record]:
    """On a part of the rows where there are many; on all of them if that is too little."""
    part = sampled(folder, rows)
    record = trial.run(part)
    whole = all(len(one) == len(two) for one, two in zip(part.tables, folder.tables, strict=True))
    if record.failure and not whole:
        return folder, trial.run(folder)
    return part, record


def _with_target(trial: Trial, data: Folder, base: Record, means: Means, outcome: Outcome) -> None:
    columns = {name for table in data.tables for name in table.columns}
    if means.target and means.target not in columns:
        outcome.undecided(f"there is no column {means.target!r} in the data")
        return
    outcome.target = means.target or target_of(trial, data, base)
    if not outcome.target:
        outcome.undecided("no column of the data was recognised as the target")
        return
    world = universe(data, outcome.target)
    roles = find_roles(trial, world, base)
    pairs = pairs_of(base, roles, world)
    if "dependence" in means.probes:
        _dependence(trial, world, base, pairs, outcome)
    if pairs:
        _data_checks(trial, world, base, pairs, means, outcome)
    if base.full:
        outcome.notes.append("the program does more than was noted: later steps were not judged")


def _dependence(
    trial: Trial, world: Universe, base: Record, pairs: list[Pair], outcome: Outcome
) -> None:
    probe_test_tables(trial, world, base, outcome)
    if not pairs:
        if "test rows" not in outcome.tried:
            outcome.undecided("it could not be told which rows were trained on and scored")
        return
    judge_overlap(base, pairs, world, outcome)
    sets = held_sets(pairs, MOST_SETS)
    outcome.held_out = len(np.unique(np.concatenate(sets))) if sets else 0
    for held in sets:
        for probe in probe_pairs(trial, world, base, pairs, held):
            known = len(outcome.witnesses)
            judge_probe(probe, pairs, world, outcome)
            found, outcome.witnesses[known:] = outcome.witnesses[known:], []
            weighed = (_weighed(trial, world, probe, pairs, witness) for witness in found)
            outcome.witnesses += filter(None, weighed)
    if not sets and not outcome.witnesses:
        outcome.undecided("no rows were seen to be held out")


def _weighed(
    trial: Trial, world: Universe, probe: Probe, pairs: list[Pair], witness: Witness
) -> Witness | None:
    """Labels that reach other rows only are no proof of a target statistic; lags show nothing."""
    if witness.code == "leak.fit_on_test" and probe.channel == "features":
        return None if is_a_lag(trial, world, probe, pairs) else witness
    if witness.code != "leak.target_statistic_outside_fold" or probe.channel != "labels":
        return witness
    if not computed_out_of_fold(trial, world, probe, pairs):
        return witness
    told = f"{witness.told}; a row's own label did not change its own features"
    return replace(witness, told=told, sure=False)


def _data_checks(
    trial: Trial, world: Universe, base: Record, pairs: list[Pair], means: Means, outcome: Outcome
) -> None:
    if "twins" in means.probes:
        twins.look_for_twins(world, base, pairs, outcome)
    if "oracle" in means.probes:
        giving_away.look_for_oracles(trial, world, base, outcome)
    if "labels" in means.probes:
        shuffling.permute_labels(trial, world, base, pairs, outcome)
