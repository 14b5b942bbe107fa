"""What a run wrote and what it kept: events, the stream of them, contents."""

import json
from typing import Annotated

from fastapi import Header, Path, Query, Response, UploadFile
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import StreamingResponse

from proveout.server.routes.parts import RunName, TheDesk, TheStream, TheUploads, router_for
from proveout.server.shapes import EventList, Uploaded
from proveout.server.stream import GOING

router = router_for("watching")
MOST_NUMBER = 2**53
After = Annotated[int, Query(ge=0, le=MOST_NUMBER, description="number of the last event you know")]
MAGIC = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF8": "image/gif",
    b"RIFF": "image/webp",
}
SEALED = "default-src 'none'; sandbox; frame-ancestors 'none'"
"""Content may come from a model: it is shown as what it is, and nothing in it is executed."""


@router.get("/runs/{run}/events")
def list_events(
    desk: TheDesk,
    run: RunName,
    after: After = 0,
    limit: Annotated[int, Query(ge=1, le=1000)] = 500,
) -> EventList:
    """Events in order."""
    rows = desk.events(desk.find(run), after, limit)
    events = [
        {
            "sequence": row.sequence,
            "id": row.id,
            "at": row.at,
            "elapsed": row.elapsed,
            **row.event.model_dump(mode="json"),
        }
        for row in rows
    ]
    return EventList(events=events, last=rows[-1].sequence if rows else after)


@router.get(
    "/runs/{run}/stream",
    response_class=StreamingResponse,
    responses={
        200: {"content": {"text/event-stream": {}}, "description": "Events as they are written."},
        204: {"description": "The run has ended, and everything of it was sent."},
    },
)
async def stream_events(
    desk: TheDesk,
    stream: TheStream,
    run: RunName,
    after: After = 0,
    last_event_id: Annotated[str | None, Header(max_length=20)] = None,
) -> Response:
    """Server-sent events: `id` is the event's number; `event: end` comes last."""
    returning = bool(last_event_id and last_event_id.isdecimal())
    known = min(int(last_event_id or 0), MOST_NUMBER) if returning else after
    found = await run_in_threadpool(desk.find, run)
    if returning and await run_in_threadpool(_all_sent, desk, found, known):
        # A browser that comes back is told that there is nothing to come back for.
        return Response(status_code=204)
    stream.demand_room()
    return StreamingResponse(
        stream.frames(found, known),
        media_type="text/event-stream",
        headers={"X-Accel-Buffering": "no"},
    )


@router.get(
    "/blobs/{reference}",
    response_class=Response,
    responses={200: {"content": {"application/octet-stream": {}, "image/png": {}}}},
)
def show_blob(
    desk: TheDesk, reference: Annotated[str, Path(max_length=100, pattern="^sha256:[0-9a-f]{64}$")]
) -> Response:
    """Content of the journal by its id."""
    content = desk.blob(reference)
    if content is None:
        raise HTTPException(404)
    headers = {
        "Content-Security-Policy": SEALED,
        "Cache-Control": "private, max-age=31536000, immutable",
    }
    return Response(content, media_type=_media_type(content), headers=headers)


@router.post("/uploads", status_code=201)
def upload(uploads: TheUploads, file: UploadFile) -> Uploaded:
    """Keep a picture, for a task to name."""
    return Uploaded(upload=uploads.keep(file.file, file.filename or "file"))


def _all_sent(desk: TheDesk, run: str, known: int) -> bool:
    return desk.state_of(run) not in GOING and not desk.events(run, known, 1)


def _media_type(content: bytes) -> str:
    for magic, media_type in MAGIC.items():
        if content.startswith(magic):
            return media_type
    try:
        json.loads(content)
    except (ValueError, RecursionError):
        pass
    else:
        return "application/json"
    try:
        content.decode()
    except UnicodeDecodeError:
        return "application/octet-stream"
    return "text/plain; charset=utf-8"
