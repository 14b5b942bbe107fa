"""Processor time of one assessment: `python -m benchmarks.server.cost [--pictures 100]`.

What a worker of the server does for one picture, without HTTP and without load: decode, measure,
answer, draw the maps, write the journal. Every picture is another one. Processor time counts, not
the clock, so other work on the machine matters little; the decoder's process is counted apart.
"""

import argparse
import os
import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.kernel import Table
from benchmarks.server.load import SIZE, picture
from benchmarks.server.serving import descendants, processor_seconds
from proveout import apps
from proveout import settings as configuration
from proveout.runtime import Workspace
from proveout.server.worker import warm

WARM_UP = 3
MEGAPIXEL = (1200, 840)


def milliseconds(folder: Path, size: tuple[int, int], pictures: int) -> tuple[list[float], float]:
    """Of each assessment in this process, and of the decoder per picture."""
    app, loaded = apps.find("iqa"), configuration.load()
    warm(app)
    taken: list[float] = []
    decoding = 0.0
    for path in made(folder, size, pictures + WARM_UP):
        before, began = decoders(), time.process_time()
        with Workspace(loaded) as opened:
            opened.start(app, opened.task(app, {"image": str(path)}))
        taken.append(1e3 * (time.process_time() - began))
        decoding += decoders() - before if len(taken) > WARM_UP else 0.0
    return taken[WARM_UP:], 1e3 * decoding / pictures


def made(folder: Path, size: tuple[int, int], count: int) -> Iterator[Path]:
    for number in range(count):
        path = folder / f"{size[0]}-{number}.png"
        path.write_bytes(picture(number, size))
        yield path


def decoders() -> float:
    return sum(processor_seconds(pid) for pid in descendants(os.getpid()))


def main() -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.server.cost", description=__doc__)
    parser.add_argument("--pictures", type=int, default=100)
    parser.add_argument("--large", type=int, default=5, help="pictures of a megapixel")
    asked = parser.parse_args()
    rows = []
    with TemporaryDirectory(prefix="bench-cost-") as name:
        os.environ["PROVEOUT_HOME"] = name
        for size, count in ((SIZE, asked.pictures), (MEGAPIXEL, asked.large)):
            if count < 1:
                continue
            taken, decoding = milliseconds(Path(name), size, count)
            least, middle, most = min(taken), statistics.median(taken), max(taken)
            shown = (f"{value:.1f} ms" for value in (least, middle, most, decoding))
            rows.append((f"{size[0]} × {size[1]}", str(count), *shown))
    columns = ("size", "pictures", "least", "median", "most", "decoder")
    print(Table("Processor time of one assessment", columns, rows).plain())
    return 0


if __name__ == "__main__":
    sys.exit(main())
