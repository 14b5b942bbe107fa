"""The oracle against a second one that knows no shortcuts: loops over flat rows, sorted lists."""

from dataclasses import dataclass
from functools import cache

import pytest

from proveout.apps.solver.world import oracle
from proveout.apps.solver.world.generator import generate
from proveout.apps.solver.world.graph import Role, World


@dataclass(frozen=True)
class Rows:
    """The world as a flat table of team rows: project, phase, customer, person, role, slice."""

    world: World

    @property
    def team(self) -> list[tuple[str, str, str, str, str, int]]:
        return [
            (p.id, p.status, p.customer, m.employee, m.role, m.slice_milli)
            for p in self.world.projects
            for m in p.team
        ]


@cache
def world(seed: int) -> World:
    return generate(seed, "small")


@pytest.fixture(params=[0, 1, 2, 3, 21])
def rows(request: pytest.FixtureRequest) -> Rows:
    return Rows(world(request.param))


def test_workload(rows: Rows) -> None:
    w = rows.world
    for person in w.people:
        total = 0
        for _, phase, _, employee, _, share in rows.team:
            if employee == person.id and phase in w.policy.workload_phases:
                total += share
        assert oracle.workload(w, w.policy, person.id) == total


def test_ties_at_both_ends(rows: Rows) -> None:
    w = rows.world
    for department in w.departments:
        ids = [p.id for p in w.people if p.department == department.name]
        ranked = sorted(ids, key=lambda one: oracle.workload(w, w.policy, one))
        loads = {one: oracle.workload(w, w.policy, one) for one in ids}
        busy = {one for one in ids if all(loads[one] >= loads[other] for other in ids)}
        idle = {one for one in ids if all(loads[one] <= loads[other] for other in ids)}
        assert set(oracle.highest(ids, loads.__getitem__)) == busy
        assert set(oracle.lowest(ids, loads.__getitem__)) == idle
        assert ranked[0] in idle
        assert ranked[-1] in busy


def test_people_and_projects(rows: Rows) -> None:
    w = rows.world
    for person in w.people:
        mine = {row[0] for row in rows.team if row[3] == person.id}
        led = {row[0] for row in rows.team if row[3] == person.id and row[4] == "Lead"}
        assert set(oracle.involved_in(w, person.id)) == mine
        assert set(oracle.led_by(w, person.id)) == led
        own = led if w.policy.my_projects == "led" else mine
        assert set(oracle.own_projects(w, w.policy, person.id)) == own
        roles: tuple[Role, ...] = ("QA", "Designer")
        for role in roles:
            filled = {row[0] for row in rows.team if row[4] == role}
            assert set(oracle.with_role(w, sorted(own), role, True)) == own & filled
            assert set(oracle.with_role(w, sorted(own), role, False)) == own - filled


def test_pairs_of_people(rows: Rows) -> None:
    w = rows.world
    by_person = {p.id: {row[0] for row in rows.team if row[3] == p.id} for p in w.people}
    for one in w.people[:25]:
        for other in w.people:
            both = by_person[one.id] & by_person[other.id]
            assert set(oracle.shared_projects(w, one.id, other.id)) == both


def test_biggest_slices(rows: Rows) -> None:
    for project in rows.world.projects:
        shares: dict[str, int] = {}
        for row in rows.team:
            if row[0] == project.id:
                shares[row[3]] = shares.get(row[3], 0) + row[5]
        most = sorted(shares.values())[-1]
        assert set(oracle.biggest_slice(project)) == {e for e, s in shares.items() if s == most}


def test_strong_people(rows: Rows) -> None:
    w = rows.world
    bar = next(band.low for band in w.policy.scale if band.label == "strong")
    for skill in w.skills:
        for will in w.wills:
            found = set()
            for p in w.people:
                levels = {x.name: x.level for x in (*p.skills, *p.wills)}
                if levels.get(skill.id, 0) >= bar and levels.get(will.id, 0) >= bar:
                    found.add(p.id)
            assert set(oracle.strong_in(w, w.policy, [skill.id, will.id])) == found


def test_coaches(rows: Rows) -> None:
    w = rows.world
    for learner in w.people[:20]:
        gains = {}
        for coach in w.people:
            levels = {x.name: x.level for x in coach.skills}
            ahead = [levels.get(x.name, 0) - x.level for x in learner.skills]
            gains[coach.id] = sum(step for step in ahead if step > 0)
        del gains[learner.id]
        best = max(gains.values())
        top = {one for one, gain in gains.items() if gain == best and gain > 0}
        assert set(oracle.best_coaches(w, learner.id)) == top


def test_pay(rows: Rows) -> None:
    w = rows.world
    leads = {row[3] for row in rows.team if row[4] == "Lead"}
    for person in w.people:
        above = {p.id for p in w.people if p.salary > person.salary}
        assert set(oracle.better_paid_leads(w, person.id)) == above & leads


def test_customers(rows: Rows) -> None:
    w = rows.world
    for customer in w.customers:
        theirs = [p.id for p in w.projects if p.customer == customer.id]
        assert list(oracle.projects_for(w, customer.id)) == theirs
        exploring = [
            p.id for p in w.projects if p.customer == customer.id and p.status == "exploring"
        ]
        assert list(oracle.projects_for(w, customer.id, "exploring")) == exploring


def test_team_skills_and_wills(rows: Rows) -> None:
    w = rows.world
    for project in w.projects:
        team = {row[3] for row in rows.team if row[0] == project.id}
        held = {x.name for p in w.people if p.id in team for x in p.skills}
        assert set(oracle.skills_in_team(w, project.id)) == held
        sums: dict[str, int] = {will.id: 0 for will in w.wills}
        for p in w.people:
            for x in p.wills if p.id in team else ():
                sums[x.name] += x.level
        top = max(sums.values())
        assert set(oracle.strongest_wills(w, project.id)) == {
            n for n, s in sums.items() if s == top
        }


def test_missing_skills(rows: Rows) -> None:
    w = rows.world
    known = {x.name for p in w.people for x in p.skills}
    for p in w.people:
        assert set(oracle.missing_skills(w, p.id)) == known - {x.name for x in p.skills}


def test_hours_split_exactly(rows: Rows) -> None:
    entries = list(rows.world.time_entries)
    sums = oracle.hours(entries)
    assert sums.total == sum(round(e.hours * 100) for e in entries)
    assert sums.total == sums.billable + sums.other


def test_dashes_do_not_separate_people_from_their_site() -> None:
    assert oracle.same_location("Porto Office – Portugal", "porto office - Portugal")
    assert not oracle.same_location("Porto Office – Portugal", "Porto Office")
