"""What the product says of pictures that none of its models was fitted on, in numbers."""

import sys
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.stats import spearmanr

from benchmarks.iqa.fit.chain import Said
from benchmarks.iqa.fit.targets import MERGED, Table
from proveout.apps.iqa.catalogue import CATALOGUE
from proveout.apps.iqa.scorehead import FLOOR

SIZES = ((0, 200), (200, 300), (300, 513))
"""Short sides at working size; larger photos are reduced to the last."""
_REFERENCES = tuple(f"i{number:02d}" for number in range(1, 13))


def category(name: str) -> str:
    """Its category, or the name itself where the catalogue has none of it."""
    if name == "saturation_change":
        return CATALOGUE["oversaturation"].category
    return CATALOGUE[name].category if name in CATALOGUE else name


def report(table: Table, short: NDArray[np.int64], said: Sequence[Said]) -> dict[str, float]:
    """Names, categories, scores and false alarms, by source and by size."""
    named = np.array([MERGED.get(n, n) for one in said for n in (*one.names, "clean")[:1]])
    score = np.array([one.score for one in said])
    clean = np.asarray(table.name == "clean")
    found = clean_report(clean, short, named, score)
    for key, rows in (
        ("references", np.isin(table.group, _REFERENCES)), ("ring", table.source == "ring"),
        ("doubt", table.source == "doubt"),
    ):  # fmt: skip
        if (clean & rows).any():
            found[f"alarms_{key}"] = float(np.mean(named[clean & rows] != "clean"))
    for source in ("tid", "ring", "doubt"):
        rows = (table.source == source) & ~clean & (table.name != "doubtful")
        if rows.any():
            said_of = naming_report(table.name, named, rows)
            found |= {f"{source}_{key}": value for key, value in said_of.items()}
    for source in ("tid", "agiqa", "ring"):
        rows = (table.source == source) & np.isfinite(table.score)
        if not rows.any():
            continue
        error = score[rows] - table.score[rows]
        found[f"{source}_srcc"] = float(spearmanr(score[rows], table.score[rows])[0])
        found[f"{source}_rmse"] = float(np.sqrt(np.mean(error**2)))
    return {key: round(value, 4) for key, value in found.items()}


def clean_report(
    clean: NDArray[np.bool_],
    short: NDArray[np.int64],
    named: NDArray[np.str_],
    score: NDArray[np.float64],
) -> dict[str, float]:
    """False alarms, and scores that say so, of all clean pictures and by size."""
    found = {}
    for key, rows in (
        ("", clean),
        *((f"_from_{a}", clean & (short >= a) & (short < b)) for a, b in SIZES),
    ):
        if rows.any():
            found[f"alarms{key}"] = float(np.mean(named[rows] != "clean"))
            found[f"clean_scores{key}"] = float(np.mean(score[rows] >= FLOOR))
    return found


def naming_report(
    truth: NDArray[np.str_], named: NDArray[np.str_], rows: NDArray[np.bool_]
) -> dict[str, float]:
    """As reported, a picture that is called clean counting as wrong; what is wrong is printed."""
    for name in sorted(set(truth[rows])):
        own = rows & (truth == name)
        wrong, count = np.unique(named[own & (named != name)], return_counts=True)
        most = sorted(zip(count.tolist(), wrong.tolist(), strict=True), reverse=True)[:4]
        print(f"  {name:22s} {np.mean(named[own] == name):.2f} of {own.sum():4d}", most,
              file=sys.stderr)  # fmt: skip
    pairs = zip(named[rows], truth[rows], strict=True)
    return {
        "named": float(np.mean(named[rows] == truth[rows])),
        "category": float(np.mean([category(one) == category(other) for one, other in pairs])),
        "missed": float(np.mean(named[rows] == "clean")),
    }
