"""The one check of this app: the validator, which executes a plan and decides what it is worth."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

from pydantic import JsonValue

from proveout.apps.solver.decision import Decision
from proveout.apps.solver.plan import Plan
from proveout.apps.solver.task import SolverTask
from proveout.kernel.errors import JournalError
from proveout.kernel.ports import Checked, Surroundings

Observe = Callable[[str, Callable[[], JsonValue]], JsonValue]


class Validates(Protocol):
    """Executes a plan and decides; what must not happen twice is done under a name, once."""

    def validate(self, text: str, plan: Plan, observe: Observe) -> Decision: ...


@dataclass(frozen=True)
class Validated:
    """A plan is accepted if the decision on it is one that may be sent."""

    desk: Validates
    made: list[Decision] = field(default_factory=list)
    """Decisions of this process, in order; a resumed run has older ones on record."""

    def __call__(self, task: SolverTask, plan: Plan, around: Surroundings) -> Checked:
        seen = around.observe("decision", partial(self._decided, task, plan, around))
        decision = Decision.model_validate(seen)
        self.made.append(decision)
        return Checked(findings=decision.findings, score=1.0 if decision.ok else 0.0)

    def decision(self, around: Surroundings) -> Decision:
        """The decision on the plan that was judged last."""
        if self.made:
            return self.made[-1]
        return Decision.model_validate(around.observe("decision", _not_recorded))

    def _decided(self, task: SolverTask, plan: Plan, around: Surroundings) -> JsonValue:
        rehearsed = plan.model_copy(update={"dry_run": plan.dry_run or task.rehearse})
        decision = self.desk.validate(task.text, rehearsed, around.observe)
        value: JsonValue = decision.model_dump(mode="json")
        return value


def _not_recorded() -> JsonValue:
    message = "the decision on an accepted plan is not on record"
    raise JournalError(message, hint="verify the journal: proveout runs verify")
