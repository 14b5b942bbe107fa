"""How long validation takes per plan: the expert's plans of a company, judged again and again."""

import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.solver.company import served, started
from proveout.apps.solver.desk import Desk
from proveout.apps.solver.proposing import propose
from proveout.apps.solver.task import SolverTask

SEED = 3
WARM = 1
TIMES = 3


@dataclass(frozen=True)
class Judged:
    """One plan: the first look fetches what it needs, later ones find it in the snapshot."""

    sql_steps: int
    first: float
    again: float
    propose: float


def judged(families: str) -> list[Judged]:
    with served(SEED, "standard", "--families", families) as base_url:
        return [
            one
            for url, text in started(base_url, f"world-{SEED}")
            if (one := _judge(SolverTask(text=text, task_url=url, rehearse=True))) is not None
        ]


def _judge(task: SolverTask) -> Judged | None:
    """None where nobody can be identified, which needs no plan."""
    with TemporaryDirectory() as folder, Desk(task, Path(folder)) as desk:
        if not desk.adopt(desk.identify()):
            return None
        scene = desk.scene()
        began = time.perf_counter()
        plan = propose(task.text, scene).model_copy(update={"dry_run": True})
        proposed = time.perf_counter() - began
        times = []
        for _ in range(WARM + TIMES):
            began = time.perf_counter()
            desk.prove(task.text, plan)
            times.append(time.perf_counter() - began)
        return Judged(len(plan.sql), times[0], min(times[WARM:]), proposed)
