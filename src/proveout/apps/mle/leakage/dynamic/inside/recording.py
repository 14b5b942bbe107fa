"""The notes: events in order, with the numbers that were seen, within fixed bounds."""

import json
import os
import sys
from typing import Any

from .matrices import as_matrix

MOST_EVENTS = 4_000
MOST_NUMBERS = 3_000_000
"""Of all matrices together; what comes later is noted without its numbers."""
MOST_INDICES = 2_000_000
LONGEST_NAME = 80


class Recorder:
    """One per process; writes `record.json` and `record.bin` when the program has ended."""

    def __init__(self, program: str, splits: list[Any]) -> None:
        self.program = program
        self.splits = splits
        """Of an earlier run: the same rows are put on each side again."""
        self.events: list[dict[str, Any]] = []
        self.calls: list[tuple[int, str, bool]] = []
        """Estimators at work: their identity, class, and whether others are seen through them."""
        self.fitted: dict[int, tuple[int, Any]] = {}
        self.answers: dict[str, int] | None = None
        """What the estimator whose score is being computed predicted."""
        self.read: list[str] = []
        self.failure = ""
        self.busy = False
        self.full = False
        self._parts: list[bytes] = []
        self._numbers = 0
        self._indices = 0
        self._split = 0

    def line(self) -> int:
        """Where the program itself is."""
        frame: Any = sys._getframe(1)
        while frame is not None:
            if frame.f_code.co_filename == self.program:
                return int(frame.f_lineno)
            frame = frame.f_back
        return 0

    def hidden(self) -> bool:
        """Inside of an estimator whose inner life is its own affair."""
        return self.busy or any(not through for _, _, through in self.calls)

    def note(self, kind: str, name: str, **more: Any) -> int:
        if len(self.events) >= MOST_EVENTS:
            self.full = True
            return -1
        inside = [called for _, called, _ in self.calls]
        event = {"kind": kind, "line": self.line(), "name": str(name)[:LONGEST_NAME]}
        self.events.append({**event, "inside": inside[:8], **more})
        return len(self.events) - 1

    def matrix(self, value: Any) -> dict[str, int] | None:
        """Keep the numbers; gives where they are."""
        self.busy, before = True, self.busy
        try:
            found = as_matrix(value)
        except (ValueError, TypeError, AttributeError, MemoryError, OverflowError):
            found = None
        finally:
            self.busy = before
        if found is None:
            return None
        numbers, width = found
        rows, columns = numbers.shape
        if self._numbers + rows * columns > MOST_NUMBERS:
            self.full = True
            return {"at": -1, "rows": int(rows), "columns": 0, "width": width}
        at = self._numbers
        self._parts.append(numbers.astype("<f8").tobytes())
        self._numbers += rows * columns
        return {"at": at, "rows": int(rows), "columns": int(columns), "width": width}

    def next_split(self) -> int:
        self._split += 1
        return self._split - 1

    def replayed(self, number: int, rows: int) -> list[Any] | None:
        """What the same split gave in the first run; None if it is another one."""
        if number < len(self.splits) and self.splits[number]["rows"] == rows:
            return list(self.splits[number]["folds"])
        return None

    def divided(self, name: str, number: int, rows: int, train: Any, test: Any) -> None:
        first, second = [int(one) for one in train], [int(one) for one in test]
        self._indices += len(first) + len(second)
        if self._indices > MOST_INDICES:
            self.full = True
            return
        self.note("split", name, number=number, rows=rows, train=first, test=second)

    def write(self) -> None:
        told = {
            "events": self.events,
            "read": self.read[:200],
            "failure": self.failure[-4000:],
            "full": self.full,
            "numbers": self._numbers,
        }
        with open("record.bin", "wb") as numbers:  # noqa: PTH123
            numbers.writelines(self._parts)
        with open("record.part", "w", encoding="utf-8") as text:  # noqa: PTH123
            json.dump(told, text, allow_nan=False)
        os.replace("record.part", "record.json")  # noqa: PTH105
