"""Runs as lines of a list, without reading every event of every run.

A line of a finished run is made of its first and its last event; it is kept until the run goes on.
"""

import datetime
import json
import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple

from pydantic import JsonValue

from proveout.adapters.journal.sqlite import RunRow, SqliteJournal
from proveout.kernel.errors import JournalError
from proveout.kernel.run import read_run
from proveout.report.view import task_line
from proveout.server.shapes import RunFilter, RunLine, RunList, State

MOST_KEPT = 20_000
MOST_SCANNED = 20_000
LONGEST_WORDS = 2_000
"""Characters of a run that a search looks in."""
"""Runs that a search looks at, newest first."""
ENDS = """
SELECT first.body, last.kind, last.body, last.elapsed,
       (SELECT count(*) FROM events AS made
        WHERE made.run = :run AND made.kind = 'proposal.made' AND made.key <> '')
FROM events AS first, events AS last
WHERE first.run = :run AND first.sequence = 1 AND last.run = :run AND last.sequence = :sequence
"""


class Digest(NamedTuple):
    """What the first and the last event of a run tell."""

    title: str
    model: str
    words: str
    """What a search looks in, in lower case."""
    seconds: float
    attempts: int
    ended: bool
    accepted: bool
    score: float | None
    cost_usd: float
    tokens: int
    summary: str


class Listing:
    """Safe for many threads."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, int], Digest] = OrderedDict()
        self._lock = threading.Lock()

    def rows(
        self, journal: SqliteJournal, wanted: RunFilter, unended: Callable[[str], State]
    ) -> RunList:
        """`unended` tells the state of a run that has no ending."""
        fitting: list[tuple[RunRow, Digest, State]] = []
        for row in journal.runs()[:MOST_SCANNED]:
            if wanted.app not in ("", row.app) or row.started_at < wanted.since:
                continue
            digest = self._digest(journal, row)
            if not _fits(digest, wanted):
                continue
            state = _state(digest, row.run, unended)
            if wanted.state in ("", state):
                fitting.append((row, digest, state))
        page = fitting[wanted.offset : wanted.offset + wanted.limit]
        return RunList(
            runs=tuple(_line(*one) for one in page),
            total=len(fitting),
            limit=wanted.limit,
            offset=wanted.offset,
        )

    def _digest(self, journal: SqliteJournal, row: RunRow) -> Digest:
        name = (row.run, row.sequence)
        with self._lock:
            kept = self._kept.get(name)
        if kept is None:
            kept = _read(journal, row)
            with self._lock:
                self._kept[name] = kept
                while len(self._kept) > MOST_KEPT:
                    self._kept.popitem(last=False)
        return kept


def _read(journal: SqliteJournal, row: RunRow) -> Digest:
    found = journal.connection.execute(ENDS, {"run": row.run, "sequence": row.sequence}).fetchone()
    try:
        first, kind, last, elapsed, attempts = found
        started, ending = json.loads(first), json.loads(last)
    except (TypeError, ValueError):
        return _damaged(row)
    ended = kind == "run.ended"
    outcome = ending["outcome"] if ended else {}
    usage = ending["usage"] if ended else _usage(journal, row.run)
    summary = str(outcome.get("summary", ""))
    task: JsonValue = started.get("task")
    return Digest(
        title=task_line(task),
        model=str(started.get("model", "")),
        words=f"{row.run} {summary} {json.dumps(task, ensure_ascii=False)}".lower()[:LONGEST_WORDS],
        seconds=float(elapsed),
        attempts=int(attempts),
        ended=ended,
        accepted=bool(outcome.get("accepted")),
        score=outcome.get("score"),
        cost_usd=float(usage.get("cost_usd", 0.0)),
        tokens=int(usage.get("input_tokens", 0)) + int(usage.get("output_tokens", 0)),
        summary=summary,
    )


def _usage(journal: SqliteJournal, run: str) -> dict[str, float]:
    try:
        return read_run(journal.read(run)).usage.model_dump()
    except JournalError:
        return {}


def _damaged(row: RunRow) -> Digest:
    """A run whose events cannot be read is listed all the same: somebody must mend it."""
    words = row.run.lower()
    return Digest("damaged", "", words, 0.0, 0, False, False, None, 0.0, 0, "cannot be read")


def _fits(digest: Digest, wanted: RunFilter) -> bool:
    return wanted.model in ("", digest.model) and wanted.text.lower() in digest.words


def _state(digest: Digest, run: str, unended: Callable[[str], State]) -> State:
    if not digest.ended:
        return unended(run)
    return "accepted" if digest.accepted else "not accepted"


def _line(row: RunRow, digest: Digest, state: State) -> RunLine:
    started = datetime.datetime.fromtimestamp(row.started_at, tz=datetime.UTC)
    return RunLine(
        run=row.run,
        app=row.app,
        title=digest.title,
        state=state,
        model=digest.model,
        started=started.isoformat(timespec="seconds"),
        started_at=row.started_at,
        seconds=digest.seconds,
        attempts=digest.attempts,
        score=digest.score,
        cost_usd=digest.cost_usd,
        tokens=digest.tokens,
        summary=digest.summary,
    )
