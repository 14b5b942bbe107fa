"""A project's team after a change: always whole, because the API replaces it as a whole."""

from collections.abc import Sequence

from proveout.apps.solver.client import requests as asked
from proveout.apps.solver.entities import Workload
from proveout.apps.solver.validating import intents
from proveout.apps.solver.validating.endings import Unclear
from proveout.apps.solver.words import ROLES, TeamRole


def new_team(now: Sequence[Workload], change: intents.TeamChange) -> tuple[asked.Member, ...]:
    """Seats in the order of the present team, new ones last."""
    if change.team:
        seats = {member.employee: _seat(member, "Other", 0.0) for member in change.team}
        return _unique(tuple(seats.values()), len(change.team))
    team = {
        seat.employee: asked.Member(
            employee=seat.employee, time_slice=seat.time_slice, role=_role(seat.role)
        )
        for seat in now
    }
    if change.swap is not None:
        _swap(team, change.swap)
    for member in change.change:
        old = _of(team, member.employee)
        team[member.employee] = _seat(member, old.role, old.time_slice)
    for employee in change.remove:
        _of(team, employee)
        del team[employee]
    for member in change.add:
        if member.employee in team:
            message = "7 somebody to be added is in the team already"
            raise Unclear(message)
        if member.role == "" or (member.time_slice is None and member.slice_milli is None):
            message = "7 a new member needs a role and a part of their time"
            raise Unclear(message)
        team[member.employee] = _seat(member, "Other", 0.0)
    return tuple(team.values())


def _swap(team: dict[str, asked.Member], swap: intents.Swap) -> None:
    first, second = _of(team, swap.first), _of(team, swap.second)
    if swap.first == swap.second:
        message = "7 two different people are wanted"
        raise Unclear(message)
    for one, other in ((first, second), (second, first)):
        team[one.employee] = asked.Member(
            employee=one.employee,
            role=other.role if swap.roles else one.role,
            time_slice=other.time_slice if swap.slices else one.time_slice,
        )


def _seat(member: intents.Member, role: TeamRole, part: float) -> asked.Member:
    if member.time_slice is not None:
        part = member.time_slice
    elif member.slice_milli is not None:
        part = member.slice_milli / 1000
    return asked.Member(employee=member.employee, role=member.role or role, time_slice=part)


def _of(team: dict[str, asked.Member], employee: str) -> asked.Member:
    if employee not in team:
        message = "7 somebody named is not in this team"
        raise Unclear(message)
    return team[employee]


def _role(role: str) -> TeamRole:
    return next((known for known in ROLES if known == role), "Other")


def _unique(seats: tuple[asked.Member, ...], named: int) -> tuple[asked.Member, ...]:
    if len(seats) != named:
        message = "7 somebody is named twice"
        raise Unclear(message)
    return seats
