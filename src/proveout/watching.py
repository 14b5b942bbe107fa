"""Readers of a run: whoever looks on cannot slow or break it."""

import logging
from collections.abc import Callable

from proveout.kernel.budget import Bound
from proveout.kernel.events import BudgetWarned, Event
from proveout.kernel.record import Record

logger = logging.getLogger(__name__)
Watch = Callable[[Event], None]
"""Told every event of a run as it is written."""


def warner(record: Record) -> Callable[[Bound, float, float], None]:
    def warn(bound: Bound, used: float, limit: float) -> None:
        record.append(BudgetWarned(key=bound, bound=bound, used=round(used, 6), limit=limit))

    return warn


def careful(watch: Watch | None) -> Watch:
    """A reader that fails must not take the run with it."""
    if watch is None:
        return lambda _event: None

    def watched(event: Event) -> None:
        try:
            watch(event)
        except Exception:  # noqa: BLE001
            logger.warning("a reader of the run failed", exc_info=True)

    return watched
