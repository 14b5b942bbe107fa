"""Customers: invented names, stored with the slips of real registries, and who looks after them."""

from collections.abc import Sequence
from random import Random

from proveout.apps.solver.world.dice import chance
from proveout.apps.solver.world.draw_company import Style, slug
from proveout.apps.solver.world.graph import Customer, Person, Phase
from proveout.apps.solver.world.names import LATIN
from proveout.apps.solver.world.places import CITIES, City
from proveout.apps.solver.world.themes import Segment, Theme

_STEMS = (
    "Velmora", "Northglen", "Castrane", "Ilverby", "Sundara", "Harkness Bay", "Oskerra", "Triveld",
    "Belmarsh", "Quorna", "Zandrik", "Palvano", "Grenholt", "Lumisol", "Erdenfeld", "Kaprava",
    "Montelar", "Whitgate", "Sorvento", "Dravik", "Amberlea", "Fenwold", "Jarosia", "Thornbury",
    "Calderis", "Ostrava Nova", "Ribelund", "Yarmoor", "Nivelle", "Arkadon", "Petrolka", "Sablefin",
    "Hollenstein", "Vistarna", "Corrigan", "Meltera", "Ulvang", "Brisaro", "Duskhill", "Egremont",
)  # fmt: skip
_SLIPS = (
    ("Group", "Grp"), ("Service", "SVC"), ("Company", "Co"), ("Centre", "Center"),
    ("Supply", "Suply"), ("Systems", "Sys."), ("Institute", "Inst"), ("Regional", "Regionl"),
    ("Airport", "Air-port"), ("Hospital", "Hosp."), ("Energy", "Enregy"), ("Garden", "Gardn"),
)  # fmt: skip
_TAILS = (" Ltd", " S.A.", " GmbH & Co", " AB", "")
_STATUS = {
    "idea": ("Lead", "First contact"),
    "exploring": ("In talks", "Exploring"),
    "active": ("Active", "Key account", "Strategic"),
    "paused": ("On hold",),
    "archived": ("Former client",),
}
_PHASES: tuple[Phase, ...] = ("idea", "exploring", "active", "paused", "archived")


def draw_customers(
    rng: Random, count: int, theme: Theme, sellers: Sequence[Person], style: Style
) -> tuple[Customer, ...]:
    homes = _distinct_homes(rng)
    pairs = [(segment, home) for home in homes for segment in theme.segments]
    rng.shuffle(pairs)
    customers: list[Customer] = []
    used: set[str] = set()
    for number, (segment, home) in enumerate(pairs[:count], start=1):
        stem = _STEMS[(number - 1) % len(_STEMS)]
        real = f"{stem} {segment.suffix}"
        if real in used:
            real = f"{stem} {home.country} {segment.suffix}"
        used.add(real)
        customers.append(_customer(rng, number, real, segment, home, sellers, style))
    return tuple(customers)


def _distinct_homes(rng: Random) -> list[City]:
    """One city per country, in random order: country and segment together single a customer out."""
    homes = {city.country: city for city in CITIES}
    countries = sorted(homes)
    rng.shuffle(countries)
    return [homes[country] for country in countries]


def _customer(
    rng: Random,
    number: int,
    real: str,
    segment: Segment,
    home: City,
    sellers: Sequence[Person],
    style: Style,
) -> Customer:
    phase = rng.choices(_PHASES, (1, 4, 6, 1, 1))[0]
    stock = LATIN[home.region]
    given, family = rng.choice(stock.given), rng.choice(stock.family)
    contact = f"{given} {family}" if not chance(rng, 0.08) else ""
    host = slug(real.split()[0])
    return Customer(
        id=f"cust_{slug(real)}" if style.customer_id == "slug" else f"C-{1000 + 13 * number}",
        name=_corrupt(rng, real),
        location=home.country,
        deal_phase=phase,
        high_level_status=rng.choice(_STATUS[phase]),
        brief=f"{segment.about} Based in {home.country}.",
        primary_contact_name=contact,
        primary_contact_email=f"{slug(given)}.{slug(family)}@{host}.example" if contact else "",
        account_manager=rng.choice(sellers).id,
        real_name=real,
        aliases=(
            f"{home.demonym} {segment.what}",
            f"{segment.what} from {home.country}",
            f"{segment.what} based in {home.country}",
        ),
    )


def _corrupt(rng: Random, name: str) -> str:
    if chance(rng, 0.35):
        return name
    for good, bad in _SLIPS:
        if good in name and chance(rng, 0.7):
            return name.replace(good, bad)
    slip = rng.randrange(4)
    if slip == 0:
        return name.replace(" ", "-", 1)
    if slip == 1:
        return name + rng.choice(_TAILS)
    if slip == 2:
        return name.upper()
    middle = len(name.split()[0]) // 2
    return name[:middle] + name[middle + 1] + name[middle] + name[middle + 2 :]
