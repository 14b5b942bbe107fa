"""JSON lines on disk that survive a crash: append-only, one writer, each line durable by itself."""

import fcntl
import json
import os
from pathlib import Path
from types import TracebackType
from typing import Self

from pydantic import JsonValue

from proveout.kernel.errors import JournalError, PrerequisiteError


def read_lines(path: Path) -> list[JsonValue]:
    """Every complete line. A torn last line was never acknowledged, so it is left out."""
    *complete, last = path.read_bytes().split(b"\n")
    values = []
    for number, line in enumerate(complete, start=1):
        if not line.strip():
            continue
        try:
            values.append(_parsed(line))
        except ValueError as error:
            message = f"line {number} of {path} is not JSON"
            raise JournalError(message, hint="restore the file from a copy") from error
    if _whole(last):
        values.append(_parsed(last))
    return values


def _parsed(line: bytes) -> JsonValue:
    value: JsonValue = json.loads(line)
    return value


def _whole(line: bytes) -> bool:
    """A file edited by hand may lack its last line break; a torn line lacks more than that."""
    try:
        _parsed(line)
    except ValueError:
        return False
    return True


class LineWriter:
    """The only writer of a file: a second one, in whatever process, is refused."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("a+b", buffering=0)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            self._file.close()
            message = f"{path} is being written by another process"
            raise PrerequisiteError(message, hint="wait for it, or name another file") from error
        self._mend()

    def _mend(self) -> None:
        """Drop a torn last line; give a whole one its line break."""
        self._file.seek(0)
        content = self._file.read()
        last = content.rpartition(b"\n")[2]
        if last and _whole(last):
            self._file.write(b"\n")
        elif last:
            self._file.truncate(len(content) - len(last))

    def append(self, value: JsonValue) -> None:
        """On disk, not only in a buffer, when this returns."""
        line = json.dumps(value, ensure_ascii=False, allow_nan=False) + "\n"
        content = line.encode(errors="replace")
        while content:
            content = content[self._file.write(content) :]
        os.fsync(self._file.fileno())

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
