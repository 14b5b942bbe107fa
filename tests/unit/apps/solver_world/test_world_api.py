"""The routes answer as the real service does: paging, nulls, errors, searches, updates."""

import hashlib
from typing import Any

import pytest

from proveout.apps.solver.world.api.body import ApiError
from proveout.apps.solver.world.graph import TimeEntry
from proveout.apps.solver.world.spec import Overlay
from tests.unit.apps.solver_world.world_bench import opened, small_world, spec


def refused(ask: Any, path: str, **fields: object) -> tuple[int, str]:
    with pytest.raises(ApiError) as error:
        ask(path, **fields)
    return error.value.status, error.value.text


@pytest.mark.parametrize(
    ("route", "name"),
    [
        ("/employees/list", "employees"),
        ("/customers/list", "companies"),
        ("/projects/list", "projects"),
    ],
)
def test_pages_end_with_minus_one_and_cover_everything(route: str, name: str) -> None:
    _, ask = opened()
    rows: list[Any] = []
    offset = 0
    while offset != -1:
        page = ask(route, offset=offset, limit=5)
        rows += page[name]
        assert page["next_offset"] in (-1, len(rows))
        offset = page["next_offset"]
    world = small_world()
    assert len(rows) in (len(world.people), len(world.customers), len(world.projects))


def test_the_edges_of_paging() -> None:
    _, ask = opened()
    count = len(small_world().people)
    assert refused(ask, "/employees/list", offset=0, limit=6) == (
        400,
        "page limit exceeded: 6 > 5",
    )
    assert ask("/employees/list", offset=count, limit=5) == {"employees": None, "next_offset": -1}
    assert refused(ask, "/employees/list", offset=count + 1, limit=5)[0] == 500
    assert ask("/employees/list") == {"employees": None, "next_offset": 0}
    assert ask("/employees/search", query="zzzz") == {"employees": None, "next_offset": -1}
    assert refused(ask, "/employees/list", offset=-1, limit=5)[0] == 400
    assert refused(ask, "/employees/list", offset="0", limit=5)[0] == 400


def test_a_cap_below_zero_switches_listing_off() -> None:
    _, ask = opened(spec(page_cap=-1))
    assert refused(ask, "/projects/list", offset=0, limit=1) == (400, "page limit exceeded: 1 > -1")
    assert refused(ask, "/projects/list") == (400, "page limit exceeded: 0 > -1")


def test_people_are_found_by_stored_order_and_exact_place() -> None:
    _, ask = opened()
    person = next(p for p in small_world().people if p.given.isascii() and p.family.isascii())
    found = ask("/employees/search", query=person.name.upper(), limit=5)["employees"]
    assert person.id in [row["id"] for row in found]
    assert ask("/employees/search", query=person.swapped_name, limit=5)["employees"] is None
    assert ask("/employees/search", location=person.location[:-1], limit=5)["employees"] is None
    rows = ask("/employees/search", location=person.location, limit=5)["employees"]
    assert {row["location"] for row in rows} == {person.location}
    assert "skills" not in rows[0]


def test_skill_filters_combine_and_unrated_people_do_not_fit() -> None:
    _, ask = opened()
    world = small_world()
    one, two = world.skills[0].id, world.skills[1].id
    fitting = [p.id for p in world.people if 1 <= p.level(one) <= 5 and p.level(two) >= 4]
    found: list[str] = []
    offset = 0
    filters = [{"name": one, "min_level": 1, "max_level": 5}, {"name": two, "min_level": 4}]
    while offset != -1:
        page = ask("/employees/search", skills=filters, offset=offset, limit=5)
        found += [row["id"] for row in page["employees"] or ()]
        offset = page["next_offset"]
    assert found == fitting
    assert refused(ask, "/employees/search", skills=["rope"], limit=5)[0] == 400


def test_unknown_things_are_missed_in_three_ways() -> None:
    _, ask = opened()
    assert refused(ask, "/employees/get", id="nobody")[0] == 404
    assert refused(ask, "/customers/get", id=small_world().internal_customer)[0] == 404
    assert ask("/projects/get", id="nothing") == {"project": None, "found": False}
    assert refused(ask, "/wiki/load", file="no.md")[0] == 404
    assert refused(ask, "/no/such/route")[0] == 404


def test_whoami_of_a_broken_identity_is_missing() -> None:
    _, ask = opened(spec(whoami=None))
    assert refused(ask, "/whoami") == (404, "Not found")


def test_archived_projects_are_listed_but_not_searched() -> None:
    _, ask = opened(spec(page_cap=100))
    listed = ask("/projects/list", limit=100)["projects"]
    searched = ask("/projects/search", limit=100)["projects"]
    complete = ask("/projects/search", limit=100, include_archived=True)["projects"]
    archived = {row["id"] for row in listed if row["status"] == "archived"}
    assert archived
    assert {row["id"] for row in listed} - {row["id"] for row in searched} == archived
    assert listed == complete


def test_projects_are_searched_by_description_and_by_member() -> None:
    _, ask = opened(spec(page_cap=100))
    project = next(p for p in small_world().projects if p.status != "archived")
    words = project.description[5:25]
    rows = ask("/projects/search", query=words.upper(), limit=100)["projects"]
    assert project.id in [row["id"] for row in rows]
    lead = project.leads[0]
    team = {"employee_id": lead, "role": "Lead"}
    rows = ask("/projects/search", team=team, limit=100, include_archived=True)["projects"]
    expected = [p.id for p in small_world().projects if lead in p.leads]
    assert [row["id"] for row in rows] == expected


def test_employee_updates_keep_what_is_empty_and_replace_lists() -> None:
    state, ask = opened()
    person = small_world().people[3]
    skill = person.skills[0].name
    answer = ask(
        "/employees/update",
        employee=person.id,
        notes="",
        salary=0,
        wills=[],
        skills=[{"name": skill, "level": 10}],
    )["employee"]
    assert answer["salary"] == person.salary
    assert answer["notes"] == person.notes
    assert answer["skills"] == [{"name": skill, "level": 10}]
    assert len(answer["wills"]) == len(person.wills)
    assert [event.type for event in state.events] == ["Evt_EmployeeSkillsUpdated"]
    ask("/employees/update", employee=person.id, notes="New note", salary=person.salary)
    assert [event.type for event in state.events][1:] == ["Evt_EmployeeNoteUpdated"]
    bad = [{"name": skill, "level": 11}]
    assert refused(ask, "/employees/update", employee=person.id, skills=bad)[0] == 400


def test_one_task_does_not_see_what_another_changed() -> None:
    _, first = opened()
    _, second = opened()
    person = small_world().people[0].id
    first("/employees/update", employee=person, notes="Changed")
    assert second("/employees/get", id=person)["employee"]["notes"] != "Changed"


def test_a_team_comes_back_in_id_order_and_a_status_always_makes_an_event() -> None:
    state, ask = opened()
    project = small_world().projects[0]
    team = [
        {"employee": m.employee, "time_slice": m.time_slice, "role": m.role} for m in project.team
    ]
    ask("/projects/team/update", id=project.id, team=team[::-1])
    assert not state.events, "an equal team is no change"
    ask("/projects/team/update", id=project.id, team=team[:0:-1])
    ask("/projects/status/update", id=project.id, status=project.status)
    assert [e.type for e in state.events] == ["Evt_ProjectTeamUpdated", "Evt_ProjectStatusChanged"]
    shown = ask("/projects/get", id=project.id)["project"]["team"]
    assert shown == team[1:]
    assert refused(ask, "/projects/status/update", id=project.id, status="done")[0] == 400


def test_time_is_logged_changed_and_summed() -> None:
    entry = TimeEntry(
        "te_900", "", "", "", "2020-02-29", 150, "customer_project", "n", True, "submitted"
    )
    person, project = small_world().people[5].id, small_world().projects[0]
    planted = TimeEntry(**{**entry.__dict__, "employee": person, "project": project.id})
    state, ask = opened(spec(overlay=Overlay(time_entries=(planted,))))
    fields = {"date": "2020-02-29", "hours": 2, "work_category": "customer_project"}
    new = ask("/time/log", employee=person, project=project.id, status="draft", **fields)
    assert new["customer"] == ""
    assert new["hours"] == 2
    found = ask("/time/search", employee=person, date_to="2020-03-01", limit=5)
    assert found["total_hours"] == 3.5
    assert found["total_billable"] == 1.5
    same = {k: v for k, v in found["entries"][0].items() if k in {*fields, "notes", "billable"}}
    ask("/time/update", id="te_900", status="voided", **same)
    assert [e.type for e in state.events] == ["Evt_TimeEntryLogged", "Evt_TimeEntryStatusChanged"]
    ask("/time/update", id="te_900", status="voided", **{**same, "notes": "other"})
    assert state.events[-1].type == "Evt_TimeEntryUpdated"
    ask_by = {"date_from": "2020-01-01", "date_to": "2020-12-31"}
    rows = ask("/time/summary/by-employee", **ask_by)["summaries"]
    assert rows == [
        {"employee": person, "total_hours": 3.5, "billable_hours": 1.5, "non_billable_hours": 2}
    ]
    assert ask("/time/summary/by-project", **ask_by)["summaries"][0]["distinct_employees"] == 1
    assert refused(ask, "/time/log", employee=person, date="2020-01-01", hours=-1)[0] == 400
    internal = small_world().internal_customer
    assert (
        refused(ask, "/time/log", employee=person, date="2020-01-01", customer=internal)[0] == 404
    )
    assert "id" not in ask("/time/get", id="te_900")["entry"]


def test_the_digest_follows_the_pages() -> None:
    state, ask = opened()
    before = ask("/whoami")["wiki_sha1"]
    content = "".join(f"{p}\n{state.wiki[p]}\n" for p in sorted(state.wiki))
    assert before == hashlib.sha1(content.encode()).hexdigest()
    ask("/wiki/update", file="x/../y.md", content="text without newline")
    assert ask("/wiki/list")["sha1"] != before
    assert ask("/wiki/load", file="x/../y.md")["content"] == "text without newline"
    ask("/wiki/update", file="x/../y.md", content="")
    assert ask("/whoami")["wiki_sha1"] == before


def test_wiki_search_shows_five_lines_with_context_and_minds_case() -> None:
    _, ask = opened()
    hits = ask("/wiki/search", query_regex=".")["results"]
    assert len(hits) == 5
    assert hits[0]["linum"] == 1
    assert ask("/wiki/search", query_regex="HEADQUARTERS IN")["results"] is None
    assert ask("/wiki/search", query_regex="(?i)HEADQUARTERS IN")["results"]
    assert refused(ask, "/wiki/search", query_regex="(")[0] == 400


def test_nothing_changes_after_the_answer() -> None:
    state, ask = opened()
    ask("/respond", message="x", outcome="ok_answer", links=[{"kind": "employee", "id": "a"}])
    assert refused(ask, "/respond", message="y", outcome="ok_answer")[0] == 400
    assert refused(ask, "/wiki/update", file="a.md", content="b")[0] == 400
    assert ask("/whoami")["today"]
    assert len(state.answers) == 1


def test_malformed_answers_are_refused() -> None:
    _, ask = opened()
    assert refused(ask, "/respond", message="x", outcome="fine")[0] == 400
    links = [{"kind": "planet", "id": "x"}]
    assert refused(ask, "/respond", message="x", outcome="ok_answer", links=links)[0] == 400
    assert refused(ask, "/respond", message=5, outcome="ok_answer")[0] == 400
