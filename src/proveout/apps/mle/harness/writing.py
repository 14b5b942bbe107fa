"""Rows as they stand in a file: spelled out once, written wherever they are needed."""

import csv
from collections.abc import Iterable
from pathlib import Path

import pandas as pd


class Lines:
    """A table as lines of text, the same bytes everywhere."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self.header = _spelled([frame.columns])[0]
        columns = [_cells(values) for _, values in frame.items()]
        self.rows = _spelled(zip(*columns, strict=True))
        if any("\r" in line for line in self.rows):
            # Bare, it would be read back as the end of a row.
            columns = [[_without_returns(cell) for cell in cells] for cells in columns]
            self.rows = _spelled(zip(*columns, strict=True))

    def write(self, path: Path, rows: Iterable[str] | None = None) -> None:
        """All rows, or these instead."""
        with path.open("w", encoding="utf-8", newline="") as stream:
            stream.write(self.header)
            stream.writelines(self.rows if rows is None else rows)


def write_csv(frame: pd.DataFrame, path: Path) -> None:
    Lines(frame).write(path)


class _Kept(list[str]):
    """A stream that keeps its lines apart: a writer of tables writes a row at a time."""

    write = list.append


def _spelled(rows: Iterable[Iterable[object]]) -> list[str]:
    kept = _Kept()
    csv.writer(kept, lineterminator="\n").writerows(rows)
    return kept


def _cells(values: pd.Series) -> list[object]:
    """Nothing where a value is missing."""
    plain = values.astype("object")
    cells: list[object] = (plain.where(values.notna(), "") if values.hasnans else plain).tolist()
    return cells


def _without_returns(cell: object) -> object:
    return cell.replace("\r\n", "\n").replace("\r", "\n") if isinstance(cell, str) else cell
