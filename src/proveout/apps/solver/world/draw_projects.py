"""Projects and their teams, with the odd cases that a careful reader must notice."""

from collections.abc import Sequence
from dataclasses import replace
from random import Random

from proveout.apps.solver.world.dice import chance
from proveout.apps.solver.world.draw_company import Style, slug
from proveout.apps.solver.world.graph import Customer, Member, Person, Phase, Project, Role
from proveout.apps.solver.world.themes import Activity, Theme, Thing, read_themes

_PHASES: tuple[Phase, ...] = ("idea", "exploring", "active", "paused", "archived")
_ROLES: tuple[Role, ...] = ("Engineer", "Designer", "QA", "Ops", "Other")
_ROLE_WEIGHTS = (6, 1.5, 2, 2.5, 1)


def draw_projects(
    rng: Random,
    count: int,
    theme: Theme,
    customers: Sequence[Customer],
    internal: str,
    people: Sequence[Person],
    style: Style,
) -> tuple[Project, ...]:
    common, _ = read_themes()
    inner = max(2, count // 8)
    topics = _topics(rng, theme.objects, common.activities, count - inner)
    own = _topics(rng, common.internal_objects, common.activities, inner)
    buyers = [rng.choice(customers) for _ in topics]
    busy = rng.sample(list(people), max(12, len(people) * 2 // 3))
    drawn: list[Project] = []
    for number, (thing, activity) in enumerate([*topics, *own], start=1):
        customer = buyers[number - 1] if number <= len(buyers) else None
        project = _project(number, thing, activity, customer, style)
        status = rng.choices(_PHASES, (1.2, 4, 6, 1.4, 1.8))[0]
        team = _team(rng, busy)
        drawn.append(
            replace(project, customer=project.customer or internal, status=status, team=team)
        )
    rng.shuffle(drawn)
    return _special_cases(rng, drawn, busy, style)


def _topics(
    rng: Random, things: Sequence[Thing], activities: Sequence[Activity], count: int
) -> list[tuple[Thing, Activity]]:
    pairs = [(thing, activity) for thing in things for activity in activities]
    rng.shuffle(pairs)
    while len(pairs) < count:
        pairs += pairs
    return pairs[:count]


def _project(
    number: int, thing: Thing, activity: Activity, customer: Customer | None, style: Style
) -> Project:
    whom = customer.real_name if customer else "our own organisation"
    name = f"{thing.name} {activity.name}"
    key = slug(f"{customer.real_name if customer else 'internal'} {name}")
    lower = thing.name[:1].lower() + thing.name[1:]
    paraphrases = [
        f"{activity.other} for the {thing.other}",
        f"{lower} {activity.other}",
        f"{activity.name} on the {thing.other}",
    ]
    if customer:
        stem = customer.real_name.split()[0]
        paraphrases.append(f"{lower} {activity.name} for {stem}")
        paraphrases.append(f"{activity.other} of the {lower} at the {customer.aliases[0]}")
    return Project(
        id=f"proj_{key}" if style.project_id == "slug" else f"P-{2000 + 17 * number}",
        name=name,
        description=f"{activity.about}: {thing.other}, for {whom}.",
        customer=customer.id if customer else "",
        status="active",
        team=(),
        paraphrases=tuple(paraphrases),
    )


def _team(rng: Random, busy: Sequence[Person]) -> tuple[Member, ...]:
    size = rng.choices((2, 3, 4, 5, 6), (2, 5, 5, 3, 1))[0]
    chosen = rng.sample(list(busy), size)
    roles: list[Role] = ["Lead", *rng.choices(_ROLES, _ROLE_WEIGHTS, k=size - 1)]
    if chance(rng, 0.08) and size > 2:
        roles[1] = "Lead"
    members = [
        Member(person.id, 50 * rng.randint(2, 12), role)
        for person, role in zip(chosen, roles, strict=True)
    ]
    return tuple(sorted(members, key=lambda member: member.employee))


def _special_cases(
    rng: Random, drawn: list[Project], busy: Sequence[Person], style: Style
) -> tuple[Project, ...]:
    """Sees to one project each with two leads, with a tie, archived, with an odd name."""
    first, second, third, fourth = rng.sample(range(len(drawn)), 4)
    if len(drawn[first].leads) < 2:
        team = list(drawn[first].team)
        place = next(i for i, member in enumerate(team) if member.role != "Lead")
        team[place] = replace(team[place], role="Lead")
        drawn[first] = replace(drawn[first], team=tuple(team))
    tied = [replace(m, slice_milli=300) for m in drawn[second].team]
    drawn[second] = replace(drawn[second], team=tuple(tied))
    lonely = rng.choice(busy)
    extra = Member(lonely.id, 250, "Designer")
    team = [m for m in drawn[third].team if m.employee != lonely.id] + [extra]
    team.sort(key=lambda member: member.employee)
    drawn[third] = replace(drawn[third], status="archived", team=tuple(team))
    if style.odd_names:
        odd = drawn[fourth]
        drawn[fourth] = replace(odd, name=f'{odd.name} -- "phase 2"; (50% done) <draft>')
    return _unique_ids(drawn)


def _unique_ids(drawn: list[Project]) -> tuple[Project, ...]:
    seen: dict[str, int] = {}
    projects = []
    for project in drawn:
        seen[project.id] = seen.get(project.id, 0) + 1
        count = seen[project.id]
        projects.append(replace(project, id=f"{project.id}_{count}") if count > 1 else project)
    return tuple(projects)
