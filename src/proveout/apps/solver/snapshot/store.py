"""Writing entities into the snapshot's file: several tables per entity, provenance with each.

The file belongs to one task and is made anew for it, so it is written without syncing; readers open
it read-only from elsewhere once a batch is committed.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from proveout.apps.solver.catalogue import CATALOGUE
from proveout.apps.solver.entities import (
    CompanyBrief,
    CompanyDetail,
    EmployeeBrief,
    EmployeeView,
    Payload,
    ProjectBrief,
    ProjectDetail,
    TimeEntry,
    WikiPage,
    title_of,
)
from proveout.apps.solver.resolve.folding import fold
from proveout.apps.solver.snapshot.schema import statements
from proveout.kernel.canonical import value_id
from proveout.kernel.errors import UsageError

Value = str | int
Row = tuple[Value, ...]


class Store:
    def __init__(self, path: Path) -> None:
        if path.exists():
            message = f"{path.name} exists already; a snapshot is made anew for each task"
            raise UsageError(message, hint="name a new file")
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self._db = sqlite3.connect(path, isolation_level=None)
        self._db.execute("PRAGMA journal_mode = MEMORY")
        self._db.execute("PRAGMA synchronous = OFF")
        self._db.execute("PRAGMA busy_timeout = 5000")
        with self.batch():
            for statement in statements():
                self._db.execute(statement)

    def close(self) -> None:
        self._db.close()

    @contextmanager
    def batch(self) -> Iterator[None]:
        """All or nothing: a list that broke off half-way must not look complete."""
        self._db.execute("BEGIN")
        with self._db:
            yield

    def rows(self, sql: str, values: Sequence[Value] = ()) -> list[Row]:
        return self._db.execute(sql, values).fetchall()

    def column(self, sql: str, values: Sequence[Value] = ()) -> list[str]:
        return [str(row[0]) for row in self._db.execute(sql, values)]

    def run(self, sql: str, values: Sequence[Value] = ()) -> None:
        self._db.execute(sql, values)

    def fill(self, relation: str, rows: Iterable[Row]) -> None:
        """The relation holds these rows and no others."""
        self._db.execute(f"DELETE FROM {relation}")
        self.put(relation, rows)

    def put(self, relation: str, rows: Iterable[Row]) -> None:
        marks = ", ".join("?" * len(CATALOGUE[relation].columns))
        self._db.executemany(f"INSERT OR REPLACE INTO {relation} VALUES ({marks})", rows)

    def add(self, payload: Payload, route: str) -> None:
        """Whatever it is; what has no place here is left out."""
        match payload:
            case EmployeeBrief():
                self.employee(payload, route)
                if isinstance(payload, EmployeeView):
                    self.employee_details(payload, route)
            case CompanyBrief():
                self._customer_or_brief(payload, route)
            case ProjectBrief():
                self._project_or_brief(payload, route)
            case TimeEntry():
                self.time_entry(payload, route)
            case WikiPage():
                self.wiki_page(payload, route)

    def _customer_or_brief(self, brief: CompanyBrief, route: str) -> None:
        if isinstance(brief, CompanyDetail):
            self.customer(brief, route)
        elif not self.rows("SELECT 1 FROM customers WHERE id = ?", (brief.id,)):
            self.customer(CompanyDetail(**brief.model_dump()), route)

    def _project_or_brief(self, brief: ProjectBrief, route: str) -> None:
        if isinstance(brief, ProjectDetail):
            self.project(brief, route)
        elif not self.rows("SELECT 1 FROM projects WHERE id = ?", (brief.id,)):
            self.project(ProjectDetail(**brief.model_dump()), route)

    def employee(self, brief: EmployeeBrief, route: str) -> None:
        """Salaries have a relation of their own from the first moment on."""
        row = (brief.id, brief.name, brief.email, brief.location, brief.department)
        self.put("employees", [row])
        self.put("employee_salaries", [(brief.id, brief.salary)])
        self._name("employee", brief.id, brief.name)
        self._came("employee", brief.id, route, brief)

    def employee_details(self, view: EmployeeView, route: str) -> None:
        for relation in ("employee_notes", "skills"):
            self.run(f"DELETE FROM {relation} WHERE employee_id = ?", (view.id,))
        if view.notes:
            self.put("employee_notes", [(view.id, view.notes)])
        self.put("skills", levels(view))
        self.run("INSERT OR REPLACE INTO detailed VALUES (?)", (view.id,))
        self._came("employee", view.id, route, view)

    def customer(self, detail: CompanyDetail, route: str) -> None:
        row = (
            detail.id,
            detail.name,
            detail.location,
            detail.deal_phase,
            detail.high_level_status,
            detail.brief,
            detail.account_manager,
        )
        self.put("customers", [row])
        self.run("DELETE FROM customer_contacts WHERE customer_id = ?", (detail.id,))
        if detail.primary_contact_name or detail.primary_contact_email:
            contact = (detail.id, detail.primary_contact_name, detail.primary_contact_email)
            self.put("customer_contacts", [contact])
        self._name("customer", detail.id, detail.name)
        self._text("customer", detail.id, detail.name, detail.brief)
        self._came("customer", detail.id, route, detail)

    def project(self, detail: ProjectDetail, route: str) -> None:
        row = (detail.id, detail.name, detail.description, detail.customer, detail.status)
        self.put("projects", [row])
        self.run("DELETE FROM project_team WHERE project_id = ?", (detail.id,))
        for part in detail.team:
            # Somebody who is listed twice in the same role has both slices.
            self.run(
                "INSERT INTO project_team VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE "
                "SET slice_milli = slice_milli + excluded.slice_milli",
                (detail.id, part.employee, part.role, part.slice_milli),
            )
        self._name("project", detail.id, detail.name)
        self._text("project", detail.id, detail.name, detail.description)
        self._came("project", detail.id, route, detail)

    def time_entry(self, entry: TimeEntry, route: str) -> None:
        row = (
            entry.id,
            entry.employee,
            entry.customer,
            entry.project,
            entry.date,
            entry.hours_centi,
            entry.work_category,
            entry.notes,
            int(entry.billable),
            entry.status,
        )
        self.put("time_entries", [row])
        self._came("time_entry", entry.id, route, entry)

    def wiki_page(self, page: WikiPage, route: str) -> None:
        title = title_of(page.file, page.content)
        self.put("wiki_pages", [(page.file, title, page.content)])
        self._text("wiki_page", page.file, f"{page.file} {title}", page.content)
        self._came("wiki_page", page.file, route, page)

    def forget_page(self, path: str) -> None:
        self.run("DELETE FROM wiki_pages WHERE path = ?", (path,))
        self.run("DELETE FROM texts WHERE kind = 'wiki_page' AND id = ?", (path,))

    def _came(self, entity: str, identifier: str, route: str, payload: Payload) -> None:
        values = (entity, identifier, route, value_id(payload))
        self.run("INSERT OR REPLACE INTO provenance VALUES (?, ?, ?, ?)", values)

    def _name(self, kind: str, identifier: str, name: str) -> None:
        values = (kind, identifier, name, fold(name))
        self.run("INSERT OR REPLACE INTO name_keys VALUES (?, ?, ?, ?)", values)

    def _text(self, kind: str, identifier: str, title: str, body: str) -> None:
        """For searching by words; the index itself looks past case and marks."""
        known = "SELECT 1 FROM provenance WHERE entity = ? AND id = ? LIMIT 1"
        if self.rows(known, (kind, identifier)):
            # Only then: the index has no key to look under and is scanned from end to end.
            self.run("DELETE FROM texts WHERE kind = ? AND id = ?", (kind, identifier))
        values = (kind, identifier, title, body)
        self.run("INSERT INTO texts VALUES (?, ?, ?, ?)", values)


def levels(view: EmployeeView) -> list[Row]:
    """A person's skills and wills as rows of the relation."""
    return [
        (view.id, kind, level.name, level.level)
        for kind, held in (("skill", view.skills), ("will", view.wills))
        for level in held
    ]
