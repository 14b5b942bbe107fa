"""Routes of the employee registry."""

from collections.abc import Sequence
from dataclasses import replace

from proveout.apps.solver.world.api.body import ApiError, Body, JsonObject, not_found
from proveout.apps.solver.world.api.state import TaskState
from proveout.apps.solver.world.graph import Level, Person

_HIGHEST = 10


def brief(person: Person) -> JsonObject:
    return {
        "id": person.id,
        "name": person.name,
        "email": person.email,
        "salary": person.salary,
        "location": person.location,
        "department": person.department,
    }


def view(person: Person) -> JsonObject:
    return {
        **brief(person),
        "notes": person.notes,
        "skills": _shown(person.skills),
        "wills": _shown(person.wills),
    }


def _shown(levels: Sequence[Level]) -> list[JsonObject] | None:
    return [{"name": item.name, "level": item.level} for item in levels] or None


def list_people(state: TaskState, body: Body) -> JsonObject:
    return state.page("employees", list(state.people.values()), body, brief)


def search_people(state: TaskState, body: Body) -> JsonObject:
    query, location = body.text("query").casefold(), body.text("location")
    department, manager = body.text("department"), body.text("manager")
    skills, wills = _bounds(body, "skills"), _bounds(body, "wills")

    def fits(person: Person) -> bool:
        return (
            query in person.name.casefold()
            and location in ("", person.location)
            and department in ("", person.department)
            and _within(person.skills, skills)
            and _within(person.wills, wills)
        )

    def select() -> list[Person]:
        # The registry knows no reporting lines: nobody has the manager that is asked for.
        return [] if manager else [p for p in state.people.values() if fits(p)]

    key = ("people", query, location, department, manager, skills, wills)
    return state.page("employees", state.filtered(key, select), body, brief)


def _bounds(body: Body, field: str) -> tuple[tuple[str, int, int], ...]:
    return tuple(
        (item.required("name"), item.integer("min_level"), item.integer("max_level"))
        for item in body.objects(field)
    )


def _within(levels: Sequence[Level], bounds: Sequence[tuple[str, int, int]]) -> bool:
    rated = {item.name: item.level for item in levels}
    return all(
        name in rated and low <= rated[name] <= (high or _HIGHEST) for name, low, high in bounds
    )


def get_person(state: TaskState, body: Body) -> JsonObject:
    person = state.people.get(body.required("id"))
    if person is None:
        raise not_found()
    return {"employee": view(person)}


def update_person(state: TaskState, body: Body) -> JsonObject:
    """Fields that are missing, null or empty stay; a list replaces the whole list."""
    old = state.people.get(body.required("employee"))
    if old is None:
        raise not_found()
    new = replace(
        old,
        notes=body.text("notes") or old.notes,
        salary=body.integer("salary") or old.salary,
        skills=_levels(body, "skills") or old.skills,
        wills=_levels(body, "wills") or old.wills,
        location=body.text("location") or old.location,
        department=body.text("department") or old.department,
    )
    state.people[old.id] = new
    _emit(state, old, new)
    return {"employee": view(new)}


def _levels(body: Body, field: str) -> tuple[Level, ...]:
    levels = [Level(i.required("name"), i.integer("level")) for i in body.objects(field)]
    if any(not 1 <= item.level <= _HIGHEST for item in levels):
        text = f"field '{field}': levels run from 1 to {_HIGHEST}"
        raise ApiError(400, text)
    return tuple(sorted(levels, key=lambda item: item.name))


def _emit(state: TaskState, old: Person, new: Person) -> None:
    """One event per facet that really changed."""
    if (old.skills, old.wills) != (new.skills, new.wills):
        state.change(
            "Evt_EmployeeSkillsUpdated",
            employee=new.id,
            skills={item.name: item.level for item in new.skills},
            wills={item.name: item.level for item in new.wills},
        )
    if old.notes != new.notes:
        state.change("Evt_EmployeeNoteUpdated", employee=new.id, notes=new.notes)
    if old.salary != new.salary:
        state.change("Evt_EmployeeSalaryUpdated", employee=new.id, salary=new.salary)
    if (old.location, old.department) != (new.location, new.department):
        state.change(
            "Evt_EmployeeProfileUpdated",
            employee=new.id,
            location=new.location,
            department=new.department,
        )
