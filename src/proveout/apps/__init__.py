"""Finds apps: the folders here and the entry points `proveout.apps` of other packages."""

import importlib
import pkgutil
from functools import cache
from importlib.metadata import entry_points

from proveout.kernel.app import App
from proveout.kernel.errors import UnknownName


@cache
def installed() -> dict[str, App]:
    """Every app by name. Importing one must be cheap: its flow is loaded when it runs."""
    apps: dict[str, App] = {}
    for module in pkgutil.iter_modules(__path__):
        app = importlib.import_module(f"{__name__}.{module.name}").APP
        apps[app.name] = app
    for entry in entry_points(group="proveout.apps"):
        app = entry.load()
        apps.setdefault(app.name, app)
    return dict(sorted(apps.items()))


def find(name: str) -> App:
    apps = installed()
    if name not in apps:
        raise UnknownName(name, noun="app", known=apps)
    return apps[name]
