"""Finds apps: the folders here and the entry points `proveout.apps` of other packages."""

import importlib
import pkgutil
from collections.abc import Iterator
from functools import cache
from importlib.metadata import entry_points
from typing import NamedTuple

from proveout.kernel.app import App
from proveout.kernel.errors import UnknownName


class Found(NamedTuple):
    """The apps that can be used, and why others cannot."""

    apps: dict[str, App]
    broken: dict[str, str]


def installed() -> dict[str, App]:
    """Every app by name. Importing one must be cheap: its flow is loaded when it runs."""
    return _found().apps


def broken() -> dict[str, str]:
    """Entry points that could not be loaded, with the reason: one bad package stops nobody."""
    return _found().broken


def find(name: str) -> App:
    apps = installed()
    if name not in apps:
        raise UnknownName(name, noun="app", known=apps)
    return apps[name]


@cache
def _found() -> Found:
    apps = {app.name: app for app in _own()}
    failures: dict[str, str] = {}
    for entry in entry_points(group="proveout.apps"):
        try:
            app = entry.load()
        except (ImportError, AttributeError, SyntaxError) as error:
            failures[entry.name] = f"{type(error).__name__}: {error}"
            continue
        if isinstance(app, App):
            apps.setdefault(app.name, app)
        else:
            failures[entry.name] = f"{entry.value} is not an App"
    return Found(dict(sorted(apps.items())), failures)


def _own() -> Iterator[App]:
    for module in pkgutil.iter_modules(__path__):
        yield importlib.import_module(f"{__name__}.{module.name}").APP
