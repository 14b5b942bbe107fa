"""Worlds are pure functions of their seed and hang together."""

import hashlib
import os
import subprocess
import sys
import unicodedata

import pytest

from proveout.apps.solver.world.generator import generate
from proveout.apps.solver.world.graph import World
from proveout.apps.solver.world.policy import PUBLIC, READS, WRITES
from proveout.apps.solver.world.tasks import draw_tasks

SEEDS = range(12)
FINGERPRINT = (
    "import hashlib; from proveout.apps.solver.world.generator import generate as g; w = g(5); "
    "print(hashlib.sha256(repr((w.people, w.customers, w.projects, w.time_entries, w.wiki, "
    "w.merger and w.merger.wiki, sorted(w.policy.external_barred))).encode()).hexdigest())"
)


def fingerprint(world: World) -> str:
    merged = world.merger and world.merger.wiki
    barred = sorted(world.policy.external_barred)
    parts = (world.people, world.customers, world.projects, world.time_entries, world.wiki)
    return hashlib.sha256(repr((*parts, merged, barred)).encode()).hexdigest()


def test_the_same_seed_gives_the_same_bytes_in_any_process() -> None:
    found = set()
    for hash_seed in ("0", "4711"):
        done = subprocess.run(
            [sys.executable, "-c", FINGERPRINT],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        found.add(done.stdout.strip())
    assert found == {fingerprint(generate(5))}


def test_seeds_and_profiles_differ() -> None:
    prints = [fingerprint(generate(seed)) for seed in SEEDS]
    assert len(set(prints)) == len(prints)
    assert fingerprint(generate(1, "small")) != fingerprint(generate(1, "standard"))


@pytest.mark.parametrize("seed", SEEDS)
def test_every_reference_leads_somewhere(seed: int) -> None:
    world = generate(seed)
    people, customers = set(world.person_by_id), set(world.customer_by_id)
    locations = {site.location for site in world.sites}
    plain = {location.replace("–", "-") for location in locations}
    departments = {department.name for department in world.departments}
    traits = {trait.id for trait in (*world.skills, *world.wills)}
    assert len(people) == len(world.people)
    assert len(customers) == len(world.customers)
    assert len(world.project_by_id) == len(world.projects)
    assert len({p.email for p in world.people}) == len(world.people)
    assert world.internal_customer not in customers
    for person in world.people:
        assert person.location in locations | plain
        assert person.department in departments
        assert {level.name for level in (*person.skills, *person.wills)} <= traits
        assert all(1 <= level.level <= 10 for level in (*person.skills, *person.wills))
        assert person.phone in person.notes
        assert not person.approved_salary or str(person.approved_salary) in person.notes
    for customer in world.customers:
        assert customer.account_manager in people
        assert bool(customer.primary_contact_name) == bool(customer.primary_contact_email)
    for project in world.projects:
        assert project.customer in customers | {world.internal_customer}
        assert set(project.members()) <= people
        assert len(set(project.members())) == len(project.team)
        assert project.leads
        assert all(0 < member.slice_milli <= 1000 for member in project.team)
    for entry in world.time_entries:
        assert entry.employee in world.project_by_id[entry.project].members()
        assert entry.customer in customers | {""}
        assert entry.date <= world.today


@pytest.mark.parametrize("seed", SEEDS)
def test_policies_cover_every_operation(seed: int) -> None:
    world = generate(seed)
    policies = [world.policy] + ([world.merger.policy] if world.merger else [])
    for policy in policies:
        assert set(policy.grants) == (set(READS) | set(WRITES)) - PUBLIC
        strong = next(band for band in policy.scale if band.label == "strong")
        assert strong.low == policy.strong_level
        levels = [level for band in policy.scale for level in range(band.low, band.high + 1)]
        assert levels == list(range(1, 11))


def test_odd_cases_occur() -> None:
    worlds = [generate(seed) for seed in range(25)]
    names = [[p.name for p in world.people] for world in worlds]
    assert all(len(set(group)) < len(group) for group in names), "namesakes in every world"
    flat = [name for group in names for name in group]
    assert any(name != unicodedata.normalize("NFC", name) for name in flat)
    assert any(unicodedata.bidirectional(name[0]) == "R" for name in flat)
    assert any("一" <= name[0] <= "鿿" for name in flat)
    projects = [project for world in worlds for project in world.projects]
    assert any(len(project.leads) > 1 for project in projects)
    assert any(project.members("Designer") for project in projects)
    assert any(len({m.slice_milli for m in p.team}) == 1 for p in projects)
    assert all(any(p.status == "archived" for p in world.projects) for world in worlds)
    customers = [customer for world in worlds for customer in world.customers]
    assert any(not customer.primary_contact_name for customer in customers)
    assert sum(c.name != c.real_name for c in customers) > len(customers) // 3
    people = [person for world in worlds for person in world.people]
    assert any(len(p.skills) < 5 for p in people)
    assert any(p.approved_salary for p in people)
    assert {world.policy.strong_level for world in worlds} == {6, 7, 8}
    assert {world.policy.my_projects for world in worlds} == {"led", "member"}
    assert len({world.policy.workload_phases for world in worlds}) >= 4
    assert any(world.merger for world in worlds)
    assert not all(world.merger for world in worlds)


def test_a_project_is_the_only_one_its_paraphrases_fit() -> None:
    for seed in range(6):
        phrases = [text for project in generate(seed).projects for text in project.paraphrases]
        assert len(set(phrases)) == len(phrases)


def test_an_alias_singles_a_customer_out() -> None:
    for seed in range(6):
        aliases = [alias for customer in generate(seed).customers for alias in customer.aliases]
        assert len(set(aliases)) == len(aliases)


def test_large_worlds_have_many_rows_that_any_place_gives_alone() -> None:
    world = generate(3, "large")
    assert 1500 <= len(world.people) <= 2000
    entries = world.time_entries
    assert len(entries) > 100_000
    some = entries[99_990:100_000]
    assert list(some) == [entries[place] for place in range(99_990, 100_000)]
    assert entries[-1].date == world.today
    assert entries[0].id != entries[1].id
    with pytest.raises(IndexError):
        entries[len(entries)]


def test_a_world_may_have_no_time_entries_at_all() -> None:
    world = generate(1, "quiet")
    assert len(world.time_entries) == 0
    assert draw_tasks(world)
