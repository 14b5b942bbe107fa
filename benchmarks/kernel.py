"""What one round of the kernel costs: `python -m benchmarks.kernel [--quick] [--json]`.

Ours and LangGraph run the same trivial loop in one process, in turn. Both write to the same disk
with a write-ahead log and full synchronisation. The long run comes first, alone, so that its memory
is ours.
"""

import argparse
import json
import os
import platform
import sqlite3
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from pathlib import Path

from benchmarks.kernel_measure import (
    OURS,
    REFERENCE,
    LongRun,
    Timed,
    measure_length,
    measure_speed,
    ratio,
    spread,
    sync_seconds,
)

TARGET = 3.0


@dataclass(frozen=True)
class Size:
    """How much is measured."""

    rounds: int
    repetitions: int
    long_rounds: int


FULL = Size(rounds=1000, repetitions=9, long_rounds=100_000)
QUICK = Size(rounds=200, repetitions=3, long_rounds=10_000)


@dataclass(frozen=True)
class Table:
    """Columns and rows of text."""

    title: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]

    def plain(self) -> str:
        lines = [self.columns, *self.rows]
        widths = [max(len(line[index]) for line in lines) for index in range(len(self.columns))]
        body = [
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
            for line in lines
        ]
        return "\n".join([self.title, "", *body, ""])

    def markdown(self) -> str:
        lines = [self.columns, ("---",) * len(self.columns), *self.rows]
        return "\n".join(
            [f"**{self.title}**", "", *(f"| {' | '.join(row)} |" for row in lines), ""]
        )


def machine(folder: Path) -> dict[str, str]:
    """What the numbers depend on."""
    return {
        "cores": str(len(os.sched_getaffinity(0))),
        "load before": f"{os.getloadavg()[0]:.1f}",
        "system": f"{platform.system()} {platform.machine()}",
        "Python": platform.python_version(),
        "SQLite": sqlite3.sqlite_version,
        "pydantic": version("pydantic"),
        "LangGraph": version("langgraph"),
        "its SQLite saver": version("langgraph-checkpoint-sqlite"),
        "one fdatasync of this disk": f"{1e3 * sync_seconds(folder):.2f} ms",
    }


def speed_table(results: list[Timed], size: Size) -> Table:
    reference = next(timed for timed in results if timed.name == REFERENCE)
    rows = []
    for timed in results:
        rate, times = spread([1 / seconds for seconds in timed.seconds]), ratio(timed, reference)
        rows.append(
            (
                timed.name,
                f"{rate.median:,.0f} ({rate.least:,.0f}–{rate.most:,.0f})",
                f"{times.median:.1f}× ({times.least:.1f}–{times.most:.1f})",
                f"{1e3 * spread(timed.cpu_seconds).median:.2f} ms",
                f"{timed.bytes_per_attempt:,.0f}",
                timed.guarantee,
            )
        )
    columns = ("loop", "attempts/s", "speed", "CPU", "bytes", "on disk")
    title = f"{size.repetitions} repetitions of {size.rounds:,} attempts in turn: median (range)"
    return Table(title, columns, rows)


def length_table(run: LongRun) -> Table:
    rows = [
        (
            f"{chunk.attempts:,}",
            f"{1e3 * chunk.seconds:.2f} ms",
            f"{1e3 * chunk.cpu_seconds:.2f} ms",
            f"{chunk.memory_bytes / 2**20:.1f} MiB",
        )
        for chunk in run.chunks
    ]
    return Table(
        f"One run of {run.chunks[-1].attempts:,} attempts, an expert asked each time",
        ("attempts so far", "time per attempt", "CPU per attempt", "memory"),
        rows,
    )


def summary(results: list[Timed], run: LongRun) -> list[str]:
    """The findings in sentences."""
    by_name = {timed.name: timed for timed in results}
    times = ratio(by_name[OURS], by_name[REFERENCE])
    met = "met" if times.median >= TARGET else "missed"
    attempts = run.chunks[-1].attempts
    return [
        f"{times.median:.1f} times the speed of LangGraph with the same guarantee"
        f" (target {TARGET:g}: {met}).",
        f"CPU time per attempt changed by {100 * run.drift:+.1f} % over {attempts:,} attempts.",
        f"Memory grew by {run.memory_growth_bytes / 2**20:.1f} MiB after the first tenth.",
        f"The journal holds {run.bytes_per_attempt:,.0f} bytes per attempt.",
        f"A run of {attempts:,} attempts is resumed in {run.resume_seconds:.1f} s"
        f" ({1e6 * run.resume_seconds / attempts:.0f} µs per attempt).",
    ]


def as_data(results: list[Timed], run: LongRun, facts: dict[str, str]) -> dict[str, object]:
    reference = next(timed for timed in results if timed.name == REFERENCE)
    speed = [{**asdict(timed), "ratio": asdict(ratio(timed, reference))} for timed in results]
    length = {**asdict(run), "drift": run.drift, "memory_growth_bytes": run.memory_growth_bytes}
    return {"machine": facts, "speed": speed, "length": length}


def as_markdown(tables: list[Table], sentences: list[str], facts: dict[str, str]) -> str:
    told = ", ".join(f"{name} {value}" for name, value in facts.items())
    findings = "\n".join(f"- {sentence}" for sentence in sentences)
    return "\n".join([f"Machine: {told}.", "", *(t.markdown() for t in tables), findings, ""])


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.kernel", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of everything")
    parser.add_argument("--json", action="store_true", help="the measurements as JSON on stdout")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the tables here")
    parser.add_argument("--repetitions", type=int, metavar="N", help="instead of the usual number")
    parser.add_argument(
        "--folder", type=Path, default=Path(tempfile.gettempdir()), help="on the disk to be used"
    )
    chosen = parser.parse_args()
    size = QUICK if chosen.quick else FULL
    if chosen.repetitions:
        size = replace(size, repetitions=chosen.repetitions)
    facts = machine(chosen.folder)
    print("one long run …", file=sys.stderr)
    run = measure_length(chosen.folder, size.long_rounds)
    print("side by side …", file=sys.stderr)
    results = measure_speed(chosen.folder, size.rounds, size.repetitions)
    tables = [speed_table(results, size), length_table(run)]
    sentences = summary(results, run)
    if chosen.markdown:
        chosen.markdown.write_text(as_markdown(tables, sentences, facts), encoding="utf-8")
    if chosen.json:
        print(json.dumps(as_data(results, run, facts), indent=2))
        return
    print(", ".join(f"{name} {value}" for name, value in facts.items()), end="\n\n")
    for table in tables:
        print(table.plain())
    print("\n".join(sentences))


if __name__ == "__main__":
    main()
