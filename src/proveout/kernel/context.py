"""What a flow is given: its place in the run's tree, and the doors to model, journal and engine.

A context belongs to one thread; parallel work takes a branch each. Names within a context must come
in the same order every time the flow runs: that order is how a resumed run finds what it has done.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import JsonValue

from proveout.kernel.asking import ask
from proveout.kernel.budget import BOUNDS, Budget, Meter
from proveout.kernel.errors import BudgetSpent, Interrupted, PrerequisiteError, UsageError
from proveout.kernel.events import BudgetDrained, LessonLearned, Note
from proveout.kernel.lessons import LessonRule, Patch
from proveout.kernel.ports import Brief, Cancel, Clock, Engine, Experience, Model, Prompts, Sandbox
from proveout.kernel.proposer import ReturnT, Role
from proveout.kernel.record import Record, keep_once, observe_once
from proveout.kernel.types import Malformed, Outcome, Picture

NAME = re.compile(r"[A-Za-z0-9_.-]{1,80}")
ASKERS = 8


def _not_here(spec: str) -> Model:
    message = f"the model {spec!r} cannot be opened here"
    raise PrerequisiteError(message, hint="name it with --model")


def _no_sandbox() -> Sandbox:
    message = "there is no sandbox here"
    raise PrerequisiteError(message, hint="run scripts inside of a run")


@dataclass(frozen=True)
class Ports:
    """The doors of a run, shared by all of its branches."""

    record: Record
    prompts: Prompts
    experience: Experience
    engine: Engine
    clock: Clock
    cancel: Cancel
    model_for: Callable[[str], Model]
    """The back end of a role: one for all, or per role as configured."""
    open_model: Callable[[str], Model] = field(default=_not_here)
    """A back end by its name (`openai:gpt-5`), for apps that have a configuration of their own."""
    open_sandbox: Callable[[], Sandbox] = field(default=_no_sandbox)
    """Where scripts run; whoever opens it closes it."""
    askers: int = ASKERS
    """Questions in flight at once in `fan_out`; a back end may allow fewer. Who computes instead of
    waiting, as experts do, is asked one after the other: threads would only be in each other's way.
    """


@dataclass
class Context:
    """One branch of a run."""

    app: str
    run: str
    ports: Ports
    meter: Meter
    seed: int = 0
    path: str = ""
    """Names of the branches that lead here, joined by slashes."""
    rules: Mapping[str, LessonRule] = field(default_factory=dict)
    """How this app's findings become lessons."""
    best: list[Outcome] = field(default_factory=list)
    """Shared by all branches: the last one kept is the answer if the budget ends the run."""
    spent: list[str] = field(default_factory=list)
    """Shared by all branches: the bounds that were reached, in order."""
    _names: Counter[str] = field(default_factory=Counter)

    @property
    def record(self) -> Record:
        return self.ports.record

    @property
    def prompts(self) -> Prompts:
        return self.ports.prompts

    @property
    def clock(self) -> Clock:
        return self.ports.clock

    @property
    def cancel(self) -> Cancel:
        return self.ports.cancel

    def model_for(self, role: str) -> Model:
        return self.ports.model_for(role)

    def branch(self, name: str, budget: Budget | None = None) -> "Context":
        """A loop within this one; it draws on this context's budget and has its own bounds too."""
        if not NAME.fullmatch(name):
            message = f"{name!r} cannot name a branch"
            raise UsageError(message, hint="letters, digits, dot, dash and underscore only")
        unique = self._unique(name)
        return Context(
            app=self.app,
            run=self.run,
            ports=self.ports,
            meter=self.meter.child(budget or self.meter.budget),
            seed=self.seed,
            path=f"{self.path}/{unique}" if self.path else unique,
            rules=self.rules,
            best=self.best,
            spent=self.spent,
        )

    def ask(
        self, role: Role[ReturnT], *, pictures: tuple[Picture, ...] = (), **variables: Any
    ) -> ReturnT | Malformed:
        """Put one question outside a loop (a summary, say): answered once, never judged."""
        brief = Brief(task=None, variables=variables, pictures=pictures, seed=self.seed)
        return ask(self, role, brief, self._unique(f"{self.path}>{role.name}"))

    def observe(self, name: str, produce: Callable[[], JsonValue]) -> JsonValue:
        """Something a flow must learn from outside: recorded once, re-read ever after."""
        content = observe_once(self.record, self._unique(f"{self.path}@{name}"), produce)
        value: JsonValue = json.loads(self.record.get(content))
        return value

    def exhibit(self, name: str, media_type: str, produce: Callable[[], bytes]) -> str:
        """Bytes worth showing (a picture, a file), made once; returns their content id."""
        key = self._unique(f"{self.path}@{name}")
        return keep_once(self.record, key, produce, media_type)

    def note(self, text: str, detail: JsonValue = None) -> None:
        self.record.append(Note(key=self._unique(f"{self.path}!note"), text=text, detail=detail))

    def learn(self, patch: Patch) -> None:
        """Add to the experience what no single finding says (a scored task, a repaired tool)."""
        place = self._unique(f"{self.path}:{patch.signature}")
        self.record.append(LessonLearned(key=place, app=self.app, patch=patch))

    def keep(self, outcome: Outcome) -> None:
        """The best answer so far: what the run ends with if a bound is reached."""
        self.best[:] = [outcome]

    def attempt_key(self, number: int) -> str:
        return f"{self.path}#{number}"

    def stop_if_asked(self) -> None:
        if self.cancel.is_set():
            raise Interrupted

    def stop_if_spent_before(self) -> None:
        """A branch that a bound ended before a crash stays ended, unless that bound was raised."""
        for bound in BOUNDS:
            limit = self.meter.limit(bound)
            for key in (f"{self.path}^{bound}", f"{self.path}^{bound}^{limit:g}"):
                event = self.record.recall("budget.spent", key)
                if isinstance(event, BudgetDrained) and limit <= event.limit:
                    raise BudgetSpent(bound, event.used, event.limit)

    def drained(self, spent: BudgetSpent) -> None:
        """Write down which bound ended this branch."""
        self.spent.append(spent.kind)
        key = f"{self.path}^{spent.kind}"
        before = None if self.record.replaying else self.record.recall("budget.spent", key)
        if isinstance(before, BudgetDrained) and before.limit != spent.limit:
            # The bound was raised since, and reached again.
            key = f"{key}^{spent.limit:g}"
        self.record.append(
            BudgetDrained(
                key=self._unique(key),
                bound=spent.kind,
                used=round(spent.used, 6),
                limit=spent.limit,
            )
        )

    def _unique(self, name: str) -> str:
        self._names[name] += 1
        count = self._names[name]
        return name if count == 1 else f"{name}~{count}"
