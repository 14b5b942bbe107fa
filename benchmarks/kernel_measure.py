"""Measurements of the kernel: speed beside LangGraph, and what a long run costs."""

import os
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.kernel_ours import run_ours

WARM_UP_ROUNDS = 50
CHUNKS = 10
REFERENCE = "LangGraph, durability sync"
OURS = "Proveout"
OURS_ASKED = "Proveout, an expert asked"


@dataclass
class Timed:
    """One contestant's repetitions."""

    name: str
    guarantee: str
    """What has reached the disk when an attempt is done."""
    seconds: list[float] = field(default_factory=list)
    """Wall time per attempt, one number a repetition."""
    cpu_seconds: list[float] = field(default_factory=list)
    bytes_per_attempt: float = 0.0


@dataclass(frozen=True)
class Spread:
    """Median with the smallest and the largest."""

    median: float
    least: float
    most: float


def spread(values: list[float]) -> Spread:
    return Spread(statistics.median(values), min(values), max(values))


def ratio(timed: Timed, reference: Timed) -> Spread:
    """How many times as quick as the reference, repetition by repetition."""
    pairs = zip(reference.seconds, timed.seconds, strict=True)
    return spread([theirs / ours for theirs, ours in pairs])


def contestants() -> dict[str, tuple[str, Callable[[Path, int], int]]]:
    """Who is measured: the guarantee and the loop of each."""
    # Here, so that the memory of a long run is measured without it.
    from benchmarks.kernel_langgraph import run_langgraph

    return {
        OURS: ("each attempt, before the next begins", partial(run_ours, plain=True)),
        OURS_ASKED: ("the same, and the reply", run_ours),
        REFERENCE: ("each node, before the next begins", _graph(run_langgraph, "sync")),
        "LangGraph, one node, sync": (
            "each attempt; a proposal is not kept apart",
            _graph(run_langgraph, "sync", one_node=True),
        ),
        "LangGraph, durability async": (
            "each node, while the next runs",
            _graph(run_langgraph, "async"),
        ),
        "LangGraph, durability exit": ("nothing before the end", _graph(run_langgraph, "exit")),
    }


def _graph(
    run: Callable[..., int], durability: str, *, one_node: bool = False
) -> Callable[[Path, int], int]:
    return lambda path, rounds: run(path, rounds, durability, one_node=one_node)


def measure_speed(folder: Path, rounds: int, repetitions: int) -> list[Timed]:
    """All contestants in turn, again and again, so that a busy minute hurts them all alike."""
    racing = contestants()
    results = {name: Timed(name, guarantee) for name, (guarantee, _) in racing.items()}
    for repetition in range(-1, repetitions):
        for name, (_, loop) in racing.items():
            with TemporaryDirectory(dir=folder, prefix="bench-") as made:
                count = WARM_UP_ROUNDS if repetition < 0 else rounds
                _time(results[name], loop, Path(made), count, counts=repetition >= 0)
    return list(results.values())


def _time(
    timed: Timed, loop: Callable[[Path, int], int], folder: Path, rounds: int, *, counts: bool
) -> None:
    wall, cpu = time.perf_counter(), time.process_time()
    done = loop(folder / "journal.db", rounds)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    if done != rounds:
        message = f"{timed.name} made {done} attempts instead of {rounds}"
        raise RuntimeError(message)
    if counts:
        timed.seconds.append(wall / rounds)
        timed.cpu_seconds.append(cpu / rounds)
        timed.bytes_per_attempt = _size(folder) / rounds


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.iterdir())


@dataclass(frozen=True)
class Chunk:
    """A stretch of a long run."""

    attempts: int
    """Made since the run began."""
    seconds: float
    """Wall time per attempt of this stretch."""
    cpu_seconds: float
    memory_bytes: int


@dataclass(frozen=True)
class LongRun:
    """What a run of many attempts costs, from its first to its last."""

    chunks: list[Chunk]
    bytes_per_attempt: float
    resume_seconds: float
    """To read all of it again and find that nothing is left to do."""

    @property
    def drift(self) -> float:
        """Change of the CPU time per attempt over the whole run, by a fitted line; 0.1 is 10 %."""
        costs = [chunk.cpu_seconds for chunk in self.chunks]
        slope, start = statistics.linear_regression(range(len(costs)), costs)
        return slope * (len(costs) - 1) / start

    @property
    def memory_growth_bytes(self) -> int:
        """After the first stretch, when caches are filled."""
        return self.chunks[-1].memory_bytes - self.chunks[0].memory_bytes


def measure_length(folder: Path, rounds: int) -> LongRun:
    """One run of `rounds` attempts, noted in ten stretches, and its resumption."""
    chunks: list[Chunk] = []
    marks = [(time.perf_counter(), time.process_time())]
    every = rounds // CHUNKS

    def notice(done: int) -> None:
        wall, cpu = time.perf_counter(), time.process_time()
        chunks.append(
            Chunk(done, (wall - marks[-1][0]) / every, (cpu - marks[-1][1]) / every, memory())
        )
        marks.append((wall, cpu))

    with TemporaryDirectory(dir=folder, prefix="bench-") as made:
        path = Path(made) / "journal.db"
        run_ours(path, rounds, every=every, notice=notice)
        size = _size(Path(made)) / rounds
        began = time.perf_counter()
        run_ours(path, rounds)
        return LongRun(chunks, size, time.perf_counter() - began)


def memory() -> int:
    """Bytes this process has in memory now."""
    pages = Path("/proc/self/statm").read_text().split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def sync_seconds(folder: Path, count: int = 100) -> float:
    """How long this disk takes to say that a page is safe; the median."""
    times = []
    with TemporaryDirectory(dir=folder, prefix="bench-") as made:
        descriptor = os.open(Path(made) / "probe", os.O_CREAT | os.O_WRONLY)
        try:
            for _ in range(count):
                os.pwrite(descriptor, b"x" * 4096, 0)
                began = time.perf_counter()
                os.fdatasync(descriptor)
                times.append(time.perf_counter() - began)
        finally:
            os.close(descriptor)
    return statistics.median(times)
