"""Changes cells so that whatever looks at them must notice, and the table stays plausible.

Types, missing cells and the set of values of a category stay as they are; the first row that holds
a category keeps it. So an encoder that only learns which values exist is not disturbed.
"""

import re
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proveout.apps.mle.leakage.catalogue import looks_like_time
from proveout.apps.mle.leakage.dynamic.tables import Table

Cells = NDArray[np.object_]
Mask = NDArray[np.bool_]
Kind = Literal["number", "choice", "text", "fixed"]
Way = Literal["across", "away"]
"""Each cell to the other side of the median, or all of them to the same far end."""
FEW = 12
WORDS = 4
WHOLE = re.compile(r"-?\d+")
GOLDEN = 0.6180339887


def kind_of(table: Table, name: str) -> Kind:
    """What a column holds. Dates, keys and constants are never changed."""
    cells = table.column(name)
    filled = [str(cell) for cell in cells if _is_filled(cell)]
    values = set(filled)
    if len(values) < 2:
        return "fixed"
    if numbers(cells) is not None:
        if len(values) <= FEW:
            return "choice"
        return "fixed" if _is_key(table, name, filled) else "number"
    if _are_dates(filled):
        return "fixed"
    words = sum(len(text.split()) for text in filled) / len(filled)
    return "text" if words >= WORDS or 2 * len(values) > len(filled) else "choice"


def _is_filled(cell: object) -> bool:
    return cell is not None and cell == cell and str(cell).strip() != ""


def _is_key(table: Table, name: str, filled: list[str]) -> bool:
    whole = all(WHOLE.fullmatch(text) for text in filled)
    unique = len(set(filled)) == len(table)
    named = name.lower() in ("id", "index") or name.lower().endswith(("_id", "id"))
    return whole and ((unique and _rises(filled)) or named)


def _rises(filled: list[str]) -> bool:
    plain = [int(text) for text in filled]
    return plain == sorted(plain)


def _are_dates(filled: list[str]) -> bool:
    part = filled[:: max(1, len(filled) // 100)]
    if not all(any(sign.isdigit() for sign in text) for text in part):
        return False
    read = pd.to_datetime(pd.Series(part), errors="coerce", format="mixed")
    return bool(read.notna().mean() > 0.9)


def numbers(cells: Cells) -> NDArray[np.float64] | None:
    """The column as numbers, missing ones as NaN; None if a cell is something else."""
    try:
        return np.asarray(
            [float(str(cell)) if _is_filled(cell) else np.nan for cell in cells], dtype=np.float64
        )
    except ValueError:
        return None


def changeable(table: Table, *, without: str, timely: bool) -> list[str]:
    """Columns beside the target that can be changed; those named after time only if asked."""
    return [
        name
        for name in table.columns
        if name != without
        and (timely or not looks_like_time(name))
        and kind_of(table, name) != "fixed"
    ]


def kind_of_target(table: Table, name: str) -> Kind:
    """A target is changed whatever it looks like."""
    cells = table.column(name)
    many = len({str(cell) for cell in cells}) > FEW
    return "number" if many and numbers(cells) is not None else "choice"


def changed(table: Table, rows: Mask, columns: list[str], way: Way, target: str = "") -> Table:
    """The table with those cells moved."""
    made: dict[str, Cells] = {}
    for name in columns:
        cells = table.column(name).copy()
        kind = kind_of_target(table, name) if name == target else kind_of(table, name)
        if kind == "number":
            _move_numbers(cells, rows, way)
        elif kind == "text":
            _move_texts(cells, rows, way)
        elif kind == "choice":
            _move_choices(cells, rows, way)
        made[name] = cells
    return table.with_columns(made)


def _move_numbers(cells: Cells, rows: Mask, way: Way) -> None:
    plain = numbers(cells)
    assert plain is not None
    low, middle, high = (float(v) for v in np.nanquantile(plain, (0.0, 0.5, 1.0)))
    span = high - low
    whole = all(WHOLE.fullmatch(str(cell)) for cell in cells if _is_filled(cell))
    for at in np.flatnonzero(rows & ~np.isnan(plain)):
        part = (at * GOLDEN) % 1.0
        if way == "away" or plain[at] <= middle:
            value = high + span * (0.25 + 0.5 * part) + 1
        else:
            value = low + 0.02 * span * part
        cells[at] = _written(cells[at], value, whole=whole)


def _written(cell: object, value: float, *, whole: bool) -> object:
    """As the old cell was written: text stays text, whole numbers whole."""
    rounded: float | int = round(value) if whole else round(value, 6)
    return str(rounded) if isinstance(cell, str) else type(cell)(rounded)  # type: ignore[call-arg]


def _first_places(cells: Cells) -> dict[str, int]:
    places: dict[str, int] = {}
    for at, cell in enumerate(cells):
        if _is_filled(cell):
            places.setdefault(str(cell), at)
    return places


def _move_choices(cells: Cells, rows: Mask, way: Way) -> None:
    first = _first_places(cells)
    kept = {at: cells[at] for at in first.values()}
    by_count = pd.Series([str(cell) for cell in cells if _is_filled(cell)]).value_counts()
    names = [str(name) for name in by_count.index]
    values = {str(cell): cell for cell in cells if _is_filled(cell)}
    if len(names) < 2:
        return
    aim = names[1]
    for at in np.flatnonzero(rows).tolist():
        text = str(cells[at])
        if at in kept or text not in values:
            continue
        place = names.index(text)
        goal = aim if way == "away" and text != aim else names[(place + 1) % len(names)]
        cells[at] = values[goal]


def _move_texts(cells: Cells, rows: Mask, way: Way) -> None:
    chosen = [at for at in np.flatnonzero(rows).tolist() if _is_filled(cells[at])]
    if not chosen:
        return
    if way == "away":
        common = cells[chosen[0]]
        for at in chosen:
            cells[at] = common
        return
    filled = [at for at in range(len(cells)) if _is_filled(cells[at])]
    moved = {at: cells[filled[(place + 1) % len(filled)]] for place, at in enumerate(filled)}
    for at in chosen:
        cells[at] = moved[at]
