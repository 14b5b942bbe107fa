"""Numbers in a sentence must have been measured."""

import re
from collections.abc import Iterable, Mapping

from proveout.apps.iqa.language.text import cleaned

_NUMBER = re.compile(
    r"(?<![\w.])(?P<number>[-+]?\d+(?:,\d{3})*(?:\.\d+)?)(?!\w)"
    r"(?P<percent>\s?(?:%|percent|per cent))?"
)
_NOT_MEASURED = re.compile(
    r"(?i)\bjpeg[ -]?2000\b|\bjpeg[ -]?2k\b|\b(?:from\s+)?1\s*(?:to|-|\.\.)\s*5\b|"
    r"\b(?:out )?of 5\b|"
    r"\b8[ -]?(?:x|×|by)[ -]?8\b|\b8-pixel\b|\bof 255\b|"
    r"\b8-bit\b|\b16-bit\b|\brec\. ?601\b|\bssimulacra ?2\b"
)
"""Names and the scale itself; they contain digits and claim nothing."""


def numbers_grounded(text: str, evidence: Iterable[float] | Mapping[str, float]) -> list[str]:
    """The numbers of a text that no measured value rounds to, as written.

    A number grounds on a value that equals it at the number's own precision; a percentage also on
    the share it stands for, and a magnitude on a value of either sign.
    """
    values = evidence.values() if isinstance(evidence, Mapping) else evidence
    sizes = [abs(value) for value in values]
    plain = _NOT_MEASURED.sub(" ", cleaned(text))
    loose = []
    for found in _NUMBER.finditer(plain):
        written = found["number"].replace(",", "")
        digits = len(written.partition(".")[2])
        number = abs(float(written))
        candidates = [*sizes, *(100 * size for size in sizes)] if found["percent"] else sizes
        # Half a unit of the last digit, whichever way the writer rounds a tie.
        reach = 0.5 * 10.0**-digits * (1 + 1e-9)
        if not any(abs(value - number) <= reach for value in candidates):
            loose.append(found["number"])
    return loose
