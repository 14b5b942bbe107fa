"""What a model is given in one fold, and what all models share."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from proveout.apps.mle.experts.blocks.settings import LABELS

Restore = Callable[[np.ndarray], np.ndarray]


@dataclass
class Part:
    """One fold's training rows, and rows to predict from them."""

    fit: pd.DataFrame
    y: np.ndarray
    others: list[pd.DataFrame]
    times: list[pd.DataFrame]
    """Day and series of the training rows and of the others."""
    steps: tuple[str, ...]
    weight: np.ndarray
    stop: np.ndarray
    """Training rows that only tell when to stop."""
    keys: np.ndarray
    """Training rows of one key belong together: copies of a row, or a group."""
    seed: int = 0
    deadline: float = 0.0
    views: dict[str, list[Any]] = field(default_factory=dict)

    @property
    def tables(self) -> list[pd.DataFrame]:
        return [self.fit, *self.others]


def seen(part: Part, view: Callable[..., list[Any]], **options: Any) -> list[Any]:
    """A view of the part's rows, made once for all models that share it."""
    key = f"{view.__name__} {options}"
    if key not in part.views:
        part.views[key] = view(part, **options)
    return part.views[key]


def out_of_time(part: Part) -> bool:
    """Whether this fit has used up its share of the time limit."""
    return time.monotonic() > part.deadline


def some_of(count: int, share: float, seed: int) -> np.ndarray:
    """Which of so many are chosen, by chance: about that share, at least one, never all."""
    chosen = min(max(1, round(share * count)), count - 1)
    return np.asarray(np.random.default_rng(seed).permutation(count) < chosen)


def two_columns(chance: np.ndarray) -> np.ndarray:
    """Probabilities of both classes from that of the second."""
    return np.column_stack([1 - chance, chance])


def all_classes(chances: np.ndarray, present: np.ndarray) -> np.ndarray:
    """A column for each label, also for those that were not among the training rows."""
    full = np.zeros((len(chances), len(LABELS)))
    full[:, present.astype(int)] = chances
    return full


def predicted(model: Any, others: list[Any]) -> list[np.ndarray]:
    """Probabilities of a classifier, or values of a regressor as one column."""
    if LABELS:
        return [all_classes(model.predict_proba(rows), model.classes_) for rows in others]
    return [np.asarray(model.predict(rows), dtype=float).reshape(-1, 1) for rows in others]
