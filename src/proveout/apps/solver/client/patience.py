"""How often something is tried again, and when to stop trying."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from proveout.apps.solver.client.errors import ApiError, Throttled, Unreachable


@dataclass(frozen=True)
class Patience:
    """Bounded in tries and in seconds; `sleep` is handed in so that tests need not wait."""

    tries: int = 4
    first_wait: float = 0.25
    longest_wait: float = 5.0
    most_failures: int = 3
    """Calls in a row that may fail for good before nothing is asked any more."""
    sleep: Callable[[float], None] = time.sleep

    def wait_before(self, trial: int, error: ApiError) -> float:
        """Doubles with each try; the API's own wish counts, within bounds."""
        wait = self.first_wait * 2.0 ** (trial - 1)
        if isinstance(error, Throttled) and error.retry_after is not None:
            wait = max(wait, error.retry_after)
        return min(wait, self.longest_wait)


def may_repeat(error: ApiError, *, repeatable: bool) -> bool:
    """A write is sent again only if the API cannot have carried it out."""
    if repeatable:
        return error.retryable
    return isinstance(error, Throttled) or (isinstance(error, Unreachable) and not error.sent)
