"""A provider on a loopback port: a thread per request, all of them gone when the block ends."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Literal, Self

from proveout.testing.model_contract import Provider
from tests.loopback import anthropic, google, openai
from tests.loopback.answer import Answer, json_answer

Protocol = Literal["openai", "anthropic", "google"]

PATHS: dict[Protocol, str] = {
    "openai": "/v1/chat/completions",
    "anthropic": "/v1/messages",
    "google": ":generateContent",
}
CHUNK_BYTES = 65_536


class LoopbackServer:
    """Behaves as `provider.conduct` says and writes down what it saw.

    `respond` replaces the protocol's answer, for what no conduct describes.
    """

    def __init__(
        self,
        provider: Provider,
        protocol: Protocol,
        *,
        respond: Callable[[dict[str, Any]], Answer] | None = None,
    ) -> None:
        self.provider = provider
        self.protocol: Protocol = protocol
        self.sent_bytes = 0
        """Size of the bodies that clients took, so that a test can see one being cut off."""
        self._respond = respond
        self._lock = threading.Lock()
        self._at_once = 0
        self._closing = threading.Event()
        self._http = _Http(("127.0.0.1", 0), _handler(self))
        self._thread = threading.Thread(
            target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, name="loopback"
        )

    @property
    def url(self) -> str:
        """Without a path: add `/v1` where a client expects it."""
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._closing.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def answer(self, body: dict[str, Any]) -> Answer:
        if self._respond is not None:
            return self._respond(body)
        match self.protocol:
            case "openai":
                return openai.answer(self.provider, body)
            case "anthropic":
                return anthropic.answer(self.provider, body)
            case "google":
                return google.answer(self.provider)

    @property
    def closing(self) -> bool:
        return self._closing.is_set()

    def wait(self, seconds: float) -> None:
        """Sleep, but never longer than the server lives."""
        self._closing.wait(seconds)

    @contextmanager
    def counted(self) -> Iterator[None]:
        with self._lock:
            self._at_once += 1
            self.provider.most_at_once = max(self.provider.most_at_once, self._at_once)
        try:
            yield
        finally:
            with self._lock:
                self._at_once -= 1

    def saw(self, body: dict[str, Any], key: str | None) -> None:
        with self._lock:
            self.provider.seen.append(body)
            if key is not None:
                self.provider.keys.append(key)

    def sent(self, size: int) -> None:
        with self._lock:
            self.sent_bytes += size


class _Http(ThreadingHTTPServer):
    # Joined in server_close(), so that no thread outlives the test that started it.
    daemon_threads = False
    block_on_close = True


def _handler(server: LoopbackServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = 30

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002, ARG002
            """Silent: the tests look at the provider instead."""

        def do_GET(self) -> None:
            self._send(json_answer({}, 404))

        def do_HEAD(self) -> None:
            self._send(Answer(b""))

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            path = self.path.partition("?")[0]
            if path.endswith("/count_tokens"):
                self._send(json_answer({"input_tokens": 21}))
            elif not path.endswith(PATHS[server.protocol]):
                self._send(json_answer({"error": {"message": f"no such path: {path}"}}, 404))
            else:
                with server.counted():
                    server.saw(body, self.headers.get("Idempotency-Key"))
                    self._behave(body)

        def _behave(self, body: dict[str, Any]) -> None:
            server.wait(server.provider.delay_seconds)
            if server.provider.conduct == "stalling":
                self._stall()
            elif server.provider.conduct == "broken":
                whole = server.answer(body)
                self._send(whole, promised=len(whole.body) * 2)
            else:
                self._send(server.answer(body))

        def _stall(self) -> None:
            """Nothing is sent; the client's hanging up is what ends it, or the test's end."""
            self.close_connection = True
            self.connection.settimeout(0.05)
            until = time.monotonic() + 120
            while time.monotonic() < until and not server.closing:
                try:
                    if not self.connection.recv(1):
                        return
                except TimeoutError:
                    continue
                except ConnectionError:
                    return

        def _send(self, answer: Answer, promised: int | None = None) -> None:
            self.close_connection = True
            self.send_response(answer.status)
            self.send_header("Content-Type", answer.content_type)
            self.send_header("Content-Length", str(promised or len(answer.body)))
            self.send_header("Connection", "close")
            for name, value in answer.headers.items():
                self.send_header(name, value)
            try:
                self.end_headers()
                for start in range(0, len(answer.body), CHUNK_BYTES):
                    chunk = answer.body[start : start + CHUNK_BYTES]
                    self.wfile.write(chunk)
                    server.sent(len(chunk))
            except ConnectionError:
                # The client hung up in the middle, which is what several tests want.
                return

    return Handler
