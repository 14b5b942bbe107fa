"""Fits with their evaluations: which rows trained, which were held out, which were both."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from proveout.apps.mle.leakage.dynamic.coding import UNKNOWN
from proveout.apps.mle.leakage.dynamic.record import Record
from proveout.apps.mle.leakage.dynamic.roles import Roles
from proveout.apps.mle.leakage.dynamic.tables import Rows
from proveout.apps.mle.leakage.dynamic.universe import Universe


@dataclass(frozen=True)
class Pair:
    """A model's training and one time it was asked."""

    fit: int
    evaluation: int
    trained: Rows
    """Without repetitions, in order."""
    held: Rows
    """By position in what was evaluated; −1 where it is not known."""
    scored: bool
    inner: bool
    """Inside of a search, where scores on training rows are its own affair."""
    placed: bool = True
    """Whether it is known which position holds which row, or only which rows they are."""

    @property
    def shared(self) -> Rows:
        return np.intersect1d(self.trained, self.held_rows)

    @property
    def held_rows(self) -> Rows:
        return np.unique(self.held[self.held != UNKNOWN])

    @property
    def honest(self) -> bool:
        return not len(self.shared)


def pairs_of(base: Record, roles: Roles, world: Universe) -> list[Pair]:
    _, tellable = world.changed(np.ones(world.size, dtype=bool), [world.target], "across")
    return list(_pairs(base, roles, tellable, world.size - len(tellable)))


def _pairs(base: Record, roles: Roles, tellable: Rows, others: int) -> Iterator[Pair]:
    scored = _scored(base)
    for number, event in enumerate(base.events):
        if event.kind not in ("predict", "score") or event.of < 0:
            continue
        trained, held = roles.known(event.of), roles.known(number)
        if trained is None:
            continue
        learnt = np.unique(trained[trained != UNKNOWN])
        placed = held is not None
        if held is None:
            # All that were not trained on, if there are just as many; give or take those rows
            # whose label never changes, so that nothing tells where they are.
            held = np.setdiff1d(tellable, learnt)
            if not len(held) or not 0 <= event.rows - len(held) <= others:
                continue
        yield Pair(
            fit=event.of,
            evaluation=number,
            trained=learnt,
            held=held,
            placed=placed,
            scored=number in scored,
            inner=any(name.endswith("SearchCV") for name in event.inside),
        )


def _scored(base: Record) -> set[int]:
    """Evaluations with a label beside them: a score, or a metric of the same size later on."""
    found: set[int] = set()
    for number, event in enumerate(base.events):
        if event.kind == "score":
            found |= {number, *range(max(event.first, 0), number)}
        elif event.kind == "metric":
            found |= {at for at in range(number) if base.events[at].rows == event.rows}
    return found


ENOUGH = 4


def held_sets(pairs: list[Pair], most: int) -> list[Rows]:
    """Different groups of held-out rows: the first, the last, and between them."""
    found: dict[bytes, Rows] = {}
    honest = [pair.held_rows for pair in pairs if pair.honest and len(pair.held_rows)]
    # Few rows tell little, but where each row is left out alone there are no more.
    for held in [rows for rows in honest if len(rows) >= ENOUGH] or honest:
        found.setdefault(held.tobytes(), held)
    sets = list(found.values())
    if len(sets) <= most:
        return sets
    places = np.unique(np.linspace(0, len(sets) - 1, most).astype(int))
    return [sets[at] for at in places]
