"""What a task works on: the world with the task's overlay, its changes and its answer."""

import hashlib
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar, overload

from proveout.apps.solver.world.api.body import ApiError, Body, JsonObject
from proveout.apps.solver.world.draw_time import TimeSheet
from proveout.apps.solver.world.graph import TimeEntry, World
from proveout.apps.solver.world.spec import EventType, TaskSpec

Row = TypeVar("Row")
_CACHED_FILTERS = 16
_NO_DIGIT = re.compile(r"[^0-9]")


@dataclass(frozen=True)
class Event:
    type: EventType
    fields: Mapping[str, object]


@dataclass(frozen=True)
class Answer:
    message: str
    outcome: str
    links: tuple[tuple[str, str], ...]
    """Kind and id, as sent."""


def wiki_digest(pages: Mapping[str, str]) -> str:
    """SHA-1 over path and content of all pages in path order, each followed by a newline."""
    digest = hashlib.sha1(usedforsecurity=False)
    for path in sorted(pages):
        digest.update(f"{path}\n{pages[path]}\n".encode())
    return digest.hexdigest()


class EntryBook(Sequence[TimeEntry]):
    """Time entries: the world's, those that were added, and those that were changed."""

    def __init__(self, base: Sequence[TimeEntry], added: Sequence[TimeEntry]) -> None:
        self._base = base
        self._added = {entry.id: entry for entry in added}
        self._changed: dict[str, TimeEntry] = {}

    def __iter__(self) -> Iterator[TimeEntry]:
        for entry in self._base:
            yield self._changed.get(entry.id, entry)
        yield from self._added.values()

    def __len__(self) -> int:
        return len(self._base) + len(self._added)

    @overload
    def __getitem__(self, place: int) -> TimeEntry: ...
    @overload
    def __getitem__(self, place: slice) -> list[TimeEntry]: ...
    def __getitem__(self, place: int | slice) -> TimeEntry | list[TimeEntry]:
        if isinstance(place, int):
            return self[place : place + 1][0]
        first, last, _ = place.indices(len(self))
        base = [self._changed.get(e.id, e) for e in self._base[first:last]]
        start, end = max(0, first - len(self._base)), max(0, last - len(self._base))
        return base + list(self._added.values())[start:end]

    def get(self, entry_id: str) -> TimeEntry | None:
        if entry_id in self._changed:
            return self._changed[entry_id]
        if entry_id in self._added:
            return self._added[entry_id]
        if isinstance(self._base, TimeSheet):
            return self._base.find(entry_id)
        return next((entry for entry in self._base if entry.id == entry_id), None)

    def totals(self) -> tuple[int, int]:
        """All hours and the billable ones, in hundredths."""
        if isinstance(self._base, TimeSheet) and not self._changed:
            total, billable = self._base.totals
            rest: Iterable[TimeEntry] = self._added.values()
        else:
            total, billable, rest = 0, 0, self
        for entry in rest:
            total += entry.hours_centi
            billable += entry.hours_centi if entry.billable else 0
        return total, billable

    def add(self, entry: TimeEntry) -> TimeEntry:
        """Stores the entry under an id after all others."""
        known = [*self._base[-1:], *self._added.values()]
        number = 1 + max((int(_NO_DIGIT.sub("", e.id) or 0) for e in known), default=0)
        named = replace(entry, id=f"te_{number:03d}")
        self._added[named.id] = named
        return named

    def put(self, entry: TimeEntry) -> None:
        book = self._added if entry.id in self._added else self._changed
        book[entry.id] = entry


class TaskState:
    def __init__(self, world: World, spec: TaskSpec) -> None:
        overlay = spec.overlay
        self.world = world
        self.spec = spec
        self.people = dict(world.person_by_id)
        for employee, notes in overlay.notes.items():
            self.people[employee] = replace(self.people[employee], notes=notes)
        self.customers = dict(world.customer_by_id)
        for customer, brief in overlay.briefs.items():
            self.customers[customer] = replace(self.customers[customer], brief=brief)
        self.projects = dict(world.project_by_id)
        for project, text in overlay.descriptions.items():
            self.projects[project] = replace(self.projects[project], description=text)
        self.entries = EntryBook(world.time_entries, overlay.time_entries)
        self.wiki = {**world.wiki_of(spec.variant), **overlay.pages}
        self.first_wiki = dict(self.wiki)
        self.events: list[Event] = []
        self.answers: list[Answer] = []
        self._digest = wiki_digest(self.wiki)
        self._filtered: dict[Hashable, Sequence[object]] = {}

    @property
    def digest(self) -> str:
        return self._digest

    def change(self, event: EventType, **fields: object) -> None:
        self.events.append(Event(event, fields))
        self._filtered.clear()

    def rewrite(self, path: str, content: str) -> None:
        """Stores a page; an empty one disappears. The digest follows."""
        if content:
            self.wiki[path] = content
        else:
            self.wiki.pop(path, None)
        self._digest = wiki_digest(self.wiki)
        self.change("Evt_WikiArticleUpdated", path=path, content=content)

    def filtered(self, key: Hashable, select: Callable[[], Sequence[Row]]) -> Sequence[Row]:
        """Rows of a filter, kept until something changes: paging through many is linear."""
        if key not in self._filtered:
            while len(self._filtered) >= _CACHED_FILTERS:
                self._filtered.pop(next(iter(self._filtered)))
            self._filtered[key] = select()
        return self._filtered[key]  # type: ignore[return-value]  # stored under the same key

    def page(
        self, name: str, rows: Sequence[Row], body: Body, show: Callable[[Row], JsonObject]
    ) -> JsonObject:
        """One page under the task's cap, in the API's ways of saying "none" and "done"."""
        offset, limit = body.integer("offset"), body.integer("limit")
        if limit > self.spec.page_cap:
            text = f"page limit exceeded: {limit} > {self.spec.page_cap}"
            raise ApiError(400, text)
        if limit < 0 or offset < 0:
            text = "offset and limit must not be negative"
            raise ApiError(400, text)
        if offset > len(rows):
            text = f"offset {offset} is past the end"
            raise ApiError(500, text)
        shown = [show(row) for row in rows[offset : offset + limit]]
        end = offset + limit
        return {name: shown or None, "next_offset": -1 if end >= len(rows) else end}
