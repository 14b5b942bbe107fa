"""A loopback server that speaks the streaming Messages protocol, well or badly as it is told.

It is also the only proxy that the programs under test are given: what they try to reach elsewhere
arrives here, is noted in `strays` and goes no further.
"""

import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

from pydantic import JsonValue

from proveout.testing.model_contract import Provider

MODEL = "claude-loopback-1"
TEN_MEGABYTES = 10_000_000

Event = dict[str, Any]


class MessagesServer:
    """Answers `POST /v1/messages` as `provider.conduct` says, from its own threads."""

    def __init__(self, provider: Provider) -> None:
        self.provider = provider
        self.headers: list[dict[str, str]] = []
        """Of each Messages request, oldest first, names in lower case."""
        self.strays: list[str] = []
        """Every request that is not one for a message."""
        self.tool_calls: list[dict[str, Any]] = []
        """Tools the model uses, one per turn, before it answers."""
        self.ended = threading.Event()
        self._lock = threading.Lock()
        self._at_once = 0
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.ended.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def arrived(self, body: dict[str, Any], headers: dict[str, str]) -> int:
        """Note a request; returns how many came before it."""
        with self._lock:
            self.provider.seen.append(body)
            self.headers.append(headers)
            self._at_once += 1
            self.provider.most_at_once = max(self.provider.most_at_once, self._at_once)
            return len(self.provider.seen) - 1

    def left(self) -> None:
        with self._lock:
            self._at_once -= 1

    def events(self, body: dict[str, Any], index: int) -> Iterator[Event]:
        """What the model says in answer to `body`."""
        provider = self.provider
        if index < len(self.tool_calls):
            yield from _message([_use(**self.tool_calls[index], number=index)], "tool_use")
            return
        match provider.conduct:
            case "value" if _offers(body, "StructuredOutput"):
                yield from _message(
                    [_use("StructuredOutput", provider.value, number=index)], "tool_use"
                )
            case "empty":
                yield from _message([], "end_turn")
            case "refusal":
                yield from _message([_text("I can't help with that.")], "refusal")
            case "truncated":
                yield from _message([_text('{"word": "aa')], "max_tokens")
            case "oversized":
                yield from _message([_text("x" * TEN_MEGABYTES)], "end_turn")
            case "broken":
                yield from list(_message([_text("half a")], "end_turn"))[:3]
            case _:
                yield from _message([_text(provider.text)], "end_turn")


def _offers(body: dict[str, Any], tool: str) -> bool:
    return any(offered.get("name") == tool for offered in body.get("tools", ()))


def _text(text: str) -> Event:
    return {"type": "text", "text": text}


def _use(name: str, input: JsonValue, *, number: int) -> Event:
    return {"type": "tool_use", "id": f"toolu_{number:04d}", "name": name, "input": input}


def _message(blocks: list[Event], stop: str) -> Iterator[Event]:
    usage = {"input_tokens": 1200, "output_tokens": 1}
    yield {
        "type": "message_start",
        "message": {
            "id": "msg_loopback",
            "type": "message",
            "role": "assistant",
            "model": MODEL,
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": usage,
        },
    }
    for index, block in enumerate(blocks):
        yield from _block(index, block)
    yield {
        "type": "message_delta",
        "delta": {"stop_reason": stop, "stop_sequence": None},
        "usage": {"output_tokens": 34},
    }
    yield {"type": "message_stop"}


def _block(index: int, block: Event) -> Iterator[Event]:
    if block["type"] == "text":
        empty, field, kind, whole = {**block, "text": ""}, "text", "text_delta", block["text"]
    else:
        empty, field, kind = {**block, "input": {}}, "partial_json", "input_json_delta"
        whole = json.dumps(block["input"])
    yield {"type": "content_block_start", "index": index, "content_block": empty}
    size = max(7, len(whole) // 100)
    for start in range(0, len(whole), size):
        delta = {"type": kind, field: whole[start : start + size]}
        yield {"type": "content_block_delta", "index": index, "delta": delta}
    yield {"type": "content_block_stop", "index": index}


_FAILURES: dict[str, tuple[int, str, dict[str, str]]] = {
    "rate_limited": (429, "rate_limit_error", {"retry-after": "7"}),
    "overloaded": (529, "overloaded_error", {}),
    "denied": (401, "authentication_error", {}),
}


def _handler(server: MessagesServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            if not self.path.startswith("/v1/messages") or "count_tokens" in self.path:
                self._stray()
                return
            headers = {name.lower(): value for name, value in self.headers.items()}
            index = server.arrived(json.loads(body), headers)
            try:
                self._answer(json.loads(body), index)
            except (BrokenPipeError, ConnectionResetError):
                # The client gave up, which several tests are about.
                self.close_connection = True
            finally:
                server.left()

        def do_CONNECT(self) -> None:
            self._stray()

        def do_GET(self) -> None:
            self._stray()

        def do_HEAD(self) -> None:
            self._stray()

        def _stray(self) -> None:
            server.strays.append(f"{self.command} {self.path}")
            self._fail(404, "not_found_error", {})

        def _answer(self, body: dict[str, Any], index: int) -> None:
            provider = server.provider
            if provider.delay_seconds:
                time.sleep(provider.delay_seconds)
            if provider.conduct == "stalling":
                server.ended.wait(timeout=120)
                self.close_connection = True
            elif provider.conduct in _FAILURES:
                self._fail(*_FAILURES[provider.conduct])
            else:
                self._stream(server.events(body, index))

        def _fail(self, status: int, kind: str, headers: dict[str, str]) -> None:
            message = {"type": kind, "message": f"loopback says {kind}"}
            content = json.dumps({"type": "error", "error": message}).encode()
            self.send_response(status)
            for name, value in {"content-type": "application/json", **headers}.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(content)

        def _stream(self, events: Iterator[Event]) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.send_header("connection", "close")
            self.end_headers()
            for event in events:
                line = f"event: {event['type']}\ndata: {json.dumps(event)}\n\n"
                self.wfile.write(line.encode())
            self.close_connection = True

        def log_message(self, format: str, *args: Any) -> None:
            """Silence: the tests read `seen` and `strays`."""

    return Handler
