"""What is true in a world: plain Python over its objects, nothing read from text or tables.

Functions return ids in the world's own order. Where several are equal, all of them are returned;
what a tie means is for the task to say.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from proveout.apps.solver.world.graph import Person, Phase, Project, Role, Site, TimeEntry, World
from proveout.apps.solver.world.policy import Policy

DASHES = str.maketrans({"‐": "-", "‑": "-", "–": "-", "—": "-", "−": "-"})


def highest(ids: Iterable[str], value: Callable[[str], int]) -> tuple[str, ...]:
    """All that share the largest value."""
    measured = [(one, value(one)) for one in ids]
    top = max((v for _, v in measured), default=0)
    return tuple(one for one, v in measured if v == top)


def lowest(ids: Iterable[str], value: Callable[[str], int]) -> tuple[str, ...]:
    """All that share the smallest value."""
    return highest(ids, lambda one: -value(one))


def workload(world: World, policy: Policy, employee: str) -> int:
    """Thousandths of a full-time job, over the projects that the policy counts."""
    return sum(
        member.slice_milli
        for project in world.projects_of.get(employee, ())
        if project.status in policy.workload_phases
        for member in project.team
        if member.employee == employee
    )


def involved_in(world: World, employee: str) -> tuple[str, ...]:
    """Projects of any status that name the person in the team."""
    return tuple(project.id for project in world.projects_of.get(employee, ()))


def led_by(world: World, employee: str) -> tuple[str, ...]:
    return tuple(p.id for p in world.projects if employee in p.leads)


def own_projects(world: World, policy: Policy, employee: str) -> tuple[str, ...]:
    """What the person means by "my projects", as the policy has it."""
    if policy.my_projects == "led":
        return led_by(world, employee)
    return involved_in(world, employee)


def shared_projects(world: World, one: str, other: str) -> tuple[str, ...]:
    theirs = set(involved_in(world, other))
    return tuple(p for p in involved_in(world, one) if p in theirs)


def with_role(world: World, projects: Iterable[str], role: Role, present: bool) -> tuple[str, ...]:
    """Those of the projects in which the role is filled, or in which nobody fills it."""
    return tuple(p for p in projects if bool(world.project_by_id[p].members(role)) is present)


def biggest_slice(project: Project) -> tuple[str, ...]:
    total: dict[str, int] = {}
    for member in project.team:
        total[member.employee] = total.get(member.employee, 0) + member.slice_milli
    return highest(total, total.__getitem__)


def same_location(one: str, other: str) -> bool:
    """Registry locations are the same place whichever dash they were typed with."""
    return one.translate(DASHES).casefold() == other.translate(DASHES).casefold()


def people_at(world: World, sites: Iterable[Site], *, exact: bool = False) -> tuple[str, ...]:
    """People of the sites; `exact` counts only those whose location is spelled to the letter."""
    places = [site.location for site in sites]
    return tuple(
        p.id
        for p in world.people
        if p.location in places or (not exact and any(same_location(p.location, x) for x in places))
    )


def sites_of_city(world: World, city: str) -> tuple[Site, ...]:
    """Sites in a city or near it."""
    return tuple(s for s in world.sites if city == s.city or city in s.near)


def people_in(world: World, department: str) -> tuple[str, ...]:
    return tuple(p.id for p in world.people if p.department == department)


def rated(world: World, trait: str) -> tuple[str, ...]:
    """People who have a level at all."""
    return tuple(p.id for p in world.people if p.level(trait) > 0)


def strong_in(world: World, policy: Policy, traits: Iterable[str]) -> tuple[str, ...]:
    wanted = tuple(traits)
    return tuple(
        p.id for p in world.people if all(p.level(t) >= policy.strong_level for t in wanted)
    )


def teaching_gain(coach: Person, learner: Person) -> int:
    """Sum of the levels by which one is ahead of the other in the other's skills."""
    return sum(max(0, coach.level(s.name) - s.level) for s in learner.skills)


def best_coaches(world: World, learner: str) -> tuple[str, ...]:
    person = world.person_by_id[learner]
    others = [p.id for p in world.people if p.id != learner]
    best = highest(others, lambda one: teaching_gain(world.person_by_id[one], person))
    return tuple(one for one in best if teaching_gain(world.person_by_id[one], person) > 0)


def better_paid_leads(world: World, reference: str) -> tuple[str, ...]:
    bar = world.person_by_id[reference].salary
    leads = {lead for project in world.projects for lead in project.leads}
    return tuple(p.id for p in world.people if p.id in leads and p.salary > bar)


def all_leads(world: World) -> tuple[str, ...]:
    leads = {lead for project in world.projects for lead in project.leads}
    return tuple(p.id for p in world.people if p.id in leads)


def projects_for(world: World, customer: str, phase: Phase | None = None) -> tuple[str, ...]:
    return tuple(
        p.id for p in world.projects if p.customer == customer and phase in (None, p.status)
    )


def customers_of(world: World, managers: Iterable[str]) -> tuple[str, ...]:
    wanted = set(managers)
    return tuple(c.id for c in world.customers if c.account_manager in wanted)


def skills_in_team(world: World, project: str) -> tuple[str, ...]:
    team = world.project_by_id[project].members()
    return tuple(s.id for s in world.skills if any(world.person_by_id[m].level(s.id) for m in team))


def missing_skills(world: World, employee: str) -> tuple[str, ...]:
    """Skills that somebody in the company has and this person has not."""
    mine = world.person_by_id[employee]
    return tuple(
        s.id
        for s in world.skills
        if not mine.level(s.id) and any(p.level(s.id) for p in world.people)
    )


def strongest_wills(world: World, project: str) -> tuple[str, ...]:
    """Wills with the largest sum of levels over the team."""
    team = dict.fromkeys(world.project_by_id[project].members())
    return highest(
        [w.id for w in world.wills], lambda w: sum(world.person_by_id[m].level(w) for m in team)
    )


@dataclass(frozen=True)
class Hours:
    """Sums in hundredths of an hour."""

    total: int
    billable: int

    @property
    def other(self) -> int:
        return self.total - self.billable


def hours(entries: Iterable[TimeEntry]) -> Hours:
    found = list(entries)
    return Hours(sum(e.hours_centi for e in found), sum(e.hours_centi for e in found if e.billable))
