"""Quotes and constants: nothing is a rule that its page does not say under that heading."""

import pytest

from proveout.apps.solver.rules.compile import accept_proposed, compile_wiki
from proveout.apps.solver.rules.ir import (
    AccessRule,
    Audience,
    OwnerRule,
    Rule,
    ScaleRule,
    Source,
)

PAGE = (
    "# Rules\n\n## Pay\n\nOnly the People\u00a0Team may see “salaries” – nobody else.\n\n"
    "## Old ideas\n\nText.\n\n## Notes\n\nContractors are NOT allowed to see notes.\n\n"
    "## Comments\n\nContractors may see notes.\n\n> Contractors may see salaries.\n"
)
PAGES = {"rules.md": PAGE}
DEPARTMENTS = ("People Team", "External Staff", "Board")
HR = Audience(who="department", department="People Team")
OUT = Audience(who="external", department="External Staff")


def allow(quote: str, anchor: str, who: Audience = HR, operation: str = "employee.salary") -> Rule:
    source = Source(page="rules.md", anchor=anchor, quote=quote)
    return AccessRule.model_validate(
        {
            "id": "access.try",
            "source": source,
            "effect": "allow",
            "audience": (who,),
            "operations": (operation,),
        }
    )


def reasons(*rules: Rule) -> tuple[str, ...]:
    return accept_proposed(rules, PAGES, DEPARTMENTS)[1]


def test_a_quote_with_other_quotation_marks_dashes_and_spaces_is_found_and_made_exact() -> None:
    quote = 'Only the People Team may see "salaries" - nobody else.'
    accepted, against = accept_proposed([allow(quote, "Rules > Pay")], PAGES, DEPARTMENTS)
    assert not against
    source = accepted[0].source
    assert source.quote != quote
    assert PAGE[source.start : source.start + len(source.quote)] == source.quote


@pytest.mark.parametrize(
    ("rule", "reason"),
    [
        (allow("Only the People Team may see pay slips.", "Rules > Pay"), "does not stand"),
        (
            allow("Only the People Team may see “salaries” – nobody else.", "Rules"),
            "does not stand",
        ),
        (
            allow("Only the People Team may see “salaries” – nobody else.", "Rules > Notes"),
            "does not stand",
        ),
        (
            allow("Contractors may see notes.", "Rules > Comments", OUT, "employee.notes"),
            "does not stand",
        ),
        (allow("Contractors may see salaries.", "Rules > Comments", OUT), "does not stand"),
        (
            allow(
                "Contractors are NOT allowed to see notes.", "Rules > Notes", OUT, "employee.notes"
            ),
            "forbid",
        ),
        (
            allow(
                "Only the People Team may see “salaries” – nobody else.",
                "Rules > Pay",
                Audience(who="executive", department="Board"),
            ),
            "does not name Board",
        ),
        (
            allow(
                "Only the People Team may see “salaries” – nobody else.",
                "Rules > Pay",
                operation="employee.notes",
            ),
            "employee.notes",
        ),
        (allow("", "Rules > Pay"), "does not stand"),
    ],
)
def test_a_proposed_rule_that_says_more_than_its_quote_is_refused(rule: Rule, reason: str) -> None:
    (against,) = reasons(rule)
    assert reason in against


def test_constants_must_stand_in_the_quote() -> None:
    pages = {"s.md": "# Scale\n\n- **7–8:** Strong\n"}
    source = Source(page="s.md", anchor="Scale", quote="**7–8:** Strong")
    good = ScaleRule(id="a", source=source, term="strong", low=7, high=8)
    wrong = ScaleRule(id="b", source=source, term="strong", low=6, high=8)
    other = OwnerRule(id="c", source=source, section="hr/", department="People Team")
    accepted, against = accept_proposed([good, wrong, other], pages, DEPARTMENTS)
    assert [rule.id for rule in accepted] == ["a"]
    assert len(against) == 2


def test_a_rule_cannot_claim_a_profile_or_precedence_that_its_page_does_not_have() -> None:
    quote = "Only the People\u00a0Team may see “salaries” – nobody else."
    rule = allow(quote, "Rules > Pay").model_copy(update={"profile": "x", "supersedes": True})
    accepted, _ = accept_proposed([rule], PAGES, DEPARTMENTS)
    assert (accepted[0].profile, accepted[0].supersedes) == ("", False)


def test_pages_that_do_not_exist_or_are_out_of_date_support_nothing() -> None:
    pages = {"old.md": "# Old\n\n> This page is obsolete.\n\nHR may see salaries.\n"}
    source = Source(page="old.md", anchor="Old", quote="HR may see salaries.")
    rule = allow("x", "y").model_copy(update={"source": source})
    assert "out of date" in accept_proposed([rule], pages, DEPARTMENTS)[1][0]
    assert "no such page" in accept_proposed([allow("x", "y")], pages, DEPARTMENTS)[1][0]


def test_every_compiled_quote_is_the_page_at_its_offset() -> None:
    book = compile_wiki(PAGES, "d", departments=DEPARTMENTS)
    own = [rule for rule in book.rules if not rule.profile]
    assert own
    for rule in own:
        start = rule.source.start
        assert PAGE[start : start + len(rule.source.quote)] == rule.source.quote
