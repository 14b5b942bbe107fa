"""The demonstration: a small synthetic company, served by a process of its own, and one task."""

import atexit
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from proveout.apps.solver.client import BenchmarkClient
from proveout.kernel.errors import PrerequisiteError

SEED = 12
FAMILY = "busiest"


def demo(folder: Path) -> dict[str, Any]:
    """A question about workloads; the company is there as long as this process is."""
    del folder
    base_url = _serve()
    benchmark = f"world-{SEED}"
    with BenchmarkClient(base_url) as service:
        session = service.start_session(benchmark)
        tasks = service.session_status(session.session_id).tasks
        task = service.start_task(tasks[0].task_id)
        text = task.text or service.task_detail(task.task_id).text
    return {
        "text": text,
        "task_url": f"{base_url}/erc3-dev/{task.task_id}",
        "service_url": base_url,
    }


def _serve() -> str:
    command = [sys.executable, "-m", "proveout.apps.solver.world.server"]
    command += ["--seed", str(SEED), "--port", "0", "--until-stdin-closes"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    atexit.register(_end, process)
    line = process.stdout.readline() if process.stdout else ""
    try:
        return str(json.loads(line)["url"])
    except (ValueError, KeyError, TypeError):
        message = "the synthetic company could not be served"
        hint = "try: python -m proveout.apps.solver.world.server --seed 0"
        raise PrerequisiteError(message, hint=hint) from None


def _end(process: "subprocess.Popen[str]") -> None:
    """Its input closes when we end, however we end; this is for those who exit politely."""
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
