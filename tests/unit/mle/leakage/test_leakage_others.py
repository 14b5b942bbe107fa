"""Programs by people who did not know the rules, labelled by them before anything was run.

Reading alone, without data: what is clean must not be called a leak, and what is missed is listed.
Figures with running, at the first pass over each set, are in docs/benchmarks.md.
"""

import json
from pathlib import Path

import pytest

from proveout.apps.mle.leakage import examine

HERE = Path(__file__).parent / "others"
INDEX = json.loads((HERE / "index.json").read_text(encoding="utf-8"))
MISSED = {
    "airport_taxi_v1.py": "two periods that overlap, between dates in variables",
    "bank_marketing_v2.py": "a training score, beside out-of-fold predictions that nobody scores",
    "bio_02.ipynb": "a t-test by masks of the label is taken for a choice without labels",
    "cells_01.ipynb": "a function returns a function that holds the fitted transformer",
    "kag_03.py": "weights of a blend, by an optimiser, on out-of-fold predictions",
    "phy_01.py": "generated arrays, ridge by hand, slices as objects",
    "phy_03.py": "generated arrays, correlations by hand",
    "rport_04.py": "two draws of row numbers",
    "sensors_01.ipynb": "windows that are collected in a loop over groups",
    "vintage_01.py": "a model written by hand, rows drawn twice",
}


def found(name: str) -> frozenset[str]:
    source = (HERE / name).read_text(encoding="utf-8")
    return examine(source, filename=name.removesuffix(".txt")).codes


def test_the_index_names_every_program_and_half_of_them_leak() -> None:
    assert {entry["file"] for entry in INDEX} | {"index.json"} == {it.name for it in HERE.iterdir()}
    for part in {entry["set"] for entry in INDEX}:
        leaking = [entry["leaks"] for entry in INDEX if entry["set"] == part]
        assert 2 * sum(leaking) == len(leaking) >= 60


@pytest.mark.parametrize("entry", INDEX, ids=lambda entry: str(entry["file"]))
def test_reading_says_what_the_author_said(entry: dict[str, object]) -> None:
    name = str(entry["file"])
    missed = name.removesuffix(".txt") in MISSED
    assert bool(found(name)) == (entry["leaks"] and not missed), entry["why"]
