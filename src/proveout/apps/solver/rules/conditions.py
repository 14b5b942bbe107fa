"""Under which conditions a permission of a clause holds, and whom it really means."""

import re
from dataclasses import dataclass, replace
from typing import Literal

from proveout.apps.solver.rules.clause import Clause
from proveout.apps.solver.rules.ir import Audience
from proveout.apps.solver.rules.text import phrase
from proveout.apps.solver.words import READS, Operation

_GENERAL = frozenset({"employee", "everyone", "project_member"})
_LEAD_OF_BOTH = re.compile(
    r"on their own projects and of people|projects and people they lead"
    r"|of the project or of a project that"
)
_STATUS = phrase(r"(drafts?|submitted|approved|invoiced|voided)")
_AFTER_APPROVAL = re.compile(
    r"\b(?:after|once|following)\b[^,;]{0,30}\bapprov|\bapproved entries\b"
)
_OWN_RECORDS = re.compile(
    r"\b(?:own|their|your)\s+(?:\w+\s+)?(?:time|hours|entr|profile|timesheet|record)"
)
_SELF = Audience(who="self")


@dataclass(frozen=True)
class Reading:
    effect: Literal["allow", "deny"]
    audience: tuple[Audience, ...]
    operations: tuple[Operation, ...]
    statuses: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()


def conditioned(
    clause: Clause,
    effect: Literal["allow", "deny"],
    audience: tuple[Audience, ...],
    operations: tuple[Operation, ...],
) -> list[Reading]:
    """One reading per kind of condition: times have statuses, people may mean themselves."""
    result = []
    for operation in operations:
        for part in _groups(audience, effect, operation):
            who, target = _themselves(clause, effect, part, operation)
            statuses = _statuses(clause, operation, effect)
            needs = _needs(clause, effect, who, target)
            result.append(Reading(effect, who, (target,), statuses, needs))
            if needs == ("subject_in_team",) and _LEAD_OF_BOTH.search(clause.spots.text):
                result.append(Reading(effect, who, (target,), statuses))
    return _merged(result)


def _groups(
    audience: tuple[Audience, ...], effect: str, operation: Operation
) -> tuple[tuple[Audience, ...], ...]:
    """Audiences apart whose permission has other conditions: leads, and people at large."""
    if effect == "deny":
        return (audience,)
    leads = tuple(one for one in audience if one.who == "project_lead")
    rest = tuple(one for one in audience if one.who != "project_lead")
    groups = (
        (*_by_generality(rest, effect, operation), leads)
        if leads
        else (_by_generality(audience, effect, operation))
    )
    return tuple(one for one in groups if one)


def _themselves(
    clause: Clause, effect: str, audience: tuple[Audience, ...], operation: Operation
) -> tuple[tuple[Audience, ...], Operation]:
    """`Employees log their time`: each their own, unless others are named."""
    general = _GENERAL
    others = clause.spots.has("others") or clause.spots.has("team")
    if effect == "deny" or others or not all(one.who in general for one in audience):
        own_time = operation.startswith(("time.", "employee.profile")) and _names_own(clause)
        return ((_SELF,) if own_time and effect == "allow" else audience), operation
    if operation == "employee.note.write":
        return (), operation
    if operation in {"time.log", "time.update", "employee.profile.write"}:
        return (_SELF,), operation
    if operation == "time.entries" and _names_own(clause):
        return (_SELF,), operation
    if operation == "employee.skills.write":
        return audience, "self.skills.write"
    return audience, operation


def _names_own(clause: Clause) -> bool:
    return bool(_OWN_RECORDS.search(clause.spots.text))


def _statuses(clause: Clause, operation: Operation, effect: str) -> tuple[str, ...]:
    if operation not in {"time.log", "time.update"}:
        return ()
    if effect == "deny" and _AFTER_APPROVAL.search(clause.spots.text):
        return ("approved", "invoiced")
    found = [one[1].rstrip("s") for one in _STATUS.finditer(clause.spots.text)]
    if any(one.action == "submit" for one in clause.spots.actions):
        found.append("submitted")
    if any(one.action == "approve" for one in clause.spots.actions):
        found.append("approved")
    return tuple(dict.fromkeys(found))


def _needs(
    clause: Clause, effect: str, who: tuple[Audience, ...], operation: Operation
) -> tuple[str, ...]:
    needs = []
    leads = any(one.who == "project_lead" for one in who)
    about_person = operation.startswith("employee.") and operation != "employee.directory"
    in_team = clause.spots.has("team") or _LEAD_OF_BOTH.search(clause.spots.text)
    if leads and (about_person or (in_team and operation.startswith("time."))):
        needs.append("subject_in_team")
    personal = operation.startswith(("time.", "employee.note", "employee.profile"))
    if effect == "deny" and clause.spots.has("others") and personal:
        needs.append("not_self")
    if effect == "allow" and clause.spots.has("others") and operation == "time.log":
        needs.append("not_self")
    if effect == "allow" and clause.needs_approval() and operation not in READS:
        needs.append("ceo_approval")
    return tuple(needs)


def _by_generality(
    audience: tuple[Audience, ...], effect: str, operation: Operation
) -> tuple[tuple[Audience, ...], ...]:
    """People at large and particular people apart, where a change would mean different things."""
    general = tuple(one for one in audience if one.who in _GENERAL)
    particular = tuple(one for one in audience if one.who not in _GENERAL)
    if effect == "deny" or operation in READS or not general or not particular:
        return (audience,)
    return general, particular


def _merged(readings: list[Reading]) -> list[Reading]:
    groups: dict[tuple[object, ...], Reading] = {}
    for one in readings:
        key = (one.effect, one.audience, one.statuses, one.needs)
        known = groups.get(key)
        groups[key] = replace(one, operations=known.operations + one.operations) if known else one
    return list(groups.values())
