"""A synthetic company in a process of its own, for as long as something is measured."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from proveout.apps.solver.client import BenchmarkClient

API_ROOT = "erc3-dev"


@contextmanager
def served(seed: int, profile: str, *flags: str) -> Iterator[str]:
    """Its address; it ends when its input does, so also if we are killed."""
    command = [sys.executable, "-m", "proveout.apps.solver.world.server"]
    command += ["--seed", str(seed), "--profile", profile, "--port", "0", "--until-stdin-closes"]
    with subprocess.Popen(
        [*command, *flags], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield str(json.loads(process.stdout.readline())["url"])
        finally:
            process.stdin.close()


def started(base_url: str, benchmark: str) -> list[tuple[str, str]]:
    """The tasks of a new session, started: address of each one's API, and its text."""
    with BenchmarkClient(base_url) as service:
        session = service.start_session(benchmark)
        tasks = service.session_status(session.session_id).tasks
        begun = [service.start_task(task.task_id) for task in tasks]
        texts = [one.text or service.task_detail(one.task_id).text for one in begun]
    return [
        (f"{base_url}/{API_ROOT}/{one.task_id}", text)
        for one, text in zip(begun, texts, strict=True)
    ]
