"""The server itself, the apps, lessons, SQL, and the interactive page."""

import json

import pytest

from proveout import __version__
from tests.integration.server.serving import Served, problem


def test_it_says_that_it_lives(served: Served) -> None:
    assert served.get("/api/v1/health").json() == {"status": "ok", "version": __version__}
    assert served.get("/api/v1/version").json()["version"] == __version__


def test_apps_have_the_schema_of_their_task(served: Served) -> None:
    told = {app["name"]: app for app in served.get("/api/v1/apps").json()["apps"]}
    assert {"iqa", "mle", "solver", "pattern"} <= set(told)
    properties = told["iqa"]["task"]["properties"]
    assert properties["image"]["path"] == "image"
    assert properties["query"]["description"]
    one = served.get("/api/v1/apps/pattern").json()
    assert one == told["pattern"]
    assert one["available"]
    assert "pattern.too_short" in one["findings"]


def test_the_doctor_is_asked(served: Served) -> None:
    told = served.get("/api/v1/doctor").json()
    assert told["healthy"]
    assert {"python", "journal", "extra server"} <= {line["name"] for line in told["lines"]}


def test_lessons_are_listed(served: Served) -> None:
    served.finish(served.start(expression="[a-f]+", shortest=9))
    told = served.get("/api/v1/lessons", params={"app": "pattern"}).json()["lessons"]
    assert any("Repeat" in lesson["lesson"]["advice"] for lesson in told)
    assert served.get("/api/v1/lessons", params={"app": "iqa"}).json()["lessons"] == []
    unknown = served.get("/api/v1/lessons", params={"app": "nobody"})
    assert problem(unknown, 400)["code"] == "usage.unknown_name"


def asked(served: Served, query: str) -> dict[str, object]:
    answer = served.post("/api/v1/sql", json={"query": query})
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def test_the_journal_is_queried(served: Served) -> None:
    run = served.finish(served.start(expression="ab"))["run"]
    told = asked(served, f"SELECT run, app FROM runs WHERE run = '{run}'")
    assert told["columns"] == ["run", "app"]
    assert told["rows"] == [[run, "pattern"]]
    kinds = asked(served, f"SELECT DISTINCT kind FROM events WHERE run = '{run}'")
    assert ["verdict.given"] in kinds["rows"]  # type: ignore[operator]
    counting = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 5000) "
    long = asked(served, counting + "SELECT i FROM n")
    assert long["cut"] is True
    assert len(long["rows"]) == 1000  # type: ignore[arg-type]
    strange = asked(served, "SELECT 9e999, x'00ff', NULL, 'é', 1.5")
    assert strange["rows"] == [["inf", "(2 bytes)", None, "é", 1.5]]


@pytest.mark.parametrize(
    "query",
    [
        "DELETE FROM runs",
        "DROP TABLE events",
        "INSERT INTO blobs VALUES ('a', 'b')",
        "UPDATE runs SET app = 'x' RETURNING app",
        "PRAGMA journal_mode = DELETE",
        "PRAGMA user_version",
        "ATTACH DATABASE '/tmp/elsewhere.db' AS other",
        "VACUUM INTO '/tmp/elsewhere.db'",
        "SELECT 1; SELECT 2",
        "SELECT 1; DELETE FROM runs",
        "SELECT load_extension('x')",
        "SELECT hex(fts3_tokenizer('simple'))",
        "SELECT * FROM pragma_database_list",
        "CREATE TEMP TABLE t (a)",
        "BEGIN",
        "not a query",
        "-- nothing",
        "SELECT zeroblob(1000000000)",
        "SELECT \x00",
    ],
)
def test_a_query_only_reads(served: Served, query: str) -> None:
    told = problem(served.post("/api/v1/sql", json={"query": query}), 400)
    assert told["code"] == "usage.sql"
    assert served.get("/api/v1/verify").json()["intact"]


def test_a_query_ends_in_time(served: Served) -> None:
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
    told = problem(served.post("/api/v1/sql", json={"query": endless}), 400)
    assert "longer than" in told["message"]


@pytest.mark.parametrize(
    "step",
    [
        "instr(zeroblob(60000000), zeroblob(20000000) || x'01')",
        "length(trim(printf('%.2000000c', 'a'), printf('%.200000c', 'b') || 'a'))",
    ],
)
def test_a_query_that_cannot_be_interrupted_is_ended(served: Served, step: str) -> None:
    told = problem(served.post("/api/v1/sql", json={"query": f"SELECT {step}"}), 400)
    assert (told["code"], "longer than" in told["message"]) == ("usage.sql", True)
    assert asked(served, "SELECT 1")["rows"] == [[1]]


def test_the_interactive_page_needs_nothing_from_elsewhere(served: Served) -> None:
    page = served.get("/docs")
    assert page.status_code == 200
    assert "http://" not in page.text
    assert "https://" not in page.text
    assert "<script>" not in page.text
    for name in ("swagger-ui.css", "swagger-ui-bundle.js", "docs.js", "favicon-32x32.png"):
        assert f"/docs/{name}" in page.text
        assert served.get(f"/docs/{name}").status_code == 200
    for name in ("index.html", "..%2f__init__.py", "nothing.js"):
        assert served.get(f"/docs/{name}").status_code == 404


def test_the_description_names_every_call_and_its_errors(served: Served) -> None:
    told = json.loads(served.get("/api/v1/openapi.json").text)
    paths = told["paths"]
    assert {"/api/v1/runs", "/iqa/assess", "/solver/solve", "/mle/runs", "/mle/check"} <= set(paths)
    assert "/runs" not in paths
    for path, calls in paths.items():
        for call in calls.values():
            problems = {code for code in call["responses"] if int(code) >= 400}
            assert {"400", "401", "403", "404", "413", "422", "429", "500"} <= problems, path
            for code in problems:
                schema = call["responses"][code]["content"]["application/json"]["schema"]
                assert schema == {"$ref": "#/components/schemas/Problem"}, (path, code)
