"""The gate before every request: host, origin, rate, token, size; and the headers of every answer.

It is plain ASGI, so that event streams pass through it as they come.
"""

import math
import time
from collections import OrderedDict
from collections.abc import Iterable
from urllib.parse import quote

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from proveout.server.access import Access, Limits
from proveout.server.problems import WORDS, answer

SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
OPEN = frozenset({"/login", "/api/v1/health"})
OPEN_FOLDER = "/static/"
"""What a caller without a token may see: the way in."""
WRONG_TOKEN_COST = 20.0
"""Requests that a wrong token, or a login, counts as: guessing is slow."""
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}
"""Of every answer that does not say otherwise."""


class Guard:
    """Refuses, or lets pass what `app` then answers."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app = app
        self._access = access
        self._rates = Rates(access.limits)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            # Nothing here speaks WebSocket.
            await send({"type": "websocket.close", "code": 1008})
            return
        request = Request(scope)
        refusal = self._refusal(request)
        if refusal is not None:
            await refusal(scope, receive, _headed(send))
            return
        most = self._most_bytes(request.headers)
        await self._app(scope, _measured(receive, most), _headed(send))

    def _refusal(self, request: Request) -> Response | None:
        host = request.headers.get("host", "")
        if not self._access.names_us(host):
            message = "this server has another name"
            return answer(421, "server.host", message, "use the address that it has told")
        if _is_foreign(request):
            message = "another site has made the browser ask this"
            return answer(403, "server.cross_site", message, "ask from this server's own pages")
        client = request.client.host if request.client else ""
        guessing = request.method == "POST" and request.url.path == "/login"
        wait = self._rates.wait(client, WRONG_TOKEN_COST if guessing else 1.0)
        if wait:
            return _too_often(wait)
        path = request.url.path
        is_open = path in OPEN or path.startswith(OPEN_FOLDER)
        if not is_open and not self._access.admits(request):
            if request.headers.get("authorization"):
                self._rates.wait(client, WRONG_TOKEN_COST)
            return _locked(request)
        length = request.headers.get("content-length", "0")
        if length.isdigit() and int(length) > self._most_bytes(request.headers):
            return answer(413, *WORDS[413])
        return None

    def _most_bytes(self, headers: Headers) -> int:
        limits = self._access.limits
        form = headers.get("content-type", "").lower().startswith("multipart/form-data")
        return limits.form_bytes if form else limits.body_bytes


class Rates:
    """A bucket of requests per client; it fills again with time."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, client: str, cost: float = 1.0) -> int:
        """Count a request; seconds to wait if there were too many, else 0."""
        limits, now = self._limits, time.monotonic()
        left, then = self._buckets.pop(client, (limits.burst, now))
        left = min(limits.burst, left + (now - then) * limits.requests_per_second)
        allowed = left >= 1.0
        self._buckets[client] = (left - cost if allowed else left, now)
        while len(self._buckets) > limits.clients:
            self._buckets.popitem(last=False)
        return 0 if allowed else max(1, math.ceil((1.0 - left) / limits.requests_per_second))


def _is_foreign(request: Request) -> bool:
    """Whether a page of another site is behind the request.

    Browsers say so themselves: `Sec-Fetch-Site`, and `Origin` where something may change. Programs
    send neither. A person may follow a link from anywhere, since looking changes nothing.
    """
    site = request.headers.get("sec-fetch-site")
    changes = request.method not in SAFE
    if site is not None:
        followed = not changes and request.headers.get("sec-fetch-mode") == "navigate"
        return site not in ("same-origin", "none") and not followed
    origin = request.headers.get("origin")
    if not changes or origin is None:
        return False
    return origin.partition("://")[2].lower() != request.headers.get("host", "").lower()


def _locked(request: Request) -> Response:
    """A person is shown the way in, a program is told what to send."""
    looks = "text/html" in request.headers.get("accept", "")
    if looks and request.method == "GET":
        query = f"?{request.url.query}" if request.url.query else ""
        return RedirectResponse(f"/login?next={quote(request.url.path + query, safe='')}", 303)
    return answer(401, *WORDS[401], headers={"WWW-Authenticate": "Bearer"})


def _too_often(seconds: int) -> Response:
    hint = f"try again in {seconds} seconds"
    return answer(
        429, "server.rate", "too many requests", hint, headers={"Retry-After": str(seconds)}
    )


def _measured(receive: Receive, most: int) -> Receive:
    """The body as it comes, until it is more than may come."""
    taken = 0

    async def measured() -> Message:
        nonlocal taken
        message = await receive()
        if message["type"] == "http.request":
            taken += len(message.get("body", b""))
            if taken > most:
                raise HTTPException(413)
        return message

    return measured


def _headed(send: Send) -> Send:
    async def headed(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _missing(headers):
                headers[name] = value
        await send(message)

    return headed


def _missing(headers: MutableHeaders) -> Iterable[tuple[str, str]]:
    return ((name, value) for name, value in HEADERS.items() if name not in headers)
