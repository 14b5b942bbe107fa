"""Who saw which rows: the rows of the data files behind every fit and every evaluation."""

import zlib
from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from proveout.apps.mle.leakage.dynamic.changing import numbers
from proveout.apps.mle.leakage.dynamic.coding import UNKNOWN, Bits, codes, decoded
from proveout.apps.mle.leakage.dynamic.comparing import aligned, differing_rows
from proveout.apps.mle.leakage.dynamic.record import Event, Matrix, Record
from proveout.apps.mle.leakage.dynamic.tables import Folder, Rows, unlabelled
from proveout.apps.mle.leakage.dynamic.trial import Trial
from proveout.apps.mle.leakage.dynamic.universe import Universe, universe

ENOUGH = 0.8
"""Share of positions that must be told before the rows of an event count as known."""
MOST_CANDIDATES = 5


def candidates(base: Record, folder: Folder) -> list[str]:
    """Columns that may be the target, the likeliest first: by name, by values, by their number."""
    fits = [event for event in base.events if event.kind == "fit" and event.y is not None]
    columns = [name for table in folder.tables for name in reversed(table.columns)]
    named = Counter(event.label for event in fits if event.label in columns)
    found = [name for name, _ in named.most_common(2)]
    for event in fits[:1]:
        assert event.y is not None
        cells = {name: table.column(name) for table in folder.tables for name in table.columns}
        found += [name for name in columns if _holds(cells[name], event.y)]
        count = len(np.unique(event.y[:, 0]))
        many = count > len(event.y) / 4
        found += [
            name
            for name in columns
            if _as_many(len(set(cells[name].astype(str))), count, many=many)
        ]
    return list(dict.fromkeys(found))[:MOST_CANDIDATES]


def target_of(trial: Trial, folder: Folder, base: Record) -> str:
    """The column whose change moves what models are trained to predict; empty if none does."""
    for name in candidates(base, folder):
        world = universe(folder, name)
        changed, _ = world.changed(np.ones(world.size, dtype=bool), [name], "across")
        named = any(event.kind == "fit" and event.label == name for event in base.events)
        if moves_target(base, trial.run(changed), more_than=0.0 if named else 0.5):
            return name
    return ""


def moves_target(base: Record, run: Record, *, more_than: float = 0.5) -> bool:
    """Whether that share of what the first fit is to predict differs, or other rows are."""
    for number in range(aligned(base, run)):
        if base.events[number].kind == "fit":
            moved = differing_rows(base.events[number].y, run.events[number].y)
            return moved is None or bool(moved.mean() > more_than)
    return False


def _as_many(have: int, wanted: int, *, many: bool) -> bool:
    return have >= wanted if many else have in (wanted, wanted + 1)


def _holds(cells: np.ndarray[tuple[int, ...], np.dtype[np.object_]], y: Matrix) -> bool:
    """Every value of a target is one of the column's, as often at most."""
    plain = numbers(cells)
    if plain is None:
        plain = np.asarray([float(zlib.crc32(str(cell).encode())) for cell in cells])
    have, want = Counter(np.round(plain, 9)), Counter(np.round(y[:, 0], 9))
    if len(want) < 2 or (len(want) > 2 and len(have) > 4 * len(want)):
        return False
    return y.shape[1] == 1 and all(have[value] >= count for value, count in want.items())


@dataclass
class Roles:
    """Rows by the number of the event; unknown positions are −1."""

    rows: dict[int, Rows] = field(default_factory=dict)

    def known(self, number: int) -> Rows | None:
        """The rows behind an event, if (nearly) all are known."""
        found = self.rows.get(number)
        if found is None or not len(found) or np.mean(found != UNKNOWN) < ENOUGH:
            return None
        return found


def find_roles(trial: Trial, world: Universe, base: Record) -> Roles:
    """By labels first; by features where labels do not tell."""
    roles = Roles()
    _decode(trial, world, base, roles, columns=[world.target])
    _link(base, roles)
    asked_apart = {len(table) for table in unlabelled(world.folder, world.target)}
    if any(roles.known(number) is None for number in _needed(base, asked_apart)):
        columns = world.columns(timely=False)
        if columns:
            _decode(trial, world, base, roles, columns=columns)
            _link(base, roles)
    return roles


def _needed(base: Record, asked_apart: set[int]) -> list[int]:
    """Fits that are evaluated, and their evaluations; but for tables that are only predicted."""
    found: list[int] = []
    for number, event in enumerate(base.events):
        if event.kind in ("predict", "score") and event.of >= 0 and not event.inside:
            apart = event.kind == "predict" and event.rows in asked_apart
            found += [event.of] if apart else [event.of, number]
    return found


def _decode(
    trial: Trial, world: Universe, base: Record, roles: Roles, *, columns: list[str]
) -> None:
    book = codes(world.size)
    runs: list[Record] = []
    for bit in range(book.shape[1]):
        data, _ = world.changed(book[:, bit], columns, "across")
        runs.append(trial.run(data))
    by_label = columns == [world.target]
    common = min(aligned(base, run) for run in runs)
    for number, event in enumerate(base.events[:common]):
        if roles.known(number) is not None or event.kind in ("split", "statistic", "resample"):
            continue
        side = "y" if by_label else "x"
        matrix = event.y if by_label else event.x
        found = None if matrix is None else _told(matrix, runs, number, side, book)
        if found is not None and _more(found, roles.rows.get(number)):
            roles.rows[number] = found


def _more(found: Rows, before: Rows | None) -> bool:
    return before is None or int(np.sum(found != UNKNOWN)) > int(np.sum(before != UNKNOWN))


def _told(matrix: Matrix, runs: list[Record], number: int, side: str, book: Bits) -> Rows | None:
    """The rows by the column that tells most; None if none does."""
    best: Rows | None = None
    others = [getattr(run.events[number], side) for run in runs]
    if any(other is None or other.shape != matrix.shape for other in others):
        return None
    for column in range(matrix.shape[1]):
        part = matrix[:, column : column + 1]
        found = [differing_rows(part, other[:, column : column + 1]) for other in others]
        pattern = np.column_stack([one for one in found if one is not None])
        rows = decoded(pattern, book)
        if best is None or np.sum(rows != UNKNOWN) > np.sum(best != UNKNOWN):
            best = rows
        if np.all(best != UNKNOWN):
            break
    return best


def _link(base: Record, roles: Roles) -> None:
    """Give predictions the rows of the score, the metric or the split that they belong to."""
    for number, event in enumerate(base.events):
        rows = roles.known(number)
        if rows is None or event.kind not in ("score", "metric"):
            continue
        if event.kind == "score":
            linked = [at for at in range(max(event.first, 0), number) if _asks(base.events[at])]
        else:
            linked = _answered(base, number)
        for at in linked:
            if base.events[at].rows == len(rows) and roles.known(at) is None:
                roles.rows[at] = rows
    _link_by_splits(base, roles)


def _asks(event: Event) -> bool:
    return event.kind in ("predict", "score")


def _answered(base: Record, metric: int) -> list[int]:
    """Predictions that a metric was computed from: the same numbers, or the latest of that size."""
    wanted = base.events[metric]
    earlier = [
        at
        for at in range(metric - 1, -1, -1)
        if _asks(base.events[at]) and base.events[at].rows == wanted.rows
    ]
    equal = [at for at in earlier if _same_numbers(base.events[at].out, wanted.out)]
    return equal or earlier[:1]


def _same_numbers(out: Matrix | None, given: Matrix | None) -> bool:
    if out is None or given is None or len(out) != len(given):
        return False
    return any(np.allclose(out[:, one], given[:, 0], equal_nan=True) for one in range(out.shape[1]))


def _link_by_splits(base: Record, roles: Roles) -> None:
    """A fit on one side of a split tells which rows the divided positions are."""
    maps: dict[int, Rows] = {}
    for tellings in (True, False):
        current: Event | None = None
        for number, event in enumerate(base.events):
            if event.split is not None:
                current = event
            elif current is not None and current.split is not None:
                split, count, train, test = current.split
                known = maps.setdefault(split, np.full(count, UNKNOWN, dtype=np.int64))
                rows = roles.known(number)
                if tellings and event.kind == "fit" and rows is not None:
                    if len(rows) == len(train):
                        known[train] = rows
                elif not tellings and _asks(event) and rows is None and event.rows == len(test):
                    found = _side(known, test)
                    if found is not None:
                        roles.rows[number] = found


def _side(known: Rows, test: Rows) -> Rows | None:
    told = known != UNKNOWN
    if np.all(told[test]):
        return known[test]
    plain = np.arange(len(known))
    if told.any() and np.array_equal(known[told], plain[told]):
        return test
    return None
