"""Families A–E and N: projects, who is in them, whom they are for."""

from collections import Counter

from proveout.apps.solver.world import oracle
from proveout.apps.solver.world.graph import Person, Project, Role
from proveout.apps.solver.world.oracle_access import Need
from proveout.apps.solver.world.phrasing import RoleName, Slot, Verbatim, fold
from proveout.apps.solver.world.tasks_draft import Draft, answer, clarify, nothing
from proveout.apps.solver.world.tasks_scene import Scene

TEAM = ("project.team",)
ASKED_ROLES: tuple[Role, ...] = ("Engineer", "Designer", "QA", "Ops")


def lead_of_project(scene: Scene) -> Draft | None:
    project = scene.pick([p for p in scene.cast.projects if p.leads])
    if project is None:
        return None
    return Draft(
        "a_lead",
        {"project": project},
        Need(TEAM, project=project.id),
        answer({"employee": project.leads, "project": (project.id,)}, ("employee", "project")),
        f"Leads of {project.id}: {', '.join(project.leads)}.",
    )


def my_role(scene: Scene) -> Draft | None:
    project = scene.pick([p for p in scene.cast.projects if _single_roles(p)])
    if project is None:
        return None
    me = scene.rng.choice(_single_roles(project))
    role = next(m.role for m in project.team if m.employee == me)
    return Draft(
        "a_my_role",
        {"project": project},
        Need(TEAM, project=project.id),
        answer({"project": (project.id,)}, ("project", "employee"), (role,)),
        f"{me} is {role} in {project.id}.",
        who=me,
        about_me=True,
    )


def _single_roles(project: Project) -> list[str]:
    """Members that appear once in the team, in a role whose name is no everyday word."""
    count = Counter(project.members())
    return [m.employee for m in project.team if count[m.employee] == 1 and m.role != "Other"]


def department_of_role(scene: Scene) -> Draft | None:
    options = [
        (project, role)
        for project in scene.cast.projects
        for role in ASKED_ROLES
        if len(project.members(role)) == 1
    ]
    found = scene.pick(options)
    if found is None:
        return None
    project, role = found
    person = scene.world.person_by_id[project.members(role)[0]]
    return Draft(
        "a_role_department",
        {"project": project, "role": RoleName(role)},
        Need((*TEAM, "employee.directory"), project=project.id),
        answer(
            {"employee": (person.id,), "project": (project.id,)},
            ("employee", "project"),
            (person.department,),
        ),
        f"The only {role} of {project.id} is {person.id} of {person.department}.",
    )


def role_of_surname(scene: Scene) -> Draft | None:
    """The project narrows the surname down; two of that name in one team need a question back."""
    teams = {p.id: [scene.world.person_by_id[m] for m in p.members()] for p in scene.cast.projects}
    twice = [
        (project, person)
        for project in scene.cast.projects
        for person in teams[project.id]
        if sum(fold(o.family) == fold(person.family) for o in teams[project.id]) > 1
        and len(set(project.members())) == len(project.team)
    ]
    unique = [
        (project, person)
        for project in scene.cast.projects
        for person in teams[project.id]
        if person.id in _single_roles(project) and _only_bearer(person, teams[project.id])
    ]
    ambiguous = bool(twice) and scene.rng.random() < 0.4
    found = scene.pick(twice if ambiguous else unique)
    if found is None:
        return None
    project, person = found
    slots: dict[str, Slot] = {"project": project, "surname": Verbatim(person.family)}
    need = Need(TEAM, project=project.id)
    if ambiguous:
        why = f"Two people named {person.family} are in {project.id}."
        return Draft("a_surname_role", slots, need, clarify(), why, guests=False)
    role = next(m.role for m in project.team if m.employee == person.id)
    return Draft(
        "a_surname_role",
        slots,
        need,
        answer(
            {"employee": (person.id,), "project": (project.id,)}, ("employee", "project"), (role,)
        ),
        f"{person.id} is the only {person.family} in {project.id}: {role}.",
    )


def _only_bearer(person: Person, team: list[Person]) -> bool:
    """No other team member has the surname as any part of the name."""
    word = fold(person.family)
    return bool(word) and sum(word in fold(other.name) for other in team) == 1


def contact_of_project(scene: Scene) -> Draft | None:
    project = scene.pick(scene.cast.projects)
    if project is None:
        return None
    customer = scene.world.customer_by_id.get(project.customer)
    need = Need(("customer.contact",), project=project.id, customer=project.customer)
    if customer is None or not customer.primary_contact_email:
        expected = answer(
            outcomes=("ok_not_found", "none_clarification_needed", "none_unsupported")
        )
        why = f"{project.id} has no customer contact."
        able = [u for u in scene.requesters(need) if scene.allowed(u, need)]
        who = scene.pick(able)
        if who is None:
            return None
        return Draft("b_contact_email", {"project": project}, need, expected, why, who=who)
    return Draft(
        "b_contact_email",
        {"project": project},
        need,
        answer({"customer": (customer.id,)}, ("customer",), (customer.primary_contact_email,)),
        f"{project.id} is for {customer.id}.",
        secrets=(customer.primary_contact_email,),
    )


def customer_of_project(scene: Scene) -> Draft | None:
    project = scene.pick(scene.cast.customer_projects)
    if project is None:
        return None
    return Draft(
        "b_customer",
        {"project": project},
        Need(("project.directory", "customer.directory"), project=project.id),
        answer(
            {"customer": (project.customer,), "project": (project.id,)}, ("customer", "project")
        ),
        f"{project.id} is for {project.customer}.",
        avoid=scene.externals,
    )


def manager_and_lead(scene: Scene) -> Draft | None:
    project = scene.pick([p for p in scene.cast.customer_projects if p.leads])
    if project is None:
        return None
    manager = scene.world.customer_by_id[project.customer].account_manager
    people = tuple(dict.fromkeys((manager, *project.leads)))
    return Draft(
        "b_manager_and_lead",
        {"project": project},
        Need((*TEAM, "customer.directory"), project=project.id),
        answer({"employee": people, "project": (project.id,)}, ("employee", "project")),
        f"Account manager {manager}, leads {', '.join(project.leads)}.",
    )


def biggest_slice(scene: Scene) -> Draft | None:
    project = scene.pick([p for p in scene.cast.projects if len(p.team) > 1])
    if project is None:
        return None
    winners = oracle.biggest_slice(project)
    return Draft(
        "c_biggest_slice",
        {"project": project},
        Need(TEAM, project=project.id),
        answer({"employee": winners}, ("employee",)),
        f"Largest slice in {project.id}: {', '.join(winners)}.",
        endings=("tie",) if len(winners) > 1 else (),
        tolerate_me=False,
    )


def vague_project(scene: Scene) -> Draft | None:
    """A word that several projects share points to none of them."""
    count = Counter(
        word for p in scene.world.projects for word in set(fold(p.name).split()) if word.isalpha()
    )
    words = sorted(word for word, n in count.items() if n > 1 and len(word) > 4)
    word = scene.pick(words)
    if word is None:
        return None
    return Draft(
        "d_vague_project",
        {"fragment": Verbatim(word)},
        Need(("project.directory", *TEAM)),
        clarify(),
        f"{count[word]} projects have “{word}” in their names.",
        guests=False,
        avoid=scene.externals,
    )


def first_name_only(scene: Scene) -> Draft | None:
    count, unique = scene.cast.word_count, scene.rng.random() < 0.5
    fitting = [
        p
        for p in scene.cast.people
        if len(p.given) > 2 and " " not in p.given and (count[fold(p.given)] == 1) is unique
    ]
    if not unique:
        given = Counter(fold(p.given) for p in scene.world.people)
        fitting = [p for p in fitting if given[fold(p.given)] > 1]
    person = scene.pick(fitting)
    if person is None:
        return None
    expected = answer({"employee": (person.id,)}, ("employee",), (person.department,))
    return Draft(
        "d_first_name",
        {"first": Verbatim(person.given)},
        Need(("employee.directory",)),
        expected if unique else clarify(),
        f"{person.given} is {'the only one' if unique else 'one of several'} of that name.",
        guests=unique,
    )


def nonsense(scene: Scene) -> Draft | None:
    staff = [p for p in scene.cast.people if p.department != scene.policy.external_department]
    who = scene.pick(staff)
    if who is None:
        return None
    return Draft(
        "d_nonsense",
        {},
        Need(()),
        clarify(),
        "Nobody can tell what is meant.",
        who=who.id,
        settled=True,
    )


def projects_of_person(scene: Scene) -> Draft | None:
    person = scene.pick(scene.cast.busy_people if scene.rng.random() < 0.8 else scene.cast.people)
    if person is None:
        return None
    found = oracle.involved_in(scene.world, person.id)
    return Draft(
        "e_person_projects",
        {"person": person},
        Need((*TEAM, "project.directory")),
        answer({"project": found}, ("project",)) if found else nothing(),
        f"{person.id} is in the teams of {', '.join(found) or 'none'}.",
    )


def projects_led(scene: Scene) -> Draft | None:
    leads = {p.id for p in scene.cast.leading}
    others = [p for p in scene.cast.busy_people if p.id not in leads]
    person = scene.pick(others if others and scene.rng.random() < 0.2 else scene.cast.leading)
    if person is None:
        return None
    found = oracle.led_by(scene.world, person.id)
    return Draft(
        "e_person_leads",
        {"person": person},
        Need((*TEAM, "project.directory")),
        answer({"project": found}, ("project",)) if found else nothing(),
        f"{person.id} leads {', '.join(found) or 'none'}.",
    )


def my_projects_with(scene: Scene) -> Draft | None:
    """Chosen so that "led" and "member" mean different things where possible."""
    lead = scene.pick(scene.cast.leading)
    if lead is None:
        return None
    me = lead.id
    mine = oracle.own_projects(scene.world, scene.policy, me)
    mates = [
        p
        for p in scene.cast.busy_people
        if p.id != me and oracle.shared_projects(scene.world, me, p.id)
    ]
    strangers = [p for p in scene.cast.busy_people if p not in mates and p.id != me]
    person = scene.pick(mates if mates and scene.rng.random() < 0.65 else strangers)
    if person is None:
        return None
    found = tuple(p for p in oracle.involved_in(scene.world, person.id) if p in mine)
    return Draft(
        "e_my_projects_with",
        {"person": person},
        Need(TEAM, project=oracle.led_by(scene.world, me)[0]),
        answer({"project": found}, ("project",)) if found else nothing(),
        f"Of {me}'s projects ({scene.policy.my_projects}), {person.id} is in {len(found)}.",
        who=me,
        about_me=True,
    )


def both_involved(scene: Scene) -> Draft | None:
    one = scene.pick(scene.cast.busy_people)
    if one is None:
        return None
    others = [p for p in scene.cast.busy_people if p.id != one.id]
    mates = [p for p in others if oracle.shared_projects(scene.world, one.id, p.id)]
    other = scene.pick(mates if mates and scene.rng.random() < 0.65 else others)
    if other is None:
        return None
    found = oracle.shared_projects(scene.world, one.id, other.id)
    return Draft(
        "e_both",
        {"person": one, "person2": other},
        Need((*TEAM, "project.directory")),
        answer({"project": found}, ("project",)) if found else nothing(),
        f"{one.id} and {other.id} share {', '.join(found) or 'none'}.",
    )


def my_projects_by_role(scene: Scene) -> Draft | None:
    lead = scene.pick(scene.cast.leading)
    if lead is None:
        return None
    me = lead.id
    present, role = scene.rng.random() < 0.5, scene.rng.choice(ASKED_ROLES)
    mine = oracle.own_projects(scene.world, scene.policy, me)
    found = oracle.with_role(scene.world, mine, role, present)
    return Draft(
        "n_with_role" if present else "n_without_role",
        {"role": RoleName(role)},
        Need(TEAM, project=oracle.led_by(scene.world, me)[0]),
        answer({"project": found}, ("project",)) if found else nothing(),
        f"{me}'s projects ({scene.policy.my_projects}) that {'have' if present else 'lack'} "
        f"{role}: {', '.join(found) or 'none'}.",
        who=me,
        about_me=True,
    )
