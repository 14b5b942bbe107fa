"""Several branches at once: asked concurrently, judged by an engine, the same wherever that is."""

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from proveout.adapters.engine.local import InlineEngine, open_engine
from proveout.kernel.budget import Budget
from proveout.kernel.context import Context
from proveout.kernel.errors import BudgetSpent, EngineError, Interrupted, ModelRefused
from proveout.kernel.events import Event
from proveout.kernel.loop import fan_out
from proveout.kernel.ports import (
    Ask,
    Brief,
    Cancel,
    Check,
    Finished,
    ItemT,
    ModelCall,
    Reply,
    ResultT,
)
from proveout.kernel.proposer import RoleProposer
from proveout.kernel.record import ReplayRecord
from proveout.kernel.types import Attempt, Malformed, Usage
from tests.words import CHECKS, PROPOSE, Word, WordTask, breaks
from tests.workbench import PowerCut, Speaker, Workbench, replies, words

TASK = WordTask(letters=3, banned="x")
FOUND = ["a", "abc", "abx", "ABC"]


class Fixed:
    """Proposes one word, without a model."""

    returns = Word

    def __init__(self, word: str) -> None:
        self._word = word

    def propose(self, brief: Brief, ask: Ask) -> Word | Malformed:
        del brief, ask
        return Word(word=self._word) if self._word else Malformed(problem="no word")


class Forbidden:
    """An engine that must have nothing to do."""

    name = "forbidden"
    workers = 1

    def run(
        self,
        work: Callable[[ItemT], ResultT],
        items: Sequence[ItemT],
        *,
        timeout_seconds: float,
        cancel: Cancel,
    ) -> Iterator[Finished]:
        del work, timeout_seconds, cancel
        assert list(items) == []
        return iter(())

    def close(self) -> None:
        """Nothing is held."""


def fixed(*spelled: str) -> dict[str, Fixed]:
    return {f"b{number}": Fixed(word) for number, word in enumerate(spelled)}


def asking(count: int) -> dict[str, RoleProposer[Word]]:
    return {f"b{number}": RoleProposer(PROPOSE) for number in range(count)}


def spread(
    context: Context, proposers: Any, checks: Sequence[Check[Any, Any]] = CHECKS
) -> list[Attempt[Word]]:
    return sorted(fan_out(TASK, proposers, checks, context), key=lambda attempt: attempt.key)


@pytest.mark.parametrize("name", ["inline", "threads", "processes"])
def test_every_engine_gives_the_same_verdicts_and_evidence(bench: Workbench, name: str) -> None:
    proposers = fixed(*FOUND, "")
    reference = spread(bench.begin(Speaker(words("x")), run="reference"), proposers)
    engine = open_engine(name, 2)
    try:
        made = spread(bench.begin(Speaker(words("x")), engine=engine), proposers)
    finally:
        engine.close()
    assert made == reference
    assert [attempt.accepted for attempt in made] == [False, True, False, True, False]
    assert [len(attempt.verdict.evidence) for attempt in made] == [1, 2, 2, 2, 0]
    seen = {event.key for event in bench.events("evidence.observed")}
    assert seen == {event.key for event in bench.events("evidence.observed", run="reference")}


class Crowd:
    """Counts how many propose at the same time; waits a moment for company."""

    returns = Word

    def __init__(self) -> None:
        self._inside, self._lock = 0, threading.Lock()
        self._company = threading.Event()
        self.most = 0

    def propose(self, brief: Brief, ask: Ask) -> Word:
        del brief, ask
        with self._lock:
            self._inside += 1
            self.most = max(self.most, self._inside)
            if self._inside == 2:
                self._company.set()
        self._company.wait(0.05)
        with self._lock:
            self._inside -= 1
        return Word(word="abc")


def test_as_many_are_asked_at_once_as_the_ports_say(bench: Workbench) -> None:
    for askers, most in ((1, 1), (2, 2)):
        context, crowd = bench.begin(Speaker(words("x")), run=f"of-{askers}"), Crowd()
        context = replace(context, ports=replace(context.ports, askers=askers))
        assert len(spread(context, {f"b{number}": crowd for number in range(3)})) == 3
        assert crowd.most == most


def test_no_branches_no_attempts(bench: Workbench) -> None:
    assert spread(bench.begin(Speaker(words("x"))), {}) == []


def test_branches_are_asked_at_the_same_time(bench: Workbench) -> None:
    together = threading.Barrier(4, timeout=20)

    def answer(call: ModelCall) -> Reply:
        together.wait()
        return words("abc")(call)

    made = spread(bench.begin(Speaker(answer)), asking(4))
    assert [attempt.key for attempt in made] == ["b0#0", "b1#0", "b2#0", "b3#0"]
    assert all(attempt.usage.calls == 1 for attempt in made)


def test_branches_the_budget_has_no_round_for_are_missing_in_order(bench: Workbench) -> None:
    context = bench.begin(Speaker(words("abc")), budget=Budget(rounds=2))
    made = spread(context, fixed("abc", "abc", "abc"))
    assert [attempt.key for attempt in made] == ["b0#0", "b1#0"]
    assert context.spent == ["rounds"]
    again = spread(bench.replay(budget=Budget(rounds=2)), fixed("abc", "abc", "abc"))
    assert again == made


def test_branches_the_budget_has_no_call_for_are_missing(bench: Workbench) -> None:
    speaker = Speaker(words("abc"))
    context = bench.begin(speaker, budget=Budget(calls=2))
    made = spread(context, asking(5))
    assert len(made) == len(speaker.calls) == 2
    assert context.meter.used("calls") == 2
    assert context.spent == ["calls"] * 3
    again = bench.replay(budget=Budget(calls=2), engine=Forbidden())
    assert spread(again, asking(5)) == made, "whichever two it were"


def test_a_replay_judges_here_and_executes_nothing(bench: Workbench) -> None:
    made = spread(bench.begin(Speaker(words("x"))), fixed(*FOUND))
    context = bench.replay(engine=Forbidden())
    assert spread(context, fixed(*FOUND)) == made
    assert isinstance(context.record, ReplayRecord)
    assert context.record.judged == 4
    assert context.record.differences == []


def test_a_resumed_fan_out_judges_only_what_was_not_judged(bench: Workbench) -> None:
    speaker = Speaker(words("abc"))
    context = bench.begin(speaker)
    running = fan_out(TASK, asking(3), CHECKS, context)
    first = next(running)
    del running
    judged: list[int] = []

    class Counting(InlineEngine):
        def run(
            self,
            work: Callable[[ItemT], ResultT],
            items: Sequence[ItemT],
            *,
            timeout_seconds: float,
            cancel: Cancel,
        ) -> Iterator[Finished]:
            judged.append(len(items))
            return super().run(work, items, timeout_seconds=timeout_seconds, cancel=cancel)

    silent = Speaker(words("never"))
    made = spread(bench.resume(silent, engine=Counting()), asking(3))
    assert judged == [2]
    assert silent.calls == []
    assert first in made
    assert len(made) == 3


def test_a_resumed_fan_out_does_not_spend_what_is_spent_already(bench: Workbench) -> None:
    """Two calls were paid for; the run died before it could say that the others had to wait."""
    paid, budget = threading.Semaphore(0), Budget(calls=2)

    class Patient(RoleProposer[Word]):
        def propose(self, brief: Brief, ask: Ask) -> Word | Malformed:
            assert paid.acquire(timeout=20)
            return super().propose(brief, ask)

    def watched(event: Event) -> None:
        if event.kind == "proposal.made" and len(bench.events("proposal.made")) == 2:
            paid.release(6)

    waiting = {f"a{n}": Patient(PROPOSE) for n in range(6)}
    proposers = {**waiting, **{f"b{n}": RoleProposer(PROPOSE) for n in range(2)}}
    # The beginning, two prompts, two answers and two proposals; then the lights go out.
    context = bench.begin(
        Speaker(words("abc")), journal=bench.cut(after=7), budget=budget, watch=watched
    )
    with pytest.raises(PowerCut):
        spread(context, proposers)
    again = Speaker(words("abc"))
    resumed = bench.resume(again, budget=budget)
    made = spread(resumed, {name: RoleProposer(PROPOSE) for name in proposers})
    assert again.calls == []
    assert [attempt.key for attempt in made] == ["b0#0", "b1#0"]
    assert resumed.meter.used("calls") == 2


def test_an_engine_that_cannot_run_the_checks_is_an_error(bench: Workbench) -> None:
    context = bench.begin(Speaker(words("x")))
    with pytest.raises(EngineError, match="'b0'.*no judgement on abc"):
        spread(context, fixed("abc"), [breaks])
    with pytest.raises(EngineError, match="cannot travel"):
        spread(context.branch("again"), fixed("abc"), [lambda *_: None])


def test_a_refusal_of_one_branch_is_a_refusal(bench: Workbench) -> None:
    with pytest.raises(ModelRefused):
        spread(bench.begin(Speaker(replies(ModelRefused("key")))), asking(2))


def test_a_cancelled_fan_out_is_interrupted(bench: Workbench) -> None:
    context = bench.begin(Speaker(words("x")))
    bench.cancel.set()
    with pytest.raises(Interrupted):
        spread(context, fixed("abc"))
    bench.cancel.clear()
    running = fan_out(TASK, fixed(*FOUND), CHECKS, context.branch("again"))
    next(running)
    bench.cancel.set()
    with pytest.raises(Interrupted):
        list(running)


def test_what_all_branches_cost_is_what_the_run_cost(bench: Workbench) -> None:
    context = bench.begin(Speaker(words("abc")))
    made = spread(context, asking(4))
    assert sum((attempt.usage for attempt in made), Usage()) == context.meter.usage
    assert len(bench.events("verdict.given")) == 4


def test_a_spent_branch_says_so(bench: Workbench) -> None:
    context = bench.begin(Speaker(words("abc")), budget=Budget(rounds=0))
    assert spread(context, fixed("abc")) == []
    with pytest.raises(BudgetSpent):
        context.meter.start_round()
