"""What must not matter does not: new ids, row order, more entities, other wiki prose."""

import random
from dataclasses import asdict, replace
from functools import cache

import pytest

from proveout.apps.solver.world import oracle
from proveout.apps.solver.world.generator import generate
from proveout.apps.solver.world.graph import Customer, Member, Person, Project, World
from proveout.apps.solver.world.oracle_access import Need, ruling
from proveout.apps.solver.world.policy import READS, WRITES
from proveout.apps.solver.world.spec import TaskSpec
from proveout.apps.solver.world.tasks import FAMILIES, draw_tasks

LETTERS = frozenset(family.letter for family in FAMILIES)


@cache
def world(seed: int) -> World:
    return generate(seed, "small")


def renamed(w: World) -> tuple[World, dict[str, str]]:
    """Every id replaced by one of another kind; what is stored under it stays."""
    names = {p.id: f"zz{n:04d}" for n, p in enumerate(w.people)}
    names |= {p.id: f"yy{n:04d}" for n, p in enumerate(w.projects)}
    names |= {c.id: f"xx{n:04d}" for n, c in enumerate(w.customers)}
    other = replace(
        w,
        company=replace(w.company, ceo=names[w.company.ceo]),
        people=tuple(replace(p, id=names[p.id]) for p in w.people),
        customers=tuple(
            replace(c, id=names[c.id], account_manager=names[c.account_manager])
            for c in w.customers
        ),
        projects=tuple(
            replace(
                p,
                id=names[p.id],
                customer=names.get(p.customer, p.customer),
                team=tuple(replace(m, employee=names[m.employee]) for m in p.team),
            )
            for p in w.projects
        ),
        time_entries=tuple(
            replace(
                e,
                employee=names[e.employee],
                project=names[e.project],
                customer=names.get(e.customer, e.customer),
            )
            for e in w.time_entries
        ),
    )
    return other, names


def translated(value: object, names: dict[str, str]) -> object:
    if isinstance(value, str):
        return names.get(value, value)
    if isinstance(value, dict):
        return {str(translated(k, names)): translated(v, names) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [translated(one, names) for one in value]
    return value


def in_order(value: object) -> object:
    """Sequences of ids as sets: a renaming may change the order in which they are told."""
    if isinstance(value, dict):
        return {k: in_order(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return sorted((in_order(one) for one in value), key=repr)
    return value


@pytest.mark.parametrize("seed", [1, 4, 8])
def test_new_ids_change_ids_only(seed: int) -> None:
    before = world(seed)
    after, names = renamed(before)
    old, new = draw_tasks(before, LETTERS), draw_tasks(after, LETTERS)
    assert [t.spec_id for t in old] == [t.spec_id for t in new]
    for one, other in zip(old, new, strict=True):
        expected = in_order(translated(asdict(one.expected), names))
        assert expected == in_order(asdict(other.expected)), one.spec_id


def shuffled(w: World) -> World:
    rng = random.Random(5)

    def mixed(rows: tuple[object, ...]) -> tuple[object, ...]:
        return tuple(rng.sample(rows, len(rows)))

    return replace(
        w,
        people=mixed(w.people),  # type: ignore[arg-type]
        customers=mixed(w.customers),  # type: ignore[arg-type]
        projects=mixed(tuple(replace(p, team=mixed(p.team)) for p in w.projects)),  # type: ignore[arg-type]
        skills=mixed(w.skills),  # type: ignore[arg-type]
        wills=mixed(w.wills),  # type: ignore[arg-type]
    )


def crowded(w: World) -> World:
    """A department, a person, a customer and a project that nobody asks about."""
    person = Person("bystander", "Bystander Nobody", "b@x.example", 1, "Nowhere", "Nothing")
    customer = Customer("cust_by", "By", "Nowhere", "idea", "", "", "", "", "bystander")
    project = Project("proj_by", "By", "", "cust_by", "idea", (Member("bystander", 1, "Other"),))
    return replace(
        w,
        people=(*w.people, person),
        customers=(*w.customers, customer),
        projects=(*w.projects, project),
    )


def told(w: World, base: World) -> dict[str, object]:
    """Many answers at once, as sets. Questions come from `base`."""
    policy = base.policy
    found: dict[str, object] = {}
    for p in base.people:
        found[f"load {p.id}"] = oracle.workload(w, policy, p.id)
        found[f"own {p.id}"] = set(oracle.own_projects(w, policy, p.id))
        found[f"coach {p.id}"] = set(oracle.best_coaches(w, p.id))
        found[f"pay {p.id}"] = set(oracle.better_paid_leads(w, p.id))
    for project in base.projects:
        found[f"slice {project.id}"] = set(oracle.biggest_slice(w.project_by_id[project.id]))
        found[f"skills {project.id}"] = set(oracle.skills_in_team(w, project.id))
        found[f"wills {project.id}"] = set(oracle.strongest_wills(w, project.id))
    for department in base.departments:
        ids = oracle.people_in(w, department.name)
        busiest = oracle.highest(ids, lambda one: oracle.workload(w, policy, one))
        found[f"busy {department.name}"] = set(busiest)
    for skill in base.skills:
        for will in base.wills:
            strong = oracle.strong_in(w, policy, [skill.id, will.id])
            found[f"strong {skill.id} {will.id}"] = set(strong)
    for customer in base.customers:
        found[f"projects {customer.id}"] = set(oracle.projects_for(w, customer.id))
    return found


@pytest.mark.parametrize("seed", [1, 4])
def test_row_order_does_not_matter(seed: int) -> None:
    assert told(shuffled(world(seed)), world(seed)) == told(world(seed), world(seed))


@pytest.mark.parametrize("seed", [1, 4])
def test_bystanders_do_not_matter(seed: int) -> None:
    assert told(crowded(world(seed)), world(seed)) == told(world(seed), world(seed))


@pytest.mark.parametrize("change", [shuffled, crowded])
def test_rulings_do_not_depend_on_others(change: object) -> None:
    assert callable(change)
    before = world(2)
    after = change(before)
    project = before.projects[3]
    for person in before.people[::3]:
        for operation in (*READS, *WRITES):
            need = Need((operation,), subject=before.people[5].id, project=project.id)
            rulings = [ruling(w, before.policy, person.id, need) for w in (before, after)]
            assert rulings[0] == rulings[1]


def test_the_wiki_prose_does_not_matter() -> None:
    """Expectations come from the policy object; the pages' words are for solvers."""
    before = world(6)
    after = replace(before, wiki={path: f"# {path}\n\nOther words.\n" for path in before.wiki})

    def seen(tasks: tuple[TaskSpec, ...]) -> list[tuple[str, object]]:
        return [(t.text, t.expected) for t in tasks]

    assert seen(draw_tasks(before)) == seen(draw_tasks(after))
