"""Nothing is done twice: a run that died goes on, a replay judges again and writes nothing."""

from collections.abc import Callable
from typing import Any

import pytest

from proveout.adapters.models.offline import OfflineModel
from proveout.kernel.budget import Budget
from proveout.kernel.context import Context
from proveout.kernel.errors import BudgetSpent, Diverged
from proveout.kernel.events import ProposalMade, VerdictGiven
from proveout.kernel.loop import attempts
from proveout.kernel.ports import Checked, Surroundings
from proveout.kernel.proposer import Role, RoleProposer
from proveout.kernel.record import ReplayRecord
from proveout.kernel.types import Attempt, Finding, Frozen, Malformed, Usage
from tests.words import CHECKS, PROPOSE, SAY, Word, WordTask
from tests.workbench import (
    PowerCut,
    Speaker,
    Workbench,
    kinds,
    replies,
    words,
)

PROPOSER = RoleProposer(PROPOSE)
TASK = WordTask(letters=3)
ALL = Budget(rounds=9)


def loop(context: Context, task: WordTask = TASK) -> list[Attempt[Word]]:
    return list(attempts(task, PROPOSER, CHECKS, context))


def uncut(bench: Workbench) -> tuple[list[Attempt[Word]], int]:
    made = loop(bench.begin(Speaker(words("a", "x", "abc")), run="whole"))
    return made, len(bench.events(run="whole"))


def by_round(call: Any) -> Any:
    """A provider that answers a step the same however often it is asked."""
    return words(*{"Round 0": "a", "Round 1": "x", "Round 2": "abc"}[call.prompt[:7]].split())(call)


@pytest.mark.parametrize("after", range(1, 19))
def test_a_run_that_dies_anywhere_ends_as_if_it_had_not(bench: Workbench, after: int) -> None:
    """Nineteen events: die before each of them, resume, compare."""
    whole, events = uncut(bench)
    assert events == 19
    first, second = Speaker(by_round), Speaker(by_round)
    with pytest.raises(PowerCut):
        loop(bench.begin(first, journal=bench.cut(after)))
    resumed = bench.resume(second)
    assert loop(resumed) == whole
    assert resumed.meter.usage == sum((a.usage for a in whole), Usage())
    assert kinds(bench.events("verdict.given")) == ["verdict.given"] * 3
    # Only a call in flight can be made twice, with the same bytes under the same key.
    repeated = [call for call in second.calls if call.key in {c.key for c in first.calls}]
    assert len(repeated) <= 1
    for call in repeated:
        assert call.prompt == next(c.prompt for c in first.calls if c.key == call.key)
    assert len({call.key for call in (*first.calls, *second.calls)}) == 3


def test_a_finished_loop_is_read_again_without_a_call(bench: Workbench) -> None:
    whole = loop(bench.begin(Speaker(words("a", "no json", "ab c", "abc"))))
    before = bench.events()
    speaker = Speaker(words("never"))
    assert loop(bench.resume(speaker)) == whole
    assert speaker.calls == []
    assert kinds(bench.events()) == [*kinds(before), "run.resumed"]


def test_an_unreadable_proposal_is_resumed_as_what_it_was(bench: Workbench) -> None:
    whole = loop(bench.begin(Speaker(replies("x", "y", '{"word": "abc"}'))))
    assert isinstance(whole[0].proposal, Malformed)
    assert loop(bench.resume(Speaker(words("never")))) == whole


def test_a_resumed_run_counts_what_was_spent_before(bench: Workbench) -> None:
    budget = Budget(calls=2)
    loop(bench.begin(Speaker(words("a", "b")), budget=budget))
    speaker = Speaker(words("abc"))
    assert len(loop(bench.resume(speaker, budget=budget))) == 2
    assert speaker.calls == []
    more = loop(bench.resume(speaker, budget=Budget(calls=3)))
    assert [attempt.accepted for attempt in more] == [False, False, True]


def slowly(bench: Workbench, *spelled: str) -> Callable[[Any], Any]:
    answer = words(*spelled)

    def slow(call: Any) -> Any:
        bench.clock.time += 6
        return answer(call)

    return slow


def test_a_phase_that_ran_out_of_time_is_not_opened_again(bench: Workbench) -> None:
    """Time passed after its last verdict; a resumed run stands at that verdict's time."""

    def phases(context: Context) -> list[str]:
        keys = []
        first = context.branch("first", Budget(seconds=10))
        for attempt in attempts(TASK, PROPOSER, CHECKS, first):
            keys.append(attempt.key)
            bench.clock.time += 6
        return keys + [each.key for each in loop(context.branch("second", Budget(rounds=1)))]

    whole = phases(bench.begin(OfflineModel()))
    assert whole == ["first#0", "first#1", "second#0"]
    assert phases(bench.resume(OfflineModel())) == whole
    assert len(bench.events("proposal.made")) == 3


def replayed(context: Context) -> ReplayRecord:
    assert isinstance(context.record, ReplayRecord)
    return context.record


def test_a_replay_gives_the_same_verdicts_and_writes_nothing(bench: Workbench) -> None:
    whole = loop(bench.begin(Speaker(replies("x", "y", '{"word": "a"}', '{"word": "abc"}'))))
    before = bench.events()
    context = bench.replay()
    again = loop(context)
    assert again == whole
    assert replayed(context).judged == 3
    assert replayed(context).differences == []
    assert context.meter.usage == sum((a.usage for a in whole), Usage())
    bench.close()
    assert bench.events() == before


def test_a_changed_check_is_a_difference(bench: Workbench) -> None:
    loop(bench.begin(Speaker(words("a", "abc"))))
    context = bench.replay()

    def stricter(task: WordTask, proposal: Word, around: Surroundings) -> Checked:
        del task, proposal
        around.observe("size", lambda: 0)
        return Checked(findings=(Finding(code="words.never", message="m"),))

    with pytest.raises(Diverged):
        # No longer accepted, so the loop asks for a round that never was.
        list(attempts(TASK, PROPOSER, [stricter], context))
    record = replayed(context)
    assert [difference.key for difference in record.differences] == ["#0", "#1"]
    assert record.differences[-1].now.findings[0].code == "words.never"


def test_a_changed_flow_diverges(bench: Workbench) -> None:
    loop(bench.begin(Speaker(words("abc"))))
    with pytest.raises(Diverged):
        loop(bench.replay().branch("elsewhere"))
    with pytest.raises(Diverged):
        bench.replay().ask(SAY, topic="t")


def test_a_check_that_looks_at_more_than_before_diverges(bench: Workbench) -> None:
    loop(bench.begin(Speaker(words("abc"))))

    def curious(task: WordTask, proposal: Word, around: Surroundings) -> Checked:
        del task, proposal
        around.observe("weather", lambda: "rain")
        return Checked()

    with pytest.raises(Diverged, match="weather"):
        list(attempts(TASK, PROPOSER, [curious], bench.replay()))


def test_a_replay_reads_what_was_observed_and_execution_looks_again(bench: Workbench) -> None:
    world = {"size": 5}

    def outside(task: WordTask, proposal: Word, around: Surroundings) -> Checked:
        del task, proposal
        size = around.observe("size", lambda: world["size"])
        assert isinstance(size, int)
        return Checked(score=float(size))

    list(attempts(TASK, PROPOSER, [outside], bench.begin(Speaker(words("abc")))))
    world["size"] = 6
    reading, executing = bench.replay(), bench.replay(execute=True)
    (as_read,) = attempts(TASK, PROPOSER, [outside], reading)
    (as_executed,) = attempts(TASK, PROPOSER, [outside], executing)
    assert (as_read.verdict.score, as_executed.verdict.score) == (5, 6)
    assert replayed(reading).differences == []
    (difference,) = replayed(executing).differences
    assert (difference.recorded.score, difference.now.score) == (5, 6)


@pytest.mark.parametrize(
    "budget",
    [
        Budget(rounds=2),
        Budget(calls=2),
        Budget(tokens=40),
        Budget(cost_usd=0.25),
        Budget(seconds=9),
    ],
    ids=["rounds", "calls", "tokens", "cost_usd", "seconds"],
)
def test_a_loop_that_a_bound_ended_is_replayed_to_its_end(bench: Workbench, budget: Budget) -> None:
    """The call that was not made cannot be found; the record of the spent bound ends the replay."""
    usage = Usage(calls=1, input_tokens=10, output_tokens=5, cost_usd=0.1)
    most = Usage(calls=1, input_tokens=10, output_tokens=10, cost_usd=0.1)
    slow = slowly(bench, "a")
    speaker = Speaker(lambda call: slow(call).model_copy(update={"usage": usage}), most=most)
    whole = loop(bench.begin(speaker, budget=budget))
    assert len(whole) == 2
    context = bench.replay(budget=budget)
    assert loop(context) == whole
    assert replayed(context).judged == 2


def test_a_question_that_a_bound_prevented_is_prevented_again(bench: Workbench) -> None:
    context = bench.begin(Speaker(replies("x")), budget=Budget(calls=1))
    context.ask(SAY, topic="t")
    with pytest.raises(BudgetSpent) as caught:
        context.branch("b").ask(SAY, topic="t")
    context.drained(caught.value)
    again = bench.replay(budget=Budget(calls=1))
    again.ask(SAY, topic="t")
    with pytest.raises(BudgetSpent):
        again.branch("b").ask(SAY, topic="t")


def test_a_proposal_of_another_type_is_read_as_that_type(bench: Workbench) -> None:
    class Pair(Frozen):
        first: str
        second: int

    role = Role(name="words/propose", returns=Pair, description="d")
    context = bench.begin(Speaker(replies('{"first": "a", "second": 2}')))
    (made,) = attempts(TASK, RoleProposer(role), [], context)
    (again,) = attempts(TASK, RoleProposer(role), [], bench.resume(Speaker(words("never"))))
    assert made.proposal == again.proposal == Pair(first="a", second=2)
    (event,) = [event for event in bench.events() if isinstance(event, ProposalMade)]
    assert event.returns == "Pair"
    assert [e for e in bench.events() if isinstance(e, VerdictGiven)][0].verdict.accepted
