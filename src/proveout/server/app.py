"""The server as one ASGI application: desk, streams, routes, pages, and the guard before them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI

import proveout
from proveout.server import problems
from proveout.server.access import Access
from proveout.server.desk import Crew, Desk
from proveout.server.guard import Guard
from proveout.server.interactive import add_interactive_page
from proveout.server.pages import site_of
from proveout.server.routes import routers
from proveout.server.routes.iqa import Remembered
from proveout.server.stream import Stream
from proveout.server.uploads import Uploads
from proveout.settings import Loaded

ABOUT = """Models propose, code proves. Start runs, watch them, read what they proved.

Every error has the same shape: `{"error": {"code", "message", "hint"}}`."""


def create_app(loaded: Loaded, access: Access) -> FastAPI:
    """Everything put together; processes start with it and end with it."""
    limits = access.limits
    crew = Crew(limits.workers, limits.workers, limits.waiting, limits.waiting_calls)
    desk = Desk(loaded, root=access.root, crew=crew)
    stream = Stream(desk, limits.watchers)

    @asynccontextmanager
    async def living(_app: FastAPI) -> AsyncIterator[None]:
        desk.open()
        try:
            yield
        finally:
            await stream.close()
            desk.close()

    app = FastAPI(
        title="Proveout",
        version=proveout.__version__,
        description=ABOUT,
        openapi_url="/api/v1/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=living,
    )
    app.state.desk = desk
    app.state.stream = stream
    app.state.access = access
    app.state.uploads = Uploads(desk.places.uploads, limits)
    app.state.remembered = Remembered()
    problems.install(app)
    for router in routers():
        app.include_router(router)
    add_interactive_page(app)
    app.state.site = site_of(desk, access)
    app.include_router(app.state.site.router)
    app.add_middleware(Guard, access=access)
    return app
