"""Numbers as people write them: decimal commas, thousands apart, money, per cent."""

import re
from collections.abc import Callable

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proveout.apps.mle.tables.columns import is_key_name

Way = Callable[[str], str]
"""Makes a plain number of a cell."""
MISSING = frozenset(
    ["", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN"]
    + ["<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null"]
)
"""Spellings that every reader of tables takes for a missing value."""
FIRST = 50
"""Values that are looked at before all are."""
_SIGN = "$€£¥₹"
_BEFORE, _AFTER = re.compile(rf"^([+-]?)\s*[{_SIGN}]\s*"), re.compile(rf"\s*[{_SIGN}%]$")
_PLAIN = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.IGNORECASE)
_COMMA = re.compile(r"[+-]?(\d{1,3}(\.\d{3})+|\d+)(,\d+)?(e[+-]?\d+)?", re.IGNORECASE)
_GROUPED = re.compile(r"[+-]?([1-9]\d{0,2}(,\d{3})+|\d+)(\.\d+)?")
MOST_WORDS, LEAST_NUMBERS, LEAST_SHARE = 3, 20, 0.5
"""A few words among many different numbers stand for values that are missing."""
_NO_THOUSANDS = re.compile(r",(?!\d{3}(\D|$))")
"""A comma that cannot stand between thousands."""


def ways_of(frame: pd.DataFrame, separator: str) -> dict[str, Way]:
    """How to read the numbers of those columns where they are not plain.

    A comma in a number is decimal where the file needs no comma between its columns and no other
    column has a decimal point; or where no thousands could follow it.
    """
    words = [name for name, kind in frame.dtypes.items() if pd.api.types.is_string_dtype(kind)]
    comma = separator != "," and not any(_has_points(frame[name]) for name in frame)
    found = {str(name): _way(frame[name], comma=comma) for name in words}
    return {name: way for name, way in found.items() if way is not None}


def _has_points(values: pd.Series) -> bool:
    """Plain numbers with fractions."""
    if pd.api.types.is_string_dtype(values.dtype):
        values = values[~values.isin(MISSING)].head(10 * FIRST)
    numbers = pd.to_numeric(values, errors="coerce")
    return bool((numbers.notna() | values.isna()).all() and (numbers.dropna() % 1 != 0).any())


def _way(values: pd.Series, *, comma: bool) -> Way | None:
    """None if all are plain, or not all are numbers."""
    if is_key_name(str(values.name)):
        return None
    # Tables may be wide: what is the same is looked at once.
    codes, cells = pd.factorize(values)
    stripped = np.array([str(cell).strip() for cell in cells], dtype=object)
    told = np.array([cell not in MISSING for cell in stripped], dtype=bool)
    rows = codes[codes >= 0]
    rows = rows[told[rows]]
    if len(rows) == 0:
        return None
    different = list(dict.fromkeys(stripped[told]))
    if _among(list(dict.fromkeys(stripped[rows[:FIRST]])), comma=comma) is None:
        return _gaps_as_words(different, stripped, rows)
    return _among(different, comma=comma)


def _gaps_as_words(
    different: list[str], cells: NDArray[np.object_], rows: NDArray[np.intp]
) -> Way | None:
    """`?`, `unknown`, `-` between numbers: nothing, for whoever reckons with the rest."""
    words = {cell for cell in different if not _PLAIN.fullmatch(cell)}
    if not 0 < len(words) <= MOST_WORDS or len(different) - len(words) <= LEAST_NUMBERS:
        return None
    if np.mean([cell not in words for cell in cells[rows]]) < LEAST_SHARE:
        return None
    return lambda cell: "" if cell.strip() in words else cell


def _among(different: list[str], *, comma: bool) -> Way | None:
    bare = [_bare(cell) for cell in different]
    if all(_PLAIN.fullmatch(cell) for cell in bare):
        same = all(_PLAIN.fullmatch(cell) for cell in different)
        return None if same else _bare
    if not any("," in cell for cell in bare):
        return None
    forms = [(_GROUPED, _together), (_COMMA, _pointed)]
    if comma or any(_NO_THOUSANDS.search(cell) for cell in bare):
        forms.reverse()
    return next(
        (way for form, way in forms if all(form.fullmatch(cell) for cell in bare)),
        None,
    )


def _bare(cell: str) -> str:
    """Without signs of money and per cent, and without spaces between thousands."""
    inside = _AFTER.sub("", _BEFORE.sub(r"\1", cell.strip()))
    return inside.replace("\u00a0", "").replace("\u202f", "")


def _together(cell: str) -> str:
    return _bare(cell).replace(",", "")


def _pointed(cell: str) -> str:
    return _bare(cell).replace(".", "").replace(",", ".")


def respelled(values: pd.Series, way: Way) -> pd.Series:
    """Every number plain; what is missing, or no number, as it was."""

    def plain(cell: object) -> object:
        if not isinstance(cell, str) or cell.strip() in MISSING:
            return cell
        made = way(cell)
        return made if not made or _PLAIN.fullmatch(made) else cell

    known = {cell: plain(cell) for cell in values.unique()}
    return values.map(lambda cell: known.get(cell, cell))
