"""What each collected picture is called and how it scores, before anything is fitted."""

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from proveout.apps.iqa.fitted_models import Doubles

FOLDS = 4
MERGED = {"undersaturation": "saturation_change", "oversaturation": "saturation_change"}
DOUBTFUL = 4.45
"""Own distortions that score more are hardly visible: neither clean nor an example of anything."""
FAMILIAR = 0.75
"""Pairs newer than this to the full-reference score keep some of the score by level."""
ASSUMED: dict[str, tuple[float, ...]] = {
    "upscaling": (3.9, 3.4, 2.8, 2.2, 1.6),
    "webp": (4.2, 3.8, 3.4, 2.6, 1.8),
    "correlated_noise": (3.8, 3.2, 2.8, 2.3, 1.8),
    "high_frequency_noise": (4.0, 3.6, 3.2, 2.8, 2.4),
    "noisy_compression": (3.8, 3.4, 3.0, 2.5, 1.9),
    "color_cast": (4.4, 4.1, 3.6, 3.0, 2.4),
    "vignetting": (4.4, 4.2, 3.9, 3.4, 2.7),
    "haze": (4.2, 3.8, 3.2, 2.5, 1.8),
    "interlacing": (4.0, 3.4, 2.8, 2.2, 1.7),
}
"""Nobody rated these: set by hand so that the score falls as they grow, at low weight."""


@dataclass(frozen=True)
class Table:
    """Features and labels of all samples."""

    features: Doubles
    source: NDArray[np.str_]
    group: NDArray[np.str_]
    name: NDArray[np.str_]
    score: Doubles
    digest: str

    def chosen(self, rows: NDArray[np.bool_]) -> "Table":
        """Some of the samples."""
        return Table(
            self.features[rows], self.source[rows], self.group[rows], self.name[rows],
            self.score[rows], self.digest,
        )  # fmt: skip

    def fold(self) -> NDArray[np.int64]:
        """A fold per sample: groups dealt out in the order of a hash of their name."""
        place = folds_of(self.group)
        return np.array([place[group] for group in self.group])


def folds_of(groups: NDArray[np.str_]) -> dict[str, int]:
    """The fold of each group."""
    ordered = sorted({str(g) for g in groups}, key=lambda g: sha256(g.encode()).hexdigest())
    return {group: number % FOLDS for number, group in enumerate(ordered)}


def read(paths: list[Path]) -> Table:
    kept = [np.load(path, allow_pickle=False) for path in paths]
    first = kept[0]["names"]
    assert all((table["names"] == first).all() for table in kept)
    digest = sha256()
    for table in kept:
        digest.update(table["X"].tobytes() + table["score"].tobytes())
    column = {
        key: np.concatenate([table[key] for table in kept])
        for key in ("X", "source", "group", "name", "level", "score", "compared", "novelty")
    }
    name = column["name"].astype("<U32")
    score = _scores(column, name)
    own = (column["source"] == "ring") & (name != "clean")
    name[own & (name == "mean_shift")] = "doubtful"
    name[own & (score >= DOUBTFUL)] = "doubtful"
    return Table(
        features=column["X"],
        source=column["source"],
        group=column["group"],
        name=np.array([MERGED.get(one, one) for one in name]),
        score=score,
        digest=digest.hexdigest(),
    )


def _scores(column: dict[str, NDArray[np.generic]], name: NDArray[np.str_]) -> Doubles:
    """People's scores where there are some; else what the comparison with the original says."""
    score = np.asarray(column["score"], np.float64).copy()
    level = np.asarray(column["level"], np.float64)
    own = column["source"] == "ring"
    for one, values in ASSUMED.items():
        rows = own & (name == one)
        score[rows] = np.interp(level[rows], range(1, 6), values)
    compared = np.asarray(column["compared"], np.float64)
    novelty = np.asarray(column["novelty"], np.float64)
    share = np.clip((1 - novelty) / (1 - FAMILIAR), 0, 1)
    known = np.isfinite(compared)
    mixed = np.where(np.isfinite(score), share * compared + (1 - share) * score, compared)
    return np.asarray(np.where(known, mixed, score), np.float64)
