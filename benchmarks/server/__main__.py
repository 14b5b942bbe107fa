"""The server under load: `python -m benchmarks.server [--seconds 60] [--rate 20] [--watchers 50]`.

Starts `proveout serve`, lets watchers follow one long run, and sends pictures at a steady rate: in
one table every picture is another one, in the other it is always the same. A refusal (429) is told
apart from an error. Exits with 1 if there was an error, a gap in a stream or memory that grew.
"""

import argparse
import asyncio
import json
import os
import statistics
import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx2

from benchmarks.kernel import Table
from benchmarks.server.load import (
    REQUEST_SECONDS,
    Answers,
    Watched,
    assess_steadily,
    picture,
    start_ticking,
    watch_all,
)
from benchmarks.server.serving import Sampling, Served, serving

WARM_UP = 4
"""Assessments before anything is counted: the workers import on their first."""
PACE_SECONDS = 0.5
GROWTH = 1.15
"""Memory at the end over memory in the middle: more than this is growth."""


@dataclass(frozen=True)
class Loaded:
    """One table's worth of load."""

    name: str
    answers: Answers
    watched: Watched
    memory: dict[str, tuple[int, int, int]]
    """Start, middle and end, by part."""
    busy_cores: float

    @property
    def grown(self) -> bool:
        middle = sum(sizes[1] for sizes in self.memory.values())
        end = sum(sizes[2] for sizes in self.memory.values())
        return end > middle * GROWTH


async def loaded(name: str, served: Served, asked: argparse.Namespace, warm_up: bool) -> Loaded:
    limits = httpx2.Limits(max_connections=asked.watchers + 2000, max_keepalive_connections=100)
    timeout = httpx2.Timeout(REQUEST_SECONDS, connect=60)
    async with httpx2.AsyncClient(
        base_url=served.url, limits=limits, timeout=timeout, trust_env=False
    ) as client:
        if warm_up:
            for number in range(WARM_UP):
                await assess_steadily(client, 1.0, 1.0, partial(_another, number))
        same = _another(WARM_UP, 0)
        made = picture if name == "distinct" else lambda _: same
        run = await start_ticking(client, asked.seconds, PACE_SECONDS)
        before = served.processor_seconds()
        with Sampling(served) as sampling:
            watching = asyncio.create_task(watch_all(client, run, asked.watchers))
            answers = await assess_steadily(client, asked.rate, asked.seconds, made)
            used = served.processor_seconds() - before
            watched = await watching
        samples = [parts for at, parts in sampling.samples if at <= asked.seconds + 1]
    places = (samples[0], samples[len(samples) // 2], samples[-1])
    memory = {part: tuple(sample[part] for sample in places) for part in ("server", "workers")}
    return Loaded(name, answers, watched, memory, used / asked.seconds)  # type: ignore[arg-type]


def _another(first: int, number: int) -> bytes:
    """A picture that no table of distinct ones holds."""
    return picture(10**6 + first + number)


def percentiles(seconds: list[float]) -> tuple[str, str, str]:
    if len(seconds) < 2:
        return ("-", "-", "-")
    cut = statistics.quantiles(seconds, n=100, method="inclusive")
    return tuple(_duration(cut[at - 1]) for at in (50, 95, 99))  # type: ignore[return-value]


def _duration(seconds: float) -> str:
    return f"{seconds * 1e3:.0f} ms" if seconds < 1 else f"{seconds:.2f} s"


def request_table(results: list[Loaded], rate: float, seconds: float) -> Table:
    rows = []
    for result in results:
        told = result.answers
        rows.append(
            (
                result.name,
                str(sum(told.statuses.values())),
                str(told.answered),
                f"{told.answered / seconds:.1f}",
                str(told.reused),
                str(told.refused),
                str(len(told.wrong)),
                *percentiles(told.seconds),
            )
        )
    columns = (
        "pictures", "sent", "answered", "per second", "reused", "refused", "errors",
        "p50", "p95", "p99",
    )  # fmt: skip
    return Table(f"Assessments, {rate:g} a second for {seconds:g} s", columns, rows)


def watcher_table(results: list[Loaded]) -> Table:
    rows = [
        (
            result.name,
            str(len(result.watched.events)),
            str(sum(result.watched.events)),
            str(result.watched.gaps),
            str(result.watched.ended),
            str(len(result.watched.wrong)),
            *percentiles(result.watched.lag_seconds),
        )
        for result in results
    ]
    columns = (
        "pictures", "watchers", "events", "gaps", "told the end", "errors",
        "lag p50", "lag p95", "lag p99",
    )  # fmt: skip
    return Table("Watchers of one run, meanwhile", columns, rows)


def memory_table(results: list[Loaded]) -> Table:
    rows = [
        (
            result.name,
            part,
            *(f"{size / 2**20:.0f} MiB" for size in sizes),
            f"{result.busy_cores:.2f}",
        )
        for result in results
        for part, sizes in result.memory.items()
    ]
    columns = ("pictures", "part", "start", "middle", "end", "busy cores, all")
    return Table("Memory (proportional share)", columns, rows)


def main() -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.server", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--rate", type=float, default=20.0, help="assessments a second")
    parser.add_argument("--watchers", type=int, default=50)
    parser.add_argument("--workers", type=int, default=2, help="of the server")
    parser.add_argument("--pictures", choices=("both", "distinct", "identical"), default="both")
    parser.add_argument("--json", type=Path, help="also write the numbers to this file")
    parser.add_argument("--markdown", action="store_true")
    asked = parser.parse_args()
    names = ("distinct", "identical") if asked.pictures == "both" else (asked.pictures,)
    print(f"cores {len(os.sched_getaffinity(0))}, load before {os.getloadavg()[0]:.1f}\n")
    results: list[Loaded] = []
    with (
        TemporaryDirectory(prefix="bench-server-") as name,
        serving(Path(name), asked.workers) as s,
    ):
        for one in names:
            results.append(asyncio.run(loaded(one, s, asked, warm_up=not results)))
        complaints = list(s.complaints)
    tables = (
        request_table(results, asked.rate, asked.seconds),
        watcher_table(results),
        memory_table(results),
    )
    for table in tables:
        print(table.markdown() if asked.markdown else table.plain())
    if asked.json:
        asked.json.write_text(json.dumps([_data(result) for result in results], indent=2))
    wrong = [line for result in results for line in (*result.answers.wrong, *result.watched.wrong)]
    for line in [*wrong[:10], *complaints[:10]]:
        print(f"  {line}", file=sys.stderr)
    gaps = any(result.watched.gaps for result in results)
    return int(bool(wrong) or gaps or any(result.grown for result in results))


def _data(result: Loaded) -> dict[str, object]:
    return {
        "pictures": result.name,
        "statuses": dict(result.answers.statuses),
        "seconds": sorted(round(taken, 4) for taken in result.answers.seconds),
        "lag_seconds": percentiles(result.watched.lag_seconds),
        "memory": result.memory,
    }


if __name__ == "__main__":
    sys.exit(main())
