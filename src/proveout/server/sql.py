"""SQL over the journal: one SELECT, on a connection that cannot write, within bounds."""

import contextlib
import sqlite3
import time
from pathlib import Path

from pydantic import JsonValue

from proveout.kernel.errors import UsageError
from proveout.server.shapes import Rows

MOST_ROWS = 1_000
MOST_SECONDS = 5.0
MOST_CELL = 20_000
"""Characters of one value; the rest is left out."""
MOST_CHARACTERS = 4_000_000
"""Of all values together."""
LONGEST_VALUE = 64_000_000
"""Bytes that an expression may build."""
LONGEST_QUERY = 20_000
STEPS_PER_LOOK = 20_000
ALLOWED = frozenset(
    {
        sqlite3.SQLITE_SELECT,
        sqlite3.SQLITE_READ,
        sqlite3.SQLITE_FUNCTION,
        sqlite3.SQLITE_RECURSIVE,
    }
)
HINT = "one SELECT over the tables runs, events, blobs and patches"


UNSAFE = frozenset({"load_extension", "fts3_tokenizer"})
"""Functions that reach beyond the journal: files, and addresses in memory."""


def demand_short(text: str) -> None:
    if len(text) > LONGEST_QUERY:
        message = f"the query has {len(text)} characters; at most {LONGEST_QUERY} are read"
        raise UsageError(message, hint="ask for less at once", code="usage.sql")


def too_long() -> UsageError:
    message = f"the query took longer than {MOST_SECONDS:g} seconds"
    return UsageError(message, hint="ask for less, or add a LIMIT", code="usage.sql")


def query(path: str, text: str) -> Rows:
    """The rows of one SELECT. Call it in a process that can be ended: not all SQL can be."""
    demand_short(text)
    began = time.monotonic()
    try:
        with contextlib.closing(_connection(Path(path), began)) as connection:
            cursor = connection.execute(text)
            columns = tuple(str(column[0]) for column in cursor.description or ())
            rows, cut = _fetched(cursor)
    except (sqlite3.Error, sqlite3.Warning, ValueError, OverflowError) as error:
        raise _refusal(error, began) from error
    if not columns:
        message = "this is not a query"
        raise UsageError(message, hint=HINT, code="usage.sql")
    return Rows(columns=columns, rows=rows, cut=cut, seconds=round(time.monotonic() - began, 4))


def _connection(path: Path, began: float) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=MOST_SECONDS, isolation_level=None
    )
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_VALUE)
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    connection.execute("PRAGMA query_only = ON")
    # SQLite declares these functions' columns when they are first used, which the rule below
    # would take for the making of a table.
    connection.execute("SELECT count(*) FROM json_each('[]'), json_tree('[]')").fetchone()
    connection.set_authorizer(_authorise)
    connection.set_progress_handler(
        lambda: int(time.monotonic() - began > MOST_SECONDS), STEPS_PER_LOOK
    )
    # Damaged or strange text is shown as well as it can be.
    connection.text_factory = lambda content: content.decode("utf-8", "replace")
    return connection


def _authorise(action: int, first: str | None, second: str | None, *_place: str | None) -> int:
    del first
    allowed = action in ALLOWED and (second or "").lower() not in UNSAFE
    return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY


def _fetched(cursor: sqlite3.Cursor) -> tuple[tuple[tuple[JsonValue, ...], ...], bool]:
    rows: list[tuple[JsonValue, ...]] = []
    size = 0
    for row in cursor:
        if len(rows) >= MOST_ROWS or size > MOST_CHARACTERS:
            return tuple(rows), True
        shown = tuple(_cell(value) for value in row)
        size += sum(len(value) if isinstance(value, str) else 8 for value in shown)
        rows.append(shown)
    return tuple(rows), False


def _cell(value: str | bytes | int | float | None) -> JsonValue:
    if isinstance(value, bytes):
        return f"({len(value)} bytes)"
    if isinstance(value, str) and len(value) > MOST_CELL:
        return f"{value[:MOST_CELL]}… ({len(value) - MOST_CELL} more characters)"
    if isinstance(value, float) and value - value != 0:
        # JSON has no word for what is not finite.
        return str(value)
    return value


def _refusal(error: Exception, began: float) -> UsageError:
    if time.monotonic() - began > MOST_SECONDS:
        return too_long()
    reason = f"the query cannot be answered: {error}"
    if any(word in str(error) for word in ("not authorized", "prohibited", "authorization denied")):
        reason = "only reading is allowed"
    return UsageError(reason, hint=HINT, code="usage.sql")
