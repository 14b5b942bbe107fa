"""A run is a fold over its events: whatever was written can be told."""

import json
from typing import Any

import pytest

from proveout.kernel.budget import Budget
from proveout.kernel.canonical import canonical
from proveout.kernel.errors import JournalError
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
from proveout.kernel.lessons import Patch
from proveout.kernel.run import Run, read_run, run_data
from proveout.kernel.types import Finding, Outcome, Usage, Verdict

STARTED = RunStarted(
    app="words", task={"letters": 3}, model="m", seed=7, budget=Budget(rounds=4), version="1"
)
COST = Usage(calls=1, input_tokens=10, output_tokens=5, cost_usd=0.5)
BAD = Finding(code="words.short", message="m")
STYLE = Finding(code="words.style", message="m", severity="warning")


def recorded(*events: Event) -> list[Recorded]:
    return [
        Recorded("run-1", number, "", "", 100.0 + number, float(number), event)
        for number, event in enumerate(events, start=1)
    ]


def told(*events: Event) -> Run:
    return read_run(recorded(STARTED, *events))


def made(key: str, returns: str = "Word") -> ProposalMade:
    return ProposalMade(key=key, returns=returns, proposal={"word": key}, usage=COST)


def given(key: str, *findings: Finding) -> VerdictGiven:
    return VerdictGiven(key=key, verdict=Verdict(findings=findings))


def test_a_run_without_a_beginning_is_damaged() -> None:
    for events in ([], recorded(Note(text="n"))):
        with pytest.raises(JournalError, match="no beginning"):
            read_run(events)


def test_the_first_event_says_what_the_run_is() -> None:
    run = told()
    assert (run.id, run.app, run.task, run.model, run.seed) == (
        "run-1",
        "words",
        {"letters": 3},
        "m",
        7,
    )
    assert (run.state, run.started_at, run.elapsed, run.events) == ("running", 101.0, 1.0, 1)
    assert run.best is None
    assert run.outcome is None


def test_a_lesson_counts_as_an_event_and_changes_nothing_else() -> None:
    patch = Patch(operation="add_rule", topic="operational", subject="words.short", advice="longer")
    run = told(made("#0"), LessonLearned(key="#0", app="words", patch=patch))
    without = told(made("#0"))
    assert (run.events, without.events) == (3, 2)
    assert (run.attempts, run.notes, run.state) == (without.attempts, without.notes, "running")


def test_attempts_are_told_with_place_verdict_and_cost() -> None:
    run = told(
        made("#0"),
        given("#0", BAD, STYLE),
        made("deep/er#12", "Malformed"),
        made("#1"),
        given("#1", STYLE),
        EvidenceObserved(key="#1:x", content="c"),
    )
    first, waiting, accepted = run.attempts
    assert (first.path, first.round, first.malformed) == ("", 0, False)
    assert (waiting.path, waiting.round, waiting.malformed) == ("deep/er", 12, True)
    assert waiting.verdict is None
    assert (first.usage, first.at, first.elapsed) == (COST, 102.0, 2.0)
    assert run.best == accepted
    assert run.findings == {"words.short": 1, "words.style": 2}
    assert run.used("rounds") == 3


def test_without_an_accepted_attempt_the_one_with_fewest_errors_is_best() -> None:
    run = told(made("#0"), given("#0", BAD, BAD), made("#1"), given("#1", BAD), made("#2"))
    assert run.best is not None
    assert run.best.key == "#1"


def test_calls_are_told_with_what_was_sent() -> None:
    rendered = PromptRendered(key="#0>r", role="r", model="m", template_id="t", prompt="sent")
    called = ModelCalled(key="#0>r", role="r", model="m-1", text="said", usage=COST, seconds=2)
    expert = ModelCalled(key="#1>r", role="r", model="offline", text="said")
    run = told(rendered, called, expert)
    first, second = run.calls
    assert (first.prompt, first.text, first.model, first.seconds) == ("sent", "said", "m-1", 2)
    assert second.prompt == ""
    assert run.usage == COST
    assert run.use == {
        "rounds": (0, 4),
        "calls": (1, 200),
        "tokens": (15, 2_000_000),
        "cost_usd": (0.5, 5.0),
        "seconds": (4.0, 3600.0),
    }


def test_a_resumed_run_runs_again_with_its_new_budget() -> None:
    run = told(
        RunInterrupted(reason="asked to stop"),
        RunResumed(budget=Budget(rounds=9), model="other", version="2"),
    )
    assert (run.state, run.resumed, run.budget.rounds, run.model) == ("running", 1, 9, "other")
    assert run.notes == ("interrupted: asked to stop",)
    assert told(RunInterrupted(reason="r")).state == "interrupted"


def test_what_is_wanted_is_what_was_said_last() -> None:
    again = RunResumed(budget=Budget(), model="m", version="2")
    steered = again.model_copy(update={"task": {"pin": "features"}})
    stopped = RunInterrupted(reason="r")
    assert told(stopped, again).task == told(stopped).task
    assert told(stopped, steered, stopped, again).task == {"pin": "features"}


def test_a_run_that_only_waited_was_not_resumed() -> None:
    again = RunResumed(budget=Budget(rounds=9), model="other", version="2")
    assert (told(again).resumed, told(again).state) == (0, "running")
    assert told(again, RunInterrupted(reason="r"), again).resumed == 1


def test_the_ending_is_told() -> None:
    outcome = Outcome(accepted=True, answer="abc")
    run = told(Note(text="nearly"), RunEnded(outcome=outcome, spent="calls", usage=COST))
    assert (run.state, run.outcome, run.spent) == ("ended", outcome, "calls")
    assert run.notes == ("nearly",)


def test_warnings_are_told_in_their_order() -> None:
    warned = BudgetWarned(key="w", bound="calls", used=8, limit=10)
    drained = BudgetDrained(key="d", bound="calls", used=10, limit=10)
    assert told(warned, drained).warnings == (warned, drained)


def test_a_run_as_json_says_the_same() -> None:
    run = told(
        made("#0"),
        given("#0", BAD),
        made("#1"),
        Note(text="n"),
        RunEnded(outcome=Outcome(accepted=True, answer=["a"]), usage=COST),
    )
    data = run_data(run)
    assert json.loads(canonical(data)) == data
    assert (data["run"], data["accepted"], data["findings"]) == ("run-1", True, {"words.short": 1})
    told_again: Any = data
    first, second = told_again["attempts"]
    assert first["verdict"]["accepted"] is False
    assert second["verdict"] is None
    assert told_again["budget"]["rounds"] == {"used": 2, "limit": 4}
    unfinished = run_data(told())
    assert (unfinished["accepted"], unfinished["outcome"]) == (False, None)


def test_an_attempt_ends_when_it_is_judged() -> None:
    run = told(made("a#0"), made("b#0"), Note(text="n"), given("a#0"))
    assert [(it.key, it.elapsed, it.ended) for it in run.attempts] == [
        ("a#0", 2.0, 5.0),
        ("b#0", 3.0, 3.0),
    ]
