"""An app of another package: two roles' worth of waiting, to be stopped in the middle.

Its modules are texts, because they are installed beside the product and found by entry point.
"""

from collections.abc import Mapping

INIT = """
from proveout import App

APP = App(
    name="slow",
    summary="Waits.",
    task="slow.task:SlowTask",
    flow="slow.flow:run",
    roles="slow.flow:ROLES",
    findings={"slow.again": "Not the last round."},
)
"""
TASK = """
from pydantic import Field

from proveout import Task


class SlowTask(Task):
    seconds: float = Field(default=0.0, description="how long a check takes")
    needed: int = Field(default=3, description="rounds until it is accepted")
    fails: str = Field(default="", description="an error to raise: a defect of the app")
    marks: str = Field(default="", description="a file that grows by a line with every check")
    parallel: bool = Field(default=False, description="two branches, judged by the engine")
"""
FLOW = """
import time
from pathlib import Path

from proveout import Checked, Finding, Frozen, Outcome, Role, RoleProposer, attempts, fan_out


class Step(Frozen):
    number: int


STEP = Role("slow/step", Step, "Counts.", expert=lambda brief: Step(number=brief.round + 1))
ROLES = (STEP,)


def enough(task, proposal, around):
    if task.fails:
        raise RuntimeError(task.fails)
    if task.marks:
        with Path(task.marks).open("a") as file:
            file.write(f"{proposal.number}\\n")
    time.sleep(task.seconds)
    if proposal.number >= task.needed:
        return Checked(score=float(proposal.number))
    return Checked(findings=(Finding(code="slow.again", message="go on", hint="Go on."),))


def run(task, context):
    if task.parallel:
        proposers = {name: RoleProposer(STEP) for name in ("left", "right")}
        found = list(fan_out(task, proposers, [enough], context))
        return Outcome(accepted=all(it.accepted for it in found), summary="both")
    outcome = Outcome(accepted=False, summary="nothing tried")
    for attempt in attempts(task, RoleProposer(STEP), [enough], context):
        number = attempt.proposal.number
        outcome = Outcome(accepted=attempt.accepted, answer=number, summary=f"{number} steps")
        context.keep(outcome)
    return outcome
"""
MODULES: Mapping[str, str] = {"__init__": INIT, "task": TASK, "flow": FLOW}
