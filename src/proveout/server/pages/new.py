"""New runs: choose an app, fill in its form, see the ceiling, start."""

from collections.abc import Mapping

from fastapi import Request, Response
from pydantic import JsonValue, ValidationError
from starlette.datastructures import FormData, UploadFile
from starlette.responses import RedirectResponse

from proveout import apps
from proveout.kernel.app import App
from proveout.kernel.budget import BOUNDS, Bound
from proveout.kernel.errors import ProveoutError, UsageError
from proveout.kernel.panels import Cell, Column, Fact, Table
from proveout.kernel.proposer import explain
from proveout.kernel.types import Task
from proveout.report.cost_panels import BOUND_NAMES, amount
from proveout.report.wording import json_text, money
from proveout.server.desk import Desk
from proveout.server.pages.attempts import base_of
from proveout.server.pages.forms import Control, complaints, controls, fields_of, values_of
from proveout.server.pages.site import View
from proveout.server.shapes import Ceiling, RunWish
from proveout.server.uploads import Uploads

WISH = "wish."
"""Before the names of what is no field of the task."""
PLACE = "/new"
UNPRICED = "Tokens of a model without a known price are bounded by their number only."
MOST_PREFILLED = 20_000
"""Characters of one field in an address."""


class NewPages:
    """Forms and what they start, through the same door as the API."""

    def __init__(self, desk: Desk, uploads: Uploads) -> None:
        self._desk = desk
        self._uploads = uploads

    def choose(self, _request: Request) -> View:
        listed = self._desk.apps()
        data: JsonValue = [{"app": app.name, "summary": app.summary} for app in listed]
        return View("new.html", "New run", data, {"apps": listed}, place=PLACE)

    def form(self, request: Request) -> View:
        """Empty, or filled in from the address: `from` names a run, other names are fields."""
        app = apps.find(request.path_params["app"])
        values = {name: value[:MOST_PREFILLED] for name, value in request.query_params.items()}
        earlier = values.pop("from", "")
        if earlier:
            run = self._desk.read(earlier)
            values = {**self._typed(app, run.task), **values}
        return self._form(app, values)

    def sent(self, request: Request, sent: FormData) -> View | Response:
        app = apps.find(request.path_params["app"])
        values = {name: text for name, text in sent.items() if isinstance(text, str)}
        step = values.pop("step", "review")
        if step == "edit":
            return self._form(app, values)
        try:
            values |= self._uploaded(sent)
            fields = fields_of(_task(app), values)
            wrong = complaints(_task(app), fields)
            if wrong:
                return self._form(app, values, wrong)
            wish = _wish(values)
            ceiling = self._desk.ceiling(app.name, fields, wish)
            if step == "start":
                run = self._desk.start(app.name, fields, wish)
                return RedirectResponse(base_of(run), 303)
        except UsageError as error:
            message = self._desk.places.plain(error.message)
            complaint = UsageError(message, hint=error.hint, code=error.code)
            return self._form(app, values, complaint=complaint)
        return self._review(app, values, ceiling)

    def _uploaded(self, sent: FormData) -> dict[str, str]:
        """What uploaded files are called, by field."""
        kept = {}
        for name, file in sent.items():
            if isinstance(file, UploadFile) and file.filename and name.endswith(".file"):
                kept[name.removesuffix(".file")] = self._uploads.keep(file.file, file.filename)
        return kept

    def _typed(self, app: App, task: JsonValue) -> dict[str, str]:
        return values_of(_task(app), task) if isinstance(task, dict) else {}

    def _form(
        self,
        app: App,
        values: Mapping[str, str],
        wrong: Mapping[str, str] | None = None,
        complaint: ProveoutError | None = None,
    ) -> View:
        made = controls(_task(app), values, wrong)
        if wrong and not complaint:
            complaint = UsageError(wrong.get("", "Something is missing or does not fit."))
        more = [control for control in made if not control.main]
        shown = {
            "app": app,
            "main": [control for control in made if control.main],
            "more": more,
            "more_open": any(one.wrong or one.value != one.default for one in more),
            "limits": self._limits(app, values),
            "complaint": complaint,
        }
        data: dict[str, JsonValue] = {"app": app.name, "schema": _task(app).model_json_schema()}
        status = 422 if complaint else 200
        return View("form.html", f"New run of {app.name}", data, shown, PLACE, status=status)

    def _limits(self, app: App, values: Mapping[str, str]) -> list[Control]:
        """Model, seed and bounds; what is left empty stays as it is set."""
        settings = self._desk.loaded.settings
        usual = self._desk.usual(app)
        model = values.get(f"{WISH}model", settings.model.name)
        made = [
            Control(f"{WISH}model", "text", "Model", value=model, most_letters=300),
            Control(f"{WISH}seed", "whole", "Seed", value=values.get(f"{WISH}seed", "0"), least=0),
        ]
        for bound in BOUNDS:
            name = f"{WISH}{bound}"
            whole = bound in ("rounds", "calls", "tokens")
            default = f"{usual.limit(bound):g}" if not whole else str(int(usual.limit(bound)))
            made.append(
                Control(
                    name,
                    "whole" if whole else "number",
                    _bound_label(bound),
                    value=values.get(name, ""),
                    least=0,
                    default=default,
                )
            )
        return made

    def _review(self, app: App, values: Mapping[str, str], ceiling: Ceiling) -> View:
        most = ceiling.ceiling
        free = ceiling.model == "offline" and not ceiling.roles
        price, note = f"At most {money(most.cost_usd)}", f"Model {ceiling.model}. {UNPRICED}"
        if free:
            price, note = "Costs nothing", "Model offline: experts propose, no provider is asked."
        bounds = [
            Fact(name=f"most {BOUND_NAMES[bound]}", value=amount(bound, most.limit(bound)))
            for bound in BOUNDS
        ]
        shown = {
            "app": app,
            "free": free,
            "price": price,
            "price_note": note,
            "bounds": bounds,
            "task": self._understood(ceiling),
            "carried": [(name, text) for name, text in values.items() if text],
        }
        return View("review.html", f"Start {app.name}?", ceiling, shown, place=PLACE)

    def _understood(self, ceiling: Ceiling) -> Table:
        """The task as it would be run; an uploaded file by the name that it had."""
        task = ceiling.task if isinstance(ceiling.task, dict) else {}
        uploads = f"{self._desk.places.uploads}/"
        rows: list[tuple[Cell, ...]] = []
        for name, value in task.items():
            if value in (None, "", [], {}):
                continue
            cell = _cell(value)
            if isinstance(cell, str) and cell.startswith(uploads):
                cell = f"{cell.removeprefix(uploads).partition('-')[2]} (uploaded)"
            rows.append((name.replace("_", " "), cell))
        columns = (Column(name="field"), Column(name="value", align="left"))
        return Table(title="As it is understood", columns=columns, rows=tuple(rows))


def _bound_label(bound: Bound) -> str:
    units = {"cost_usd": "USD", "seconds": "Seconds", "calls": "Calls"}
    return f"Most {units.get(bound, BOUND_NAMES[bound]).lower()}".replace("usd", "USD")


def _wish(values: Mapping[str, str]) -> RunWish:
    given = {
        name.removeprefix(WISH): text.strip()
        for name, text in values.items()
        if name.startswith(WISH) and text.strip()
    }
    budget = {bound: given.pop(bound) for bound in BOUNDS if bound in given}
    try:
        return RunWish.model_validate({**given, "budget": budget})
    except ValidationError as error:
        message = f"these limits cannot be used: {explain(error)}"
        raise UsageError(message) from error


def _cell(value: JsonValue) -> Cell:
    if isinstance(value, list):
        return "\n".join(map(str, value))
    return json_text(value) if isinstance(value, dict) else value


def _task(app: App) -> type[Task]:
    found: type[Task] = app.load(app.task)
    return found
