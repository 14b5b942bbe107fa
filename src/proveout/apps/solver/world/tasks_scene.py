"""Where a task is drawn: the world, the policy in force, the day, and who could be asking."""

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property
from typing import TypeVar

from proveout.apps.solver.world.graph import (
    Customer,
    Person,
    Project,
    TimeEntry,
    Trait,
    Variant,
    World,
)
from proveout.apps.solver.world.oracle_access import Need, is_clear, ruling
from proveout.apps.solver.world.phrasing import Speaker, fold
from proveout.apps.solver.world.policy import Policy

Thing = TypeVar("Thing")
STAFF_KINDS = ("executive", "hr", "finance", "it", "sales", "delivery", "production", "external")

MOST_WALKED = 200_000
"""Time entries; larger worlds have no tasks about their sums."""


def _key(name: str) -> str:
    """Names that a reader would take for the same person have the same key."""
    return " ".join(sorted(fold(name).replace("'", "").replace("’", "").split()))


def _grouped(
    entries: Sequence[TimeEntry], key: Callable[[TimeEntry], str]
) -> dict[str, list[TimeEntry]]:
    found: dict[str, list[TimeEntry]] = {}
    for entry in entries:
        found.setdefault(key(entry), []).append(entry)
    return found


class Cast:
    """Who and what can be named in a text without being mistaken for something else."""

    def __init__(self, world: World) -> None:
        self.world = world

    @cached_property
    def people(self) -> tuple[Person, ...]:
        contacts = [c.primary_contact_name for c in self.world.customers]
        count = Counter(_key(name) for name in [*(p.name for p in self.world.people), *contacts])
        return tuple(
            p for p in self.world.people if count[_key(p.name)] == 1 and p.given and p.family
        )

    @cached_property
    def projects(self) -> tuple[Project, ...]:
        count = Counter(fold(p.name) for p in self.world.projects)
        return tuple(p for p in self.world.projects if count[fold(p.name)] == 1)

    @cached_property
    def customer_projects(self) -> tuple[Project, ...]:
        return tuple(p for p in self.projects if p.customer in self.world.customer_by_id)

    @cached_property
    def customers(self) -> tuple[Customer, ...]:
        count = Counter(fold(c.real_name or c.name) for c in self.world.customers)
        return tuple(c for c in self.world.customers if count[fold(c.real_name or c.name)] == 1)

    @cached_property
    def word_count(self) -> Counter[str]:
        """How often a word occurs in names of people and contacts."""
        names = [p.name for p in self.world.people]
        names += [c.primary_contact_name for c in self.world.customers]
        return Counter(word for name in names for word in fold(name).split())

    @cached_property
    def leading(self) -> tuple[Person, ...]:
        leads = {lead for project in self.world.projects for lead in project.leads}
        return tuple(p for p in self.people if p.id in leads)

    @cached_property
    def entries(self) -> tuple[TimeEntry, ...]:
        """Nothing for worlds with too many of them to walk through."""
        found = self.world.time_entries
        return tuple(found) if len(found) <= MOST_WALKED else ()

    @cached_property
    def entries_by_project(self) -> dict[str, list[TimeEntry]]:
        return _grouped(self.entries, lambda entry: entry.project)

    @cached_property
    def entries_by_person(self) -> dict[str, list[TimeEntry]]:
        return _grouped(self.entries, lambda entry: entry.employee)

    @cached_property
    def busy_people(self) -> tuple[Person, ...]:
        return tuple(p for p in self.people if p.id in self.world.projects_of)

    @cached_property
    def skills(self) -> tuple[Trait, ...]:
        return self._known(self.world.skills)

    @cached_property
    def wills(self) -> tuple[Trait, ...]:
        return self._known(self.world.wills)

    def _known(self, traits: Sequence[Trait]) -> tuple[Trait, ...]:
        return tuple(t for t in traits if any(p.level(t.id) for p in self.world.people))


@dataclass(frozen=True)
class Scene:
    """One draw. `deny` says which branch is wanted; not every draw can give it."""

    world: World
    cast: Cast
    speaker: Speaker
    rng: random.Random
    variant: Variant
    deny: bool
    today: date

    @property
    def policy(self) -> Policy:
        return self.world.policy_of(self.variant)

    def pick(self, things: Sequence[Thing]) -> Thing | None:
        return self.rng.choice(things) if things else None

    def sample(self, things: Sequence[Thing], count: int) -> list[Thing]:
        return self.rng.sample(things, count) if len(things) >= count else []

    def shuffled(self, things: Sequence[Thing]) -> list[Thing]:
        return self.rng.sample(things, len(things))

    def some_day(self, back: int = 9) -> date:
        return self.today - timedelta(days=self.rng.randint(1, back))

    @property
    def externals(self) -> frozenset[str]:
        return frozenset(p.id for p in self.world.staff_of("external"))

    def allowed(self, user: str, need: Need) -> bool:
        return ruling(self.world, self.policy, user, need) == "allow"

    def requesters(self, need: Need) -> list[str]:
        """A varied choice of people (and a guest, the empty id) who might ask for this."""
        world = self.world
        pool: list[str] = [""]
        for kind in STAFF_KINDS:
            staff = world.staff_of(kind)
            pool += [p.id for p in self.sample(staff, min(2, len(staff)))]
        project = world.project_by_id.get(need.project)
        if project is not None:
            pool += [*project.leads, *project.members()]
        customer = world.customer_by_id.get(need.customer or (project.customer if project else ""))
        if customer is not None:
            pool.append(customer.account_manager)
        for shared in world.projects_of.get(need.subject, ()):
            pool += shared.leads
        owners = [p.id for p in world.people if p.department == self.policy.owner(need.page)]
        if need.page:
            pool += self.sample(owners, min(2, len(owners)))
        pool += [p.id for p in self.sample(world.people, min(4, len(world.people)))]
        known = [one for one in dict.fromkeys(pool) if not one or one in world.person_by_id]
        return [one for one in known if not one or one != need.subject]

    def requester(
        self, need: Need, *, guests: bool = True, avoid: frozenset[str] = frozenset()
    ) -> str | None:
        """Somebody for whom the wanted branch holds, else anybody for whom the answer is clear."""
        clear = [
            one
            for one in self.shuffled(self.requesters(need))
            if (guests or one) and one not in avoid and is_clear(self.world, self.policy, one, need)
        ]
        fitting = [one for one in clear if self.allowed(one, need) is not self.deny]
        if self.deny and len(fitting) > 1 and self.rng.random() < 0.75:
            fitting = [one for one in fitting if one]
        return next(iter(fitting or clear), None)
