"""Many ways to write the same few rules: who has something by a sentence, and who has not."""

from pathlib import Path

import pytest
from pydantic import JsonValue

from proveout.apps.solver.entities import Identity
from proveout.apps.solver.policy import Policy
from proveout.apps.solver.rules.compile import compile_wiki
from proveout.apps.solver.words import READS, WRITES, Operation

DEPARTMENTS = {
    "board": "Board of Directors",
    "people": "People Team",
    "money": "Money Office",
    "sales": "Field Sales",
    "external": "External Staff",
    "tools": "Toolshop",
    "guest": "",
}
FACTS: dict[str, dict[str, JsonValue]] = {
    "lead": {"leads_project": True, "subject_in_team": True},
    "member": {"member_of_project": True},
    "manager": {"manages_customer": True},
    "self": {"is_self": True},
    "owner": {"owns_page": True},
    "approved": {"ceo_approval": True},
    "draft": {"status": "draft"},
    "submitted": {"status": "submitted"},
    "now_draft": {"current_status": "draft"},
    "now_approved": {"current_status": "approved"},
    "now_invoiced": {"current_status": "invoiced"},
}
OPERATIONS: dict[str, Operation] = {it: it for it in (*READS, *WRITES)}


def allows(policy: Policy, case: str) -> bool:
    """`employee.salary people+lead`: an operation, a department, facts."""
    operation, _, asker = case.partition(" ")
    department, *known = asker.split("+")
    who = Identity(
        current_user="" if department == "guest" else "u1",
        is_public=department == "guest",
        department=DEPARTMENTS[department],
        today="2030-03-05",
    )
    facts = {name: value for fact in known for name, value in FACTS[fact].items()}
    return policy.rule(OPERATIONS[operation], who, facts).result == "allow"


def sentences() -> list[tuple[str, str, str]]:
    """Sentence, who has something by it, who has not: three lines each, `\\n` for a new line."""
    text = Path(__file__).with_name("rules_wordings.txt").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [
        (lines[at].replace("\\n", "\n"), lines[at + 1][2:], lines[at + 2][2:])
        for at in range(0, len(lines), 3)
    ]


@pytest.mark.parametrize(("sentence", "allowed", "denied"), sentences())
def test_a_rule_means_what_it_says(sentence: str, allowed: str, denied: str) -> None:
    names = [name for name in DEPARTMENTS.values() if name]
    page = f"# House rules\n\n{sentence}\n"
    policy = Policy(compile_wiki({"rules.md": page}, "d1", departments=names))
    for case in filter(None, allowed.split(", ")):
        assert allows(policy, case), case
    for case in filter(None, denied.split(", ")):
        assert not allows(policy, case), case


DEFINITIONS = (
    ("Skills rated 6 or higher count as strong.", 6),
    ("We call somebody strong in a skill from level 8 upwards.", 8),
    ("A level between 6 and 8 is strong, anything above is expert.", 6),
    ("Someone counts as strong with a rating of 8 or above.", 8),
    ('The word "strong" is used from 6 on.', 6),
    ("- 1 to 4: learning\n- 5 to 7: solid\n- 8 to 10: strong", 8),
)


@pytest.mark.parametrize(("sentence", "low"), DEFINITIONS)
def test_strong_begins_where_the_wiki_says(sentence: str, low: int) -> None:
    book = compile_wiki({"scale.md": f"# Rating skills\n\n{sentence}\n"}, "d1")
    assert Policy(book).terms()["strong"] == low


WORKLOADS = (
    ("For the workload, only slices of active projects are added up.", {"active"}),
    ("All projects but archived ones count towards the workload.",
     {"idea", "exploring", "active", "paused"}),
    ("Workload is computed over active projects; other phases are ignored.", {"active"}),
    ("Slices in paused or archived projects do not count towards workload; those in idea, "
     "exploring and active projects do.", {"idea", "exploring", "active"}),
)  # fmt: skip


@pytest.mark.parametrize(("sentence", "statuses"), WORKLOADS)
def test_workload_counts_what_the_wiki_says(sentence: str, statuses: set[str]) -> None:
    book = compile_wiki({"work.md": f"# Projects\n\n{sentence}\n"}, "d1")
    assert set(Policy(book).workload_statuses()) == statuses
