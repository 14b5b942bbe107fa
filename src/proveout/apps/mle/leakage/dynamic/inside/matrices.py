"""Whatever an estimator is handed, as a narrow table of numbers that can be compared."""

import zlib
from typing import Any

DIRECT, MIXED = 16, 8
"""Columns kept as they are, and mixtures that stand for all the others."""
MOST_CELLS = 20_000_000


def as_matrix(value: Any) -> tuple[Any, int] | None:
    """Rows by at most 24 columns, and the width it had; None if it is no table."""
    import numpy as np

    if value is None or isinstance(value, (str, bytes, dict)):
        return None
    made = _sparse(value, np) if hasattr(value, "tocsr") else _dense(value, np)
    if made is None or made.ndim != 2 or not len(made):
        return None
    return made, _width(value)


def _width(value: Any) -> int:
    shape = getattr(value, "shape", None)
    if not shape or len(shape) < 2:
        return 1
    width = 1
    for size in shape[1:]:
        width *= int(size)
    return width


def _sparse(value: Any, np: Any) -> Any:
    rows = value.tocsr()
    if rows.shape[1] <= DIRECT:
        return np.asarray(rows.toarray(), dtype=np.float64)
    return np.asarray(rows @ _mixer(rows.shape[1], np), dtype=np.float64)


def _dense(value: Any, np: Any) -> Any:
    columns = getattr(value, "columns", None)
    if columns is not None and hasattr(value, "iloc"):
        parts = [_numbers(value.iloc[:, at].to_numpy(), np) for at in range(len(columns))]
        return _narrow(np.column_stack(parts), np) if parts else None
    if hasattr(value, "to_numpy"):
        value = value.to_numpy()
    try:
        plain = np.asarray(value)
    except (ValueError, TypeError):
        return None
    if plain.ndim == 0 or plain.size > MOST_CELLS:
        return None
    flat = _numbers(plain.reshape(len(plain), -1), np) if plain.size else None
    return None if flat is None else _narrow(flat, np)


def _numbers(values: Any, np: Any) -> Any:
    """Floats; anything else becomes a number that stands for its text."""
    kind = getattr(values.dtype, "kind", "O")
    if kind in "biuf":
        return np.asarray(values, dtype=np.float64)
    if kind in "mM":
        return values.astype("int64").astype(np.float64)
    texts = np.asarray(values, dtype=object)
    made = [_number(cell) for cell in texts.ravel().tolist()]
    return np.asarray(made, dtype=np.float64).reshape(texts.shape)


def _number(cell: Any) -> float:
    if cell is None or cell != cell:
        return float("nan")
    if isinstance(cell, (bool, int, float)):
        return float(cell)
    return float(zlib.crc32(str(cell).encode("utf-8", "replace")))


def _narrow(matrix: Any, np: Any) -> Any:
    if matrix.shape[1] <= DIRECT + MIXED:
        return matrix
    rest = np.nan_to_num(matrix[:, DIRECT:], nan=-12345.0)
    return np.hstack([matrix[:, :DIRECT], rest @ _mixer(rest.shape[1], np)])


def _mixer(width: int, np: Any) -> Any:
    """The same for every run, without touching a random stream."""
    return np.sin(np.outer(np.arange(1, width + 1), np.arange(1, MIXED + 1)) + 1.0)
