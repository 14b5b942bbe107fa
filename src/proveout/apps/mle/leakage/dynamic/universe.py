"""The labelled rows of all tables under one numbering, and versions of the data by row."""

from dataclasses import dataclass

import numpy as np

from proveout.apps.mle.leakage.dynamic.changing import Mask, Way, changeable, changed
from proveout.apps.mle.leakage.dynamic.tables import Folder, Rows, Table, labelled


@dataclass(frozen=True)
class Universe:
    folder: Folder
    target: str
    tables: tuple[Table, ...]

    @property
    def size(self) -> int:
        return sum(len(table) for table in self.tables)

    def place(self, row: int) -> str:
        """`train.csv row 17`, counted as a person counts: the first row below the heading is 1."""
        for table in self.tables:
            if row < len(table):
                return f"{table.name} row {row + 1}"
            row -= len(table)
        return f"row {row + 1}"

    def columns(self, *, timely: bool = True) -> list[str]:
        """Features that can be changed, of all labelled tables."""
        found: dict[str, None] = {}
        for table in self.tables:
            found |= dict.fromkeys(changeable(table, without=self.target, timely=timely))
        return list(found)

    def mask(self, rows: Rows) -> Mask:
        made = np.zeros(self.size, dtype=bool)
        made[rows] = True
        return made

    def changed(self, rows: Mask, columns: list[str], way: Way) -> tuple[Folder, Rows]:
        """The folder with those rows changed, and which of them really differ."""
        tables: dict[str, Table] = {}
        differing: list[Rows] = []
        start = 0
        for table in self.tables:
            part = rows[start : start + len(table)]
            own = [name for name in columns if name in table.columns]
            made = changed(table, part, own, way, self.target)
            other = np.zeros(len(table), dtype=bool)
            for name in own:
                other |= table.column(name).astype(str) != made.column(name).astype(str)
            differing.append(np.flatnonzero(other) + start)
            tables[table.name] = made
            start += len(table)
        return self.folder.with_tables(tables), np.concatenate(differing)


def universe(folder: Folder, target: str) -> Universe:
    return Universe(folder, target, tuple(labelled(folder, target)))
