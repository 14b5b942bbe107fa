"""The snapshot of one task's company, and what of it has been acquired."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from proveout.apps.solver.catalogue import CATALOGUE
from proveout.apps.solver.client import ApiError, CompanyClient, NotFound
from proveout.apps.solver.client.requests import TimeSearch
from proveout.apps.solver.client.routes import (
    GET_CUSTOMER,
    GET_EMPLOYEE,
    GET_PROJECT,
    GET_TIME,
    LOAD_WIKI,
)
from proveout.apps.solver.entities import Entity, Identity, Payload, WikiPage
from proveout.apps.solver.resolve.resolution import Names
from proveout.apps.solver.snapshot import acquire, context
from proveout.apps.solver.snapshot.naming import names_in
from proveout.apps.solver.snapshot.store import Row, Store, Value
from proveout.kernel.errors import UnknownName, UsageError

PARTS: Mapping[str, tuple[str, ...]] = {
    "me": ("self",),
    "policy_terms": (),
    "my_projects": ("projects", "my_projects"),
    "my_salary": ("self",),
    "my_skills": ("self",),
    "employees": ("employees",),
    "employee_salaries": ("employees",),
    "employee_notes": ("employees", "details"),
    "skills": ("employees", "details"),
    "workload": ("employees", "projects", "workload"),
    "projects": ("projects",),
    "project_team": ("projects",),
    "customers": ("customers",),
    "customer_contacts": ("customers",),
    "time_entries": ("time",),
    "wiki_pages": ("wiki",),
    "sites": ("sites",),
}
"""What has to be acquired, in order, before a relation can be read."""

SAMPLE = 12
"""People who are looked at to learn which skills there are, at most."""


class Snapshot:
    """Acquires on first need, and only what is needed. One per task, used by one thread."""

    def __init__(self, path: Path, client: CompanyClient) -> None:
        self._store = Store(path)
        self._client = client
        self._have: set[str] = set()
        self._bound: tuple[Identity, context.Terms] | None = None
        self.version = 0
        """Grows whenever names may have changed."""
        self.failures: dict[str, ApiError] = {}
        """Relations that `names()` had to do without, and why."""

    @property
    def path(self) -> Path:
        return self._store.path

    def close(self) -> None:
        self._store.close()

    def __enter__(self) -> "Snapshot":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def bind_context(self, identity: Identity, policy: context.Terms) -> None:
        """States who asks and by which rules. Asks the API nothing: `ensure` does, if need be."""
        self._bound = identity, policy
        self._have -= {"self", "my_projects", "workload", "sites"}
        with self._store.batch():
            context.bind_identity(self._store, identity, policy)

    def ensure(self, *tables: str) -> None:
        """Makes these relations complete. Raises `ApiError` if the API does not let us."""
        for table in tables:
            if table not in CATALOGUE:
                noun = "relation"
                raise UnknownName(table, noun=noun, known=CATALOGUE)
            for part in PARTS[table]:
                self._acquire(part)

    def load_details(self, employees: Iterable[str]) -> int:
        """Skills, wills and notes of some people; how many are known now."""
        wanted = list(dict.fromkeys(employees))
        if "details" not in self._have:
            known = set(self._store.column("SELECT employee_id FROM detailed"))
            with self._store.batch():
                missing = [identifier for identifier in wanted if identifier not in known]
                acquire.details(self._client, self._store, missing)
        return sum(
            bool(self._store.rows("SELECT 1 FROM detailed WHERE employee_id = ?", (identifier,)))
            for identifier in wanted
        )

    def load_time_entries(self, ask: TimeSearch) -> int:
        """Entries that match, added to those already here; how many match."""
        with self._store.batch():
            count = acquire.time_entries(self._client, self._store, ask)
        # From now on the relation holds what was asked for, and nobody needs all of it.
        self._have.add("time")
        return count

    def names(self) -> Names:
        """Everything that a task can mention. What the API refuses is left out, and noted."""
        for table in ("employees", "projects", "customers", "wiki_pages"):
            try:
                self.ensure(table)
                self.failures.pop(table, None)
            except ApiError as error:
                self.failures[table] = error
        try:
            self._sample_skills()
        except ApiError as error:
            self.failures["skills"] = error
        labels = self._bound[1].labels() if self._bound else {}
        return names_in(self._store, labels)

    def refresh(self, entity: Entity, identifier: str) -> None:
        """Reads one thing again after it was changed; what is derived follows when needed."""
        with self._store.batch():
            self._fetch(entity, identifier)
        self.version += 1
        self._have -= {"self", "my_projects", "workload", "sites"}

    def keep(self, found: Iterable[Payload], route: str) -> None:
        """Materialises what was fetched beside the acquisition. Briefs never overwrite details."""
        with self._store.batch():
            for payload in found:
                self._store.add(payload, route)

    def adopt_wiki(self, pages: Mapping[str, str]) -> None:
        """Takes the wiki from whoever has read it under the same digest, instead of the API."""
        with self._store.batch():
            for path in sorted(pages):
                self._store.wiki_page(WikiPage(file=path, content=pages[path]), LOAD_WIKI.path)
        self._have.add("wiki")

    def rows(self, sql: str, values: tuple[Value, ...] = ()) -> list[Row]:
        """For the host's own queries; a plan's SQL runs in the sandbox instead."""
        return self._store.rows(sql, values)

    def _acquire(self, part: str) -> None:
        if part in self._have:
            return
        with self._store.batch():
            self._fill(part)
        self._have.add(part)
        self.version += 1

    def _fill(self, part: str) -> None:
        client, store = self._client, self._store
        match part:
            case "employees":
                acquire.employees(client, store)
            case "details":
                acquire.all_details(client, store)
            case "projects":
                acquire.projects(client, store)
            case "customers":
                acquire.customers(client, store)
            case "wiki":
                acquire.wiki(client, store)
            case "time":
                acquire.time_entries(client, store, TimeSearch())
            case _:
                self._bind(part)

    def _bind(self, part: str) -> None:
        if self._bound is None:
            message = "the snapshot does not know yet who asks"
            raise UsageError(message, hint="call bind_context first")
        identity, policy = self._bound
        match part:
            case "self":
                context.bind_self(self._store, identity, self._client)
            case "my_projects":
                context.bind_my_projects(self._store, identity, policy)
            case "workload":
                context.bind_workload(self._store, policy)
            case "sites":
                context.bind_sites(self._store, policy)

    def _sample_skills(self) -> None:
        """Looks at some people until they bring nothing new; all of them would take too long."""
        ids = self._store.column("SELECT id FROM employees ORDER BY id")
        step = max(1, len(ids) // SAMPLE)
        seen: list[int] = []
        for identifier in ids[::step][:SAMPLE]:
            self.load_details([identifier])
            counted = self._store.rows("SELECT COUNT(DISTINCT kind || name) FROM skills")
            seen.append(int(counted[0][0]))
            if len(seen) >= 4 and seen[-1] == seen[-4]:
                return

    def _fetch(self, entity: Entity, identifier: str) -> None:
        client, store = self._client, self._store
        match entity:
            case "employee":
                view = client.get_employee(identifier)
                store.employee(view, GET_EMPLOYEE.path)
                store.employee_details(view, GET_EMPLOYEE.path)
            case "project":
                store.project(client.get_project(identifier), GET_PROJECT.path)
            case "customer":
                store.customer(client.get_customer(identifier), GET_CUSTOMER.path)
            case "time_entry":
                store.time_entry(client.get_time_entry(identifier), GET_TIME.path)
            case "wiki_page":
                self._fetch_page(identifier)

    def _fetch_page(self, path: str) -> None:
        try:
            page = self._client.load_wiki(path)
        except NotFound:
            page = WikiPage(file=path)
        if page.content:
            self._store.wiki_page(page, LOAD_WIKI.path)
        else:
            # An empty page is a deleted one.
            self._store.forget_page(path)
