"""Events as lines that a person can read."""

from dataclasses import dataclass

from pydantic import JsonValue

from proveout.kernel.events import (
    BudgetDrained,
    BudgetWarned,
    Event,
    EvidenceObserved,
    LessonLearned,
    ModelCalled,
    Note,
    PromptRendered,
    ProposalMade,
    Recorded,
    RunEnded,
    RunInterrupted,
    RunResumed,
    RunStarted,
    VerdictGiven,
)
from proveout.report.wording import count, money, number, seconds, shortened

LONGEST_LINE = 240


@dataclass(frozen=True)
class Line:
    sequence: int
    elapsed: float
    kind: str
    what: str


def line_of(row: Recorded) -> Line:
    what = shortened(_what(row.event), LONGEST_LINE)
    return Line(row.sequence, row.elapsed, row.event.kind, what)


def event_data(row: Recorded) -> JsonValue:
    """An event as `runs show --events` prints it."""
    body: dict[str, JsonValue] = row.event.model_dump(mode="json")
    return {"sequence": row.sequence, "id": row.id, "at": row.at, "elapsed": row.elapsed, **body}


def _what(event: Event) -> str:
    match event:
        case RunStarted():
            return f"{event.app} with model {event.model}, seed {event.seed}"
        case RunResumed():
            return f"with model {event.model}"
        case RunInterrupted():
            return event.reason
        case RunEnded():
            word = "accepted" if event.outcome.accepted else "not accepted"
            return f"{word}: {event.outcome.summary}"
        case _:
            return f"{_place(event)}{_step(event)}"


def _place(event: Event) -> str:
    """The attempt or the branch that an event belongs to."""
    mark = {"model.called": ">", "prompt.rendered": ">"}.get(event.kind, ":")
    place = event.key.partition(mark)[0]
    # Notes and bounds have keys of their own, which name no place in the tree.
    nowhere = isinstance(event, Note | BudgetWarned | BudgetDrained)
    return f"{place}: " if place and not nowhere else ""


def _step(event: Event) -> str:  # noqa: PLR0911 - one sentence per kind
    match event:
        case PromptRendered():
            return f"{event.role} asks {event.model}"
        case ModelCalled():
            spent = f"{event.usage.tokens:,} tokens, {money(event.usage.cost_usd)}"
            return f"{event.role} ({event.model}) answered in {seconds(event.seconds)}, {spent}"
        case ProposalMade():
            return f"{event.returns} proposed"
        case EvidenceObserved():
            return f"{event.key.partition(':')[2] or 'something'} observed"
        case VerdictGiven(verdict=verdict):
            word = "accepted" if verdict.accepted else "rejected"
            score = "" if verdict.score is None else f", score {number(verdict.score)}"
            return f"{word}{score}, {count(len(verdict.findings), 'finding')}"
        case LessonLearned():
            return event.patch.advice or event.patch.subject
        case BudgetWarned() | BudgetDrained():
            return f"{event.bound} {number(event.used)} of {number(event.limit)}"
        case Note():
            return event.text
        case _:
            return ""
