"""One typed call: cached, tried again where that is safe, recorded, parsed."""

import json
import time
from collections import OrderedDict
from dataclasses import dataclass
from typing import TypeVar

from pydantic import JsonValue, ValidationError

from proveout.apps.solver.client.audit import CallRecord, Trail, identifiers, redacted
from proveout.apps.solver.client.errors import ApiError, Garbled, GaveUp, failure
from proveout.apps.solver.client.patience import Patience, may_repeat
from proveout.apps.solver.client.route import Request, Route
from proveout.apps.solver.client.transport import Answer, Body, Transport
from proveout.apps.solver.entities import Payload
from proveout.kernel.canonical import canonical, value_id

Ask = TypeVar("Ask", bound=Request)
Reply = TypeVar("Reply", bound=Payload)

CACHE_BYTES = 8_000_000
"""Of answers that are kept for the rest of the task; the oldest go first."""


class Caller:
    """Calls routes of one API root. Not for several threads at once: a task has one."""

    def __init__(
        self, transport: Transport, *, patience: Patience | None = None, trail: Trail | None = None
    ) -> None:
        self.trail = trail if trail is not None else Trail()
        self._transport = transport
        self._patience = patience or Patience()
        self._cache = _Cache(CACHE_BYTES)
        self._failures = 0

    def call(self, route: Route[Ask, Reply], ask: Ask, *, keep: bool = True) -> Reply:
        """The parsed answer. Reads are remembered (unless not to `keep`) until the next write."""
        body = ask.body()
        key = f"{route.path}\n{canonical(body)}"
        if route.kind == "read" and (held := self._cache.get(key)) is not None:
            return _parsed(route, json.loads(held))
        if route.kind == "write":
            # Before it is sent: a write that seems to have failed may have been carried out.
            self._cache.clear()
        content = self._answered(route, body)
        reply = _parsed(route, content.value)
        if route.kind == "read" and keep:
            self._cache.put(key, content.raw)
        return reply

    def _answered(self, route: Route[Ask, Reply], body: Body) -> "_Content":
        if self._failures >= self._patience.most_failures:
            message = f"not asked, {self._failures} calls in a row have failed"
            raise GaveUp(route.path, message)
        record = CallRecord(route=route.path, request=redacted(body), status=0)
        began = time.monotonic()
        while True:
            try:
                content = self._once(route.path, body)
            except ApiError as error:
                if record.tries < self._patience.tries and may_repeat(
                    error, repeatable=route.repeatable
                ):
                    self._patience.sleep(self._patience.wait_before(record.tries, error))
                    record = record.model_copy(update={"tries": record.tries + 1})
                    continue
                self._failures = self._failures + 1 if error.retryable else 0
                self._note(record, began, status=error.status, error=error.code)
                raise
            self._failures = 0
            ids = identifiers(content.value)
            self._note(record, began, status=content.status, digest=content.digest, ids=ids)
            return content

    def _once(self, path: str, body: Body) -> "_Content":
        answer = self._transport.post(path, body)
        content = _read(answer)
        if not 200 <= answer.status < 300:
            complaint = _complaint(content.value) if content else ""
            raise failure(path, answer.status, complaint, answer.retry_after)
        if content is None or not isinstance(content.value, dict):
            message = "the answer is not a JSON object"
            raise Garbled(path, message, status=answer.status)
        return content

    def _note(self, record: CallRecord, began: float, **found: object) -> None:
        seconds = round(time.monotonic() - began, 6)
        self.trail.add(record.model_copy(update={**found, "seconds": seconds}))


@dataclass(frozen=True)
class _Content:
    status: int
    raw: bytes
    value: JsonValue
    digest: str


def _read(answer: Answer) -> _Content | None:
    """None for anything that is not proper JSON: NaN, broken characters, a thousand brackets."""
    try:
        value: JsonValue = json.loads(answer.content, parse_constant=_refuse)
        digest = value_id(value)
    except (ValueError, RecursionError):
        return None
    return _Content(answer.status, answer.content, value, digest)


def _refuse(token: str) -> float:
    message = f"{token} is no JSON number"
    raise ValueError(message)


def _complaint(content: JsonValue) -> str:
    said = content.get("error") if isinstance(content, dict) else None
    return said if isinstance(said, str) else ""


def _parsed(route: Route[Ask, Reply], value: JsonValue) -> Reply:
    try:
        return route.gives.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        message = f"unexpected answer at {where or 'the top'}: {first['msg']}"
        # Not chained: the original quotes the answer.
        raise Garbled(route.path, message, status=200) from None


class _Cache:
    def __init__(self, most_bytes: int) -> None:
        self._most = most_bytes
        self._size = 0
        self._held: OrderedDict[str, bytes] = OrderedDict()

    def get(self, key: str) -> bytes | None:
        return self._held.get(key)

    def put(self, key: str, content: bytes) -> None:
        if key in self._held or len(content) > self._most:
            return
        self._held[key] = content
        self._size += len(content)
        while self._size > self._most:
            _, dropped = self._held.popitem(last=False)
            self._size -= len(dropped)

    def clear(self) -> None:
        self._held.clear()
        self._size = 0
