"""Families W and AA: the status of a project and its team."""

from collections import Counter
from dataclasses import replace

from proveout.apps.solver.world.graph import PHASES, Member
from proveout.apps.solver.world.oracle_access import Need
from proveout.apps.solver.world.phrasing import Verbatim
from proveout.apps.solver.world.spec import ExpectedEvent
from proveout.apps.solver.world.tasks_draft import Draft, answer
from proveout.apps.solver.world.tasks_scene import Scene


def change_status(scene: Scene) -> Draft | None:
    project = scene.pick(scene.cast.projects)
    if project is None:
        return None
    status = scene.rng.choice([phase for phase in PHASES if phase != project.status])
    event = ExpectedEvent("Evt_ProjectStatusChanged", {"project": project.id, "status": status})
    return Draft(
        "w_status",
        {"project": project, "status": Verbatim(status)},
        Need(("project.status.write",), project=project.id),
        replace(answer({"project": (project.id,)}, ("project",)), events=(event,)),
        f"{project.id} goes from {project.status} to {status}.",
    )


def swap_members(scene: Scene) -> Draft | None:
    """Two entries of a team change places, wholly or only in their slices."""
    both = scene.rng.random() < 0.5
    options = [
        (project, one, other)
        for project in scene.cast.projects
        if max(Counter(project.members()).values(), default=0) == 1
        for at, one in enumerate(project.team)
        for other in project.team[at + 1 :]
        if one.slice_milli != other.slice_milli and (one.role != other.role or not both)
    ]
    known = {p.id for p in scene.cast.people}
    found = scene.pick([o for o in options if {o[1].employee, o[2].employee} <= known])
    if found is None:
        return None
    project, one, other = found
    changed = {one.employee: _like(one, other, both), other.employee: _like(other, one, both)}
    team = tuple(changed.get(m.employee, m) for m in project.team)
    event = ExpectedEvent(
        "Evt_ProjectTeamUpdated",
        {"project": project.id, "team": tuple((m.employee, m.time_slice, m.role) for m in team)},
    )
    people = scene.shuffled([one.employee, other.employee])
    expected = answer(
        {"project": (project.id,), "employee": tuple(people)}, ("project", "employee")
    )
    return Draft(
        "aa_swap_both" if both else "aa_swap_slices",
        {
            "project": project,
            "person": scene.world.person_by_id[people[0]],
            "person2": scene.world.person_by_id[people[1]],
        },
        Need(("project.team.write",), project=project.id),
        replace(expected, events=(event,)),
        f"{one.employee} and {other.employee} swap {'roles and ' if both else ''}slices.",
    )


def _like(one: Member, other: Member, both: bool) -> Member:
    return Member(one.employee, other.slice_milli, other.role if both else one.role)
