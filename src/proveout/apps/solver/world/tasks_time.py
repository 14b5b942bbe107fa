"""Families P, AD and AE: logging time, summing it up, correcting it."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta

from proveout.apps.solver.world import oracle
from proveout.apps.solver.world.graph import Person, Project, TimeEntry, TimeStatus
from proveout.apps.solver.world.oracle_access import Need
from proveout.apps.solver.world.phrasing import Day, Slot, Span, Verbatim
from proveout.apps.solver.world.spec import Expected, ExpectedEvent, Overlay, Where
from proveout.apps.solver.world.tasks_draft import Draft, answer
from proveout.apps.solver.world.tasks_scene import Scene

STATUS_OF_FRAME = {
    "p_log_approved": "approved",
    "p_log_submitted": "submitted",
    "p_log_own_submitted": "submitted",
}
NOTED_FRAMES = frozenset({"p_log", "p_log_nonbillable", "p_log_own"})
"""Frames that say whether the time is billable, and what to note."""
REMARKS = ("details follow", "kick-off call", "site visit", "rework of drawings", "test run")


def plain_hours(centi: int) -> str:
    """Without needless zeros: a prefix of every longer way to write it."""
    return f"{centi / 100:.2f}".rstrip("0").rstrip(".")


def _logged(where: dict[str, Where], employee: str, project: Project) -> Expected:
    event = ExpectedEvent("Evt_TimeEntryLogged", {"employee": employee, **where})
    expected = answer({"employee": (employee,), "project": (project.id,)}, ("employee", "project"))
    return replace(expected, events=(event,))


def log_for_other(scene: Scene) -> Draft | None:
    project = scene.pick([p for p in scene.cast.projects if p.leads and len(p.team) > 1])
    if project is None:
        return None
    team = [scene.world.person_by_id[m] for m in project.members() if m not in project.leads]
    inside = [p for p in team if p in scene.cast.people]
    outside = [p for p in scene.cast.people if p.id not in project.members()]
    stranger = scene.deny and scene.rng.random() < 0.3
    person = scene.pick(inside if inside and not stranger else outside)
    if person is None:
        return None
    frames = ["p_log", "p_log", "p_log_nonbillable"]
    if scene.deny or "submitted" in scene.policy.others_log_statuses:
        frames.append("p_log_submitted")
    if scene.deny:
        frames.append("p_log_approved")
    frame = scene.rng.choice(frames)
    # Often somebody who could log a draft: then the status alone decides.
    leads = [lead for lead in project.leads if lead != person.id]
    by_status = frame in STATUS_OF_FRAME and leads and scene.rng.random() < 0.6
    return _log(scene, frame, project, person, who=scene.pick(leads) if by_status else None)


def _log(scene: Scene, frame: str, project: Project, person: Person, who: str | None) -> Draft:
    day, half_hours = scene.some_day(), scene.rng.randint(2, 16)
    status = STATUS_OF_FRAME.get(frame, "draft")
    note = f"{scene.rng.choice(REMARKS)} {scene.rng.randint(2, 98)}"
    where: dict[str, Where] = {
        "project": project.id,
        "date": day.isoformat(),
        "hours": half_hours / 2,
        "status": status,
    }
    if frame in NOTED_FRAMES:
        where |= {"billable": frame != "p_log_nonbillable", "notes_contains": note}
    slots: dict[str, Slot] = {
        "person": person,
        "project": project,
        "hours": Verbatim(plain_hours(half_hours * 50)),
        "when": Day(day, scene.today),
        "note": Verbatim(note),
    }
    return Draft(
        frame,
        slots,
        Need(("time.log",), subject=person.id, project=project.id, status=status),
        _logged(where, person.id, project),
        f"{half_hours / 2} h of {person.id} on {project.id}, {day}, {status}.",
        who=who,
        about_me=who == person.id,
    )


def log_own(scene: Scene) -> Draft | None:
    person = scene.pick(scene.cast.busy_people)
    if person is None:
        return None
    projects = [p for p in scene.world.projects_of[person.id] if p in scene.cast.projects]
    project = scene.pick(projects)
    frame = scene.rng.choice(("p_log_own", "p_log_own", "p_log_own_submitted"))
    return _log(scene, frame, project, person, who=person.id) if project else None


def _months_of(entries: Sequence[TimeEntry]) -> list[tuple[date, date]]:
    firsts = sorted({date.fromisoformat(e.date).replace(day=1) for e in entries})
    return [(first, _month_end(first)) for first in firsts]


def _month_end(first: date) -> date:
    return (first + timedelta(days=31)).replace(day=1) - timedelta(days=1)


def _spans(scene: Scene, entries: Sequence[TimeEntry]) -> tuple[date, date] | None:
    """A month, or some days around an entry."""
    if scene.rng.random() < 0.6:
        return scene.pick(_months_of(entries))
    middle = scene.pick(entries)
    if middle is None:
        return None
    day = date.fromisoformat(middle.date)
    back, ahead = scene.rng.randint(0, 12), scene.rng.randint(1, 12)
    return day - timedelta(days=back), day + timedelta(days=ahead)


def _within(entries: Sequence[TimeEntry], span: tuple[date, date]) -> list[TimeEntry]:
    first, last = span[0].isoformat(), span[1].isoformat()
    return [e for e in entries if first <= e.date <= last]


def _totals(entries: Sequence[TimeEntry]) -> tuple[str, ...] | None:
    """The three figures; none where voided entries leave it open what counts."""
    if not entries or any(e.status == "voided" for e in entries):
        return None
    sums = oracle.hours(entries)
    return tuple(dict.fromkeys(plain_hours(x) for x in (sums.total, sums.billable, sums.other)))


def hours_of_project(scene: Scene) -> Draft | None:
    by_project = scene.cast.entries_by_project
    project = scene.pick([p for p in scene.cast.projects if p.id in by_project])
    span = _spans(scene, by_project[project.id]) if project else None
    if project is None or span is None:
        return None
    figures = _totals(_within(by_project[project.id], span))
    if figures is None:
        return None
    return Draft(
        "ad_project",
        {"project": project, "range": Span(*span, scene.today)},
        Need(("time.entries",), project=project.id),
        answer({"project": (project.id,)}, ("project",), figures),
        f"{project.id} {span[0]}–{span[1]}: {', '.join(figures)}.",
    )


def hours_of_person(scene: Scene) -> Draft | None:
    by_person = scene.cast.entries_by_person
    person = scene.pick([p for p in scene.cast.people if p.id in by_person])
    span = _spans(scene, by_person[person.id]) if person else None
    if person is None or span is None:
        return None
    figures = _totals(_within(by_person[person.id], span))
    if figures is None:
        return None
    return Draft(
        "ad_employee",
        {"person": person, "range": Span(*span, scene.today)},
        Need(("time.entries",), subject=person.id),
        answer({"employee": (person.id,)}, ("employee",), figures),
        f"{person.id} {span[0]}–{span[1]}: {', '.join(figures)}.",
    )


def void_and_copy(scene: Scene) -> Draft | None:
    """One's own entry, planted: the only one of that day on that project."""
    me = scene.pick(scene.cast.busy_people)
    if me is None or "draft" not in scene.policy.own_log_statuses or not scene.cast.entries:
        return None
    project = scene.pick([p for p in scene.world.projects_of[me.id] if p in scene.cast.projects])
    if project is None:
        return None
    later: tuple[TimeStatus, ...] = ("submitted", "approved", "invoiced")
    locked = scene.policy.locked_statuses
    open_ones: list[TimeStatus] = ["draft", *(s for s in later[:1] if s not in locked)]
    closed = [s for s in later if s in locked]
    status = scene.rng.choice(closed if scene.deny and closed else open_ones)
    day = scene.some_day(20)
    old, new = scene.rng.sample(range(2, 11), 2)
    customer = project.customer if project.customer in scene.world.customer_by_id else ""
    entry = TimeEntry(
        id=f"te_{90_000_000 + scene.rng.randint(0, 999)}",
        employee=me.id,
        customer=customer,
        project=project.id,
        date=day.isoformat(),
        hours_centi=old * 100,
        work_category="customer_project",
        notes=scene.rng.choice(REMARKS),
        billable=scene.rng.random() < 0.6,
        status=status,
    )
    others = scene.cast.entries_by_project.get(project.id, [])
    if any((e.employee, e.date) == (me.id, entry.date) for e in others):
        return None
    return Draft(
        "ae_void_copy",
        {"project": project, "when": Day(day, scene.today), "old": old, "hours": new},
        Need(
            ("time.update", "time.log"),
            subject=me.id,
            project=project.id,
            status="draft",
            old_status=status,
        ),
        _voided(entry, new),
        f"{entry.id} ({status}) is voided, a copy has {new} hours.",
        who=me.id,
        overlay=Overlay(time_entries=(entry,)),
        guests=False,
    )


def _voided(entry: TimeEntry, hours: int) -> Expected:
    copy: dict[str, Where] = {
        "employee": entry.employee,
        "project": entry.project,
        "date": entry.date,
        "hours": float(hours),
        "billable": entry.billable,
    }
    if entry.status == "draft":
        copy["status"] = "draft"
    events = (
        ExpectedEvent("Evt_TimeEntryStatusChanged", {"id": entry.id, "status": "voided"}),
        ExpectedEvent("Evt_TimeEntryLogged", copy),
    )
    return replace(answer({"project": (entry.project,)}, ("project",)), events=events)
