"""Listens until somebody asks it to stop; then streams end, runs are stopped, and it leaves."""

import logging
import socket
from collections.abc import Callable
from types import FrameType

import uvicorn
from fastapi import FastAPI
from starlette.types import ASGIApp

from proveout.kernel.errors import UsageError
from proveout.server.access import Access
from proveout.server.patience import PatientProtocol
from proveout.server.stream import Stream

GOODBYE_SECONDS = 5
"""For answers that are under way."""
MOST_CONNECTIONS = 1_000
"""With a request under way; silent ones make room long before."""
IDLE_SECONDS = 30


class Listener(uvicorn.Server):
    """Lets go of event streams when it is asked to stop: they would otherwise never end."""

    def __init__(self, config: uvicorn.Config, stream: Stream) -> None:
        super().__init__(config)
        self._stream = stream

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._stream.let_go()
        super().handle_exit(sig, frame)


def listen(access: Access) -> socket.socket:
    """The socket to serve on; port 0 takes a free one."""
    family = socket.AF_INET6 if ":" in access.host else socket.AF_INET
    found = socket.socket(family, socket.SOCK_STREAM)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((access.host, access.port))
        # From now on callers wait instead of being refused: the server may be announced.
        found.listen(MOST_CONNECTIONS)
    except OSError as error:
        found.close()
        message = f"cannot listen on {access.host} port {access.port}: {error.strerror}"
        raise UsageError(message, hint="is the port taken? name another with --port") from error
    return found


def bounded(app: ASGIApp, protocol: type[PatientProtocol] = PatientProtocol) -> uvicorn.Config:
    """How every server of ours listens."""
    logging.getLogger("uvicorn.error").setLevel(logging.WARNING)
    return uvicorn.Config(
        app,
        http=protocol,
        log_config=None,
        access_log=False,
        server_header=False,
        # Anybody can write such headers; the rate of a client must not depend on them.
        proxy_headers=False,
        limit_concurrency=MOST_CONNECTIONS,
        timeout_keep_alive=IDLE_SECONDS,
        timeout_graceful_shutdown=GOODBYE_SECONDS,
        h11_max_incomplete_event_size=32_768,
    )


def serve(app: FastAPI, listening: socket.socket, announce: Callable[[], None]) -> None:
    """Serve until SIGINT or SIGTERM."""
    server = Listener(bounded(app), app.state.stream)
    announce()
    try:
        server.run(sockets=[listening])
    except KeyboardInterrupt:
        # Raised again by uvicorn once everything has ended; being asked to stop is no error here.
        return
    finally:
        listening.close()
