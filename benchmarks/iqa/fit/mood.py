"""The second look, at light and colour: its models and how sure they have to be."""

import numpy as np
from numpy.typing import NDArray

from benchmarks.iqa.fit import train
from benchmarks.iqa.fit.mood_samples import MOODS
from proveout.apps.iqa.fitted_models import Doubles
from proveout.apps.iqa.scorehead import TREES_SHARE

CLASSES = ("clean", "other", *MOODS)
NETWORKS = 2
ALARMS = 0.002
"""Share of clean pictures that each name may be said of wrongly, out of fold."""


def fitted(
    table: Doubles, label: NDArray[np.int64], rows: NDArray[np.bool_]
) -> tuple[Doubles, train.Arrays]:
    """Chances of every class for the whole table by models fitted on `rows`, and the models."""
    weight = np.where(label[rows] == 0, 1.5, 1.0)
    arrays = train.scaling(table[rows])
    scaled = train.scaled(table, arrays)
    trees = train.boosted_names(table[rows], label[rows], weight)
    chances = TREES_SHARE * np.asarray(trees.predict_proba(table.astype(np.float32)))
    arrays |= train.tree_arrays(trees, "trees") | {"networks": np.array(NETWORKS)}
    for number in range(NETWORKS):
        network = train.network_names(scaled[rows], label[rows], weight, number, width=24)
        arrays |= train.network_arrays(network, f"network{number}")
        chances = chances + (1 - TREES_SHARE) / NETWORKS * network.predict_proba(scaled)
    return chances, arrays


def odds_of(chances: Doubles) -> Doubles:
    """Of every class against nothing of the kind."""
    return np.asarray(chances / (chances + chances[:, :2].sum(axis=1, keepdims=True) + 1e-9))


def limits(best: NDArray[np.int64], odds: Doubles, clean: NDArray[np.bool_]) -> list[float]:
    """The odds that each name must pass, so that it is seldom said of a clean picture."""
    allowed = int(ALARMS * clean.sum())
    found = []
    for place in range(len(CLASSES)):
        wrong = np.sort(odds[clean & (best == place), place])[::-1]
        found.append(float(wrong[allowed]) if len(wrong) > allowed else 0.5)
    return [round(max(limit, 0.5), 4) for limit in found]
