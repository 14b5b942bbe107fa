"""What running adds to reading: `python -m benchmarks.leakage_running --halves held_back,late`.

Each script of the leakage corpus gets tables made from the columns that it mentions, and is judged
twice: by reading alone, and by reading and running. Scripts that cannot be run (a library that is
not installed, data that cannot be guessed) are counted with their static verdict.
"""

import argparse
import json
import tempfile
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from proveout.adapters.sandbox.local import LocalSandbox
from proveout.apps.mle.leakage import Report, examine
from proveout.apps.mle.leakage.dynamic import Means, examine_by_running, read_folder
from proveout.apps.mle.leakage.dynamic.bundled import with_bundled
from proveout.apps.mle.leakage.dynamic.trial import Trial
from proveout.apps.mle.leakage.notebooks import read_notebook
from proveout.kernel.ports import ScriptLimits
from tests.unit.mle.leakage.made_tables import Guess, make_tables, mended

CORPUS = Path("tests/unit/mle/leakage/corpus")
MOST_TRIES = 8
LIMITS = ScriptLimits(seconds=60.0, memory_bytes=2 * 2**30)


@dataclass(frozen=True)
class Judged:
    file: str
    wanted: frozenset[str]
    read: frozenset[str]
    run: frozenset[str]
    verdict: str
    """proved, refuted, undecided, or why it could not be run."""
    seconds: float


def judge(entry: dict[str, list[str]], sandbox: LocalSandbox) -> Judged:
    name = str(entry["file"])
    source = (CORPUS / name).read_text(encoding="utf-8")
    filename = name.removesuffix(".txt")
    static = examine(source, filename=filename)
    began = time.monotonic()
    report, verdict = run_on_made_tables(source, filename, sandbox)
    codes = report.codes if report is not None else static.codes
    wanted = frozenset(entry["codes"])
    return Judged(name, wanted, static.codes, codes, verdict, time.monotonic() - began)


def run_on_made_tables(
    source: str, filename: str, sandbox: LocalSandbox
) -> tuple[Report | None, str]:
    """The report and its verdict; without a report, why the program could not be run."""
    notebook = read_notebook(source) if filename.endswith(".ipynb") else None
    program = notebook.source if notebook is not None else source
    guess = Guess(program)
    for _ in range(MOST_TRIES):
        with tempfile.TemporaryDirectory() as place:
            make_tables(guess, Path(place))
            folder = read_folder(Path(place))
            failure = Trial(program, sandbox, LIMITS).run(with_bundled(folder, program)).failure
            if not failure:
                means = Means(sandbox, limits=LIMITS)
                report = examine_by_running(source, folder, means, filename=filename)
                assert report.trials is not None
                return report, report.trials.verdict
        if not mended(guess, failure):
            break
    return None, failure.splitlines()[0][:80]


def table(judged: Iterable[Judged], title: str) -> list[str]:
    """Findings by code: right, wrong and missed, with precision and recall."""
    listed = list(judged)
    lines = [f"**{title}**", "", "| judged by | right | wrong | missed | precision | recall |"]
    lines.append("| --- | --- | --- | --- | --- | --- |")
    for name in ("read", "run"):
        right = sum(len(getattr(one, name) & one.wanted) for one in listed)
        wrong = sum(len(getattr(one, name) - one.wanted) for one in listed)
        missed = sum(len(one.wanted - getattr(one, name)) for one in listed)
        shares = [
            f"{right / total:.3f}" if total else "–" for total in (right + wrong, right + missed)
        ]
        label = "reading" if name == "read" else "reading and running"
        lines.append(f"| {label} | {right} | {wrong} | {missed} | {shares[0]} | {shares[1]} |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--halves", default="held_back,late")
    parser.add_argument("--only", default="", help="a part of the file's name")
    parser.add_argument("--markdown", default="", help="also write the tables to this file")
    given = parser.parse_args()
    index = json.loads((CORPUS / "index.json").read_text(encoding="utf-8"))
    chosen = [it for it in index if it["half"] in given.halves.split(",")]
    chosen = [it for it in chosen if given.only in it["file"]]
    sandbox = LocalSandbox()
    done: list[Judged] = []
    try:
        for entry in chosen:
            one = judge(entry, sandbox)
            mark = "  " if one.run == one.wanted else "! "
            print(f"{mark}{one.file:46} {one.seconds:5.1f} s  {one.verdict}", flush=True)
            if one.run != one.wanted:
                codes = [sorted(part) for part in (one.wanted, one.read, one.run)]
                print("    wanted {}, read {}, run {}".format(*codes))
            done.append(one)
    finally:
        sandbox.close()
    known = ("proved", "refuted", "undecided")
    ran = [one for one in done if one.verdict in known]
    lines = table(done, f"{len(done)} files, with their static verdict where they could not run")
    lines += ["", *table(ran, f"the {len(ran)} files that ran")]
    counts = Counter(f"{one.verdict} ({'leaking' if one.wanted else 'clean'})" for one in ran)
    lines += ["", ", ".join(f"{name}: {count}" for name, count in sorted(counts.items()))]
    print("\n".join(["", *lines]))
    if given.markdown:
        Path(given.markdown).write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
