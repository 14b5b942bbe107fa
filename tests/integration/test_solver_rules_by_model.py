"""A model may state rules that no matcher could read; each must stand on its own quote."""

import json
from pathlib import Path

import pytest

from proveout.apps.solver.acquiring import with_proposed_rules
from proveout.apps.solver.rules.compile import compile_wiki
from proveout.apps.solver.rules.ir import RuleBook
from proveout.fresh import fresh_context

ODD = "Notes on people must never wander far from the desks of Human Resources."
PAGES = {
    "index.md": "# Home\n\nDepartments: Human Resources, Finance, Sales.\n",
    "hr/notes.md": f"# Notes\n\n## Reading\n\n{ODD}\n",
}
DEPARTMENTS = ("Human Resources", "Finance", "Sales")


def access(identifier: str, quote: str, who: str, department: str = "") -> dict[str, object]:
    return {
        "kind": "access",
        "id": identifier,
        "effect": "allow",
        "audience": [{"who": who, "department": department}],
        "operations": ["employee.notes"],
        "source": {"page": "hr/notes.md", "anchor": "Notes > Reading", "quote": quote},
    }


@pytest.fixture
def book() -> RuleBook:
    made = compile_wiki(PAGES, "d" * 40, departments=DEPARTMENTS)
    assert any(ODD in it.source.quote for it in made.unmapped), "a matcher reads it by now"
    return made


def scripted(folder: Path, monkeypatch: pytest.MonkeyPatch, rules: list[dict[str, object]]) -> None:
    replies = [
        {"role": "solver/rules_gate", "value": {"sentences": ["s1", "s99"]}},
        {"role": "solver/rules_compile", "value": {"rules": rules}},
    ]
    path = folder / "script.json"
    path.write_text(json.dumps(replies))
    monkeypatch.setenv("PROVEOUT_MODEL__NAME", f"scripted:{path}")


def test_a_rule_that_its_quote_says_is_added(
    book: RuleBook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = access("access.notes", ODD, "department", "Human Resources")
    scripted(tmp_path, monkeypatch, [wanted])
    more = with_proposed_rules(book, PAGES, fresh_context("solver"))
    added = [rule for rule in more.rules if rule.id not in {it.id for it in book.rules}]
    assert [rule.source.quote for rule in added] == [ODD]


@pytest.mark.parametrize(
    "lie",
    [
        access("access.invented", "Everyone may read all notes.", "everyone"),
        access("access.wrong_department", ODD, "department", "Finance"),
        access("access.wrong_people", ODD, "account_manager"),
    ],
    ids=lambda rule: str(rule["id"]),
)
def test_a_rule_that_its_quote_does_not_say_is_rejected(
    book: RuleBook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lie: dict[str, object]
) -> None:
    scripted(tmp_path, monkeypatch, [lie])
    more = with_proposed_rules(book, PAGES, fresh_context("solver"))
    assert more.rules == book.rules
    assert len(more.rejected) == len(book.rejected) + 1


def test_without_a_model_nobody_is_asked(book: RuleBook) -> None:
    assert with_proposed_rules(book, PAGES, fresh_context("solver")) is book
