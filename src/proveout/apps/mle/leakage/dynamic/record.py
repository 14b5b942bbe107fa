"""Reads what the watch noted. Nothing in it is trusted: sizes and shapes are checked."""

import json
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError

MOST_TEXT = 40_000_000
MOST_NUMBERS = 3_000_000
Matrix = NDArray[np.float64]


class Kept(BaseModel):
    """Where a matrix lies."""

    model_config = ConfigDict(extra="forbid", strict=True)
    at: int
    rows: int = Field(ge=0, le=10_000_000)
    columns: int = Field(ge=0, le=64)
    width: int = Field(ge=0)


class Noted(BaseModel):
    """One event as it was written."""

    model_config = ConfigDict(extra="forbid")
    kind: str
    line: int
    name: str
    inside: list[str]
    x: Kept | None = None
    y: Kept | None = None
    out: Kept | None = None
    of: int = -1
    value: float | None = None
    first: int = -1
    label: str = ""
    number: int = -1
    rows: int = 0
    train: list[int] = []
    test: list[int] = []


class Notes(BaseModel):
    model_config = ConfigDict(extra="forbid")
    events: list[Noted]
    read: list[str]
    failure: str
    full: bool
    numbers: int


@dataclass(frozen=True)
class Event:
    """Something that happened, with the numbers that were seen."""

    kind: str
    """fit (a model), learn (anything else), predict, score, metric, split, statistic, resample."""
    line: int
    name: str
    of: int
    x: Matrix | None
    y: Matrix | None
    out: Matrix | None
    width: int
    first: int
    value: float | None
    label: str
    inside: tuple[str, ...]
    split: tuple[int, int, NDArray[np.int64], NDArray[np.int64]] | None = None
    """Number of the split, rows that were divided, and both sides."""

    @property
    def rows(self) -> int:
        for matrix in (self.x, self.y, self.out):
            if matrix is not None:
                return len(matrix)
        return 0


@dataclass(frozen=True)
class Record:
    events: tuple[Event, ...] = ()
    read: tuple[str, ...] = ()
    failure: str = ""
    """Why this run shows nothing; empty if it went to its end."""
    full: bool = False
    splits: list[dict[str, object]] = field(default_factory=list)


def read_record(folder: Path) -> Record:
    """What lies in the work folder after a run."""
    try:
        if (folder / "record.json").stat().st_size > MOST_TEXT:
            return Record(failure="what was noted is too long")
        notes = Notes.model_validate_json((folder / "record.json").read_bytes())
        size = min((folder / "record.bin").stat().st_size, 8 * MOST_NUMBERS)
        with (folder / "record.bin").open("rb") as file:
            numbers = np.frombuffer(file.read(size - size % 8), dtype="<f8")
    except (OSError, ValidationError, json.JSONDecodeError, RecursionError):
        return Record(failure="it left no notes that can be read")
    events = tuple(_event(noted, numbers) for noted in notes.events)
    return Record(events, tuple(notes.read), notes.failure, notes.full, _splits(notes))


def _event(noted: Noted, numbers: Matrix) -> Event:
    split = None
    if noted.kind == "split":
        sides = (np.asarray(side, dtype=np.int64) for side in (noted.train, noted.test))
        train, test = sides
        split = (noted.number, noted.rows, train, test)
    return Event(
        kind=noted.kind,
        line=noted.line,
        name=noted.name,
        of=noted.of,
        x=_matrix(noted.x, numbers),
        y=_matrix(noted.y, numbers),
        out=_matrix(noted.out, numbers),
        width=noted.x.width if noted.x else 0,
        first=noted.first,
        value=noted.value,
        label=noted.label,
        inside=tuple(noted.inside),
        split=split,
    )


def _matrix(kept: Kept | None, numbers: Matrix) -> Matrix | None:
    if kept is None or kept.at < 0:
        return None
    end = kept.at + kept.rows * kept.columns
    if end > len(numbers) or not kept.columns:
        return None
    return numbers[kept.at : end].reshape(kept.rows, kept.columns)


def _splits(notes: Notes) -> list[dict[str, object]]:
    """In the form in which a later run is told to repeat them."""
    found: dict[int, dict[str, object]] = {}
    folds: dict[int, list[tuple[list[int], list[int]]]] = {}
    for event in notes.events:
        if event.kind == "split":
            folds.setdefault(event.number, []).append((event.train, event.test))
            found[event.number] = {"rows": event.rows, "folds": folds[event.number]}
    nothing: dict[str, object] = {"rows": -1, "folds": []}
    return [found.get(number, nothing) for number in range(max(found, default=-1) + 1)]
