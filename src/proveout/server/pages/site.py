"""How every page is answered: as HTML, or as its JSON twin, from the same values."""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from typing import Any

from fastapi import APIRouter, Request, Response
from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from pydantic import BaseModel, JsonValue
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse

import proveout
from proveout.kernel.errors import ProveoutError
from proveout.kernel.panels import Chart
from proveout.report.charts import svg
from proveout.report.html import vocabulary
from proveout.report.neutral import neutral
from proveout.report.wording import moment, money, seconds, shortened
from proveout.server.pages.pictures import Pictures
from proveout.server.problems import problem_of, status_of
from proveout.server.shapes import Problem

PLACES = (
    ("/runs", "Runs"),
    ("/new", "New run"),
    ("/compare", "Compare"),
    ("/lessons", "Lessons"),
    ("/sql", "SQL"),
    ("/doctor", "Doctor"),
    ("/docs", "API"),
)
ASSETS = {
    "style.css": ("proveout.report", "templates", "text/css"),
    "slider.js": ("proveout.report", "templates", "text/javascript"),
    "site.css": ("proveout.server.pages", "static", "text/css"),
    "site.js": ("proveout.server.pages", "static", "text/javascript"),
    "mark.svg": ("proveout.server.pages", "static", "image/svg+xml"),
}
A_YEAR = "public, max-age=31536000, immutable"
MOST_DRAWN = 256
MOST_SPELLED = 64
MOST_FIELDS = 200
MOST_FILES = 8
MOST_FIELD_BYTES = 2_000_000


Twin = BaseModel | JsonValue


@dataclass(frozen=True)
class View:
    """A page before it is written: the twin's value, and what the template needs besides."""

    template: str
    title: str
    data: Twin | Callable[[], Twin]
    """What the twin says; a function where that takes a while, for it is asked for rarely."""
    shown: Mapping[str, object] = field(default_factory=dict)
    place: str = ""
    """Which entry of the bar it belongs to."""
    status: int = 200
    refresh: int = 0
    """Seconds after which a browser without script loads it again."""


Page = Callable[[Request], View | Response]
Form = Callable[[Request, FormData], View | Response]


class Site:
    """Registers pages with a router and writes them."""

    def __init__(self, router: APIRouter, pictures: Pictures, *, leavable: bool) -> None:
        self.router = router
        self._environment = _environment(pictures)
        self._leavable = leavable
        """Whether there is something to log out of."""

    def page(self, path: str, make: Page) -> None:
        """Serve a page and, at the same path and `.json`, its twin."""

        def answer(request: Request) -> Response:
            try:
                return self._written(request, make(request))
            except ProveoutError as error:
                return self.problem(request, problem_of(error), status_of(error))

        for one in (f"{path}.json", path):
            self.router.add_api_route(one, answer, methods=["GET", "HEAD"], include_in_schema=False)

    def form(self, path: str, act: Form) -> None:
        """Take what a form sends; the work is done outside of the event loop."""

        async def answer(request: Request) -> Response:
            async with request.form(
                max_fields=MOST_FIELDS, max_files=MOST_FILES, max_part_size=MOST_FIELD_BYTES
            ) as sent:
                try:
                    made = await run_in_threadpool(act, request, sent)
                except ProveoutError as error:
                    made = problem_view(problem_of(error), status_of(error))
            return await run_in_threadpool(self._written, request, made)

        self.router.add_api_route(path, answer, methods=["POST"], include_in_schema=False)

    def problem(self, request: Request, problem: Problem, status: int) -> Response:
        return self._written(request, problem_view(problem, status))

    def _written(self, request: Request, view: View | Response) -> Response:
        if isinstance(view, Response):
            return view
        if wants_json(request):
            data = view.data() if callable(view.data) else view.data
            return Response(_json(data), view.status, media_type="application/json")
        text = self._environment.get_template(view.template).render(
            title=view.title,
            place=view.place,
            places=() if view.template == "login.html" else PLACES,
            refresh=view.refresh,
            twin=_twin(request),
            leavable=self._leavable and view.template != "login.html",
            **view.shown,
        )
        return HTMLResponse(text, view.status, headers={"Cache-Control": "no-store"})


def wants_json(request: Request) -> bool:
    accepted = request.headers.get("accept", "")
    asked = "application/json" in accepted and "text/html" not in accepted
    return request.url.path.endswith(".json") or asked


def problem_view(problem: Problem, status: int) -> View:
    """An error as a page; the twin has the one error shape."""
    titles = {404: "Not found", 409: "Not now", 429: "Too much at once"}
    title = titles.get(status, "This did not work")
    return View("problem.html", title, problem, problem.error.model_dump(), status=status)


def _json(value: Twin) -> str:
    if isinstance(value, BaseModel):
        return value.model_dump_json(indent=2)
    return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)


def _twin(request: Request) -> str:
    path = request.url.path.removesuffix(".json")
    query = f"?{request.url.query}" if request.url.query else ""
    return f"{path}.json{query}"


def _environment(pictures: Pictures) -> Environment:
    made = Environment(
        loader=ChoiceLoader(
            [
                PackageLoader("proveout.server.pages", "templates"),
                PackageLoader("proveout.report", "templates"),
            ]
        ),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_harmless,
    )
    words = vocabulary(pictures.address)
    # Live pages ask for the same again and again.
    kept = {name: lru_cache(maxsize=MOST_SPELLED)(words[name]) for name in ("lines", "difference")}
    made.globals.update(
        {**words, **kept},
        asset=asset,
        moment=moment,
        money=money,
        seconds=seconds,
        shortened=shortened,
        size=pictures.size,
        svg=_drawn,
        version=proveout.__version__,
    )
    return made


def _harmless(value: Any) -> Any:
    """Control characters of models and data are spelled out wherever text is written."""
    return neutral(value) if type(value) is str else value


@lru_cache(maxsize=MOST_DRAWN)
def _drawn(chart: Chart, prefix: str) -> Markup:
    """Drawing takes a while, and live pages draw the same chart again and again."""
    return Markup(svg(chart, prefix))


@lru_cache(maxsize=len(ASSETS))
def asset_content(name: str) -> bytes:
    package, folder, _ = ASSETS[name]
    return (files(package) / folder / name).read_bytes()


@lru_cache(maxsize=len(ASSETS))
def asset(name: str) -> str:
    """The address of a style or script; it changes with the content, so it may be kept."""
    return f"/static/{name}?{hashlib.sha256(asset_content(name)).hexdigest()[:12]}"


def asset_answer(name: str) -> Response:
    if name not in ASSETS:
        raise HTTPException(404)
    return Response(
        asset_content(name), media_type=ASSETS[name][2], headers={"Cache-Control": A_YEAR}
    )
