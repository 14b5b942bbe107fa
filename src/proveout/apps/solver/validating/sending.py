"""Sending a prepared change exactly once, and reading back what it did.

A write is announced under its key before it is sent, and its result is kept under the same key. If
the announcement is there and the result is not, an earlier process may or may not have got through:
then the state is looked at first, and the write is sent only if it has not been carried out.
"""

from collections.abc import Callable

from pydantic import JsonValue

from proveout.apps.solver.client import CompanyClient
from proveout.apps.solver.client import requests as asked
from proveout.apps.solver.client.company import BY_PATH
from proveout.apps.solver.client.errors import ApiError, NotFound, ServerFault, Unreachable
from proveout.apps.solver.client.route import Request
from proveout.apps.solver.decision import WriteRecord
from proveout.apps.solver.entities import EmployeeView, scaled
from proveout.apps.solver.validating.ports import Once

TRIES = 2
LONGEST_SHOWN = 20_000
PATHS: dict[type[Request], str] = {
    asked.EmployeeUpdate: "/employees/update",
    asked.StatusUpdate: "/projects/status/update",
    asked.TeamUpdate: "/projects/team/update",
    asked.TimeLog: "/time/log",
    asked.TimeUpdate: "/time/update",
    asked.WikiUpdate: "/wiki/update",
}
_FACETS = ("notes", "salary", "skills", "wills", "location", "department")
_SIGNATURES = ("changed_by", "logged_by")


class NotDone(ApiError):
    """The API took a write and did something else."""

    code = "solver.api.not_done"


def record(intent: str, request: Request, key: str) -> WriteRecord:
    """The change as it would be sent."""
    path = PATHS[type(request)]
    return WriteRecord(intent=intent, route=path, body=request.body(), key=key)


def apply(client: CompanyClient, planned: WriteRecord, request: Request, once: Once) -> WriteRecord:
    """Carry the change out, if that was not done before under the same key."""
    announced_now = False

    def announce() -> JsonValue:
        nonlocal announced_now
        announced_now = True
        return state(client, request)

    before = once(f"write {planned.key} begun", announce)

    def send() -> JsonValue:
        if announced_now or not landed(client, request, before):
            _sent(client, request, before)
        after = state(client, request)
        return {"after": after, "verified": wanted(request, before, after)}

    done = once(f"write {planned.key} done", send)
    assert isinstance(done, dict)
    return planned.model_copy(
        update={
            "sent": True,
            "before": before,
            "after": done["after"],
            "verified": bool(done["verified"]),
        }
    )


def state(client: CompanyClient, request: Request) -> JsonValue:
    """What the change is about, as it is now; nothing of a person beyond what it touches."""
    match request:
        case asked.EmployeeUpdate():
            view = client.get_employee(request.employee).model_dump(mode="json")
            return {name: view[name] for name in _FACETS if getattr(request, name) is not None}
        case asked.StatusUpdate():
            return {"status": client.get_project(request.id).status}
        case asked.TeamUpdate():
            return {"team": _seats(client.get_project(request.id).model_dump(mode="json")["team"])}
        case asked.TimeUpdate():
            entry = client.get_time_entry(request.id).model_dump(mode="json")
            return {name: entry[name] for name in request.body() if name in entry and name != "id"}
        case asked.TimeLog():
            return {"entries": _alike(client, request)}
        case asked.WikiUpdate():
            return {"content": _page(client, request.file)}
    message = f"{type(request).__name__} is no change"
    raise TypeError(message)


def wanted(request: Request, before: JsonValue, after: JsonValue) -> bool:
    """Whether the state is what the change asks for."""
    assert isinstance(before, dict)
    assert isinstance(after, dict)
    if isinstance(request, asked.TimeLog):
        old, new = before["entries"], after["entries"]
        assert isinstance(old, list)
        assert isinstance(new, list)
        return any(entry not in old for entry in new)
    body = {name: value for name, value in request.body().items() if name not in _SIGNATURES}
    if isinstance(request, asked.TeamUpdate):
        return after == {"team": _seats(body["team"])}
    return all(_equal(body.get(name), value) for name, value in after.items())


def landed(client: CompanyClient, request: Request, before: JsonValue) -> bool:
    return wanted(request, before, state(client, request))


def _sent(client: CompanyClient, request: Request, before: JsonValue) -> None:
    """A write whose fate is unknown is sent again only if the state shows that it had none."""
    untouched = _whole(client, request)
    for trial in range(1, TRIES + 1):
        try:
            client.dispatch(PATHS[type(request)], request.body())
        except (Unreachable, ServerFault):
            if landed(client, request, before):
                break
            if trial == TRIES:
                raise
        else:
            break
    if untouched is not None and isinstance(request, asked.EmployeeUpdate):
        _mend(client, request, untouched)


def _whole(client: CompanyClient, request: Request) -> EmployeeView | None:
    if isinstance(request, asked.EmployeeUpdate):
        return client.get_employee(request.employee)
    return None


def _mend(client: CompanyClient, request: asked.EmployeeUpdate, old: EmployeeView) -> None:
    """Some servers take fields that are left out as emptied: put back what was lost by that."""
    now = client.get_employee(request.employee)
    lost = {
        name: _plain(getattr(old, name))
        for name in _FACETS
        if getattr(request, name) is None and getattr(now, name) != getattr(old, name)
    }
    if lost:
        client.update_employee_info(asked.EmployeeUpdate.model_validate({**request.body(), **lost}))


def _plain(value: object) -> object:
    return [held.model_dump() for held in value] if isinstance(value, tuple) else value


def _alike(client: CompanyClient, request: asked.TimeLog) -> list[JsonValue]:
    """Ids of entries that say what this one says."""
    ask = asked.TimeSearch(
        employee=request.employee,
        project=request.project,
        date_from=request.date,
        date_to=request.date,
    )
    body = request.body()
    return [
        entry.id
        for entry in client.all_time_entries(ask)
        if all(
            _equal(body.get(name, ""), getattr(entry, name))
            for name in ("hours", "work_category", "notes", "billable", "status")
        )
    ]


def _page(client: CompanyClient, path: str) -> str:
    """A page that does not exist reads like an emptied one."""
    try:
        content = client.load_wiki(path).content
    except NotFound:
        return ""
    return content


def _seats(team: JsonValue) -> list[JsonValue]:
    assert isinstance(team, list)
    seats: list[tuple[str, int, str]] = []
    for seat in team:
        assert isinstance(seat, dict)
        part = seat["time_slice"]
        assert isinstance(part, int | float)
        seats.append((str(seat["employee"]), scaled(part, 1000), str(seat["role"])))
    return [list(seat) for seat in sorted(seats)]


def _equal(one: JsonValue, other: object) -> bool:
    if isinstance(one, int | float) and isinstance(other, int | float):
        return abs(one - other) < 1e-9
    return one == other


_EXISTS: Callable[[str], bool] = BY_PATH.__contains__
assert all(map(_EXISTS, PATHS.values()))
