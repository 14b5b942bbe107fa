"""From a write intent to the exact request: fetched, merged, checked, not yet sent."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import partial

from proveout.apps.solver.client import CompanyClient
from proveout.apps.solver.client import requests as asked
from proveout.apps.solver.client.errors import NotFound
from proveout.apps.solver.client.route import Request
from proveout.apps.solver.decision import Link
from proveout.apps.solver.entities import EmployeeView, Identity, SkillLevel, TimeEntry
from proveout.apps.solver.validating import intents
from proveout.apps.solver.validating.endings import Unclear
from proveout.apps.solver.validating.execution import Evidence
from proveout.apps.solver.validating.facts import Facts, FactSet
from proveout.apps.solver.validating.message import fill
from proveout.apps.solver.validating.teams import new_team
from proveout.apps.solver.words import WriteOperation

LONGEST_DAY_HOURS = 24
_PATH = re.compile(r"[\w][\w. -]*(?:/[\w][\w. -]*)*", re.UNICODE)


@dataclass(frozen=True)
class Prepared:
    """What a permission hangs on, and how the request is made once it is given."""

    operation: WriteOperation
    facts: FactSet
    make: Callable[[], Request]
    """Raises `Unclear` where a value is impossible: said only to those who may change it."""
    link: Link | None = None
    """What to show if something about the change is still missing."""


class Preparer:
    """Makes requests of changes. Reads the API, writes nothing."""

    def __init__(
        self, client: CompanyClient, who: Identity, facts: Facts, evidence: Evidence
    ) -> None:
        self._client = client
        self._me = who.current_user
        self._facts = facts
        self._evidence = evidence

    def prepare(self, operation: WriteOperation, change: intents.Change) -> Prepared:
        """Raises `Unclear` where the target does not exist."""
        try:
            return self._prepare(operation, change)
        except NotFound:
            message = "5 what is to be changed does not exist"
            raise Unclear(message) from None

    def _prepare(self, operation: WriteOperation, change: intents.Change) -> Prepared:
        match change:
            case intents.StatusChange() | intents.TeamChange():
                return self._project(operation, change)
            case intents.TimeLog():
                return self._log(operation, change)
            case intents.TimeChange():
                return self._time(operation, change)
            case intents.WikiChange():
                link = Link(kind="wiki", id=change.path)
                return Prepared(operation, {"page": change.path}, partial(self._page, change), link)
            case _:
                return self._person(operation, change)

    def _person(
        self,
        operation: WriteOperation,
        change: intents.SkillsChange
        | intents.NoteChange
        | intents.SalaryChange
        | intents.ProfileChange,
    ) -> Prepared:
        person = self._client.get_employee(change.employee or self._me)
        facts = self._facts.about_person(person.id)
        if isinstance(change, intents.SalaryChange):
            approved = self._facts.approved(person, _new_salary(person.salary, change))
            facts = {**facts, "ceo_approval": approved}
        link = Link(kind="employee", id=person.id)
        return Prepared(operation, facts, partial(_of_person, person, change), link)

    def _project(
        self, operation: WriteOperation, change: intents.StatusChange | intents.TeamChange
    ) -> Prepared:
        project = self._client.get_project(change.project)
        facts = self._facts.about_project(project)
        link = Link(kind="project", id=project.id)
        if isinstance(change, intents.StatusChange):
            request = asked.StatusUpdate(id=project.id, status=change.status)
            facts = {**facts, "status": change.status}
            return Prepared(operation, facts, lambda: request, link)

        def team() -> Request:
            return asked.TeamUpdate(id=project.id, team=new_team(project.team, change))

        return Prepared(operation, facts, team, link)

    def _log(self, operation: WriteOperation, change: intents.TimeLog) -> Prepared:
        old = self._client.get_time_entry(change.copy_of) if change.copy_of else None
        person = change.employee or (old.employee if old else self._me)
        self._client.get_employee(person)
        project = self._client.get_project(change.project or (old.project if old else ""))
        customer = project.customer if self._is_customer(project.customer) else None
        own = self._facts.is_me(person) and (old is None or self._facts.is_me(old.employee))
        facts = self._facts.about_project(project, person)
        facts |= {"is_self": own, "status": change.status}

        def entry() -> Request:
            return _entry(change, old, person, project.id, customer)

        return Prepared(operation, facts, entry, Link(kind="project", id=project.id))

    def _time(self, operation: WriteOperation, change: intents.TimeChange) -> Prepared:
        entry = self._client.get_time_entry(change.entry)
        status = entry.status if change.status is None else change.status
        facts = self._facts.about_entry(entry) | {"status": status}
        link = Link(kind="project", id=entry.project) if entry.project else None
        return Prepared(operation, facts, partial(_changed_entry, entry, change), link)

    def _page(self, change: intents.WikiChange) -> Request:
        if not _PATH.fullmatch(change.path) or ".." in change.path:
            message = "7 this is not a path of a wiki page"
            raise Unclear(message)
        content = change.content or ""
        try:
            if change.content_of:
                content = self._client.load_wiki(change.content_of).content
            elif change.delete:
                self._client.load_wiki(change.path)
        except NotFound:
            message = "5 there is no such page"
            raise Unclear(message) from None
        if change.template:
            content = fill(change.template, self._evidence.binds, joined_by="\n- ")
        return asked.WikiUpdate(file=change.path, content=content)

    def _is_customer(self, customer: str) -> bool:
        """Internal projects name a pseudo customer that the registry does not know."""
        if not customer:
            return False
        try:
            self._client.get_customer(customer)
        except NotFound:
            return False
        return True


def _of_person(
    person: EmployeeView,
    change: intents.SkillsChange
    | intents.NoteChange
    | intents.SalaryChange
    | intents.ProfileChange,
) -> Request:
    """Only what changes, lists complete: the registry keeps whatever is left out."""
    match change:
        case intents.SkillsChange():
            return _skills(person, change)
        case intents.NoteChange():
            keep = person.notes.rstrip() if change.mode == "append" else ""
            notes = f"{keep}\n{change.note}" if keep else change.note
            return asked.EmployeeUpdate(employee=person.id, notes=notes)
        case intents.SalaryChange():
            salary = _new_salary(person.salary, change)
            if salary <= 0:
                message = "7 a salary must be above zero"
                raise Unclear(message)
            return asked.EmployeeUpdate(employee=person.id, salary=salary)
        case intents.ProfileChange():
            return asked.EmployeeUpdate(
                employee=person.id,
                location=change.location or None,
                department=change.department or None,
            )


def _skills(person: EmployeeView, change: intents.SkillsChange) -> Request:
    wanted = {level.name: level for level in change.levels}
    if len(wanted) != len(change.levels):
        message = "7 a skill is named twice"
        raise Unclear(message)
    skills, wills = _merged(person, wanted)
    # Where nothing differs it is sent all the same, because it was asked for.
    nothing = skills == person.skills and wills == person.wills
    return asked.EmployeeUpdate(
        employee=person.id,
        skills=_levels(skills) if skills != person.skills or (nothing and skills) else None,
        wills=_levels(wills) if wills != person.wills or (nothing and not skills) else None,
    )


def _entry(
    change: intents.TimeLog, old: TimeEntry | None, person: str, project: str, customer: str | None
) -> Request:
    category = change.work_category or (old.work_category if old else "")
    hours = change.hours if change.hours is not None else old.hours if old else 0.0
    billable = change.billable if change.billable is not None else old.billable if old else None
    return asked.TimeLog(
        employee=person,
        customer=customer,
        project=project,
        date=_day(change.date or (old.date if old else "")),
        hours=_hours(hours),
        work_category=category or ("customer_project" if customer else "internal"),
        notes=change.notes or (old.notes if old else ""),
        billable=billable if billable is not None else customer is not None,
        status=change.status or "draft",
    )


def _changed_entry(entry: TimeEntry, change: intents.TimeChange) -> Request:
    """All fields, because the API replaces all."""
    given = change.model_dump(exclude_none=True, exclude={"entry"})
    fields = {name: given.get(name, getattr(entry, name)) for name in _ENTRY_FIELDS}
    fields |= {"date": _day(str(fields["date"])), "hours": _hours(float(fields["hours"]))}
    return asked.TimeUpdate(id=change.entry, **fields)


_ENTRY_FIELDS = ("date", "hours", "work_category", "notes", "billable", "status")


def _merged(
    person: EmployeeView, wanted: dict[str, intents.Level]
) -> tuple[tuple[SkillLevel, ...], tuple[SkillLevel, ...]]:
    """Both lists, complete and in the order of the registry, with the levels that change."""
    lists: dict[str, dict[str, int]] = {
        "skill": {held.name: held.level for held in person.skills},
        "will": {held.name: held.level for held in person.wills},
    }
    for level in wanted.values():
        kind: str = level.kind or next((of for of in lists if level.name in lists[of]), "")
        if not kind:
            message = "7 it is not known whether this is a skill or a will"
            raise Unclear(message)
        held = lists[kind].get(level.name, 0)
        if level.level is not None:
            if not intents.LOWEST_LEVEL <= level.level <= intents.HIGHEST_LEVEL:
                message = "7 levels go from 1 to 10"
                raise Unclear(message)
            lists[kind][level.name] = level.level
        else:
            moved = held + (level.delta or 0)
            lists[kind][level.name] = min(max(moved, intents.LOWEST_LEVEL), intents.HIGHEST_LEVEL)
    skills, wills = (
        tuple(SkillLevel(name=name, level=lists[kind][name]) for name in sorted(lists[kind]))
        for kind in ("skill", "will")
    )
    return skills, wills


def _levels(levels: tuple[SkillLevel, ...]) -> tuple[asked.Level, ...]:
    return tuple(asked.Level(name=held.name, level=held.level) for held in levels)


def _new_salary(now: int, change: intents.SalaryChange) -> int:
    if change.salary is not None:
        return change.salary
    if change.delta is not None:
        return now + change.delta
    factor = 1 + Decimal(repr(change.percent)) / 100
    return int((Decimal(now) * factor).to_integral_value())


def _day(value: str) -> str:
    try:
        return date.fromisoformat(value).isoformat()
    except ValueError:
        message = "7 this day does not exist"
        raise Unclear(message) from None


def _hours(value: float) -> float:
    if not 0 < value <= LONGEST_DAY_HOURS:
        message = "7 a day has more than no hours and at most 24"
        raise Unclear(message)
    return value
