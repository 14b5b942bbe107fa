"""The page of a run, live while it goes, and the page of one attempt."""

import threading
from collections import OrderedDict
from dataclasses import asdict
from urllib.parse import quote, urlencode

from fastapi import Request, Response
from pydantic import JsonValue
from starlette.datastructures import FormData
from starlette.responses import RedirectResponse

from proveout.kernel.errors import UnknownName
from proveout.kernel.panels import Chart, Page, Section
from proveout.kernel.run import AttemptRecord, Run, run_data
from proveout.report.attempt_panels import attempt_panels
from proveout.report.cost_panels import BOUND_NAMES, amount
from proveout.report.neutral import neutral_page
from proveout.report.view import shown_attempts
from proveout.report.wording import count, number, shortened
from proveout.server.desk import Desk
from proveout.server.pages import attempts as told
from proveout.server.pages.events import event_data, line_of
from proveout.server.pages.listed import GOING
from proveout.server.pages.site import View
from proveout.server.shapes import RunWish, State

MOST_EVENTS = 100
MOST_EVENTS_SENT = 20_000
EVENTS_PER_PAGE = 500
MOST_KEPT = 32
LONGEST_VERDICT = 400
RELOAD_SECONDS = 3
SHOWN_ABOVE = frozenset({"tree", "chart"})
"""Panels of the attempts that the page shows elsewhere."""


class RunPages:
    """Everything about one run. Pages are kept until the run goes on: drawing them takes time."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._kept: OrderedDict[tuple[str, int], Page] = OrderedDict()
        self._lock = threading.Lock()

    def run(self, request: Request) -> View:
        run = self._read(request)
        state = self._desk.state(run)
        page = self._page(run)
        going = state in GOING
        chosen = self._chosen(request, run, going=going)
        shown = {
            "run": run,
            "base": told.base_of(run.id),
            "state": state,
            "going": going,
            "page": page,
            "stream": _stream(run),
            "again": _again(run),
            **_headline(run, state, page),
            **self._gauges(run, page),
            **self._tree(run),
            **self._events(run),
            "chosen_key": chosen.key if chosen else "",
            "attempt": told.shown(run, chosen, self._desk.blob) if chosen else None,
            "sections": _sections(page),
        }

        def data() -> JsonValue:
            return {**run_data(run), "state": state, "page": page.model_dump(mode="json")}

        refresh = RELOAD_SECONDS if going else 0
        title = f"{shown['headline']}: {page.title}"
        return View("run.html", title, data, shown, place="/runs", refresh=refresh)

    def attempt(self, request: Request) -> View:
        run = self._read(request)
        key = request.query_params.get("key", "")
        attempt = told.found(run, key)
        if attempt is None:
            raise UnknownName(key, noun="attempt", known=[one.key for one in run.attempts][:200])
        shown = told.shown(run, attempt, self._desk.blob)
        sections = told.sections(run, attempt, self._desk.blob)
        page = neutral_page(Page(title=key, facts=shown.facts, sections=sections))
        place = run.attempts.index(attempt)
        around = {
            "earlier": run.attempts[place - 1] if place else None,
            "later": run.attempts[place + 1] if place + 1 < len(run.attempts) else None,
        }
        addresses = {
            name: told.address_of(run.id, one.key) if one else "" for name, one in around.items()
        }

        def data() -> JsonValue:
            told_sections = page.model_dump(mode="json")["sections"]
            return {"run": run.id, **_attempt_data(run, attempt), "sections": told_sections}

        shown_values = {
            "run": run,
            "base": told.base_of(run.id),
            "attempt": shown,
            "sections": page.sections,
            **addresses,
        }
        return View("attempt.html", f"{key} of {run.id}", data, shown_values, place="/runs")

    def events(self, request: Request) -> View:
        """In pages for people; the twin gives all that follow `after`."""
        run = self._read(request)
        after = _number(request, "after", run.events)
        rows = self._desk.events(run.id, after=after, limit=EVENTS_PER_PAGE)

        def data() -> JsonValue:
            every = self._desk.events(run.id, after=after, limit=MOST_EVENTS_SENT)
            return [event_data(row) for row in every]

        base = told.base_of(run.id)
        reached = after + len(rows)
        shown = {
            "run": run,
            "base": base,
            "lines": [line_of(row) for row in rows],
            "earlier": f"{base}/events?after={max(0, after - EVENTS_PER_PAGE)}" if after else "",
            "later": f"{base}/events?after={reached}" if reached < run.events else "",
        }
        return View("events.html", f"Events of {run.id}", data, shown, place="/runs")

    def replay(self, request: Request) -> View:
        run = self._desk.find(request.path_params["run"])
        shown = {"run": run, "base": told.base_of(run), "replayed": None, "differences": ()}
        return View("replay.html", f"Replay {run}", {"run": run}, shown, place="/runs")

    def replayed(self, request: Request, _sent: FormData) -> View:
        run = self._desk.find(request.path_params["run"])
        replayed = self._desk.replay(run)
        differences = [
            {"key": one.key, "recorded": _word(one.recorded), "now": _word(one.now)}
            for one in replayed.differences
        ]
        data: dict[str, JsonValue] = {
            "run": run,
            "judged": replayed.judged,
            "recorded": replayed.recorded,
            "faithful": replayed.faithful,
        }
        shown = {
            "run": run,
            "base": told.base_of(run),
            "replayed": replayed,
            "differences": differences,
        }
        return View("replay.html", f"Replay {run}", data, shown, place="/runs")

    def stop(self, request: Request, _sent: FormData) -> Response:
        run = self._desk.find(request.path_params["run"])
        self._desk.stop(run)
        return RedirectResponse(told.base_of(run), 303)

    def resume(self, request: Request, _sent: FormData) -> Response:
        run = self._desk.resume(request.path_params["run"], RunWish())
        return RedirectResponse(told.base_of(run), 303)

    def _read(self, request: Request) -> Run:
        return self._desk.read(request.path_params["run"])

    def _page(self, run: Run) -> Page:
        name = (run.id, run.events)
        with self._lock:
            kept = self._kept.get(name)
        if kept is None:
            kept = neutral_page(self._desk.page(run))
            with self._lock:
                self._kept[name] = kept
                while len(self._kept) > MOST_KEPT:
                    self._kept.popitem(last=False)
        return kept

    def _chosen(self, request: Request, run: Run, *, going: bool) -> AttemptRecord | None:
        """The attempt that was asked for; the newest of a run that goes on; else the result."""
        key = request.query_params.get("attempt", "")
        if key:
            return told.found(run, key)
        if request.query_params.get("show") == "result":
            return None
        return run.attempts[-1] if going and run.attempts else None

    def _tree(self, run: Run) -> dict[str, object]:
        attempts = shown_attempts(run)
        left = len(run.attempts) - len(attempts)
        hidden = f"{count(left, 'more attempt')} not shown" if left else ""
        return {"tree": told.tree_of(run, attempts), "hidden": hidden}

    def _gauges(self, run: Run, page: Page) -> dict[str, object]:
        charts = [
            panel for panel in attempt_panels(run, shown_attempts(run)) if isinstance(panel, Chart)
        ]
        scored = [
            a.verdict.score for a in run.attempts if a.verdict and a.verdict.score is not None
        ]
        none = "No score yet." if page.status == "pending" else "This run has no scores."
        if scored:
            none = f"One score: {number(scored[0])}. A curve needs two."
        meters = [
            {
                "name": BOUND_NAMES[bound],
                "used": amount(bound, used),
                "limit": amount(bound, limit),
                "share": used / limit if limit > 0 else float(used > 0),
            }
            for bound, (used, limit) in run.use.items()
        ]
        return {"meters": meters, "curve": charts[0] if charts else None, "no_curve": none}

    def _events(self, run: Run) -> dict[str, object]:
        first = max(0, run.events - MOST_EVENTS)
        rows = self._desk.events(run.id, after=first, limit=MOST_EVENTS)
        left = count(first, "earlier event")
        note = f"The newest {len(rows)}; {left} not shown." if first else count(len(rows), "event")
        return {"events": [line_of(row) for row in reversed(rows)], "events_note": note}


def _headline(run: Run, state: State, page: Page) -> dict[str, str]:
    tried = count(len(run.attempts), "attempt")
    words = {
        "queued": ("Waiting", "It begins as soon as a worker is free."),
        "running": ("Running", f"{tried} so far."),
        "interrupted": ("Interrupted", f"Stopped after {tried}; it can be resumed."),
        "accepted": ("Accepted", page.verdict),
        "not accepted": ("Not accepted", page.verdict),
    }
    headline, verdict = words[state]
    if state == "interrupted":
        reasons = [note for note in run.notes if note.startswith("interrupted: ")]
        verdict = f"{verdict} {reasons[-1].partition(': ')[2]}" if reasons else verdict
    return {"headline": headline, "verdict": shortened(verdict, LONGEST_VERDICT)}


def _sections(page: Page) -> list[Section]:
    """The report's sections without what the page shows beside them."""
    made = []
    for section in page.sections:
        if section.title == "Attempts":
            panels = tuple(p for p in section.panels if p.kind not in SHOWN_ABOVE)
            section = Section(title="Findings", panels=panels)  # noqa: PLW2901
        if section.title == "Cost":
            panels = tuple(panel for panel in section.panels if panel.title != "Budget")
            section = Section(title="Cost", panels=panels)  # noqa: PLW2901
        if section.panels:
            made.append(section)
    return made


def _number(request: Request, name: str, most: int) -> int:
    """A whole number of the address; 0 where there is none, or nonsense."""
    given = request.query_params.get(name, "")
    return min(int(given), most) if given.isdecimal() and len(given) < 12 else 0


def _stream(run: Run) -> str:
    return f"/api/v1/runs/{quote(run.id, safe='')}/stream?after={run.events}"


def _again(run: Run) -> str:
    """The form of the same task, filled in."""
    if not isinstance(run.task, dict):
        return ""
    return f"/new/{quote(run.app, safe='')}?{urlencode({'from': run.id})}"


def _attempt_data(run: Run, attempt: AttemptRecord) -> dict[str, JsonValue]:
    listed = run_data(run)["attempts"]
    place = run.attempts.index(attempt)
    one = listed[place] if isinstance(listed, list) else {}
    calls: list[JsonValue] = [
        {**asdict(call), "usage": call.usage.model_dump(mode="json")}
        for call in told.calls_of(run, attempt)
    ]
    return {**(one if isinstance(one, dict) else {}), "calls": calls}


def _word(verdict: object) -> str:
    accepted = getattr(verdict, "accepted", False)
    return "accepted" if accepted else "rejected"
