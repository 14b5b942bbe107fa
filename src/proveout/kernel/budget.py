"""Bounds and their use. A budget cannot be unbounded; a child can never outspend its parent.

Cost is reserved before a call and settled after it, so that calls in flight count. Time is virtual
while a resumed run catches up with its journal: a run that was killed does not pay for it twice.
"""

import threading
from collections.abc import Callable, Iterator
from typing import Literal

from pydantic import Field

from proveout.kernel.errors import BudgetSpent
from proveout.kernel.types import Frozen, Usage

Bound = Literal["rounds", "calls", "tokens", "cost_usd", "seconds"]
BOUNDS: tuple[Bound, ...] = ("rounds", "calls", "tokens", "cost_usd", "seconds")
WARN_AT = 0.8


class Budget(Frozen):
    """Limits of a run or of a branch; every one is finite."""

    rounds: int = Field(default=20, ge=0, le=10_000_000)
    calls: int = Field(default=200, ge=0, le=10_000_000)
    tokens: int = Field(default=2_000_000, ge=0, le=10**12)
    cost_usd: float = Field(default=5.0, ge=0, le=1_000_000, allow_inf_nan=False)
    seconds: float = Field(default=3600.0, ge=0, le=10_000_000, allow_inf_nan=False)

    def limit(self, bound: Bound) -> float:
        return float(getattr(self, bound))


class Reservation:
    """Held while a call is in flight; settle it exactly once (a second time does nothing)."""

    def __init__(self, meter: "Meter", ceiling: Usage) -> None:
        self._meter = meter
        self._ceiling: Usage | None = ceiling

    def settle(self, actual: Usage) -> None:
        if self._ceiling is not None:
            self._meter._settle(self._ceiling, actual)
            self._ceiling = None


class Meter:
    """How much of a budget is used. Meters form a tree; what a child uses, its parent uses."""

    def __init__(
        self,
        budget: Budget,
        elapsed: Callable[[], float],
        *,
        parent: "Meter | None" = None,
        warn: Callable[[Bound, float, float], None] | None = None,
    ) -> None:
        self.budget = budget
        self._elapsed = elapsed
        self._since = elapsed() if parent else 0.0
        self._parent = parent
        self._warn = warn
        self._lock: threading.RLock = parent._lock if parent else threading.RLock()
        self._rounds = 0
        self._used = Usage()
        self._held = Usage()
        self._warned: set[Bound] = set()

    def child(self, budget: Budget) -> "Meter":
        return Meter(budget, self._elapsed, parent=self)

    @property
    def usage(self) -> Usage:
        return self._used

    def used(self, bound: Bound) -> float:
        """What is used, calls in flight at their ceiling included."""
        if bound == "rounds":
            return self._rounds
        if bound == "seconds":
            return max(0.0, self._elapsed() - self._since)
        if bound == "cost_usd":
            return self._used.cost_usd + self._held.cost_usd
        if bound == "tokens":
            return self._used.tokens + self._held.tokens
        return self._used.calls + self._held.calls

    def limit(self, bound: Bound) -> float:
        """The tightest limit of this meter and its parents."""
        return min(meter.budget.limit(bound) for meter in self._line())

    def remaining(self, bound: Bound) -> float:
        """What this meter and every parent would still allow."""
        here = max(0.0, self.budget.limit(bound) - self.used(bound))
        return min(here, self._parent.remaining(bound)) if self._parent else here

    def rounds(self) -> Iterator[int]:
        """0, 1, 2 … until a bound is reached; then `BudgetSpent` tells which."""
        for number in range(self.budget.rounds):
            self.start_round()
            yield number
        bound: Bound = "rounds"
        raise BudgetSpent(bound, self.budget.rounds, self.budget.rounds)

    def start_round(self) -> None:
        with self._lock:
            for meter in self._line():
                meter._require("rounds", 1)
                meter._require("seconds", 0)
            for meter in self._line():
                meter._rounds += 1
                meter._notice()

    def reserve(self, ceiling: Usage) -> Reservation:
        """Hold the most a call can cost, or raise `BudgetSpent` without holding anything."""
        with self._lock:
            for meter in self._line():
                meter._require("calls", ceiling.calls)
                meter._require("tokens", ceiling.tokens)
                meter._require("cost_usd", ceiling.cost_usd)
                meter._require("seconds", 0)
            for meter in self._line():
                meter._held = meter._held + ceiling
        return Reservation(self, ceiling)

    def charge(self, actual: Usage) -> None:
        """Count what was spent earlier (a finished step of a resumed run)."""
        self._settle(Usage(), actual)

    def _settle(self, ceiling: Usage, actual: Usage) -> None:
        with self._lock:
            for meter in self._line():
                meter._held = meter._held - ceiling
                meter._used = meter._used + actual
                meter._notice()

    def _line(self) -> Iterator["Meter"]:
        meter: Meter | None = self
        while meter is not None:
            yield meter
            meter = meter._parent

    def _require(self, bound: Bound, more: float) -> None:
        used, limit = self.used(bound), self.budget.limit(bound)
        # Time has no "more": it is spent once it has passed.
        over = used >= limit if bound == "seconds" else used + more > limit + 1e-12
        if over:
            raise BudgetSpent(bound, used, limit)

    def _notice(self) -> None:
        if self._warn is None:
            return
        for bound in BOUNDS:
            used, limit = self.used(bound), self.budget.limit(bound)
            if bound not in self._warned and limit > 0 and used >= WARN_AT * limit:
                self._warned.add(bound)
                self._warn(bound, used, limit)


class Elapsed:
    """Seconds a run has worked, over all of its sessions.

    While a resumed run re-reads finished steps, time stands at what the journal says; the first new
    step starts the clock from there. `virtual` (a replay) never starts it.
    """

    def __init__(self, monotonic: Callable[[], float], *, virtual: bool = False) -> None:
        self._monotonic = monotonic
        self._virtual = virtual
        self._base = 0.0
        self._started: float | None = None

    def caught_up_to(self, elapsed: float) -> None:
        """A finished step was re-read; it was written at `elapsed`."""
        if self._started is None:
            self._base = max(self._base, elapsed)

    def start(self, base: float | None = None) -> None:
        """New work begins; time runs from here."""
        if self._started is None and not self._virtual:
            self._base = self._base if base is None else max(self._base, base)
            self._started = self._monotonic()

    def __call__(self) -> float:
        if self._started is None:
            return self._base
        return self._base + self._monotonic() - self._started
