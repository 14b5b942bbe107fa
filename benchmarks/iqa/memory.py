"""How much memory an assessment takes: `python -m benchmarks.iqa.memory [--megapixels 12]`.

The command is run on a photo, alone and with a reference. What counts is the largest sum, at any
one time, of what it and its decoder have in memory; pages that both share count twice.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import cv2
import numpy as np
import skimage.data

PAUSE = 0.003
PAGE = os.sysconf("SC_PAGE_SIZE")


def pictures(folder: Path, megapixels: float, suffix: str) -> tuple[Path, Path]:
    """A photo enlarged to 4 : 3, and the same with noise."""
    width = round((megapixels * 1e6 * 4 / 3) ** 0.5)
    size = (width, width * 3 // 4)
    photo = skimage.data.coffee()[..., ::-1]  # type: ignore[no-untyped-call]
    large = cv2.resize(np.ascontiguousarray(photo), size, interpolation=cv2.INTER_CUBIC)
    noise = np.random.default_rng(1).normal(0, 12, large.shape)
    noisy = np.clip(large + noise, 0, 255).astype(np.uint8)
    paths = folder / f"photo{suffix}", folder / f"noisy{suffix}"
    for path, pixels in zip(paths, (large, noisy), strict=True):
        cv2.imwrite(str(path), pixels)
    return paths


def family(pid: int) -> list[int]:
    """A process and all below it."""
    found = [pid]
    for listed in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            children = listed.read_text().split()
        except OSError:
            continue
        for child in children:
            found += family(int(child))
    return found


def resident(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE
    except OSError:
        return 0


def most_memory(arguments: list[str], home: Path) -> float:
    """In MB (10⁶ bytes), of the command and what it starts."""
    command = [sys.executable, "-m", "proveout", "iqa", "assess", *arguments, "--quiet"]
    settings = {"PROVEOUT_HOME": str(home), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    process = subprocess.Popen(command, env={**os.environ, **settings}, stdout=subprocess.DEVNULL)
    most = 0
    while process.poll() is None:
        most = max(most, sum(resident(pid) for pid in family(process.pid)))
        time.sleep(PAUSE)
    if process.returncode:
        message = "the assessment failed"
        raise RuntimeError(message)
    return most / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megapixels", type=float, default=12)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for suffix in (".jpg", ".png"):
            photo, noisy = pictures(folder, given.megapixels, suffix)
            alone = most_memory([str(noisy)], folder)
            paired = most_memory([str(noisy), "--reference", str(photo)], folder)
            shown = f"{given.megapixels:g} megapixels, {suffix[1:].upper()}"
            print(f"{shown}: {alone:.0f} MB, with a reference {paired:.0f} MB", flush=True)


if __name__ == "__main__":
    main()
