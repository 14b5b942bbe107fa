"""The compiler as a whole: stale pages, conflicts, order, cache and recompiling by page."""

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proveout.apps.solver.policy import Policy
from proveout.apps.solver.rules.blocks import parse_page
from proveout.apps.solver.rules.cache import BookCache
from proveout.apps.solver.rules.compile import compile_wiki
from proveout.apps.solver.world.generator import generate
from proveout.kernel.errors import UsageError
from tests.unit.apps.solver.rules_pages import DEPARTMENTS, access, book

PAGES = {
    "pay.md": "# Pay\n\nOnly HR may see salaries.\n",
    "notes.md": "# Notes\n\nOnly HR and the board may read notes about people.\n",
    "scale.md": "# Rating scale\n\n- 1–6: basic\n- 7–8: strong\n",
}


@pytest.mark.parametrize(
    "mark",
    [
        "> **Outdated:** superseded by the current pages.",
        "This page is obsolete.",
        "> No longer valid. Replaced by the current pages.",
        "Status: deprecated",
    ],
)
def test_a_page_that_says_it_is_out_of_date_is_left_out(mark: str) -> None:
    found = book(mark, "Everyone may see salaries.", "A level of 3 or more is strong.")
    assert not access(found)
    assert Policy(found).terms()["strong"] == 7


def test_an_older_sentence_about_replacement_does_not_make_a_page_stale() -> None:
    found = book("This page supersedes all earlier pages.", "Only HR may see salaries.")
    assert {rule.supersedes for rule in found.rules if not rule.profile} == {True}


def test_contradicting_pages_forbid_and_say_so() -> None:
    pages = {
        "a.md": "# A\n\nContractors may see workloads.\n",
        "b.md": "# B\n\nContractors may not see workloads.\n",
    }
    found = compile_wiki(pages, "d", departments=DEPARTMENTS)
    assert [one.about for one in found.conflicts] == ["employee.workload by External Staff"]


def test_levels_that_disagree_are_settled_and_recorded() -> None:
    pages = {
        "a.md": "# Rating scale\n\nA level of 6 or more is strong.\n",
        "b.md": "# Skill levels\n\nA level of 8 or more is strong.\n",
    }
    found = compile_wiki(pages, "d")
    assert Policy(found).terms()["strong"] == 8
    assert found.conflicts[0].reason == "it counts less"


def test_an_empty_wiki_has_only_defaults() -> None:
    found = compile_wiki({}, "d")
    assert found.rules
    assert {rule.profile for rule in found.rules} == {"default"}
    assert all(rule.source.quote == "" for rule in found.rules)
    assert found.coverage == 1.0


def test_an_unknown_profile_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="unknown profile"):
        compile_wiki({}, "d", "nonsense")


def test_what_is_not_understood_is_listed_and_counted() -> None:
    found = book("Only HR may see salaries.", "Lift doors must never be propped open with chairs.")
    assert [one.source.quote for one in found.unmapped] == [
        "Lift doors must never be propped open with chairs."
    ]
    assert found.unmapped[0].denies
    assert (found.normative, found.coverage) == (2, 0.5)


def test_only_changed_pages_are_compiled_again() -> None:
    before = compile_wiki(PAGES, "d1", departments=DEPARTMENTS)
    # A mark that no compilation would make shows which pages were taken over.
    marked = before.model_copy(
        update={
            "rules": tuple(
                rule.model_copy(update={"id": f"kept.{rule.id}"}) for rule in before.rules
            )
        }
    )
    changed = {**PAGES, "pay.md": "# Pay\n\nOnly the board may see salaries.\n"}
    after = compile_wiki(changed, "d2", previous=marked, departments=DEPARTMENTS)
    own = [rule for rule in after.rules if not rule.profile]
    assert {rule.source.page for rule in own if rule.id.startswith("kept.")} == {
        "notes.md",
        "scale.md",
    }
    assert {rule.source.page for rule in own if not rule.id.startswith("kept.")} == {"pay.md"}
    fresh = compile_wiki(changed, "d2", departments=DEPARTMENTS)
    again = compile_wiki(changed, "d2", previous=before, departments=DEPARTMENTS)
    assert again == fresh


def test_new_departments_make_every_page_be_read_again() -> None:
    before = compile_wiki(PAGES, "d1", departments=DEPARTMENTS)
    after = compile_wiki(PAGES, "d1", previous=before, departments=("Human Resources",))
    assert ("allow", "Human Resources", "employee.salary") in access(after)


def test_books_are_kept_by_digest_and_profile(tmp_path: Path) -> None:
    cache = BookCache(tmp_path / "books")
    made = compile_wiki(PAGES, "d1", departments=DEPARTMENTS)
    assert cache.get("d1", "wiki") is None
    cache.put(made)
    assert cache.get("d1", "wiki") == made
    assert cache.get("d1", "erc3-prod") is None
    for file in (tmp_path / "books").iterdir():
        file.write_text("{}")
    assert cache.get("d1", "wiki") is None


BULLETS = (
    "HR may see salaries.",
    "Contractors may not see workloads.",
    "Project leads may change the status of a project.",
    "Only the board may change wiki pages.",
    "A level of 7 or more is strong.",
)


@settings(max_examples=25, deadline=None)
@given(order=st.permutations(BULLETS), seed=st.integers(0, 999))
def test_order_of_bullets_and_pages_does_not_matter(order: list[str], seed: int) -> None:
    def ids(pages: dict[str, str]) -> set[str]:
        return {rule.id for rule in compile_wiki(pages, "d", departments=DEPARTMENTS).rules}

    def page(bullets: tuple[str, ...] | list[str]) -> str:
        return "# House rules on levels\n\n" + "\n".join(f"- {one}" for one in bullets) + "\n"

    names = list(PAGES)
    random.Random(seed).shuffle(names)
    shuffled = {name: PAGES[name] for name in names}
    assert ids({**PAGES, "x.md": page(BULLETS)}) == ids({"x.md": page(order), **shuffled})


@settings(max_examples=60, deadline=None)
@given(text=st.text(alphabet=st.sampled_from(list("ab |-#*`>\n1.:(\t~<!–“é")), max_size=120))
def test_any_text_is_a_page(text: str) -> None:
    page = parse_page("x.md", text)
    assert all(0 <= block.start <= block.end <= len(text) for block in page.blocks)
    compile_wiki({"x.md": text}, "d")


@pytest.mark.parametrize(
    "text",
    [
        "# A\n\n" + "only HR may see salaries and " * 2000,
        "# " + "only HR may see salaries and " * 2000 + "\n\nHR may see notes.\n",
        "# A\n\n" + "|" * 20_000 + "\n|---|\n",
        "# A\n\n| a | who |\n|---|---|\n| " + "see pay " * 2000 + " | " + "HR and " * 2000 + "|\n",
        "# Sites\n\n- X: in " + "Aa, near " * 5000,
    ],
    ids=["sentence", "heading", "pipes", "cells", "places"],
)
def test_endless_text_is_no_rule(text: str) -> None:
    found = compile_wiki({"x.md": text}, "d", departments=DEPARTMENTS)
    assert not [rule for rule in found.rules if len(rule.source.quote) > 4_000]


@pytest.mark.parametrize("seed", range(4))
def test_synthetic_wikis_are_understood(seed: int) -> None:
    world = generate(seed)
    names = [one.name for one in world.departments]
    found = compile_wiki(world.wiki_of("base"), "d", departments=names)
    own = [rule for rule in found.rules if not rule.profile]
    kinds = {rule.kind for rule in own}
    assert kinds >= {"access", "derive", "scale", "meaning", "owner", "site", "procedure", "label"}
    assert not [one for one in found.conflicts if one.about != "workload"]
    assert not found.rejected
    assert found.coverage > 0.9
    assert len([rule for rule in own if rule.kind == "site"]) == len(world.sites)
