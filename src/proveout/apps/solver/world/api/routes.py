"""Which path does what."""

from collections.abc import Callable

from proveout.apps.solver.world.api import customers, people, projects, time, wiki
from proveout.apps.solver.world.api.body import ApiError, Body, JsonObject, not_found
from proveout.apps.solver.world.api.state import Answer, TaskState
from proveout.apps.solver.world.spec import LINK_KINDS

_OUTCOMES = (
    "ok_answer",
    "ok_not_found",
    "denied_security",
    "none_clarification_needed",
    "none_unsupported",
    "error_internal",
)
_LONGEST_MESSAGE = 100_000
Route = Callable[[TaskState, Body], JsonObject]


def who_am_i(state: TaskState, _body: Body) -> JsonObject:
    who = state.spec.whoami
    if who is None:
        raise not_found()
    return {
        "current_user": who.current_user,
        "is_public": who.is_public,
        "location": who.location,
        "department": who.department,
        "today": who.today,
        "wiki_sha1": state.digest,
    }


def respond(state: TaskState, body: Body) -> JsonObject:
    outcome = body.one_of("outcome", _OUTCOMES)
    message = body.text("message")
    if len(message) > _LONGEST_MESSAGE:
        text = "field 'message' is too long"
        raise ApiError(400, text)
    links = tuple(
        (link.one_of("kind", LINK_KINDS), link.required("id")) for link in body.objects("links")
    )
    state.answers.append(Answer(message, outcome, links))
    return {}


READS: dict[str, Route] = {
    "/whoami": who_am_i,
    "/employees/list": people.list_people,
    "/employees/search": people.search_people,
    "/employees/get": people.get_person,
    "/wiki/list": wiki.list_pages,
    "/wiki/load": wiki.load_page,
    "/wiki/search": wiki.search_pages,
    "/customers/list": customers.list_customers,
    "/customers/search": customers.search_customers,
    "/customers/get": customers.get_customer,
    "/projects/list": projects.list_projects,
    "/projects/search": projects.search_projects,
    "/projects/get": projects.get_project,
    "/time/get": time.get_time,
    "/time/search": time.search_time,
    "/time/summary/by-project": time.summary_by_project,
    "/time/summary/by-employee": time.summary_by_employee,
}
WRITES: dict[str, Route] = {
    "/respond": respond,
    "/employees/update": people.update_person,
    "/wiki/update": wiki.update_page,
    "/projects/team/update": projects.update_team,
    "/projects/status/update": projects.update_status,
    "/time/log": time.log_time,
    "/time/update": time.update_time,
}


def call(state: TaskState, path: str, body: Body) -> JsonObject:
    """Nothing changes any more once the answer is given."""
    if path in READS:
        return READS[path](state, body)
    if path not in WRITES:
        raise not_found()
    if state.answers:
        text = "the task has been answered already"
        raise ApiError(400, text)
    return WRITES[path](state, body)
