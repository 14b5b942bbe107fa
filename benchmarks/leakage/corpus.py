"""Reads a labelled corpus where it lies: scripts and notebooks by name, tables of labels beside.

Two kinds of tables are understood, wherever they lie below the folder:

* `labels.csv` with the columns `file`, `overlap`, `preprocessing`, `multi_test` (1, 0, or empty
  for "not labelled") speaks about whole files;
* tables with the columns `File`, `pair`, `overlap GT`, `preproc GT` speak about one training and
  one evaluation each, which they name by number of call. That is the form of the public corpus.
  With `overlap theirs` and `preproc theirs` they also tell what the published tool answered.
"""

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

CLASSES = ("overlap", "preprocessing", "multi_test")
PAIR = re.compile(r"\$invo(\d+)_\$invo(\d+)_")
PUBLISHED = {"overlap": "overlap", "preproc": "preprocessing"}
REVISED = "Full manually annotated dataset"
"""The table that the authors of the public corpus corrected last: it has the last word."""

Labels = dict[str, bool]


@dataclass(slots=True)
class Labelled:
    """One file, or one pair in it, with what is said about it."""

    file: str
    calls: tuple[int, int] | None
    labels: Labels = field(default_factory=dict)
    theirs: Labels = field(default_factory=dict)
    """What the published tool answered, where that is known."""


def half_of(file: str) -> str:
    """Half of the files, by a hash of their names, may be looked at while rules are written."""
    return "development" if sha256(file.encode()).digest()[0] % 2 == 0 else "report"


def scripts(folder: Path) -> dict[str, Path]:
    """By name without ending; of two with the same name, the first."""
    found: dict[str, Path] = {}
    for path in sorted(folder.rglob("*")):
        if path.suffix in (".py", ".ipynb") and path.is_file():
            found.setdefault(path.stem, path)
    return found


def labelled(folder: Path) -> list[Labelled]:
    """Every file or pair that some table speaks about."""
    found: dict[tuple[str, tuple[int, int] | None], Labelled] = {}
    tables = sorted(folder.rglob("*.csv"), key=lambda path: (path.stem == REVISED, path.name))
    for path in tables:
        for one in _entries(path):
            known = found.setdefault((one.file, one.calls), one)
            known.labels.update(one.labels)
            known.theirs.update(one.theirs)
    return list(found.values())


def _entries(path: Path) -> Iterator[Labelled]:
    text = path.read_text(encoding="utf-8", errors="replace")
    separator = ";" if text.partition("\n")[0].count(";") > 2 else ","
    rows = csv.DictReader(text.splitlines(keepends=True), delimiter=separator)
    columns = set(rows.fieldnames or ())
    if path.name == "labels.csv" and "file" in columns:
        for row in rows:
            labels = {name: row[name] == "1" for name in CLASSES if row.get(name)}
            yield Labelled(Path(row["file"]).stem, None, labels)
    elif {"File", "pair", "overlap GT", "preproc GT"} <= columns:
        for row in rows:
            match = PAIR.match(row["pair"])
            if match:
                calls = (int(match[1]), int(match[2]))
                yield Labelled(row["File"], calls, _told(row, "GT"), _told(row, "theirs"))


def _told(row: dict[str, str], who: str) -> Labels:
    return {
        name: float(row[f"{short} {who}"]) == 1
        for short, name in PUBLISHED.items()
        if row.get(f"{short} {who}")
    }
