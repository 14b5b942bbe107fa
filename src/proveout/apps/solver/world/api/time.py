"""Routes of time tracking."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import cast

from proveout.apps.solver.world.api.body import ApiError, Body, JsonObject, not_found
from proveout.apps.solver.world.api.numbers import hours
from proveout.apps.solver.world.api.state import TaskState
from proveout.apps.solver.world.graph import (
    TIME_STATUSES,
    WORK_CATEGORIES,
    TimeEntry,
    TimeStatus,
    WorkCategory,
)

_BILLABLE = ("", "billable", "non_billable")


def _shown(entry: TimeEntry) -> JsonObject:
    return {
        "employee": entry.employee,
        "customer": entry.customer,
        "project": entry.project,
        "date": entry.date,
        "hours": hours(entry.hours_centi),
        "work_category": entry.work_category,
        "notes": entry.notes,
        "billable": entry.billable,
        "status": entry.status,
    }


def _with_id(entry: TimeEntry) -> JsonObject:
    return {"id": entry.id, **_shown(entry)}


def _centihours(body: Body) -> int:
    value = body.number("hours")
    if not math.isfinite(value) or value < 0:
        text = "field 'hours' must not be negative"
        raise ApiError(400, text)
    return round(value * 100)


def _status(body: Body) -> TimeStatus:
    return cast(TimeStatus, body.one_of("status", ("", *TIME_STATUSES)) or "draft")


def _category(body: Body) -> WorkCategory:
    allowed = ("", *WORK_CATEGORIES)
    return cast(WorkCategory, body.one_of("work_category", allowed))


def log_time(state: TaskState, body: Body) -> JsonObject:
    employee, project = body.required("employee"), body.text("project")
    customer = body.text("customer")
    if (
        employee not in state.people
        or (project and project not in state.projects)
        or (customer and customer not in state.customers)
    ):
        raise not_found()
    entry = state.entries.add(
        TimeEntry(
            id="",
            employee=employee,
            customer=customer,
            project=project,
            date=body.day("date", required=True),
            hours_centi=_centihours(body),
            work_category=_category(body),
            notes=body.text("notes"),
            billable=body.flag("billable"),
            status=_status(body),
            logged_by=body.text("logged_by"),
        )
    )
    state.change("Evt_TimeEntryLogged", **_with_id(entry))
    return _with_id(entry)


def update_time(state: TaskState, body: Body) -> JsonObject:
    """Replaces all that an update can name; the kind of change decides on the event."""
    old = state.entries.get(body.required("id"))
    if old is None:
        raise not_found()
    new = replace(
        old,
        date=body.day("date", required=True),
        hours_centi=_centihours(body),
        work_category=_category(body),
        notes=body.text("notes"),
        billable=body.flag("billable"),
        status=_status(body),
    )
    state.entries.put(new)
    if new.status != old.status:
        state.change("Evt_TimeEntryStatusChanged", old_status=old.status, **_with_id(new))
    if replace(new, status=old.status) != old:
        state.change("Evt_TimeEntryUpdated", **_with_id(new))
    return {}


def get_time(state: TaskState, body: Body) -> JsonObject:
    entry = state.entries.get(body.required("id"))
    if entry is None:
        raise not_found()
    return {"entry": _shown(entry)}


@dataclass
class Totals:
    total: int = 0
    billable: int = 0
    people: set[str] = field(default_factory=set)

    def add(self, entry: TimeEntry) -> None:
        self.total += entry.hours_centi
        self.billable += entry.hours_centi if entry.billable else 0
        self.people.add(entry.employee)


def search_time(state: TaskState, body: Body) -> JsonObject:
    wanted = {
        name: body.text(name)
        for name in ("employee", "customer", "project", "work_category", "status")
    }
    first, last = body.day("date_from"), body.day("date_to")
    billable = body.one_of("billable", _BILLABLE)

    def fits(entry: TimeEntry) -> bool:
        return (
            all(not value or getattr(entry, name) == value for name, value in wanted.items())
            and _in_range(entry, first, last)
            and _is_billable(entry, billable)
        )

    key = ("time", *wanted.values(), first, last, billable)
    everything = not any(key[1:])
    rows = (
        state.entries  # pages of a million rows are computed as they are asked for
        if everything
        else state.filtered(key, lambda: [e for e in state.entries if fits(e)])
    )
    sums = state.filtered(
        ("sums", *key), state.entries.totals if everything else lambda: _sum(rows)
    )
    return {
        **state.page("entries", rows, body, _with_id),
        "total_hours": hours(sums[0]),
        "total_billable": hours(sums[1]),
        "total_non_billable": hours(sums[0] - sums[1]),
    }


def _sum(rows: Iterable[TimeEntry]) -> tuple[int, int]:
    totals = Totals()
    for entry in rows:
        totals.add(entry)
    return totals.total, totals.billable


def _in_range(entry: TimeEntry, first: str, last: str) -> bool:
    return (not first or entry.date >= first) and (not last or entry.date <= last)


def _is_billable(entry: TimeEntry, wanted: str) -> bool:
    return wanted == "" or entry.billable == (wanted == "billable")


def _grouped(state: TaskState, body: Body, *key: str) -> dict[tuple[str, ...], Totals]:
    first, last = body.day("date_from", required=True), body.day("date_to", required=True)
    people, customers = body.texts("employees"), body.texts("customers")
    projects, billable = body.texts("projects"), body.one_of("billable", _BILLABLE)
    groups: dict[tuple[str, ...], Totals] = {}
    for entry in state.entries:
        if (
            _in_range(entry, first, last)
            and _is_billable(entry, billable)
            and (not people or entry.employee in people)
            and (not customers or entry.customer in customers)
            and (not projects or entry.project in projects)
        ):
            name = tuple(str(getattr(entry, part)) for part in key)
            groups.setdefault(name, Totals()).add(entry)
    return dict(sorted(groups.items()))


def _figures(totals: Totals) -> JsonObject:
    return {
        "total_hours": hours(totals.total),
        "billable_hours": hours(totals.billable),
        "non_billable_hours": hours(totals.total - totals.billable),
    }


def summary_by_project(state: TaskState, body: Body) -> JsonObject:
    rows: list[JsonObject] = [
        {
            "customer": customer,
            "project": project,
            **_figures(totals),
            "distinct_employees": len(totals.people),
        }
        for (customer, project), totals in _grouped(state, body, "customer", "project").items()
    ]
    return {"summaries": rows or None}


def summary_by_employee(state: TaskState, body: Body) -> JsonObject:
    rows: list[JsonObject] = [
        {"employee": employee, **_figures(totals)}
        for (employee,), totals in _grouped(state, body, "employee").items()
    ]
    return {"summaries": rows or None}
