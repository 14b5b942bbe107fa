"""Reading scripts for leaks once: who proposes a script repairs it, and the check refuses what is
left. Both ask here, one after the other."""

from functools import lru_cache

from proveout.apps.mle import leakage
from proveout.apps.mle.leakage import Report

KEPT = 64
"""Reports that are kept: a script is asked about again soon, or never."""


@lru_cache(maxsize=KEPT)
def examined(source: str) -> Report:
    """What the static detector says of a script; it depends on the source alone."""
    return leakage.examine(source)
