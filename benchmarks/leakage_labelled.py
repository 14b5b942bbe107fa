"""Both detectors on a folder of labelled programs: `python -m benchmarks.leakage_labelled FOLDER`.

The folder holds `programs/` (scripts and notebooks), `data/NAME/` (the tables of each) and
`labels.json`: a list of `{"file", "data", "leaks", "kind"}`. A program counts as caught if it leaks
and any leak is reported, as a false alarm if it is clean and one is.

`tests/unit/mle/leakage/others` may be named as well: it has no tables, so they are made from what a
program mentions; one that cannot be run on them keeps what reading says.
"""

import argparse
import json
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import NotRequired, TypedDict

from benchmarks.leakage_running import run_on_made_tables
from proveout.adapters.sandbox.local import LocalSandbox
from proveout.apps.mle.leakage import Report, examine
from proveout.apps.mle.leakage.dynamic import Means, examine_by_running, read_folder
from proveout.kernel.ports import ScriptLimits

LIMITS = ScriptLimits(seconds=60.0, memory_bytes=2 * 2**30)


class Label(TypedDict):
    file: str
    data: NotRequired[str]
    set: NotRequired[str]
    leaks: bool
    kind: str | None


@dataclass(frozen=True)
class Judged:
    label: Label
    read: Report
    run: Report
    seconds: float

    @property
    def verdict(self) -> str:
        return self.run.trials.verdict if self.run.trials is not None else "not run"


def labels_in(folder: Path) -> list[Label]:
    file = folder / "labels.json"
    found: list[Label] = json.loads(
        (file if file.exists() else folder / "index.json").read_text(encoding="utf-8")
    )
    return found


def judge(label: Label, folder: Path, sandbox: LocalSandbox) -> Judged:
    name = label["file"].removesuffix(".txt")
    began = time.monotonic()
    if "data" not in label:
        source = (folder / label["file"]).read_text(encoding="utf-8")
        read = examine(source, filename=name)
        run = run_on_made_tables(source, name, sandbox)[0] or read
        return Judged(label, read, run, time.monotonic() - began)
    source = (folder / "programs" / name).read_text(encoding="utf-8")
    tables = folder / "data" / Path(label["data"] or name).name.split(".")[0]
    tables.mkdir(parents=True, exist_ok=True)
    read = examine(source, filename=name)
    means = Means(sandbox, limits=LIMITS)
    run = examine_by_running(source, read_folder(tables), means, filename=name)
    return Judged(label, read, run, time.monotonic() - began)


def table(judged: list[Judged]) -> list[str]:
    lines = ["| judged by | caught | missed | false alarms | clean | precision | recall |"]
    lines.append("| --- | --- | --- | --- | --- | --- | --- |")
    for name in ("reading", "reading and running"):
        told = [
            (one.label["leaks"], bool((one.read if name == "reading" else one.run).leaks))
            for one in judged
        ]
        counts = Counter(told)
        caught, missed = counts[True, True], counts[True, False]
        alarms, clean = counts[False, True], counts[False, False]
        precision = caught / max(1, caught + alarms)
        recall = caught / max(1, caught + missed)
        shown = f"{caught} | {missed} | {alarms} | {clean} | {precision:.3f} | {recall:.3f}"
        lines.append(f"| {name} | {shown} |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="", help="a part of the file's name")
    parser.add_argument("--set", default="", help="first, second or third")
    given = parser.parse_args()
    sandbox = LocalSandbox()
    done: list[Judged] = []
    try:
        for label in labels_in(given.folder):
            if given.only not in label["file"] or given.set not in label.get("set", ""):
                continue
            one = judge(label, given.folder, sandbox)
            mark = "  " if bool(one.run.leaks) == label["leaks"] else "! "
            codes = " ".join(sorted(one.run.codes)) or "–"
            wanted = label["kind"] or "clean"
            took = f"{one.seconds:5.1f} s  {one.verdict:9}"
            print(f"{mark}{label['file']:34} {took} {wanted:26} {codes}", flush=True)
            done.append(one)
    finally:
        sandbox.close()
    print("\n".join(["", *table(done)]))


if __name__ == "__main__":
    main()
