"""Which spans the events of a run amount to: a fold over the journal, without any library.

Attribute names are those of OpenTelemetry's conventions for generative AI where there is one;
our own begin with `proveout.`.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from proveout.kernel.events import (
    EvidenceObserved,
    ModelCalled,
    PromptRendered,
    ProposalMade,
    Recorded,
    RunEnded,
    RunInterrupted,
    RunResumed,
    RunStarted,
    VerdictGiven,
)
from proveout.kernel.types import Usage

Attribute = str | bool | int | float | tuple[str, ...]
MOST_MARKS = 100
"""Marks of one span; a run of many hours must not grow without end."""
SCRIPTS = "circumstances"
"""The observation that tells how long scripts ran."""
EXPERT = "offline"
"""The model that is none."""
PROVIDERS = {"claude": "anthropic", "google": "gcp.gemini"}
"""Beginnings of our names for models that the conventions call otherwise."""


@dataclass(frozen=True)
class Mark:
    """Something that happened within a span."""

    name: str
    at: float
    attributes: Mapping[str, Attribute]


@dataclass(frozen=True)
class Span:
    """A piece of work that is over; `key` names it within its run."""

    key: str
    parent: str | None
    name: str
    start: float
    end: float
    attributes: Mapping[str, Attribute]
    marks: tuple[Mark, ...] = ()
    failure: str = ""
    remote: bool = False
    """Whether the work was done elsewhere: a call to a model."""


@dataclass
class _Open:
    """A piece of work that goes on."""

    start: float
    attributes: dict[str, Attribute] = field(default_factory=dict)
    marks: list[Mark] = field(default_factory=list)
    proposed: float | None = None

    def mark(self, name: str, at: float, **attributes: Attribute) -> None:
        if len(self.marks) < MOST_MARKS:
            self.marks.append(Mark(name, at, attributes))


class Spans:
    """Feed it the events of one session of a run, in order."""

    def __init__(self, blobs: Callable[[str], bytes]) -> None:
        self._blobs = blobs
        self._session = ""
        self._run = _Open(0.0)
        self._attempts: dict[str, _Open] = {}
        self._asked: dict[str, str] = {}
        """The models of calls in flight, by key."""

    def add(self, row: Recorded) -> Iterator[Span]:
        """The spans that this event completes."""
        event = row.event
        if isinstance(event, RunStarted | RunResumed):
            self._begin(row, event)
        elif isinstance(event, PromptRendered):
            self._asked[event.key] = event.model
        elif isinstance(event, ModelCalled):
            yield self._call(row, event)
        elif isinstance(event, ProposalMade):
            attempt = self._attempt(event.key, row.at)
            attempt.proposed = row.at
            attempt.attributes["proveout.proposal"] = event.returns
        elif isinstance(event, EvidenceObserved):
            yield from self._evidence(row, event)
        elif isinstance(event, VerdictGiven):
            yield from self._verdict(row, event)
        elif isinstance(event, RunEnded | RunInterrupted):
            yield from self._end(row, event)
        else:
            self._run.mark(event.kind, row.at, **{"proveout.key": event.key})

    def _begin(self, row: Recorded, event: RunStarted | RunResumed) -> None:
        self._session = f"session {row.sequence}"
        app = event.app if isinstance(event, RunStarted) else row.run.rsplit("-", 3)[0]
        self._run = _Open(
            row.at,
            {
                "gen_ai.operation.name": "invoke_agent",
                "gen_ai.agent.name": app,
                **_names(event.model),
                "proveout.run": row.run,
                "proveout.version": event.version,
                "proveout.resumed": isinstance(event, RunResumed),
            },
        )
        if isinstance(event, RunStarted):
            self._run.attributes["proveout.seed"] = event.seed

    def _attempt(self, key: str, at: float) -> _Open:
        attempt = self._attempts.setdefault(key, _Open(at))
        attempt.start = min(attempt.start, at)
        return attempt

    def _call(self, row: Recorded, event: ModelCalled) -> Span:
        start = row.at - event.seconds
        key = event.key.partition(">")[0]
        inside = "#" in key
        if inside:
            self._attempt(key, start)
        expert = event.model == EXPERT
        attributes: dict[str, Attribute] = {"proveout.role": event.role}
        asked = self._asked.pop(event.key, event.model)
        if not expert:
            attributes |= {
                "gen_ai.operation.name": "chat",
                **_names(asked),
                "gen_ai.response.model": event.model,
                "gen_ai.response.finish_reasons": (event.stop,),
                **_usage(event.usage),
            }
        return Span(
            key=f"call {event.key}",
            parent=f"attempt {key}" if inside else self._session,
            name=f"expert {event.role}" if expert else f"chat {attributes['gen_ai.request.model']}",
            start=start,
            end=row.at,
            attributes=attributes,
            remote=not expert,
        )

    def _evidence(self, row: Recorded, event: EvidenceObserved) -> Iterator[Span]:
        key, _, name = event.key.partition(":")
        if "#" not in key or not name:
            self._run.mark(event.kind, row.at, **{"proveout.key": event.key})
            return
        attempt = self._attempt(key, row.at)
        attempt.mark(event.kind, row.at, **{"proveout.key": event.key})
        if name == SCRIPTS:
            for number, seconds in enumerate(self._script_seconds(event.content)):
                yield Span(
                    key=f"script {key} {number}",
                    parent=f"check {key}",
                    name="script",
                    start=row.at - seconds["seconds"],
                    end=row.at,
                    attributes={f"proveout.script.{part}": n for part, n in seconds.items()},
                )

    def _script_seconds(self, content: str) -> list[dict[str, float]]:
        """Times and memory of scripts; what they printed stays here."""
        told = json.loads(self._blobs(content))
        runs = [run for run in told if isinstance(run, dict)] if isinstance(told, list) else []
        numbers = [
            {name: value for name, value in run.items() if isinstance(value, int | float)}
            for run in runs
        ]
        return [known for known in numbers if "seconds" in known]

    def _verdict(self, row: Recorded, event: VerdictGiven) -> Iterator[Span]:
        attempt = self._attempts.pop(event.key, None) or _Open(row.at)
        verdict = event.verdict
        judged: dict[str, Attribute] = {
            "proveout.accepted": verdict.accepted,
            "proveout.findings": tuple(sorted({finding.code for finding in verdict.findings})),
        }
        if verdict.score is not None:
            judged["proveout.score"] = verdict.score
        path, _, number = event.key.rpartition("#")
        place: dict[str, Attribute] = {"proveout.key": event.key, "proveout.round": int(number)}
        yield Span(
            key=f"check {event.key}",
            parent=f"attempt {event.key}",
            name="check",
            start=attempt.start if attempt.proposed is None else attempt.proposed,
            end=row.at,
            attributes=judged,
        )
        yield Span(
            key=f"attempt {event.key}",
            parent=self._session,
            name=f"attempt {path}".strip(),
            start=attempt.start,
            end=row.at,
            attributes={**place, **attempt.attributes, **judged},
            marks=tuple(attempt.marks),
        )

    def _end(self, row: Recorded, event: RunEnded | RunInterrupted) -> Iterator[Span]:
        for key, attempt in self._attempts.items():
            # Begun and never judged.
            yield Span(
                key=f"attempt {key}",
                parent=self._session,
                name=f"attempt {key.rpartition('#')[0]}".strip(),
                start=attempt.start,
                end=row.at,
                attributes={"proveout.key": key, **attempt.attributes},
                marks=tuple(attempt.marks),
            )
        self._attempts.clear()
        ending: dict[str, Attribute] = {"proveout.ended": isinstance(event, RunEnded)}
        if isinstance(event, RunEnded):
            ending |= {"proveout.accepted": event.outcome.accepted, **_usage(event.usage)}
            ending |= {"proveout.calls": event.usage.calls}
            if event.spent:
                ending["proveout.budget_spent"] = event.spent
            if event.outcome.score is not None:
                ending["proveout.score"] = event.outcome.score
        yield Span(
            key=self._session,
            parent=None,
            name=f"invoke_agent {self._run.attributes.get('gen_ai.agent.name', '')}".strip(),
            start=self._run.start,
            end=row.at,
            attributes={**self._run.attributes, **ending},
            marks=tuple(self._run.marks),
            failure=event.reason if isinstance(event, RunInterrupted) else "",
        )


def _names(model: str) -> dict[str, Attribute]:
    """Provider and name of a model that we call `provider:name`; an expert has neither."""
    kind, _, name = model.partition(":")
    if kind == EXPERT:
        return {}
    return {
        "gen_ai.provider.name": PROVIDERS.get(kind, kind),
        "gen_ai.request.model": name or kind,
    }


def _usage(usage: Usage) -> dict[str, Attribute]:
    return {
        "gen_ai.usage.input_tokens": usage.input_tokens,
        "gen_ai.usage.output_tokens": usage.output_tokens,
        "proveout.cost_usd": usage.cost_usd,
    }
