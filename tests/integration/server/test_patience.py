"""Clients that connect and say nothing, or not enough, keep nobody else from being answered."""

import contextlib
import http.client
import socket
import threading
import time
from collections.abc import Iterator

import pytest
import uvicorn
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from proveout.server.patience import PatientProtocol
from proveout.server.serving import bounded

LONG = 60.0
"""Seconds that no test waits for."""


class HeadsSoon(PatientProtocol):
    """Gives up on heads at once, on nothing else."""

    head_seconds, body_seconds = 0.2, LONG


class BodiesSoon(PatientProtocol):
    """Gives up on bodies at once, on nothing else."""

    head_seconds, body_seconds = LONG, 0.2


class Crowded(PatientProtocol):
    """Gives up on nobody, but has room for few."""

    head_seconds, body_seconds, most_open = LONG, LONG, 10


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    """Answers with the number of bytes that came."""
    body = await Request(scope, receive).body()
    await PlainTextResponse(str(len(body)))(scope, receive, send)


@contextlib.contextmanager
def listening(protocol: type[PatientProtocol], most: int = 1000) -> Iterator[int]:
    config = bounded(echo, protocol)
    config.lifespan, config.limit_concurrency = "off", most
    server = uvicorn.Server(config)
    found = socket.create_server(("127.0.0.1", 0))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [found]}, daemon=True)
    thread.start()
    try:
        yield found.getsockname()[1]
    finally:
        server.should_exit = True
        thread.join(LONG)
        found.close()


def connected(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=LONG)


def is_answered(port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=LONG)
    try:
        connection.request("POST", "/", body=b"four")
        response = connection.getresponse()
        return (response.status, response.read()) == (200, b"4")
    finally:
        connection.close()


def test_a_client_that_says_nothing_is_let_go() -> None:
    with listening(HeadsSoon) as port, connected(port) as silent:
        assert silent.recv(1) == b""
        assert is_answered(port)


def test_a_head_that_comes_in_drops_comes_to_an_end() -> None:
    with listening(HeadsSoon) as port, connected(port) as slow:
        with contextlib.suppress(ConnectionError):
            for letter in b"GET / HTTP/1.1\r\nx: " + b"y" * 10_000:
                slow.sendall(bytes([letter]))
                time.sleep(0.01)
        with contextlib.suppress(ConnectionError):
            assert slow.recv(1) == b""


def test_a_body_that_stops_is_not_waited_for() -> None:
    with listening(BodiesSoon) as port, connected(port) as slow:
        slow.sendall(b"POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\nsome")
        assert b"200" not in slow.recv(100)


def test_a_body_that_comes_in_pieces_is_waited_for() -> None:
    with listening(BodiesSoon) as port, connected(port) as slow:
        slow.sendall(b"POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 20\r\n\r\n")
        for _ in range(20):
            slow.sendall(b"x")
            time.sleep(0.02)
        assert slow.recv(100).startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize("told", [b"", b"GET / HTTP/1.1\r\n"])
def test_many_silent_clients_shut_nobody_out(told: bytes) -> None:
    with listening(Crowded, most=20) as port, contextlib.ExitStack() as crowd:
        for _ in range(60):
            one = crowd.enter_context(connected(port))
            with contextlib.suppress(ConnectionError):
                one.sendall(told)
        assert is_answered(port)


def test_the_longest_silent_one_makes_room() -> None:
    with listening(Crowded) as port, contextlib.ExitStack() as crowd:
        first = crowd.enter_context(connected(port))
        others = [crowd.enter_context(connected(port)) for _ in range(Crowded.most_open)]
        assert first.recv(1) == b""
        others[-1].sendall(b"GET / HTTP/1.1\r\nhost: a\r\n\r\n")
        assert others[-1].recv(100).startswith(b"HTTP/1.1 200")
