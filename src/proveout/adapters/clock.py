"""The system's clocks."""

import time

from proveout.kernel.ports import Cancel


class SystemClock:
    """Wall time for the record, monotonic time for deadlines."""

    def now(self) -> float:
        return time.time()

    def monotonic(self) -> float:
        return time.monotonic()

    def sleep(self, seconds: float, cancel: Cancel) -> None:
        cancel.wait(seconds)
