"""A company API on a loopback port whose every answer is up to the test."""

import json
import threading
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from proveout.apps.solver.client import BenchmarkClient, CompanyClient, HttpTransport, Patience

Body = dict[str, Any]
HANG_SECONDS = 20.0
PERSON = ("id", "name", "email", "salary", "location", "department")
CUSTOMER = ("id", "name", "location", "deal_phase", "high_level_status")
PROJECT = ("id", "name", "customer", "status")


@dataclass(frozen=True)
class Said:
    """One answer. `content` may be anything that JSON can hold, or raw bytes."""

    content: Any
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    hangs: bool = False
    """Accepts the request and says nothing until the server closes."""


def refusal(status: int, error: str = "", **headers: str) -> Said:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Said({"status": status, "error": error, "code": ""}, status, named)


Answers = Callable[[str, Body], Said]


class LoopbackApi:
    def __init__(self, answers: Answers) -> None:
        self.seen: list[tuple[str, Body]] = []
        self.closing = threading.Event()
        self._clients = ExitStack()
        self._answers = answers
        self._lock = threading.Lock()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _protocol(self))
        self._http.daemon_threads = True
        self._thread = threading.Thread(
            target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, name="loopback-api"
        )

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._clients.close()
        self.closing.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join(10)

    def transport(self, **options: Any) -> HttpTransport:
        """A way here that closes with the server."""
        transport = HttpTransport(self.url, **options)
        self._clients.callback(transport.close)
        return transport

    def service(self, **options: Any) -> BenchmarkClient:
        return self._clients.enter_context(BenchmarkClient(self.url, **options))

    def answer(self, path: str, body: Body) -> Said:
        with self._lock:
            self.seen.append((path, body))
            return self._answers(path, body)

    def asked(self, path: str) -> list[Body]:
        return [body for seen, body in self.seen if seen == path]


def _protocol(api: LoopbackApi) -> type[BaseHTTPRequestHandler]:
    class Protocol(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            said = api.answer(self.path, json.loads(raw or b"{}"))
            if said.hangs:
                api.closing.wait(HANG_SECONDS)
                self.close_connection = True
                return
            content = said.content
            data = content if isinstance(content, bytes) else json.dumps(content).encode()
            self.send_response(said.status)
            self.send_header("Content-Length", str(len(data)))
            for name, value in said.headers.items():
                self.send_header(name, value)
            self.end_headers()
            try:
                self.wfile.write(data)
                self.wfile.flush()
            except OSError:
                # The client has read enough.
                self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:
            pass

    return Protocol


class Naps:
    """Instead of sleeping: notes for how long it would have."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


def client_of(api: LoopbackApi, *, timeout_seconds: float = 10.0, **patience: Any) -> CompanyClient:
    patience.setdefault("sleep", Naps())
    transport = api.transport(timeout_seconds=timeout_seconds)
    return CompanyClient(transport, patience=Patience(**patience))


def in_turn(*said: Said) -> Answers:
    """These answers one after the other, the last one for ever."""
    waiting = list(said)

    def answers(_: str, __: Body) -> Said:
        return waiting.pop(0) if len(waiting) > 1 else waiting[0]

    return answers


@dataclass
class SmallCompany:
    """Lists, details and writes of a company small enough to be written down in a test."""

    people: list[Body] = field(default_factory=list)
    customers: list[Body] = field(default_factory=list)
    projects: list[Body] = field(default_factory=list)
    entries: list[Body] = field(default_factory=list)
    pages: dict[str, str] = field(default_factory=dict)
    me: Body = field(default_factory=dict)
    cap: int = 5

    def __call__(self, path: str, body: Body) -> Said:
        match path:
            case "/whoami":
                return Said(self.me)
            case "/employees/list" | "/employees/search":
                return self._page("employees", _only(self.people, PERSON), body)
            case "/customers/list" | "/customers/search":
                return self._page("companies", _only(self.customers, CUSTOMER), body)
            case "/projects/list" | "/projects/search":
                return self._page("projects", _only(self.projects, PROJECT), body)
            case "/time/search":
                return self._page("entries", self.entries, body)
            case "/employees/get":
                return self._one("employee", self.people, body["id"])
            case "/customers/get":
                return self._one("company", self.customers, body["id"], found=True)
            case "/projects/get":
                held = [it for it in self.projects if it["id"] == body["id"]]
                return Said({"project": held[0] if held else None, "found": bool(held)})
            case "/wiki/list":
                return Said({"paths": sorted(self.pages) or None, "sha1": "f00d"})
            case "/wiki/load":
                held_page = self.pages.get(body["file"])
                if held_page is None:
                    return refusal(404, "Not found")
                return Said({"file": body["file"], "content": held_page})
            case "/wiki/update":
                self.pages[body["file"]] = body["content"]
                return Said({})
            case "/employees/update":
                for row in self.people:
                    if row["id"] == body["employee"]:
                        row.update({name: body[name] for name in body if name in row})
                return self._one("employee", self.people, body["employee"])
            case "/projects/team/update":
                for project in self.projects:
                    if project["id"] == body["id"]:
                        project["team"] = body["team"]
                return Said({})
        return refusal(404, "Not found")

    def _page(self, name: str, rows: list[Body], body: Body) -> Said:
        limit, offset = body.get("limit", 0), body.get("offset", 0)
        if limit > self.cap:
            return refusal(400, f"page limit exceeded: {limit} > {self.cap}")
        if offset > len(rows):
            return refusal(500, "out of range")
        part = rows[offset : offset + limit]
        after = offset + limit
        return Said({name: part or None, "next_offset": after if after < len(rows) else -1})

    @staticmethod
    def _one(name: str, rows: list[Body], identifier: str, **more: Any) -> Said:
        for row in rows:
            if row["id"] == identifier:
                return Said({name: row, **more})
        return refusal(404, "Not found")


def _only(rows: list[Body], names: tuple[str, ...]) -> list[Body]:
    return [{name: row[name] for name in names if name in row} for row in rows]


def person(identifier: str, name: str, **more: Any) -> Body:
    return {
        "id": identifier,
        "name": name,
        "email": f"{identifier}@example.org",
        "salary": 50_000,
        "location": "Harbour",
        "department": "Sails",
        "notes": "",
        "skills": None,
        "wills": None,
        **more,
    }
