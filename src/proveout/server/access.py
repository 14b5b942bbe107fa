"""Who may ask, from where, and how much.

A server on a loopback address serves the people of this machine; any other address needs a token.
A token comes as `Authorization: Bearer TOKEN`, or, after a login form, as a cookie that other sites
cannot make a browser send and that is not the token itself.
"""

import hashlib
import hmac
import ipaddress
import re
import time
from dataclasses import dataclass, field
from pathlib import Path

from starlette.requests import HTTPConnection
from starlette.responses import Response

from proveout.kernel.errors import UsageError

COOKIE = "proveout_session"
SESSION_SECONDS = 12 * 3600
SHORTEST_TOKEN = 16
HOST = re.compile(r"([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?")
UNTIL = re.compile(r"[0-9]{1,12}")
LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "[::1]"})


@dataclass(frozen=True)
class Limits:
    """How much one server takes. Beyond it, callers are told to come back later or to send less."""

    workers: int = 2
    """Runs at a time, and as many short calls beside them."""
    waiting: int = 20
    """Runs that may wait."""
    waiting_calls: int = 200
    """Short calls that may wait."""
    body_bytes: int = 8_000_000
    """Of a request without files."""
    upload_bytes: int = 50_000_000
    """Of one file."""
    form_bytes: int = 120_000_000
    """Of a form with files."""
    stored_bytes: int = 2_000_000_000
    """Of all uploads; those not used for the longest go first."""
    watchers: int = 200
    """Event streams at a time."""
    requests_per_second: float = 100.0
    """Of one client, on average."""
    burst: float = 300.0
    """Requests that a client may make at once."""
    clients: int = 10_000
    """Clients whose rate is remembered."""


@dataclass(frozen=True)
class Access:
    """Where the server listens, what opens it, and which files tasks may name."""

    host: str = "127.0.0.1"
    port: int = 8700
    token: str = field(default="", repr=False)
    root: Path = field(default_factory=Path.cwd)
    """Paths in tasks must lie inside."""
    limits: Limits = Limits()

    def __post_init__(self) -> None:
        if self.token and len(self.token) < SHORTEST_TOKEN:
            message = f"the token has {len(self.token)} characters"
            raise UsageError(message, hint=f"use at least {SHORTEST_TOKEN}, drawn by chance")
        if not self.token.isascii() or any(letter.isspace() for letter in self.token):
            message = "the token holds letters that a header cannot carry"
            raise UsageError(message, hint="use ASCII letters, digits and signs without spaces")
        if not self.token and not self.is_loopback:
            message = f"{self.host} can be reached from elsewhere, and there is no token"
            hint = "give one with --token or PROVEOUT_SERVER_TOKEN, or stay on 127.0.0.1"
            raise UsageError(message, hint=hint)
        if not self.root.is_dir():
            message = f"there is no folder {self.root}"
            raise UsageError(message, hint="name the folder that tasks may read with --root")

    @property
    def is_loopback(self) -> bool:
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def base_url(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"

    def knows(self, token: str) -> bool:
        """Whether it is the token, in a time that tells nothing about it."""
        return bool(self.token) and _same(token, self.token)

    def admits(self, connection: HTTPConnection) -> bool:
        """Whether a request carries what opens this server."""
        if not self.token:
            return True
        scheme, _, given = connection.headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and self.knows(given.strip()):
            return True
        return self._is_session(connection.cookies.get(COOKIE, ""))

    def log_in(self, response: Response, *, secure: bool = False) -> None:
        """Let the browser that gets this answer in, for some hours."""
        until = str(int(time.time()) + SESSION_SECONDS)
        response.set_cookie(
            COOKIE,
            f"{until}.{self._seal(until)}",
            max_age=SESSION_SECONDS,
            httponly=True,
            samesite="strict",
            secure=secure,
        )

    def log_out(self, response: Response) -> None:
        response.delete_cookie(COOKIE, httponly=True, samesite="strict")

    def names_us(self, host: str) -> bool:
        """Whether a Host header means this server: a page elsewhere can make its name lead here."""
        if not HOST.fullmatch(host):
            return False
        if not self.is_loopback:
            return True
        name = host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() else host
        bracketed = f"[{self.host}]" if ":" in self.host else self.host
        return name.lower() in LOOPBACK_NAMES | {bracketed.lower()}

    def _is_session(self, value: str) -> bool:
        until, _, seal = value.partition(".")
        if not UNTIL.fullmatch(until) or int(until) < time.time():
            return False
        return _same(seal, self._seal(until))

    def _seal(self, until: str) -> str:
        return hmac.new(
            self.token.encode(), f"session {until}".encode(), hashlib.sha256
        ).hexdigest()


def _same(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode("utf-8", "replace"), other.encode())
