"""Troubles of a real network, thrown in on purpose and at reproducible calls."""

from dataclasses import dataclass
from random import Random
from typing import Literal, get_args

from proveout.apps.solver.world.api.body import ApiError

Fault = Literal["429", "500", "drop", "late"]
"""`drop` cuts the connection before the call takes effect, `late` after it did."""
FAULTS: tuple[Fault, ...] = get_args(Fault)


@dataclass(frozen=True)
class FaultPlan:
    rates: tuple[tuple[Fault, float], ...] = ()
    seed: int = 0

    def at(self, task_id_number: int, call: int) -> Fault | None:
        """What goes wrong at a task's nth call, if anything."""
        if not self.rates:
            return None
        draw = Random(f"faults/{self.seed}/{task_id_number}/{call}").random()
        for fault, rate in self.rates:
            if draw < rate:
                return fault
            draw -= rate
        return None


def parse_faults(text: str, seed: int) -> FaultPlan:
    """Reads `429=0.02,drop=0.01`."""
    rates: list[tuple[Fault, float]] = []
    for part in filter(None, text.split(",")):
        name, _, rate = part.partition("=")
        known = next((fault for fault in FAULTS if fault == name.strip()), None)
        if known is None:
            message = f"unknown fault '{name}': use {', '.join(FAULTS)}"
            raise ValueError(message)
        rates.append((known, float(rate)))
    return FaultPlan(tuple(rates), seed)


def refuse(fault: Fault) -> None:
    """Raises the error answers; the cut connections are the server's business."""
    if fault == "429":
        text = "too many requests"
        raise ApiError(429, text)
    if fault == "500":
        text = "temporary failure"
        raise ApiError(500, text)
