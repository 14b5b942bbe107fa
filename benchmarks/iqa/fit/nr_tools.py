"""Curves and strengths of no-reference tools: `python -m benchmarks.iqa.fit.nr_tools TID_FOLDER`.

Run after the no-reference models are fitted; adds to `fitted/tools.json`. Tools that were
themselves fitted on these pictures get strengths from them, and no claim of agreement.
"""

import argparse
import hashlib
import json
from pathlib import Path

import numpy as np
from scipy.stats import spearmanr

from benchmarks.iqa.fit.curves import Column, agreement, fit_curve
from benchmarks.iqa.fit.samples import Sample, tid
from benchmarks.iqa.fit.tools import FITTED
from proveout.apps.iqa.catalogue import TID2013
from proveout.apps.iqa.intake import from_array
from proveout.apps.iqa.tools.bank import ENTRIES, Entry
from proveout.apps.iqa.tools.tool import Tool

STRONG = 0.6
CLOSE = 0.1
"""A tool is strong where it ranks pictures well, and nearly as well as the best."""


def measure(samples: list[Sample], tools: list[Tool]) -> tuple[dict[str, Column], str]:
    """Raw values by tool, and a digest of the pictures; tools without fitted numbers drop out."""
    values: dict[str, list[float]] = {tool.name: [] for tool in tools}
    digest = hashlib.sha256()
    for sample in samples:
        pixels = sample.load()
        digest.update(pixels.tobytes())
        frame = from_array(pixels)
        for tool in tools:
            if tool.name in values:
                try:
                    values[tool.name].append(tool.on_frame(frame))
                except FileNotFoundError as error:
                    print(f"{tool.name} is left out: {error}")
                    del values[tool.name]
    return {name: np.array(found) for name, found in values.items()}, digest.hexdigest()


def numbers(
    entry: Entry, raw: Column, samples: list[Sample]
) -> tuple[dict[str, object], dict[str, float]]:
    quality = np.array([sample.score for sample in samples])
    group = np.array([sample.group for sample in samples])
    curve = entry.built_in or fit_curve(raw, quality, entry)
    if not curve.monotone(*entry.range, rising=entry.direction == "higher"):
        message = f"the curve of {entry.name} is not monotone"
        raise ValueError(message)
    predicted = np.empty(len(raw))
    for one in np.unique(group):
        test = group == one
        fold = entry.built_in or fit_curve(raw[~test], quality[~test], entry)
        predicted[test] = [fold.quality(float(value)) for value in raw[test]]
    kinds = np.array([sample.name for sample in samples])
    types = {
        name: round(float(spearmanr(predicted[kinds == name], quality[kinds == name]).statistic), 4)
        for name in TID2013
    }
    found: dict[str, object] = {"betas": [round(beta, 6) for beta in curve], "per_type_srcc": types}
    if entry.built_in is None:
        told = agreement(predicted, quality)._asdict()
        found["left_out"] = {name: round(value, 4) for name, value in told.items()}
    return found, types


def strengths(types: dict[str, dict[str, float]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {name: [] for name in types}
    for kind in TID2013:
        best = max(types[name][kind] for name in types)
        for name in types:
            if types[name][kind] > max(STRONG, best - CLOSE):
                found[name].append(kind)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--every", type=int, default=2, help="use every n-th reference")
    given = parser.parse_args()
    samples = [one for one in tid(given.folder) if int(one.group[1:]) % given.every == 0]
    entries = {entry.name: entry for entry in ENTRIES if entry.kind == "NR"}
    tools = [
        Tool(one.name, one.kind, one.direction, one.range, one.description, one.call)
        for one in entries.values()
    ]
    values, digest = measure(samples, tools)
    path = FITTED / "tools.json"
    stored = json.loads(path.read_text())
    stored["fit"]["no_reference_pictures_sha256"] = digest
    types = {}
    for name, raw in values.items():
        stored["tools"][name], types[name] = numbers(entries[name], raw, samples)
        print(name, stored["tools"][name].get("left_out", "fitted on these pictures"))
    for name, found in strengths(types).items():
        stored["tools"][name]["strengths"] = found
    path.write_text(json.dumps(stored, indent=1) + "\n")


if __name__ == "__main__":
    main()
