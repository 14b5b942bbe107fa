"""The schema as a list of steps. Append; never edit a step that has been released.

`PRAGMA user_version` holds how many steps a file has seen, so opening an old journal applies the
rest and opening a newer one is refused.
"""

import sqlite3

from proveout.kernel.errors import JournalError

APPLICATION_ID = 0x50524F56
"""Marks the file as ours for tools such as `file`."""

UNREADABLE = (sqlite3.Error, UnicodeDecodeError)
"""What a damaged file raises; the second where SQLite's own complaint quotes damaged text."""

STEPS: tuple[str, ...] = (
    """
    CREATE TABLE runs (
        run TEXT PRIMARY KEY,
        app TEXT NOT NULL,
        started_at REAL NOT NULL,
        sequence INTEGER NOT NULL,
        head TEXT NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE events (
        run TEXT NOT NULL,
        sequence INTEGER NOT NULL,
        id TEXT NOT NULL,
        parent TEXT NOT NULL,
        at REAL NOT NULL,
        elapsed REAL NOT NULL,
        kind TEXT NOT NULL,
        key TEXT NOT NULL,
        body TEXT NOT NULL,
        PRIMARY KEY (run, sequence)
    ) WITHOUT ROWID;
    CREATE UNIQUE INDEX one_event_per_step ON events (run, key, kind) WHERE key <> '';
    CREATE TABLE blobs (id TEXT PRIMARY KEY, content BLOB NOT NULL);
    CREATE TABLE patches (
        app TEXT NOT NULL,
        signature TEXT NOT NULL,
        count INTEGER NOT NULL,
        last INTEGER NOT NULL,
        patch TEXT NOT NULL,
        origins TEXT NOT NULL,
        seal TEXT NOT NULL,
        PRIMARY KEY (app, signature)
    ) WITHOUT ROWID;
    CREATE INDEX patches_by_age ON patches (last);
    """,
)


def refuse_foreign(connection: sqlite3.Connection) -> None:
    """Another program's database is left as it is."""
    # In this order: whoever sees our tables, made by another process just now, sees our mark too.
    (objects,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    (owner,) = connection.execute("PRAGMA application_id").fetchone()
    if objects and owner != APPLICATION_ID:
        message = "the file is the database of another program"
        raise JournalError(message, hint="name another file with --journal")


def migrate(connection: sqlite3.Connection) -> None:
    """Bring a file to the newest schema, each step in a transaction of its own."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version > len(STEPS):
        message = f"the journal has format {version}; this version knows {len(STEPS)}"
        raise JournalError(message, hint="upgrade proveout", code="journal.newer_format")
    if version < 0:
        message = f"the journal is damaged: {version} is not a format"
        raise JournalError(message, hint="restore the file from a copy")
    for number in range(version, len(STEPS)):
        script = (
            f"BEGIN IMMEDIATE; {STEPS[number]} PRAGMA user_version = {number + 1};"
            f" PRAGMA application_id = {APPLICATION_ID}; COMMIT;"
        )
        try:
            connection.executescript(script)
        except sqlite3.OperationalError:
            connection.rollback()
            # Another process may have done this step while we waited for the lock.
            (now,) = connection.execute("PRAGMA user_version").fetchone()
            if now <= number:
                raise
