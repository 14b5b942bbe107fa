"""Sentences that take back for some what they give to others."""

import pytest

from proveout.apps.solver.entities import Identity
from proveout.apps.solver.policy import Policy
from proveout.apps.solver.rules.compile import compile_wiki
from proveout.apps.solver.words import Operation

DEPARTMENTS = ("Loom Hall", "Board", "Travelling Hands")
EXTERNALS = "# People\n\nExternal staff are the people of the department Travelling Hands.\n"


def policy(sentence: str) -> Policy:
    pages = {"people.md": EXTERNALS, "rules.md": f"# Rules\n\n{sentence}\n"}
    return Policy(compile_wiki(pages, "digest", departments=DEPARTMENTS))


def member_of(department: str) -> Identity:
    return Identity(
        current_user="someone",
        is_public=False,
        location="",
        department=department,
        today="2031-05-06",
        wiki_sha1="digest",
    )


@pytest.mark.parametrize(
    ("sentence", "operation"),
    [
        (
            "How busy somebody is is no secret among employees, but it is one for external staff.",
            "employee.workload",
        ),
        (
            "Workloads are not confidential for employees, though they are a secret for external"
            " staff.",
            "employee.workload",
        ),
        (
            "Time entries are visible to every employee; not so for external staff.",
            "time.entries",
        ),
        (
            "Time entries are open to all employees, though not to external staff.",
            "time.entries",
        ),
        (
            "Employees may see workload figures, which external staff are denied.",
            "employee.workload",
        ),
        ("Everyone may see workload figures, external staff excepted.", "employee.workload"),
        (
            "Every employee (external staff excluded) may look up workload figures.",
            "employee.workload",
        ),
        (
            "All employees may change the status of a project, although not external staff.",
            "project.status.write",
        ),
        (
            "Every employee may change the status of a project, but external staff may not.",
            "project.status.write",
        ),
    ],
)
def test_what_is_taken_back_is_forbidden_and_the_rest_is_given(
    sentence: str, operation: Operation
) -> None:
    rules = policy(sentence)
    assert rules.rule(operation, member_of("Travelling Hands"), {}).result == "deny"
    assert rules.rule(operation, member_of("Loom Hall"), {}).result == "allow"


@pytest.mark.parametrize(
    "sentence",
    [
        "All employees may see time entries. It is different for external staff.",
        "Colleagues may see time entries, but that ends where external staff begin.",
    ],
)
def test_what_is_not_understood_of_external_people_closes_it_to_them(sentence: str) -> None:
    rules = policy(sentence)
    assert rules.rule("time.entries", member_of("Travelling Hands"), {}).result == "deny"
    assert rules.rule("time.entries", member_of("Loom Hall"), {}).result == "allow"
