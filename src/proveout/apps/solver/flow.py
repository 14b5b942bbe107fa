"""How a request becomes a reply: identify, propose, validate, respond once."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pydantic import JsonValue

from proveout.apps.solver.acquiring import with_proposed_rules
from proveout.apps.solver.checks import LONGEST_READ, Validated
from proveout.apps.solver.decision import Decision, Response
from proveout.apps.solver.desk import Desk
from proveout.apps.solver.experience import lessons_of
from proveout.apps.solver.plan import Plan
from proveout.apps.solver.roles import PROPOSE
from proveout.apps.solver.task import SolverTask
from proveout.apps.solver.tools import TOOLS
from proveout.kernel.context import Context
from proveout.kernel.events import Note, ProposalMade
from proveout.kernel.judging import Observations
from proveout.kernel.loop import attempts
from proveout.kernel.ports import Ask, Brief
from proveout.kernel.proposer import RoleProposer
from proveout.kernel.types import Attempt, Malformed, Outcome

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
    told: list[tuple[str, ...]] = field(default_factory=list)
    """Signatures of the patches behind the lessons of each proposal made here."""
    returns = Plan

    def propose(self, brief: Brief, ask: Ask) -> Plan | Malformed:
        self.told.append(tuple(it for lesson in brief.lessons for it in lesson.patches))
        if len(brief.task.text) > LONGEST_READ:
            return Plan(reading="too long to be read")
        told = {"scene": self.desk.scene(), "tools": TOOLS, "rules": self.desk.policy.book}
        return RoleProposer(PROPOSE, told).propose(brief, ask)


def run(task: SolverTask, context: Context) -> Outcome:
    """The reply that validation stands for; the honest one if no plan was accepted in time."""
    acts = not context.record.replaying
    with (
        TemporaryDirectory(prefix="proveout-solver-") as folder,
        Desk(task, Path(folder), acts=acts) as desk,
    ):
        known = context.observe("who_am_i", desk.identify)
        if not desk.adopt(known):
            return _closed(task, context, desk, NO_IDENTITY)
        if task.ask_for_rules and acts:
            desk.add_rules(lambda book, pages: with_proposed_rules(book, pages, context))
        check = Validated(desk, settle=partial(_settle, context))
        proposer = PlanProposer(desk)
        made = list(_until_repeated(attempts(task, proposer, (check,), context)))
        decision = None
        if made and made[-1].accepted and isinstance(made[-1].proposal, Plan):
            key = made[-1].key
            decision = check.decision(task, made[-1].proposal, Observations(context.record, key))
            told = _lessons_told(context, key, proposer)
            decision = decision.model_copy(update={"influenced_by": told})
        return _closed(task, context, desk, NO_PLAN, decision, len(made))


def _until_repeated(made: Iterable[Attempt[Plan]]) -> Iterator[Attempt[Plan]]:
    """Attempts up to a plan that was refused just before: whoever repeats it has no other."""
    previous: Plan | Malformed | None = None
    for attempt in made:
        yield attempt
        if attempt.proposal == previous and isinstance(previous, Plan):
            return
        previous = attempt.proposal


def _settle(context: Context, name: str) -> None:
    """All that was written down so far survives a crash from here on."""
    context.record.append(Note(key=f"!{name}", text=name), durable=True)


def _lessons_told(context: Context, key: str, proposer: PlanProposer) -> tuple[str, ...]:
    """What the proposer of an attempt had in hand, here or before the run was resumed."""
    made = context.record.recall("proposal.made", key)
    if isinstance(made, ProposalMade):
        return made.lessons
    return proposer.told[-1] if proposer.told else ()


def _closed(
    task: SolverTask,
    context: Context,
    desk: Desk,
    otherwise: Response,
    decision: Decision | None = None,
    rounds: int = 0,
) -> Outcome:
    """Send the reply, once, unless this is a rehearsal."""
    response = (decision.response if decision else None) or otherwise
    sent = _sent(context, desk, response) if task.sends else None
    context.observe("api_calls", lambda: desk.api_calls)
    grade = _graded(context, desk) if sent and task.service_url else None
    answer: dict[str, Any] = {
        "response": response.model_dump(mode="json"),
        "identity": desk.identity.model_dump(mode="json") if desk.identity else None,
        "decision": decision.model_dump(mode="json") if decision else None,
        "sent": sent,
        "rounds": rounds,
        "grade": grade,
    }
    proved = decision is not None or response is NO_IDENTITY
    return Outcome(
        accepted=proved,
        answer=answer,
        score=1.0 if proved else 0.0,
        summary=f"{response.outcome}: {response.message[:160]}",
    )


def _sent(context: Context, desk: Desk, response: Response) -> JsonValue:
    """Announced before it is sent: who finds only the announcement cannot know, and looks."""
    if context.record.replaying:
        return context.observe("respond", lambda: True)
    begun_here: list[bool] = []
    context.observe("respond begun", lambda: begun_here.append(True))
    _settle(context, "respond begun")
    return context.observe("respond", lambda: desk.respond(response, perhaps_sent=not begun_here))


def _graded(context: Context, desk: Desk) -> JsonValue:
    """Hand the task in; what the grader says becomes experience, not knowledge."""
    model = context.model_for(PROPOSE.name).name
    seconds = context.meter.used("seconds")
    grade = context.observe("grade", lambda: desk.complete(model, context.meter.usage, seconds))
    if isinstance(grade, dict):
        for patch in lessons_of(str(grade.get("logs", ""))):
            context.learn(patch)
    return grade
