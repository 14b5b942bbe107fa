"""Reading scripts for leaks, as seldom as possible.

Whoever proposes a script repairs what is found, and the check refuses what is left: both ask here.
Most versions of a script differ in the numbers of its settings alone, which no leak depends on.
"""

import re
from functools import lru_cache

from proveout.apps.mle import leakage
from proveout.apps.mle.leakage import Report

KEPT = 64
"""Reports that are kept: a script is asked about again soon, or never."""
SETTINGS = re.compile(r"^[A-Z][A-Z0-9_]* = \{[^{}()#]*\}$", re.MULTILINE)
"""A constant that holds names with plain values."""
NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?:e-?\d+)?(?![\w.])")
RECIPE = re.compile(r"^# \{.*\}$", re.MULTILINE)
"""What an expert notes about his script, on a line of its own."""


def examined(source: str) -> Report:
    """What the static detector says of a script; it depends on the source alone."""
    plain = _read(typical(source))
    return plain if not plain.as_findings() else _read(source)


def typical(source: str) -> str:
    """The script with round numbers for the settings; nought, one and signs may mean something."""
    same = SETTINGS.sub(lambda found: NUMBER.sub(_rounded, found[0]), source)
    return RECIPE.sub("#", same)


def _rounded(found: re.Match[str]) -> str:
    value = float(found[0])
    if value in (0.0, 1.0):
        return found[0]
    return "10" if value.is_integer() else "0.5"


@lru_cache(maxsize=KEPT)
def _read(source: str) -> Report:
    return leakage.examine(source)
