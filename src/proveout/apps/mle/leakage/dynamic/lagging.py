"""Whether rows depend on each other only forward in time, as a lag or a running count does.

Rows of a file need not stand in the order of time. One row alone is changed: what was learnt from
all rows, or from a group, moves earlier rows too; a lag moves later ones only.
"""

import re
from datetime import datetime

import numpy as np
import numpy.typing as npt

from proveout.apps.mle.leakage.catalogue import looks_like_time
from proveout.apps.mle.leakage.dynamic.changing import kind_of, numbers
from proveout.apps.mle.leakage.dynamic.comparing import differing_inputs
from proveout.apps.mle.leakage.dynamic.pairs import Pair
from proveout.apps.mle.leakage.dynamic.probing import Probe, try_change
from proveout.apps.mle.leakage.dynamic.tables import Rows, Table
from proveout.apps.mle.leakage.dynamic.trial import Trial
from proveout.apps.mle.leakage.dynamic.universe import Universe

Moments = npt.NDArray[np.float64]
PLACES = (0.5, 0.3, 0.7)
"""Where in the order of time the rows lie that are changed one at a time."""


NEIGHBOURING = re.compile(r"\.(shift|diff|pct_change|rolling|expanding|ewm|cum\w+)\(")


def is_a_lag(trial: Trial, world: Universe, probe: Probe, pairs: list[Pair]) -> bool:
    """Whether what moved other rows is explained by rows that look at those before them.

    A key that is changed puts a row among other neighbours. So where the program looks at
    neighbours at all, measured numbers must move other rows, too.
    """
    if only_later_rows_moved(trial, world, probe, pairs):
        return True
    if not NEIGHBOURING.search(trial.program):
        return False
    mask = world.mask(probe.changed)
    again = try_change(trial, world, probe.base, "features", mask, _measured(world))
    if again is None:
        return True
    found = [again.evaluation_differs(pair) for pair in pairs]
    return not any(one is not None and one.any() for one in found)


def only_later_rows_moved(trial: Trial, world: Universe, probe: Probe, pairs: list[Pair]) -> bool:
    """True if some row moved others and none that was earlier."""
    when = _moments_of(world)
    if when is None:
        return False
    columns = _measured(world)
    ordered = probe.changed[np.argsort(when[probe.changed], kind="stable")]
    moved = False
    for place in PLACES:
        row = int(ordered[int(place * (len(ordered) - 1))])
        single = try_change(
            trial, world, probe.base, "features", world.mask(np.asarray([row])), columns
        )
        if single is None:
            continue
        others = np.concatenate([_moved(single, pair, row) for pair in pairs])
        if (when[others] < when[row]).any():
            return False
        moved = moved or bool(len(others))
    return moved


def _measured(world: Universe) -> list[str]:
    """Columns of measured numbers, which nobody sorts or groups by: rows must stay in place."""
    return [
        name
        for name in world.columns(timely=False)
        if all(kind_of(table, name) == "number" for table in world.tables if name in table.columns)
    ]


def _moved(single: Probe, pair: Pair, row: int) -> Rows:
    """Other rows that are asked about beside the changed one, and differ."""
    nothing: Rows = np.zeros(0, dtype=np.intp)
    if not pair.placed or pair.evaluation >= single.common or row not in pair.held:
        return nothing
    one = single.base.events[pair.evaluation]
    differs = differing_inputs(one, single.run.events[pair.evaluation])
    if differs is None or len(differs) != len(pair.held):
        return nothing
    moved: Rows = pair.held[differs & (pair.held >= 0) & (pair.held != row)]
    return moved


def _moments_of(world: Universe) -> Moments | None:
    found = [_moments_in(table) for table in world.tables]
    known = [one for one in found if one is not None]
    return np.concatenate(known) if known and len(known) == len(found) else None


def _moments_in(table: Table) -> Moments | None:
    """The first column that is a time: dates, or numbers under such a name."""
    for name in table.columns:
        cells = table.column(name)
        known = numbers(cells)
        if known is not None:
            found = known if looks_like_time(name) and not np.isnan(known).any() else None
        else:
            found = _dates([str(cell) for cell in cells])
        if found is not None and len(np.unique(found)) > 1:
            return found
    return None


def _dates(cells: list[str]) -> Moments | None:
    try:
        return np.asarray([datetime.fromisoformat(cell).timestamp() for cell in cells])
    except ValueError:
        return None
