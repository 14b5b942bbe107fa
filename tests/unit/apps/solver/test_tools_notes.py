"""Notes are read for what they say: a number that is a telephone's, a salary that was approved."""

import pytest

from proveout.apps.solver.tooling.notes import approvals, phones


@pytest.mark.parametrize(
    "text",
    [
        "CEO approved a raise to 105000",
        "The CEO has approved increasing her salary to 105,000.",
        "Salary increase to EUR 105.000 approved by the CEO on 2031-02-03",
        "Approved by CEO: new salary € 105.000",
        "approved by the Chief Executive: pay goes from 95000 to 105000",
        "CEO signed off the compensation change. New salary: 105 000 EUR.",
        "CEO approved salary 105k",
        "Board minutes 12.03.2031: CEO authorised a salary of $105,000",
        "CEO approval received. Salary to be set to 105'000.",
        "Likes sailing.\nCEO approved pay rise to 105000\nVegetarian.",
        "The CEO approved HR's request to raise the salary to 105000",
        "Gehaltserhöhung auf 105.000 Euro vom Geschäftsführer genehmigt",
        "Stipendio a 105.000 euro approvato dal CEO",
        "Le CEO a approuvé une augmentation de salaire à 105 000 €",
        "El CEO aprobó un aumento de sueldo a 105.000 EUR",
        "CEO je odobrio platu na 105000",
        "Генеральный директор утвердил повышение оклада до 105000",
        "CEO已批准加薪至105000",
    ],
)
def test_an_approval_in_many_wordings(text: str) -> None:
    assert [(it.approver, it.amount) for it in approvals(text)] == [("CEO", 105_000)]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Salary 105000",
        "CEO knows about the salary of 105000",
        "Salary raise to 105000 approved by the team lead",
        "CEO approved a raise",
        "CEO approved a raise of 5%",
        "CEO approved a raise by 5000",
        "CEO approved the offsite budget of 105000",
        "Pending CEO approval: salary 105000",
        "Waiting for the CEO, who has not approved the salary of 105000",
        "CEO rejected the salary of 105000, which HR had approved",
        "If approved by the CEO the salary will be 105000",
        "She asked that the CEO approved 105000 as salary",
        "CEO approval needed for salary 105000",
        "CEO approved a salary of 105000. Approval withdrawn in March.",
        "Deputy CEO approved a salary of 105000",
        "The CEO's assistant approved a salary of 105000",
        "CEO approved salary of 105000 or 110000",
        "Salary review approved 2031 by the CEO",
        "CEO approved her holiday. Salary is 105000?",
        "Vom CEO nicht genehmigt: Gehalt 105.000 Euro",
        "In attesa: stipendio a 105.000 approvato dal CEO?",
    ],
)
def test_what_merely_sounds_like_an_approval_is_none(text: str) -> None:
    assert approvals(text) == ()


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("Phone number: +39 3490 12345", "+39 3490 12345"),
        ("tel. 02/123 456-78, likes tea", "02/123 456-78"),
        ("Mobile 0171-1234567", "0171-1234567"),
        ("Reachable under (030) 123 4567 after nine", "(030) 123 4567"),
        ("+44 20 7946 0958", "+44 20 7946 0958"),
        ("0043 660 1234567", "0043 660 1234567"),
        ("Telefon: 064/123-4567", "064/123-4567"),
        ("телефон: +381 64 1234567", "+381 64 1234567"),
        ("手机：13800138000", "13800138000"),
        ("Badge 99887766. Phone: +1 (555) 010-9999.", "+1 (555) 010-9999"),
    ],
)
def test_a_telephone_number_as_it_is_written(text: str, number: str) -> None:
    assert phones(text) == (number,)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "No phone on file",
        "Born 1980-02-03, joined 01.02.2020",
        "Badge 1234567890",
        "Fax +39 02 1234567",
        "Emergency contact: +39 333 1234567",
        "Salary +105 000 000 EUR",
        "IBAN 0012345678901234567890",
        "phone interview on 2031-02-03",
        "Project 12345-67890 since 2030",
    ],
)
def test_other_numbers_are_no_telephones(text: str) -> None:
    assert phones(text) == ()


def test_long_notes_take_no_long_time() -> None:
    """Patterns that backtrack would not come to an end here."""
    assert phones("1 " * 50_000) == ()
    assert approvals("CEO approved " * 5_000 + "9" * 50_000) == ()
    assert phones("tel " + "(0)" * 20_000) == ()
