"""The journal in one SQLite file: write-ahead log, full synchronisation, a hash chain per run.

Events wait in memory until a durable one comes; then all of them, the blobs they name and the
lessons they teach go to disk in one transaction. A crash therefore loses at most the attempt in
flight, and never half of anything. After a failed write the object refuses further writes: what the
disk holds is the truth, and a resumed run starts from there.
"""

import json
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from proveout.adapters.journal.migrations import UNREADABLE, migrate, refuse_foreign
from proveout.kernel.canonical import GENESIS, canonical, chain_id, content_id, value_id
from proveout.kernel.errors import JournalError
from proveout.kernel.events import EVENTS, Event, LessonLearned, Recorded, RunStarted
from proveout.kernel.lessons import MOST_ORIGINS, Learned

BUSY_SECONDS = 30.0
MOST_PENDING = 2000
MOST_PENDING_BYTES = 16_000_000
CHECK_IT = "check it with `proveout runs verify`"
COLUMNS = "run, sequence, id, parent, at, elapsed, body"


class RunRow(NamedTuple):
    """What the list of runs needs to know without reading events."""

    run: str
    app: str
    started_at: float
    sequence: int
    head: str


class SqliteJournal:
    """Safe for many threads; several processes may share the file, each run having one writer."""

    def __init__(
        self, path: Path | str, *, secrets: Sequence[str] = (), readonly: bool = False
    ) -> None:
        self.path = Path(path)
        self._lock = threading.RLock()
        self._secrets = [secret for secret in secrets if len(secret) >= 6]
        self._spelled = [canonical(secret)[1:-1] for secret in self._secrets]
        self._readonly = readonly
        self._broken = ""
        self._heads: dict[str, tuple[int, str]] = {}
        self._stored: dict[str, tuple[int, str]] = {}
        self._pending: list[tuple[Recorded, str]] = []
        self._blobs: dict[str, bytes] = {}
        self._pending_bytes = 0
        self.lessons_version = 0
        """Grows with every lesson written through this object."""
        self._connection = self._open()

    def _open(self) -> sqlite3.Connection:
        if self._readonly and not self.path.exists():
            message = f"there is no journal at {self.path}"
            raise JournalError(message, hint="start a run first: `proveout demo`")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            connection = sqlite3.connect(
                self.path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )
            self._prepare(connection)
        except (*UNREADABLE, OSError) as error:
            message = f"{self.path} cannot be used as a journal: {error}"
            raise JournalError(message, hint="name another file with --journal") from error
        return connection

    def _prepare(self, connection: sqlite3.Connection) -> None:
        try:
            refuse_foreign(connection)
            _write_ahead(connection)
            connection.execute("PRAGMA synchronous = FULL")
            migrate(connection)
            if self._readonly:
                connection.execute("PRAGMA query_only = ON")
        except (*UNREADABLE, JournalError):
            connection.close()
            raise

    def append(self, run: str, event: Event, *, at: float, elapsed: float, durable: bool) -> str:
        with self._lock:
            self._refuse_if_broken()
            sequence, parent = self._head(run)
            event, body = self._redacted(event)
            # As floats: that is what the columns give back, and the hash must not notice.
            at, elapsed = round(float(at), 6), round(float(elapsed), 6)
            row = Recorded(run, sequence + 1, "", parent, at, elapsed, event)
            row = row._replace(id=chain_id(parent, envelope(row, body)))
            self._pending.append((row, body))
            self._pending_bytes += len(body)
            self._heads[run] = (row.sequence, row.id)
            full = len(self._pending) > MOST_PENDING or self._pending_bytes > MOST_PENDING_BYTES
            if durable or full:
                self._flush()
            return row.id

    def find(self, run: str, kind: str, key: str) -> Recorded | None:
        if not key:
            return None
        key = json.loads(self._redact(canonical(key))) if self._secrets else key
        with self._lock:
            for row, _ in reversed(self._pending):
                if row.run == run and row.event.kind == kind and row.event.key == key:
                    return row
            found = self._select(
                f"SELECT {COLUMNS} FROM events WHERE run = ? AND kind = ? AND key = ?"
                " AND key <> ''",
                (run, kind, key),
            )
        return _recorded(found[0]) if found else None

    def read(self, run: str, *, after: int = 0) -> Iterator[Recorded]:
        """In pages, so that a reader never blocks the writer for long nor fills the memory."""
        while True:
            rows = self._select(
                f"SELECT {COLUMNS} FROM events WHERE run = ? AND sequence > ?"
                " ORDER BY sequence LIMIT 500",
                (run, after),
            )
            if not rows:
                return
            for row in rows:
                if row[1] <= after:
                    # A damaged index can lead back: reading must end all the same.
                    message = f"what follows event {after} of run {run} is damaged"
                    raise JournalError(message, hint=CHECK_IT)
                after = row[1]
                yield _recorded(row)

    def last(self, run: str) -> Recorded | None:
        """The newest event of a run."""
        found = self._select(
            f"SELECT {COLUMNS} FROM events WHERE run = ? ORDER BY sequence DESC LIMIT 1", (run,)
        )
        return _recorded(found[0]) if found else None

    def runs(self) -> list[RunRow]:
        """All runs, newest first."""
        rows = self._select(
            "SELECT run, app, started_at, sequence, head FROM runs"
            " ORDER BY started_at DESC, run DESC"
        )
        return [RunRow(*row) for row in rows]

    def put(self, content: bytes) -> str:
        with self._lock:
            self._refuse_if_broken()
            for secret in self._secrets:
                for spelled in {secret, canonical(secret)[1:-1], json.dumps(secret)[1:-1]}:
                    content = content.replace(spelled.encode(), b"[secret]")
            name = content_id(content)
            if name not in self._blobs:
                self._blobs[name] = content
                self._pending_bytes += len(content)
            return name

    def get(self, content_id: str) -> bytes:
        with self._lock:
            if content_id in self._blobs:
                return self._blobs[content_id]
            found = self._select("SELECT content FROM blobs WHERE id = ?", (content_id,))
        if not found or not isinstance(found[0][0], bytes):
            message = f"the journal has no content {content_id}"
            raise JournalError(message, hint=CHECK_IT)
        return found[0][0]

    def learned(self, app: str, *, after: int = 0) -> list[Learned]:
        """The app's patches, oldest first; `after` leaves out those not learned (again) since."""
        rows = self._select(
            "SELECT patch, count, last, origins FROM patches WHERE app = ? AND last > ?"
            " ORDER BY last",
            (app, after),
        )
        return [_learned(row) for row in rows]

    @property
    def data_version(self) -> int:
        """Changes when another process has written."""
        return int(self._select("PRAGMA data_version")[0][0])

    def flush(self) -> None:
        """Make everything durable now."""
        with self._lock:
            self._refuse_if_broken()
            self._flush()

    def close(self) -> None:
        """Write what is pending, unless a write has failed before. Idempotent."""
        with self._lock:
            if (self._pending or self._blobs) and not self._broken and not self._readonly:
                self._flush()
            self._connection.close()

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """What is read within is of one instant, whatever other processes write meanwhile."""
        with self._lock:
            self._connection.execute("BEGIN")
            try:
                yield
            finally:
                self._connection.rollback()

    @property
    def connection(self) -> sqlite3.Connection:
        """For readers that need SQL: verification, the SQL page."""
        return self._connection

    def _select(self, query: str, values: tuple[str | int, ...] = ()) -> list[Any]:
        with self._lock:
            try:
                return self._connection.execute(query, values).fetchall()
            except UNREADABLE as error:
                message = f"the journal cannot be read: {error}"
                raise JournalError(message, hint=CHECK_IT) from error

    def _head(self, run: str) -> tuple[int, str]:
        if run not in self._heads:
            found = self._connection.execute(
                "SELECT sequence, head FROM runs WHERE run = ?", (run,)
            ).fetchone()
            self._heads[run] = self._stored[run] = found or (0, GENESIS)
        return self._heads[run]

    def _flush(self) -> None:
        if not self._pending and not self._blobs:
            return
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            self._check_heads()
            self._write_blobs()
            self._write_events()
            self._connection.execute("COMMIT")
        except (*UNREADABLE, JournalError) as error:
            self._broken = str(error)
            if self._connection.in_transaction:
                self._connection.rollback()
            if isinstance(error, JournalError):
                raise
            raise _failure(error) from error
        self._stored.update({row.run: (row.sequence, row.id) for row, _ in self._pending})
        self._pending, self._blobs, self._pending_bytes = [], {}, 0

    def _check_heads(self) -> None:
        for run in {row.run for row, _ in self._pending}:
            found = self._connection.execute(
                "SELECT sequence, head FROM runs WHERE run = ?", (run,)
            ).fetchone()
            if (found or (0, GENESIS)) != self._stored[run]:
                message = f"another process has written to run {run}"
                raise JournalError(message, hint="only one process can work on a run")

    def _write_blobs(self) -> None:
        self._connection.executemany(
            "INSERT OR IGNORE INTO blobs (id, content) VALUES (?, ?)", self._blobs.items()
        )

    def _write_events(self) -> None:
        self._connection.executemany(
            "INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [(*row[:6], row.event.kind, row.event.key, body) for row, body in self._pending],
        )
        heads = {}
        for row, _ in self._pending:
            heads[row.run] = (row.sequence, row.id, row.run)
            if isinstance(row.event, RunStarted):
                self._connection.execute(
                    "INSERT INTO runs VALUES (?, ?, ?, 0, ?)",
                    (row.run, row.event.app, row.at, GENESIS),
                )
            elif isinstance(row.event, LessonLearned):
                self._learn(row.event)
        self._connection.executemany(
            "UPDATE runs SET sequence = ?, head = ? WHERE run = ?", heads.values()
        )

    def _learn(self, event: LessonLearned) -> None:
        """Count a patch in the projection that lessons are recalled from."""
        patch = event.patch
        name = (event.app, patch.signature)
        count, told = self._connection.execute(
            "SELECT count, origins FROM patches WHERE app = ? AND signature = ?", name
        ).fetchone() or (0, "[]")
        origins = json.loads(told)
        if patch.origin is not None:
            origins = [*origins, patch.origin.model_dump(mode="json")][-MOST_ORIGINS:]
        (last,) = self._connection.execute("SELECT ifnull(max(last), 0) FROM patches").fetchone()
        row = [*name, count + 1, last + 1, canonical(patch), canonical(origins)]
        self._connection.execute(
            "INSERT OR REPLACE INTO patches VALUES (?, ?, ?, ?, ?, ?, ?)", [*row, value_id(row)]
        )
        self.lessons_version += 1

    def _redacted(self, event: Event) -> tuple[Event, str]:
        """An event without secrets, and its spelling: columns and lessons are made of the same."""
        body = canonical(event)
        clean = self._redact(body)
        if clean == body:
            return event, body
        try:
            event = EVENTS.validate_json(clean)
        except ValidationError as error:
            message = "a secret stands where the journal needs a word of its own"
            raise JournalError(message, hint="use a secret that is not a word") from error
        return event, canonical(event)

    def _redact(self, text: str) -> str:
        """A JSON text without secrets."""
        for spelled in self._spelled:
            text = text.replace(spelled, "[secret]")
        return text

    def _refuse_if_broken(self) -> None:
        if self._readonly:
            message = "the journal was opened for reading"
            raise JournalError(message)
        if self._broken:
            message = f"the journal stopped after a failed write: {self._broken}"
            raise JournalError(message, hint="mend the cause, then resume the run")


def envelope(row: Recorded, body: str) -> str:
    """What a link's hash covers besides its parent: nothing of a row is left out."""
    # The first line holds no line break, so nothing can move between it and the body.
    return f"{canonical([row.run, row.sequence, row.at, row.elapsed])}\n{body}"


def _recorded(row: tuple[str, int, str, str, float, float, str]) -> Recorded:
    try:
        return Recorded(*row[:6], EVENTS.validate_json(row[6]))
    except ValidationError as error:
        message = f"event {row[1]} of run {row[0]} is damaged"
        raise JournalError(message, hint=CHECK_IT) from error


def _learned(row: tuple[str, int, int, str]) -> Learned:
    patch, count, last, origins = row
    try:
        return Learned.model_validate_json(
            f'{{"patch":{patch},"count":{count},"last":{last},"origins":{origins}}}'
        )
    except ValidationError as error:
        message = "a lesson in the journal is damaged"
        raise JournalError(message, hint=CHECK_IT) from error


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Switch to the write-ahead log. SQLite does not wait for others who do the same; we do."""
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            busy = error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
            if not busy or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
        else:
            return


def _failure(error: Exception) -> JournalError:
    if isinstance(error, sqlite3.IntegrityError) and "events" in str(error):
        message = "a step of the run was recorded twice"
        hint = "give each loop and each parallel branch a branch of its own"
        return JournalError(message, hint=hint, code="journal.step_twice")
    hint = "free some space or check the disk, then resume the run; nothing judged is lost"
    return JournalError(f"the journal could not be written: {error}", hint=hint)
