"""Python processes that the fault tests start, and that end with them."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]
ENDING_SECONDS = 20.0


def environment() -> dict[str, str]:
    """Nothing of whoever runs the tests: no settings, no keys."""
    kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH", "LANG") if name in os.environ}
    nowhere = {"HOME": "/nonexistent", "PROVEOUT_CONFIG": "/nonexistent/config.toml"}
    return {**kept, **nowhere, "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}


@contextmanager
def python(module: str, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """`python -m module`, told to end by the end of its input, and made to if it does not."""
    process = subprocess.Popen(
        [sys.executable, "-m", module, *arguments],
        cwd=ROOT,
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield process
    finally:
        process.stdin.close()
        try:
            process.wait(ENDING_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()
