"""The SQLite journal keeps the port's promises, and those that a file brings with it."""

import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from proveout.adapters.journal import lock
from proveout.adapters.journal.migrations import APPLICATION_ID, STEPS
from proveout.adapters.journal.sqlite import MOST_PENDING, MOST_PENDING_BYTES, SqliteJournal
from proveout.adapters.journal.verify import verify
from proveout.kernel.errors import JournalError
from proveout.kernel.events import LessonLearned, Note
from proveout.kernel.lessons import Patch
from proveout.kernel.ports import Journal
from proveout.testing.journal_contract import RUN, STARTED, JournalContract, add, made

ROOT = Path(__file__).parents[2]
SECRET = "sk-planted-0123456789"


@contextmanager
def opened(path: Path, *, readonly: bool = False) -> Iterator[SqliteJournal]:
    journal = SqliteJournal(path, readonly=readonly)
    try:
        yield journal
    finally:
        journal.close()


class TestSqliteJournal(JournalContract):
    def open(self, place: Path, secrets: Sequence[str] = ()) -> AbstractContextManager[Journal]:
        return self._opened(place / "journal.db", secrets)

    @contextmanager
    def _opened(self, path: Path, secrets: Sequence[str]) -> Iterator[SqliteJournal]:
        journal = SqliteJournal(path, secrets=secrets)
        try:
            yield journal
        finally:
            journal.close()
            with opened(path) as again:
                assert verify(again) == [], "whatever was done to it, it can be proved"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "journal.db"


def start(program: str, *arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", f"tests.processes.{program}", *map(str, arguments)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def test_processes_share_one_file(path: Path) -> None:
    """Three at once, on a file that does not exist yet."""
    writers = [start("append_events", path, f"run-{n}", 40) for n in range(3)]
    for writer in writers:
        writer.communicate(timeout=60)
    assert [writer.returncode for writer in writers] == [0, 0, 0]
    with opened(path) as journal:
        assert verify(journal) == []
        assert sorted(row.run for row in journal.runs()) == ["run-0", "run-1", "run-2"]
        for row in journal.runs():
            words = [getattr(r.event, "proposal", None) for r in journal.read(row.run)]
            assert words == [None, *[{"word": row.run}] * 40]


def test_a_full_disk_stops_the_journal_and_damages_nothing(path: Path) -> None:
    writer = start("fill_disk", path, 400_000)
    told, _ = writer.communicate(timeout=60)
    assert writer.returncode == 0
    durable, refused = map(int, told.split())
    assert refused == 3, "after a failed write it refuses all others"
    assert durable > 3
    with opened(path) as journal:
        assert verify(journal) == []
        assert len(list(journal.read(RUN))) == durable
        add(journal, made("later"))
        assert verify(journal) == []


def test_no_secret_reaches_the_disk(path: Path) -> None:
    journal = SqliteJournal(path, secrets=[SECRET, "short", ""])
    add(journal, STARTED.model_copy(update={"settings": {"key": SECRET, "url": f"x?k={SECRET}"}}))
    journal.put(f"Authorization: Bearer {SECRET}".encode())
    patch = Patch(
        operation="patch_tool", topic="constraint", subject=f"api {SECRET}", advice=f"use {SECRET}"
    )
    add(journal, LessonLearned(key=f"#0:{SECRET}", app="app", patch=patch))
    add(journal, Note(key=SECRET, text=SECRET, detail={SECRET: [SECRET]}), durable=False)
    add(journal, made(f"{SECRET}#1", word=f"{SECRET}{SECRET}"))
    files = sorted(path.parent.iterdir())
    assert [file.name for file in files] == ["journal.db", "journal.db-shm", "journal.db-wal"]
    assert [file.name for file in files if SECRET.encode() in file.read_bytes()] == []
    assert verify(journal) == []
    (learned,) = journal.learned("app")
    assert learned.patch.advice == "use [secret]"
    journal.close()
    assert SECRET.encode() not in path.read_bytes()
    assert b"[secret]" in path.read_bytes()


def test_a_secret_that_is_a_word_of_the_journal_is_refused(path: Path) -> None:
    with opened(path) as journal:
        add(journal, STARTED)
    journal = SqliteJournal(path, secrets=["proposal.made"])
    with pytest.raises(JournalError, match="a word of its own"):
        add(journal, made("#0"))
    journal.close()


def test_a_newer_format_is_refused(path: Path) -> None:
    with opened(path) as journal:
        journal.connection.execute(f"PRAGMA user_version = {len(STEPS) + 1}")
    with pytest.raises(JournalError) as caught:
        SqliteJournal(path)
    assert caught.value.code == "journal.newer_format"
    assert "upgrade" in caught.value.hint


@pytest.mark.parametrize(
    "content", [b"not a database at all" * 100, b"SQLite format 3\0" + b"x" * 99]
)
def test_a_file_that_is_no_database_is_refused_and_left_alone(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(JournalError, match="cannot be used as a journal"):
        SqliteJournal(path)
    assert path.read_bytes() == content


def test_a_folder_is_no_journal(tmp_path: Path) -> None:
    with pytest.raises(JournalError):
        SqliteJournal(tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(JournalError):
        SqliteJournal(tmp_path / "file" / "journal.db")


@pytest.mark.parametrize("version", [0, 77])
def test_the_database_of_another_program_is_left_alone(path: Path, version: int) -> None:
    path.parent.mkdir()
    other = sqlite3.connect(path)
    other.executescript(f"CREATE TABLE bookmarks (url TEXT); PRAGMA user_version = {version};")
    other.close()
    before = path.read_bytes()
    with pytest.raises(JournalError, match="another program"):
        SqliteJournal(path)
    assert path.read_bytes() == before


def test_the_file_says_whose_it_is(path: Path) -> None:
    with opened(path) as journal:
        (owner,) = journal.connection.execute("PRAGMA application_id").fetchone()
        (mode,) = journal.connection.execute("PRAGMA journal_mode").fetchone()
        (level,) = journal.connection.execute("PRAGMA synchronous").fetchone()
    assert (owner, mode, level) == (APPLICATION_ID, "wal", 2)


def test_a_reader_writes_nothing(path: Path) -> None:
    with pytest.raises(JournalError, match="there is no journal"):
        SqliteJournal(path, readonly=True)
    assert not path.parent.exists()
    with opened(path) as journal, opened(path, readonly=True) as reader:
        add(journal, STARTED)
        assert len(list(reader.read(RUN))) == 1
        for write in (lambda: add(reader, made("#0")), lambda: reader.put(b"x"), reader.flush):
            with pytest.raises(JournalError, match="opened for reading"):
                write()
        with pytest.raises(sqlite3.OperationalError):
            reader.connection.execute("DELETE FROM events")


def test_runs_are_listed_newest_first(path: Path) -> None:
    with opened(path) as journal:
        for at, run in ((1, "old"), (3, "new"), (2, "middle")):
            journal.append(run, STARTED, at=at, elapsed=0, durable=True)
        head = add(journal, made("#0"), run="old")
        assert [row.run for row in journal.runs()] == ["new", "middle", "old"]
        old = journal.runs()[-1]
        assert (old.app, old.started_at, old.sequence, old.head) == ("app", 1, 2, head)
        last = journal.last("old")
        assert last is not None
        assert last.id == head
        assert journal.last("never") is None


@pytest.mark.parametrize("many", ["events", "bytes"])
def test_memory_is_bounded(path: Path, many: str) -> None:
    """What waits too long or weighs too much is written without being asked."""
    with opened(path) as journal, opened(path) as other:
        add(journal, STARTED)
        if many == "events":
            for number in range(MOST_PENDING + 1):
                add(journal, made(f"#{number}"), durable=False)
        else:
            journal.put(b"x" * MOST_PENDING_BYTES)
            add(journal, made("#0"), durable=False)
        assert len(list(other.read(RUN))) > 1


def test_lessons_are_counted_and_other_processes_noticed(path: Path) -> None:
    patch = Patch(operation="add_rule", topic="operational", subject="s", advice="a")
    with opened(path) as journal, opened(path) as other:
        add(journal, STARTED)
        seen = other.data_version
        for number in range(3):
            add(journal, LessonLearned(key=f"#{number}", app="app", patch=patch))
        assert journal.lessons_version == 3
        assert other.data_version != seen
        (learned,) = other.learned("app")
        assert (learned.patch, learned.count, learned.last) == (patch, 3, 3)
        assert other.learned("app", after=3) == []
        assert other.learned("another") == []


def test_an_event_that_cannot_be_read_says_where_it_stands(path: Path) -> None:
    with opened(path) as journal:
        add(journal, STARTED)
        journal.connection.execute("UPDATE events SET body = '{}'")
        with pytest.raises(JournalError, match="event 1 of run run-1 is damaged"):
            list(journal.read(RUN))


def test_a_run_is_begun_once(path: Path) -> None:
    with opened(path) as journal:
        add(journal, STARTED)
        with pytest.raises(JournalError, match="could not be written"):
            add(journal, STARTED)


def test_after_a_failed_write_the_file_is_what_counts(path: Path) -> None:
    with opened(path) as journal:
        add(journal, STARTED)
        with opened(path) as other:
            add(other, made("#0"))
        name = journal.put(b"lost")
        with pytest.raises(JournalError, match="another process has written"):
            add(journal, made("#1"))
        for write in (lambda: add(journal, made("#2")), lambda: journal.put(b"x"), journal.flush):
            with pytest.raises(JournalError, match="stopped after a failed write"):
                write()
    with opened(path) as journal:
        assert len(list(journal.read(RUN))) == 2
        with pytest.raises(JournalError):
            journal.get(name)


def test_a_run_is_locked_by_whoever_works_on_it(tmp_path: Path) -> None:
    folder = tmp_path / "locks"
    assert not lock.is_held(folder, RUN)
    with lock.hold(folder, RUN):
        assert lock.is_held(folder, RUN)
        with pytest.raises(JournalError) as caught, lock.hold(folder, RUN):
            pass
        assert caught.value.code == "journal.locked"
        with lock.hold(folder, "run-2"):
            assert lock.is_held(folder, "run-2")
    assert not lock.is_held(folder, RUN)
    assert list(folder.iterdir()) == []


def test_a_lock_that_a_dead_process_left_is_free(tmp_path: Path) -> None:
    (tmp_path / f"{RUN}.lock").touch()
    assert not lock.is_held(tmp_path, RUN)
    (tmp_path / f"{RUN}.lock").touch()
    with lock.hold(tmp_path, RUN):
        assert lock.is_held(tmp_path, RUN)


def test_looking_at_a_lock_keeps_nobody_from_taking_it(tmp_path: Path) -> None:
    watcher = start("watch_lock", tmp_path, RUN)
    assert watcher.stdout is not None
    assert watcher.stdout.readline() == "watching\n"
    try:
        for _ in range(2000):
            with lock.hold(tmp_path, RUN):
                assert lock.is_held(tmp_path, RUN)
        assert watcher.poll() is None, "it watched all the time"
    finally:
        watcher.kill()
        watcher.communicate()


def test_a_snapshot_stands_still_while_others_write(path: Path) -> None:
    with opened(path) as journal, opened(path) as other:
        add(other, STARTED)
        with journal.snapshot():
            before = len(list(journal.read(RUN)))
            add(other, made("#0"))
            assert len(list(journal.read(RUN))) == before == 1
        assert len(list(journal.read(RUN))) == 2


def test_a_damaged_lesson_is_an_error_of_the_journal(path: Path) -> None:
    patch = Patch(operation="add_rule", topic="operational", subject="s", advice="a")
    with opened(path) as journal:
        add(journal, STARTED)
        add(journal, LessonLearned(key="#0", app="app", patch=patch))
        journal.connection.execute("UPDATE patches SET patch = '{}'")
        with pytest.raises(JournalError, match="damaged"):
            journal.learned("app")


def test_a_journal_that_cannot_be_read_says_so(path: Path) -> None:
    with opened(path) as journal:
        add(journal, STARTED)
        journal.connection.execute("DROP TABLE runs")
        with pytest.raises(JournalError, match="cannot be read"):
            journal.runs()
