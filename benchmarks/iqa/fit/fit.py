"""The first look: names of distortions, the score, and the curves that belong to them."""

import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.isotonic import IsotonicRegression

from benchmarks.iqa.fit import train
from benchmarks.iqa.fit.targets import Table
from proveout.apps.iqa.features import names as feature_names
from proveout.apps.iqa.fitted_models import Doubles
from proveout.apps.iqa.scorehead import (
    COLOURLESS,
    NOTHING,
    TREES_SHARE,
)

CLEAN_WEIGHT, CLEAN_SCORE = 0.2, 4.85
SOURCE_WEIGHT = {"tid": 1.0, "agiqa": 0.5, "ring": 0.15, "doubt": 0.0}
CLEAN_TIMES, NAME_TIMES = 4.0, {"tid": 2.5, "doubt": 0.6}
"""What a clean picture weighs for the score, and pictures of a source for the names."""
TYPE_SHARE = 0.5
"""How much of a type's mean score is taken from the score before the trees see it."""


def classes_of(table: Table) -> list[str]:
    """What the naming model tells apart."""
    return sorted(set(table.name[table.source != "doubt"]) - {"doubtful"})


def naming_facts(classes: list[str], limits: dict[str, float]) -> dict[str, object]:
    return {
        "classes": classes,
        "least_odds": [limits.get(name, 0.8) for name in classes],
        "chroma_place": [feature_names().index("colour.chroma")],
        "second_chance": [0.25],
        "middle_chroma": [18.0],
    }


def score_facts(points: list[float], values: list[float], means: Doubles) -> dict[str, object]:
    return {
        "raw_points": points,
        "score_points": values,
        "type_scores": [TYPE_SHARE * float(mean) for mean in means],
        "clean_weight": [CLEAN_WEIGHT],
        "clean_score": [CLEAN_SCORE],
    }


def type_scores(table: Table, rows: NDArray[np.bool_], classes: list[str]) -> Doubles:
    """Mean score of each class among `rows`, people's scores counting most."""
    weight = weights(table)
    found = []
    for name in classes:
        use = rows & (table.name == name) & np.isfinite(table.score)
        found.append(float(np.average(table.score[use], weights=weight[use])))
    return np.array(found)


def weights(table: Table) -> Doubles:
    weight = np.array([SOURCE_WEIGHT[source] for source in table.source])
    weight[table.name == "clean"] *= CLEAN_TIMES
    return weight


def predict_scores(
    table: Table, rows: NDArray[np.bool_], classes: list[str], chances: Doubles
) -> tuple[Doubles, train.Arrays, Doubles]:
    """Scores for the whole table by models fitted on `rows`, the models, and the types' means.

    The trees learn what a type's mean does not tell. When they are asked, nobody knows the type:
    then the chances stand in for it.
    """
    use = rows & np.isfinite(table.score)
    means = type_scores(table, rows, classes)
    place = {name: number for number, name in enumerate(classes)}
    own = np.array([means[place[n]] if n in place else np.nan for n in table.name])
    own = np.where(np.isfinite(own), own, np.where(np.isfinite(table.score), table.score, 0))
    arrays = train.scaling(table.features[use])
    rest = table.score[use] - TYPE_SHARE * own[use]
    trees = train.boosted_scores(table.features[use], rest, weights(table)[use])
    total = trees.predict(table.features.astype(np.float32)) + TYPE_SHARE * chances @ means
    arrays |= train.tree_arrays(trees, "trees") | {"networks": np.array(0)}
    return np.asarray(total), arrays, means


def predict_names(
    table: Table, rows: NDArray[np.bool_], classes: list[str], nets: int
) -> tuple[Doubles, train.Arrays]:
    """Chances of every class for the whole table by models fitted on `rows`, and the models."""
    use = rows & np.isin(table.name, classes)
    label = np.array([classes.index(name) if name in classes else -1 for name in table.name])
    counts = np.bincount(label[use], minlength=len(classes))
    weight = (1 / np.sqrt(np.maximum(counts, 1)))[label[use]]
    weight = weight / weight.mean() * np.where(table.name[use] == "clean", 2.5, 1.0)
    weight = weight * np.array([NAME_TIMES.get(source, 1.0) for source in table.source[use]])
    arrays = train.scaling(table.features[use])
    scaled = train.scaled(table.features, arrays)
    trees = train.boosted_names(table.features[use], label[use], weight)
    chances = TREES_SHARE * np.asarray(trees.predict_proba(table.features.astype(np.float32)))
    arrays |= train.tree_arrays(trees, "trees") | {"networks": np.array(nets)}
    for number in range(nets):
        network = train.network_names(scaled[use], label[use], weight, number)
        arrays |= train.network_arrays(network, f"network{number}")
        chances = chances + (1 - TREES_SHARE) / nets * network.predict_proba(scaled)
    return chances, arrays


def with_clean(scores: Doubles, clean: Doubles) -> Doubles:
    """As the product does: a picture named clean is pulled up."""
    return np.asarray(scores + CLEAN_WEIGHT * clean * np.maximum(CLEAN_SCORE - scores, 0))


def calibrated(
    raw: Doubles, table: Table, rows: NDArray[np.bool_]
) -> tuple[list[float], list[float]]:
    """A monotone map with few points from raw to people's scores."""
    known = np.isfinite(table.score) & rows & (table.source != "doubt")
    fitted = IsotonicRegression(y_min=1, y_max=5, out_of_bounds="clip")
    # Clean photos weigh more: that they are called clean matters most.
    weight = np.where(table.name[known] == "clean", 3.0, 1.0)
    fitted.fit(raw[known], table.score[known], sample_weight=weight)
    points = np.quantile(raw[known], np.linspace(0.01, 0.99, 12))
    values = np.maximum.accumulate(fitted.predict(points))
    low, high = float(points[0]) - 0.6, float(points[-1]) + 0.3
    return (
        [low, *(float(p) for p in points), high],
        [max(1.0, float(values[0]) - 0.5), *(float(v) for v in values), 5.0],
    )


def likeliest(
    table: Table, chances: Doubles, classes: list[str]
) -> tuple[NDArray[np.str_], Doubles]:
    """The likeliest distortion of each sample, and its odds against nothing."""
    none = [classes.index(name) for name in NOTHING if name in classes]
    nothing = chances[:, none].sum(axis=1)
    only = chances.copy()
    only[:, none] = -1
    best = np.array(classes)[only.argmax(axis=1)]
    odds = only.max(axis=1) / (only.max(axis=1) + nothing + 1e-9)
    chroma = table.features[:, feature_names().index("colour.chroma")]
    return best, np.where((best == "saturation_change") & (chroma < COLOURLESS), 0.0, odds)


def worth(table: Table) -> Doubles:
    """What a right name counts when thresholds are set."""
    return np.where(table.source == "tid", 1.0, 0.4)


def save(folder: Path, name: str, arrays: train.Arrays, facts: dict[str, object]) -> None:
    np.savez_compressed(folder / f"{name}.npz", allow_pickle=False, **arrays)
    (folder / f"{name}.json").write_text(json.dumps(facts, indent=1, sort_keys=True) + "\n")
