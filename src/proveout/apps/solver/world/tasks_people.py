"""Families F–K and AC: workloads, skills and wills."""

from dataclasses import replace

from proveout.apps.solver.world import oracle
from proveout.apps.solver.world.graph import Site
from proveout.apps.solver.world.oracle_access import Need
from proveout.apps.solver.world.phrasing import Place, Slot
from proveout.apps.solver.world.tasks_draft import Draft, answer, nothing
from proveout.apps.solver.world.tasks_scene import Scene

WORKLOAD = ("employee.workload",)
SKILLS = ("employee.skills",)
MOST_LINKED = 60
"""A set larger than this makes no good question."""


def _tie(found: tuple[str, ...]) -> tuple[str, ...]:
    return ("tie",) if len(found) > 1 else ()


def city_of(site: Site) -> Place:
    return Place({"en": site.city, **site.exonyms})


def _extreme_workload(
    scene: Scene, frame: str, slot: tuple[str, Slot], ids: tuple[str, ...], busiest: bool
) -> Draft | None:
    def load(employee: str) -> int:
        return oracle.workload(scene.world, scene.policy, employee)

    found = oracle.highest(ids, load) if busiest else oracle.lowest(ids, load)
    if not ids or len(found) > MOST_LINKED:
        return None
    return Draft(
        frame,
        dict([slot]),
        Need(WORKLOAD),
        answer({"employee": found}, ("employee",)),
        f"{'Highest' if busiest else 'Lowest'}: {load(found[0])}/1000, {len(found)} people.",
        endings=_tie(found),
        tolerate_me=False,
    )


def workload_in_department(scene: Scene) -> Draft | None:
    busiest = scene.rng.random() < 0.55
    department = scene.pick(scene.world.departments)
    if department is None:
        return None
    frame = "f_busiest_department" if busiest else "f_idle_department"
    people = oracle.people_in(scene.world, department.name)
    return _extreme_workload(scene, frame, ("department", department.name), people, busiest)


def workload_at_site(scene: Scene) -> Draft | None:
    busiest = scene.rng.random() < 0.55
    site = scene.pick(scene.world.sites)
    if site is None:
        return None
    by_city = scene.rng.random() < 0.5
    sites = oracle.sites_of_city(scene.world, site.city) if by_city else (site,)
    place: Slot = city_of(site) if by_city else site
    frame = "f_busiest_site" if busiest else "f_idle_site"
    people = oracle.people_at(scene.world, sites)
    strict = oracle.people_at(scene.world, sites, exact=True)
    draft = _extreme_workload(scene, frame, ("place", place), people, busiest)
    other = _extreme_workload(scene, frame, ("place", place), strict, busiest)
    # Two spellings of one location must not decide the answer.
    return draft if draft and other and draft.expected == other.expected else None


def workload_unlisted(scene: Scene) -> Draft | None:
    """The API lists nothing today: whoever may ask learns that it failed, not a guess."""
    department = scene.pick(scene.world.departments)
    able = [u for u in scene.requesters(Need(WORKLOAD)) if u and scene.allowed(u, Need(WORKLOAD))]
    who = scene.pick(able)
    if department is None or who is None:
        return None
    return Draft(
        "f_busiest_department",
        {"department": department.name},
        Need(WORKLOAD),
        answer(outcomes=("error_internal",)),
        "Listing is switched off.",
        who=who,
        settled=True,
        page_cap=-1,
    )


def workload_of_person(scene: Scene) -> Draft | None:
    idle = scene.rng.random() < 0.2
    person = scene.pick(scene.cast.people if idle else scene.cast.busy_people)
    if person is None:
        return None
    load = oracle.workload(scene.world, scene.policy, person.id)
    if load % 100:
        return None
    return Draft(
        "g_workload",
        {"person": person},
        Need(WORKLOAD, subject=person.id),
        answer({"employee": (person.id,)}, ("employee",), (f"{load / 1000:.1f}",)),
        f"Slices over {', '.join(scene.policy.workload_phases)} projects: {load}/1000.",
    )


def send_trainer(scene: Scene) -> Draft | None:
    site, skill = scene.pick(scene.world.sites), scene.pick(scene.cast.skills)
    if site is None or skill is None:
        return None
    sites = oracle.sites_of_city(scene.world, site.city)

    def best(there: tuple[str, ...]) -> tuple[str, ...]:
        ids = [p for p in oracle.rated(scene.world, skill.id) if p not in there]
        return oracle.highest(ids, lambda one: scene.world.person_by_id[one].level(skill.id))

    found = best(oracle.people_at(scene.world, sites))
    strict = best(oracle.people_at(scene.world, sites, exact=True))
    if not found or len(found) > MOST_LINKED or found != strict:
        return None
    return Draft(
        "h_send_training",
        {"city": city_of(site), "skill": skill},
        Need(SKILLS),
        answer({"employee": found}, ("employee",)),
        f"Best in {skill.id} outside {site.location}: {len(found)}.",
        endings=_tie(found),
        tolerate_me=False,
    )


def most_eager(scene: Scene) -> Draft | None:
    will = scene.pick(scene.cast.wills)
    if will is None:
        return None
    ids = oracle.rated(scene.world, will.id)
    found = oracle.highest(ids, lambda one: scene.world.person_by_id[one].level(will.id))
    if not found or len(found) > MOST_LINKED:
        return None
    return Draft(
        "h_eager",
        {"will": will},
        Need(SKILLS),
        answer({"employee": found}, ("employee",)),
        f"Top level in {will.id}: {len(found)}.",
        endings=_tie(found),
        tolerate_me=False,
    )


def expert_outside(scene: Scene) -> Draft | None:
    project, skill = scene.pick(scene.cast.projects), scene.pick(scene.cast.skills)
    if project is None or skill is None:
        return None
    team = set(project.members())
    ids = [p for p in oracle.rated(scene.world, skill.id) if p not in team]
    found = oracle.highest(ids, lambda one: scene.world.person_by_id[one].level(skill.id))
    if not found or len(found) > MOST_LINKED:
        return None
    return Draft(
        "h_expert_outside",
        {"project": project, "skill": skill},
        Need((*SKILLS, "project.team")),
        answer({"employee": found}, ("employee",)),
        f"Best in {skill.id} outside {project.id}: {len(found)}.",
        endings=_tie(found),
        tolerate_me=False,
    )


def least_skilled(scene: Scene) -> Draft | None:
    """Lowest rating; among equals more projects; only where that leaves one person."""
    world, skill = scene.world, scene.pick(scene.cast.skills)
    if skill is None:
        return None
    ids = oracle.rated(world, skill.id)
    low = oracle.lowest(ids, lambda one: world.person_by_id[one].level(skill.id))
    found = oracle.highest(low, lambda one: len(oracle.involved_in(world, one)))
    if len(found) != 1:
        return None
    return Draft(
        "h_least_skilled",
        {"skill": skill},
        Need((*SKILLS, "project.team")),
        answer({"employee": found}, ("employee",)),
        f"{len(low)} share the lowest level in {skill.id}; {found[0]} has most projects.",
        endings=("rated_only",) if len(ids) < len(world.people) else (),
        tolerate_me=False,
    )


def idle_and_strong(scene: Scene) -> Draft | None:
    will = scene.pick(scene.cast.wills)
    if will is None:
        return None
    ids = oracle.strong_in(scene.world, scene.policy, [will.id])
    found = oracle.lowest(ids, lambda one: oracle.workload(scene.world, scene.policy, one))
    if not found or len(found) > MOST_LINKED:
        return None
    return Draft(
        "h_idle_interested",
        {"will": will},
        Need((*SKILLS, *WORKLOAD)),
        answer({"employee": found}, ("employee",)),
        f"{len(ids)} are strong in {will.id}; {len(found)} of them are least busy.",
        endings=_tie(found),
        tolerate_me=False,
    )


def strong_in_both(scene: Scene) -> Draft | None:
    skill, will = scene.pick(scene.cast.skills), scene.pick(scene.cast.wills)
    if skill is None or will is None:
        return None
    found = oracle.strong_in(scene.world, scene.policy, [skill.id, will.id])
    if len(found) > 2 * MOST_LINKED:
        return None
    return Draft(
        "i_strong_both",
        {"skill": skill, "will": will},
        Need(SKILLS),
        answer({"employee": found}, ("employee",)) if found else nothing(("employee",)),
        f"At or above {scene.policy.strong_level} in both: {len(found)}.",
        tolerate_me=False,
    )


def strong_at_site(scene: Scene) -> Draft | None:
    site, will = scene.pick(scene.world.sites), scene.pick(scene.cast.wills)
    if site is None or will is None:
        return None
    there = oracle.people_at(scene.world, [site])
    exact = oracle.people_at(scene.world, [site], exact=True)
    strong = oracle.strong_in(scene.world, scene.policy, [will.id])
    found = tuple(p for p in strong if p in there)
    if len(found) > MOST_LINKED or found != tuple(p for p in strong if p in exact):
        return None
    return Draft(
        "i_site_strong",
        {"site": site, "will": will},
        Need(SKILLS),
        answer({"employee": found}, ("employee",)) if found else nothing(("employee",)),
        f"At {site.location} and at or above {scene.policy.strong_level}: {len(found)}.",
        tolerate_me=False,
    )


def coaches(scene: Scene) -> Draft | None:
    person = scene.pick([p for p in scene.cast.people if p.skills])
    if person is None:
        return None
    best = oracle.best_coaches(scene.world, person.id)
    if not best or len(best) > 12:
        return None
    expected = replace(answer({"employee": best}), forbidden_links={"employee": (person.id,)})
    return Draft(
        "j_coach",
        {"person": person},
        Need(SKILLS),
        expected,
        f"Largest sum of advantages over {person.id}: {', '.join(best)}.",
    )


def skills_i_lack(scene: Scene) -> Draft | None:
    some = scene.sample(scene.cast.people, min(40, len(scene.cast.people)))
    lacking = [p for p in some if oracle.missing_skills(scene.world, p.id)]
    person = scene.pick(lacking if lacking and scene.rng.random() < 0.6 else scene.cast.people)
    if person is None or not scene.allowed(person.id, Need(SKILLS)):
        return None
    missing = oracle.missing_skills(scene.world, person.id)
    have = tuple(s.name for s in person.skills if not any(s.name in other for other in missing))
    expected = answer(
        closed=("employee",),
        says=missing,
        outcomes=("ok_answer",) if missing else ("ok_answer", "ok_not_found"),
    )
    return Draft(
        "ac_lack",
        {},
        Need(("self.profile",), subject=person.id),
        replace(expected, must_not_contain=have),
        f"{person.id} lacks {len(missing)} skills.",
        who=person.id,
        about_me=True,
    )


def skills_in_project(scene: Scene) -> Draft | None:
    project = scene.pick([p for p in scene.cast.projects if p.team])
    if project is None:
        return None
    found = oracle.skills_in_team(scene.world, project.id)
    if not found:
        return None
    return Draft(
        "ac_table",
        {"project": project},
        Need((*SKILLS, "project.team")),
        answer({"project": (project.id,)}, ("project",), found),
        f"{len(found)} skills in the team of {project.id}.",
    )


def strongest_will(scene: Scene) -> Draft | None:
    project = scene.pick([p for p in scene.cast.projects if p.team])
    if project is None:
        return None
    best = oracle.strongest_wills(scene.world, project.id)
    if len(best) != 1:
        return None
    return Draft(
        "ac_will_sum",
        {"project": project},
        Need((*SKILLS, "project.team")),
        answer({"project": (project.id,)}, ("project",), best),
        f"Largest sum over the team of {project.id}: {best[0]}.",
    )
