"""The loop: findings steer the next proposal, bounds end it normally, nothing is done twice."""

from typing import Any

import pytest

from proveout.adapters.models.offline import OfflineModel
from proveout.kernel.budget import Budget
from proveout.kernel.context import Context
from proveout.kernel.errors import Interrupted, JournalError
from proveout.kernel.events import BudgetDrained, ModelCalled
from proveout.kernel.loop import attempts
from proveout.kernel.ports import Ask, Brief, Checked, Surroundings
from proveout.kernel.proposer import RoleProposer
from proveout.kernel.types import Attempt, Malformed, Usage
from tests.words import CHECKS, PROPOSE, SAY, Word, WordTask
from tests.workbench import (
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


def codes(attempt: Attempt[Any]) -> list[str]:
    return [finding.code for finding in attempt.verdict.findings]


def test_the_loop_ends_with_the_first_accepted_proposal(bench: Workbench) -> None:
    speaker = Speaker(words("a", "ab", "abc", "abcd"))
    made = loop(bench.begin(speaker))
    assert [attempt.accepted for attempt in made] == [False, False, True]
    assert [attempt.key for attempt in made] == ["#0", "#1", "#2"]
    assert made[-1].proposal == Word(word="abc")
    assert made[-1].verdict.score == 3
    assert len(speaker.calls) == 3


def test_each_proposal_is_told_why_the_last_was_rejected(bench: Workbench) -> None:
    speaker = Speaker(words("a", "ab", "abc"))
    loop(bench.begin(speaker))
    first, second, third = (call.prompt for call in speaker.calls)
    assert "rejected" not in first
    assert "`words.short`: 1 letters; 3 wanted" in second
    assert "Use more letters." in second
    assert '"word": "a"' in second
    assert "2 letters; 3 wanted" in third
    assert "1 letters" not in third


def test_the_brief_carries_findings_previous_and_variables(bench: Workbench) -> None:
    briefs: list[Brief] = []

    class Listening:
        returns = Word

        def propose(self, brief: Brief, ask: Ask) -> Word:
            del ask
            briefs.append(brief)
            return Word(word="a" * (brief.round + 2))

    context = bench.begin(Speaker(words("x")))
    context.seed = 42
    list(attempts(TASK, Listening(), CHECKS, context, variables={"style": "plain"}))
    assert [brief.round for brief in briefs] == [0, 1]
    assert briefs[0].findings == ()
    assert briefs[0].previous is None
    assert [finding.code for finding in briefs[1].findings] == ["words.short"]
    assert briefs[1].previous == Word(word="aa")
    assert all(brief.variables == {"style": "plain"} for brief in briefs)
    assert {brief.seed for brief in briefs} == {42}
    assert {brief.task for brief in briefs} == {TASK}


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ("no word at all", "proposal.malformed"),
        ("", "proposal.empty"),
        ('{"word": 5}', "proposal.malformed"),
    ],
)
def test_an_unreadable_proposal_is_judged_like_any_other(
    bench: Workbench, said: str, code: str
) -> None:
    speaker = Speaker(replies(said, said, '{"word": "abc"}'))
    first, second = loop(bench.begin(speaker))
    assert isinstance(first.proposal, Malformed)
    assert codes(first) == [code]
    assert second.accepted
    assert second.round == 1, "it consumed a round"
    assert f"`{code}`" in speaker.calls[-1].prompt


def test_what_was_paid_for_is_on_disk_before_it_is_judged(bench: Workbench) -> None:
    seen: list[list[str]] = []

    def looking(task: WordTask, proposal: Word, around: Surroundings) -> Checked:
        del task, proposal, around
        seen.append(kinds(bench.events()))
        return Checked()

    list(attempts(TASK, PROPOSER, [looking], bench.begin(Speaker(words("abc")))))
    assert seen == [["run.started", "prompt.rendered", "model.called", "proposal.made"]]


def test_an_expert_plays_the_same_loop(bench: Workbench) -> None:
    made = loop(bench.begin(OfflineModel()))
    assert [attempt.proposal for attempt in made] == [Word(word="a" * n) for n in (1, 2, 3)]
    assert all(attempt.usage == Usage() for attempt in made)


def test_what_an_attempt_cost_is_its_own(bench: Workbench) -> None:
    speaker = Speaker(replies("x", '{"word": "a"}', '{"word": "abc"}'))
    context = bench.begin(speaker)
    first, second = loop(context)
    assert (first.usage.calls, second.usage.calls) == (2, 1)
    assert first.usage + second.usage == context.meter.usage
    recorded = [event.usage for event in bench.events() if isinstance(event, ModelCalled)]
    assert len(recorded) == 3
    assert sum(usage.tokens for usage in recorded) == context.meter.usage.tokens


def test_a_spent_budget_ends_the_loop_with_what_was_found(bench: Workbench) -> None:
    context = bench.begin(Speaker(words("a", "b", "c", "d")), budget=Budget(rounds=3))
    made = loop(context)
    assert [attempt.proposal for attempt in made] == [Word(word=w) for w in "abc"]
    assert context.spent == ["rounds"]
    context.note("flush")
    context.ask(SAY, topic="t")
    assert bench.events("budget.spent") == [
        BudgetDrained(key="^rounds", bound="rounds", used=3, limit=3)
    ]


@pytest.mark.parametrize("bound", ["rounds", "calls", "tokens", "seconds", "cost_usd"])
def test_a_budget_of_nothing_makes_no_call(bench: Workbench, bound: str) -> None:
    most = Usage(calls=1, input_tokens=1, cost_usd=0.01)
    speaker = Speaker(words("abc"), most=most)
    context = bench.begin(speaker, budget=Budget.model_validate({bound: 0}))
    assert loop(context) == []
    assert speaker.calls == []
    assert context.spent == [bound]


def test_time_ends_a_loop(bench: Workbench) -> None:
    def slow(call: Any) -> Any:
        bench.clock.time += 4
        return words("a")(call)

    context = bench.begin(Speaker(slow), budget=Budget(seconds=10))
    assert len(loop(context)) == 3
    assert context.spent == ["seconds"]


def test_a_loop_in_a_loop_has_bounds_of_its_own(bench: Workbench) -> None:
    speaker = Speaker(words("a"))
    context = bench.begin(speaker, budget=Budget(rounds=7))
    outer, inner = [], []
    for attempt in attempts(TASK, PROPOSER, CHECKS, context):
        outer.append(attempt.key)
        branch = context.branch("inner", Budget(rounds=2))
        inner += [each.key for each in attempts(TASK, PROPOSER, CHECKS, branch)]
    assert outer == ["#0", "#1", "#2"]
    assert inner == ["inner#0", "inner#1", "inner~2#0", "inner~2#1"]
    assert len(outer) + len(inner) == 7, "rounds of all branches count"
    assert context.spent == ["rounds"] * 4, "three inner loops and the outer one"


def test_an_abandoned_loop_leaves_a_journal_that_goes_on(bench: Workbench) -> None:
    context = bench.begin(Speaker(words("a", "ab", "abc")))
    for attempt in attempts(TASK, PROPOSER, CHECKS, context):
        assert attempt.round == 0
        break
    assert len(bench.events("verdict.given")) == 1
    context.ask(SAY, topic="t")
    speaker = Speaker(words("ab", "abc"))
    assert len(loop(bench.resume(speaker))) == 3
    assert len(speaker.calls) == 2


def test_a_loop_stops_when_asked(bench: Workbench) -> None:
    context = bench.begin(Speaker(words("a")))
    running = attempts(TASK, PROPOSER, CHECKS, context)
    next(running)
    bench.cancel.set()
    with pytest.raises(Interrupted):
        next(running)


def test_two_loops_need_two_branches(bench: Workbench) -> None:
    context = bench.begin(Speaker(words("abc")))
    loop(context)
    with pytest.raises(JournalError) as caught:
        loop(context)
    assert caught.value.code == "journal.step_twice"


def test_a_check_that_fails_is_nobodys_verdict(bench: Workbench) -> None:
    def broken(task: WordTask, proposal: Word, around: Surroundings) -> Checked:
        del task, proposal, around
        message = "the disk is gone"
        raise OSError(message)

    context = bench.begin(Speaker(words("abc")))
    with pytest.raises(OSError, match="disk"):
        list(attempts(TASK, PROPOSER, [broken], context))
    assert bench.events("verdict.given") == []


def test_a_score_that_is_no_number_rejects_and_is_told(bench: Workbench) -> None:
    def odd(task: WordTask, proposal: Word, around: Surroundings) -> Checked:
        del task, around
        return Checked(score=float("nan") if len(proposal.word) < 3 else 1.0)

    speaker = Speaker(words("a", "abc"))
    first, second = attempts(TASK, PROPOSER, [odd], bench.begin(speaker))
    assert codes(first) == ["proposal.score_not_finite"]
    assert second.verdict.score == 1.0
    assert "proposal.score_not_finite" in speaker.calls[1].prompt


def test_a_proposer_may_ask_several_roles_and_one_twice(bench: Workbench) -> None:
    class Careful:
        returns = Word

        def propose(self, brief: Brief, ask: Ask) -> Word:
            topic = Brief(task=brief.task, variables={"topic": "letters"})
            return Word(word=str(ask(SAY, topic)) + str(ask(SAY, topic)))

    context = bench.begin(Speaker(replies("ab", "cd")))
    (made,) = attempts(TASK, Careful(), CHECKS, context)
    assert made.proposal == Word(word="abcd")
    assert made.usage.calls == 2
    keys = [event.key for event in bench.events("model.called")]
    assert keys == ["#0>words/say", "#0>words/say~2"]


def test_the_audit_trail_names_the_patches_a_proposer_was_given(bench: Workbench) -> None:
    loop(bench.begin(Speaker(words("a", "abc")), run="earlier"))
    speaker = Speaker(words("abc"))
    loop(bench.begin(speaker))
    (learned,) = bench.events("lesson.learned", run="earlier")
    (made,) = bench.events("proposal.made")
    (rendered,) = bench.events("prompt.rendered")
    signature = learned.patch.signature  # type: ignore[union-attr]
    assert made.lessons == rendered.lessons == (signature,)  # type: ignore[union-attr]
    assert "Use more letters. (`words.short`, seen 1 times)" in speaker.calls[0].prompt
