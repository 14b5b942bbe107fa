"""Measures the static leakage check: `python -m benchmarks.leakage CORPUS [--half report]`.

CORPUS is a folder with scripts or notebooks and tables of labels (`corpus.py` tells their form).
It is only read. For each class of leak the confusion with the labels is told; where its answers
are known, that of the published tool on the same pairs stands beside it. Nothing is asserted.
"""

import argparse
import ast
import statistics
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.kernel import Table
from benchmarks.leakage.corpus import CLASSES, Labelled, half_of, labelled, scripts
from benchmarks.leakage.places import lines_of
from proveout.apps.mle.leakage import Report, examine
from proveout.apps.mle.leakage.notebooks import is_notebook, read_notebook
from proveout.apps.mle.leakage.pairing import Pair, pairs
from proveout.apps.mle.leakage.values import Span

CLASS_OF = {
    "leak.overlap": "overlap",
    "leak.score_on_training_rows": "overlap",
    "leak.resample_before_split": "overlap",
    "leak.fit_before_split": "preprocessing",
    "leak.statistic_before_split": "preprocessing",
    "leak.train_test_concat": "preprocessing",
    "leak.target_statistic_outside_fold": "preprocessing",
    "leak.selection_on_all_rows": "preprocessing",
    "leak.tuned_on_test": "multi_test",
    "leak.threshold_on_all_rows": "multi_test",
}
"""Our rules in the three published classes. The others have no counterpart there: what is learnt
from the evaluated rows alone, for one, reaches no training."""
NOTE_CLASS = {"leak.encoder_before_split": "preprocessing", **CLASS_OF}


@dataclass(slots=True)
class Read:
    """One file: what was found in it, and how long that took."""

    name: str
    report: Report
    pairs: tuple[Pair, ...]
    tree: ast.Module | None
    seconds: float
    lines: int


@dataclass(slots=True)
class Answer:
    """What is said about one labelled thing, by whom."""

    one: Labelled
    said: frozenset[str]
    with_notes: frozenset[str]


def read(path: Path) -> Read:
    text = path.read_text(encoding="utf-8", errors="replace")
    began = time.process_time()
    report = examine(text, filename=str(path))
    seconds = time.process_time() - began
    notebook = read_notebook(text) if is_notebook(text, str(path)) else None
    source = notebook.source if notebook else text
    try:
        tree = None if report.unreadable else ast.parse(source)
    except SyntaxError:
        tree = None
    return Read(path.stem, report, pairs(source), tree, seconds, source.count("\n") + 1)


def of_file(one: Labelled, file: Read) -> Answer:
    said = {CLASS_OF[code] for code in file.report.codes if code in CLASS_OF}
    notes = {NOTE_CLASS[leak.code] for leak in file.report.findings if leak.code in NOTE_CLASS}
    return Answer(one, frozenset(said), frozenset(said | notes))


def of_pair(one: Labelled, file: Read) -> Answer | None:
    """Nothing if it is not certain which lines the label means."""
    lines = lines_of(file.tree, one.calls) if file.tree is not None and one.calls else None
    if lines is None:
        return None
    meant = [
        pair for pair in file.pairs if _on(pair.fit, lines[0]) and _on(pair.evaluation, lines[1])
    ]
    said = {CLASS_OF[code] for pair in meant for code in pair.codes if code in CLASS_OF}
    notes = {NOTE_CLASS[code] for pair in meant for code in pair.notes if code in NOTE_CLASS}
    if any(pair.shares_rows for pair in meant):
        said.add("overlap")
    return Answer(one, frozenset(said), frozenset(said | notes))


def _on(span: Span, line: int) -> bool:
    return span.line <= line <= span.end_line


Confusion = Counter[tuple[bool, bool]]


def cells(name: str, group: str, counts: Confusion) -> tuple[str, ...]:
    hit, false = counts[True, True], counts[False, True]
    missed, silent = counts[True, False], counts[False, False]
    precision = hit / (hit + false) if hit + false else 0.0
    recall = hit / (hit + missed) if hit + missed else 0.0
    both = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    numbers = (hit, false, missed, silent)
    return (name, group, *map(str, numbers), f"{precision:.2f}", f"{recall:.2f}", f"{both:.2f}")


COLUMNS = ("class", "who", "hit", "false", "missed", "rightly silent", "precision", "recall", "F1")


def confusion(title: str, answers: Sequence[Answer]) -> Table:
    rows = []
    for name in CLASSES:
        told = [answer for answer in answers if name in answer.one.labels]
        if not told:
            continue
        ours = Counter((one.one.labels[name], name in one.said) for one in told)
        rows.append(cells(name, "Proveout, leaks", ours))
        noted = Counter((one.one.labels[name], name in one.with_notes) for one in told)
        if noted != ours:
            rows.append(cells(name, "Proveout, leaks and notes", noted))
        both = [answer for answer in told if name in answer.one.theirs]
        if both:
            same = Counter((one.one.labels[name], name in one.said) for one in both)
            rows.append(cells(name, f"Proveout, the {len(both)} with a published answer", same))
            theirs = Counter((one.one.labels[name], one.one.theirs[name]) for one in both)
            rows.append(cells(name, "published tool, the same", theirs))
    return Table(title, COLUMNS, rows)


def timing(files: Iterable[Read]) -> Table:
    read_ones = [file for file in files if not file.report.unreadable]
    milliseconds = sorted(1000 * file.seconds for file in read_ones)
    per_300 = sorted(300_000 * file.seconds / max(file.lines, 300) for file in read_ones)
    late = int(0.95 * len(milliseconds))
    rows = [
        (
            str(len(read_ones)),
            f"{statistics.median(file.lines for file in read_ones):.0f}",
            f"{statistics.median(milliseconds):.1f} ms",
            f"{milliseconds[late]:.1f} ms",
            f"{milliseconds[-1]:.0f} ms",
            f"{per_300[late]:.1f} ms",
        )
    ]
    columns = ("files", "median lines", "median", "95 % below", "longest", "95 %, per 300 lines")
    return Table("CPU time per file", columns, rows)


def by_file(answers: Sequence[Labelled]) -> list[Labelled]:
    """A file has a class of leak if one of its labelled pairs has it."""
    groups: dict[str, list[Labelled]] = defaultdict(list)
    for one in answers:
        groups[one.file].append(one)
    found = []
    for file, group in groups.items():
        labels = {
            name: any(one.labels.get(name, False) for one in group)
            for name in CLASSES
            if any(name in one.labels for one in group)
        }
        found.append(Labelled(file, None, labels))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--half", choices=("all", "development", "report"), default="all")
    parser.add_argument("--wrong", action="store_true", help="list what was answered wrongly")
    parser.add_argument("--markdown", type=Path)
    chosen = parser.parse_args()
    paths = scripts(chosen.corpus)
    entries = [
        one
        for one in labelled(chosen.corpus)
        if one.file in paths and chosen.half in ("all", half_of(one.file))
    ]
    if not entries:
        parser.error(f"{chosen.corpus} holds no labelled scripts")
    files = {name: read(paths[name]) for name in sorted({one.file for one in entries})}
    readable = {name: file for name, file in files.items() if not file.report.unreadable}
    whole = [of_file(one, readable[one.file]) for one in by_file(entries) if one.file in readable]
    tables = [confusion("Files", whole)]
    asked = [one for one in entries if one.calls is not None and one.file in readable]
    found = [answer for one in asked if (answer := of_pair(one, readable[one.file]))]
    if found:
        tables.append(confusion("Pairs of a training and an evaluation", found))
    tables.append(timing(files.values()))
    text = "\n\n".join(table.markdown() for table in tables)
    print(text)
    print(f"\nfiles {len(files)}, unreadable {len(files) - len(readable)}", end="")
    print(f", pairs {len(asked)}, of which their lines are known {len(found)}")
    flagged = sum("multi_test" in answer.said for answer in whole)
    print(f"files in which a choice by the test score was found: {flagged}")
    if chosen.wrong:
        for answer in found or whole:
            for name in answer.one.labels:
                if answer.one.labels[name] != (name in answer.said):
                    kind = "missed" if answer.one.labels[name] else "false"
                    print(kind, name, answer.one.file, answer.one.calls)
    if chosen.markdown:
        chosen.markdown.write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
