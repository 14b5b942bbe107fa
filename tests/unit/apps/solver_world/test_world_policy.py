"""The policy object decides as its wiki says."""

from dataclasses import replace

from proveout.apps.solver.world.generator import generate
from proveout.apps.solver.world.policy import (
    EXECUTIVES,
    PROJECT_LEAD,
    SELF,
    Asker,
    Facts,
    Party,
    Policy,
    Section,
)

GUEST = Asker(None)


def policy() -> Policy:
    drawn = generate(0).policy
    return replace(
        drawn,
        executive_department="Board",
        external_department="Hired",
        hr_department="HR",
        it_department="IT",
        grants={
            **drawn.grants,
            "employee.salary": (Party("department", "HR"),),
            "time.entries": (SELF, EXECUTIVES),
            "time.log": (PROJECT_LEAD, Party("department", "HR")),
            "project.status.write": (PROJECT_LEAD, EXECUTIVES),
            "employee.salary.write": (Party("department", "HR"),),
        },
        external_barred=frozenset({"time.entries", "time.log", "project.status.write"}),
        own_log_statuses=("draft", "submitted"),
        others_log_statuses=("draft",),
        locked_statuses=("approved",),
        salary_needs_approval=True,
        sections=(Section("hr/", "HR"), Section("hr/board/", "Board")),
    )


def test_guests_have_public_facts_only() -> None:
    rules = policy()
    assert rules.allows("public.sites", GUEST, Facts())
    assert not rules.allows("employee.directory", GUEST, Facts())
    assert rules.barred("wiki.read", GUEST)


def test_rights_of_departments_and_executives() -> None:
    rules = policy()
    assert rules.allows("employee.salary", Asker("a", "HR"), Facts())
    assert not rules.allows("employee.salary", Asker("a", "Board"), Facts())
    assert rules.barred("employee.salary", Asker("a", "Board"))
    assert rules.allows("project.status.write", Asker("a", "Board"), Facts())
    assert not rules.barred("project.status.write", Asker("a", "HR")), "might be the lead"


def test_bars_on_externals_spare_their_own_records() -> None:
    rules, hired = policy(), Asker("x", "Hired")
    assert not rules.allows("project.status.write", hired, Facts(leads_project=True))
    assert rules.allows("time.entries", hired, Facts(is_self=True))
    assert not rules.allows("time.entries", hired, Facts())
    assert rules.allows("time.log", hired, Facts(is_self=True, status="draft"))
    assert not rules.allows(
        "time.log", hired, Facts(leads_project=True, subject_in_team=True, status="draft")
    )


def test_logging_depends_on_status_team_and_right() -> None:
    rules, lead = policy(), Asker("a", "Sales")
    team = Facts(leads_project=True, subject_in_team=True, status="draft")
    assert rules.allows("time.log", lead, team)
    assert not rules.allows("time.log", lead, replace(team, status="submitted"))
    assert not rules.allows("time.log", lead, replace(team, subject_in_team=False))
    assert rules.allows("time.log", Asker("a", "HR"), Facts(status="draft"))
    assert rules.allows("time.log", lead, Facts(is_self=True, status="submitted"))
    assert not rules.allows("time.log", lead, Facts(is_self=True, status="approved"))


def test_locked_entries_and_unapproved_salaries_stay() -> None:
    rules = policy()
    own = Facts(is_self=True, old_status="approved", status="voided")
    assert not rules.allows("time.update", Asker("a", "HR"), own)
    assert rules.allows("time.update", Asker("a", "HR"), replace(own, old_status="draft"))
    assert not rules.allows("employee.salary.write", Asker("a", "HR"), Facts())
    assert rules.allows("employee.salary.write", Asker("a", "HR"), Facts(ceo_approval=True))


def test_the_longest_section_owns_a_page() -> None:
    rules = policy()
    assert rules.owner("hr/board/x.md") == "Board"
    assert rules.owner("hr/x.md") == "HR"
    assert rules.owner("index.md") == "IT"
