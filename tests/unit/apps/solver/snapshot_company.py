"""A small harbour company, written down by hand, and the rules that its snapshot is bound by."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from proveout.apps.solver.resolve.places import SiteLike
from proveout.apps.solver.rules.ir import SiteRule, Source
from tests.unit.apps.solver.client_loopback import Body, SmallCompany, person

NOWHERE = Source(page="places.md", anchor="Places", quote="x")


@dataclass(frozen=True)
class HarbourRules:
    """What a policy says, as far as relations depend on it."""

    statuses: tuple[str, ...] = ("active", "paused")
    mine: Literal["led", "member"] = "led"
    named: Mapping[str, str] = field(default_factory=lambda: {"skill_knots": "Tying knots"})

    def workload_statuses(self) -> tuple[str, ...]:
        return self.statuses

    def terms(self) -> dict[str, int]:
        return {"strong": 7}

    def my_projects(self) -> Literal["led", "member"]:
        return self.mine

    def sites(self) -> Sequence[SiteLike]:
        return (
            SiteRule(id="s", source=NOWHERE, name="Lakeside Yard", city="Graz", country="Austria"),
        )

    def labels(self) -> Mapping[str, str]:
        return self.named


def project(identifier: str, name: str, status: str, *team: tuple[str, float, str]) -> Body:
    members = [{"employee": who, "time_slice": slice_, "role": role} for who, slice_, role in team]
    return {
        "id": identifier,
        "name": name,
        "customer": "cust_gull" if identifier != "proj_inside" else "cust_own_house",
        "status": status,
        "description": f"All about {name.lower()}.",
        "team": members or None,
    }


def harbour() -> SmallCompany:
    levels = [{"name": "skill_knots", "level": 9}, {"name": "skill_charts", "level": 3}]
    return SmallCompany(
        me={
            "current_user": "h_1",
            "department": "Sails",
            "location": "Harbour",
            "today": "2031-02-03",
            "wiki_sha1": "f00d",
        },
        people=[
            person("h_1", "Zoë Łuczak", skills=levels, salary=61_000),
            person("h_2", "Adam Reed", wills=[{"name": "will_travel", "level": 4}]),
            person("h_3", "Adam Stone", notes="Mobile: +43 660 1234567", location="Lakeside Yard"),
            person(
                "h_4",
                "Mira Voss",
                department="Ropes",
                notes="The CEO approved a new salary of 70,000 EUR.",
            ),
        ],
        customers=[
            {
                "id": "cust_gull",
                "name": "Gull Ferries Grp",
                "location": "Malta",
                "deal_phase": "ACTIVE",
                "high_level_status": "Key account",
                "brief": "Runs night ferries between small islands.",
                "primary_contact_name": "Rosa Camilleri",
                "primary_contact_email": "rosa@gull.example",
                "account_manager": "h_2",
            },
            {"id": "cust_mute", "name": "Mute Swan Ltd", "deal_phase": "idea"},
        ],
        projects=[
            project(
                "proj_mast", "Carbon mast", "active", ("h_1", 0.3, "lead"), ("h_2", 0.15, "QA")
            ),
            project("proj_old", "Old pier", "archived", ("h_1", 0.6, "Engineer")),
            project("proj_rope", "Long rope", "paused", ("h_2", 0.1, "Lead"), ("h_1", 0.2, "Ops")),
            project("proj_inside", "Inside job", "active"),
        ],
        entries=[
            {
                "id": "te_1",
                "employee": "h_1",
                "customer": "cust_gull",
                "project": "proj_mast",
                "date": "2031-01-31",
                "hours": 2.55,
                "work_category": "customer_project",
                "notes": "n",
                "billable": True,
                "status": "draft",
            }
        ],
        pages={
            "index.md": "# Welcome aboard\nRead me.",
            "hr/leave.md": "# Leave of absence\nHow to ask for holidays and vacation.",
            "yard/paint.md": "# Paint store\nKeys hang at the door.",
        },
    )
