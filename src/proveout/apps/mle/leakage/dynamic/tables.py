"""The data folder as text tables whose cells can be changed, and copies of it for a run."""

import csv
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proveout.kernel.errors import UsageError

SUFFIXES = (".csv", ".tsv", ".txt", ".data", ".parquet")
DELIMITERS = ",;\t|"
NUMBER = re.compile(r"[-+]?\d*\.?\d+([eE][-+]?\d+)?")
MOST_BYTES = 500_000_000
MOST_ROWS = 200_000
Rows = NDArray[np.int64]


@dataclass(frozen=True)
class Table:
    """One file; every cell is kept as the text that stood there."""

    name: str
    """Path below the data folder."""
    cells: pd.DataFrame
    delimiter: str = ","
    parquet: bool = False
    headed: bool = True
    """Whether the first line holds names."""

    @property
    def columns(self) -> list[str]:
        return [str(name) for name in self.cells.columns]

    def __len__(self) -> int:
        return len(self.cells)

    def column(self, name: str) -> NDArray[np.object_]:
        return np.asarray(self.cells[name].to_numpy(dtype=object))

    def with_columns(self, changed: Mapping[str, NDArray[np.object_]]) -> "Table":
        cells = self.cells.copy()
        for name, values in changed.items():
            cells[name] = values
        return replace(self, cells=cells)

    def write(self, place: Path) -> None:
        place.parent.mkdir(parents=True, exist_ok=True)
        if self.parquet:
            self.cells.to_parquet(place, index=False)
        else:
            self.cells.to_csv(place, index=False, sep=self.delimiter, header=self.headed)


@dataclass(frozen=True)
class Folder:
    """All files of a data folder: tables that can be changed, and others that are only copied."""

    root: Path
    tables: tuple[Table, ...]
    others: tuple[str, ...]

    @property
    def files(self) -> list[str]:
        return [*(table.name for table in self.tables), *self.others]

    def with_tables(self, changed: Mapping[str, Table]) -> "Folder":
        kept = tuple(changed.get(table.name, table) for table in self.tables)
        return replace(self, tables=kept)

    def table(self, name: str) -> Table:
        return next(table for table in self.tables if table.name == name)

    def copy_to(self, place: Path) -> None:
        for table in self.tables:
            table.write(place / table.name)
        for name in self.others:
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(self.root / name, place / name)


def read_folder(root: Path) -> Folder:
    """What lies in the folder; links that lead out of it are not followed."""
    if not root.is_dir():
        message = f"there is no folder {root}"
        raise UsageError(message, hint="give --data the folder that holds the script's tables")
    files = [path for path in sorted(root.rglob("*")) if path.is_file() and not path.is_symlink()]
    size = sum(path.stat().st_size for path in files)
    if size > MOST_BYTES:
        message = f"{root} holds {size:,} bytes, more than {MOST_BYTES:,}"
        raise UsageError(message, hint="give --data a folder with a part of the rows")
    tables, others = [], []
    for path in files:
        name = path.relative_to(root).as_posix()
        table = _read(path, name) if path.suffix.lower() in SUFFIXES else None
        if table is None:
            others.append(name)
        else:
            tables.append(table)
    return Folder(root, tuple(tables), tuple(others))


def _read(path: Path, name: str) -> Table | None:
    try:
        if path.suffix.lower() == ".parquet":
            return Table(name, pd.read_parquet(path).iloc[:MOST_ROWS], parquet=True)
        delimiter, headed = _shape(path)
        cells = pd.read_csv(
            path,
            dtype=str,
            keep_default_na=False,
            sep=delimiter,
            nrows=MOST_ROWS,
            header=0 if headed else None,
        )
    except (ValueError, OSError, pd.errors.ParserError, ImportError):
        return None
    cells.columns = [str(name) for name in cells.columns]
    return Table(name, cells.astype(object), delimiter, headed=headed) if len(cells) else None


def _shape(path: Path) -> tuple[str, bool]:
    """What separates cells, and whether the first line is no numbers."""
    with path.open(encoding="utf-8", errors="strict", newline="") as file:
        head = file.read(20_000)
    try:
        mark = csv.Sniffer().sniff(head, delimiters=DELIMITERS).delimiter
    except csv.Error:
        mark = "\t" if path.suffix == ".tsv" else ","
    first = head.split("\n", 1)[0].split(mark)
    return mark, not all(NUMBER.fullmatch(cell.strip()) for cell in first)


def sampled(folder: Folder, rows: int) -> Folder:
    """Long tables by evenly spaced rows, in their order; tables of one length stay aligned."""
    return replace(folder, tables=tuple(_spaced(table, rows) for table in folder.tables))


def _spaced(table: Table, rows: int) -> Table:
    if len(table) <= rows:
        return table
    kept = np.linspace(0, len(table) - 1, rows).astype(int)
    return replace(table, cells=table.cells.iloc[kept].reset_index(drop=True))


def labelled(folder: Folder, target: str) -> list[Table]:
    """Tables that hold the target."""
    return [table for table in folder.tables if target in table.columns]


def unlabelled(folder: Folder, target: str) -> Iterator[Table]:
    """Tables of the same kind without the target: rows that are to be predicted."""
    for main in labelled(folder, target):
        wanted = set(main.columns) - {target}
        for table in folder.tables:
            shared = wanted & set(table.columns)
            if target not in table.columns and 2 * len(shared) > len(wanted):
                yield table
        return
