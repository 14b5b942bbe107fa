"""Plans that change projects and time: status, teams, entries."""

import re

from pydantic import JsonValue

from proveout.apps.solver.experts import people
from proveout.apps.solver.experts.changes import whole
from proveout.apps.solver.experts.draft import Draft, Unclear, at
from proveout.apps.solver.experts.exchanging import exchanged, pair
from proveout.apps.solver.experts.mention import Mention
from proveout.apps.solver.experts.noting import stored_text
from proveout.apps.solver.experts.pages import quoted
from proveout.apps.solver.experts.reading import Reading, clauses
from proveout.apps.solver.resolve.quantities import Number, number_words, numbers

_STATUS = {
    "PAUSE": "paused",
    "ACTIVATE": "active",
    "ARCHIVE": "archived",
    "EXPLORING": "exploring",
    "IDEA": "idea",
}
_INTO = re.compile(
    r"(?:\bto|\bas|\bauf|\bals|\bin|\ben|\bsu|\ba|\bna|\bu|\bkao|в|на|как|为)\s*\W?$"
)


_BESIDE = 18
"""Characters between a number and the word for hours."""


def context(draft: Draft, project: str) -> str:
    """A project with its customer: both are linked, the customer if there is one."""
    rows = draft.read(
        "context",
        f"SELECT p.id AS id, p.name AS name, p.customer_id AS customer_id FROM {project} AS r "
        "JOIN projects AS p ON p.id = r.id ORDER BY p.id",
    )
    draft.link("project", rows)
    draft.link("customer", rows, "customer_id")
    return rows


def log_time(reading: Reading, draft: Draft) -> None:
    """Hours on a project, for oneself or somebody."""
    mention = reading.first("project") or reading.unknown_name()
    hours = _hours(reading)
    if mention is None or hours is None:
        raise Unclear
    project = draft.project(mention)
    args: dict[str, JsonValue] = {"project": f"${project}.id", "hours": hours}
    person = next((it for it in reading.people() if not reading.is_requester(it)), None)
    if person is not None:
        bind = draft.person(person, project="" if person.certain else project)
        args["employee"] = f"${bind}.id"
        draft.link("employee", bind)
    else:
        draft.link("employee", draft.call("who_am_i", "oneself"))
    when = _day_of(reading)
    if when is not None:
        bind = draft.call("resolve_dates", "day_meant", text=when.text)
        args["date"] = f"${bind}.date_from"
    else:
        args["date"] = f"${draft.read('today_is', 'SELECT today FROM me ORDER BY 1')}.today"
    if reading.has("NON_BILLABLE"):
        args["billable"] = False
    elif reading.has("BILLABLE"):
        args["billable"] = True
    args["status"] = _entry_status(reading)
    text = stored_text(reading, "NOTE") if reading.has("NOTE") or reading.of("quote") else ""
    if text:
        args["notes"] = text
    draft.write("time.log", args)
    context(draft, project)
    draft.say(at(project, "{.name}"))


def _day_of(reading: Reading) -> Mention | None:
    """The day in the sentence that speaks of the hours, if one is there; else the first."""
    said = reading.of("date")
    for start, end in clauses(reading.text):
        if any(start <= place < end for place in reading.where("HOURS")):
            here = [it for it in said if start <= it.start < end]
            if here:
                return here[0]
    return said[0] if said else None


def _entry_status(reading: Reading) -> str:
    if reading.has("DRAFT"):
        return "draft"
    if reading.has("APPROVED", "APPROVAL"):
        return "approved"
    return "submitted" if reading.has("SUBMITTED") else "draft"


def _hours(reading: Reading) -> int | float | None:
    """The number that stands with the word for hours, `billable` may come between; no other."""
    marks = reading.where("HOURS")
    free = [it for it in numbers(reading.text) if not it.percent]
    free = [it for it in free if any(m.start <= it.start < m.end for m in reading.of("number"))]
    near = [
        it
        for it in free
        if any(0 <= mark - it.end <= _BESIDE or it.start <= mark < it.end for mark in marks)
    ]
    if near:
        return whole(abs(near[0].value))
    for token, value in number_words(reading.text):
        if any(0 <= mark - token.end <= _BESIDE for mark in marks):
            return value
    return None


def void_entry(reading: Reading, draft: Draft) -> None:
    """One of one's own entries made void, and copied with other hours if that is asked."""
    who = draft.call("who_am_i", "oneself")
    loaded: dict[str, JsonValue] = {"employee": f"${who}.id"}
    filters = [f"t.employee_id IN (SELECT id FROM {who})", "t.status <> 'voided'"]
    named = reading.first("entry")
    mention, when = reading.first("project"), reading.first("date")
    if named is not None:
        filters.append(f"t.id = {quoted(named.text)}")
    if mention is not None:
        project = draft.project(mention)
        loaded["project"] = f"${project}.id"
        filters.append(f"t.project_id IN (SELECT id FROM {project})")
    if when is not None:
        span = draft.call("resolve_dates", "day_meant", text=when.text)
        loaded |= {"date_from": f"${span}.date_from", "date_to": f"${span}.date_to"}
        filters.append(
            f"t.date BETWEEN (SELECT date_from FROM {span}) AND (SELECT date_to FROM {span})"
        )
    if not (named or mention or when):
        raise Unclear
    draft.call("load_time_entries", "entries", **loaded)
    entry = draft.read(
        "entry",
        "SELECT t.id AS id, t.project_id AS project_id, t.customer_id AS customer_id "
        f"FROM time_entries AS t WHERE {' AND '.join(filters)} ORDER BY t.id",
    )
    draft.answer = entry
    draft.write("time.update", {"entry": f"${entry}.id", "status": "voided"})
    if reading.has("COPY", "CREATE"):
        args: dict[str, JsonValue] = {"copy_of": f"${entry}.id", "status": "draft"}
        hours = _new_hours(reading)
        if hours is not None:
            args["hours"] = hours
        elif len(_figures(reading)) > 1:
            raise Unclear  # Two figures, and no telling which is the new one.
        draft.write("time.log", args)
    draft.link("project", entry, "project_id")
    draft.link("customer", entry, "customer_id")
    draft.say(at(entry, "{.id}"))


def _new_hours(reading: Reading) -> int | float | None:
    """The hours that are asked for after the word for a copy, taken literally."""
    void = min(reading.where("VOID"), default=len(reading.text))
    again = [it for it in (*reading.where("LOG"), *reading.where("REPLACE")) if it > void]
    start = min((*reading.where("COPY"), *reading.where("CREATE"), *again), default=0)
    said = _figures(reading)
    asked = [it for it in said if it.start > start]
    # `The 3 hours should have been 4`: the figure after that is the new one.
    asked = asked or [it for it in said if _INSTEAD.search(reading.text[: it.start])]
    return whole(asked[0].value) if asked else None


def _figures(reading: Reading) -> list[Number]:
    named = {it.start for it in reading.of("number")}
    return [it for it in numbers(reading.text) if it.start in named]


_INSTEAD = re.compile(
    r"\b(?:should (?:have been|be|read)|ought to be|was really|were really|in fact|actually"
    r"|hätten? .{0,12}sein sollen|richtig (?:sind|wären)|sondern|correct is)\s*$",
    re.IGNORECASE,
)


def status(reading: Reading, draft: Draft) -> None:
    """A project's phase changed."""
    mention = reading.first("project") or reading.unknown_name()
    wanted = _wanted_status(reading)
    if mention is None or not wanted:
        raise Unclear
    project = draft.project(mention)
    draft.write("project.status.write", {"project": f"${project}.id", "status": wanted})
    draft.link("project", project)
    draft.say(at(project, "{.name}"))


def _wanted_status(reading: Reading) -> str:
    """The phase that is asked for: after `to` or `as`, else the first that is named."""
    named = sorted((place, name) for name in _STATUS for place in reading.where(name))
    into = [name for place, name in named if _INTO.search(reading.text[:place].casefold())]
    chosen = into or [name for _, name in named]
    return _STATUS[chosen[0]] if chosen else ""


def swap(reading: Reading, draft: Draft) -> None:
    """Two members exchange roles, slices, or both."""
    mention, named = reading.first("project"), pair(reading)
    if mention is None or len(named) != 2:
        raise Unclear
    project = draft.project(mention)
    first, second = (draft.person(it, project="" if it.certain else project) for it in named)
    roles, slices = exchanged(reading)
    if not roles and not slices:
        raise Unclear
    exchange: dict[str, JsonValue] = {
        "first": f"${first}.id",
        "second": f"${second}.id",
        "roles": roles,
        "slices": slices,
    }
    draft.write("project.team.write", {"project": f"${project}.id", "swap": exchange})
    context(draft, project)
    draft.link("employee", first)
    draft.link("employee", second)
    named_first, named_second = at(first, "{.name}"), at(second, "{.name}")
    draft.say(at(project, "{.name}: ") + f"{named_first}, {named_second}")


def team(reading: Reading, draft: Draft) -> None:
    """Somebody added to a team, taken off it, or given another role or share."""
    mention, named = reading.first("project"), reading.people()
    if mention is None or not named:
        raise Unclear
    project = draft.project(mention)
    person = draft.person(named[0], project="" if named[0].certain else project)
    args: dict[str, JsonValue] = {"project": f"${project}.id"}
    if reading.has("DELETE"):
        args["remove"] = [f"${person}.id"]
    else:
        seat: dict[str, JsonValue] = {"employee": f"${person}.id"}
        roles = [role for name, role in people.ROLES.items() if reading.has(name)]
        share = next((it for it in numbers(reading.text) if 0 <= it.value <= 100), None)
        if roles:
            seat["role"] = roles[0]
        if share is not None:
            seat["time_slice"] = whole(share.value / 100 if share.percent else share.value)
        args["add" if reading.has("ADD", "JOIN") else "change"] = [seat]
    draft.write("project.team.write", args)
    context(draft, project)
    draft.link("employee", person)
    draft.say(at(project, "{.name}: ") + at(person, "{.name}"))
