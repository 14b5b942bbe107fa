"""Damage to the file: whatever single bit is flipped, `verify` tells, or it changed nothing."""

import os
import random
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from itertools import islice
from pathlib import Path

import pytest

from proveout.adapters.journal.sqlite import SqliteJournal
from proveout.adapters.journal.verify import verify
from proveout.kernel.errors import JournalError
from proveout.kernel.run import Run, read_run
from tests.fault.sessions import Session, work

SEED = int(os.environ.get("FAULT_SEED", random.SystemRandom().randrange(10**6)))
HEADER_BYTES = 100
TABLES = ("runs", "events", "blobs", "patches")


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The file of a finished run, its log checkpointed."""
    folder = tmp_path_factory.mktemp("finished")
    run = work(Session(str(folder), engine="inline"))
    assert run.outcome is not None
    assert [path.name for path in folder.glob("journal.db*")] == ["journal.db"]
    return (folder / "journal.db").read_bytes()


def rows_of(path: Path) -> list[list[tuple[object, ...]]]:
    """Everything the file says, by SQLite alone."""
    with closing(sqlite3.connect(path)) as connection:
        return [connection.execute(f"SELECT * FROM {name}").fetchall() for name in TABLES]


def put(path: Path, content: bytes) -> None:
    """Replace the file and forget what lay beside it."""
    for beside in path.parent.glob(f"{path.name}-*"):
        beside.unlink()
    path.write_bytes(content)


def found(path: Path) -> str:
    """What is said about the file; nothing if it seems whole."""
    try:
        journal = SqliteJournal(path, readonly=True)
    except JournalError as error:
        return error.message
    try:
        damage = verify(journal)
    finally:
        journal.close()
    return damage[0].message if damage else ""


def places(size: int, count: int, chance: random.Random) -> Iterator[tuple[int, int]]:
    """Byte and bit: all of the header's bytes, then anywhere."""
    for byte in range(HEADER_BYTES):
        yield byte, chance.randrange(8)
    # The sign of the format number: a negative one must not be taken for an old journal.
    yield 60, 7
    for _ in range(count):
        yield chance.randrange(size), chance.randrange(8)


def test_any_flipped_bit_is_found_or_changes_nothing(finished: bytes, folder: Path) -> None:
    print(f"FAULT_SEED={SEED}")  # noqa: T201 - pytest shows it when a test fails
    path = folder / "journal.db"
    put(path, finished)
    assert found(path) == ""
    before = rows_of(path)
    seen = silent = 0
    for byte, bit in places(len(finished), 500, random.Random(SEED)):
        flipped = bytearray(finished)
        flipped[byte] ^= 1 << bit
        put(path, bytes(flipped))
        if found(path):
            seen += 1
            continue
        silent += 1
        put(path, bytes(flipped))
        assert rows_of(path) == before, f"bit {bit} of byte {byte} changed the content unseen"
    print(f"{seen} flips found, {silent} changed nothing")  # noqa: T201
    assert seen > silent


def test_schema_that_is_no_longer_text_is_told(finished: bytes, folder: Path) -> None:
    """SQLite quotes the damaged name in its complaint, and the quotation cannot be decoded."""
    path = folder / "journal.db"
    word = finished.index(b"CREATE TABLE patches") + len("CREATE ")
    flipped = bytearray(finished)
    flipped[word] ^= 1 << 7
    put(path, bytes(flipped))
    assert "cannot be used as a journal" in found(path)


def test_reading_a_flipped_file_gives_the_run_or_a_clear_error(
    finished: bytes, folder: Path
) -> None:
    path = folder / "journal.db"
    put(path, finished)
    undamaged = _read(path)
    chance = random.Random(SEED)
    told = 0
    for byte, bit in places(len(finished), 200, chance):
        flipped = bytearray(finished)
        flipped[byte] ^= 1 << bit
        put(path, bytes(flipped))
        with suppress(JournalError):
            told += _read(path) is not None
    assert undamaged is not None
    assert told > 0


def test_reading_ends_where_an_index_leads_back(finished: bytes, folder: Path) -> None:
    """The number of the last event, in the index or in its row, becomes a smaller one."""
    path = folder / "journal.db"
    put(path, finished)
    run = _read(path)
    assert run is not None
    width = 1 if run.events < 2**7 else 2
    last = run.id.encode() + run.events.to_bytes(width, "big")
    spots = [place.end() - width for place in re.finditer(re.escape(last), finished)]
    assert spots
    refused = 0
    for spot in spots:
        for smaller in (1, run.events // 2, run.events - 1):
            changed = bytearray(finished)
            changed[spot : spot + width] = smaller.to_bytes(width, "big")
            put(path, bytes(changed))
            with closing(SqliteJournal(path, readonly=True)) as journal:
                try:
                    assert len(list(islice(journal.read(run.id), 3 * run.events))) <= run.events
                except JournalError:
                    refused += 1
    assert refused > 0


def _read(path: Path) -> Run | None:
    journal = SqliteJournal(path, readonly=True)
    try:
        rows = journal.runs()
        return read_run(journal.read(rows[0].run)) if rows else None
    finally:
        journal.close()


@pytest.mark.parametrize("share", [0.001, 0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99, 0.9999])
def test_file_cut_short_is_found(finished: bytes, folder: Path, share: float) -> None:
    path = folder / "journal.db"
    put(path, finished[: max(1, int(len(finished) * share))])
    assert found(path) != ""


def test_file_with_a_torn_page_is_found(finished: bytes, folder: Path) -> None:
    """The second half of a page is from before it was ever written."""
    path = folder / "journal.db"
    chance = random.Random(SEED)
    put(path, finished)
    before = rows_of(path)
    unseen = 0
    pages = len(finished) // 4096
    for page in chance.sample(range(pages), min(20, pages)):
        torn = bytearray(finished)
        torn[page * 4096 + 2048 : (page + 1) * 4096] = bytes(2048)
        put(path, bytes(torn))
        if not found(path):
            unseen += 1
            put(path, bytes(torn))
            assert rows_of(path) == before
    assert unseen < pages
