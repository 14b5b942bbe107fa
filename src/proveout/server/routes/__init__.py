"""The JSON API, one module per subject."""

from collections.abc import Iterator

from fastapi import APIRouter

from proveout.server.routes import apps, iqa, lessons, mle, runs, solver, sql, system, watching

VERSIONED = (system, apps, runs, watching, lessons, sql)
SINGLE_CALLS = (iqa, solver, mle)
PREFIX = "/api/v1"


def routers() -> Iterator[APIRouter]:
    """Everything below `/api/v1`, and the single calls at their short addresses too."""
    api = APIRouter(prefix=PREFIX)
    for module in VERSIONED:
        api.include_router(module.router)
    hidden = APIRouter(prefix=PREFIX, include_in_schema=False)
    short = APIRouter()
    for single in SINGLE_CALLS:
        hidden.include_router(single.router)
        short.include_router(single.router)
    return iter((api, short, hidden))
