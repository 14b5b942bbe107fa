"""The closed list of events: thirteen, and every one survives its own spelling."""

from typing import get_args

import pytest
from pydantic import ValidationError

from proveout.kernel.budget import Budget
from proveout.kernel.canonical import canonical
from proveout.kernel.events import (
    EVENTS,
    STEPS,
    BudgetDrained,
    BudgetWarned,
    Event,
    EvidenceObserved,
    LessonLearned,
    ModelCalled,
    Note,
    PromptRendered,
    ProposalMade,
    RunEnded,
    RunInterrupted,
    RunResumed,
    RunStarted,
    VerdictGiven,
)
from proveout.kernel.lessons import Patch
from proveout.kernel.types import Outcome, Usage, Verdict

EXAMPLES: tuple[Event, ...] = (
    RunStarted(app="a", task={"x": 1}, model="m", seed=1, budget=Budget(), version="1"),
    RunResumed(budget=Budget(rounds=1), model="m", version="1"),
    RunInterrupted(reason="r"),
    RunEnded(outcome=Outcome(accepted=True, answer=[1]), usage=Usage(calls=1)),
    PromptRendered(key="#0>r", role="r", model="m", template_id="t", prompt="p"),
    ModelCalled(key="#0>r", role="r", model="m", text="t", value={"a": None}),
    ProposalMade(key="#0", returns="Word", proposal={"word": "ü"}),
    EvidenceObserved(key="#0:x", content="c"),
    VerdictGiven(key="#0", verdict=Verdict(score=0.5)),
    LessonLearned(
        key="#0:s",
        app="a",
        patch=Patch(operation="add_rule", topic="operational", subject="s", advice="a"),
    ),
    BudgetWarned(key="calls", bound="calls", used=8, limit=10),
    BudgetDrained(key="^calls", bound="calls", used=10, limit=10),
    Note(text="n"),
)


def test_the_examples_are_all_thirteen() -> None:
    union = get_args(get_args(Event)[0])
    assert {type(event) for event in EXAMPLES} == set(union)
    assert len(union) == 13
    assert {event.kind for event in EXAMPLES} > STEPS


@pytest.mark.parametrize("event", EXAMPLES, ids=lambda event: event.kind)
def test_an_event_survives_its_spelling(event: Event) -> None:
    assert EVENTS.validate_json(canonical(event)) == event


@pytest.mark.parametrize("body", ['{"kind":"new.kind"}', '{"kind":"note","text":"t","more":1}'])
def test_nothing_else_is_an_event(body: str) -> None:
    with pytest.raises(ValidationError):
        EVENTS.validate_json(body)
