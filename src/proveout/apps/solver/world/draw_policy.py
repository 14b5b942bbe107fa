"""The rules of a company, drawn so that no two worlds need agree on any of them."""

from collections.abc import Mapping
from dataclasses import replace
from random import Random

from proveout.apps.solver.world.dice import chance
from proveout.apps.solver.world.graph import Department
from proveout.apps.solver.world.policy import (
    ACCOUNT_MANAGER,
    EXECUTIVES,
    PAGE_OWNER,
    PROJECT_LEAD,
    SELF,
    STAFF,
    Band,
    Code,
    Party,
    Policy,
    Section,
)

_SCALES: dict[int, tuple[tuple[int, ...], tuple[tuple[str, ...], ...]]] = {
    6: ((1, 3, 6, 9), (("beginner", "fair", "strong", "outstanding"),)),
    7: (
        (1, 3, 5, 7, 9),
        (
            ("very low", "basic", "solid", "strong", "exceptional"),
            ("novice", "developing", "able", "strong", "master"),
        ),
    ),
    8: ((1, 4, 6, 8, 10), (("weak", "fair", "good", "strong", "world class"),)),
}
_WORKLOADS = (
    ("active",),
    ("exploring", "active"),
    ("exploring", "active", "paused"),
    ("idea", "exploring", "active", "paused"),
    ("idea", "exploring", "active", "paused", "archived"),
)
_ALWAYS_BARRED = frozenset(
    {
        "employee.salary",
        "employee.salary.write",
        "employee.notes",
        "employee.note.write",
        "employee.skills.write",
        "employee.profile.write",
        "project.team.write",
        "time.log",
        "wiki.write",
    }
)
_SOMETIMES_BARRED = (
    "employee.workload",
    "customer.contact",
    "customer.directory",
    "project.status.write",
    "time.entries",
)
_PREFIXES = {
    "hr": ("people/", "hr/", "staff/"),
    "it": ("systems/", "tools/", "platform/"),
    "finance": ("finance/", "money/", "controlling/"),
    "sales": ("clients/", "sales/", "market/"),
    "executive": ("company/", "about/", "firm/"),
}
_UNSUPPORTED = (
    "delete customers",
    "order material or goods",
    "send e-mails",
    "book travel",
    "create new employees",
    "open support tickets",
)
_CODES = (
    Code(
        "change ticket",
        ("project.status.write", "project.team.write"),
        r"CHG-\d{4}",
        "`CHG-` followed by four digits",
        "CHG-2041",
    ),
    Code(
        "release number",
        ("project.status.write",),
        r"RN\d{2}-[A-Z]{2}",
        "`RN`, two digits, a hyphen and two capital letters",
        "RN07-KD",
    ),
)
_LOG_CODES = (
    Code(
        "cost centre code",
        ("time.log",),
        r"CC-[A-Z]{2}-\d{3}",
        "`CC-`, two capital letters, a hyphen and three digits",
        "CC-MK-204",
        "notes",
    ),
    Code(
        "booking key",
        ("time.log",),
        r"BK\d{3}/[A-Z]",
        "`BK`, three digits, a slash and one capital letter",
        "BK318/F",
        "notes",
    ),
)
_ACQUIRERS = (
    "Halden Crest Holding",
    "Norvane Partners AG",
    "Solitaire Industrial Trust",
    "Bluewick Capital Group",
    "Tessaly Union plc",
)


def draw_policy(rng: Random, departments: tuple[Department, ...]) -> Policy:
    of_kind: dict[str, str] = {d.kind: d.name for d in reversed(departments)}
    strong = rng.choice(sorted(_SCALES))
    externals = frozenset(op for op in _SOMETIMES_BARRED if chance(rng, 0.6))
    if "customer.directory" in externals:  # whoever may not look up customers sees no contacts
        externals |= {"customer.contact"}
    return Policy(
        executive_department=of_kind["executive"],
        external_department=of_kind["external"],
        hr_department=of_kind["hr"],
        finance_department=of_kind["finance"],
        it_department=of_kind["it"],
        sales_department=of_kind["sales"],
        strong_level=strong,
        scale=_scale(rng, strong),
        workload_phases=rng.choice(_WORKLOADS),
        my_projects="led" if chance(rng, 0.5) else "member",
        grants={**_views(rng, of_kind), **_changes(rng, of_kind)},
        external_barred=_ALWAYS_BARRED | externals,
        own_log_statuses=rng.choice((("draft",), ("draft", "submitted"))),
        others_log_statuses=rng.choice((("draft",), ("draft",), ("draft", "submitted"))),
        log_needs_team=True,
        locked_statuses=rng.choice(
            (("approved", "invoiced"), ("submitted", "approved", "invoiced"), ("invoiced",))
        ),
        salary_needs_approval=chance(rng, 0.8),
        sections=tuple(
            Section(rng.choice(prefixes), of_kind[kind])
            for kind, prefixes in sorted(_PREFIXES.items())
        ),
        executives_own_wiki=chance(rng, 0.6),
        codes=(rng.choice(_CODES),) if chance(rng, 0.3) else (),
        unsupported=tuple(sorted(rng.sample(_UNSUPPORTED, rng.randint(3, 5)))),
    )


def _scale(rng: Random, strong: int) -> tuple[Band, ...]:
    lows, labels = _SCALES[strong]
    highs = (*(low - 1 for low in lows[1:]), 10)
    names = rng.choice(labels)
    return tuple(Band(*row) for row in zip(names, lows, highs, strict=True))


def _views(rng: Random, of_kind: Mapping[str, str]) -> dict[str, tuple[Party, ...]]:
    hr = Party("department", of_kind["hr"])
    money = Party("department", of_kind["finance"])
    sales = Party("department", of_kind["sales"])
    pick = rng.choice
    return {
        "self.profile": (SELF,),
        "self.salary": (SELF,),
        "employee.directory": (STAFF,),
        "employee.skills": (STAFF,),
        "project.directory": (STAFF,),
        "project.team": (STAFF,),
        "customer.directory": (STAFF,),
        "wiki.read": (STAFF,),
        "employee.workload": pick(
            ((STAFF,), (SELF, EXECUTIVES, money), (SELF, EXECUTIVES, money, hr))
        ),
        "employee.notes": pick(((hr,), (hr, EXECUTIVES), (hr, PROJECT_LEAD))),
        "employee.salary": pick(((hr,), (hr, EXECUTIVES), (hr, money), (hr, EXECUTIVES, money))),
        "customer.contact": pick(
            (
                (STAFF,),
                (sales, EXECUTIVES, PROJECT_LEAD),
                (sales, EXECUTIVES, ACCOUNT_MANAGER),
            )
        ),
        "time.entries": pick(
            (
                (STAFF,),
                (SELF, money, hr, EXECUTIVES),
                (SELF, money, PROJECT_LEAD),
                (SELF, hr, EXECUTIVES),
            )
        ),
    }


def _changes(rng: Random, of_kind: Mapping[str, str]) -> dict[str, tuple[Party, ...]]:
    hr = Party("department", of_kind["hr"])
    money = Party("department", of_kind["finance"])
    tech = Party("department", of_kind["it"])
    pick = rng.choice
    return {
        "self.skills.write": (SELF,),
        "employee.skills.write": pick(((hr,), (hr, PROJECT_LEAD), (hr, EXECUTIVES))),
        "employee.note.write": pick(((hr,), (hr, EXECUTIVES), (hr, PROJECT_LEAD))),
        "employee.salary.write": pick(((hr,), (hr, money), (hr, EXECUTIVES))),
        "employee.profile.write": pick(((hr,), (hr, tech))),
        "project.status.write": pick(
            (
                (PROJECT_LEAD, EXECUTIVES),
                (PROJECT_LEAD,),
                (PROJECT_LEAD, ACCOUNT_MANAGER),
                (PROJECT_LEAD, EXECUTIVES, money),
            )
        ),
        "project.team.write": pick(
            ((PROJECT_LEAD, EXECUTIVES), (PROJECT_LEAD,), (EXECUTIVES, hr), (PROJECT_LEAD, hr))
        ),
        "time.log": pick(((PROJECT_LEAD,), (PROJECT_LEAD, money), (PROJECT_LEAD, hr))),
        "time.update": pick(((SELF,), (SELF, PROJECT_LEAD), (SELF, money))),
        "wiki.write": (PAGE_OWNER,),
    }


def complete_wiki_rights(policy: Policy) -> Policy:
    """Puts the executives' control of the wiki, if they have it, among the grants."""
    parties = (PAGE_OWNER, EXECUTIVES) if policy.executives_own_wiki else (PAGE_OWNER,)
    return replace(policy, grants={**policy.grants, "wiki.write": parties})


def draw_merger(rng: Random, before: Policy) -> tuple[str, Policy]:
    """The acquirer, and the policy that its takeover leaves behind."""
    acquirer = rng.choice(_ACQUIRERS)
    offered: dict[str, tuple[Party, ...]] = {
        "employee.workload": (SELF, EXECUTIVES),
        "customer.contact": (EXECUTIVES, ACCOUNT_MANAGER),
        "time.entries": (SELF, Party("department", before.finance_department)),
        "project.team.write": (EXECUTIVES,),
        "employee.salary": (Party("department", before.hr_department),),
    }
    real = sorted(op for op, parties in offered.items() if before.grants[op] != parties)
    grants = {**before.grants, **{op: offered[op] for op in rng.sample(real, 2)}}
    return acquirer, replace(
        before,
        grants=grants,
        codes=(*before.codes, rng.choice(_LOG_CODES)),
        guest_must_mention=acquirer,
    )
