"""Streaming the API's lists into the snapshot: one page in memory, whatever there is in all."""

from collections.abc import Iterable

from proveout.apps.solver.client import CompanyClient, NotFound
from proveout.apps.solver.client.requests import TimeSearch
from proveout.apps.solver.client.routes import (
    GET_CUSTOMER,
    GET_EMPLOYEE,
    GET_PROJECT,
    LIST_EMPLOYEES,
    LOAD_WIKI,
    SEARCH_TIME,
)
from proveout.apps.solver.entities import CompanyDetail, ProjectDetail
from proveout.apps.solver.snapshot.store import Store

CHUNK = 500
"""People whose details are fetched between two looks at who is left."""


def employees(client: CompanyClient, store: Store) -> None:
    for brief in client.all_employees():
        store.employee(brief, LIST_EMPLOYEES.path)


def all_details(client: CompanyClient, store: Store) -> None:
    """Of everyone in the registry whose details are not here yet."""
    while missing := store.column(
        "SELECT id FROM employees WHERE id NOT IN (SELECT employee_id FROM detailed) "
        f"ORDER BY id LIMIT {CHUNK}"
    ):
        details(client, store, missing)


def details(client: CompanyClient, store: Store, ids: Iterable[str]) -> None:
    for identifier in ids:
        try:
            view = client.get_employee(identifier)
        except NotFound:
            store.run("INSERT OR REPLACE INTO detailed VALUES (?)", (identifier,))
            continue
        store.employee(view, GET_EMPLOYEE.path)
        store.employee_details(view, GET_EMPLOYEE.path)
        if identifier != view.id:
            # Asked in another spelling: it has been looked at all the same.
            store.run("INSERT OR REPLACE INTO detailed VALUES (?)", (identifier,))


def projects(client: CompanyClient, store: Store) -> None:
    """Lists give names only; description and team need a call each."""
    for brief in client.all_projects():
        try:
            detail = client.get_project(brief.id)
        except NotFound:
            detail = ProjectDetail(**brief.model_dump())
        store.project(detail, GET_PROJECT.path)


def customers(client: CompanyClient, store: Store) -> None:
    for brief in client.all_customers():
        try:
            detail = client.get_customer(brief.id)
        except NotFound:
            detail = CompanyDetail(**brief.model_dump())
        store.customer(detail, GET_CUSTOMER.path)


def wiki(client: CompanyClient, store: Store) -> None:
    for path in client.list_wiki().paths:
        store.wiki_page(client.load_wiki(path), LOAD_WIKI.path)


def time_entries(client: CompanyClient, store: Store, ask: TimeSearch) -> int:
    count = 0
    for entry in client.all_time_entries(ask):
        store.time_entry(entry, SEARCH_TIME.path)
        count += 1
    return count
