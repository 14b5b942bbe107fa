"""A whole world from a seed and a profile; the same arguments give the same bytes."""

from collections.abc import Mapping
from datetime import date, timedelta
from typing import NamedTuple

from proveout.apps.solver.world.dice import PROFILES, between, chance, dice
from proveout.apps.solver.world.draw_company import (
    draw_ceo_title,
    draw_departments,
    draw_name,
    draw_sites,
    draw_style,
    draw_theme,
    draw_traits,
    slug,
)
from proveout.apps.solver.world.draw_customers import draw_customers
from proveout.apps.solver.world.draw_people import Workplace, draw_people
from proveout.apps.solver.world.draw_policy import complete_wiki_rights, draw_merger, draw_policy
from proveout.apps.solver.world.draw_projects import draw_projects
from proveout.apps.solver.world.draw_time import TimeSheet
from proveout.apps.solver.world.graph import Company, Merger, World
from proveout.apps.solver.world.policy import Policy
from proveout.apps.solver.world.wiki import Handbook, write_wiki

_LAZY_FROM = 5_000
"""Entries from which they are computed on demand instead of kept."""


def generate(seed: int, profile: str = "standard") -> World:
    size = PROFILES[profile]
    rng = dice(seed, profile, "company")
    theme, style = draw_theme(rng), draw_style(rng)
    name, short = draw_name(rng, theme)
    sites, departments = draw_sites(rng), draw_departments(rng, theme)
    skills, wills = draw_traits(rng, theme, style)
    domain = f"{short.lower()}.example"
    today = (date(2024, 1, 8) + timedelta(days=rng.randrange(1400))).isoformat()
    place = Workplace(sites, departments, skills, wills, domain, style)
    people = draw_people(dice(seed, profile, "people"), between(rng, size.people), place)
    sales = next(d.name for d in departments if d.kind == "sales")
    sellers = [p for p in people if p.department == sales]
    internal = f"cust_{slug(short)}_internal"
    customers = draw_customers(
        dice(seed, profile, "customers"), between(rng, size.customers), theme, sellers, style
    )
    topics, number = dice(seed, profile, "projects"), between(rng, size.projects)
    projects = draw_projects(topics, number, theme, customers, internal, people, style)
    sheet = TimeSheet(
        f"time/{seed}/{profile}", projects, internal, today, between(rng, size.time_entries)
    )
    company = Company(
        name, short, theme.key, domain, ceo=people[0].id, ceo_title=draw_ceo_title(rng)
    )
    handbook = Handbook(
        company, theme.about, sites, departments, skills, wills, people[0].name, today
    )
    rules = _rules(seed, profile, handbook)
    return World(
        seed=seed,
        profile=profile,
        company=company,
        today=today,
        sites=sites,
        departments=departments,
        skills=skills,
        wills=wills,
        people=people,
        customers=customers,
        internal_customer=internal,
        projects=projects,
        time_entries=sheet if len(sheet) >= _LAZY_FROM else tuple(sheet),
        policy=rules.policy,
        wiki=rules.wiki,
        topics=rules.topics,
        merger=rules.merger,
    )


class _Rules(NamedTuple):
    policy: Policy
    wiki: Mapping[str, str]
    topics: Mapping[str, str]
    merger: Merger | None


def _rules(seed: int, profile: str, handbook: Handbook) -> _Rules:
    """The policy, the pages that tell it, and what a merger makes of both in half the worlds."""
    drawn = draw_policy(dice(seed, profile, "policy"), handbook.departments)
    policy = complete_wiki_rights(drawn)
    wiki, topics = write_wiki(dice(seed, profile, "wiki"), handbook, policy)
    if not chance(dice(seed, profile, "merged"), 0.5):
        return _Rules(policy, wiki, topics, None)
    acquirer, after = draw_merger(dice(seed, profile, "merger"), policy)
    merged, _ = write_wiki(dice(seed, profile, "wiki"), handbook, policy, after)
    return _Rules(policy, wiki, topics, Merger(acquirer, after, merged))
