"""Re-derives everything the journal claims: chains, contents, indexes, lessons."""

import json
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from proveout.adapters.journal.migrations import UNREADABLE
from proveout.adapters.journal.sqlite import COLUMNS, SqliteJournal, envelope
from proveout.kernel.canonical import GENESIS, chain_id, content_id, value_id
from proveout.kernel.events import EVENTS, Recorded


class Damage(NamedTuple):
    """One thing that is not as it was written."""

    run: str
    """Empty if it concerns the whole file."""
    message: str


def verify(journal: SqliteJournal, run: str = "") -> list[Damage]:
    """All damage found, of one run and its contents or of the whole file; none is a proof."""
    damage: list[Damage] = []
    contents: set[str] = set()
    try:
        # All of it as of one instant: a run may be going in another process.
        with journal.snapshot():
            names = [run] if run else _names(journal)
            for name in names:
                damage.extend(_chain(journal, name, contents))
            damage.extend(_blobs(journal, contents if run else None))
            if not run:
                damage.extend(_file(journal))
                damage.extend(_lessons(journal))
    except UNREADABLE as error:
        damage.append(Damage(run, f"the file cannot be read: {error}"))
    return damage


def _names(journal: SqliteJournal) -> list[str]:
    query = "SELECT run FROM events UNION SELECT run FROM runs ORDER BY run"
    return [str(name) for (name,) in journal.connection.execute(query)]


def _chain(journal: SqliteJournal, run: str, contents: set[str]) -> Iterator[Damage]:
    """Damage of a run; the contents that it names are added to `contents`."""
    parent, sequence = GENESIS, 0
    rows = journal.connection.execute(
        f"SELECT {COLUMNS}, kind, key FROM events WHERE run = ? ORDER BY sequence", (run,)
    )
    app, started_at = "", 0.0
    for row in rows:
        sequence += 1
        here = f"event {row[1]}"
        if row[1] != sequence:
            yield Damage(run, f"{here}: expected number {sequence}; an event is missing")
            return
        try:
            event = EVENTS.validate_json(row[6])
            recorded = Recorded(row[0], row[1], row[2], row[3], row[4], row[5], event)
            name = chain_id(parent, envelope(recorded, row[6]))
        except (ValueError, TypeError):
            yield Damage(run, f"{here}: cannot be read")
            return
        if row[3] != parent or row[2] != name:
            yield Damage(run, f"{here}: its hash does not follow from its content")
            return
        if (event.kind, event.key) != (row[7], row[8]):
            yield Damage(run, f"{here}: its columns disagree with its content")
        if event.kind == "run.started":
            app, started_at = event.app, row[4]
        parent = row[2]
        names = _named(json.loads(row[6]))
        contents.update(names)
        yield from _missing(journal, run, here, names)
    head = journal.connection.execute(
        "SELECT app, started_at, sequence, head FROM runs WHERE run = ?", (run,)
    ).fetchone()
    if head != (app, started_at, sequence, parent) or not sequence:
        yield Damage(run, "the end of the chain is not where the list of runs says")


def _named(body: object) -> list[str]:
    """Contents that an event names."""
    names: list[str] = []
    if isinstance(body, dict) and body.get("kind") in _NAMING:
        for field in _NAMING[str(body["kind"])]:
            value = body.get(field) or []
            names.extend([value] if isinstance(value, str) else value)
    return names


def _missing(journal: SqliteJournal, run: str, here: str, names: Sequence[str]) -> Iterator[Damage]:
    """Contents that an event names and the file does not hold."""
    for name in names:
        query = "SELECT 1 FROM blobs WHERE id = ?"
        if journal.connection.execute(query, (name,)).fetchone() is None:
            yield Damage(run, f"{here}: its content {name} is missing")


_NAMING = {
    "prompt.rendered": ("prompt", "schema_id", "pictures"),
    "model.called": ("text",),
    "evidence.observed": ("content",),
}


def _blobs(journal: SqliteJournal, only: set[str] | None = None) -> Iterator[Damage]:
    """Contents that are not what their name says: these, or all."""
    for name, content in _contents(journal, only):
        if not isinstance(content, bytes) or content_id(content) != name:
            yield Damage("", f"content {name} is not what its name says")


def _contents(journal: SqliteJournal, only: set[str] | None) -> Iterator[tuple[str, object]]:
    if only is None:
        yield from journal.connection.execute("SELECT id, content FROM blobs")
        return
    for name in sorted(only):
        query = "SELECT id, content FROM blobs WHERE id = ?"
        yield from journal.connection.execute(query, (name,))


def _file(journal: SqliteJournal) -> Iterator[Damage]:
    for (line,) in journal.connection.execute("PRAGMA integrity_check"):
        if line != "ok":
            yield Damage("", str(line))


def _lessons(journal: SqliteJournal) -> Iterator[Damage]:
    """The projection of lessons must be what the events teach."""
    counts: dict[tuple[str, str], int] = {}
    query = "SELECT body FROM events WHERE kind = 'lesson.learned'"
    for (body,) in journal.connection.execute(query):
        try:
            event = EVENTS.validate_json(body)
        except (ValueError, TypeError):
            # Told by the chain of its run; what it taught cannot be said.
            continue
        if event.kind == "lesson.learned":
            name = (event.app, event.patch.signature)
            counts[name] = counts.get(name, 0) + 1
    stored = {}
    query = "SELECT app, signature, count, last, patch, origins, seal FROM patches"
    for *row, seal in journal.connection.execute(query):
        stored[(row[0], row[1])] = row[2]
        if not all(isinstance(cell, str | int) for cell in row) or seal != value_id(row):
            yield Damage("", f"lesson {row[1]} of {row[0]} was changed")
    if stored != counts:
        yield Damage("", "the lessons are not those that the events taught")
