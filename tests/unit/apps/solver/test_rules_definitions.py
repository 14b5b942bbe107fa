"""Rules that define, demand and list: levels, workload, codes, replies, sites, owners."""

import re

import pytest

from proveout.apps.solver.policy import Policy
from proveout.apps.solver.rules.compile import compile_wiki
from tests.unit.apps.solver.rules_pages import book, guest, person


@pytest.mark.parametrize(
    ("text", "low"),
    [
        ("## Rating scale\n\n- **7–8:** Strong – recognised\n- 9-10: Exceptional", 7),
        ("## Rating scale\n\n| Level | Meaning |\n|---|---|\n| 6–8 | strong |\n| 9–10 | top |", 6),
        ("Somebody counts as strong in a skill from level 8 upwards.", 8),
        ("A skill level of six or more is strong.", 6),
        ("We call people strong in a skill if their level is at least 5.", 5),
    ],
)
def test_strong_begins_where_the_scale_says(text: str, low: int) -> None:
    assert Policy(book(text)).terms()["strong"] == low


ALL = ("idea", "exploring", "active", "paused", "archived")


@pytest.mark.parametrize(
    ("text", "phases"),
    [
        ("Workload is summed over `active` and `exploring` projects.", ("exploring", "active")),
        ("Workload counts all projects, excluding archived ones.", ALL[:4]),
        ("Workload adds up the slices of every project; its status makes no difference.", ALL),
        (
            "Workload adds up slices, but only in `active` projects; `idea`, `exploring`, `paused` "
            "and `archived` projects are left out.",
            ("active",),
        ),
        (
            "For workload, archived and paused projects do not count.",
            ("idea", "exploring", "active"),
        ),
    ],
)
def test_workload_counts_the_phases_that_are_named(text: str, phases: tuple[str, ...]) -> None:
    assert Policy(book(text)).workload_statuses() == phases


def test_a_maybe_becomes_a_conflict_that_the_profile_settles() -> None:
    text = "Only `active` (and sometimes `exploring`) projects are counted toward workload."
    plain = book(text)
    assert Policy(plain).workload_statuses() == ("active",)
    assert [one.about for one in plain.conflicts] == ["workload"]
    assert Policy(book(text, profile="erc3-prod")).workload_statuses() == ALL


@pytest.mark.parametrize(
    ("text", "means"),
    [
        ('"My projects" are those that the person leads.', "led"),
        ('By "my projects" we understand every project that someone takes part in.', "member"),
        ('"My projects" are all in which one is a team member, led or not.', "member"),
        ('"My projects" means projects one leads, not those one merely works on.', "led"),
    ],
)
def test_my_projects(text: str, means: str) -> None:
    assert Policy(book(text)).my_projects() == means


@pytest.mark.parametrize(
    ("text", "good", "bad"),
    [
        (
            "Every time entry must carry a cost centre such as `CC-<Region>-<Unit>-<3 digits>`.",
            "CC-EU-AB-204",
            "CC-EU-AB-2O4",
        ),
        (
            "To log time, a cost centre code is required: `CC-`, two capital letters, a hyphen and "
            "three digits, for example `CC-MK-204`.",
            "CC-XY-001",
            "CC-XYZ-001",
        ),
        ("Each time entry needs a booking key of the form `BK-####`.", "BK-0042", "BK-42"),
    ],
)
def test_codes_become_patterns(text: str, good: str, bad: str) -> None:
    rule = Policy(book(text)).required_code("time.log")
    assert rule is not None
    assert re.fullmatch(rule.pattern, good)
    assert not re.fullmatch(rule.pattern, bad)


def test_a_code_for_project_changes_does_not_bind_time() -> None:
    text = "It takes a change ticket to change a project's status: `CHG-` followed by four digits."
    found = Policy(book(text))
    assert found.required_code("project.status.write") is not None
    assert found.required_code("time.log") is None


@pytest.mark.parametrize(
    "text",
    [
        "Every reply to a guest must mention the name Halvorsen Union plc.",
        'Each answer to a visitor must contain the words "Halvorsen Union plc".',
        "No reply to guests without the name Halvorsen Union plc: it must be mentioned each time.",
    ],
)
def test_replies_to_guests_carry_a_name(text: str) -> None:
    found = Policy(book(text))
    assert found.must_mention(guest()) == "Halvorsen Union plc"
    assert found.must_mention(person()) == ""


def test_sites_in_lists_tables_and_descriptions() -> None:
    pages = {
        "sites.md": "# Our sites\n\n| Location in the registry | Place | Country |\n|---|---|---|\n"
        "| Head Office | headquarters in Niš, near Leskovac | Serbia |\n",
        "more.md": "# Branches\n\n- **Lyon (France)**\n  - Focus: rail.\n\n## Mill\n\n"
        "- **Location:** Northern Italy, between Milan and Bergamo (edge of town).\n",
    }
    sites = {site.name: site for site in Policy(compile_wiki(pages, "d")).sites()}
    assert (sites["Head Office"].city, sites["Head Office"].near) == ("Niš", ("Leskovac",))
    assert sites["Lyon (France)"].country == "France"
    assert sites["Mill"].near == ("Milan", "Bergamo")


def test_owners_procedures_and_labels() -> None:
    pages = {
        "hr/a.md": "# A\n",
        "desk/wiki.md": "# Wiki\n\n## Owners\n\n- Pages under `hr/` belong to the People Team.\n\n"
        "All other pages are owned by Money Office.\n\n## Pages\n\nTo delete a page, empty it. "
        "To rename it, copy the content to the new path and empty the old page.\n\n"
        "## Skills\n\n| Id | Name |\n|---|---|\n| `knots` | Tying knots |\n",
    }
    found = Policy(compile_wiki(pages, "d", departments=("People Team", "Money Office")))
    assert (found.owner("hr/a.md"), found.owner("desk/x.md")) == ("People Team", "Money Office")
    assert found.can("wiki.delete")
    renaming = found.procedure("wiki.rename")
    assert renaming is not None
    assert renaming.steps == ("copy", "empty")
    assert found.labels() == {"knots": "Tying knots"}
    assert not found.can("customer.delete")


@pytest.mark.parametrize("odd", ["A" * 40 + "!", "AB" * 40 + "-", "A.B-" * 30 + "9"])
def test_a_name_in_capitals_is_read_at_once(odd: str) -> None:
    """There is one way to part a name into words, however odd it is."""
    page = f"# Sites\n\n- {odd}\n- between {odd} and {odd}\n- near {odd} ({odd})\n"
    compile_wiki({"about/sites.md": page}, "0" * 40)
