"""What a company is before it has people: name, sites, departments, traits, how it writes ids."""

import re
import unicodedata
from dataclasses import dataclass
from random import Random
from typing import Literal

from proveout.apps.solver.world.dice import chance, some
from proveout.apps.solver.world.graph import Department, Site, Trait
from proveout.apps.solver.world.places import CITIES, City
from proveout.apps.solver.world.themes import Theme, read_themes

_STEMS = (
    "Kestrelmoor", "Brackwater", "Tannhollow", "Oberwick", "Silvermere", "Quillford", "Hartsgrove",
    "Lindenfall", "Vaelstrom", "Morrowgate", "Pellworth", "Ashgarth", "Dunmarra", "Corvelle",
    "Isenbrook", "Thistlecombe", "Ravelund", "Estermont", "Fjellvar", "Galtmoor", "Wrenhaven",
    "Zephyrine", "Marrowby", "Odenvale",
)  # fmt: skip
_DEPARTMENT_NAMES: dict[str, tuple[str, ...]] = {
    "executive": ("Executive Board", "Company Directors", "Senior Leadership", "Managing Board"),
    "hr": ("People & Culture", "Human Resources", "Personnel", "HR Services"),
    "finance": ("Finance & Controlling", "Accounts and Treasury", "Finance", "Controlling Office"),
    "it": ("IT & Data", "Information Systems", "Digital Services", "IT Operations"),
    "sales": ("Client Partnerships", "Sales & Accounts", "Commercial", "Key Clients – Sales"),
    "external": ("External Staff", "Contractors", "Associates on Contract", "Freelance Pool"),
}
_CEO_TITLES = ("CEO", "Chief Executive Officer (CEO)", "CEO and founder")


@dataclass(frozen=True)
class Style:
    """Conventions that differ between worlds and mean nothing."""

    employee_id: Literal["prefixed", "slug", "numbered", "dashed"]
    prefix: str
    customer_id: Literal["slug", "numbered"]
    project_id: Literal["slug", "numbered"]
    trait_prefix: tuple[str, str]
    mail: Literal["id", "dotted"]
    all_traits: bool
    """Everybody is rated in every skill and will."""
    other_scripts: bool
    """Some people have names in other scripts, some names are stored decomposed (NFD)."""
    odd_dashes: bool
    """External people's location is written with another dash than everybody else's."""
    odd_names: bool
    """A project has a name full of punctuation."""


def draw_style(rng: Random) -> Style:
    letters = "bcdfghjkmnpqrstvwxzBCDFGHJKLMNPQRSTVWXZ23456789"
    return Style(
        employee_id=rng.choice(("prefixed", "slug", "numbered", "dashed")),
        prefix="".join(rng.choice(letters) for _ in range(4)),
        customer_id=rng.choice(("slug", "slug", "numbered")),
        project_id=rng.choice(("slug", "slug", "numbered")),
        trait_prefix=rng.choice((("skill_", "will_"), ("sk_", "wi_"), ("", "wish_"))),
        mail=rng.choice(("id", "dotted")),
        all_traits=chance(rng, 0.3),
        other_scripts=chance(rng, 0.4),
        odd_dashes=chance(rng, 0.4),
        odd_names=chance(rng, 0.3),
    )


def slug(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "_", plain.lower()).strip("_")


def draw_theme(rng: Random) -> Theme:
    return rng.choice(read_themes()[1])


def draw_name(rng: Random, theme: Theme) -> tuple[str, str]:
    """Full and short name."""
    stem = rng.choice(_STEMS)
    return f"{stem} {rng.choice(theme.nouns)}", stem


def draw_ceo_title(rng: Random) -> str:
    return rng.choice(_CEO_TITLES)


def _location(rng: Random, form: int, city: City, *, head: bool) -> str:
    if head:
        return rng.choice((f"HQ – {city.country}", f"Headquarters {city.name}", "Head Office"))
    return (
        f"{city.name} Office – {city.country}",
        f"{city.name} ({city.code})",
        f"{city.code}-{slug(city.name).upper()[:4]} {city.name}",
        f"{city.name} Branch",
    )[form]


def draw_sites(rng: Random) -> tuple[Site, ...]:
    """Headquarters first; at most one site per country beside it, so that countries tell them."""
    cities: list[City] = []
    for city in rng.sample(CITIES, len(CITIES)):
        if all(city.country != other.country for other in cities):
            cities.append(city)
        if len(cities) == 7:
            break
    count = rng.randint(3, 7)
    form = rng.randrange(4)
    sites: list[Site] = []
    for place, city in enumerate(cities[:count]):
        near = city.near if place == 0 or chance(rng, 0.3) else ()
        sites.append(
            Site(
                location=_location(rng, form, city, head=place == 0),
                city=city.name,
                country=city.country,
                exonyms=dict(city.exonyms),
                near=near,
                demonym=city.demonym,
                headquarters=place == 0,
            )
        )
    return tuple(sites)


def region_of(site: Site) -> str:
    return next(city.region for city in CITIES if city.name == site.city)


def draw_departments(rng: Random, theme: Theme) -> tuple[Department, ...]:
    own = {kind: rng.choice(names) for kind, names in _DEPARTMENT_NAMES.items()}
    delivery = some(rng, theme.delivery, 1, 2)
    production = some(rng, theme.production, 1, 2)
    other = some(rng, theme.other, 1, 2)
    return (
        Department(own["executive"], "executive"),
        Department(own["sales"], "sales"),
        *(Department(name, "delivery") for name in delivery),
        *(Department(name, "production") for name in production),
        *(Department(name, "other") for name in other),
        Department(own["it"], "it"),
        Department(own["hr"], "hr"),
        Department(own["finance"], "finance"),
        Department(own["external"], "external"),
    )


def draw_traits(
    rng: Random, theme: Theme, style: Style
) -> tuple[tuple[Trait, ...], tuple[Trait, ...]]:
    common, _ = read_themes()
    first, second = style.trait_prefix
    skills = (*some(rng, theme.skills, 6, 8), *some(rng, common.skills, 4, 7))
    wills = some(rng, common.wills, 5, 7)
    return (
        tuple(sorted((Trait(first + s.stem, s.label, "skill") for s in skills), key=_by_id)),
        tuple(sorted((Trait(second + w.stem, w.label, "will") for w in wills), key=_by_id)),
    )


def _by_id(trait: Trait) -> str:
    return trait.id
