"""What can be run here, and what each task is made of."""

import importlib.util
from typing import Annotated

from fastapi import Path

from proveout import apps
from proveout.examining import EXTRAS
from proveout.kernel.app import App
from proveout.server.routes.parts import TheDesk, router_for
from proveout.server.shapes import AppList, AppShape

router = router_for("apps")


@router.get("/apps")
def list_apps(desk: TheDesk) -> AppList:
    """Every app, with the JSON Schema of its task."""
    return AppList(apps=tuple(_shape(app) for app in desk.apps()))


@router.get("/apps/{app}")
def show_app(app: Annotated[str, Path(max_length=100)]) -> AppShape:
    """One app."""
    return _shape(apps.find(app))


def _shape(app: App) -> AppShape:
    missing = _missing(app)
    task = None if missing else app.load(app.task).model_json_schema()
    return AppShape(
        name=app.name,
        summary=app.summary,
        available=not missing,
        missing=missing,
        task=task,
        findings=dict(app.findings),
    )


def _missing(app: App) -> str:
    """What to install for it, if anything; looked up, because loading it takes seconds."""
    extra = app.extra or app.name
    package = EXTRAS.get(extra)
    if package is None or importlib.util.find_spec(package) is not None:
        return ""
    return f"pip install 'proveout[{extra}]'"
