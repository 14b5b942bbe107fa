"""A provider that bills: each idempotency key once, whatever happens to whoever asked.

It runs as a process of its own (`python -m tests.fault.billing`), so that it survives the kills,
and answers by the rules of the pattern app's experts. Its ledger is the truth about money.
"""

import hashlib
import http.client
import json
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

from proveout.kernel.canonical import canonical, plain
from proveout.kernel.errors import ModelBusy
from proveout.kernel.ports import Brief, Cancel, ModelCall, Reply
from proveout.kernel.types import Finding, Usage
from proveout.testing.pattern import expert
from proveout.testing.pattern.proposals import Word
from proveout.testing.pattern.task import PatternTask
from tests.fault.processes import python

PRICE_USD = 2.0**-10
"""A power of two: sums of it are exact, so bills can be compared to the last digit."""
THINKING_SECONDS = 0.001
"""Before and after the bill is written, so that kills fall on both sides of it."""


class Entry(NamedTuple):
    """What the ledger holds of one key."""

    bills: int
    requests: int
    bodies: int
    """How many different bodies were sent under the key."""
    usage: Usage


class PaidModel:
    """A back end whose calls cost money."""

    name = "billing"
    paid = True

    def __init__(self, port: int) -> None:
        self._port = port

    def ceiling(self, call: ModelCall) -> Usage:
        del call
        return Usage(calls=1, input_tokens=4000, output_tokens=400, cost_usd=PRICE_USD)

    def ask(self, call: ModelCall, cancel: Cancel) -> Reply:
        del cancel
        body = canonical({"role": call.role, "prompt": call.prompt, "brief": _spelled(call.brief)})
        try:
            reply = json.loads(_request(self._port, "/ask", body, call.key))
        except (OSError, http.client.HTTPException) as error:
            message = f"the provider did not answer: {error}"
            raise ModelBusy(message) from error
        return Reply.model_validate(reply)

    def close(self) -> None:
        """Every call has a connection of its own."""


def _spelled(brief: Brief) -> dict[str, Any]:
    """The brief as data: what the provider's expert reasons from."""
    return {
        "task": plain(brief.task),
        "round": brief.round,
        "findings": [plain(finding) for finding in brief.findings],
        "previous": plain(brief.previous),
        "variables": dict(brief.variables),
        "seed": brief.seed,
    }


def _request(port: int, path: str, body: str, key: str = "") -> bytes:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        connection.request("POST", path, body.encode(), {"Idempotency-Key": key})
        return connection.getresponse().read()
    finally:
        connection.close()


class Provider(NamedTuple):
    """A running provider, as a test sees it."""

    port: int

    def close_book(self) -> dict[str, Entry]:
        """The ledger so far, by idempotency key; a new one is begun."""
        ledger = json.loads(_request(self.port, "/close-book", ""))
        return {
            key: Entry(bills, requests, bodies, Usage.model_validate(usage))
            for key, (bills, requests, bodies, usage) in ledger.items()
        }


@contextmanager
def provider() -> Iterator[Provider]:
    """Start a provider; it ends with the block, and with this process if that is killed."""
    with python("tests.fault.billing") as process:
        assert process.stdout is not None
        yield Provider(int(process.stdout.readline()))


class Ledger:
    """Bills, and the replies that belong to them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._bills: dict[str, int] = {}
        self._replies: dict[str, Reply] = {}
        self._seen: dict[str, list[str]] = {}

    def answer(self, key: str, body: bytes) -> Reply:
        """A known key gets its old reply for nothing; a new one is answered and billed."""
        with self._lock:
            self._seen.setdefault(key, []).append(hashlib.sha256(body).hexdigest())
            if key not in self._replies:
                self._replies[key] = _reply(json.loads(body))
                self._bills[key] = self._bills.get(key, 0) + 1
            return self._replies[key]

    def close_book(self) -> dict[str, Any]:
        with self._lock:
            book = {
                key: (self._bills[key], len(seen), len(set(seen)), plain(self._replies[key].usage))
                for key, seen in self._seen.items()
            }
            self._bills, self._replies, self._seen = {}, {}, {}
            return book


def _reply(body: dict[str, Any]) -> Reply:
    told = body["brief"]
    previous = told["previous"]
    brief = Brief(
        task=PatternTask.model_validate(told["task"]) if told["task"] else None,
        round=told["round"],
        findings=tuple(Finding.model_validate(finding) for finding in told["findings"]),
        previous=Word.model_validate(previous) if previous else None,
        variables=told["variables"],
        seed=told["seed"],
    )
    asked = body["role"] == "pattern/propose"
    text = canonical(expert.propose(brief)) if asked else expert.describe(brief)
    usage = Usage(
        calls=1,
        input_tokens=len(body["prompt"]) // 4,
        output_tokens=len(text) // 4,
        cost_usd=PRICE_USD,
    )
    return Reply(text=text, usage=usage, model="billing-1")


class _Handler(BaseHTTPRequestHandler):
    """`/ask` and `/close-book`."""

    ledger = Ledger()

    def do_POST(self) -> None:
        size = int(self.headers["Content-Length"])
        body = self.rfile.read(size)
        if len(body) < size:
            # Killed while sending: what did not arrive whole was never asked.
            self.close_connection = True
            return
        if self.path == "/close-book":
            answer = json.dumps(self.ledger.close_book())
        else:
            time.sleep(THINKING_SECONDS)
            answer = self.ledger.answer(self.headers["Idempotency-Key"], body).model_dump_json()
            time.sleep(THINKING_SECONDS)
        try:
            self.send_response(200)
            self.send_header("Content-Length", str(len(answer.encode())))
            self.end_headers()
            self.wfile.write(answer.encode())
        except ConnectionError:
            # Whoever asked was killed; the bill stands.
            self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the parent's name
        """Silent."""


def _end_with_owner(server: ThreadingHTTPServer) -> None:
    sys.stdin.read()
    server.shutdown()


def main() -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    threading.Thread(target=_end_with_owner, args=(server,), daemon=True).start()
    os.write(1, f"{server.server_address[1]}\n".encode())
    server.serve_forever(poll_interval=0.05)
    server.server_close()


if __name__ == "__main__":
    main()
