"""The record of every call: what was asked, and a hash of what came back."""

import threading
from collections import deque
from collections.abc import Callable, Iterator

from pydantic import JsonValue

from proveout.kernel.canonical import GENESIS, canonical, chain_id
from proveout.kernel.types import Frozen

MOST_IDS = 20
ID_FIELDS = ("id", "path", "file", "sku", "task_id", "session_id")
SECRETS = frozenset({"account_key", "key", "public_key"})


class CallRecord(Frozen):
    """One call. Equal calls with equal answers have equal records, but for `seconds`."""

    route: str
    request: dict[str, JsonValue]
    status: int
    """0 if there was no answer."""
    digest: str = ""
    """Of the canonical answer; empty if there was none."""
    ids: tuple[str, ...] = ()
    """Identifiers in the answer, the first twenty."""
    tries: int = 1
    error: str = ""
    """Code of the error, if it ended in one."""
    seconds: float = 0.0


class Trail:
    """All calls in order. Keeps the latest in memory and a chained hash over all."""

    def __init__(
        self, *, keep: int = 2_000, sink: Callable[[CallRecord], None] | None = None
    ) -> None:
        self.records: deque[CallRecord] = deque(maxlen=keep)
        self.count = 0
        self.digest = GENESIS
        self._sink = sink
        self._lock = threading.Lock()

    def add(self, record: CallRecord) -> None:
        body = canonical(record.model_copy(update={"seconds": 0.0}))
        with self._lock:
            self.count += 1
            self.records.append(record)
            self.digest = chain_id(self.digest, body)
        if self._sink is not None:
            self._sink(record)


def redacted(body: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Without keys of accounts: records are kept and shown."""
    return {name: "***" if name in SECRETS else value for name, value in body.items()}


def identifiers(value: JsonValue) -> tuple[str, ...]:
    """Ids in an answer, in order of appearance, each once."""
    found: dict[str, None] = {}
    for identifier in _walk(value):
        found.setdefault(identifier)
        if len(found) == MOST_IDS:
            break
    return tuple(found)


def _walk(value: JsonValue) -> Iterator[str]:
    if isinstance(value, dict):
        for name in ID_FIELDS:
            if isinstance(held := value.get(name), str) and held:
                yield held
        for inner in value.values():
            yield from _walk(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _walk(inner)
