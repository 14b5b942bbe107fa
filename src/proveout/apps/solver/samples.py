"""The demonstration: a small synthetic company, served by a process of its own, and one task."""

import atexit
import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from proveout.apps.solver.client import BenchmarkClient
from proveout.kernel.errors import PrerequisiteError

SEED = 13
FAMILY = "Q approved raises"
"""A request that has it all: notes to read, a question of permission, a change to prove."""
START_SECONDS = 60.0
END_SECONDS = 5.0


def demo(folder: Path) -> dict[str, Any]:
    """The family's first task; the company is there as long as this process is."""
    del folder
    base_url = _serve()
    with BenchmarkClient(base_url) as service:
        session = service.start_session(f"world-{SEED}")
        first = service.session_status(session.session_id).tasks[0]
        task = service.start_task(first.task_id)
        text = task.text or service.task_detail(task.task_id).text
    return {
        "text": text,
        "task_url": f"{base_url}/erc3-dev/{task.task_id}",
        "service_url": base_url,
    }


def _serve() -> str:
    command = [sys.executable, "-m", "proveout.apps.solver.world.server"]
    command += ["--seed", str(SEED), "--profile", "small", "--families", FAMILY]
    command += ["--port", "0", "--until-stdin-closes"]
    # In a session of its own, Ctrl-C does not reach it: it ends because its input does.
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    atexit.register(_end, process)
    late = threading.Timer(START_SECONDS, process.kill)
    late.start()
    try:
        line = process.stdout.readline() if process.stdout else ""
        return str(json.loads(line)["url"])
    except (ValueError, KeyError, TypeError):
        message = "the synthetic company could not be served"
        hint = "try: python -m proveout.apps.solver.world.server --seed 0"
        raise PrerequisiteError(message, hint=hint) from None
    finally:
        late.cancel()


def _end(process: "subprocess.Popen[str]") -> None:
    """Its input closes when we end, however we end; this waits until it has gone, too."""
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()
    try:
        process.wait(END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
