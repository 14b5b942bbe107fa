"""Any changed character anywhere in a journal is found, and so is a missing end."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proveout.adapters.journal.sqlite import SqliteJournal
from proveout.adapters.journal.verify import verify
from proveout.kernel.loop import attempts
from proveout.kernel.proposer import RoleProposer
from tests.words import CHECKS, PROPOSE, WordTask
from tests.workbench import Speaker, Workbench, words


class Cell(NamedTuple):
    """A stored value and the row it stands in."""

    table: str
    column: str
    where: str
    value: object


KEYS = {
    "runs": ("run",),
    "events": ("run", "sequence"),
    "blobs": ("id",),
    "patches": ("app", "signature"),
}


def cells(connection: sqlite3.Connection) -> list[Cell]:
    found = []
    for table, keys in KEYS.items():
        names = ", ".join(f"quote({key})" for key in keys)
        columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
        for row in connection.execute(f"SELECT {names}, {', '.join(columns)} FROM {table}"):
            where = " AND ".join(f"{k} = {v}" for k, v in zip(keys, row, strict=False))
            values = row[len(keys) :]
            found += [Cell(table, c, where, v) for c, v in zip(columns, values, strict=True)]
    return found


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SqliteJournal]:
    """Two runs with prompts, answers, evidence, verdicts and lessons, held in one file."""
    bench = Workbench(tmp_path_factory.mktemp("chain") / "journal.db")
    for run in ("run-1", "run-2"):
        context = bench.begin(Speaker(words("a", "x", "abcd")), run=run)
        assert len(list(attempts(WordTask(), RoleProposer(PROPOSE), CHECKS, context))) == 3
    bench.close()
    journal = SqliteJournal(bench.path)
    assert verify(journal) == []
    yield journal
    journal.close()


def damaged(original: SqliteJournal, *statements: tuple[str, tuple[object, ...]]) -> bool:
    """Whether these changes are found; they are undone again."""
    connection, pristine = original.connection, sqlite3.connect(":memory:")
    connection.execute("PRAGMA synchronous = OFF")
    connection.backup(pristine)
    try:
        for statement, values in statements:
            connection.execute(statement, values)
        return bool(verify(original))
    finally:
        pristine.backup(connection)
        pristine.close()


def flipped(value: object, place: int, bit: int) -> object:
    """The value with one bit of one character changed; numbers change in their last digits."""
    if isinstance(value, bytes):
        changed = bytearray(value or b"\0")
        changed[place % len(changed)] ^= 1 << (bit % 8)
        return bytes(changed)
    if isinstance(value, str):
        letters = list(value or "\0")
        place %= len(letters)
        letters[place] = chr((ord(letters[place]) ^ (1 << (bit % 5))) or 65)
        return "".join(letters)
    assert isinstance(value, int | float)
    return value + 10.0 ** -(bit % 6) if isinstance(value, float) else value ^ (1 << (bit % 8))


@settings(max_examples=250)
@given(st.integers(0, 10**6), st.integers(0, 10**6), st.integers(0, 39))
def test_any_flipped_character_is_found(
    original: SqliteJournal, which: int, place: int, bit: int
) -> None:
    stored = cells(original.connection)
    table, column, where, value = stored[which % len(stored)]
    changed = flipped(value, place, bit)
    if changed != value:
        change = f"UPDATE OR REPLACE {table} SET {column} = ? WHERE {where}"
        assert damaged(original, (change, (changed,))), (table, column, value, changed)


def test_every_single_cell_is_watched(original: SqliteJournal) -> None:
    """Not by chance: one change in each cell of each table."""
    for table, column, where, value in cells(original.connection):
        changed = flipped(value, 3, 0)
        change = f"UPDATE OR REPLACE {table} SET {column} = ? WHERE {where}"
        assert damaged(original, (change, (changed,))), (table, column, where)


@pytest.mark.parametrize("strange", [None, 7, 1.5, "text", b"bytes", 9e999], ids=repr)
def test_a_value_of_another_type_is_found(original: SqliteJournal, strange: object) -> None:
    seen = set()
    for table, column, where, value in cells(original.connection):
        if (table, column) in seen or value == strange:
            continue
        seen.add((table, column))
        change = f"UPDATE OR IGNORE {table} SET {column} = ? WHERE {where}"
        before = original.connection.total_changes
        try:
            found = damaged(original, (change, (strange,)))
        except sqlite3.IntegrityError:
            continue
        ignored = original.connection.total_changes == before
        assert found or ignored, (table, column, value, strange)
    assert len(seen) == 23


@pytest.mark.parametrize("run", ["run-1", "run-2"])
def test_a_removed_last_event_is_found(original: SqliteJournal, run: str) -> None:
    newest = "SELECT max(sequence) FROM events WHERE run = ?"
    last = f"DELETE FROM events WHERE run = ? AND sequence = ({newest})"
    assert damaged(original, (last, (run, run)))


def test_any_removed_row_is_found(original: SqliteJournal) -> None:
    rows = {(cell.table, cell.where) for cell in cells(original.connection)}
    assert len(rows) > 50
    for table, where in sorted(rows):
        assert damaged(original, (f"DELETE FROM {table} WHERE {where}", ())), (table, where)


def test_events_that_change_places_are_found(original: SqliteJournal) -> None:
    swap = "UPDATE events SET sequence = ? WHERE run = 'run-1' AND sequence = ?"
    assert damaged(original, (swap, (999, 4)), (swap, (4, 5)), (swap, (5, 999)))


def test_an_event_of_another_run_is_found(original: SqliteJournal) -> None:
    take = "UPDATE OR REPLACE events SET run = 'run-2' WHERE run = 'run-1' AND sequence = 4"
    assert damaged(original, (take, ()))


def test_a_run_that_never_was_is_found(original: SqliteJournal) -> None:
    invent = "INSERT INTO runs VALUES ('run-3', '', 0.0, 0, 'sha256:' || ?)"
    assert damaged(original, (invent, ("0" * 64,)))


def test_a_damaged_page_is_found(original: SqliteJournal, tmp_path: Path) -> None:
    """Not a value but the file itself: every few hundred bytes, one byte."""
    original.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    whole = original.path.read_bytes()
    copy = tmp_path / "copy.db"
    harmless = []
    for place in range(4096, len(whole), 997):
        changed = bytearray(whole)
        changed[place] ^= 0xFF
        copy.write_bytes(changed)
        journal = SqliteJournal(copy)
        try:
            if not verify(journal) and cells(journal.connection) != cells(original.connection):
                harmless.append(place)
        finally:
            journal.close()
    assert harmless == []
