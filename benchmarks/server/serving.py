"""`proveout serve` as a process of its own, and what it and its workers take."""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.server import ticking

START_SECONDS = 120.0
STOP_SECONDS = 60.0
SERVING = re.compile(r"serving (http://\S+?);")
KEPT = ("PATH", "LANG", "LD_LIBRARY_PATH", "TMPDIR", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")


@dataclass
class Served:
    """A server that answers at `url`."""

    url: str
    process: "subprocess.Popen[str]"
    complaints: list[str] = field(default_factory=list)

    def memory_bytes(self) -> dict[str, int]:
        """Of the server and of all of its children together; shared pages are divided up."""
        children = descendants(self.process.pid)
        return {
            "server": _share(self.process.pid),
            "workers": sum(_share(child) for child in children),
        }

    def processor_seconds(self) -> float:
        own = self.process.pid
        return sum(processor_seconds(pid) for pid in (own, *descendants(own)))


@contextmanager
def serving(folder: Path, workers: int) -> Iterator[Served]:
    """Started in an empty home with the ticking app; stopped at the end."""
    site = ticking.install(folder / "site")
    environment = {name: os.environ[name] for name in KEPT if name in os.environ}
    environment |= {
        "HOME": str(folder),
        "PROVEOUT_HOME": str(folder / "home"),
        "PYTHONPATH": str(site),
        "MPLBACKEND": "Agg",
    }
    process = subprocess.Popen(
        [sys.executable, "-m", "proveout", "serve", "--port", "0", "--workers", str(workers)],
        cwd=folder,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    late = threading.Timer(START_SECONDS, process.kill)
    late.start()
    try:
        served = _announced(process)
        late.cancel()
        yield served
    finally:
        late.cancel()
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _announced(process: "subprocess.Popen[str]") -> Served:
    assert process.stderr is not None
    heard = ""
    while True:
        line = process.stderr.readline()
        if not line:
            message = f"the server did not start:\n{heard}"
            raise RuntimeError(message)
        heard += line
        found = SERVING.search(line)
        if found:
            served = Served(found[1], process)
            threading.Thread(target=_listen, args=(served,), daemon=True).start()
            return served


def _listen(served: Served) -> None:
    """A pipe that nobody reads would stop the server; its last words are worth a look."""
    assert served.process.stderr is not None
    for line in served.process.stderr:
        if len(served.complaints) < 100:
            served.complaints.append(line.rstrip())


def descendants(pid: int) -> list[int]:
    """Children belong to the thread that started them, so every thread is asked."""
    found: list[int] = []
    waiting = [pid]
    while waiting:
        children: list[int] = []
        for told in Path(f"/proc/{waiting.pop()}/task").glob("*/children"):
            with suppress(OSError):
                children += [int(child) for child in told.read_text().split()]
        found += children
        waiting += children
    return found


def _share(pid: int) -> int:
    try:
        told = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0
    found = re.search(r"^Pss:\s+(\d+) kB", told, re.MULTILINE)
    return int(found[1]) * 1024 if found else 0


def processor_seconds(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Sampling:
    """Looks at the memory every second until it is told to stop."""

    def __init__(self, served: Served) -> None:
        self._served = served
        self._stop = threading.Event()
        self.samples: list[tuple[float, dict[str, int]]] = []
        self._thread = threading.Thread(target=self._sample, daemon=True)

    def __enter__(self) -> "Sampling":
        self._began = time.monotonic()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join(10)

    def _sample(self) -> None:
        while not self._stop.wait(1.0):
            self.samples.append((time.monotonic() - self._began, self._served.memory_bytes()))
