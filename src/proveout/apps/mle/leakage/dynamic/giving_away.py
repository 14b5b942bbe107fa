"""Single-feature oracle: a column that alone predicts the target is a copy of it, or its cause."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from proveout.apps.mle.intake.oracle import TOO_GOOD, Known, gives_away
from proveout.apps.mle.leakage.dynamic.changing import Mask, kind_of, kind_of_target, numbers
from proveout.apps.mle.leakage.dynamic.comparing import aligned, differing_inputs
from proveout.apps.mle.leakage.dynamic.evidence import Outcome, Witness
from proveout.apps.mle.leakage.dynamic.record import Record
from proveout.apps.mle.leakage.dynamic.tables import Table
from proveout.apps.mle.leakage.dynamic.trial import Trial
from proveout.apps.mle.leakage.dynamic.universe import Universe

CODE = "leak.single_feature_oracle"
LEAST_ROWS = 40
MOST_COLUMNS = 200
MOST_TRIED = 3
SINGLE_ROWS = (0.5, 0.2, 0.8)
NEARLY_ALL = 0.95


def oracles(table: Table, target: str) -> list[tuple[str, float]]:
    """Columns that explain nearly all of the target on rows they were not tried on, best first."""
    if len(table) < LEAST_ROWS or target not in table.columns:
        return []
    known = Known.of(_typed(table, target), classes=kind_of_target(table, target) == "choice")
    found = [
        (name, gives_away(_typed(table, name), known))
        for name in table.columns[:MOST_COLUMNS]
        if name != target and kind_of(table, name) in ("number", "choice")
    ]
    return sorted((one for one in found if one[1] >= TOO_GOOD), key=lambda one: -one[1])


def _typed(table: Table, name: str) -> "pd.Series[float]":
    cells = table.column(name)
    plain = numbers(cells)
    return pd.Series(cells if plain is None else plain)


def look_for_oracles(trial: Trial, world: Universe, base: Record, outcome: Outcome) -> None:
    """Each oracle is told; it counts if a model is trained with it."""
    outcome.tried.add("oracle")
    for table in world.tables[:1]:
        for name, share in oracles(table, world.target)[:MOST_TRIED]:
            line = _reaches(trial, world, base, name)
            where = f"{table.name}: the column {name!r} alone explains {share:.1%} of "
            told = f"{where}{world.target!r} on rows it was not fitted to"
            told += (
                f", and a model is trained with it at line {line}"
                if line
                else ("; no model was seen to be trained with it")
            )
            first = next(event.line for event in base.events if event.kind == "fit")
            outcome.witnesses.append(
                Witness("check", CODE, line or first, told, rows="all rows", sure=bool(line))
            )


def _reaches(trial: Trial, world: Universe, base: Record, name: str) -> int:
    """The line of the first fit whose features change with the column; 0 if none does."""
    whole = _moved_by(trial, world, base, name, np.ones(world.size, dtype=bool))
    if whole is None:
        return 0
    for place in SINGLE_ROWS:
        row = int(place * world.size)
        alone = _moved_by(trial, world, base, name, world.mask(np.asarray([row])))
        if alone is not None:
            # One row: its own feature. All rows: scaled with it. Some: a key to other rows.
            return whole.line if alone.rows == 1 or alone.share > NEARLY_ALL else 0
    return 0


class _Moved(NamedTuple):
    """Rows of a fit whose features differ."""

    line: int
    rows: int
    share: float


def _moved_by(trial: Trial, world: Universe, base: Record, name: str, rows: Mask) -> _Moved | None:
    data, _ = world.changed(rows, [name], "across")
    run = trial.run(data)
    for number in range(aligned(base, run)):
        if base.events[number].kind == "fit":
            changed = differing_inputs(base.events[number], run.events[number])
            if changed is not None and changed.any():
                return _Moved(base.events[number].line, int(changed.sum()), float(changed.mean()))
    return None
