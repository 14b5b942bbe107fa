"""Reading scripts for leaks once: who proposes a script repairs it, and the check refuses what is
left. Both ask here, one after the other; and scripts that differ only in numbers that have no say
are read once for all of them."""

import threading
from collections import OrderedDict
from functools import lru_cache
from typing import NamedTuple

from proveout.apps.mle import leakage
from proveout.apps.mle.leakage import Report
from proveout.apps.mle.leakage.notebooks import is_notebook
from proveout.apps.mle.leakage.watching import examine_watching
from proveout.apps.mle.syntax import NumberToken, shape

KEPT = 64
"""Reports that are kept: a script is asked about again soon, or never."""
KEPT_SHAPES = 256
KEPT_CASES = 8
"""Of one shape: one for each group of numbers that made a difference."""


class Case(NamedTuple):
    """A report, and the numbers that it depends on, by their position in the script."""

    looked_at: dict[int, str]
    report: Report

    def holds(self, numbers: tuple[NumberToken, ...]) -> bool:
        return all(repr(numbers[at].value) == value for at, value in self.looked_at.items())


class Memory:
    """What was found in scripts without a leak, by what they have in common."""

    def __init__(self) -> None:
        self._cases: OrderedDict[str, list[Case]] = OrderedDict()
        self._lock = threading.Lock()

    def examined(self, source: str) -> Report:
        """As `leakage.examine` says it."""
        text, numbers = shape(source)
        with self._lock:
            known = [case for case in self._cases.get(text, ()) if case.holds(numbers)]
        if known:
            return known[0].report
        seen = None if is_notebook(source, "") else examine_watching(source, numbers)
        if seen is None:
            return leakage.examine(source)
        report, looked_at = seen
        if not report.findings and not report.ignored:
            # A finding quotes the script; that there is none does not.
            self._keep(text, Case({at: repr(numbers[at].value) for at in looked_at}, report))
        return report

    def _keep(self, text: str, case: Case) -> None:
        with self._lock:
            self._cases[text] = [*self._cases.pop(text, [])[1 - KEPT_CASES :], case]
            if len(self._cases) > KEPT_SHAPES:
                self._cases.popitem(last=False)


_memory = Memory()


@lru_cache(maxsize=KEPT)
def examined(source: str) -> Report:
    """What the static detector says of a script; it depends on the source alone."""
    return _memory.examined(source)
