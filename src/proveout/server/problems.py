"""Errors as answers: one shape, the product's own codes, a status that fits."""

import logging
from collections.abc import Mapping
from http import HTTPStatus

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException

from proveout.kernel.errors import ProveoutError, UnknownName, UsageError
from proveout.server.shapes import Complaint, Problem
from proveout.server.workers import Busy

logger = logging.getLogger(__name__)
LONGEST_MESSAGE = 1_000
STATUSES: Mapping[str, int] = {
    "usage.no_upload": 404,
    "journal.locked": 409,
    "interrupted": 409,
    "prerequisite": 424,
    "server.too_large": 413,
    "server.busy": 429,
    "server.uploads_full": 429,
    "sandbox": 424,
    "solver": 502,
    "model": 502,
    "server.stopping": 503,
}
"""Of those codes, or families of codes, whose status does not follow from who must act."""
WORDS: Mapping[int, tuple[str, str, str]] = {
    400: ("request", "the request cannot be read", "see /docs for what it should look like"),
    401: ("server.token", "this server asks for its token", "send it as `Authorization: Bearer …`"),
    404: ("not_found", "there is nothing at this address", "see /docs for what there is"),
    405: ("method", "this address does not take such a request", "see /docs for what it takes"),
    413: ("server.too_large", "the request is too large", "send less"),
}
RESPONSES: dict[int | str, dict[str, object]] = {
    400: {"model": Problem, "description": "The request asks for something impossible."},
    401: {"model": Problem, "description": "The token is missing or wrong."},
    403: {"model": Problem, "description": "Another site has made the browser ask this."},
    404: {"model": Problem, "description": "There is no such thing."},
    405: {"model": Problem, "description": "The address does not take such a request."},
    409: {"model": Problem, "description": "Not in the state in which the run is."},
    413: {"model": Problem, "description": "The request is too large."},
    421: {"model": Problem, "description": "The host is not one of this server's names."},
    422: {"model": Problem, "description": "The request has not the shape it should have."},
    424: {"model": Problem, "description": "Something is missing on the server: an extra, a key."},
    429: {"model": Problem, "description": "Too much at once; `Retry-After` says when to return."},
    500: {"model": Problem, "description": "A defect, or a damaged journal."},
    502: {"model": Problem, "description": "The model's provider, or the task's API, failed."},
    503: {"model": Problem, "description": "The server is stopping."},
}
"""What any call may answer besides its success."""


def problem_of(error: ProveoutError) -> Problem:
    return Problem(error=Complaint(code=error.code, message=error.message, hint=error.hint))


def status_of(error: ProveoutError) -> int:
    """Who must act decides: the caller (4xx), or whoever runs the server (5xx)."""
    if isinstance(error, UnknownName):
        return 404
    for name in (error.code, error.code.partition(".")[0]):
        if name in STATUSES:
            return STATUSES[name]
    return 400 if isinstance(error, UsageError) else 500


def answer(
    status: int, code: str, message: str, hint: str = "", headers: Mapping[str, str] | None = None
) -> JSONResponse:
    problem = Problem(error=Complaint(code=code, message=message, hint=hint))
    return JSONResponse(problem.model_dump(), status, headers=dict(headers or {}))


def install(app: FastAPI) -> None:
    """Whatever goes wrong, the answer has the one shape."""
    app.add_exception_handler(ProveoutError, _of_ours)
    app.add_exception_handler(RequestValidationError, _of_validation)
    app.add_exception_handler(HTTPException, _of_http)
    app.add_exception_handler(Exception, _of_a_defect)


async def _of_ours(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, ProveoutError)
    status = status_of(error)
    if status == 404 and isinstance(error, UnknownName):
        # A name in the address is an address; a name in the body is a mistake in it.
        addressed = error.name in request.path_params.values()
        status = 404 if addressed else 400
    headers = {"Retry-After": str(error.retry_seconds)} if isinstance(error, Busy) else {}
    message = request.app.state.desk.places.plain(error.message)
    return answer(status, error.code, message, error.hint, headers)


async def _of_validation(request: Request, error: Exception) -> JSONResponse:
    del request
    assert isinstance(error, RequestValidationError)
    parts = []
    for one in error.errors()[:5]:
        where = ".".join(str(part) for part in one["loc"])
        parts.append(f"{where}: {one['msg']}")
    message = "; ".join(parts)[:LONGEST_MESSAGE] or "the request has not the right shape"
    return answer(422, "request.shape", message, "see /docs for what it should look like")


async def _of_http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    status = error.status_code
    code, message, hint = WORDS.get(status, ("http", str(error.detail), ""))
    if status == HTTPStatus.BAD_REQUEST and error.detail != HTTPStatus.BAD_REQUEST.phrase:
        message = f"{message}: {error.detail}"
    if _is_person(request):
        problem = Problem(error=Complaint(code=code, message=message, hint=hint))
        shown: Response = request.app.state.site.problem(request, problem, status)
        shown.headers.update(error.headers or {})
        return shown
    return answer(status, code, message, hint, error.headers)


def _is_person(request: Request) -> bool:
    """Whether somebody has typed an address, or followed a link, that leads nowhere."""
    looks = request.method == "GET" and "text/html" in request.headers.get("accept", "")
    return looks and not request.url.path.startswith("/api/")


async def _of_a_defect(request: Request, error: Exception) -> JSONResponse:
    # The words of a defect may quote anything; they go to the log, not to the caller.
    logger.error("%s %s failed", request.method, request.url.path, exc_info=error)
    message = f"internal error: {type(error).__name__}"
    return answer(
        500, "internal", message, "this is a defect of proveout; the server's log says more"
    )
