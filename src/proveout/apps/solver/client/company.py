"""The client of one task's company: every route as a method, named as in the service's own client.

Lists come in two ways: `list_*` and `search_*` give one page, `all_*` every row, streamed.
"""

from collections.abc import Iterator
from typing import TypeVar

from pydantic import JsonValue, ValidationError

from proveout.apps.solver import entities as given
from proveout.apps.solver.client import requests as asked
from proveout.apps.solver.client import routes
from proveout.apps.solver.client.audit import Trail
from proveout.apps.solver.client.calling import Caller
from proveout.apps.solver.client.errors import NotFound
from proveout.apps.solver.client.paging import Listing, Pager
from proveout.apps.solver.client.patience import Patience
from proveout.apps.solver.client.route import Nothing, Request, Route
from proveout.apps.solver.client.transport import Transport
from proveout.kernel.errors import UnknownName, UsageError

Ask = TypeVar("Ask", bound=Request)
Reply = TypeVar("Reply", bound=given.Payload)

EMPLOYEES = Listing(routes.LIST_EMPLOYEES, lambda page: page.employees)
FOUND_EMPLOYEES = Listing(routes.SEARCH_EMPLOYEES, lambda page: page.employees)
CUSTOMERS = Listing(routes.LIST_CUSTOMERS, lambda page: page.companies)
FOUND_CUSTOMERS = Listing(routes.SEARCH_CUSTOMERS, lambda page: page.companies)
PROJECTS = Listing(routes.LIST_PROJECTS, lambda page: page.projects)
FOUND_PROJECTS = Listing(routes.SEARCH_PROJECTS, lambda page: page.projects)
TIME_ENTRIES = Listing(routes.SEARCH_TIME, lambda page: page.entries)

BY_NAME = {route.name: route for route in routes.ROUTES}
BY_PATH = {route.path: route for route in routes.ROUTES}


class CompanyClient:
    """Of one task. Reads are cached until something is written; every call leaves a record."""

    def __init__(
        self, transport: Transport, *, patience: Patience | None = None, trail: Trail | None = None
    ) -> None:
        self._caller = Caller(transport, patience=patience, trail=trail)
        self._pager = Pager(self._caller)

    @property
    def trail(self) -> Trail:
        return self._caller.trail

    def dispatch(self, route: str, body: dict[str, JsonValue]) -> given.Payload:
        """Calls a route by name or path with an unchecked body, which is checked first."""
        found = BY_NAME.get(route) or BY_PATH.get(route)
        if found is None:
            noun = "route"
            raise UnknownName(route, noun=noun, known=BY_PATH)
        try:
            ask = found.asks.model_validate(body)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(str(part) for part in first["loc"])
            message = f"{found.path} cannot be asked like this: {where}: {first['msg']}"
            raise UsageError(message, code="solver.api.request") from None
        return self._call(found, ask)

    def who_am_i(self) -> given.Identity:
        return self._call(routes.WHO_AM_I, Nothing())

    def provide_agent_response(self, answer: asked.Respond) -> None:
        self._call(routes.RESPOND, answer)

    def list_employees(self, ask: asked.EmployeesList) -> given.EmployeePage:
        return self._pager.page(routes.LIST_EMPLOYEES, ask, keep=True)

    def search_employees(self, ask: asked.EmployeesSearch) -> given.EmployeePage:
        return self._pager.page(routes.SEARCH_EMPLOYEES, ask, keep=True)

    def all_employees(
        self, ask: asked.EmployeesList | asked.EmployeesSearch | None = None
    ) -> Iterator[given.EmployeeBrief]:
        if isinstance(ask, asked.EmployeesSearch):
            return self._pager.every(FOUND_EMPLOYEES, ask)
        return self._pager.every(EMPLOYEES, ask or asked.EmployeesList())

    def get_employee(self, employee: str) -> given.EmployeeView:
        return self._call(routes.GET_EMPLOYEE, asked.EmployeeById(id=employee)).employee

    def update_employee_info(self, change: asked.EmployeeUpdate) -> given.EmployeeView:
        return self._call(routes.UPDATE_EMPLOYEE, change).employee

    def list_wiki(self) -> given.WikiIndex:
        return self._call(routes.LIST_WIKI, Nothing())

    def load_wiki(self, file: str) -> given.WikiPage:
        return self._call(routes.LOAD_WIKI, asked.WikiLoad(file=file))

    def search_wiki(self, query_regex: str) -> tuple[given.SearchSnippet, ...]:
        return self._call(routes.SEARCH_WIKI, asked.WikiSearch(query_regex=query_regex)).results

    def update_wiki(self, change: asked.WikiUpdate) -> None:
        self._call(routes.UPDATE_WIKI, change)

    def list_customers(self, ask: asked.CustomersList) -> given.CompanyPage:
        return self._pager.page(routes.LIST_CUSTOMERS, ask, keep=True)

    def search_customers(self, ask: asked.CustomersSearch) -> given.CompanyPage:
        return self._pager.page(routes.SEARCH_CUSTOMERS, ask, keep=True)

    def all_customers(
        self, ask: asked.CustomersList | asked.CustomersSearch | None = None
    ) -> Iterator[given.CompanyBrief]:
        if isinstance(ask, asked.CustomersSearch):
            return self._pager.every(FOUND_CUSTOMERS, ask)
        return self._pager.every(CUSTOMERS, ask or asked.CustomersList())

    def get_customer(self, customer: str) -> given.CompanyDetail:
        reply = self._call(routes.GET_CUSTOMER, asked.CustomerById(id=customer))
        if reply.company is None:
            raise _no_such(routes.GET_CUSTOMER.path)
        return reply.company

    def list_projects(self, ask: asked.ProjectsList) -> given.ProjectPage:
        return self._pager.page(routes.LIST_PROJECTS, ask, keep=True)

    def search_projects(self, ask: asked.ProjectsSearch) -> given.ProjectPage:
        return self._pager.page(routes.SEARCH_PROJECTS, ask, keep=True)

    def all_projects(
        self, ask: asked.ProjectsList | asked.ProjectsSearch | None = None
    ) -> Iterator[given.ProjectBrief]:
        if isinstance(ask, asked.ProjectsSearch):
            return self._pager.every(FOUND_PROJECTS, ask)
        return self._pager.every(PROJECTS, ask or asked.ProjectsList())

    def get_project(self, project: str) -> given.ProjectDetail:
        reply = self._call(routes.GET_PROJECT, asked.ProjectById(id=project))
        if reply.project is None:
            raise _no_such(routes.GET_PROJECT.path)
        return reply.project

    def update_project_team(self, change: asked.TeamUpdate) -> None:
        self._call(routes.UPDATE_TEAM, change)

    def update_project_status(self, change: asked.StatusUpdate) -> None:
        self._call(routes.UPDATE_STATUS, change)

    def log_time_entry(self, entry: asked.TimeLog) -> given.TimeEntry:
        return self._call(routes.LOG_TIME, entry)

    def update_time_entry(self, change: asked.TimeUpdate) -> None:
        self._call(routes.UPDATE_TIME, change)

    def get_time_entry(self, entry: str) -> given.TimeEntry:
        reply = self._call(routes.GET_TIME, asked.TimeEntryById(id=entry))
        return reply.entry.model_copy(update={"id": entry})

    def search_time_entries(self, ask: asked.TimeSearch) -> given.TimeEntryPage:
        return self._pager.page(routes.SEARCH_TIME, ask, keep=True)

    def all_time_entries(self, ask: asked.TimeSearch) -> Iterator[given.TimeEntry]:
        return self._pager.every(TIME_ENTRIES, ask)

    def time_summary_by_project(self, ask: asked.TimeSummary) -> tuple[given.ProjectSummary, ...]:
        return self._call(routes.TIME_BY_PROJECT, ask).summaries

    def time_summary_by_employee(self, ask: asked.TimeSummary) -> tuple[given.EmployeeSummary, ...]:
        return self._call(routes.TIME_BY_EMPLOYEE, ask).summaries

    def _call(self, route: Route[Ask, Reply], ask: Ask) -> Reply:
        return self._caller.call(route, ask)


def _no_such(path: str) -> NotFound:
    return NotFound(path, "the API knows nothing under this id", status=200)
