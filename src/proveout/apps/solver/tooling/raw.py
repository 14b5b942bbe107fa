"""The API's own reads as tools, under the names of the service's client.

Lists are read to the end unless a limit is given, and everything read is materialised. Rows never
hold salaries, notes or contacts: these have relations of their own, each behind its permission.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TypeVar

from pydantic import JsonValue

from proveout.apps.solver.catalogue import CATALOGUE
from proveout.apps.solver.client import NotFound, routes
from proveout.apps.solver.client import requests as asked
from proveout.apps.solver.client.route import Nothing, Paged, Request, Route
from proveout.apps.solver.entities import Payload, scaled
from proveout.apps.solver.tooling.spec import Row, ToolRefused, ToolSpec
from proveout.apps.solver.tooling.surroundings import Given, Surroundings, Tool, found
from proveout.apps.solver.words import ReadOperation

MOST_ROWS = 5_000
"""Of one result. Larger sets belong into the snapshot, and SQL over it."""

Ask = TypeVar("Ask", bound=Request)
Reply = TypeVar("Reply", bound=Payload)
Source = Callable[[Surroundings, Ask], Iterable[Payload]]


def _listed(relation: str, route: Route[Ask, Reply], source: Source[Ask]) -> Tool[Ask]:
    """A route whose entities are rows of a relation: fetched, kept, and shown from there."""
    key, columns = CATALOGUE[relation].key[0], CATALOGUE[relation].columns
    sql = f"SELECT {', '.join(columns)} FROM {relation} WHERE {key} = ?"

    def run(at: Surroundings, ask: Ask) -> Given:
        payloads = list(_bounded(route.path, ask, source(at, ask)))
        at.snapshot.keep(payloads, route.path)
        ids = dict.fromkeys(
            str(getattr(it, "id", "") or getattr(it, "file", "")) for it in payloads
        )
        rows: list[Row] = [row for it in ids for row in at.rows(sql, it)]
        return found(rows)

    operation = CATALOGUE[relation].operation
    discloses = (operation,) if operation else ()
    spec = ToolSpec(route.name, route.asks, f"{relation}_rows", columns, route.says, discloses)
    return Tool(spec, run)


def _bounded(path: str, ask: Request, payloads: Iterable[Payload]) -> Iterator[Payload]:
    limited = isinstance(ask, Paged) and "limit" in ask.model_fields_set
    wanted = ask.limit if limited and isinstance(ask, Paged) else MOST_ROWS + 1
    for count, payload in enumerate(islice(payloads, wanted), start=1):
        if count > MOST_ROWS:
            message = f"{path} has more than {MOST_ROWS} rows"
            raise ToolRefused(message, hint="give a limit, or read the relation with SQL")
        yield payload


def _one(get: Callable[[], Payload]) -> list[Payload]:
    """A thing by its id; none where there is none."""
    try:
        return [get()]
    except NotFound:
        return []


def _computed(
    route: Route[Ask, Reply],
    columns: tuple[str, ...],
    rows: Callable[[Surroundings, Ask], list[Row]],
    discloses: ReadOperation,
) -> Tool[Ask]:
    """A route whose answer is no entity: its rows are the result."""

    def run(at: Surroundings, ask: Ask) -> Given:
        return found(rows(at, ask))

    spec = ToolSpec(route.name, route.asks, route.name, columns, route.says, (discloses,))
    return Tool(spec, run)


def _by_project(at: Surroundings, ask: asked.TimeSummary) -> list[Row]:
    return [
        (it.project, it.customer, *_hours(it.total_hours, it.billable_hours, it.non_billable_hours))
        for it in at.client.time_summary_by_project(ask)
    ]


def _by_employee(at: Surroundings, ask: asked.TimeSummary) -> list[Row]:
    return [
        (it.employee, *_hours(it.total_hours, it.billable_hours, it.non_billable_hours))
        for it in at.client.time_summary_by_employee(ask)
    ]


def _hours(*amounts: float) -> tuple[JsonValue, ...]:
    return tuple(scaled(amount, 100) for amount in amounts)


def _paths(at: Surroundings, _: Nothing) -> list[Row]:
    return [(path,) for path in at.client.list_wiki().paths]


def _snippets(at: Surroundings, ask: asked.WikiSearch) -> list[Row]:
    return [(it.path, it.linum, it.content) for it in at.client.search_wiki(ask.query_regex)]


HOURS = ("hours_centi", "billable_centi", "non_billable_centi")

RAW = (
    _listed("employees", routes.LIST_EMPLOYEES, lambda at, ask: at.client.all_employees(ask)),
    _listed("employees", routes.SEARCH_EMPLOYEES, lambda at, ask: at.client.all_employees(ask)),
    _listed(
        "employees",
        routes.GET_EMPLOYEE,
        lambda at, ask: _one(lambda: at.client.get_employee(ask.id)),
    ),
    _listed("customers", routes.LIST_CUSTOMERS, lambda at, ask: at.client.all_customers(ask)),
    _listed("customers", routes.SEARCH_CUSTOMERS, lambda at, ask: at.client.all_customers(ask)),
    _listed(
        "customers",
        routes.GET_CUSTOMER,
        lambda at, ask: _one(lambda: at.client.get_customer(ask.id)),
    ),
    _listed("projects", routes.LIST_PROJECTS, lambda at, ask: at.client.all_projects(ask)),
    _listed("projects", routes.SEARCH_PROJECTS, lambda at, ask: at.client.all_projects(ask)),
    _listed(
        "projects", routes.GET_PROJECT, lambda at, ask: _one(lambda: at.client.get_project(ask.id))
    ),
    _listed("time_entries", routes.SEARCH_TIME, lambda at, ask: at.client.all_time_entries(ask)),
    _listed(
        "time_entries",
        routes.GET_TIME,
        lambda at, ask: _one(lambda: at.client.get_time_entry(ask.id)),
    ),
    _listed(
        "wiki_pages", routes.LOAD_WIKI, lambda at, ask: _one(lambda: at.client.load_wiki(ask.file))
    ),
    _computed(routes.LIST_WIKI, ("path",), _paths, "wiki.read"),
    _computed(routes.SEARCH_WIKI, ("path", "line", "content"), _snippets, "wiki.read"),
    _computed(
        routes.TIME_BY_PROJECT, ("project_id", "customer_id", *HOURS), _by_project, "time.entries"
    ),
    _computed(routes.TIME_BY_EMPLOYEE, ("employee_id", *HOURS), _by_employee, "time.entries"),
)
