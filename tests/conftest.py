"""For every test: no network but loopback, one thread per library, a clean environment."""

import ipaddress
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests.workbench import Workbench

# Before any numerical library is loaded: two busy cores are no place for thread pools.
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"):
    os.environ[_name] = "1"

settings.register_profile(
    "steady",
    deadline=None,
    derandomize=True,
    database=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.register_profile("search", settings.get_profile("steady"), derandomize=False)
# `--hypothesis-profile=search` looks for new counterexamples.
settings.load_profile("steady")

LISTENING = frozenset({"", "localhost", "0.0.0.0", "::"})


def _is_loopback(host: object) -> bool:
    if host is None or not isinstance(host, str | bytes):
        return True
    name = host.decode(errors="replace") if isinstance(host, bytes) else host
    if name in LISTENING:
        return True
    try:
        return ipaddress.ip_address(name.partition("%")[0]).is_loopback
    except ValueError:
        return False


def _guard(event: str, arguments: tuple[Any, ...]) -> None:
    """An audit hook sees every connection of the process, whichever library makes it."""
    if event in ("socket.connect", "socket.sendto"):
        address = arguments[1]
        # A path is a Unix socket: it does not leave the machine.
        host = address[0] if isinstance(address, tuple) else None
    elif event == "socket.getaddrinfo":
        host = arguments[0]
    else:
        return
    if not _is_loopback(host):
        # Not an `Exception`: no client may mistake it for a network that is down.
        pytest.fail(f"{event} to {host!r}: tests reach loopback addresses only")


sys.addaudithook(_guard)


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Neither the settings nor the keys of whoever runs the tests, and a home that goes away."""
    for name in list(os.environ):
        if name.startswith("PROVEOUT_") or name.endswith("_API_KEY"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("PROVEOUT_HOME", str(tmp_path / "home"))


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Workbench]:
    workbench = Workbench(tmp_path / "journal.db")
    yield workbench
    workbench.close()
