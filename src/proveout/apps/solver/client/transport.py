"""Getting a JSON request to the API and its answer back, in bounded time and space."""

import ipaddress
import json
import time
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Protocol
from urllib.parse import urlsplit

from pydantic import JsonValue

from proveout.apps.solver.client.errors import Garbled, Unreachable
from proveout.kernel.errors import PrerequisiteError, UsageError

try:
    import httpx2
except ImportError as missing:
    _message = "the solver's HTTP client needs the package 'httpx2'"
    raise PrerequisiteError(
        _message, hint='pip install "proveout[solver]"', code="prerequisite.extra"
    ) from missing

Body = dict[str, JsonValue]

CONNECT_SECONDS = 5.0
MOST_BYTES = 16_000_000
"""Of one answer. A page of a list is some kilobytes, a wiki page some hundred at most."""


@dataclass(frozen=True)
class Answer:
    """What came back, as it came."""

    status: int
    content: bytes
    retry_after: float | None = None
    """Seconds that the API asks to wait."""


class Transport(Protocol):
    """Posts to routes of one API; the root of the routes is its own business."""

    def post(self, route: str, body: Body) -> Answer: ...


class HttpTransport:
    """Posts over HTTP, below a root URL. Made once per host; `under` gives other roots of it."""

    def __init__(
        self,
        root: str,
        *,
        timeout_seconds: float = 20.0,
        most_bytes: int = MOST_BYTES,
        client: httpx2.Client | None = None,
    ) -> None:
        self.root = root.rstrip("/")
        self.timeout_seconds = timeout_seconds
        self.most_bytes = most_bytes
        self._client = client or _client(self.root, timeout_seconds)

    def under(self, path: str) -> "HttpTransport":
        """The same connections, a deeper root."""
        return HttpTransport(
            f"{self.root}/{path.strip('/')}",
            timeout_seconds=self.timeout_seconds,
            most_bytes=self.most_bytes,
            client=self._client,
        )

    def close(self) -> None:
        self._client.close()

    def post(self, route: str, body: Body) -> Answer:
        content = json.dumps(body, ensure_ascii=False, allow_nan=False).encode()
        try:
            with self._client.stream("POST", self.root + route, content=content) as response:
                return Answer(
                    response.status_code,
                    self._read(route, response),
                    _seconds(response.headers.get("Retry-After", "")),
                )
        except (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout) as error:
            message = f"no connection ({type(error).__name__})"
            hint = f"is the server at {_shown(self.root)} running?"
            raise Unreachable(route, message, sent=False, hint=hint) from None
        except httpx2.HTTPError as error:
            # Not chained: the original quotes the URL, and with it the id that opens the task.
            message = f"no answer ({type(error).__name__})"
            raise Unreachable(route, message, sent=True) from None

    def _read(self, route: str, response: httpx2.Response) -> bytes:
        """The time-out of a client is per read; an answer that drips is bounded here."""
        deadline = time.monotonic() + self.timeout_seconds
        parts: list[bytes] = []
        size = 0
        for part in response.iter_raw():
            parts.append(part)
            size += len(part)
            if size > self.most_bytes:
                message = f"the answer exceeds {self.most_bytes} bytes"
                raise Garbled(route, message, status=response.status_code)
            if time.monotonic() > deadline:
                message = f"the answer took longer than {self.timeout_seconds:g} s"
                raise Unreachable(route, message, sent=True)
        return b"".join(parts)


def _client(root: str, timeout_seconds: float) -> httpx2.Client:
    host = _host(root)
    if not host:
        message = f"{root!r} is not an http or https URL"
        raise UsageError(message, hint="write http://host:port")
    return httpx2.Client(
        timeout=httpx2.Timeout(timeout_seconds, connect=min(CONNECT_SECONDS, timeout_seconds)),
        # A proxy of the environment cannot reach this machine's own loopback.
        trust_env=not _is_loopback(host),
        # As it is: compressed, a small answer could unpack to any size.
        headers={"Content-Type": "application/json", "Accept-Encoding": "identity"},
    )


def _host(root: str) -> str:
    """The machine that an address names; empty where it names none."""
    try:
        parts = urlsplit(root)
        known = parts.scheme in {"http", "https"} and parts.port != 0
    except ValueError:
        return ""
    return parts.hostname or "" if known else ""


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _shown(root: str) -> str:
    parts = urlsplit(root)
    return f"{parts.scheme}://{parts.hostname}" + (f":{parts.port}" if parts.port else "")


def _seconds(header: str) -> float | None:
    """Of a Retry-After header: seconds, or a date that is taken as "a while"."""
    try:
        return max(0.0, float(header))
    except ValueError:
        pass
    try:
        moment = parsedate_to_datetime(header)
    except (TypeError, ValueError):
        return None
    return max(0.0, moment.timestamp() - time.time())
