"""A company of a handful of people behind real HTTP, which remembers every change and every call.

It knows no permissions, as the real API knows none. `faults` makes routes fail: `fault` answers 500
before doing anything, `lost` does the work and breaks the line before answering.
"""

import json
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

CANARY_SALARY = 918273
CANARY_NOTE = "canary-note-7f3a: prefers quiet rooms"
CANARY_CONTACT = "canary.contact@outside.example"
CAP = 5

Json = dict[str, Any]


def person(number: int, name: str, department: str, **more: Any) -> Json:
    return {
        "id": f"p{number:02d}",
        "name": name,
        "email": f"p{number:02d}@lantern.example",
        "salary": 50_000 + number,
        "location": "Lake Office",
        "department": department,
        "notes": "",
        "skills": [{"name": "skill_glazing", "level": 4}, {"name": "skill_welding", "level": 7}],
        "wills": [{"name": "will_travel", "level": 5}],
        **more,
    }


def seat(employee: str, role: str, part: float) -> Json:
    return {"employee": employee, "role": role, "time_slice": part}


def company() -> Json:
    people = [
        person(1, "Agnes Holm", "Direction"),
        person(2, "Bruno Keller", "People Office"),
        person(3, "Carla Mende", "Workshop", salary=CANARY_SALARY, notes=CANARY_NOTE),
        person(4, "Dario Fenn", "Workshop"),
        person(5, "Elin Sorg", "Workshop", location="Hill Plant"),
        person(6, "Farid Noor", "Visiting"),
        person(7, "Greta Holm", "Workshop"),
    ]
    projects = [
        {
            "id": "prj_atrium",
            "name": "Atrium glazing",
            "description": "Glass roof for the town hall.",
            "customer": "cst_town",
            "status": "active",
            "team": [
                seat("p04", "Lead", 0.5),
                seat("p03", "Engineer", 0.3),
                seat("p05", "QA", 0.2),
            ],
        },
        {
            "id": "prj_tidy",
            "name": "Store room clean-up",
            "description": "Internal.",
            "customer": "cst_internal",
            "status": "paused",
            "team": [seat("p03", "Lead", 0.25)],
        },
    ]
    customers = [
        {
            "id": "cst_town",
            "name": "Town of Aldern",
            "location": "Aldern",
            "deal_phase": "active",
            "high_level_status": "",
            "brief": "Public buildings.",
            "primary_contact_name": "Ines Vogt",
            "primary_contact_email": CANARY_CONTACT,
            "account_manager": "p07",
        }
    ]
    entry = {
        "id": "te_001",
        "employee": "p03",
        "customer": "cst_town",
        "project": "prj_atrium",
        "date": "2025-05-10",
        "hours": 8,
        "work_category": "customer_project",
        "notes": "frames",
        "billable": True,
        "status": "submitted",
    }
    wiki = {
        "index.md": "# Welcome\r\nRead “this” first – it’s short.\n\n",
        "hr/leave.md": "# Leave\nAsk early.\n",
    }
    return {
        "employees": {it["id"]: it for it in people},
        "projects": {it["id"]: it for it in projects},
        "customers": {it["id"]: it for it in customers},
        "time": {entry["id"]: entry},
        "wiki": wiki,
    }


class Refusal(Exception):
    def __init__(self, status: int, error: str) -> None:
        super().__init__(error)
        self.status = status


class SmallCompany:
    """State, calls and changes; `post` is one request."""

    def __init__(self) -> None:
        self.state = company()
        self.calls: Counter[str] = Counter()
        self.changes: list[tuple[str, Json]] = []
        self.faults: dict[str, list[str]] = {}
        self.forgetful = False
        """Whether an employee update empties what it does not name."""
        self.url = ""

    def post(self, route: str, body: Json) -> Json:
        self.calls[route] += 1
        act = getattr(self, "on" + route.replace("/", "_").replace("-", "_"), None)
        if act is None:
            raise Refusal(404, "Not found")
        answer: Json = act(body)
        return answer

    def change(self, route: str, body: Json) -> None:
        self.changes.append((route, body))

    def _page(self, rows: list[Json], body: Json, key: str) -> Json:
        limit, offset = body["limit"], body["offset"]
        if limit > CAP:
            raise Refusal(400, f"page limit exceeded: {limit} > {CAP}")
        if offset > len(rows):
            raise Refusal(500, "internal server error")
        part = rows[offset : offset + limit]
        following = offset + limit if offset + limit < len(rows) else -1
        return {key: part or None, "next_offset": following}

    def _get(self, kind: str, identifier: str) -> Json:
        held: Json | None = self.state[kind].get(identifier)
        if held is None:
            raise Refusal(404, "Not found")
        return held

    def on_employees_list(self, body: Json) -> Json:
        return self._page(list(self.state["employees"].values()), body, "employees")

    def on_employees_get(self, body: Json) -> Json:
        return {"employee": self._get("employees", body["id"])}

    def on_employees_update(self, body: Json) -> Json:
        held = self._get("employees", body["employee"])
        for name in ("notes", "salary", "skills", "wills", "location", "department"):
            if body.get(name):
                held[name] = body[name]
            elif self.forgetful:
                held[name] = [] if name in {"skills", "wills"} else 0 if name == "salary" else ""
        self.change("/employees/update", body)
        return {"employee": held}

    def on_customers_list(self, body: Json) -> Json:
        return self._page(list(self.state["customers"].values()), body, "companies")

    def on_customers_get(self, body: Json) -> Json:
        return {"company": self._get("customers", body["id"]), "found": True}

    def on_projects_list(self, body: Json) -> Json:
        return self._page(list(self.state["projects"].values()), body, "projects")

    def on_projects_search(self, body: Json) -> Json:
        team = body.get("team") or {}
        rows = [
            it
            for it in self.state["projects"].values()
            if any(
                held["employee"] == team.get("employee_id") and held["role"] == team.get("role")
                for held in it["team"]
            )
        ]
        return self._page(rows, body, "projects")

    def on_projects_get(self, body: Json) -> Json:
        held = self.state["projects"].get(body["id"])
        return {"project": held, "found": held is not None}

    def on_projects_status_update(self, body: Json) -> Json:
        self._get("projects", body["id"])["status"] = body["status"]
        self.change("/projects/status/update", body)
        return {}

    def on_projects_team_update(self, body: Json) -> Json:
        held = self._get("projects", body["id"])
        held["team"] = sorted(body["team"], key=lambda it: str(it["employee"]))
        self.change("/projects/team/update", body)
        return {}

    def on_time_search(self, body: Json) -> Json:
        rows = [
            it
            for it in self.state["time"].values()
            if all(body.get(name) in (None, "", it[name]) for name in ("employee", "project"))
            and (body.get("date_from") or "0") <= it["date"] <= (body.get("date_to") or "9")
        ]
        return self._page(rows, body, "entries")

    def on_time_get(self, body: Json) -> Json:
        held = self._get("time", body["id"])
        return {"entry": {name: value for name, value in held.items() if name != "id"}}

    def on_time_log(self, body: Json) -> Json:
        identifier = f"te_{len(self.state['time']) + 1:03d}"
        self.state["time"][identifier] = {"customer": "", **body, "id": identifier}
        self.change("/time/log", body)
        return dict(self.state["time"][identifier])

    def on_time_update(self, body: Json) -> Json:
        self._get("time", body["id"]).update(body)
        self.change("/time/update", body)
        return {}

    def on_wiki_list(self, body: Json) -> Json:
        del body
        return {"paths": sorted(it for it, text in self.state["wiki"].items() if text), "sha1": "w"}

    def on_wiki_load(self, body: Json) -> Json:
        if body["file"] not in self.state["wiki"]:
            raise Refusal(404, "Not found")
        return {"file": body["file"], "content": self.state["wiki"][body["file"]]}

    def on_wiki_update(self, body: Json) -> Json:
        self.state["wiki"][body["file"]] = body["content"]
        self.change("/wiki/update", body)
        return {}


@contextmanager
def served() -> Iterator[SmallCompany]:
    """The company on a free port of the loopback interface, until the block ends."""
    held = SmallCompany()

    class Answering(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:  # noqa: N802 - the base class calls it so
            raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            faults = held.faults.get(self.path) or []
            fault = faults.pop(0) if faults else ""
            try:
                if fault == "fault":
                    held.calls[self.path] += 1
                    raise Refusal(500, "internal server error")
                answer, status = held.post(self.path, json.loads(raw)), 200
            except Refusal as refusal:
                answer, status = {"status": refusal.status, "error": str(refusal)}, refusal.status
            if fault == "lost":
                self.close_connection = True
                self.connection.close()
                return
            content = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            del format, args

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
    server.daemon_threads = True
    held.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield held
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
