"""What handlers are given, and how addresses are read."""

import asyncio
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Request

from proveout.server.desk import CALL_SECONDS, Desk
from proveout.server.problems import RESPONSES
from proveout.server.stream import Stream
from proveout.server.uploads import Uploads
from proveout.server.workers import Job


def router_for(subject: str) -> APIRouter:
    """A router whose every call may answer with a `Problem`."""
    return APIRouter(tags=[subject], responses=RESPONSES)


def _desk(request: Request) -> Desk:
    found: Desk = request.app.state.desk
    return found


def _stream(request: Request) -> Stream:
    found: Stream = request.app.state.stream
    return found


def _uploads(request: Request) -> Uploads:
    found: Uploads = request.app.state.uploads
    return found


async def waited(desk: Desk, job: Job) -> object:
    """What an order gives, waited for without keeping a thread from other callers."""
    try:
        promise = asyncio.shield(asyncio.wrap_future(job.done))
        return await asyncio.wait_for(promise, CALL_SECONDS)
    except TimeoutError:
        raise desk.give_up(job) from None


TheDesk = Annotated[Desk, Depends(_desk)]
TheStream = Annotated[Stream, Depends(_stream)]
TheUploads = Annotated[Uploads, Depends(_uploads)]
RunName = Annotated[
    str,
    Path(
        max_length=200,
        description="id, unique beginning or end of it, or `last`",
        examples=["last"],
    ),
]
