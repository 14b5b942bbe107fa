"""The process that runs untrusted SQL: standard library only, one request per line.

Started anew for every plan, with its memory, processor time and files limited by the operating
system. SQLite itself is told to refuse everything that is not on the list: the snapshot is opened
read-only, and an authoriser decides on every table, function and statement kind.
"""

import json
import resource
import sqlite3
import sys
from typing import Any

MEMORY_BYTES = 1 << 30
CPU_SECONDS = 20
STEPS_PER_TICK = 1_000
ALLOWED = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_TRANSACTION)
SCHEMA = ("sqlite_master", "sqlite_temp_master", "sqlite_schema", "sqlite_temp_schema")
LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: 1_000_000,
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 50_000,
    sqlite3.SQLITE_LIMIT_COLUMN: 200,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 100,
    sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 20,
    sqlite3.SQLITE_LIMIT_VDBE_OP: 100_000,
    sqlite3.SQLITE_LIMIT_FUNCTION_ARG: 16,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 256,
    sqlite3.SQLITE_LIMIT_WORKER_THREADS: 0,
}


class Guard:
    """Answers SQLite's question whether an action is allowed. `open` is for the host's own work."""

    def __init__(self, readable: set[str], functions: set[str]) -> None:
        self.readable = readable
        self.functions = functions
        self.fills = ""
        self.open = True

    def __call__(
        self, action: int, first: str | None, second: str | None, base: str | None, via: str | None
    ) -> int:
        del base
        if self.open or action in ALLOWED or self._may(action, first or "", second or "", via):
            return sqlite3.SQLITE_OK
        return sqlite3.SQLITE_DENY

    def _may(self, action: int, first: str, second: str, via: str | None) -> bool:
        if action == sqlite3.SQLITE_READ:
            # A table behind a view is readable through that view only.
            return first in self.readable or (via or "") in self.readable or self._schema(first)
        if action == sqlite3.SQLITE_FUNCTION:
            return second.lower() in self.functions
        if action == sqlite3.SQLITE_CREATE_TEMP_TABLE:
            return bool(self.fills) and first == self.fills
        if action == sqlite3.SQLITE_INSERT:
            return bool(self.fills) and (first == self.fills or first == "sqlite_temp_master")
        if action == sqlite3.SQLITE_UPDATE:
            return bool(self.fills) and first == "sqlite_temp_master"
        return False

    def _schema(self, name: str) -> bool:
        return bool(self.fills) and name in SCHEMA[1::2]


class Session:
    """One read-only connection to one snapshot."""

    def __init__(self, request: dict[str, Any]) -> None:
        uri = f"file:{request['path']}?mode=ro"
        self._db = sqlite3.connect(uri, uri=True, isolation_level=None)
        self._db.execute("PRAGMA temp_store = MEMORY")
        self._db.execute("PRAGMA trusted_schema = OFF")
        for name, value in LIMITS.items():
            self._db.setlimit(name, value)
        self._guard = Guard(set(request["readable"]), set(request["functions"]))
        self._ticks = int(request["ticks"])
        self._left = self._ticks
        self._db.set_authorizer(self._guard)
        self._db.set_progress_handler(self._tick, STEPS_PER_TICK)

    def _tick(self) -> int:
        self._left -= 1
        return int(self._left <= 0)

    def load(self, request: dict[str, Any]) -> dict[str, Any]:
        """A relation of the host's: the result of a tool call."""
        self._store(request["name"], request["columns"], request["rows"])
        return {"ok": True}

    def run(self, request: dict[str, Any]) -> dict[str, Any]:
        """One admitted statement; its rows become a relation under its bind."""
        self._guard.open, self._guard.fills = False, request["fills"]
        self._left = self._ticks
        try:
            cursor = self._db.execute(request["text"])
            if request["fills"]:
                self._guard.readable.add(request["fills"])
                cursor = self._all_of(request["fills"])
            columns = [column[0] for column in cursor.description or ()]
            rows = cursor.fetchmany(int(request["most"]) + 1)
        finally:
            self._guard.open, self._guard.fills = True, ""
        if len(rows) > int(request["most"]):
            return {"ok": False, "error": f"more than {request['most']} rows"}
        if not request["fills"]:
            self._store(request["bind"], columns, rows)
        return {"ok": True, "columns": columns, "rows": rows}

    def _all_of(self, name: str) -> sqlite3.Cursor:
        """A derived relation, in an order that does not depend on how it was filled."""
        width = len(self._db.execute(f'SELECT * FROM "{name}" LIMIT 0').description)
        order = ", ".join(str(number + 1) for number in range(width))
        return self._db.execute(f'SELECT * FROM "{name}" ORDER BY {order}')

    def _store(self, name: str, columns: list[str], rows: list[Any]) -> None:
        self._guard.open = True
        listed = ", ".join('"' + column.replace('"', '""') + '"' for column in columns)
        self._db.execute(f'DROP TABLE IF EXISTS temp."{name}"')
        self._db.execute(f'CREATE TEMP TABLE "{name}" ({listed})')
        marks = ", ".join("?" * len(columns))
        self._db.executemany(f'INSERT INTO temp."{name}" VALUES ({marks})', rows)
        self._guard.readable.add(name)


def main() -> None:
    """Requests from standard input until it closes; the host kills what takes too long."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    session: Session | None = None
    for line in sys.stdin:
        request = json.loads(line)
        try:
            if session is None:
                session = Session(request)
                answer: dict[str, Any] = {"ok": True, "sqlite": sqlite3.sqlite_version}
            else:
                answer = getattr(session, "load" if request["do"] == "load" else "run")(request)
        except (sqlite3.Error, sqlite3.Warning, MemoryError, OverflowError) as error:
            answer = {"ok": False, "error": str(error) or type(error).__name__}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
