"""How a request becomes a reply: identify, propose, validate, respond once."""

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pydantic import JsonValue

from proveout.apps.solver.checks import Validated
from proveout.apps.solver.decision import Decision, Response
from proveout.apps.solver.desk import Desk
from proveout.apps.solver.experience import lessons_of
from proveout.apps.solver.plan import Plan
from proveout.apps.solver.roles import PROPOSE
from proveout.apps.solver.task import SolverTask
from proveout.apps.solver.tools import TOOLS
from proveout.kernel.context import Context
from proveout.kernel.judging import Observations
from proveout.kernel.loop import attempts
from proveout.kernel.ports import Ask, Brief
from proveout.kernel.proposer import RoleProposer
from proveout.kernel.types import Malformed, Outcome

NO_IDENTITY = Response(
    message="Something went wrong on our side; please try again later.", outcome="error_internal"
)
NO_PLAN = Response(
    message="I could not work out how to do this safely. Could you say it in other words?",
    outcome="none_clarification_needed",
)


@dataclass(frozen=True)
class PlanProposer:
    """Shows the scene to whoever proposes; a plan that is on record needs none."""

    desk: Desk
    returns = Plan

    def propose(self, brief: Brief, ask: Ask) -> Plan | Malformed:
        told = {"scene": self.desk.scene(), "tools": TOOLS, "rules": self.desk.policy.book}
        return RoleProposer(PROPOSE, told).propose(brief, ask)


def run(task: SolverTask, context: Context) -> Outcome:
    """The reply that validation stands for; the honest one if no plan was accepted in time."""
    with TemporaryDirectory(prefix="proveout-solver-") as folder, Desk(task, Path(folder)) as desk:
        known = context.observe("who_am_i", desk.identify)
        if not desk.adopt(known):
            return _closed(task, context, desk, NO_IDENTITY, None)
        check = Validated(desk)
        made = list(attempts(task, PlanProposer(desk), (check,), context))
        decision = None
        if made and made[-1].accepted:
            decision = check.decision(Observations(context.record, made[-1].key))
        response = decision.response if decision else None
        return _closed(task, context, desk, response or NO_PLAN, decision, len(made))


def _closed(  # noqa: PLR0913
    task: SolverTask,
    context: Context,
    desk: Desk,
    response: Response,
    decision: Decision | None,
    rounds: int = 0,
) -> Outcome:
    """Send the reply, once, unless this is a rehearsal."""
    sent: JsonValue = None
    if not task.rehearse:
        sent = context.observe("respond", lambda: desk.respond(response))
    calls = context.observe("api_calls", lambda: desk.api_calls)
    grade = _graded(context, desk) if sent and task.service_url else None
    answer: dict[str, Any] = {
        "response": response.model_dump(mode="json"),
        "identity": desk.identity.model_dump(mode="json") if desk.identity else None,
        "decision": decision.model_dump(mode="json") if decision else None,
        "sent": sent,
        "rounds": rounds,
        "api_calls": calls,
        "grade": grade,
    }
    proved = decision is not None or response is NO_IDENTITY
    return Outcome(
        accepted=proved,
        answer=answer,
        score=1.0 if proved else 0.0,
        summary=f"{response.outcome}: {response.message[:160]}",
    )


def _graded(context: Context, desk: Desk) -> JsonValue:
    """Hand the task in; what the grader says becomes experience, not knowledge."""
    model = context.model_for(PROPOSE.name).name
    seconds = context.meter.used("seconds")
    grade = context.observe("grade", lambda: desk.complete(model, context.meter.usage, seconds))
    if isinstance(grade, dict):
        for patch in lessons_of(str(grade.get("logs", ""))):
            context.learn(patch)
    return grade
