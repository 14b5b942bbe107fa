"""The list of runs: its filter is the address."""

import datetime
from urllib.parse import urlencode

from fastapi import Request
from pydantic import ValidationError

from proveout.kernel.errors import UsageError
from proveout.kernel.proposer import explain
from proveout.server.desk import Desk
from proveout.server.pages.site import Page, View
from proveout.server.shapes import RunFilter, State

PAGE_SIZE = 25
STATES: tuple[State, ...] = ("running", "queued", "accepted", "not accepted", "interrupted")
GOING = ("running", "queued")


def runs_page(desk: Desk) -> Page:
    def make(request: Request) -> View:
        given = {name: value for name, value in request.query_params.items() if value}
        wanted = filter_of(given)
        found = desk.rows(wanted)
        shown = {
            "wanted": wanted,
            "since": given.get("since", ""),
            "found": found,
            "apps": [app.name for app in desk.apps()],
            "states": STATES,
            "filtered": bool(given),
            "going": any(row.state in GOING for row in found.runs),
            "newer": _moved(given, max(0, wanted.offset - wanted.limit)) if wanted.offset else "",
            "older": _moved(given, wanted.offset + wanted.limit)
            if wanted.offset + len(found.runs) < found.total
            else "",
            "without_model": _address({k: v for k, v in given.items() if k != "model"}),
        }
        refresh = 10 if shown["going"] else 0
        return View("runs.html", "Runs", found, shown, place="/runs", refresh=refresh)

    return make


def filter_of(given: dict[str, str]) -> RunFilter:
    """The filter that an address asks for; `since` is a day or seconds since 1970."""
    fields: dict[str, object] = {"limit": PAGE_SIZE, **given}
    if "since" in given:
        fields["since"] = _moment(given["since"])
    try:
        return RunFilter.model_validate(fields)
    except ValidationError as error:
        message = f"this is not a filter: {explain(error)}"
        raise UsageError(message, hint="/runs shows every run") from error


def _moment(text: str) -> float | str:
    try:
        day = datetime.date.fromisoformat(text)
    except ValueError:
        return text
    return datetime.datetime(day.year, day.month, day.day, tzinfo=datetime.UTC).timestamp()


def _moved(given: dict[str, str], offset: int) -> str:
    return _address({**given, "offset": str(offset)})


def _address(fields: dict[str, str]) -> str:
    return f"/runs?{urlencode(fields)}" if fields else "/runs"
