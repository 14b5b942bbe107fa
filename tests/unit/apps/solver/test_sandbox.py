"""Untrusted SQL: what it may do, and every way out that it must not find."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proveout.apps.solver.catalogue import CATALOGUE, RELATIONS
from proveout.apps.solver.plan import SqlStep
from proveout.apps.solver.sandbox.admit import SqlRefused, admit, relations_of
from proveout.apps.solver.sandbox.engine import MOST_ROWS, Rows, SqlResult, SqlSandbox

ALL = frozenset(CATALOGUE)
KNOWN = {relation.name: relation.columns for relation in RELATIONS}
CANARY = 73_190_577


@pytest.fixture
def snapshot(tmp_path: Path) -> Path:
    path = tmp_path / "snapshot.db"
    with sqlite3.connect(path) as db:
        for relation in RELATIONS:
            db.execute(f"CREATE TABLE {relation.name} ({', '.join(relation.columns)})")
        people = [(f"e{n}", f"Name {n}", f"e{n}@x", "North", "Sales") for n in range(40)]
        db.executemany("INSERT INTO employees VALUES (?, ?, ?, ?, ?)", people)
        team = [(f"p{n % 6}", f"e{n % 40}", "Lead", 100 + n % 3) for n in range(90)]
        db.executemany("INSERT INTO project_team VALUES (?, ?, ?, ?)", team)
        db.executemany("INSERT INTO employee_salaries VALUES (?, ?)", [("e1", CANARY)])
    db.close()
    return path


@pytest.fixture
def sandbox(snapshot: Path) -> Iterator[SqlSandbox]:
    with SqlSandbox(snapshot, ALL, {"person": Rows(("id", "name"), (("e3", "x"),))}) as opened:
        yield opened


def read(sandbox: SqlSandbox, statement: str, bind: str = "out") -> SqlResult:
    return sandbox.run(SqlStep(statement=statement, kind="read", bind=bind))


def derive(sandbox: SqlSandbox, statement: str) -> SqlResult:
    return sandbox.run(SqlStep(statement=statement, kind="derive", bind="made"))


class TestWorks:
    def test_results_are_relations_for_later_steps(self, sandbox: SqlSandbox) -> None:
        read(sandbox, "SELECT employee_id AS id FROM project_team WHERE project_id = 'p1'", "team")
        result = read(sandbox, "SELECT count(*) AS n FROM team JOIN employees USING (id)")
        assert result.rows == ((15,),)

    def test_tool_results_can_be_joined(self, sandbox: SqlSandbox) -> None:
        found = read(sandbox, "SELECT e.name FROM employees e JOIN person p ON p.id = e.id")
        assert found.rows == (("Name 3",),)

    def test_relations_loaded_after_the_first_statement(self, sandbox: SqlSandbox) -> None:
        read(sandbox, "SELECT 1 AS one")
        sandbox.load("late", Rows(("id",), (("e4",),)))
        assert read(sandbox, "SELECT id FROM late", "again").rows == (("e4",),)

    def test_derived_relations_are_created_and_filled(self, sandbox: SqlSandbox) -> None:
        derive(sandbox, "CREATE TEMP TABLE derived_x AS SELECT id FROM employees WHERE id < 'e2'")
        filled = derive(sandbox, "INSERT INTO derived_x SELECT id FROM person")
        assert ("e3",) in filled.rows
        assert read(sandbox, "SELECT count(*) AS n FROM derived_x").rows == ((len(filled.rows),),)

    def test_ties_come_out_in_the_same_order_however_the_rows_are_stored(
        self, snapshot: Path, tmp_path: Path
    ) -> None:
        other = tmp_path / "other.db"
        with sqlite3.connect(other) as db:
            db.execute("ATTACH ? AS old", (str(snapshot),))
            for relation in RELATIONS:
                name = relation.name
                db.execute(f"CREATE TABLE {name} AS SELECT * FROM old.{name} ORDER BY 1 DESC")
            db.commit()
        db.close()
        statement = "SELECT employee_id FROM project_team ORDER BY slice_milli DESC LIMIT 7"
        results = []
        for path in (snapshot, other):
            with SqlSandbox(path, ALL) as opened:
                results.append(read(opened, statement))
        assert results[0].rows == results[1].rows
        assert results[0].digest == results[1].digest

    def test_the_result_must_have_the_columns_expected(self, sandbox: SqlSandbox) -> None:
        step = SqlStep(statement="SELECT id FROM me", kind="read", bind="x", expects=("name",))
        with pytest.raises(SqlRefused, match="no column name"):
            sandbox.run(step)


REFUSED = {
    "several": "SELECT id FROM me; DROP TABLE employees",
    "syntax": "SELEC id FRM me ((",
    "not_a_read": "DROP TABLE employees",
    "not_allowed": "WITH x AS (DELETE FROM employees RETURNING id) SELECT id FROM x",
    "recursive": "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT n FROM c",
    "function": "SELECT printf('%.*c', 300000000, 'x') AS x",
    "clock": "SELECT date('now') AS d",
    "unknown_relation": "SELECT name FROM sqlite_master",
    "schema_prefix": "SELECT id FROM main.employees",
    "unknown_column": 'SELECT "no such column" AS x FROM employees',
    "bare_column": "SELECT id, max(name) AS m FROM employees",
    "star": "SELECT * FROM employees LIMIT 3",
    "pattern": f"SELECT id FROM employees WHERE name LIKE '{'%a' * 200}'",
    "unordered": "SELECT row_number() OVER () AS n, id FROM employees",
    "too_large": "SELECT " + " + ".join(["1"] * 4_000) + " AS n",
}
ALSO_REFUSED = [
    "VACUUM INTO 'stolen.db'",
    "ATTACH DATABASE 'x' AS y",
    "PRAGMA table_info(employees)",
    "SELECT name FROM pragma_table_info('employees')",
    "SELECT value FROM json_each('[1]')",
    "SELECT load_extension('x') AS x",
    "SELECT zeroblob(1000000000) AS z",
    "SELECT random() AS r",
    "SELECT current_timestamp AS t",
    "SELECT strftime('%Y', 'now') AS y",
    "SELECT date() AS d",
    "SELECT readfile('/etc/passwd') AS f",
    "SELECT writefile('x', 'y') AS f",
    "SELECT fts3_tokenizer('simple') AS f",
    "EXPLAIN SELECT id FROM me",
    "SELECT id INTO stolen FROM employees",
    "SELECT id FROM employees UNION SELECT sql FROM sqlite_schema",
    "SELECT id FROM [sqlite_master]",
    "SELECT id FROM employees /* ; */ -- x\n; DELETE FROM employees",
    "REPLACE INTO employees SELECT id FROM me",
    "UPDATE employees SET name = 'x'",
    "BEGIN",
    "",
    "SELECT group_concat(id) AS g FROM employees",
    "SELECT id FROM temp.employees",
    "SELECT ? AS x",
    "SELECT x'41' AS b",
]


class TestRefuses:
    @pytest.mark.parametrize("code", REFUSED)
    def test_with_a_reason(self, sandbox: SqlSandbox, code: str) -> None:
        with pytest.raises(SqlRefused) as refused:
            read(sandbox, REFUSED[code])
        assert refused.value.code == f"solver.sql.{code}"

    @pytest.mark.parametrize("statement", [it for it in ALSO_REFUSED if it])
    def test_every_other_way_out(self, sandbox: SqlSandbox, statement: str) -> None:
        with pytest.raises(SqlRefused):
            read(sandbox, statement)

    @pytest.mark.parametrize(
        "statement",
        [
            "CREATE TEMP TABLE employees AS SELECT 'e1' AS id",
            "CREATE TABLE derived_x AS SELECT id FROM me",
            "CREATE TEMP TABLE Derived_x AS SELECT id FROM me",
            "CREATE TEMP VIEW derived_x AS SELECT id FROM me",
            "CREATE TEMP TABLE main.derived_x AS SELECT id FROM me",
            "CREATE TEMP TABLE derived_x (id TEXT)",
            "CREATE TEMP TRIGGER derived_t AFTER INSERT ON me BEGIN SELECT 1; END",
            "INSERT INTO employees SELECT id, id, id, id, id FROM me",
            "INSERT INTO derived_none SELECT id FROM me",
            "INSERT OR REPLACE INTO derived_none SELECT id FROM me",
            "DELETE FROM employees",
        ],
    )
    def test_deriving_anything_but_a_derived_relation(
        self, sandbox: SqlSandbox, statement: str
    ) -> None:
        with pytest.raises(SqlRefused):
            derive(sandbox, statement)

    def test_a_bind_that_hides_a_relation(self, sandbox: SqlSandbox) -> None:
        for name in ("employees", "person", "derived_x", "sqlite_x"):
            with pytest.raises(SqlRefused, match="taken"):
                read(sandbox, "SELECT id FROM me", name)
            with pytest.raises(SqlRefused, match="taken"):
                sandbox.load(name, Rows(("id",)))

    def test_a_relation_that_is_not_cleared(self, snapshot: Path) -> None:
        with SqlSandbox(snapshot, ALL - {"employee_salaries"}) as narrow:
            for statement in (
                "SELECT salary FROM employee_salaries",
                "SELECT id FROM employees WHERE id IN (SELECT employee_id FROM employee_salaries)",
                "SELECT id FROM employees e WHERE EXISTS (SELECT 1 FROM employee_salaries)",
                'SELECT "salary" FROM "employee_salaries"',
            ):
                with pytest.raises(SqlRefused) as refused:
                    read(narrow, statement)
                assert str(CANARY) not in refused.value.message

    def test_the_engine_refuses_too_where_the_tree_does_not(self, snapshot: Path) -> None:
        """The second wall: statements handed straight to the worker, past the first one."""
        with SqlSandbox(snapshot, ALL - {"employee_salaries"}) as narrow:
            read(narrow, "SELECT id FROM me")
            for text in (
                "SELECT salary FROM employee_salaries",
                "SELECT name FROM sqlite_master",
                "SELECT load_extension('x')",
                "ATTACH ':memory:' AS x",
                "CREATE TEMP TABLE employees AS SELECT 1",
                "PRAGMA query_only = 0",
                "SELECT * FROM pragma_database_list",
                "DELETE FROM employees",
            ):
                with pytest.raises(SqlRefused):
                    narrow._ask({"do": "run", "text": text, "fills": "", "bind": "b", "most": 9})

    def test_a_join_that_would_take_for_ever(self, snapshot: Path) -> None:
        statement = (
            "SELECT count(*) AS n FROM employees a, employees b, employees c, employees d,"
            " employees e, employees f WHERE a.name || b.name > c.name || d.name || e.id || f.id"
        )
        with SqlSandbox(snapshot, ALL, seconds=1.0) as quick, pytest.raises(SqlRefused) as refused:
            read(quick, statement)
        assert refused.value.code == "solver.sql.limits"

    def test_a_text_that_grows_without_end(self, sandbox: SqlSandbox) -> None:
        grown = "'aaaaaaaaaaaaaaaa'"
        for _ in range(8):
            grown = f"replace({grown}, 'a', 'aaaaaaaaaaaaaaaaaaaaaaaa')"
        with pytest.raises(SqlRefused) as refused:
            read(sandbox, f"SELECT {grown} AS x")
        assert refused.value.code == "solver.sql.limits"

    def test_more_rows_than_anyone_reads(self, sandbox: SqlSandbox) -> None:
        with pytest.raises(SqlRefused, match=str(MOST_ROWS)):
            read(
                sandbox,
                "SELECT a.id AS a, b.id AS b, c.id AS c FROM employees a, employees b, employees c",
            )

    def test_nothing_was_changed_by_any_of_it(self, sandbox: SqlSandbox, snapshot: Path) -> None:
        before = snapshot.read_bytes()
        for statement in (*REFUSED.values(), *ALSO_REFUSED[1:]):
            for kind in (read, derive):
                try:
                    kind(sandbox, statement)
                except (SqlRefused, ValueError):
                    continue
        assert snapshot.read_bytes() == before
        assert sorted(snapshot.parent.iterdir()) == [snapshot]


def test_the_process_is_gone_after_closing(snapshot: Path) -> None:
    sandbox = SqlSandbox(snapshot, ALL)
    read(sandbox, "SELECT id FROM me")
    process = sandbox._process
    assert process is not None
    sandbox.close()
    sandbox.close()
    assert process.returncode is not None


def test_the_names_in_a_statement_can_be_told_before_it_is_admitted() -> None:
    named = relations_of("WITH w AS (SELECT 1 AS a FROM me) SELECT a FROM w JOIN my_salary")
    assert named == {"me", "my_salary"}
    assert relations_of("not sql at all (") == frozenset()


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet="SELECTFROMWHEREabid*,;()'\"-/ \n0=", max_size=80))
def test_any_text_is_admitted_or_refused_but_never_breaks(text: str) -> None:
    try:
        admitted = admit(text, "read", KNOWN)
    except SqlRefused:
        return
    assert admitted.reads <= KNOWN.keys()
    assert ";" not in admitted.text.replace("';'", "")
