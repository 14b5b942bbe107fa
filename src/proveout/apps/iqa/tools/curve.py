"""From a tool's raw value to the common scale of 1 (bad) to 5 (imperceptible)."""

import math
from typing import NamedTuple

import numpy as np

WORST, BEST = 1.0, 5.0


class Logistic(NamedTuple):
    """q = b1 (1/2 - 1/(1 + exp(b2 (x - b3)))) + b4 x + b5.

    The "1 +" is missing in the formula as the AgenticIQA paper prints it; without it most tools
    leave the scale.
    """

    b1: float
    b2: float
    b3: float
    b4: float
    b5: float

    def quality(self, raw: float) -> float:
        """Within 1 to 5."""
        return min(BEST, max(WORST, self.free(raw)))

    def free(self, raw: float) -> float:
        """Without clipping."""
        power = self.b2 * (raw - self.b3)
        # exp() of large numbers overflows; the fraction is 0 or 1 long before.
        fraction = 1 / (1 + math.exp(power)) if power < 700 else 0.0
        return self.b1 * (0.5 - fraction) + self.b4 * raw + self.b5

    def monotone(self, low: float, high: float, *, rising: bool, points: int = 513) -> bool:
        """Whether better raw values never map to a lower quality between `low` and `high`."""
        mapped = np.array([self.free(float(raw)) for raw in np.linspace(low, high, points)])
        steps = np.diff(mapped) if rising else -np.diff(mapped)
        return bool((steps >= -1e-9).all())
