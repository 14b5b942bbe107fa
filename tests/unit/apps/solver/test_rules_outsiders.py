"""External people, departments with an "and" in their name, approvals that nobody needs."""

import pytest

from proveout.apps.solver.entities import Identity
from proveout.apps.solver.policy import Policy
from proveout.apps.solver.rules.compile import compile_wiki
from proveout.apps.solver.validating.grounding import Ground

ORGANISATION = (
    "# Organisation\n\nOur departments are Harbour Pool, Board, Sales and Ledger and Vault.\n\n"
    "The executives of the company are the members of Board.\n"
)


def policy(**pages: str) -> Policy:
    texts = {f"{name}.md": text for name, text in pages.items()}
    return Policy(compile_wiki({"organisation.md": ORGANISATION, **texts}, "digest"))


def member_of(department: str) -> Identity:
    return Identity(
        current_user="someone",
        is_public=False,
        location="",
        department=department,
        today="2030-01-07",
        wiki_sha1="digest",
    )


@pytest.mark.parametrize(
    "definition",
    [
        "Everybody who belongs to the department Harbour Pool is external staff.",
        "People of the department Harbour Pool are externals.",
        "The department Harbour Pool counts as external staff.",
    ],
)
def test_external_people_do_not_inherit_what_every_employee_has(definition: str) -> None:
    rules = policy(
        external=f"# Externals\n\n{definition}\n\nExternal staff may not see customer records.\n",
        customers="# Customers\n\nEvery employee may see customer records.\n",
    )
    assert rules.rule("customer.directory", member_of("Harbour Pool"), {}).result == "deny"
    assert rules.rule("customer.directory", member_of("Sales"), {}).result == "allow"


def test_a_page_that_replaces_others_does_not_let_in_whom_it_does_not_name() -> None:
    rules = policy(
        external="# Externals\n\nExternal staff are the people of the department Harbour Pool.\n\n"
        "External staff may not look up customer contact details.\n",
        merger="# Merger\n\nThis page supersedes all other pages wherever they say something else."
        "\n\nOnly the account manager of the customer may look up customer contact details.\n",
    )
    facts = {"manages_customer": True}
    assert rules.rule("customer.contact", member_of("Harbour Pool"), facts).result == "deny"
    assert rules.rule("customer.contact", member_of("Sales"), facts).result == "allow"


def test_a_name_with_an_and_is_one_department_even_at_the_end_of_a_list() -> None:
    rules = policy(pay="# Pay\n\nOnly colleagues in Ledger and Vault may see salaries.\n")
    assert set(rules.book.departments) == {"Harbour Pool", "Board", "Sales", "Ledger and Vault"}
    assert rules.rule("employee.salary", member_of("Ledger and Vault"), {}).result == "allow"
    assert rules.rule("employee.salary", member_of("Sales"), {}).result == "deny"


@pytest.mark.parametrize(
    "waiver",
    [
        "A salary change needs no separate approval by the CEO.",
        "CEO sign-off is not necessary for this.",
        "An approval by the CEO is not needed.",
    ],
)
def test_an_approval_that_is_not_needed_is_not_asked_for(waiver: str) -> None:
    rules = policy(pay=f"# Pay\n\n## Changes\n\nOnly Board may change a salary. {waiver}\n")
    assert rules.rule("employee.salary.write", member_of("Board"), {}).result == "allow"
    assert rules.rule("employee.salary.write", member_of("Sales"), {}).result == "deny"


@pytest.mark.parametrize(
    "text",
    ["augmente d'un niveau", "un'ora sola", "um einem Punkt", "на одну ступень", "za jedan nivo"],
)
def test_articles_and_inflected_words_count_as_one(text: str) -> None:
    assert Ground(text).number(1)
    assert not Ground(text).number(2)
