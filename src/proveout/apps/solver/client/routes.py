"""Every route of the company API. Client, raw tools and API map are all read off this table."""

from typing import Final

from proveout.apps.solver import entities as given
from proveout.apps.solver.client import requests as asked
from proveout.apps.solver.client.route import Nothing, Request, Route
from proveout.apps.solver.entities import Payload

WHO_AM_I: Final = Route(
    "who_am_i", "/whoami", Nothing, given.Identity, says="Who asks, what day it is, which wiki."
)
RESPOND: Final = Route(
    "provide_agent_response",
    "/respond",
    asked.Respond,
    given.Done,
    kind="write",
    says="The final answer, once per task.",
)

LIST_EMPLOYEES: Final = Route(
    "list_employees",
    "/employees/list",
    asked.EmployeesList,
    given.EmployeePage,
    entity="employee",
    says="Everyone, salary included.",
)
SEARCH_EMPLOYEES: Final = Route(
    "search_employees",
    "/employees/search",
    asked.EmployeesSearch,
    given.EmployeePage,
    entity="employee",
    says="By part of the stored name, exact location or department, levels.",
)
GET_EMPLOYEE: Final = Route(
    "get_employee",
    "/employees/get",
    asked.EmployeeById,
    given.EmployeeFound,
    entity="employee",
    says="One person with notes, skills and wills.",
)
UPDATE_EMPLOYEE: Final = Route(
    "update_employee_info",
    "/employees/update",
    asked.EmployeeUpdate,
    given.EmployeeFound,
    kind="write",
    entity="employee",
    says="Changes the fields that are given.",
)

LIST_WIKI: Final = Route(
    "list_wiki",
    "/wiki/list",
    Nothing,
    given.WikiIndex,
    entity="wiki_page",
    says="Paths of all pages and the digest of the wiki.",
)
LOAD_WIKI: Final = Route(
    "load_wiki",
    "/wiki/load",
    asked.WikiLoad,
    given.WikiPage,
    entity="wiki_page",
    says="One page.",
)
SEARCH_WIKI: Final = Route(
    "search_wiki",
    "/wiki/search",
    asked.WikiSearch,
    given.WikiHits,
    entity="wiki_page",
    says="The first few lines that match a regular expression.",
)
UPDATE_WIKI: Final = Route(
    "update_wiki",
    "/wiki/update",
    asked.WikiUpdate,
    given.Done,
    kind="write",
    entity="wiki_page",
    says="Writes a page; empty content deletes it.",
)

LIST_CUSTOMERS: Final = Route(
    "list_customers",
    "/customers/list",
    asked.CustomersList,
    given.CompanyPage,
    entity="customer",
    says="All customers.",
)
SEARCH_CUSTOMERS: Final = Route(
    "search_customers",
    "/customers/search",
    asked.CustomersSearch,
    given.CompanyPage,
    entity="customer",
    says="By part of name or brief, phase, account manager, location.",
)
GET_CUSTOMER: Final = Route(
    "get_customer",
    "/customers/get",
    asked.CustomerById,
    given.CompanyFound,
    entity="customer",
    says="One customer with brief, contact and account manager.",
)

LIST_PROJECTS: Final = Route(
    "list_projects",
    "/projects/list",
    asked.ProjectsList,
    given.ProjectPage,
    entity="project",
    says="All projects, archived ones included.",
)
SEARCH_PROJECTS: Final = Route(
    "search_projects",
    "/projects/search",
    asked.ProjectsSearch,
    given.ProjectPage,
    entity="project",
    says="By part of name or description, customer, status, team; archived only if asked for.",
)
GET_PROJECT: Final = Route(
    "get_project",
    "/projects/get",
    asked.ProjectById,
    given.ProjectFound,
    entity="project",
    says="One project with description and team.",
)
UPDATE_TEAM: Final = Route(
    "update_project_team",
    "/projects/team/update",
    asked.TeamUpdate,
    given.Done,
    kind="write",
    entity="project",
    says="Replaces the whole team.",
)
UPDATE_STATUS: Final = Route(
    "update_project_status",
    "/projects/status/update",
    asked.StatusUpdate,
    given.Done,
    kind="write",
    entity="project",
    says="Sets the status.",
)

LOG_TIME: Final = Route(
    "log_time_entry",
    "/time/log",
    asked.TimeLog,
    given.TimeEntry,
    kind="write",
    entity="time_entry",
    says="Adds an entry.",
)
UPDATE_TIME: Final = Route(
    "update_time_entry",
    "/time/update",
    asked.TimeUpdate,
    given.Done,
    kind="write",
    entity="time_entry",
    says="Replaces all editable fields of an entry.",
)
SEARCH_TIME: Final = Route(
    "search_time_entries",
    "/time/search",
    asked.TimeSearch,
    given.TimeEntryPage,
    entity="time_entry",
    says="Entries by person, project, customer, dates; with totals over all that match.",
)
GET_TIME: Final = Route(
    "get_time_entry",
    "/time/get",
    asked.TimeEntryById,
    given.TimeEntryFound,
    entity="time_entry",
    says="One entry.",
)
TIME_BY_PROJECT: Final = Route(
    "time_summary_by_project",
    "/time/summary/by-project",
    asked.TimeSummary,
    given.ProjectSummaries,
    says="Hours per project in a range of days.",
)
TIME_BY_EMPLOYEE: Final = Route(
    "time_summary_by_employee",
    "/time/summary/by-employee",
    asked.TimeSummary,
    given.EmployeeSummaries,
    says="Hours per person in a range of days.",
)

ROUTES: tuple[Route[Request, Payload], ...] = tuple(
    value for value in list(globals().values()) if isinstance(value, Route)
)
