"""A synthetic company for tests of the solver: its server, its tasks, and what it saw of them."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.integration.solver_world_client import ok, world_process

SEED = 12


@dataclass(frozen=True)
class Company:
    """A served company with a session of its tasks."""

    url: str
    report: Path
    seed: int = SEED

    @property
    def benchmark(self) -> str:
        return f"world-{self.seed}"

    def session(self) -> dict[str, dict[str, Any]]:
        """The tasks of a new session by their spec."""
        started = ok(f"{self.url}/sessions/start", benchmark=self.benchmark, account_key="k")
        tasks = ok(f"{self.url}/sessions/status", session_id=started["session_id"])["tasks"]
        return {task["spec_id"]: task for task in tasks}

    def task(self, spec: str, **fields: Any) -> dict[str, Any]:
        """Fields of a solver task for a fresh instance of a spec."""
        task = ok(f"{self.url}/tasks/start", benchmark=self.benchmark, spec_id=spec)
        url = f"{self.url}/erc3-dev/{task['task_id']}"
        return {"text": task["text"], "task_url": url, **fields}

    def calls(self, fields: dict[str, Any]) -> list[str]:
        """Routes that a task's API was asked for, in order."""
        identifier = fields["task_url"].rpartition("/")[2]
        logs = ok(f"{self.url}/tasks/view", task_id=identifier)["logs"] or []
        return [row["text"] for row in logs if row["type"] == "api"]

    def graded(self) -> list[dict[str, Any]]:
        """What the grader wrote about completed tasks, in order."""
        return [json.loads(line) for line in self.report.read_text().splitlines()]


@contextmanager
def company(folder: Path, *arguments: str, seed: int = SEED) -> Iterator[Company]:
    report = folder / "report.jsonl"
    report.touch()
    options = ("--seed", str(seed), "--profile", "small", "--report", str(report))
    with world_process(*options, *arguments) as url:
        yield Company(url, report, seed)
