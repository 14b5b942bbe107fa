"""Routes of the project registry."""

from dataclasses import replace
from typing import cast

from proveout.apps.solver.world.api.body import ApiError, Body, JsonObject, not_found
from proveout.apps.solver.world.api.numbers import plain
from proveout.apps.solver.world.api.state import TaskState
from proveout.apps.solver.world.graph import PHASES, ROLES, Member, Phase, Project, Role


def brief(project: Project) -> JsonObject:
    return {
        "id": project.id,
        "name": project.name,
        "customer": project.customer,
        "status": project.status,
    }


def _shown(member: Member) -> JsonObject:
    return {
        "employee": member.employee,
        "time_slice": plain(member.time_slice),
        "role": member.role,
    }


def list_projects(state: TaskState, body: Body) -> JsonObject:
    return state.page("projects", list(state.projects.values()), body, brief)


def search_projects(state: TaskState, body: Body) -> JsonObject:
    """Archived projects stay hidden unless `include_archived` says otherwise."""
    query, customer = body.text("query").casefold(), body.text("customer_id")
    statuses, archived = body.texts("status"), body.flag("include_archived")
    team = body.child("team")
    employee, role = team.text("employee_id"), team.text("role")
    least = round(team.number("min_time_slice") * 1000)

    def has_member(project: Project) -> bool:
        if not (employee or role or least):
            return True
        return any(
            employee in ("", m.employee) and role in ("", m.role) and m.slice_milli >= least
            for m in project.team
        )

    def select() -> list[Project]:
        return [
            project
            for project in state.projects.values()
            if (query in project.name.casefold() or query in project.description.casefold())
            and customer in ("", project.customer)
            and (not statuses or project.status in statuses)
            and (archived or project.status != "archived")
            and has_member(project)
        ]

    key = ("projects", query, customer, statuses, archived, employee, role, least)
    return state.page("projects", state.filtered(key, select), body, brief)


def get_project(state: TaskState, body: Body) -> JsonObject:
    project = state.projects.get(body.required("id"))
    if project is None:
        return {"project": None, "found": False}
    detail = {
        **brief(project),
        "description": project.description,
        "team": [_shown(member) for member in project.team] or None,
    }
    return {"project": detail, "found": True}


def update_team(state: TaskState, body: Body) -> JsonObject:
    """Replaces the whole team; it comes back in id order."""
    project = _known(state, body)
    members = [_member(state, item) for item in body.objects("team")]
    team = tuple(sorted(members, key=lambda member: member.employee))
    if team != tuple(sorted(project.team, key=lambda member: member.employee)):
        state.projects[project.id] = replace(project, team=team)
        state.change(
            "Evt_ProjectTeamUpdated",
            project=project.id,
            team=tuple((m.employee, m.time_slice, m.role) for m in team),
            slices={m.employee: m.time_slice for m in team},
            roles={m.employee: m.role for m in team},
        )
    return {}


def _member(state: TaskState, item: Body) -> Member:
    employee, share = item.required("employee"), item.number("time_slice")
    if employee not in state.people:
        raise not_found()
    if not 0 <= share <= 1:
        text = "field 'time_slice' must lie between 0 and 1"
        raise ApiError(400, text)
    return Member(employee, round(share * 1000), cast(Role, item.one_of("role", ROLES)))


def update_status(state: TaskState, body: Body) -> JsonObject:
    """Always an event, even where the status was the same before."""
    project = _known(state, body)
    status = cast(Phase, body.one_of("status", PHASES))
    state.projects[project.id] = replace(project, status=status)
    state.change("Evt_ProjectStatusChanged", project=project.id, status=status)
    return {}


def _known(state: TaskState, body: Body) -> Project:
    project = state.projects.get(body.required("id"))
    if project is None:
        raise not_found()
    return project
