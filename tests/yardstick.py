"""How long something may take, measured on the machine that it runs on."""

import time
from collections.abc import Callable

PASSES = 100
"""Over a text, for reading it: whoever goes back again and again needs millions for a long one."""


def passes(text: str, reading: Callable[[], object]) -> float:
    """Processor time of reading, in passes of plain Python over the text."""
    began = time.process_time()
    sum(map(ord, text))
    once = max(time.process_time() - began, 1e-3)
    began = time.process_time()
    reading()
    return (time.process_time() - began) / once
