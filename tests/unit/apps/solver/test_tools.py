"""The facade: typed, counted, hashed, and blind to who may see what."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from proveout.apps.solver.client import GaveUp, ListingOff, ServerFault
from proveout.apps.solver.resolve.gazetteer import Gazetteer
from proveout.apps.solver.snapshot import Snapshot
from proveout.apps.solver.tools import TOOLS, Toolbox, ToolRefused
from proveout.kernel.errors import UnknownName
from tests.unit.apps.solver.client_loopback import (
    Body,
    LoopbackApi,
    Said,
    SmallCompany,
    client_of,
    refusal,
)
from tests.unit.apps.solver.snapshot_company import HarbourRules, harbour


@dataclass
class Harbour:
    api: LoopbackApi
    tools: Toolbox


def opened(company: SmallCompany, folder: Path) -> Iterator[Harbour]:
    with LoopbackApi(company) as api:
        client = client_of(api)
        identity = client.who_am_i()
        with Snapshot(folder / "s.db", client) as snapshot:
            snapshot.bind_context(identity, HarbourRules())
            yield Harbour(api, Toolbox(client, snapshot, Gazetteer, HarbourRules(), identity))


@pytest.fixture
def at(tmp_path: Path) -> Iterator[Harbour]:
    yield from opened(harbour(), tmp_path)


def test_every_result_type_has_one_shape() -> None:
    shapes: dict[str, set[tuple[str, ...]]] = {}
    for spec in TOOLS.values():
        shapes.setdefault(spec.result, set()).add(spec.columns)
    assert all(len(columns) == 1 for columns in shapes.values())


def test_no_tool_shows_salaries_or_writes() -> None:
    for spec in TOOLS.values():
        assert "salary" not in spec.columns
        assert not spec.name.startswith(("update_", "provide_", "log_"))


def test_who_asks(at: Harbour) -> None:
    result = at.tools.call("who_am_i", {})
    assert result.rows == (("h_1", "Zoë Łuczak", "Sails", "Harbour", "2031-02-03"),)
    assert (result.type, result.api_calls, result.ids) == ("identity", 1, ("h_1",))
    assert at.tools.call("who_am_i", {}).api_calls == 0


def test_people_by_name_and_by_context(at: Harbour) -> None:
    assert at.tools.call("resolve_person", {"text": "Luczak Zoe"}).ids == ("h_1",)
    both = at.tools.call("resolve_person", {"text": "Adam"})
    assert (both.status, set(both.ids)) == ("ambiguous", {"h_2", "h_3"})
    one = at.tools.call("resolve_person", {"text": "Adam", "within_project": "proj_rope"})
    assert (one.status, one.ids) == ("found", ("h_2",))
    mine = at.tools.call("resolve_person", {"text": "Adam", "among_mine": True})
    assert mine.ids == ("h_2",)
    nobody = at.tools.call("resolve_person", {"text": "Adam", "within_department": "Ropes"})
    assert (nobody.status, nobody.rows) == ("missing", ())


def test_things_by_description(at: Harbour) -> None:
    assert at.tools.call("resolve_project", {"text": "the carbon mast project"}).ids == (
        "proj_mast",
    )
    assert at.tools.call("resolve_project", {"text": "old pier"}).ids == ("proj_old",)
    assert at.tools.call("resolve_customer", {"text": "night ferries customer"}).ids == (
        "cust_gull",
    )
    contact = at.tools.call("resolve_contact", {"text": "Camilleri Rosa"})
    assert contact.rows == (("cust_gull", "Rosa Camilleri", "rosa@gull.example"),)
    assert at.tools.call("resolve_department", {"text": "ropes department"}).rows == (("Ropes",),)
    assert at.tools.call("resolve_skill", {"text": "tying knots"}).rows == (
        ("skill", "skill_knots"),
    )
    assert at.tools.call("resolve_skill", {"text": "travel", "kind": "will"}).rows == (
        ("will", "will_travel"),
    )
    assert at.tools.call("resolve_project", {"text": "submarine telescope"}).status == "missing"


def test_that_we_are_not_somewhere_is_an_answer(at: Harbour) -> None:
    here = at.tools.call("resolve_site", {"text": "Graz"})
    assert here.rows == (("Lakeside Yard", "Graz", "Austria"),)
    away = at.tools.call("resolve_site", {"text": "Tokyo"})
    assert (away.status, away.rows) == ("found", ())
    assert at.tools.call("resolve_location", {"text": "Tokyo"}).status == "missing"


def test_days_are_seen_from_the_today_of_the_api(at: Harbour) -> None:
    assert at.tools.call("resolve_dates", {"text": "yesterday"}).rows == (
        ("2031-02-02", "2031-02-02"),
    )
    assert at.tools.call("resolve_dates", {"text": "green"}).status == "missing"


def test_pages_by_subject_and_by_path(at: Harbour) -> None:
    found = at.tools.call("find_wiki_pages", {"text": "How do I ask for vacation?"})
    assert found.ids[0] == "hr/leave.md"
    page = at.tools.call("load_wiki_page", {"path": "index.md"})
    assert page.rows[0][1] == "Welcome aboard"
    for path in ("../../etc/passwd", "INDEX.md", "' OR 1=1 --"):
        assert at.tools.call("load_wiki_page", {"path": path}).status == "missing"


@pytest.mark.parametrize("text", ['"', "* OR NEAR(", "title:x", "-", "鹿特丹", "a" * 2_000])
def test_odd_words_do_not_break_the_search(at: Harbour, text: str) -> None:
    assert at.tools.call("find_wiki_pages", {"text": text}).type == "pages"


def test_notes_are_read_for_those_asked_about(at: Harbour) -> None:
    phones = at.tools.call("find_phone", {"employees": ["h_3", "h_4"]})
    assert phones.rows == (("h_3", "+43 660 1234567"),)
    approved = at.tools.call("find_approvals", {"employees": ["h_3", "h_4"]})
    assert approved.rows == (("h_4", "CEO", 70_000),)
    assert {body["id"] for body in at.api.asked("/employees/get")} == {"h_3", "h_4"}


def test_loading_counts(at: Harbour) -> None:
    assert at.tools.call("load_skills", {"employees": ["h_1"]}).rows == ((1,),)
    assert at.tools.call("load_skills", {}).rows == ((4,),)
    assert at.tools.call("load_notes", {}).api_calls == 0
    assert at.tools.call("load_salaries", {}).rows == ((4,),)
    assert at.tools.call("load_time_entries", {"employee": "h_1"}).rows == ((1,),)


def test_composed_questions(at: Harbour) -> None:
    team = at.tools.call("team_of", {"text": "carbon mast"})
    assert team.rows == (
        ("proj_mast", "Carbon mast", "h_1", "Zoë Łuczak", "Sails", "Lead", 300, 500),
        ("proj_mast", "Carbon mast", "h_2", "Adam Reed", "Sails", "QA", 150, 250),
    )
    involved = at.tools.call("projects_of", {"text": "Zoë Łuczak"})
    assert [row[2] for row in involved.rows] == ["proj_mast", "proj_old", "proj_rope"]
    portfolio = at.tools.call("portfolio_of", {"text": "Gull Ferries"})
    assert (
        "cust_gull",
        "Gull Ferries Grp",
        "proj_mast",
        "Carbon mast",
        "active",
        "h_1",
        2,
        450,
    ) in (portfolio.rows)
    assert at.tools.call("projects_of", {"text": "Adam"}).rows == ()


def test_raw_reads_go_to_the_end_and_are_kept(at: Harbour) -> None:
    assert len(at.tools.call("list_employees", {}).rows) == 4
    assert len(at.tools.call("list_employees", {"limit": 2}).rows) == 2
    assert at.tools.call("get_project", {"id": "proj_mast"}).rows[0][2] == "All about carbon mast."
    assert at.tools.call("get_project", {"id": "proj_none"}).rows == ()
    found = at.tools.call("search_projects", {"query": "pier", "include_archived": True})
    assert found.type == "projects_rows"
    assert at.tools.call("search_time_entries", {}).rows[0][5] == 255
    assert at.tools.call("list_wiki", {}).ids == ("hr/leave.md", "index.md", "yard/paint.md")
    kept = at.tools.snapshot.rows("SELECT description FROM projects WHERE id = 'proj_mast'")
    assert kept == [("All about carbon mast.",)]


def test_results_are_the_same_each_time(at: Harbour) -> None:
    one = at.tools.call("team_of", {"text": "carbon mast"})
    two = at.tools.call("team_of", {"text": "carbon mast"})
    other = at.tools.call("team_of", {"text": "old pier"})
    assert one.digest == two.digest != other.digest


def test_only_what_is_known_can_be_linked(at: Harbour) -> None:
    assert at.tools.known("employee") == {"h_1"}
    at.tools.call("load_salaries", {})
    assert at.tools.known("employee") == {"h_1", "h_2", "h_3", "h_4"}
    assert at.tools.known("project") == frozenset()


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("resolve_person", {}),
        ("resolve_person", {"text": "Adam", "salary": True}),
        ("resolve_person", {"text": ["Adam"]}),
        ("find_phone", {"employees": "h_1"}),
        ("find_phone", {}),
        ("load_time_entries", {"date_from": "31.01.2031"}),
        ("list_employees", {"limit": 0}),
        ("resolve_skill", {"text": "x", "kind": "wish"}),
        ("search_projects", {"status": ["deleted"]}),
    ],
)
def test_wrong_arguments_are_refused_before_anything_happens(
    at: Harbour, name: str, args: Body
) -> None:
    at.api.seen.clear()
    with pytest.raises(ToolRefused):
        at.tools.call(name, args)
    assert at.api.seen == []


@pytest.mark.parametrize("name", ["update_wiki", "provide_agent_response", "eval", "", "__init__"])
def test_there_are_no_other_tools(at: Harbour, name: str) -> None:
    with pytest.raises(UnknownName):
        at.tools.call(name, {})


def test_a_listing_that_is_off_is_no_missing_person(tmp_path: Path) -> None:
    class Off(SmallCompany):
        def __call__(self, path: str, body: Body) -> Said:
            if path == "/employees/list":
                return refusal(400, f"page limit exceeded: {body['limit']} > -1")
            return super().__call__(path, body)

    company = Off(**vars(harbour()))
    for at in opened(company, tmp_path):
        with pytest.raises(ListingOff):
            at.tools.call("resolve_person", {"text": "Adam"})
        assert at.tools.call("resolve_project", {"text": "carbon mast"}).status == "found"


def test_an_api_that_died_is_an_error_in_bounded_calls(tmp_path: Path) -> None:
    class Dying(SmallCompany):
        alive = True

        def __call__(self, path: str, body: Body) -> Said:
            return super().__call__(path, body) if self.alive else refusal(503, "down")

    company = Dying(**vars(harbour()))
    for at in opened(company, tmp_path):
        company.alive = False
        at.api.seen.clear()
        for _ in range(20):
            with pytest.raises((ServerFault, GaveUp)):
                at.tools.call("resolve_customer", {"text": "Gull"})
        assert len(at.api.seen) <= 12
