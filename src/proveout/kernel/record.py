"""Between a run and its journal: what was done is looked up, what is new is written.

`LiveRecord` serves runs and resumed runs: a finished step is re-read instead of done again.
`ReplayRecord` serves replays: everything that came from outside is re-read, every verdict is formed
again and compared, nothing is written.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from pydantic import JsonValue

from proveout.kernel.budget import BOUNDS, Elapsed
from proveout.kernel.canonical import canonical, content_id
from proveout.kernel.errors import BudgetSpent, Diverged
from proveout.kernel.events import (
    STEPS,
    BudgetDrained,
    Event,
    EvidenceObserved,
    Recorded,
    VerdictGiven,
)
from proveout.kernel.ports import Clock, Journal
from proveout.kernel.types import Verdict

REPEATED = frozenset({"note", "budget.warned", "budget.spent", "lesson.learned"})
"""Kinds that a resumed run comes past again; written once per key."""
BOUGHT = frozenset({"prompt.rendered", "model.called", "proposal.made"})
"""Kinds of steps that a spent budget prevents."""


class Record(Protocol):
    """The run's own door to the journal."""

    @property
    def replaying(self) -> bool:
        """Whether the world is read from the record; then nothing is sent to an engine."""
        ...

    def recall(self, kind: str, key: str) -> Event | None:
        """The event of a finished step, or None if it must be done now."""
        ...

    def observed(self, key: str) -> bytes | None:
        """What was seen at a place of this run, now or before; nothing if nobody looked."""
        ...

    def append(self, event: Event, *, durable: bool = False) -> None: ...

    def put(self, content: bytes) -> str: ...

    def get(self, content_id: str) -> bytes: ...


def observe_once(record: Record, key: str, produce: Callable[[], JsonValue]) -> str:
    """Content id of what was observed at `key`: then, if it was recorded, else now."""
    seen = record.recall("evidence.observed", key)
    if isinstance(seen, EvidenceObserved):
        return seen.content
    content = record.put(canonical(produce()).encode())
    record.append(EvidenceObserved(key=key, content=content))
    return content


def keep_once(record: Record, key: str, produce: Callable[[], bytes], media_type: str) -> str:
    """Store bytes that are worth showing; the event tells what they are."""
    kept = record.recall("evidence.observed", key)
    if isinstance(kept, EvidenceObserved):
        return kept.content
    name = record.put(produce())
    record.append(EvidenceObserved(key=key, content=name, media_type=media_type))
    return name


def _observed(journal: Journal, run: str, key: str) -> bytes | None:
    row = journal.find(run, "evidence.observed", key)
    if row is None or not isinstance(row.event, EvidenceObserved):
        return None
    return journal.get(row.event.content)


class LiveRecord:
    """Writes; with `history` (a resumed run) it looks before it leaps."""

    replaying = False

    def __init__(
        self,
        journal: Journal,
        run: str,
        *,
        clock: Clock,
        elapsed: Elapsed,
        history: Recorded | None = None,
        watch: Callable[[Event], None] = lambda _event: None,
    ) -> None:
        self._journal = journal
        self._run = run
        self._clock = clock
        self._elapsed = elapsed
        self._history = history
        self._watch = watch
        self._turn = threading.Lock()

    def recall(self, kind: str, key: str) -> Event | None:
        row = self._journal.find(self._run, kind, key) if self._history else None
        if row is None:
            if kind in STEPS:
                # It is done now, and the time that it takes counts before it is written down.
                self._start()
            return None
        self._elapsed.caught_up_to(row.elapsed)
        return row.event

    def observed(self, key: str) -> bytes | None:
        return _observed(self._journal, self._run, key)

    def open(self, event: Event) -> None:
        """Write the first event of a session. The clock stands: no work has been done yet."""
        elapsed = self._history.elapsed if self._history else 0.0
        self._journal.append(self._run, event, at=self._clock.now(), elapsed=elapsed, durable=True)
        self._watch(event)

    def append(self, event: Event, *, durable: bool = False) -> None:
        if event.kind in REPEATED and self.recall(event.kind, event.key) is not None:
            return
        # One at a time: the order of events and the order of their times must agree.
        with self._turn:
            self._start()
            self._journal.append(
                self._run, event, at=self._clock.now(), elapsed=self._elapsed(), durable=durable
            )
        self._watch(event)

    def _start(self) -> None:
        """The clock, if it does not run yet."""
        self._elapsed.start(self._history.elapsed if self._history else None)

    def put(self, content: bytes) -> str:
        return self._journal.put(content)

    def get(self, content_id: str) -> bytes:
        return self._journal.get(content_id)


@dataclass(frozen=True)
class Difference:
    """A verdict that came out otherwise than it was recorded."""

    key: str
    recorded: Verdict
    now: Verdict


class ReplayRecord:
    """Reads. A step that was never recorded means that the flow took another way: `Diverged`.

    With `execute`, checks observe the world again instead of reading what they saw.
    """

    replaying = True

    def __init__(
        self, journal: Journal, run: str, elapsed: Elapsed, *, execute: bool = False
    ) -> None:
        self._journal = journal
        self._run = run
        self._elapsed = elapsed
        self._anew = {"verdict.given", "evidence.observed"} if execute else {"verdict.given"}
        self._kept: dict[str, bytes] = {}
        self.differences: list[Difference] = []
        self.judged = 0

    def recall(self, kind: str, key: str) -> Event | None:
        row = self._journal.find(self._run, kind, key)
        if row is None:
            self._end_as_recorded(kind, key)
            message = f"the replay came to {kind} at {key!r}, which the run never recorded"
            raise Diverged(message, hint="the app's code or its data changed since the run")
        self._elapsed.caught_up_to(row.elapsed)
        return None if kind in self._anew else row.event

    def append(self, event: Event, *, durable: bool = False) -> None:
        del durable
        if isinstance(event, VerdictGiven):
            self.judged += 1
            row = self._journal.find(self._run, event.kind, event.key)
            if row is None or not isinstance(row.event, VerdictGiven):
                message = f"the replay judged {event.key!r}, which the run never did"
                raise Diverged(message)
            if row.event.verdict != event.verdict:
                self.differences.append(Difference(event.key, row.event.verdict, event.verdict))
        elif event.kind in STEPS - self._anew:
            message = f"the replay made a new step {event.kind} at {event.key!r}"
            raise Diverged(message)

    def observed(self, key: str) -> bytes | None:
        return _observed(self._journal, self._run, key)

    def _end_as_recorded(self, kind: str, key: str) -> None:
        """A replay costs nothing, so where the run's budget ended a branch, its record does."""
        if kind not in BOUGHT:
            return
        # A loop ends its own branch; a question outside of loops ends the run, at its root.
        path = key.partition("#")[0] if "#" in key else ""
        for bound in BOUNDS:
            row = self._journal.find(self._run, "budget.spent", f"{path}^{bound}")
            if row is not None and isinstance(row.event, BudgetDrained):
                raise BudgetSpent(bound, row.event.used, row.event.limit)

    def put(self, content: bytes) -> str:
        """Kept in memory while the replay lasts: what is observed anew must be readable."""
        name = content_id(content)
        self._kept[name] = content
        return name

    def get(self, content_id: str) -> bytes:
        kept = self._kept.get(content_id)
        return self._journal.get(content_id) if kept is None else kept
