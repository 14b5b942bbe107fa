"""Queries over the journal, each in a process that can be ended."""

import time
from pathlib import Path
from typing import cast

from proveout.kernel.errors import ProveoutError
from proveout.server import sql
from proveout.server.orders import Order
from proveout.server.shapes import Rows
from proveout.server.workers import WORKER_LOST, Pool
from proveout.settings import Loaded

QUERY = "proveout.server.sql:query"
MOST_WAITING = 8
WAIT_SECONDS = 120.0


class Queries:
    """One at a time. SQLite looks at its clock between steps only, and one step may last for days:
    such a query is ended with the process that it is in. Close it."""

    def __init__(self, loaded: Loaded) -> None:
        self._loaded = loaded
        self._pool = Pool(1, MOST_WAITING)

    def rows(self, journal: Path, text: str) -> Rows:
        """`UsageError` if it is no query, or takes too long; `Busy` if too many wait."""
        sql.demand_short(text)
        order = Order(
            "call",
            f"query-{time.monotonic_ns()}",
            self._loaded,
            fields={"path": str(journal), "text": text},
            function=QUERY,
            limit_seconds=2 * sql.MOST_SECONDS,
        )
        try:
            return cast(Rows, self._pool.queue(order).done.result(WAIT_SECONDS))
        except ProveoutError as error:
            if error.code == WORKER_LOST:
                raise sql.too_long() from error
            raise

    def close(self) -> None:
        self._pool.close()
