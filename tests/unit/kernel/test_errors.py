"""Errors say what happened, what to do and who must act."""

import pickle

import pytest

from proveout.kernel.errors import (
    BudgetSpent,
    Diverged,
    EngineError,
    Interrupted,
    JournalError,
    ModelBusy,
    ModelError,
    ModelRefused,
    PrerequisiteError,
    ProveoutError,
    UnknownName,
    UsageError,
)


def test_the_hint_stands_behind_the_message() -> None:
    assert str(ProveoutError("it broke")) == "it broke"
    assert str(ProveoutError("it broke", hint="mend it")) == "it broke (mend it)"


def test_a_code_can_be_more_precise_than_its_class() -> None:
    assert JournalError("x").code == "journal"
    assert JournalError("x", code="journal.locked").code == "journal.locked"
    assert JournalError.code == "journal"


@pytest.mark.parametrize(
    ("error", "exit_code", "retryable"),
    [
        (UsageError("x"), 2, False),
        (UnknownName("x", noun="app", known=()), 2, False),
        (PrerequisiteError("x"), 3, False),
        (ModelError("x"), 3, False),
        (ModelBusy("x"), 3, True),
        (ModelRefused("x"), 3, False),
        (Diverged("x"), 3, False),
        (EngineError("x"), 3, False),
        (BudgetSpent("calls", 3, 3), 1, False),
    ],
)
def test_who_must_act_decides_the_exit_code(
    error: ProveoutError, exit_code: int, retryable: bool
) -> None:
    assert error.exit_code == exit_code
    assert error.retryable is retryable
    assert error.code


def test_an_unknown_name_suggests_the_nearest() -> None:
    assert UnknownName("slover", noun="app", known=["mle", "solver"]).hint == (
        "did you mean 'solver'?"
    )


def test_an_unknown_name_lists_what_there_is_but_not_all_of_it() -> None:
    assert UnknownName("zzz", noun="app", known=["b", "a"]).hint == "known: a, b"
    assert UnknownName("zzz", noun="app", known=[]).hint == "known: none"
    many = UnknownName("zzz", noun="app", known=[f"a{n:02}" for n in range(20)])
    assert many.hint.endswith("a11, …")
    assert many.name == "zzz"


def test_a_busy_provider_may_name_a_time() -> None:
    assert ModelBusy("x").retry_after_seconds is None
    assert ModelBusy("x", retry_after_seconds=7).retry_after_seconds == 7


def test_a_spent_budget_survives_the_way_back_from_a_worker() -> None:
    spent = pickle.loads(pickle.dumps(BudgetSpent("tokens", 12, 10)))
    assert (spent.kind, spent.used, spent.limit) == ("tokens", 12, 10)
    assert str(spent) == "budget spent: tokens 12 of 10"


def test_an_interruption_is_no_error_of_ours() -> None:
    assert not issubclass(Interrupted, ProveoutError)
