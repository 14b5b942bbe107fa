"""How sure the naming model has to be of each distortion before it is reported.

Every distortion gets its own threshold on its odds against nothing. A false alarm has a price, the
same for all of them; each threshold is where, out of fold, the names gained no longer pay for the
alarms. The price is raised until the clean pictures give no more alarms than is allowed.
"""

import numpy as np
from numpy.typing import NDArray

from proveout.apps.iqa.fitted_models import Doubles

ALLOWED = 0.03
LOWEST, HIGHEST, USUAL = 0.3, 0.9, 0.65
PULL = 4.0
"""How many pictures' worth of gain it takes to move a threshold from the usual one to an end."""
_GRID = np.linspace(LOWEST, HIGHEST, 61)
_PRICES = np.geomspace(0.5, 60, 36)


def fitted_thresholds(
    best: NDArray[np.str_], odds: Doubles, truth: NDArray[np.str_], weight: Doubles
) -> tuple[dict[str, float], float]:
    """A threshold per name, and the price of an alarm behind them."""
    clean = truth == "clean"
    for price in _PRICES:
        found = {name: _one(name, best, odds, truth, weight, price) for name in sorted(set(best))}
        limit = np.array([found[name] for name in best])
        if float(np.mean(odds[clean] > limit[clean])) <= ALLOWED:
            break
    return found, float(price)


def _one(
    name: str,
    best: NDArray[np.str_],
    odds: Doubles,
    truth: NDArray[np.str_],
    weight: Doubles,
    price: float,
) -> float:
    """The threshold that earns most: right names count for it, alarms on clean photos against."""
    own = best == name
    right, wrong = odds[own & (truth == name)], odds[own & (truth == "clean")]
    worth = weight[own & (truth == name)]
    gains = [
        float(worth[right > limit].sum()) - price * float((wrong > limit).sum())
        - PULL * abs(limit - USUAL) / (HIGHEST - USUAL)
        for limit in _GRID
    ]  # fmt: skip
    return round(float(_GRID[int(np.argmax(gains))]), 3)
