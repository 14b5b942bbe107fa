"""Every row gets a code; which runs disturb a value tells which single row it was computed from.

All codes have the same number of ones. A value that depends on two rows is disturbed in more runs
than any code has ones, so it is never taken for the value of one row.
"""

import itertools
import math

import numpy as np
from numpy.typing import NDArray

from proveout.apps.mle.leakage.dynamic.tables import Rows

UNKNOWN = -1
Bits = NDArray[np.bool_]


def length_for(rows: int) -> int:
    """The fewest runs that tell so many rows apart."""
    length = 2
    while math.comb(length, length // 2) < rows:
        length += 1
    return length


def codes(rows: int) -> Bits:
    """One code per row, evenly taken from all there are."""
    length = length_for(rows)
    weight = length // 2
    total = math.comb(length, weight)
    wanted = {at * total // rows: at for at in range(rows)}
    made = np.zeros((rows, length), dtype=bool)
    for number, ones in enumerate(itertools.combinations(range(length), weight)):
        if number in wanted:
            made[wanted[number], list(ones)] = True
    return made


def decoded(disturbed: Bits, known: Bits) -> Rows:
    """From positions by runs to rows; positions whose pattern is no code are unknown."""
    table = {code.tobytes(): row for row, code in enumerate(known)}
    return np.asarray(
        [table.get(pattern.tobytes(), UNKNOWN) for pattern in np.ascontiguousarray(disturbed)],
        dtype=np.int64,
    )
