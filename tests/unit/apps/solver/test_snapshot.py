"""The company as SQL: complete, lazy, in whole numbers, and with its origin on record."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from proveout.apps.solver.catalogue import CATALOGUE, RELATIONS
from proveout.apps.solver.client import ListingOff, ServerFault
from proveout.apps.solver.client.requests import (
    EmployeeUpdate,
    Member,
    TeamUpdate,
    TimeSearch,
    WikiUpdate,
)
from proveout.apps.solver.entities import Identity
from proveout.apps.solver.snapshot import Snapshot
from proveout.apps.solver.snapshot.snapshot import PARTS
from proveout.kernel.errors import UnknownName, UsageError
from tests.unit.apps.solver.client_loopback import (
    Body,
    LoopbackApi,
    Said,
    SmallCompany,
    client_of,
    person,
    refusal,
)
from tests.unit.apps.solver.snapshot_company import HarbourRules, harbour


@contextmanager
def snapshot_of(
    company: SmallCompany, path: Path, rules: HarbourRules | None = None
) -> Iterator[tuple[Snapshot, LoopbackApi]]:
    with LoopbackApi(company) as api:
        client = client_of(api)
        with Snapshot(path / "s.db", client) as snapshot:
            if company.me:
                snapshot.bind_context(client.who_am_i(), rules or HarbourRules())
            api.seen.clear()
            yield snapshot, api


def test_every_relation_has_the_columns_of_the_catalogue(tmp_path: Path) -> None:
    assert set(PARTS) == set(CATALOGUE)
    with snapshot_of(harbour(), tmp_path) as (snapshot, _):
        snapshot.ensure(*CATALOGUE)
        for relation in RELATIONS:
            held = [row[1] for row in snapshot.rows(f"PRAGMA table_info({relation.name})")]
            assert tuple(held) == relation.columns
            assert snapshot.rows(f"SELECT * FROM {relation.name}"), relation.name


def test_binding_and_making_ask_the_api_nothing(tmp_path: Path) -> None:
    with snapshot_of(harbour(), tmp_path) as (snapshot, api):
        assert snapshot.rows("SELECT id, department, today FROM me") == [
            ("h_1", "Sails", "2031-02-03")
        ]
        assert snapshot.rows("SELECT * FROM policy_terms") == [("strong", 7)]
        assert api.seen == []


def test_only_what_is_needed_is_fetched_and_only_once(tmp_path: Path) -> None:
    with snapshot_of(harbour(), tmp_path) as (snapshot, api):
        snapshot.ensure("customers")
        snapshot.ensure("customers", "customer_contacts")
        assert {path for path, _ in api.seen} == {"/customers/list", "/customers/get"}
        assert len(api.asked("/customers/get")) == 2
        snapshot.ensure("employee_salaries")
        assert api.asked("/employees/get") == []


def test_amounts_are_whole_numbers(tmp_path: Path) -> None:
    with snapshot_of(harbour(), tmp_path) as (snapshot, _):
        snapshot.ensure("project_team", "time_entries")
        assert snapshot.rows("SELECT slice_milli FROM project_team ORDER BY 1") == [
            (100,), (150,), (200,), (300,), (600,)
        ]  # fmt: skip
        assert snapshot.rows("SELECT hours_centi, billable FROM time_entries") == [(255, 1)]


def test_salaries_notes_and_contacts_stand_apart(tmp_path: Path) -> None:
    with snapshot_of(harbour(), tmp_path) as (snapshot, _):
        snapshot.ensure("employees", "employee_notes", "customers")
        for relation in ("employees", "customers", "projects"):
            text = str(snapshot.rows(f"SELECT * FROM {relation}"))
            for secret in ("61000", "+43 660", "rosa@", "Camilleri"):
                assert secret not in text
        assert snapshot.rows("SELECT salary FROM employee_salaries WHERE employee_id = 'h_1'") == [
            (61_000,)
        ]
        assert len(snapshot.rows("SELECT * FROM employee_notes")) == 2
        assert len(snapshot.rows("SELECT * FROM customer_contacts")) == 1


def test_words_of_a_vocabulary_have_one_spelling(tmp_path: Path) -> None:
    with snapshot_of(harbour(), tmp_path) as (snapshot, _):
        snapshot.ensure("customers", "project_team")
        phases = snapshot.rows("SELECT deal_phase FROM customers ORDER BY id")
        assert phases == [("active",), ("idea",)]
        assert snapshot.rows("SELECT employee_id FROM led_projects WHERE project_id = 'proj_mast'")


@pytest.mark.parametrize(
    ("statuses", "expected"),
    [
        (("active",), [("h_1", 300, 1), ("h_2", 150, 1), ("h_3", 0, 0), ("h_4", 0, 0)]),
        (("active", "paused"), [("h_1", 500, 2), ("h_2", 250, 2), ("h_3", 0, 0), ("h_4", 0, 0)]),
        ((), [("h_1", 1100, 3), ("h_2", 250, 2), ("h_3", 0, 0), ("h_4", 0, 0)]),
    ],
)
def test_workload_is_what_the_policy_says(
    tmp_path: Path, statuses: tuple[str, ...], expected: list[tuple[str, int, int]]
) -> None:
    with snapshot_of(harbour(), tmp_path, HarbourRules(statuses)) as (snapshot, _):
        snapshot.ensure("workload")
        assert snapshot.rows("SELECT * FROM workload ORDER BY employee_id") == expected


def test_my_projects_are_what_the_policy_says(tmp_path: Path) -> None:
    with snapshot_of(harbour(), tmp_path) as (snapshot, _):
        snapshot.ensure("my_projects")
        assert snapshot.rows("SELECT * FROM my_projects") == [("proj_mast",)]
        identity = Identity(current_user="h_1", today="2031-02-03")
        snapshot.bind_context(identity, HarbourRules(mine="member"))
        snapshot.ensure("my_projects")
        assert len(snapshot.rows("SELECT * FROM my_projects")) == 3


def test_a_guest_owns_nothing(tmp_path: Path) -> None:
    company = harbour()
    company.me = {"current_user": "", "is_public": True, "today": "2031-02-03"}
    with snapshot_of(company, tmp_path) as (snapshot, api):
        snapshot.ensure("me", "my_salary", "my_skills", "my_projects", "sites")
        assert snapshot.rows("SELECT id, is_public FROM me") == [("", 1)]
        for relation in ("my_salary", "my_skills", "my_projects"):
            assert snapshot.rows(f"SELECT * FROM {relation}") == []
        assert api.asked("/employees/list") == api.asked("/employees/get") == []


def test_names_for_the_resolver(tmp_path: Path) -> None:
    with snapshot_of(harbour(), tmp_path) as (snapshot, _):
        names = snapshot.names()
    assert [it.name for it in names.people] == [
        "Zoë Łuczak",
        "Adam Reed",
        "Adam Stone",
        "Mira Voss",
    ]
    assert [it.id for it in names.projects if it.status == "archived"] == ["proj_old"]
    assert names.projects[2].description == "All about old pier."
    by_id = {it.id: it for it in names.projects}
    assert by_id["proj_mast"].customer == "Gull Ferries Grp"
    assert by_id["proj_inside"].customer == ""
    assert names.customers[0].contact == "Rosa Camilleri"
    assert names.departments == ("Ropes", "Sails")
    assert names.locations == ("Harbour", "Lakeside Yard")
    assert names.skills == ("skill_charts", "skill_knots")
    assert names.wills == ("will_travel",)
    assert names.labels == {"skill_knots": "Tying knots"}
    assert names.pages == ("hr/leave.md", "index.md", "yard/paint.md")


def test_skills_are_learnt_from_a_few_people(tmp_path: Path) -> None:
    company = harbour()
    levels = [{"name": "skill_knots", "level": 5}]
    company.people = [person(f"p_{n:04}", f"P {n}", skills=levels) for n in range(300)]
    company.cap = 1_000
    with snapshot_of(company, tmp_path) as (snapshot, api):
        assert snapshot.names().skills == ("skill_knots",)
        assert len(api.asked("/employees/get")) <= 12


def test_names_do_without_what_the_api_refuses(tmp_path: Path) -> None:
    class Broken(SmallCompany):
        def __call__(self, path: str, body: Body) -> Said:
            if path == "/employees/list":
                return refusal(400, f"page limit exceeded: {body['limit']} > -1")
            return super().__call__(path, body)

    held = harbour()
    company = Broken(customers=held.customers, projects=held.projects, me=held.me)
    with snapshot_of(company, tmp_path) as (snapshot, _):
        names = snapshot.names()
        assert (len(names.people), len(names.projects)) == (0, 4)
        assert isinstance(snapshot.failures["employees"], ListingOff)
        with pytest.raises(ListingOff):
            snapshot.ensure("workload")


def test_a_list_that_breaks_off_leaves_nothing_behind(tmp_path: Path) -> None:
    class Breaking(SmallCompany):
        broken = True

        def __call__(self, path: str, body: Body) -> Said:
            if self.broken and path == "/employees/list" and body.get("offset", 0) >= 2:
                return refusal(500, "boom")
            return super().__call__(path, body)

    company = Breaking(people=harbour().people, me=harbour().me, cap=2)
    with snapshot_of(company, tmp_path) as (snapshot, _):
        with pytest.raises(ServerFault):
            snapshot.ensure("employees")
        assert snapshot.rows("SELECT * FROM employees") == []
        company.broken = False
        snapshot.ensure("employees")
        assert len(snapshot.rows("SELECT * FROM employees")) == 4


def test_a_project_that_fails_half_way_is_not_taken_for_complete(tmp_path: Path) -> None:
    class Breaking(SmallCompany):
        broken = True

        def __call__(self, path: str, body: Body) -> Said:
            if self.broken and path == "/projects/get" and body["id"] == "proj_rope":
                return refusal(500, "boom")
            return super().__call__(path, body)

    company = Breaking(projects=harbour().projects, me=harbour().me)
    with snapshot_of(company, tmp_path) as (snapshot, _):
        with pytest.raises(ServerFault):
            snapshot.ensure("projects")
        assert snapshot.rows("SELECT * FROM projects") == []
        company.broken = False
        snapshot.ensure("projects")
        assert len(snapshot.rows("SELECT * FROM projects")) == 4


def test_details_of_some_people_only(tmp_path: Path) -> None:
    with snapshot_of(harbour(), tmp_path) as (snapshot, api):
        assert snapshot.load_details(["h_1", "h_1", "h_3"]) == 2
        assert [body["id"] for body in api.asked("/employees/get")] == ["h_1", "h_3"]
        assert snapshot.load_details(["h_3", "nobody"]) == 2
        assert len(api.asked("/employees/get")) == 3
        snapshot.ensure("skills")
        assert [body["id"] for body in api.asked("/employees/get")][3:] == ["h_2", "h_4"]


def test_time_entries_as_far_as_they_were_loaded(tmp_path: Path) -> None:
    with snapshot_of(harbour(), tmp_path) as (snapshot, api):
        assert snapshot.load_time_entries(TimeSearch(employee="h_1")) == 1
        snapshot.ensure("time_entries")
        assert all(body["employee"] == "h_1" for body in api.asked("/time/search"))


def test_what_was_written_can_be_read_again(tmp_path: Path) -> None:
    with LoopbackApi(harbour()) as api:
        client = client_of(api)
        with Snapshot(tmp_path / "s.db", client) as snapshot:
            snapshot.bind_context(client.who_am_i(), HarbourRules())
            snapshot.ensure(*CATALOGUE)
            team = (Member(employee="h_4", time_slice=0.9, role="Lead"),)
            client.update_project_team(TeamUpdate(id="proj_mast", team=team))
            client.update_employee_info(EmployeeUpdate(employee="h_1", salary=1))
            client.update_wiki(WikiUpdate(file="index.md", content=""))
            client.update_wiki(WikiUpdate(file="new.md", content="# Brand new\nmoonlight"))
            snapshot.refresh("project", "proj_mast")
            snapshot.refresh("employee", "h_1")
            snapshot.refresh("wiki_page", "index.md")
            snapshot.refresh("wiki_page", "new.md")
            snapshot.ensure(*CATALOGUE)
            assert snapshot.rows("SELECT * FROM my_projects") == []
            workload = "SELECT slice_milli FROM workload WHERE employee_id = 'h_4'"
            assert snapshot.rows(workload) == [(900,)]
            assert snapshot.rows("SELECT salary FROM my_salary") == [(1,)]
            pages = [row[0] for row in snapshot.rows("SELECT path FROM wiki_pages ORDER BY path")]
            assert pages == ["hr/leave.md", "new.md", "yard/paint.md"]
            found = "SELECT id FROM texts WHERE texts MATCH 'moonlight'"
            assert snapshot.rows(found) == [("new.md",)]


def test_every_entity_says_where_it_comes_from(tmp_path: Path) -> None:
    with snapshot_of(harbour(), tmp_path) as (snapshot, _):
        snapshot.ensure(*CATALOGUE)
        origins = {(row[0], row[2]) for row in snapshot.rows("SELECT * FROM provenance")}
        assert ("employee", "/employees/list") in origins
        assert ("employee", "/employees/get") in origins
        assert ("project", "/projects/get") in origins
        assert ("wiki_page", "/wiki/load") in origins
        assert all(
            str(row[0]).startswith("sha256:")
            for row in snapshot.rows("SELECT digest FROM provenance")
        )


def test_names_are_folded_beside_the_relation(tmp_path: Path) -> None:
    with snapshot_of(harbour(), tmp_path) as (snapshot, _):
        snapshot.ensure("employees")
        assert snapshot.rows("SELECT id FROM name_keys WHERE folded = 'zoe luczak'") == [("h_1",)]


def test_readers_see_what_is_committed(tmp_path: Path) -> None:
    with snapshot_of(harbour(), tmp_path) as (snapshot, _):
        snapshot.ensure("employees")
        reader = sqlite3.connect(f"file:{snapshot.path}?mode=ro", uri=True)
        assert reader.execute("SELECT COUNT(*) FROM employees").fetchone() == (4,)
        snapshot.ensure("projects")
        assert reader.execute("SELECT COUNT(*) FROM projects").fetchone() == (4,)
        reader.close()


def test_equal_companies_give_equal_snapshots(tmp_path: Path) -> None:
    held = []
    for name in ("one", "two"):
        with snapshot_of(harbour(), tmp_path / name) as (snapshot, _):
            snapshot.ensure(*CATALOGUE)
            tables = [relation.name for relation in RELATIONS] + ["provenance"]
            held.append([snapshot.rows(f"SELECT * FROM {table}") for table in tables])
    assert held[0] == held[1]


def test_hostile_names_are_only_names(tmp_path: Path) -> None:
    company = harbour()
    odd = 'Robert\'); DROP TABLE employees;-- \u202e \x00 "*" OR NEAR('
    company.people.append(person("h_5", odd))
    company.projects[0]["name"] = odd
    with snapshot_of(company, tmp_path) as (snapshot, _):
        snapshot.ensure(*CATALOGUE)
        assert snapshot.rows("SELECT name FROM employees WHERE id = 'h_5'") == [(odd,)]


def test_an_existing_file_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    path.write_text("precious")
    with LoopbackApi(harbour()) as api, pytest.raises(UsageError):
        Snapshot(path, client_of(api))
    assert path.read_text() == "precious"


def test_an_unknown_relation_and_an_unknown_requester(tmp_path: Path) -> None:
    with LoopbackApi(harbour()) as api, Snapshot(tmp_path / "s.db", client_of(api)) as snapshot:
        with pytest.raises(UnknownName):
            snapshot.ensure("sqlite_master")
        with pytest.raises(UsageError, match="who asks"):
            snapshot.ensure("my_projects")
