"""A picture assessed in one call: sent along, or named inside the allowed folder."""

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import cast

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from pydantic import JsonValue, ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile

from proveout.apps.iqa.answers import answer_data
from proveout.kernel.canonical import canonical
from proveout.kernel.errors import ProveoutError
from proveout.kernel.types import Outcome
from proveout.server.desk import CALL_SECONDS, Desk
from proveout.server.routes.parts import TheDesk, TheUploads, router_for, waited
from proveout.server.shapes import Assessment, AssessRequest, RunWish
from proveout.server.uploads import Uploads
from proveout.server.workers import Job

router = router_for("single calls")
PICTURES = ("image", "reference", "compare", "mask")
MOST_REMEMBERED = 500
"""Answers, of some 12 kB each."""
OFFLINE = "offline"
FORM = {
    "type": "object",
    "required": ["image"],
    "properties": {
        **{name: {"type": "string", "format": "binary"} for name in PICTURES},
        "query": {"type": "string"},
        "choices": {"type": "string", "description": "one option per line"},
        "box": {"type": "string", "description": "left,top,width,height"},
        "model": {"type": "string"},
    },
}
BODY = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {"schema": AssessRequest.model_json_schema()},
            "multipart/form-data": {"schema": FORM},
        },
    }
}


class Remembered:
    """Which run answered a question about some bytes, or is about to; safe for many threads."""

    def __init__(self) -> None:
        self._runs: OrderedDict[str, tuple[str, Outcome]] = OrderedDict()
        self._going: dict[str, Future[Job]] = {}
        self._lock = threading.Lock()

    def find(self, question: str) -> tuple[str, Outcome] | None:
        with self._lock:
            return self._runs.get(question)

    def job(self, question: str, begin: Callable[[], Job]) -> tuple[Job, bool]:
        """The work on a question, and whether somebody else has asked for it already."""
        if not question:
            return begin(), False
        with self._lock:
            going = self._going.get(question)
            promise = self._going.setdefault(question, Future())
        if going is not None:
            return going.result(CALL_SECONDS), True
        try:
            job = begin()
        except ProveoutError as error:
            self._forget(question)
            promise.set_exception(error)
            raise
        promise.set_result(job)
        job.done.add_done_callback(lambda _: self._keep(question, job))
        return job, False

    def _keep(self, question: str, job: Job) -> None:
        if job.done.exception() is None:
            with self._lock:
                self._runs[question] = (job.order.run, cast(Outcome, job.done.result()))
                while len(self._runs) > MOST_REMEMBERED:
                    self._runs.popitem(last=False)
        self._forget(question)

    def _forget(self, question: str) -> None:
        with self._lock:
            self._going.pop(question, None)


@router.post("/iqa/assess", openapi_extra=BODY)
async def assess(request: Request, desk: TheDesk, uploads: TheUploads) -> Assessment:
    """Grade a picture, or answer a question about it; waits for the end of the run.

    Without a model the same bytes and the same question have the same answer: it is then given from
    the run that found it, or is about to, and `reused` says so.
    """
    if request.headers.get("content-type", "").lower().startswith("multipart/form-data"):
        async with request.form(max_files=len(PICTURES), max_fields=20) as form:
            asked = await run_in_threadpool(_from_form, form, uploads)
    else:
        asked = _valid(AssessRequest, await request.body())
    remembered: Remembered = request.app.state.remembered
    question, fields = await run_in_threadpool(_question, desk, asked)
    found = remembered.find(question) if question else None
    if found is not None:
        return _answer(asked.image, *found, reused=True)
    begin = partial(desk.soon, "iqa", fields, RunWish(model=asked.model))
    job, shared = await run_in_threadpool(remembered.job, question, begin)
    outcome = cast(Outcome, await waited(desk, job))
    return _answer(asked.image, job.order.run, outcome, reused=shared)


def _from_form(form: FormData, uploads: Uploads) -> AssessRequest:
    given: dict[str, JsonValue] = {}
    for name, value in form.items():
        if isinstance(value, UploadFile):
            if value.filename or value.size:
                given[name] = uploads.keep(value.file, value.filename or name)
        elif name == "choices":
            given[name] = [line.strip() for line in value.splitlines() if line.strip()]
        elif value:
            given[name] = value
    return _valid(AssessRequest, given)


def _valid(kind: type[AssessRequest], given: bytes | Mapping[str, JsonValue]) -> AssessRequest:
    try:
        if isinstance(given, bytes):
            return kind.model_validate_json(given)
        return kind.model_validate(dict(given))
    except ValidationError as error:
        raise RequestValidationError(error.errors(include_url=False)) from error


def _question(desk: Desk, asked: AssessRequest) -> tuple[str, dict[str, JsonValue]]:
    """Everything that the answer depends on, in one word, and the fields of the task.

    Pictures count by their bytes, not by their names. A model may answer otherwise next time:
    then the word is empty.
    """
    fields: dict[str, JsonValue] = asked.model_dump(
        mode="json", exclude={"model"}, exclude_none=True
    )
    for name in PICTURES:
        if name in fields:
            fields[name] = desk.places.inside(str(fields[name]), "image")
    model = asked.model or desk.loaded.settings.model.name
    if model != OFFLINE or desk.loaded.settings.model.roles:
        return "", fields
    bytes_of = {name: _digest(Path(str(fields[name]))) for name in PICTURES if name in fields}
    return canonical({**fields, **bytes_of}), fields


def _digest(path: Path) -> str:
    """Of the bytes; of nothing where there are none to read, which the app explains."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return str(path)


def _answer(image: str, run: str, outcome: Outcome, *, reused: bool) -> Assessment:
    told = {**answer_data(image, run, outcome), "reused": reused}
    return Assessment.model_validate(told)
