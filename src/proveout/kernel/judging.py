"""Judging: a proposal against its checks, here or on an engine.

On an engine the work must travel, so it is a picklable value; what the checks saw comes back as a
value too, and the run's own process writes it down.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from pydantic import BaseModel, JsonValue

from proveout.kernel.canonical import canonical, content_id
from proveout.kernel.canonical import content_id as name_of
from proveout.kernel.errors import JournalError
from proveout.kernel.ports import Check, Checked, Surroundings, verdict_of
from proveout.kernel.record import Record, keep_once, observe_once
from proveout.kernel.types import Malformed, ProposalT, Task, TaskT, Verdict


def judge(
    task: TaskT,
    proposal: ProposalT | Malformed,
    checks: Sequence[Check[TaskT, ProposalT]],
    surroundings: Surroundings,
) -> list[Checked]:
    """Checks in order, up to the first that finds an error: later ones build on earlier ones."""
    if isinstance(proposal, Malformed):
        return [Checked(findings=(proposal.finding(),))]
    results: list[Checked] = []
    for check in checks:
        results.append(check(task, proposal, surroundings))
        if any(finding.severity == "error" for finding in results[-1].findings):
            break
    return results


class Observations:
    """The surroundings of one attempt, backed by the run's record."""

    def __init__(self, record: Record, key: str) -> None:
        self._record = record
        self._key = key
        self._seen: dict[str, str] = {}
        self.evidence: list[str] = []

    def observe(
        self, name: str, produce: Callable[[], JsonValue], *, counts: bool = True
    ) -> JsonValue:
        content = self._once(name, lambda key: observe_once(self._record, key, produce), counts)
        value: JsonValue = json.loads(self._record.get(content))
        return value

    def keep(self, content: bytes, media_type: str) -> str:
        name = content_id(content)
        return self._once(
            name, lambda key: keep_once(self._record, key, lambda: content, media_type)
        )

    def content(self, content_id: str) -> bytes:
        return self._record.get(content_id)

    def _once(self, name: str, look: Callable[[str], str], counts: bool = True) -> str:
        """Two checks of one attempt that look at the same thing see the same thing."""
        if name not in self._seen:
            self._seen[name] = look(f"{self._key}:{name}")
            if counts:
                self.evidence.append(self._seen[name])
        return self._seen[name]


@dataclass(frozen=True)
class JudgeWork:
    """A proposal to be judged somewhere else."""

    task: Task
    proposal: BaseModel
    checks: tuple[Check[Any, Any], ...]


@dataclass(frozen=True)
class Seen:
    """Something a check observed (`name` set) or kept (`media_type` set), while elsewhere."""

    content: bytes
    name: str = ""
    media_type: str = ""
    counts: bool = True


@dataclass
class Judged:
    """What the checks said and saw."""

    results: list[Checked] = field(default_factory=list)
    seen: list[Seen] = field(default_factory=list)

    def enter(self, record: Record, key: str) -> Verdict:
        """Write down what was seen, in its order, and form the verdict."""
        surroundings = Observations(record, key)
        for item in self.seen:
            if item.name:
                value = partial(json.loads, item.content)
                surroundings.observe(item.name, value, counts=item.counts)
            else:
                surroundings.keep(item.content, item.media_type)
        return verdict_of(self.results, surroundings.evidence)


class Elsewhere:
    """Surroundings without a journal: remembers what was observed."""

    def __init__(self) -> None:
        self.seen: list[Seen] = []

    def observe(
        self, name: str, produce: Callable[[], JsonValue], *, counts: bool = True
    ) -> JsonValue:
        earlier = next((item for item in self.seen if item.name == name), None)
        seen = earlier or Seen(canonical(produce()).encode(), name=name, counts=counts)
        if earlier is None:
            self.seen.append(seen)
        value: JsonValue = json.loads(seen.content)
        return value

    def keep(self, content: bytes, media_type: str) -> str:
        seen = Seen(content, media_type=media_type)
        if seen not in self.seen:
            self.seen.append(seen)
        return content_id(content)

    def content(self, content_id: str) -> bytes:
        """Only what these same checks kept: nothing else has travelled here."""
        kept = {name_of(item.content): item.content for item in self.seen}
        if content_id not in kept:
            message = f"the content {content_id} has not travelled to this engine"
            raise JournalError(message, hint="a check on an engine can read what it kept itself")
        return kept[content_id]


def judge_elsewhere(work: JudgeWork) -> Judged:
    """Runs in a worker: the same judging as in the loop."""
    surroundings = Elsewhere()
    results = judge(work.task, work.proposal, work.checks, surroundings)
    return Judged(results, surroundings.seen)
