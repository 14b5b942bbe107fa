"""Lessons, SQL, doctor and the way in."""

from collections.abc import Mapping
from urllib.parse import urlsplit

from fastapi import Request, Response
from pydantic import JsonValue
from starlette.datastructures import FormData
from starlette.responses import RedirectResponse

from proveout.kernel.errors import UsageError
from proveout.kernel.panels import Cell, Column, Table
from proveout.report.wording import count
from proveout.server.access import Access
from proveout.server.desk import Desk
from proveout.server.pages.site import View
from proveout.server.shapes import Rows

SCHEMA = (
    ("runs", "run, app, started_at, sequence, head"),
    ("events", "run, sequence, id, parent, at, elapsed, kind, key, body (JSON)"),
    ("blobs", "id, content"),
    ("patches", "app, signature, count, last, patch (JSON), origins (JSON), id"),
)
CANNED: Mapping[str, str] = {
    "Runs, newest first": "SELECT run, app, datetime(started_at, 'unixepoch') AS started,\n"
    "       sequence AS events\nFROM runs ORDER BY started_at DESC LIMIT 50",
    "How runs ended": "SELECT run, json_extract(body, '$.outcome.accepted') AS accepted,\n"
    "       json_extract(body, '$.outcome.score') AS score,\n"
    "       json_extract(body, '$.outcome.summary') AS summary\n"
    "FROM events WHERE kind = 'run.ended' ORDER BY at DESC LIMIT 100",
    "Findings, most frequent first": "SELECT json_extract(found.value, '$.code') AS code,\n"
    "       count(*) AS times, count(DISTINCT run) AS runs\n"
    "FROM events, json_each(body, '$.verdict.findings') AS found\n"
    "WHERE kind = 'verdict.given' GROUP BY code ORDER BY times DESC LIMIT 100",
    "Cost by model": "SELECT json_extract(body, '$.model') AS model, count(*) AS calls,\n"
    "       sum(json_extract(body, '$.usage.input_tokens')) AS tokens_in,\n"
    "       sum(json_extract(body, '$.usage.output_tokens')) AS tokens_out,\n"
    "       round(sum(json_extract(body, '$.usage.cost_usd')), 4) AS usd\n"
    "FROM events WHERE kind = 'model.called' GROUP BY model ORDER BY usd DESC",
    "Slowest steps": "SELECT run, kind, key, round(json_extract(body, '$.seconds'), 3) AS seconds\n"
    "FROM events WHERE kind = 'model.called' ORDER BY seconds DESC LIMIT 50",
}
MOST_CELL = 400


class OtherPages:
    """What is about the whole journal, or about the machine."""

    def __init__(self, desk: Desk, access: Access) -> None:
        self._desk = desk
        self._access = access

    def home(self) -> Response:
        return RedirectResponse("/runs", 303)

    def lessons(self, request: Request) -> View:
        only = request.query_params.get("app", "")
        found = self._desk.lessons(only)
        shown = {
            "lessons": found,
            "apps": [app.name for app in self._desk.apps()],
            "only": only,
        }
        data: JsonValue = [one.model_dump(mode="json") for one in found]
        return View("lessons.html", "Lessons", data, shown, place="/lessons")

    def sql(self, request: Request) -> View:
        query = request.query_params.get("q", "")
        shown: dict[str, object] = {
            "query": query or next(iter(CANNED.values())),
            "canned": [{"title": title, "query": text} for title, text in CANNED.items()],
            "schema": SCHEMA,
            "complaint": None,
            "answer": None,
        }
        if not query:
            data: JsonValue = {"queries": dict(CANNED)}
            return View("sql.html", "SQL", data, shown, place="/sql")
        try:
            rows = self._desk.query(query)
        except UsageError as error:
            problem: JsonValue = {
                "error": {"code": error.code, "message": error.message, "hint": error.hint}
            }
            shown["complaint"] = error
            return View("sql.html", "SQL", problem, shown, place="/sql", status=400)
        shown["answer"] = _table(rows)
        return View("sql.html", "SQL", rows, shown, place="/sql")

    def doctor(self, _request: Request) -> View:
        rows = self._desk.doctor()
        states = [row.state for row in rows]
        missing, broken = states.count("missing"), states.count("broken")
        summary = "Everything that is needed works here."
        if broken:
            summary = f"{count(broken, 'thing')} to mend before runs can be trusted."
        elif missing:
            summary = f"What is needed works here; {count(missing, 'optional part')} missing."
        data: JsonValue = [dict(row._asdict()) for row in rows]
        return View(
            "doctor.html", "Doctor", data, {"rows": rows, "summary": summary}, place="/doctor"
        )

    def login(self, request: Request) -> View | Response:
        if not self._access.token or self._access.admits(request):
            return RedirectResponse(_inner(request.query_params.get("next", "")), 303)
        return _login(request.query_params.get("next", ""))

    def logged_in(self, request: Request, sent: FormData) -> View | Response:
        following, token = str(sent.get("next", "")), str(sent.get("token", ""))
        if not self._access.knows(token.strip()):
            return _login(following, wrong=True)
        answer = RedirectResponse(_inner(following), 303)
        self._access.log_in(answer, secure=request.url.scheme == "https")
        return answer

    def logged_out(self, _request: Request, _sent: FormData) -> Response:
        answer = RedirectResponse("/login", 303)
        self._access.log_out(answer)
        return answer


def _login(following: str, *, wrong: bool = False) -> View:
    complaint = UsageError("That is not the token.", hint="It was given to `proveout serve`.")
    shown = {"next": following, "complaint": complaint if wrong else None}
    data: JsonValue = {"login": "send the token as Authorization: Bearer"}
    return View("login.html", "Log in", data, shown, status=401 if wrong else 200)


def _inner(address: str) -> str:
    """An address of ours to go on to; anything that leads elsewhere becomes the list of runs."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return "/runs"
    plain = address.startswith("/") and not address.startswith(("//", "/\\"))
    return address if plain and not parts.scheme and not parts.netloc else "/runs"


def _table(rows: Rows) -> Table:
    note = f"{count(len(rows.rows), 'row')} in {rows.seconds:g} s"
    return Table(
        title="Answer",
        columns=tuple(Column(name=name) for name in rows.columns),
        rows=tuple(tuple(_cell(value) for value in row) for row in rows.rows),
        note=f"{note}; there are more" if rows.cut else note,
    )


def _cell(value: JsonValue) -> Cell:
    if isinstance(value, str):
        return value if len(value) <= MOST_CELL else value[: MOST_CELL - 1] + "…"
    return value if isinstance(value, bool | int | float | None) else str(value)
