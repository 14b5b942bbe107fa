"""JSON lines on disk that survive a crash: append-only, each line durable by itself."""

import fcntl
import json
import os
from pathlib import Path
from types import TracebackType
from typing import Self

from pydantic import JsonValue

from proveout.kernel.errors import JournalError


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
    """Appends whole lines; writers in this and in other processes take turns."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("a+b", buffering=0)
        except OSError as error:
            raise self._unwritable(error) from error

    def append(self, value: JsonValue) -> None:
        """On disk, not only in a buffer, when this returns."""
        line = json.dumps(value, ensure_ascii=False, allow_nan=False) + "\n"
        content = line.encode(errors="replace")
        fcntl.flock(self._file, fcntl.LOCK_EX)
        try:
            self._mend()
            while content:
                content = content[self._file.write(content) :]
            os.fsync(self._file.fileno())
        except OSError as error:
            raise self._unwritable(error) from error
        finally:
            fcntl.flock(self._file, fcntl.LOCK_UN)

    def _unwritable(self, error: OSError) -> JournalError:
        message = f"{self._path} cannot be written: {error.strerror}"
        return JournalError(message, hint="make room, or name another file")

    def _mend(self) -> None:
        """Drop the torn line of a writer that died; give a whole one its line break."""
        end = self._file.seek(0, os.SEEK_END)
        self._file.seek(max(0, end - 1))
        if self._file.read(1) in (b"", b"\n"):
            return
        self._file.seek(0)
        last = self._file.read().rpartition(b"\n")[2]
        if _whole(last):
            self._file.write(b"\n")
        else:
            self._file.truncate(end - len(last))

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
