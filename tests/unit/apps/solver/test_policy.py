"""Decisions with their proofs: who wins, what is cited, what is denied without a word."""

import pytest
from pydantic import JsonValue

from proveout.apps.solver.policy import Policy
from proveout.apps.solver.rules.compile import compile_wiki
from proveout.apps.solver.words import READS, WRITES
from tests.unit.apps.solver.rules_pages import DEPARTMENTS, guest, person, policy

HR, BOSS, OUT = person("People Team"), person("Board of Directors"), person("External Staff")
STAFF = person()


@pytest.mark.parametrize("operation", WRITES)
def test_an_empty_wiki_lets_nobody_write(operation: str) -> None:
    empty = Policy(compile_wiki({}, "d"))
    facts = dict.fromkeys(("leads_project", "subject_in_team", "ceo_approval", "owns_page"), True)
    proof = empty.rule(operation, BOSS, facts)  # type: ignore[arg-type]
    assert proof.result == "deny"
    assert [rule.id for rule in proof.rules] == ["default.write_denied"]
    assert proof.rules[0].profile == "default"
    assert empty.bar(operation, BOSS) is not None  # type: ignore[arg-type]


@pytest.mark.parametrize("operation", READS)
def test_guests_get_public_facts_and_nothing_else(operation: str) -> None:
    found = policy("Everyone may see workloads.", "All employees may read the wiki.")
    allowed = found.rule(operation, guest(), {}).result == "allow"  # type: ignore[arg-type]
    assert allowed == operation.startswith("public.")
    assert (found.bar(operation, guest()) is None) == allowed  # type: ignore[arg-type]


def test_the_proof_cites_the_words_of_the_page() -> None:
    found = policy("Only HR may see salaries.")
    proof = found.rule("employee.salary", STAFF, {})
    assert proof.result == "deny"
    assert proof.rules[0].quote == "Only HR may see salaries."
    assert proof.rules[0].page == "rules.md"
    assert proof.rules[0].anchor == "House rules"
    granted = found.rule("employee.salary", HR, {})
    assert granted.result == "allow"
    assert granted.identity["department"] == "People Team"
    assert found.cite(granted.rules[0].id) == granted.rules[0]
    with pytest.raises(KeyError):
        found.cite("access.made_up")


def test_the_more_particular_rule_wins_and_a_draw_denies() -> None:
    found = policy(
        "Salaries are confidential.", "HR may see salaries.", "All employees may see workloads.",
        "Contractors may not see workloads.", "Contractors may see notes.",
        "Contractors may not see notes.",
    )  # fmt: skip
    assert found.rule("employee.salary", HR, {}).result == "allow"
    assert found.rule("employee.salary", BOSS, {}).result == "deny"
    assert found.rule("employee.workload", STAFF, {}).result == "allow"
    assert found.rule("employee.workload", OUT, {}).result == "deny"
    assert found.rule("employee.notes", OUT, {}).result == "deny"


def test_leads_log_drafts_for_their_team_and_nothing_more() -> None:
    found = policy(
        "Project leads can log time for their team members in draft mode. "
        "They are NOT allowed to submit entries for them."
    )
    case: dict[str, JsonValue] = {"leads_project": True, "subject_in_team": True, "status": "draft"}
    proof = found.rule("time.log", STAFF, case)
    assert proof.result == "allow"
    assert proof.predicates == {"leads_project": True, "subject_in_team": True, "status": "draft"}
    for fact, value in (
        ("status", "submitted"),
        ("status", "approved"),
        ("subject_in_team", False),
    ):
        assert found.rule("time.log", STAFF, {**case, fact: value}).result == "deny"
    assert found.rule("time.log", BOSS, {"status": "draft"}).result == "deny"
    assert found.bar("time.log", STAFF) is None


def test_a_locked_entry_stays_locked_for_its_owner() -> None:
    found = policy(
        "The owner of the entry may change a time entry; nobody else may.",
        "Entries in status `approved` must not be changed, not even by their owner.",
    )
    assert (
        found.rule("time.update", STAFF, {"is_self": True, "current_status": "draft"}).result
        == "allow"
    )
    assert (
        found.rule("time.update", STAFF, {"is_self": True, "current_status": "approved"}).result
        == "deny"
    )
    assert found.rule("time.update", HR, {"current_status": "draft"}).result == "deny"


def test_salary_changes_need_the_chief() -> None:
    found = policy("Only HR may change salaries.", "Every salary change requires CEO approval.")
    assert found.rule("employee.salary.write", HR, {"ceo_approval": True}).result == "allow"
    refused = found.rule("employee.salary.write", HR, {})
    assert refused.result == "deny"
    assert refused.predicates["ceo_approval"] is False
    assert found.rule("employee.salary.write", BOSS, {"ceo_approval": True}).result == "deny"
    relaxed = policy("Only HR may change salaries.", "An approval by the CEO is not needed.")
    assert relaxed.rule("employee.salary.write", HR, {}).result == "allow"


def test_one_is_always_oneself() -> None:
    found = policy("Only HR may see salaries.", "Employees may update their own skills.")
    assert found.rule("employee.salary", STAFF, {"is_self": True}).result == "allow"
    assert found.rule("self.salary", STAFF, {"is_self": True}).result == "allow"
    assert found.rule("employee.skills.write", STAFF, {"is_self": True}).result == "allow"
    assert found.rule("employee.skills.write", STAFF, {}).result == "deny"


def test_a_page_that_replaces_others_decides() -> None:
    pages = {
        "a.md": "# A\n\nAll employees may see workloads.\n",
        "m.md": "# Merger\n\nThis page supersedes all other pages.\n\n"
        "Only the board may see workloads.\n",
    }
    found = Policy(compile_wiki(pages, "d", departments=DEPARTMENTS))
    assert found.rule("employee.workload", STAFF, {}).result == "deny"
    assert found.rule("employee.workload", BOSS, {}).result == "allow"


def test_a_profile_fills_gaps_and_opens_nothing_that_a_page_closes() -> None:
    silent = policy("Lunch is at noon.", profile="erc3-prod")
    assert silent.rule("project.status.write", STAFF, {"leads_project": True}).result == "allow"
    assert silent.rule("employee.workload", OUT, {}).result == "deny"
    assert silent.bar("customer.contact", OUT) is not None
    strict = policy("Only the board may change the status of a project.", profile="erc3-prod")
    assert strict.rule("project.status.write", STAFF, {"leads_project": True}).result == "deny"
    assert strict.rule("project.status.write", BOSS, {}).result == "allow"


def test_page_owners_are_known_by_the_page() -> None:
    pages = {
        "hr/a.md": "# A\n",
        "x/w.md": "# Wiki\n\n## Owners\n\n- Pages under `hr/` belong to the People Team.\n",
    }
    found = Policy(compile_wiki(pages, "d", departments=DEPARTMENTS))
    assert found.rule("wiki.write", HR, {"page": "hr/b.md"}).result == "allow"
    assert found.rule("wiki.write", HR, {"page": "x/w.md"}).result == "deny"
    assert found.rule("wiki.write", HR, {"page": "hrx/b.md"}).result == "deny"
    assert found.rule("wiki.write", BOSS, {"page": "hr/b.md"}).result == "deny"


def test_facts_must_be_true_not_merely_truthy() -> None:
    found = policy("Project leads may change the status of a project.")
    assert found.rule("project.status.write", STAFF, {"leads_project": "yes"}).result == "deny"
    assert found.rule("project.status.write", guest(), {"leads_project": True}).result == "deny"


def test_an_executive_board_by_another_name() -> None:
    pages = {
        "o.md": "# Organisation\n\n"
        "Our departments are The Lantern Room, People Team and Helpers.\n\n"
        "The executives of the company are the members of The Lantern Room.\n\n"
        "The department Helpers holds our external staff.\n",
        "r.md": "# Rules\n\nOnly executives may see notes.\n\n"
        "External staff may not see workloads.\n",
    }
    found = Policy(compile_wiki(pages, "d"))
    assert found.rule("employee.notes", person("The Lantern Room"), {}).result == "allow"
    assert found.rule("employee.notes", person("People Team"), {}).result == "deny"
    assert found.rule("employee.workload", person("Helpers"), {}).result == "deny"
