"""Families U, V, X: changes to the profiles of people."""

from dataclasses import replace

from proveout.apps.solver.world import oracle
from proveout.apps.solver.world.graph import Person, Trait
from proveout.apps.solver.world.oracle_access import Need
from proveout.apps.solver.world.phrasing import Verbatim, fold
from proveout.apps.solver.world.spec import ExpectedEvent, Overlay, Where
from proveout.apps.solver.world.tasks_draft import Draft, answer
from proveout.apps.solver.world.tasks_notes import approval_note, plain_note
from proveout.apps.solver.world.tasks_records import amounts, raised
from proveout.apps.solver.world.tasks_scene import Scene

TOP_LEVEL = 10
MOST_NOTED = 25


def replace_note(scene: Scene) -> Draft | None:
    person = scene.pick(scene.cast.people)
    if person is None:
        return None
    note = plain_note(scene)
    event = ExpectedEvent("Evt_EmployeeNoteUpdated", {"employee": person.id, "notes": note})
    expected = answer({"employee": (person.id,)}, ("employee",))
    return Draft(
        "u_note",
        {"person": person, "note": Verbatim(note)},
        Need(("employee.note.write",), subject=person.id),
        replace(expected, events=(event,)),
        f"Notes of {person.id} become {note!r}.",
        tolerate_me=False,
    )


def skills_event(person: Person, changes: dict[str, int]) -> ExpectedEvent:
    """The lists that are touched, whole, as they must stand afterwards: nothing may get lost."""
    where: dict[str, Where] = {"employee": person.id}
    for kind, held in (("skills", person.skills), ("wills", person.wills)):
        if any(level.name in changes for level in held):
            where[kind] = {x.name: changes.get(x.name, x.level) for x in held}
    return ExpectedEvent("Evt_EmployeeSkillsUpdated", where, max=2)


def skill_by_first_name(scene: Scene) -> Draft | None:
    """The project makes a first name unique."""
    options = [
        (project, person)
        for project in scene.cast.projects
        for person in (scene.world.person_by_id[m] for m in dict.fromkeys(project.members()))
        if person.given and _bearers(scene, project.members(), person.given) == 1
    ]
    found = scene.pick(options)
    if found is None:
        return None
    project, person = found
    skill = _raisable(scene, person, scene.world.skills)
    if skill is None:
        return None
    changes = {skill.id: person.level(skill.id) + 1}
    expected = answer({"employee": (person.id,)}, ("employee",))
    return Draft(
        "u_skill_first",
        {"project": project, "first": Verbatim(person.given), "skill": skill},
        Need(("employee.skills.write",), subject=person.id, project=project.id),
        replace(expected, events=(skills_event(person, changes),)),
        f"{person.given} of {project.id} is {person.id}.",
    )


def _bearers(scene: Scene, ids: tuple[str, ...], word: str) -> int:
    names = [fold(scene.world.person_by_id[one].name).split() for one in dict.fromkeys(ids)]
    return sum(fold(word) in name for name in names)


def _raisable(scene: Scene, person: Person, traits: tuple[Trait, ...]) -> Trait | None:
    return scene.pick([t for t in traits if 0 < person.level(t.id) < TOP_LEVEL])


def note_for_department(scene: Scene) -> Draft | None:
    sizes = {d.name: oracle.people_in(scene.world, d.name) for d in scene.world.departments}
    department = scene.pick([name for name, ids in sizes.items() if 0 < len(ids) <= MOST_NOTED])
    if department is None:
        return None
    note, ids = plain_note(scene), sizes[department]
    events = tuple(
        ExpectedEvent("Evt_EmployeeNoteUpdated", {"employee": one, "notes": note}) for one in ids
    )
    need = Need(("employee.note.write",))
    return Draft(
        "u_department_note",
        {"department": department, "note": Verbatim(note)},
        need,
        replace(answer({"employee": ids}, ("employee",)), events=events),
        f"{len(ids)} people in {department}.",
    )


def will_and_note(scene: Scene) -> Draft | None:
    person = scene.pick([p for p in scene.cast.people if p.wills])
    if person is None:
        return None
    held = scene.rng.choice(person.wills)
    will = next((w for w in scene.world.wills if w.id == held.name), None)
    level = scene.rng.choice([x for x in range(2, TOP_LEVEL) if x != held.level])
    if will is None:
        return None
    note = plain_note(scene)
    events = (
        skills_event(person, {will.id: level}),
        ExpectedEvent("Evt_EmployeeNoteUpdated", {"employee": person.id, "notes": note}),
    )
    expected = answer({"employee": (person.id,)}, ("employee",))
    return Draft(
        "u_will_note",
        {"person": person, "will": will, "level": level, "note": Verbatim(note)},
        Need(("employee.skills.write", "employee.note.write"), subject=person.id),
        replace(expected, events=events),
        f"{will.id} of {person.id} becomes {level}.",
        tolerate_me=False,
    )


def change_salary(scene: Scene) -> Draft | None:
    person = scene.pick([p for p in scene.cast.people if p.id != scene.world.company.ceo])
    if person is None:
        return None
    step = 500 * scene.rng.randint(2, 16)
    amount, by_step = person.salary + step, scene.rng.random() < 0.4
    approved = scene.rng.random() < (0.4 if scene.deny else 0.8)
    if not approved and person.approved_salary == amount:
        return None
    overlay = Overlay(notes={person.id: approval_note(scene, amount)}) if approved else Overlay()
    need = Need(("employee.salary.write",), subject=person.id, approved=approved)
    return Draft(
        "v_salary_raise" if by_step else "v_salary_set",
        {"person": person, "amount": step if by_step else amount},
        need,
        raised(person.id, amount),
        f"{person.id} would earn {amount}; {'' if approved else 'not '}approved by the CEO.",
        overlay=overlay,
        secrets=amounts(person.salary) if by_step else (),
    )


def reflect(scene: Scene) -> Draft | None:
    """Own levels, both directions."""
    me = scene.pick(scene.cast.people)
    if me is None:
        return None
    skill = _raisable(scene, me, scene.world.skills)
    will = scene.pick([w for w in scene.world.wills if me.level(w.id) > 1])
    if skill is None or will is None:
        return None
    frame = scene.rng.choice(("x_reflect", "x_raise", "x_set"))
    up, level = me.level(skill.id) + 1, scene.rng.randint(2, TOP_LEVEL - 1)
    if frame == "x_set" and level == me.level(skill.id):
        level = up
    changes = {skill.id: level if frame == "x_set" else up}
    if frame == "x_reflect":
        changes[will.id] = me.level(will.id) - 1
    expected = answer({"employee": (me.id,)}, ("employee",))
    return Draft(
        frame,
        {"skill": skill, "will": will, "level": level},
        Need(("self.skills.write",), subject=me.id),
        replace(expected, events=(skills_event(me, changes),)),
        f"{me.id}: {changes}.",
        who=me.id,
        about_me=True,
    )
