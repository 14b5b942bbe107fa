"""The suite's own rule is tested too: nothing but loopback can be reached."""

import os
import socket

import pytest


@pytest.mark.parametrize("address", [("192.0.2.1", 9), ("2001:db8::1", 9)])
def test_a_connection_to_the_outside_fails_the_test(address: tuple[str, int]) -> None:
    with pytest.raises(pytest.fail.Exception, match="loopback"):
        socket.create_connection(address, timeout=0.1)


def test_a_name_of_the_outside_is_not_looked_up() -> None:
    with pytest.raises(pytest.fail.Exception, match="proveout.example"):
        socket.getaddrinfo("proveout.example", 443)


def test_loopback_is_allowed() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with socket.create_connection(("localhost", port), timeout=5) as client:
            assert client.getpeername()[1] == port


def test_the_environment_is_clean() -> None:
    ours = {name for name in os.environ if name.startswith("PROVEOUT_")}
    assert ours == {"PROVEOUT_HOME"}
    assert not [name for name in os.environ if name.endswith("_API_KEY")]
