"""Pictures that people rated, judged by the product as it ships, from pixels to score and names.

`python -m benchmarks.iqa.rated tid TID2013 [--photos 0 1440 3]`, or `agiqa AGIQA`. The models that
ship were fitted on these very pictures: what is printed says that the parts work together as they
did apart, not how well they judge pictures that nobody has seen. Of TID2013 only the references
that may be fitted on are read.
"""

import argparse
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.stats import pearsonr, spearmanr

from benchmarks.iqa.fit.samples import Sample, agiqa, file_at, tid
from benchmarks.iqa.fit.taken import frame_of
from benchmarks.iqa.fit.targets import MERGED
from benchmarks.iqa.ring_a import named
from proveout.apps.iqa.fitted_models import Doubles
from proveout.apps.iqa.frame import Frame
from proveout.apps.iqa.measure import measure
from proveout.apps.iqa.tools.bank import shared_bank


class Said(NamedTuple):
    """One way to judge a picture, and where people's mean lies."""

    score: float
    low: float
    high: float
    people: float


def without_reference(frame: Frame, sample: Sample) -> tuple[Said, bool]:
    """And whether the distortion was named right."""
    found = measure(frame)
    name = MERGED.get(named(found), named(found))
    return Said(found.score, *found.interval, sample.score), name == sample.name


def with_reference(frame: Frame, sample: Sample, folder: Path) -> Said:
    path = folder / "reference_images" / f"{sample.group.upper()}.BMP"
    found = shared_bank().run("FR-Score", frame, frame_of(file_at(path)()))
    assert found.interval is not None
    return Said(found.raw, *found.interval, sample.score)


def report(title: str, said: list[Said]) -> None:
    score, low, high, people = (np.array(column, float) for column in zip(*said, strict=True))
    held: Doubles = ((low <= people) & (people <= high)).astype(float)
    print(
        f"{title}: SRCC {spearmanr(score, people)[0]:.3f}, PLCC {pearsonr(score, people)[0]:.3f},"
        f" 90 % interval holds {100 * held.mean():.1f} %, mean width {np.mean(high - low):.2f}"
    )


def chosen(given: argparse.Namespace) -> Iterator[Sample]:
    samples = tid(given.folder) if given.set == "tid" else agiqa(given.folder)
    return islice(samples, *given.photos)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("set", choices=("tid", "agiqa"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--photos", type=int, nargs="+", default=(0, 10_000), help="from, to, step")
    given = parser.parse_args()
    alone: list[Said] = []
    beside: list[Said] = []
    right: list[bool] = []
    for sample in chosen(given):
        frame = frame_of(sample.load())
        said, is_right = without_reference(frame, sample)
        alone.append(said)
        right.append(is_right)
        if given.set == "tid":
            beside.append(with_reference(frame, sample, given.folder))
        if len(alone) % 100 == 0:
            print(len(alone), file=sys.stderr, flush=True)
    print(f"{given.set}: {len(alone)} pictures that the models were fitted on")
    report("without a reference", alone)
    if beside:
        print(f"distortion named: {100 * np.mean(right):.1f} %")
        report("with a reference", beside)


if __name__ == "__main__":
    main()
