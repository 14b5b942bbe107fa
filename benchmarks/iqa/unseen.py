"""Photos that nothing was fitted on: clean in many sizes and ways, and distorted, as it ships.

`python -m benchmarks.iqa.unseen PHOTOS --table T.npz` takes the measures of the pictures, unless
the table is there already, and judges them by the models that ship. Clean pictures are made as for
the fit, with other seeds; distortions come from `other_distort`, which nothing was fitted on.
"""

import argparse
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from benchmarks.iqa.fit.chain import decided
from benchmarks.iqa.fit.collect import collect
from benchmarks.iqa.fit.distort import Pixels
from benchmarks.iqa.fit.presence_samples import averaged, clean_ways
from benchmarks.iqa.fit.samples import CLEAN_SCORE, Sample, clean_variant, file_at
from benchmarks.iqa.fit.stack_report import clean_report, naming_report
from benchmarks.iqa.fit.taken import rows_of
from benchmarks.iqa.fit.targets import MERGED
from benchmarks.iqa.other_distort import DISTORTIONS, distort

SEED = 101
PLAIN = (150, 256)
"""Short sides of plain block averages, beside the ways of the fit."""
DISTORTED = 4
LEVELS = (1, 2, 3, 4, 5)


def pictures(folder: Path) -> Iterator[Sample]:
    """Of every photo the clean ways, two plain averages, and some distortions at dealt levels."""
    kinds = tuple(DISTORTIONS)
    for number, path in enumerate(sorted(folder.glob("*.png"))):
        photo = file_at(path)()
        for turn, make in enumerate(clean_ways(photo)):
            load = _made(make, (SEED, number, turn))
            yield Sample("ways", path.stem, "clean", 0, CLEAN_SCORE, load)
        for short in PLAIN:
            yield Sample("plain", path.stem, "clean", 0, CLEAN_SCORE, _average(photo, short))
        for turn in range(DISTORTED):
            dealt = number * DISTORTED + turn
            name, level = kinds[dealt % len(kinds)], LEVELS[dealt // len(kinds) % len(LEVELS)]
            load = _made(_distorted(photo, name, level), (SEED, number, 100 + turn))
            yield Sample("distorted", path.stem, name, level, float("nan"), load)


def _made(
    make: Callable[[np.random.Generator], Pixels], key: tuple[int, ...]
) -> Callable[[], Pixels]:
    return lambda: make(np.random.default_rng(key))


def _average(photo: Pixels, short: int) -> Callable[[], Pixels]:
    return lambda: averaged(photo, short)


def _distorted(photo: Pixels, name: str, level: int) -> Callable[[np.random.Generator], Pixels]:
    def make(rng: np.random.Generator) -> Pixels:
        return np.ascontiguousarray(distort(name, clean_variant(photo, rng), level, rng))

    return make


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--table", type=Path, required=True)
    given = parser.parse_args()
    if not given.table.exists():
        collect(pictures(given.folder), (0, 1), given.table)
    kept = np.load(given.table, allow_pickle=False)
    rows = rows_of(kept)
    said = decided({}, rows)
    named = np.array([MERGED.get(n, n) for one in said for n in (*one.names, "clean")[:1]])
    truth = np.array([MERGED.get(str(name), str(name)) for name in kept["name"]])
    short, score = np.array([row.short for row in rows]), np.array([one.score for one in said])
    clean, source = truth == "clean", kept["source"]
    found = {"photos": len(set(kept["group"])), "clean": int(clean.sum())}
    all_of = {key: clean_report(clean & (source == key), short, named, score)
              for key in ("ways", "plain")}  # fmt: skip
    wrong, count = np.unique(named[clean & (named != "clean")], return_counts=True)
    false = dict(zip(wrong.tolist(), count.tolist(), strict=True))
    right = naming_report(truth, named, ~clean)
    print(
        json.dumps(
            [found, clean_report(clean, short, named, score), all_of, false, right], indent=1
        )
    )


if __name__ == "__main__":
    main()
