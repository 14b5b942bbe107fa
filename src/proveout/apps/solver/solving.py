"""`propose(task, experience) -> plan` and `validate(task, plan) -> decision`, for any caller.

The flow makes the same two steps inside a run, where they are journalled; here each stands alone.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from proveout.apps.solver.decision import Decision
from proveout.apps.solver.desk import Desk
from proveout.apps.solver.experience import ExperienceStore
from proveout.apps.solver.flow import NO_IDENTITY
from proveout.apps.solver.plan import Plan
from proveout.apps.solver.proposing import propose as proposed
from proveout.apps.solver.task import SolverTask
from proveout.apps.solver.validating.ports import directly
from proveout.kernel.types import Finding


def propose(
    task: SolverTask,
    experience: ExperienceStore | None = None,
    findings: Sequence[Finding] = (),
) -> Plan:
    """The expert's plan for a task; untrusted, like any other plan."""
    with TemporaryDirectory(prefix="proveout-solver-") as folder, Desk(task, Path(folder)) as desk:
        if not desk.adopt(desk.identify()):
            return Plan(reading="nobody was identified")
        learned = experience.lessons() if experience else ()
        lessons = tuple(lesson.advice for lesson in learned)
        scene = replace(desk.scene(), findings=tuple(findings), lessons=lessons)
        return proposed(task.text, scene)


def validate(task: SolverTask, plan: Plan) -> Decision:
    """Execute and judge a plan, whoever wrote it. Writes are made unless plan or task rehearse."""
    with TemporaryDirectory(prefix="proveout-solver-") as folder, Desk(task, Path(folder)) as desk:
        if not desk.adopt(desk.identify()):
            return Decision(ok=True, response=NO_IDENTITY, steps=("1 nobody was identified",))
        decision = desk.prove(task.text, plan.model_copy(update={"dry_run": True}))
        if not decision.ok or plan.dry_run or not task.sends:
            return decision
        return desk.carry_out(decision, plan, directly)
