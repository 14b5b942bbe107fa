"""The one check of this app: the validator, which proves a plan and decides what it is worth.

Proof and deed are two steps. First everything is read, decided and worded, and the decision is
written down. Only then its changes are made, each announced before it is sent. So a run that was
killed in between goes on with the very changes that were proved, and never proves against a company
that it has changed itself.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

from pydantic import JsonValue

from proveout.apps.solver.decision import Decision
from proveout.apps.solver.plan import Plan
from proveout.apps.solver.task import SolverTask
from proveout.apps.solver.validating.refusal import finding
from proveout.kernel.errors import JournalError
from proveout.kernel.ports import Checked, Surroundings

Once = Callable[[str, Callable[[], JsonValue]], JsonValue]
LONGEST_READ = 60_000
"""Characters of a request that anybody tries to understand."""
TOO_LONG = finding(
    "solver.plan.too_large", f"the request has more than {LONGEST_READ} characters", "text"
)


class Desk(Protocol):
    """Where plans are proved and carried out."""

    def prove(self, text: str, plan: Plan) -> Decision:
        """The decision on a plan, without any change."""
        ...

    def carry_out(self, decision: Decision, plan: Plan, once: Once) -> Decision:
        """Make the changes that were proved, none of them twice."""
        ...


@dataclass(frozen=True)
class Validated:
    """A plan is accepted if the decision on it is one that may be sent."""

    desk: Desk
    settle: Callable[[str], None]
    """Makes durable what was written down so far; called before anything is changed."""
    made: list[Decision] = field(default_factory=list)
    """Decisions of this process, in order; a resumed run has older ones on record."""

    def __call__(self, task: SolverTask, plan: Plan, around: Surroundings) -> Checked:
        if len(task.text) > LONGEST_READ:
            return Checked(findings=(TOO_LONG,), score=0.0)
        decision = self._decided(task, plan, around, partial(self._proved, task, plan))
        self.made.append(decision)
        return Checked(findings=decision.findings, score=1.0 if decision.ok else 0.0)

    def decision(self, task: SolverTask, plan: Plan, around: Surroundings) -> Decision:
        """The decision on the plan that was judged last."""
        return self.made[-1] if self.made else self._decided(task, plan, around, _not_recorded)

    def _decided(
        self,
        task: SolverTask,
        plan: Plan,
        around: Surroundings,
        prove: Callable[[], JsonValue],
    ) -> Decision:
        decision = Decision.model_validate(around.observe("decision", prove))
        if not decision.ok or not decision.writes or plan.dry_run or not task.sends:
            return decision
        return self.desk.carry_out(decision, plan, partial(self._once, around))

    def _proved(self, task: SolverTask, plan: Plan) -> JsonValue:
        rehearsed = plan.model_copy(update={"dry_run": True})
        value: JsonValue = self.desk.prove(task.text, rehearsed).model_dump(mode="json")
        return value

    def _once(self, around: Surroundings, name: str, do: Callable[[], JsonValue]) -> JsonValue:
        """What an API must not be asked twice is on disk before the next thing happens."""
        value = around.observe(name, do)
        self.settle(name)
        return value


def _not_recorded() -> JsonValue:
    message = "the decision on an accepted plan is not on record"
    raise JournalError(message, hint="verify the journal: proveout runs verify")
