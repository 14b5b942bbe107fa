"""The host's side: admits a statement, has it run, and kills whoever takes too long."""

import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from pydantic import JsonValue

from proveout.apps.solver.catalogue import CATALOGUE
from proveout.apps.solver.plan import SqlStep
from proveout.apps.solver.sandbox.admit import DERIVED, FUNCTIONS, SqlRefused, admit
from proveout.kernel.canonical import canonical, content_id

WORKER = Path(__file__).with_name("worker.py")
MOST_ROWS = 5_000
MOST_BYTES = 4_000_000
SECONDS = 5.0
TICKS = 100_000
"""Thousands of SQLite's own steps before it stops by itself, some seconds on a slow machine."""

Row = tuple[JsonValue, ...]


@dataclass(frozen=True)
class Rows:
    """A relation as data."""

    columns: tuple[str, ...]
    rows: tuple[Row, ...] = ()


@dataclass(frozen=True)
class SqlResult:
    """What a statement gave, in an order that never changes."""

    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    statement: str
    digest: str
    reads: frozenset[str]


class SqlSandbox:
    """Runs the SQL of one plan over one snapshot. Use it as a context manager."""

    def __init__(
        self,
        snapshot: Path,
        cleared: frozenset[str],
        binds: Mapping[str, Rows] | None = None,
        *,
        seconds: float = SECONDS,
    ) -> None:
        self._snapshot = snapshot
        self._known = {name: CATALOGUE[name].columns for name in cleared}
        self._seconds = seconds
        self._process: subprocess.Popen[bytes] | None = None
        self._buffer = b""
        self._waiting = dict(binds or {})
        for name, relation in self._waiting.items():
            self._name(name, relation.columns)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def known(self) -> Mapping[str, tuple[str, ...]]:
        """Relations that a statement may name now, with their columns."""
        return self._known

    def load(self, name: str, relation: Rows) -> None:
        """Make the result of a tool call a relation."""
        self._name(name, relation.columns)
        self._waiting[name] = relation

    def run(self, step: SqlStep) -> SqlResult:
        """Admit and execute one step; its result is a relation for the steps after it."""
        admitted = admit(step.statement, step.kind, self._known)
        if not admitted.fills:
            self._free_name(step.bind)
        answer = self._ask(
            {
                "do": "run",
                "text": admitted.text,
                "fills": admitted.fills,
                "bind": step.bind,
                "most": MOST_ROWS,
            }
        )
        columns = tuple(answer["columns"])
        missing = [name for name in step.expects if name not in columns]
        if missing:
            raise SqlRefused(code="shape", message=f"the result has no column {', '.join(missing)}")
        if len(set(columns)) != len(columns):
            raise SqlRefused(code="shape", message="two columns of the result have the same name")
        self._known[admitted.fills or step.bind] = columns
        rows = tuple(tuple(row) for row in answer["rows"])
        return SqlResult(
            columns=columns,
            rows=rows,
            statement=admitted.text,
            digest=content_id(canonical([list(columns), [list(row) for row in rows]]).encode()),
            reads=admitted.reads,
        )

    def close(self) -> None:
        """End the process, whatever it is doing. Idempotent."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()
        process.wait()

    def _free_name(self, name: str) -> None:
        # A bind of a read result lives beside the catalogue and must not hide any of it.
        if name in CATALOGUE or name in self._known or name.startswith(("sqlite_", DERIVED)):
            raise SqlRefused(code="shadow", message=f"the name {name!r} is taken")

    def _name(self, name: str, columns: Sequence[str]) -> None:
        self._free_name(name)
        self._known[name] = tuple(columns)

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        if self._process is None:
            self._start()
        for name, relation in list(self._waiting.items()):
            self._exchange(
                {"do": "load", "name": name, "columns": relation.columns, "rows": relation.rows}
            )
            del self._waiting[name]
        return self._exchange(request)

    def _start(self) -> None:
        # -I and -S: no user site, no environment, nothing but the standard library.
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(WORKER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={"PATH": os.defpath},
            start_new_session=True,
        )
        readable = sorted(self._known.keys() & CATALOGUE.keys())
        self._exchange(
            {
                "path": str(self._snapshot.resolve()),
                "readable": readable,
                "functions": sorted(FUNCTIONS),
                "ticks": TICKS,
            }
        )

    def _exchange(self, request: dict[str, Any]) -> dict[str, Any]:
        process = self._process
        if process is None or process.stdin is None or process.stdout is None:
            raise SqlRefused(code="engine", message="the SQL process is not running")
        try:
            process.stdin.write(json.dumps(request).encode() + b"\n")
            process.stdin.flush()
        except BrokenPipeError:
            self.close()
            raise SqlRefused(code="engine", message="the SQL process ended unexpectedly") from None
        answer: dict[str, Any] = json.loads(self._line(process.stdout.fileno()))
        if not answer["ok"]:
            raise SqlRefused(code=_code_of(answer["error"]), message=str(answer["error"])[:300])
        return answer

    def _line(self, pipe: int) -> bytes:
        """The next line of the worker, within the time and the size that an answer may have."""
        deadline = time.monotonic() + self._seconds
        while b"\n" not in self._buffer:
            left = deadline - time.monotonic()
            ready = left > 0 and select.select([pipe], [], [], left)[0]
            chunk = os.read(pipe, 1 << 16) if ready else b""
            if not ready or not chunk or len(self._buffer) > MOST_BYTES:
                self.close()
                message = f"no usable answer within {self._seconds:g} seconds and the size limit"
                raise SqlRefused(code="limits", message=message)
            self._buffer += chunk
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line


def _code_of(error: str) -> str:
    if "interrupted" in error or "more than" in error or "too big" in error or "memory" in error:
        return "limits"
    return "denied" if "prohibited" in error or "not authorized" in error else "failed"
