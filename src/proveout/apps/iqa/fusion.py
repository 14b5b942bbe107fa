"""Score fusion: what tools measured and what an observer believes, as one number.

The published formula is a product of two distributions over the five levels. As printed it is not
normalised (a uniform belief would return a fifth of the tools' mean), so it is normalised here; and
its ends are compressed (with a uniform belief nothing below 1.29 or above 4.71 can come out), so a
final monotone map stretches the range back to 1..5.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

LEVELS: tuple[str, ...] = ("Bad", "Poor", "Fair", "Good", "Excellent")
"""From 1 to 5."""
LETTERS: Mapping[str, int] = {"A": 5, "B": 4, "C": 3, "D": 2, "E": 1}
"""The scoring prompt lists the levels from best to worst."""
UNIFORM = (0.2, 0.2, 0.2, 0.2, 0.2)
ONE_CLASS, OTHER_CLASSES = 0.7, 0.075
"""Belief when an observer names one level and gives no probabilities."""
NO_MASS = 1e-12


@dataclass(frozen=True)
class ScoreFusion:
    """`eta` sharpens the tools' say."""

    eta: float = 1.0

    def perceptual_weights(self, tool_mean: float) -> tuple[float, ...]:
        """How well each level fits the tools' mean."""
        raw = [math.exp(-self.eta * (tool_mean - level) ** 2) for level in range(1, 6)]
        total = sum(raw)
        return tuple(weight / total for weight in raw)

    def fuse(
        self, tool_scores: Sequence[float], belief: Sequence[float] | None = None
    ) -> float | None:
        """The fused score from 1 to 5; None where there is neither a tool nor a belief."""
        if not tool_scores:
            return None if belief is None else _mean_level(_normalised(belief))
        mean = sum(tool_scores) / len(tool_scores)
        if belief is None:
            # Nobody contradicts the tools: their mean is the answer, ends included.
            return min(5.0, max(1.0, mean))
        weights = self.perceptual_weights(mean)
        joint = [a * p for a, p in zip(weights, _normalised(belief), strict=True)]
        if sum(joint) < NO_MASS:
            return min(5.0, max(1.0, mean))
        return self._stretched(_mean_level(_normalised(joint)))

    def _stretched(self, fused: float) -> float:
        """Undo the compression of the ends: what uniform belief makes of 1 and 5 is 1 and 5."""
        low = _mean_level(self.perceptual_weights(1.0))
        high = _mean_level(self.perceptual_weights(5.0))
        stretched = 1.0 + 4.0 * (fused - low) / (high - low)
        return min(5.0, max(1.0, stretched))


def belief_in(level: int) -> tuple[float, ...]:
    """The belief of an observer who names one level, 1 to 5."""
    return tuple(ONE_CLASS if number == level else OTHER_CLASSES for number in range(1, 6))


def level_of(score: float) -> str:
    """The word for a score."""
    return LEVELS[min(4, max(0, math.floor(score + 0.5) - 1))]


def letter_of(score: float) -> str:
    """The letter of the scoring prompt for a score."""
    number = LEVELS.index(level_of(score)) + 1
    return next(letter for letter, value in LETTERS.items() if value == number)


def _mean_level(weights: Sequence[float]) -> float:
    return sum(weight * level for level, weight in enumerate(weights, start=1))


def _normalised(weights: Sequence[float]) -> tuple[float, ...]:
    if len(weights) != len(LEVELS) or not all(math.isfinite(w) and w >= 0 for w in weights):
        message = "a belief is five finite weights, none negative"
        raise ValueError(message)
    total = sum(weights)
    return tuple(weight / total for weight in weights) if total > NO_MASS else UNIFORM
