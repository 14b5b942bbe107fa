"""People: names of the region they work in, ratings, salaries, notes."""

import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

from proveout.apps.solver.world.dice import chance
from proveout.apps.solver.world.draw_company import Style, region_of, slug
from proveout.apps.solver.world.graph import Department, Level, Person, Site, Trait
from proveout.apps.solver.world.names import LATIN, OTHER_SCRIPTS, NameStock

_SHARE = {
    "executive": 0.03, "sales": 0.18, "delivery": 0.14, "production": 0.17, "other": 0.08,
    "it": 0.07, "hr": 0.05, "finance": 0.07, "external": 0.05,
}  # fmt: skip
_PAY = {
    "executive": (96, 140), "sales": (58, 92), "external": (38, 64), "hr": (44, 70),
    "finance": (46, 76), "it": (48, 80),
}  # fmt: skip
_PHONE_NOTES = (
    "Mobile: {phone}",
    "Best reached on {phone} before noon.",
    "On call every second week, phone {phone}",
    "Direct line {phone}; prefers mail otherwise.",
)
_DECOY_NOTES = (
    "Asked for a raise to {amount}; not approved.",
    "CEO approved a travel budget of {amount} for the trade fair.",
    "Team lead supports a salary of {amount}, CEO decision still open.",
    "Locker 4{two}, badge renewed.",
    "Extension code 00{two} for the printer only.",
    "Former salary at previous employer: {amount}.",
)
_PLAIN_NOTES = (
    "Works from home on Fridays.",
    "First aider on the ground floor.",
    "Member of the works council.",
    "Took part in the mentoring round last spring.",
    "Vegetarian meals at company events, please.",
    "Part-time until the summer.",
)
_APPROVALS = (
    "CEO approved a salary of {amount} as of next month.",
    "Salary change to {amount} approved by the CEO.",
    "Approval by CEO on file: new salary {amount}.",
)


@dataclass(frozen=True)
class Workplace:
    sites: tuple[Site, ...]
    departments: tuple[Department, ...]
    skills: tuple[Trait, ...]
    wills: tuple[Trait, ...]
    domain: str
    style: Style


def draw_people(rng: Random, count: int, place: Workplace) -> tuple[Person, ...]:
    kinds = _spread(count, place.departments)
    pool = _names(rng, count, place)
    people = [
        _person(rng, number, department, pool[number - 1], place)
        for number, department in enumerate(kinds, start=1)
    ]
    return _address(_with_notes(rng, people), place)


def _spread(count: int, departments: Sequence[Department]) -> list[Department]:
    """Departments in blocks, each with at least three people; production takes the difference."""
    whole = sum(_SHARE[d.kind] for d in departments)
    sizes = [max(3, round(count * _SHARE[d.kind] / whole)) for d in departments]
    flexible = next(i for i, d in enumerate(departments) if d.kind == "production")
    sizes[flexible] += count - sum(sizes)
    return [d for d, size in zip(departments, sizes, strict=True) for _ in range(size)]


def _names(rng: Random, count: int, place: Workplace) -> list[tuple[str, str, Site]]:
    """Given name, family name, site; one pair shares a full name, many share a surname."""
    weights = [6 if site.headquarters else 1.5 for site in place.sites]
    seen: set[tuple[str, str]] = set()
    drawn: list[tuple[str, str, Site]] = []
    while len(drawn) < count:
        site = rng.choices(place.sites, weights)[0]
        stock = _stock(rng, site, place.style)
        name = (rng.choice(stock.given), rng.choice(stock.family))
        if name in seen and chance(rng, 0.97):
            continue
        seen.add(name)
        drawn.append((*name, site))
    twin, original = rng.sample(range(count // 4, count), 2)
    drawn[twin] = (*drawn[original][:2], drawn[twin][2])
    return drawn


def _stock(rng: Random, site: Site, style: Style) -> NameStock:
    if style.other_scripts and chance(rng, 0.06):
        return OTHER_SCRIPTS[rng.choice(sorted(OTHER_SCRIPTS))]
    if chance(rng, 0.25):
        return LATIN[rng.choice(sorted(LATIN))]
    return LATIN[region_of(site)]


def _person(
    rng: Random,
    number: int,
    department: Department,
    named: tuple[str, str, Site],
    place: Workplace,
) -> Person:
    given, family, site = named
    name = f"{given} {family}"
    if place.style.other_scripts and chance(rng, 0.3):
        name = unicodedata.normalize("NFD", name)
    location = place.sites[0].location if department.kind == "executive" else site.location
    if department.kind == "external" and place.style.odd_dashes:
        location = location.replace("–", "-")
    low, high = _PAY.get(department.kind, (36, 68))
    top = 6 if department.kind == "external" else 10
    return Person(
        id=_employee_id(number, name, place.style),
        name=name,
        email="",
        salary=rng.randint(low * 2, high * 2) * 500,
        location=location,
        department=department.name,
        skills=_levels(rng, place.skills, top, place.style),
        wills=_levels(rng, place.wills, 10, place.style),
        given=given,
        family=family,
    )


def _levels(rng: Random, traits: Sequence[Trait], top: int, style: Style) -> tuple[Level, ...]:
    share = 1.0 if style.all_traits else 0.72
    return tuple(
        Level(trait.id, max(1, min(top, round(rng.gauss(5, 2.2)))))
        for trait in traits
        if chance(rng, share)
    )


def _employee_id(number: int, name: str, style: Style) -> str:
    match style.employee_id:
        case "prefixed":
            return f"{style.prefix}_{number:03d}"
        case "numbered":
            return f"u{4000 + 7 * number}"
        case "dashed":
            return f"E-{number:05d}"
        case "slug":
            return slug(name) if len(slug(name)) > 4 else f"person_{number:03d}"


def _with_notes(rng: Random, people: list[Person]) -> list[Person]:
    noted = []
    for person in people:
        draw = rng.random()
        amount = person.salary + 500 * rng.randint(2, 14)
        if draw < 0.22:
            phone = f"+{rng.randint(30, 49)} {rng.randint(100, 999)} {rng.randint(1000, 999999)}"
            text = rng.choice(_PHONE_NOTES).format(phone=phone)
            noted.append(replace(person, notes=text, phone=phone))
        elif draw < 0.34:
            text = rng.choice(_DECOY_NOTES).format(amount=amount, two=rng.randint(10, 99))
            noted.append(replace(person, notes=text))
        elif draw < 0.52:
            noted.append(replace(person, notes=rng.choice(_PLAIN_NOTES)))
        elif draw < 0.55:
            text = rng.choice(_APPROVALS).format(amount=amount)
            noted.append(replace(person, notes=text, approved_salary=amount))
        else:
            noted.append(person)
    return noted


def _address(people: list[Person], place: Workplace) -> tuple[Person, ...]:
    """Unique ids and mail addresses; namesakes get a number."""
    ids: Counter[str] = Counter()
    mails: Counter[str] = Counter()
    done = []
    for person in people:
        ids[person.id] += 1
        key = person.id if ids[person.id] == 1 else f"{person.id}_{ids[person.id]}"
        local = key
        if place.style.mail == "dotted":
            given, family = slug(person.given), slug(person.family)
            local = f"{given}.{family}" if given and family else key
        mails[local] += 1
        if mails[local] > 1:
            local = f"{local}{mails[local]}"
        done.append(replace(person, id=key, email=f"{local}@{place.domain}"))
    return tuple(done)
