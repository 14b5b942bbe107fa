"""Writing a task's exchanges to a file, and answering from such a file without the API.

One JSON object per line: `route`, `request`, `status`, `response`. The file holds what the API
told, salaries included, and is readable by its owner only. Keys of accounts are not written.
"""

import json
import os
from collections import defaultdict, deque
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType

from pydantic import JsonValue

from proveout.apps.solver.client.audit import redacted
from proveout.apps.solver.client.errors import ApiError, Unreachable
from proveout.apps.solver.client.routes import ROUTES
from proveout.apps.solver.client.transport import Answer, Body, Transport
from proveout.kernel.canonical import canonical
from proveout.kernel.errors import Diverged, UsageError

WRITES = frozenset(route.path for route in ROUTES if route.kind == "write")


class RecordingTransport:
    """Passes everything on and writes it down, line by line, flushed at once."""

    def __init__(self, inner: Transport, path: Path) -> None:
        self._inner = inner
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self._file = os.fdopen(descriptor, "a", encoding="utf-8")

    def post(self, route: str, body: Body) -> Answer:
        try:
            answer = self._inner.post(route, body)
        except ApiError as error:
            self._write(route, body, 0, {"error": error.code})
            raise
        self._write(route, body, answer.status, _json(answer.content), answer.retry_after)
        return answer

    def _write(
        self,
        route: str,
        body: Body,
        status: int,
        response: JsonValue,
        retry_after: float | None = None,
    ) -> None:
        line: dict[str, JsonValue] = {
            "route": route,
            "request": redacted(body),
            "status": status,
            "response": redacted(response) if isinstance(response, dict) else response,
        }
        if retry_after is not None:
            line["retry_after"] = retry_after
        self._file.write(json.dumps(line, ensure_ascii=True) + "\n")
        self._file.flush()

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> "RecordingTransport":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class ReplayTransport:
    """Answers as recorded. Equal requests get their answers in the recorded order.

    The last answer to a read is given again and again, because a replay may look twice; a write
    that was not recorded is refused, and so is a read of something never seen.
    """

    def __init__(self, exchanges: Iterable[Mapping[str, JsonValue]]) -> None:
        self._answers: dict[str, deque[Answer]] = defaultdict(deque)
        for exchange in exchanges:
            route, request = exchange.get("route"), exchange.get("request")
            status = exchange.get("status")
            if not isinstance(route, str) or not isinstance(status, int):
                message = "a recorded exchange needs a route and a status"
                raise UsageError(message, hint="is this a recording of the solver?")
            response = canonical(exchange.get("response")).encode()
            after = exchange.get("retry_after")
            retry_after = float(after) if isinstance(after, int | float) else None
            self._answers[_key(route, request)].append(Answer(status, response, retry_after))

    @classmethod
    def read(cls, path: Path) -> "ReplayTransport":
        return cls(_lines(path))

    def post(self, route: str, body: Body) -> Answer:
        answers = self._answers.get(_key(route, redacted(body)))
        if not answers:
            message = f"the recording holds no (further) answer of {route} to this request"
            raise Diverged(message, hint="record the task again")
        last = len(answers) == 1 and route not in WRITES
        answer = answers[0] if last else answers.popleft()
        if answer.status == 0:
            message = "no answer, as recorded"
            raise Unreachable(route, message, sent=True)
        return answer


def _lines(path: Path) -> Iterable[Mapping[str, JsonValue]]:
    with path.open(encoding="utf-8") as file:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            try:
                exchange = json.loads(line)
            except ValueError:
                message = f"{path.name}, line {number} is not JSON"
                raise UsageError(message, hint="is this a recording of the solver?") from None
            if not isinstance(exchange, dict):
                message = f"{path.name}, line {number} is not an exchange"
                raise UsageError(message, hint="is this a recording of the solver?")
            yield exchange


def _json(content: bytes) -> JsonValue:
    """What is not JSON is kept as text: it is garbled in the replay as it was in life."""
    try:
        value: JsonValue = json.loads(content)
    except (ValueError, RecursionError):
        return content.decode(errors="replace")
    return value


def _key(route: str, request: JsonValue) -> str:
    return f"{route}\n{canonical(request or {})}"
