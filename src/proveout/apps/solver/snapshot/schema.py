"""The tables of the snapshot. The catalogue's relations come from the catalogue itself."""

from collections.abc import Iterator

from proveout.apps.solver.catalogue import RELATIONS

NUMBERS = frozenset(
    {"is_public", "value", "salary", "level", "slice_milli", "projects", "hours_centi", "billable"}
)
"""Columns that hold whole numbers; all others hold text."""

BESIDES = (
    # Where each row comes from: the route that gave it and a hash of what it gave.
    """CREATE TABLE provenance (
        entity TEXT NOT NULL, id TEXT NOT NULL, route TEXT NOT NULL, digest TEXT NOT NULL,
        PRIMARY KEY (entity, id, route)) WITHOUT ROWID""",
    # Names as they are compared: without case, marks and typographic variants.
    """CREATE TABLE name_keys (
        kind TEXT NOT NULL, id TEXT NOT NULL, name TEXT NOT NULL, folded TEXT NOT NULL,
        PRIMARY KEY (kind, id)) WITHOUT ROWID""",
    "CREATE INDEX name_keys_folded ON name_keys (folded)",
    # Whose details were fetched, be there any or not.
    "CREATE TABLE detailed (employee_id TEXT PRIMARY KEY) WITHOUT ROWID",
    """CREATE VIRTUAL TABLE texts USING fts5(kind UNINDEXED, id UNINDEXED, title, body,
        tokenize = 'porter unicode61 remove_diacritics 2')""",
    "CREATE INDEX project_team_employee ON project_team (employee_id)",
    "CREATE INDEX skills_name ON skills (kind, name, level)",
    "CREATE INDEX projects_customer ON projects (customer_id)",
    """CREATE VIEW led_projects AS
        SELECT employee_id, project_id FROM project_team WHERE role = 'Lead'""",
)


def statements() -> Iterator[str]:
    """In the order in which they must be run."""
    for relation in RELATIONS:
        columns = ", ".join(
            f"{name} {'INTEGER' if name in NUMBERS else 'TEXT'} NOT NULL"
            for name in relation.columns
        )
        key = ", ".join(relation.key)
        yield f"CREATE TABLE {relation.name} ({columns}, PRIMARY KEY ({key})) STRICT"
    yield from BESIDES
