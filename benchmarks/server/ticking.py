"""An app that writes an event at a steady pace, for watchers to watch: installed for the benchmark.

It costs next to nothing, so that what is measured is the streaming and not the run.
"""

from pathlib import Path

NAME = "ticking"
INIT = """
from proveout import App

APP = App(
    name="ticking",
    summary="Ticks.",
    task="ticking.flow:TickingTask",
    flow="ticking.flow:run",
    roles="ticking.flow:ROLES",
    findings={"ticking.again": "Not yet."},
)
"""
FLOW = """
import time

from proveout import Checked, Finding, Frozen, Outcome, Role, RoleProposer, Task, attempts


class TickingTask(Task):
    ticks: int = 120
    pace_seconds: float = 0.5


class Tick(Frozen):
    number: int


TICK = Role("ticking/tick", Tick, "Counts.", expert=lambda brief: Tick(number=brief.round + 1))
ROLES = (TICK,)


def late_enough(task, proposal, around):
    time.sleep(task.pace_seconds)
    if proposal.number >= task.ticks:
        return Checked(score=float(proposal.number))
    return Checked(findings=(Finding(code="ticking.again", message="go on", hint="Go on."),))


def run(task, context):
    ticks = [one.accepted for one in attempts(task, RoleProposer(TICK), [late_enough], context)]
    return Outcome(accepted=ticks[-1], summary=f"{len(ticks)} ticks")
"""


def install(folder: Path) -> Path:
    """A package as `pip install` would leave it; its folder for PYTHONPATH."""
    package = folder / NAME
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(INIT)
    (package / "flow.py").write_text(FLOW)
    about = folder / f"{NAME}-1.0.dist-info"
    about.mkdir()
    about.joinpath("METADATA").write_text(f"Metadata-Version: 2.1\nName: {NAME}\nVersion: 1.0\n")
    about.joinpath("entry_points.txt").write_text(f"[proveout.apps]\n{NAME} = {NAME}:APP\n")
    return folder
