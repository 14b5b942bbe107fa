"""What can go wrong between the solver and the company API.

    ApiError               the API could not be used
    ├── Unreachable        no answer: no connection, time-out, a line that broke
    ├── Throttled          429
    ├── ServerFault        5xx
    ├── NotFound           404, or an answer that says `found: false`
    ├── Rejected           any other 4xx: the request itself is wrong
    │   └── PageTooLarge   more rows were asked for than the API gives at once
    ├── ListingOff         the API gives no rows at all on this route
    ├── Garbled            an answer that is not what the API promises
    └── GaveUp             too many failures in a row: nothing is asked any more

Messages name the route and the status, never the request: it may hold an account key or a salary.
"""

import re

from proveout.kernel.errors import ProveoutError

WORDS = 200
"""Characters of the API's own complaint that are passed on."""
CAP = re.compile(r"page limit exceeded:\s*(-?\d+)\s*>\s*(-?\d+)", re.IGNORECASE)


class ApiError(ProveoutError):
    code = "solver.api"

    def __init__(self, route: str, message: str, *, status: int = 0, hint: str = "") -> None:
        super().__init__(f"{route}: {message}", hint=hint)
        self.route = route
        self.status = status


class Unreachable(ApiError):
    code = "solver.api.unreachable"
    retryable = True

    def __init__(self, route: str, message: str, *, sent: bool, hint: str = "") -> None:
        super().__init__(route, message, hint=hint)
        self.sent = sent
        """Whether the API may have seen the request."""


class Throttled(ApiError):
    code = "solver.api.throttled"
    retryable = True

    def __init__(self, route: str, message: str, *, retry_after: float | None) -> None:
        super().__init__(route, message, status=429)
        self.retry_after = retry_after


class ServerFault(ApiError):
    code = "solver.api.fault"
    retryable = True


class NotFound(ApiError):
    code = "solver.api.not_found"


class Rejected(ApiError):
    code = "solver.api.rejected"


class PageTooLarge(Rejected):
    code = "solver.api.page_too_large"

    def __init__(self, route: str, *, asked: int, cap: int) -> None:
        super().__init__(route, f"at most {cap} rows per page, {asked} asked", status=400)
        self.cap = cap


class ListingOff(ApiError):
    code = "solver.api.listing_off"

    def __init__(self, route: str) -> None:
        super().__init__(route, "the API has switched this listing off", status=400)


class Garbled(ApiError):
    code = "solver.api.garbled"


class GaveUp(ApiError):
    code = "solver.api.gave_up"


def failure(route: str, status: int, complaint: str, retry_after: float | None) -> ApiError:
    """The error for an answer that is none."""
    said = f"status {status}" + (f", {complaint[:WORDS]}" if complaint else "")
    if status == 429:
        return Throttled(route, said, retry_after=retry_after)
    if status >= 500:
        return ServerFault(route, said, status=status)
    if status == 404:
        return NotFound(route, said, status=status)
    if match := CAP.search(complaint):
        return PageTooLarge(route, asked=int(match[1]), cap=int(match[2]))
    return Rejected(route, said, status=status)
