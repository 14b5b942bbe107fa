"""The full-reference score: all metrics and the kind of change together, on the scale of 1 to 5.

A base that only rises with its metrics (a weighted mean of five fitted curves) is corrected by a
kernel regression on the features of the pair. Far from every picture of the fit the correction
fades out and the base remains, so unknown distortions are still judged, and the interval widens.
"""

from dataclasses import dataclass
from functools import cache
from importlib.resources import as_file, files
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from proveout.apps.iqa.frame import Floats
from proveout.apps.iqa.tools.curve import BEST, WORST, Logistic
from proveout.apps.iqa.tools.fr_features import TINY, UNIT_METRICS, fr_features, reduced
from proveout.apps.iqa.tools.planes import Measured
from proveout.apps.iqa.tools.saliency import vsi

Array = NDArray[np.float64]
FITTED = "proveout.apps.iqa.fitted"


@dataclass(frozen=True)
class FrScore:
    """A score with what is known of its error."""

    quality: float
    low: float
    high: float
    """`low` to `high` holds nine of ten human scores of pictures unlike those of the fit."""
    novelty: float
    """0 close to pictures of the fit, 1 far from all of them."""


class Stack(NamedTuple):
    """The fitted numbers, as plain arrays."""

    names: tuple[str, ...]
    centre: Array
    spread: Array
    mean: Array
    deviation: Array
    support: Array
    """Pictures of the fit, in standard features."""
    weights: Array
    gamma: float
    base_names: tuple[str, ...]
    base_curves: tuple[Logistic, ...]
    base_weights: Array
    error_floor: float
    error_slope: float
    quantile: float

    def standard(self, features: Array) -> Array:
        squashed = np.arcsinh((features - self.centre) / self.spread)
        return np.asarray((squashed - self.mean) / self.deviation)

    def base(self, features: Array) -> Array:
        """Rows of quality that never fall when a metric improves."""
        total = np.zeros(len(features))
        for name, curve, weight in zip(
            self.base_names, self.base_curves, self.base_weights, strict=True
        ):
            raw = raw_metric(name, features[:, self.names.index(name)])
            total += weight * np.array([curve.quality(float(value)) for value in raw])
        return total

    def kernel(self, standard: Array) -> Array:
        squares = (standard**2).sum(1)[:, None] + (self.support**2).sum(1)[None]
        return np.asarray(
            np.exp(-self.gamma * np.maximum(squares - 2 * standard @ self.support.T, 0))
        )

    def predict(self, features: Array) -> tuple[Array, Array]:
        """Quality, not clipped, and novelty, for rows of features."""
        near = self.kernel(self.standard(features))
        return self.base(features) + near @ self.weights, 1 - near.max(axis=1)

    def half_width(self, novelty: float) -> float:
        return self.quantile * (self.error_floor + self.error_slope * novelty)


def raw_metric(name: str, feature: Array) -> Array:
    """The metric, back from the feature made of it; values above 1 count as 1."""
    return 1 - (np.exp(-feature) - TINY) if name in UNIT_METRICS else feature


def assess(reference: Floats, test: Floats) -> FrScore:
    """A registered pair."""
    if np.array_equal(reference, test):
        return FrScore(BEST, BEST, BEST, 0.0)
    model = stack()
    found = fr_features(reference, test)
    row = np.array([[found[name] for name in model.names]])
    quality, novelty = model.predict(row)
    middle = min(BEST, max(WORST, float(quality[0])))
    half = model.half_width(float(novelty[0]))
    return FrScore(
        quality=round(middle, 4),
        low=round(max(WORST, middle - half), 4),
        high=round(min(BEST, middle + half), 4),
        novelty=round(float(novelty[0]), 4),
    )


def fr_score(reference: Floats, test: Floats) -> Measured:
    """The score as a tool; its map is that of VSI, the strongest single metric."""
    score = assess(reference, test)
    where = vsi(reduced(reference), reduced(test)).map
    return Measured(score.quality, where, (score.low, score.high))


@cache
def stack() -> Stack:
    with as_file(files(FITTED).joinpath("fr_score.npz")) as path, np.load(path) as kept:
        return Stack(
            names=tuple(str(name) for name in kept["names"]),
            centre=kept["centre"],
            spread=kept["spread"],
            mean=kept["mean"],
            deviation=kept["deviation"],
            support=kept["support"].astype(np.float64),
            weights=kept["weights"],
            gamma=float(kept["gamma"]),
            base_names=tuple(str(name) for name in kept["base_names"]),
            base_curves=tuple(Logistic(*map(float, row)) for row in kept["base_curves"]),
            base_weights=kept["base_weights"],
            error_floor=float(kept["error_floor"]),
            error_slope=float(kept["error_slope"]),
            quantile=float(kept["quantile"]),
        )
