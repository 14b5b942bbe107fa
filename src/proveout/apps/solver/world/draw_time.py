"""Time entries, each computed from its place in the sequence: a million need no memory."""

from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from functools import cached_property
from hashlib import blake2b
from typing import overload

from proveout.apps.solver.world.graph import Project, TimeEntry, TimeStatus, WorkCategory

_DAYS = 150
_NOTES = (
    "Workshop and minutes", "Drawings checked", "Site visit", "Tests in the lab",
    "Calls with client", "Report draft", "Parts list", "Review round", "Travel",
    "Set-up of equipment", "",
)  # fmt: skip
_OPEN: tuple[TimeStatus, ...] = ("draft", "submitted", "approved")
_OLD: tuple[TimeStatus, ...] = ("approved", "invoiced", "invoiced")


class TimeSheet(Sequence[TimeEntry]):
    """Entries in date order up to the world's today."""

    def __init__(
        self, key: str, projects: Sequence[Project], internal: str, today: str, count: int
    ) -> None:
        self._key = key.encode()
        self._internal = internal
        self._projects = tuple(projects)
        last = date.fromisoformat(today)
        self._dates = [(last - timedelta(days=age)).isoformat() for age in range(_DAYS)]
        self._count = count
        self._width = max(3, len(str(count)))

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, place: int) -> TimeEntry: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[TimeEntry, ...]: ...
    def __getitem__(self, place: int | slice) -> TimeEntry | tuple[TimeEntry, ...]:
        if isinstance(place, slice):
            return tuple(self._entry(i) for i in range(*place.indices(self._count)))
        if not -self._count <= place < self._count:
            raise IndexError(place)
        return self._entry(place % self._count)

    def __iter__(self) -> Iterator[TimeEntry]:
        return (self._entry(i) for i in range(self._count))

    def find(self, entry_id: str) -> TimeEntry | None:
        """The entry with this id, without walking through the others."""
        stem, _, number = entry_id.partition("_")
        if stem != "te" or not number.isdecimal() or not 1 <= int(number) <= self._count:
            return None
        entry = self._entry(int(number) - 1)
        return entry if entry.id == entry_id else None

    @cached_property
    def totals(self) -> tuple[int, int]:
        """All hours and the billable ones, in hundredths; one walk for all tasks."""
        total = billable = 0
        for entry in self:
            total += entry.hours_centi
            billable += entry.hours_centi if entry.billable else 0
        return total, billable

    def _entry(self, place: int) -> TimeEntry:
        # One cheap digest instead of a generator per entry: big worlds draw a million of these.
        dice = blake2b(b"%d" % place, key=self._key, digest_size=12).digest()
        project = self._projects[(dice[0] << 8 | dice[1]) % len(self._projects)]
        member = project.team[dice[2] % len(project.team)]
        age = _DAYS - 1 - place * _DAYS // self._count
        internal = project.customer == self._internal
        category: WorkCategory = "internal" if internal else "customer_project"
        if dice[3] < 20:
            category = "support" if dice[4] & 1 else "admin"
        statuses = _OLD if age > 45 else _OPEN
        return TimeEntry(
            id=f"te_{place + 1:0{self._width}d}",
            employee=member.employee,
            customer="" if internal else project.customer,
            project=project.id,
            date=self._dates[age],
            hours_centi=25 * (2 + dice[5] % 35),
            work_category=category,
            notes=_NOTES[dice[6] % len(_NOTES)],
            billable=category == "customer_project" and dice[7] < 205,
            status=statuses[dice[8] % len(statuses)],
            logged_by=member.employee,
        )
