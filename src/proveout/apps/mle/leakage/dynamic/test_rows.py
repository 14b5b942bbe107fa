"""Rows of a table without the target: they are predicted, so nothing may be learnt from them."""

import numpy as np

from proveout.apps.mle.leakage.dynamic.changing import changeable, changed
from proveout.apps.mle.leakage.dynamic.comparing import differing_inputs, first_difference
from proveout.apps.mle.leakage.dynamic.evidence import Outcome, Witness
from proveout.apps.mle.leakage.dynamic.probing import Probe, looked_in_vain, saw_changes
from proveout.apps.mle.leakage.dynamic.record import Record
from proveout.apps.mle.leakage.dynamic.tables import Table, unlabelled
from proveout.apps.mle.leakage.dynamic.trial import Trial
from proveout.apps.mle.leakage.dynamic.universe import Universe

LEAST_ROWS = 4


def probe_test_tables(trial: Trial, world: Universe, base: Record, outcome: Outcome) -> None:
    """Change most rows of each such table that was read; training must not notice."""
    for table in unlabelled(world.folder, world.target):
        if table.name not in base.read or len(table) < LEAST_ROWS:
            continue
        rows = np.arange(len(table) // 4, len(table))
        mask = np.zeros(len(table), dtype=bool)
        mask[rows] = True
        columns = changeable(table, without=world.target, timely=False)
        if not columns:
            continue
        made = changed(table, mask, columns, "away")
        run = trial.run(world.folder.with_tables({table.name: made}))
        if run.failure:
            continue
        probe = Probe("test rows", base, run, rows)
        outcome.tried.add("test rows")
        witness = _training(probe, table) or _predicted(probe, table)
        if witness is not None:
            outcome.witnesses.append(witness)
            continue
        vain = looked_in_vain(probe, probe.common)
        outcome.saw |= frozenset(base.events[at].line for at in vain)


def _training(probe: Probe, table: Table) -> Witness | None:
    for number, event in enumerate(probe.base.events):
        differs = probe.fit_differs(number) if event.kind == "fit" else None
        if differs is None or not differs.any():
            continue
        other = probe.run.events[number]
        value = first_difference(event, other, int(np.flatnonzero(differs)[0]))
        told = (
            f"changing {len(probe.changed)} rows of {table.name} changed {int(differs.sum())} of "
            f"{len(differs)} rows that {event.name} is trained on at line {event.line} ({value})"
        )
        return _witness(probe, number, "leak.train_test_concat", told)
    return None


def _predicted(probe: Probe, table: Table) -> Witness | None:
    for number, event in enumerate(probe.base.events[: probe.common]):
        if event.kind != "predict" or event.rows != len(table) or event.of < 0:
            continue
        trained = probe.fit_differs(event.of)
        differs = differing_inputs(event, probe.run.events[number])
        if differs is None or trained is None or trained.any():
            continue
        early = differs[: int(probe.changed.min())]
        if early.any():
            value = first_difference(event, probe.run.events[number], int(np.argmax(early)))
            told = (
                f"changing {len(probe.changed)} rows of {table.name} changed {int(early.sum())} "
                f"other rows of it that a model is asked about at line {event.line} ({value})"
            )
            return _witness(probe, number, "leak.fit_on_test", told)
    return None


def _witness(probe: Probe, number: int, code: str, told: str) -> Witness:
    events = probe.base.events
    noticed = saw_changes(probe, number)
    line = events[noticed[0]].line if noticed else events[number].line
    return Witness(
        "test rows", code, line, told,
        seen=frozenset(events[at].line for at in noticed),
        fit_line=events[number].line,
        rows=f"{len(probe.changed)} rows of the test table",
    )  # fmt: skip
