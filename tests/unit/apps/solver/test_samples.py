"""The demonstration's company: it answers while somebody looks, and goes when they go."""

import json
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from proveout.apps.solver import SolverTask

SECONDS = 30.0
PROGRAM = """
import json, sys
from pathlib import Path
from proveout.apps.solver.samples import demo
print(json.dumps(demo(Path("."))), flush=True)
sys.stdin.read()
"""


def answers(url: str) -> bool:
    parts = urlsplit(url)
    assert parts.hostname is not None
    assert parts.port is not None
    try:
        with socket.create_connection((parts.hostname, parts.port), timeout=5):
            return True
    except OSError:
        return False


def goes_away(url: str) -> bool:
    pause, deadline = threading.Event(), time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        if not answers(url):
            return True
        pause.wait(0.05)
    return False


def _heed_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.parametrize("end", ["politely", signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_task_is_served_and_nothing_is_left_behind(
    end: str | signal.Signals, tmp_path: Path
) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        # Whoever started the suite may ignore Ctrl-C, and children inherit that.
        preexec_fn=_heed_interrupts,
    ) as program:
        assert program.stdin is not None
        assert program.stdout is not None
        fields = json.loads(program.stdout.readline())
        assert SolverTask.model_validate(fields).text
        assert answers(fields["service_url"])
        if isinstance(end, signal.Signals):
            program.send_signal(end)
        else:
            program.stdin.close()
        program.wait(SECONDS)
    assert goes_away(fields["service_url"])
