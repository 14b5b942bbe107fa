"""Take the measures of all fit pictures once.

`python -m benchmarks.iqa.fit.collect SET … --out F`.
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.iqa.fit.distort import DISTORTIONS, Pixels
from benchmarks.iqa.fit.presence_samples import monochrome, own, references
from benchmarks.iqa.fit.samples import Sample, agiqa, ring, tid
from benchmarks.iqa.fit.taken import Arrays, Taken, columns, frame_of, taken
from proveout.apps.iqa.features import names
from proveout.apps.iqa.frame import Frame
from proveout.apps.iqa.tools.fr_score import assess

SETS = ("tid", "agiqa", "ring", "own", "monochrome", "references")


def collect(samples: Iterator[Sample], part: tuple[int, int], out: Path) -> Arrays:
    """Columns of measures and labels of every n-th sample."""
    kept: list[Sample] = []
    rows: list[Taken] = []
    compared: list[tuple[float, float]] = []
    for number, sample in enumerate(samples):
        if number % part[1] != part[0]:
            continue
        frame = frame_of(sample.load())
        rows.append(taken(frame))
        compared.append(_compared(frame, sample))
        # Without its loaders, which hold on to whole photos.
        kept.append(sample._replace(load=_gone, reference=None))
        if len(kept) % 200 == 0:
            print(len(kept), file=sys.stderr, flush=True)
            save(kept, rows, compared, out)
    return save(kept, rows, compared, out)


def save(
    kept: list[Sample], rows: list[Taken], compared: list[tuple[float, float]], out: Path
) -> Arrays:
    table = columns(rows) | {
        "names": np.array(names()),
        "source": np.array([s.source for s in kept]),
        "group": np.array([s.group for s in kept]),
        "name": np.array([s.name for s in kept]),
        "level": np.array([s.level for s in kept], float),
        "score": np.array([s.score for s in kept], float),
        "compared": np.array([score for score, _ in compared], float),
        "novelty": np.array([novelty for _, novelty in compared], float),
    }
    np.savez_compressed(out, allow_pickle=False, **table)
    return table


def _gone() -> Pixels:
    message = "the picture was let go"
    raise ValueError(message)


def _compared(frame: Frame, sample: Sample) -> tuple[float, float]:
    """What the full-reference score says of the pair, and how new the pair is to it."""
    if sample.reference is None:
        return float("nan"), float("nan")
    found = assess(frame_of(sample.reference()).rgb, frame.rgb)
    return found.quality, found.novelty


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("set", choices=SETS)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--distorted", type=int, default=12, help="per photo, of `ring`")
    parser.add_argument("--clean", type=int, default=3, help="per photo, of `ring`")
    parser.add_argument("--kinds", nargs="+", default=tuple(DISTORTIONS), help="of `ring`")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--part", type=int, nargs=2, default=(0, 1), help="k n: every n-th, from k")
    given = parser.parse_args()
    samples = {
        "tid": lambda: tid(given.folder),
        "agiqa": lambda: agiqa(given.folder),
        "ring": lambda: ring(given.folder, given.distorted, given.clean, given.seed, given.kinds),
        "own": lambda: own(given.folder, given.seed),
        "monochrome": lambda: monochrome(given.folder, given.seed),
        "references": lambda: references(given.folder, given.seed),
    }[given.set]()
    table = collect(samples, tuple(given.part), given.out)
    print(f"{given.set}: {len(table['X'])} pictures")


if __name__ == "__main__":
    main()
