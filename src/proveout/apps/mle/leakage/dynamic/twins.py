"""Rows that are there twice, once to learn from and once to be scored: exact and near copies."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from proveout.apps.mle.leakage.dynamic.changing import kind_of, numbers
from proveout.apps.mle.leakage.dynamic.evidence import Outcome, Witness
from proveout.apps.mle.leakage.dynamic.pairs import Pair
from proveout.apps.mle.leakage.dynamic.record import Record
from proveout.apps.mle.leakage.dynamic.tables import Rows, Table
from proveout.apps.mle.leakage.dynamic.universe import Universe

CODE = "leak.repeated_rows"
LEAST_SHARE = 0.01
LEAST_ROWS = 3
BEYOND_CHANCE = 5.0
NEAR = 0.02
"""Distance to the nearest training row, relative to what is usual, below which it is a copy."""
LEAST_NUMBERS = 3
MOST_ROWS = 3_000
Grid = NDArray[np.int64]


@dataclass(frozen=True)
class Twins:
    exact: list[tuple[int, int]]
    """Held-out row and its copy among the training rows."""
    near: list[tuple[int, int]]
    by_chance: float
    """Copies to be expected if the columns had nothing to do with each other."""

    @property
    def worth_telling(self) -> bool:
        count = len(self.exact) + len(self.near)
        return count >= LEAST_ROWS and count > BEYOND_CHANCE * self.by_chance


def twins(table: Table, target: str, trained: Rows, held: Rows) -> Twins:
    """Copies across the two sides, by all columns but the target and keys."""
    names = [name for name in table.columns if name != target and not _is_key(table, name)]
    coded = _coded(table, names)
    exact = _matches(coded, trained, held)
    dice = np.random.default_rng(0)
    mixed = np.column_stack([dice.permutation(column) for column in coded.T]) if names else coded
    chance = len(_matches(mixed, trained, held)) if names else 0
    known = {row for row, _ in exact}
    rest = np.asarray([row for row in held if int(row) not in known], dtype=np.int64)
    return Twins(exact, _near(table, names, trained, rest), float(chance))


def _is_key(table: Table, name: str) -> bool:
    """A different value in every row, and no measurement."""
    unique = len(set(table.column(name).astype(str))) == len(table)
    return unique and kind_of(table, name) in ("fixed", "text")


def _coded(table: Table, names: list[str]) -> Grid:
    columns = [np.unique(table.column(name).astype(str), return_inverse=True)[1] for name in names]
    return np.column_stack(columns).astype(np.int64) if columns else np.zeros((len(table), 0), int)


def _matches(coded: Grid, trained: Rows, held: Rows) -> list[tuple[int, int]]:
    if not coded.shape[1]:
        return []
    known = {coded[row].tobytes(): int(row) for row in reversed(trained)}
    keys = ((int(row), coded[row].tobytes()) for row in held)
    return [(row, known[key]) for row, key in keys if key in known]


def _near(table: Table, names: list[str], trained: Rows, held: Rows) -> list[tuple[int, int]]:
    measured = [name for name in names if kind_of(table, name) == "number"]
    if len(measured) < LEAST_NUMBERS or not len(held) or len(trained) < 10:
        return []
    trained, held = trained[:MOST_ROWS], held[:MOST_ROWS]
    columns = [numbers(table.column(name)) for name in measured]
    plain = np.column_stack([column for column in columns if column is not None])
    spread = np.nanstd(plain, axis=0)
    scaled = np.nan_to_num((plain - np.nanmean(plain, axis=0)) / np.where(spread > 0, spread, 1))
    others = _coded(table, [name for name in names if name not in measured])
    found: list[tuple[int, int]] = []
    usual = np.median([_nearest(scaled, int(row), trained)[0] for row in trained[:200]])
    for row in held:
        distance, other = _nearest(scaled, int(row), trained)
        if distance < NEAR * usual and np.array_equal(others[row], others[other]):
            found.append((int(row), other))
    return found


def _nearest(scaled: NDArray[np.float64], row: int, among: Rows) -> tuple[float, int]:
    rest = among[among != row]
    distances = np.abs(scaled[rest] - scaled[row]).max(axis=1)
    at = int(distances.argmin())
    return float(distances[at]), int(rest[at])


def look_for_twins(world: Universe, base: Record, pairs: list[Pair], outcome: Outcome) -> None:
    """The first honest pair whose held-out rows have copies among its training rows."""
    outcome.tried.add("twins")
    if len(world.tables) != 1:
        outcome.notes.append("copies were not looked for: labels are in more than one table")
        return
    seen: set[bytes] = set()
    for pair in pairs:
        key = pair.held_rows.tobytes()
        if not pair.honest or not pair.scored or key in seen or len(seen) > 3:
            continue
        seen.add(key)
        found = twins(world.tables[0], world.target, pair.trained, pair.held_rows)
        count = len(found.exact) + len(found.near)
        if not found.worth_telling or count < LEAST_SHARE * len(pair.held_rows):
            continue
        row, other = (found.exact or found.near)[0]
        fit, asked = base.events[pair.fit], base.events[pair.evaluation]
        told = (
            f"{count} of {len(pair.held_rows)} rows scored at line {asked.line} have a copy among "
            f"the training rows ({len(found.exact)} exact, {len(found.near)} near): "
            f"{world.place(row)} is {world.place(other)} again"
        )
        outcome.witnesses.append(
            Witness("check", CODE, fit.line, told, fit_line=fit.line, score_line=asked.line,
                    rows=f"{count} rows with a copy on the other side")
        )  # fmt: skip
        return
