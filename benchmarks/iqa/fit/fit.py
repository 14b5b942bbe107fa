"""Fit score head, naming model and thresholds on collected features; report grouped folds.

`python -m benchmarks.iqa.fit.fit TABLE.npz … --out src/proveout/apps/iqa/fitted`. Groups
(references, prompts, photos) never stand on both sides of a fold; every number printed and stored
is out of fold. What the product makes of it together with the other models is told by `stack`.
"""

import argparse
import datetime
import json
import sys
import warnings
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.stats import spearmanr
from sklearn.isotonic import IsotonicRegression

from benchmarks.iqa.fit import train
from benchmarks.iqa.fit.targets import FOLDS, Table, read
from benchmarks.iqa.fit.thresholds import fitted_thresholds
from proveout.apps.iqa.catalogue import CATALOGUE, TID2013
from proveout.apps.iqa.features import names as feature_names
from proveout.apps.iqa.fitted_models import Doubles
from proveout.apps.iqa.scorehead import (
    COLOURLESS,
    NOTHING,
    TREES_SHARE,
)

VERSION = "2"
CLEAN_WEIGHT, CLEAN_SCORE = 0.2, 4.85
SOURCE_WEIGHT = {"tid": 1.0, "agiqa": 0.5, "ring": 0.15, "doubt": 0.0}
CLEAN_TIMES, RATED_TIMES = 4.0, 2.5
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
    weight = weight * np.where(table.source[use] == "tid", RATED_TIMES, 1.0)
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


def out_of_fold(table: Table, classes: list[str], nets: int) -> tuple[Doubles, Doubles]:
    fold = table.fold()
    scores, chances = np.zeros(len(fold)), np.zeros((len(fold), len(classes)))
    for number in range(FOLDS):
        rows, out = fold != number, fold == number
        chance = predict_names(table, rows, classes, nets)[0]
        chances[out] = chance[out]
        scores[out] = predict_scores(table, rows, classes, chance)[0][out]
        print(f"fold {number + 1} of {FOLDS}", file=sys.stderr, flush=True)
    return scores, chances


def with_clean(scores: Doubles, clean: Doubles) -> Doubles:
    """As the product does: a picture named clean is pulled up."""
    return np.asarray(scores + CLEAN_WEIGHT * clean * np.maximum(CLEAN_SCORE - scores, 0))


def calibrated(
    raw: Doubles, table: Table, rows: NDArray[np.bool_]
) -> tuple[list[float], list[float]]:
    """A monotone map with few points from raw to people's scores."""
    known = np.isfinite(table.score) & rows
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


def presence(
    table: Table, best: NDArray[np.str_], odds: Doubles
) -> tuple[NDArray[np.bool_], dict[str, float]]:
    """Whether each is taken to be there by thresholds of other folds, and thresholds of all."""
    fold, value = table.fold(), worth(table)
    there = np.zeros(len(fold), bool)
    for number in range(FOLDS):
        rows, out = fold != number, fold == number
        found, _ = fitted_thresholds(best[rows], odds[rows], table.name[rows], value[rows])
        limit = np.array([found.get(name, 0.8) for name in best[out]])
        there[out] = odds[out] > limit
    found, price = fitted_thresholds(best, odds, table.name, value)
    print(f"price of a false alarm: {price:.1f} names", file=sys.stderr)
    return there, found


def naming_report(
    table: Table,
    chances: Doubles,
    classes: list[str],
    best: NDArray[np.str_],
    there: NDArray[np.bool_],
) -> dict[str, float]:
    """Naming out of fold, per source, and false alarms."""
    clean = table.name == "clean"
    named = np.where(there, best, "clean")
    family = np.array([_family(name) for name in named])
    truth = np.array([_family(name) for name in table.name])
    report = {"false_alarms": float(np.mean(named[clean] != "clean"))}
    real = clean & (table.source == "ring")
    own = np.array([_only_own_name(group) for group in table.group])
    report["false_alarms_references"] = float(np.mean(named[real & own] != "clean"))
    tid = table.source == "tid"
    within = chances[tid][:, [classes.index(name) for name in TID2013]]
    guess = np.array(TID2013)[within.argmax(axis=1)]
    report["tid_top1"] = float(np.mean(best[tid] == table.name[tid]))
    report["tid_top1_24"] = float(np.mean(guess == table.name[tid]))
    report["tid_top1_rejecting"] = float(np.mean(named[tid] == table.name[tid]))
    report["tid_family"] = float(np.mean(family[tid] == truth[tid]))
    ring = (table.source == "ring") & ~clean & (table.name != "doubtful")
    report["ring_top1"] = float(np.mean(named[ring] == table.name[ring]))
    report["ring_family"] = float(np.mean(family[ring] == truth[ring]))
    report["ring_missed"] = float(np.mean(named[ring] == "clean"))
    for name in sorted(set(table.name[tid])):
        rows = tid & (table.name == name)
        wrong = named[rows & (named != name)]
        common = ", ".join(
            f"{n} {c}" for n, c in zip(*np.unique(wrong, return_counts=True), strict=True)
        )
        print(f"  tid {name:24s} {np.mean(named[rows] == name):.2f}  {common}")
    return report


def _family(name: str) -> str:
    return CATALOGUE[name].category if name in CATALOGUE else "clean"


def _only_own_name(group: str) -> bool:
    return len(group) == 3 and group[0] == "i" and group[1:].isdigit()


def score_report(table: Table, final: Doubles) -> dict[str, float]:
    report = {}
    for source in ("tid", "agiqa", "ring"):
        rows = (table.source == source) & np.isfinite(table.score)
        if rows.sum() < 10:
            continue
        report[f"{source}_srcc"] = float(spearmanr(final[rows], table.score[rows])[0])
        report[f"{source}_rmse"] = float(np.sqrt(np.mean((final[rows] - table.score[rows]) ** 2)))
    clean = table.name == "clean"
    report["clean_median"] = float(np.median(final[clean]))
    report["clean_at_least_4.2"] = float(np.mean(final[clean] >= 4.2))
    return report


def save(folder: Path, name: str, arrays: train.Arrays, facts: dict[str, object]) -> None:
    np.savez_compressed(folder / f"{name}.npz", allow_pickle=False, **arrays)
    (folder / f"{name}.json").write_text(json.dumps(facts, indent=1, sort_keys=True) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", type=Path, nargs="+")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--networks", type=int, default=2)
    given = parser.parse_args()
    warnings.filterwarnings("ignore", category=UserWarning)
    table = read(given.tables)
    counts = {name: int((table.name == name).sum()) for name in sorted(set(table.name))}
    classes = classes_of(table)
    scores, chances = out_of_fold(table, classes, given.networks)
    raw = with_clean(scores, chances[:, classes.index("clean")])
    points, values = calibrated(raw, table, np.ones(len(raw), bool))
    final = np.clip(np.interp(raw, points, values), 1, 5)
    best, odds = likeliest(table, chances, classes)
    there, limits = presence(table, best, odds)
    naming = naming_report(table, chances, classes, best, there)
    scored = score_report(table, final)
    print(json.dumps({"score": scored, "naming": naming}, indent=1))
    common: dict[str, object] = {
        "version": VERSION,
        "fit_data_sha256": table.digest,
        "samples": {s: int((table.source == s).sum()) for s in sorted(set(table.source))},
        "groups": {s: len(set(table.group[table.source == s])) for s in sorted(set(table.source))},
        "folds": FOLDS,
        "features": int(table.features.shape[1]),
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "command": "python -m benchmarks.iqa.fit.fit",
    }
    everything = np.ones(len(table.score), bool)
    arrays, means = predict_scores(table, everything, classes, chances)[1:]
    facts = score_facts(points, values, means)
    save(given.out, "score", arrays, common | facts | {"out_of_fold": scored})
    names = predict_names(table, everything, classes, given.networks)[1]
    facts = naming_facts(classes, limits) | {"out_of_fold": naming, "counts": counts}
    save(given.out, "naming", names, common | facts)


if __name__ == "__main__":
    main()
