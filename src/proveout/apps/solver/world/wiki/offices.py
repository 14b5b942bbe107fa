"""Pages on the company, its sites, external staff, the assistant, the wiki itself, a merger."""

from dataclasses import replace
from random import Random

from proveout.apps.solver.world.graph import Site
from proveout.apps.solver.world.policy import STAFF, Policy
from proveout.apps.solver.world.wiki.deeds import DEEDS
from proveout.apps.solver.world.wiki.handbook import Handbook, page, pick, section, table
from proveout.apps.solver.world.wiki.parties import joined
from proveout.apps.solver.world.wiki.phrases import say
from proveout.apps.solver.world.wiki.registers import log_code
from proveout.apps.solver.world.wiki.sentences import bars, right


def overview(rng: Random, book: Handbook, _policy: Policy) -> str:
    company = book.company
    return page(
        company.name,
        f"{company.name} {book.about}. People call us {company.short}.",
        pick(
            rng,
            f"The {company.ceo_title} is {book.ceo_name}.",
            f"We are run by {book.ceo_name}, {company.ceo_title}.",
        ),
    )


def locations(rng: Random, book: Handbook, _policy: Policy) -> str:
    form = rng.choice(("table", "bullets", "prose"))
    title = pick(rng, "Our sites", "Locations", "Where we are")
    closing = pick(rng, "We have no other sites.", "There are no further offices.")
    if form == "table":
        rows = [(s.location, _place(s), s.country) for s in book.sites]
        return page(title, table(("Location in the registry", "Place", "Country"), rows), closing)
    lines = [f"**{s.location}**: {_place(s)}, {s.country}" for s in book.sites]
    if form == "bullets":
        return page(title, "\n".join(f"- {line}" for line in lines), closing)
    return page(title, *(f"{line}." for line in lines), closing)


def _place(site: Site) -> str:
    head = "headquarters in " if site.headquarters else "office in "
    return f"{head}{site.city}" + (f", near {joined(site.near)}" if site.near else "")


def organisation(rng: Random, book: Handbook, policy: Policy) -> str:
    names = [department.name for department in book.departments]
    listed = (
        "\n".join(f"- {name}" for name in names)
        if rng.random() < 0.5
        else f"Our departments are {joined(names)}."
    )
    return page(
        pick(rng, "Organisation", "Departments", "How we are organised"),
        listed,
        say(rng, "executives", name=policy.executive_department),
        say(rng, "external_department", name=policy.external_department),
    )


def externals(rng: Random, _book: Handbook, policy: Policy) -> str:
    who = pick(rng, "external staff", "external people", "external employees")
    barred = [operation for operation in DEEDS if operation in policy.external_barred]
    if rng.random() < 0.5:
        rng.shuffle(barred)
    return page(
        pick(rng, "External staff", "Working with external people", "Rules for externals"),
        say(rng, "external_department", name=policy.external_department),
        say(rng, "external_first"),
        bars(rng, barred, who),
        section(pick(rng, "What stays allowed", "Allowed all the same"), say(rng, "external_rest")),
    )


def assistant(rng: Random, _book: Handbook, policy: Policy) -> str:
    can = (
        "The assistant can look things up in the registries and in this wiki. It can update "
        "employee profiles, project teams and project statuses, time entries and wiki pages."
    )
    cannot = say(rng, "unsupported", list=joined(policy.unsupported, "or"))
    if rng.random() < 0.25:
        cannot = "Not supported:\n\n" + "\n".join(f"- {item}" for item in policy.unsupported)
    return page(
        pick(rng, "The assistant", "Chat assistant", "Asking the assistant"),
        section(pick(rng, "Abilities", "What it can do"), can, cannot),
        section(pick(rng, "Guests", "Public access"), say(rng, "guests")),
        section(pick(rng, "Identity", "Who is asking"), say(rng, "identity")),
    )


def wiki_rules(rng: Random, _book: Handbook, policy: Policy) -> str:
    rows = [(f"`{s.prefix}`", s.department) for s in policy.sections]
    listed = (
        table(("Section", "Owner"), rows)
        if rng.random() < 0.5
        else "\n".join(f"- Pages under {prefix} belong to {owner}." for prefix, owner in rows)
    )
    rule = "wiki_executives" if policy.executives_own_wiki else "wiki_owners_only"
    return page(
        pick(rng, "Wiki rules", "Writing in the wiki", "About this wiki"),
        say(rng, "wiki_reads"),
        section(
            pick(rng, "Owners", "Who looks after what"),
            listed,
            say(rng, "wiki_rest", name=policy.it_department),
            say(rng, rule, boss=policy.executive_department),
        ),
        section(pick(rng, "Deleting and renaming", "Moving pages"), say(rng, "wiki_delete")),
    )


def merger(rng: Random, before: Policy, after: Policy) -> str:
    """What changed with the takeover; it says that it replaces the other pages."""
    acquirer = after.guest_must_mention
    changed = [op for op in DEEDS if after.grants.get(op) != before.grants.get(op)]
    new_codes = [code for code in after.codes if code not in before.codes]
    return page(
        pick(rng, f"Joining {acquirer}", "After the takeover", "New rules since the merger"),
        say(rng, "replaces", name=acquirer),
        section(
            pick(rng, "New limits", "Changed rights"),
            *(right(rng, operation, after) for operation in changed),
        ),
        section(
            pick(rng, "New codes", "Time entries"), *(log_code(rng, code) for code in new_codes)
        ),
        section(pick(rng, "Guests", "Public replies"), say(rng, "mention", name=acquirer)),
    )


def stale(rng: Random, _book: Handbook, policy: Policy) -> str:
    """Old rules that contradict the current ones, plainly marked as void."""
    opened = {"employee.salary": (STAFF,), "time.entries": (STAFF,)}
    old = replace(policy, grants={**policy.grants, **opened})
    return page(
        pick(rng, "Staff rules 2016", "Old handbook"),
        say(rng, "void"),
        right(rng, "employee.salary", old),
        right(rng, "time.entries", old),
        say(rng, "strong", low=str(max(3, policy.strong_level - 3))),
    )
