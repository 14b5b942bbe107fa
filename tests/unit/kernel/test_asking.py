"""One question: journalled around the call, retried with patience, asked again once."""

import threading
from collections.abc import Callable

import pytest

from proveout.adapters.models.offline import OfflineModel
from proveout.kernel.asking import LONGEST_PAUSE_SECONDS
from proveout.kernel.budget import Budget
from proveout.kernel.canonical import content_id
from proveout.kernel.errors import BudgetSpent, Interrupted, ModelBusy, ModelRefused
from proveout.kernel.events import EvidenceObserved, ModelCalled, Note, PromptRendered
from proveout.kernel.ports import CallLimits, ModelCall, Reply
from proveout.kernel.proposer import Role
from proveout.kernel.types import Malformed, Picture, Usage
from tests.words import SAY, Word, WordTask
from tests.workbench import (
    RUN,
    PowerCut,
    Speaker,
    Workbench,
    kinds,
    replies,
    values,
)

SPELL = Role(name="words/propose", returns=Word, description="Spells.")
BUSY = ModelBusy("overloaded")


def spell(bench: Workbench, speaker: Speaker, budget: Budget | None = None) -> Word | Malformed:
    context = bench.begin(speaker, budget=budget)
    return context.ask(SPELL, task=WordTask(), round=0, findings=(), previous=None, lessons=())


def paused(bench: Workbench, speaker: Speaker) -> list[float]:
    spell(bench, speaker)
    return bench.clock.sleeps


def test_a_paid_call_is_on_disk_before_it_is_made(bench: Workbench) -> None:
    seen: list[list[str]] = []

    def answer(call: ModelCall) -> Reply:
        del call
        seen.append(kinds(bench.events()))
        return Reply(text='{"word": "aha"}', usage=Usage(calls=1))

    assert spell(bench, Speaker(answer)) == Word(word="aha")
    assert seen == [["run.started", "prompt.rendered"]]
    assert kinds(bench.events())[-1] == "model.called", "and what came back is on disk at once"


def test_an_unpaid_call_waits_for_the_next_durable_event(bench: Workbench) -> None:
    spell(bench, Speaker(replies('{"word": "aha"}'), paid=False))
    assert kinds(bench.events()) == ["run.started"]


def test_the_record_holds_what_was_sent_and_what_came_back(bench: Workbench) -> None:
    speaker = Speaker(replies('{"word": "aha"}'))
    context = bench.begin(speaker)
    picture = Picture("image/png", b"pixels")
    context.ask(SAY, pictures=(picture,), topic="time")
    (rendered,) = bench.events("prompt.rendered")
    (called,) = bench.events("model.called")
    assert isinstance(rendered, PromptRendered)
    assert isinstance(called, ModelCalled)
    assert context.record.get(rendered.prompt).decode() == speaker.calls[0].prompt
    assert "Say something about time." in speaker.calls[0].prompt
    assert rendered.pictures == (content_id(b"pixels"),)
    assert rendered.schema_id == ""
    assert context.record.get(called.text) == b'{"word": "aha"}'
    assert called.usage == Usage(calls=1, input_tokens=10, output_tokens=5)
    assert called.model == "speaker", "a reply without a name gets the back end's"


def test_the_call_carries_schema_limits_and_tools(bench: Workbench) -> None:
    speaker = Speaker(replies('{"word": "aha"}'))
    role = Role(
        name="words/say",
        returns=Word,
        description="d",
        tools=("Read",),
        limits=CallLimits(timeout_seconds=5),
    )
    bench.begin(speaker).ask(role, topic="t")
    (call,) = speaker.calls
    assert call.schema == role.schema
    assert (call.tools, call.limits.timeout_seconds) == (("Read",), 5)
    assert '"word"' in call.prompt, "the schema is part of the prompt"


def test_the_expert_is_asked_without_a_prompt(bench: Workbench) -> None:
    context = bench.begin(OfflineModel())
    assert context.ask(SAY, topic="rain") == "about rain"
    context.record.append(Note(text="flush"), durable=True)
    assert "prompt.rendered" not in kinds(bench.events())


def test_an_expert_is_not_asked_twice(bench: Workbench) -> None:
    asked: list[int] = []

    def broken(brief: object) -> Word:
        del brief
        asked.append(1)
        return "no word"  # type: ignore[return-value]

    role = Role(name="words/say", returns=Word, description="d", expert=broken)
    answer = bench.begin(OfflineModel()).ask(role, topic="t")
    assert isinstance(answer, Malformed)
    assert len(asked) == 1


def test_an_unreadable_answer_is_asked_for_once_more_with_the_reason(bench: Workbench) -> None:
    speaker = Speaker(replies('{"wort": "aha"}', '{"word": "aha"}'))
    assert spell(bench, speaker) == Word(word="aha")
    first, second = speaker.calls
    assert second.prompt.startswith(first.prompt)
    assert "word: Field required" in second.prompt
    assert "Return exactly one JSON value" in second.prompt
    assert first.key != second.key
    assert len(bench.events("model.called")) == 2


def test_a_second_unreadable_answer_stands(bench: Workbench) -> None:
    speaker = Speaker(replies("first", "second", "third"))
    answer = spell(bench, speaker)
    assert isinstance(answer, Malformed)
    assert answer.text == "second"
    assert len(speaker.calls) == 2


@pytest.mark.parametrize("stop", ["refusal", "oversized"])
def test_a_refusal_is_not_asked_again(bench: Workbench, stop: str) -> None:
    speaker = Speaker(lambda _call: Reply.model_validate({"text": "no", "stop": stop}))
    assert isinstance(spell(bench, speaker), Malformed)
    assert len(speaker.calls) == 1


def test_a_role_may_renounce_the_second_question(bench: Workbench) -> None:
    role = Role(name="words/say", returns=Word, description="d", asks_again=False)
    speaker = Speaker(replies("unreadable", '{"word": "aha"}'))
    answer = bench.begin(speaker).ask(role, topic="t")
    assert isinstance(answer, Malformed)
    assert len(speaker.calls) == 1


def test_an_empty_answer_is_asked_for_again(bench: Workbench) -> None:
    speaker = Speaker(replies("", '{"word": "aha"}'))
    assert spell(bench, speaker) == Word(word="aha")
    assert "the reply was empty" in speaker.calls[1].prompt


def test_usage_is_counted_once_per_call(bench: Workbench) -> None:
    context = bench.begin(Speaker(replies("x", '{"word": "aha"}')))
    context.ask(SPELL, task=WordTask(), round=0, findings=(), previous=None, lessons=())
    assert context.meter.usage == Usage(calls=2, input_tokens=20, output_tokens=10)
    assert context.meter.used("tokens") == 30, "nothing is held any more"


def test_the_named_pause_is_kept(bench: Workbench) -> None:
    named = ModelBusy("slow down", retry_after_seconds=7)
    assert paused(bench, Speaker(replies(named, '{"word": "aha"}'))) == [7]
    (note,) = bench.events("note")
    assert isinstance(note, Note)
    assert note.detail == {"role": "words/propose", "seconds": 7, "reason": "slow down"}


@pytest.mark.parametrize(("named", "kept"), [(3600.0, LONGEST_PAUSE_SECONDS), (-5.0, 0.0)])
def test_a_senseless_pause_is_bounded(bench: Workbench, named: float, kept: float) -> None:
    busy = ModelBusy("b", retry_after_seconds=named)
    assert paused(bench, Speaker(replies(busy, '{"word": "aha"}'))) == [kept]


def test_pauses_grow_and_are_spread(bench: Workbench) -> None:
    first, second, third = paused(bench, Speaker(replies(BUSY, BUSY, BUSY, '{"word": "aha"}')))
    assert 0.5 <= first <= 1
    assert 1 <= second <= 2
    assert 2 <= third <= 4


def test_the_same_key_is_sent_with_every_try(bench: Workbench) -> None:
    speaker = Speaker(replies(BUSY, BUSY, '{"word": "aha"}'))
    spell(bench, speaker)
    assert len({call.key for call in speaker.calls}) == 1
    assert len(speaker.calls) == 3


def test_patience_ends(bench: Workbench) -> None:
    speaker = Speaker(replies(BUSY))
    context = bench.begin(speaker)
    with pytest.raises(ModelBusy):
        context.ask(SAY, topic="t")
    assert len(speaker.calls) == SAY.limits.tries == 4
    assert len(bench.clock.sleeps) == 3
    assert context.meter.used("calls") == 0, "a call that failed cost nothing"


@pytest.mark.parametrize("tries", [1, 0])
def test_one_try_means_no_pause(bench: Workbench, tries: int) -> None:
    role = Role(name="words/say", returns=str, description="", limits=CallLimits(tries=tries))
    with pytest.raises(ModelBusy):
        bench.begin(Speaker(replies(BUSY))).ask(role, topic="t")
    assert bench.clock.sleeps == []


def test_a_busy_provider_may_be_busy_again_when_asked_again(bench: Workbench) -> None:
    speaker = Speaker(replies(BUSY, "unreadable", BUSY, '{"word": "aha"}'))
    assert spell(bench, speaker) == Word(word="aha")
    assert len({note.key for note in bench.events("note")}) == 2


def test_a_refused_call_is_not_tried_again(bench: Workbench) -> None:
    speaker = Speaker(replies(ModelRefused("wrong key")))
    context = bench.begin(speaker)
    with pytest.raises(ModelRefused):
        context.ask(SAY, topic="t")
    assert len(speaker.calls) == 1
    assert context.meter.used("calls") == 0


def test_cancelling_during_a_pause_interrupts(bench: Workbench) -> None:
    speaker = Speaker(replies(BUSY))
    bench.clock.on_sleep = bench.cancel.set
    with pytest.raises(Interrupted):
        spell(bench, speaker)
    assert len(speaker.calls) == 1


def test_every_try_draws_on_the_budget(bench: Workbench) -> None:
    speaker = Speaker(replies(ModelBusy("b", retry_after_seconds=30)))
    with pytest.raises(BudgetSpent) as caught:
        spell(bench, speaker, budget=Budget(seconds=40))
    assert caught.value.kind == "seconds"
    assert len(speaker.calls) == 2


def test_a_budget_of_nothing_makes_no_call(bench: Workbench) -> None:
    speaker = Speaker(replies('{"word": "aha"}'))
    with pytest.raises(BudgetSpent):
        spell(bench, speaker, budget=Budget(calls=0))
    assert speaker.calls == []


@pytest.mark.parametrize(
    "answer",
    [
        replies('{"word": "\ud800"}'),
        values([{"word": "\ud800"}]),
        values([{"word": float("inf")}]),
    ],
    ids=["half a character", "half a character in a value", "infinity"],
)
def test_an_answer_that_cannot_be_written_down_is_still_an_answer(
    bench: Workbench, answer: Callable[[ModelCall], Reply]
) -> None:
    context = bench.begin(Speaker(answer))
    said = context.ask(SPELL, task=WordTask(), round=0, findings=(), previous=None, lessons=())
    assert isinstance(said, Malformed) or said == Word(word="?")
    again = bench.resume(Speaker(replies("never asked")))
    assert said == again.ask(
        SPELL, task=WordTask(), round=0, findings=(), previous=None, lessons=()
    )


def test_a_crash_after_the_prompt_sends_the_same_again(bench: Workbench) -> None:
    """The prompt was written down, the answer was not: same bytes, same key."""
    first, second = Speaker(replies("never heard")), Speaker(replies("heard"))
    context = bench.begin(first, journal=bench.cut(after=2))
    with pytest.raises(PowerCut):
        context.ask(SAY, topic="before")
    resumed = bench.resume(second)
    # The flow would say something else now; what was begun is what counts.
    assert resumed.ask(SAY, topic="after") == "heard"
    assert second.calls[0].prompt == first.calls[0].prompt
    assert second.calls[0].key == first.calls[0].key
    assert len(bench.events("prompt.rendered")) == 1
    (note,) = bench.events("note")
    assert isinstance(note, Note)
    assert note.text.startswith("sent again")


def test_a_finished_call_is_not_made_again_but_paid_for_once_more(bench: Workbench) -> None:
    first = bench.begin(Speaker(replies("heard")))
    assert first.ask(SAY, topic="t") == "heard"
    second = bench.resume(Speaker(replies("other")))
    assert second.ask(SAY, topic="t") == "heard"
    assert second.meter.usage == first.meter.usage
    assert len(bench.events("model.called")) == 1


def test_keys_differ_between_runs_and_steps(bench: Workbench) -> None:
    speaker = Speaker(replies("x"))
    journal = bench.journal()
    for run in (RUN, "run-2"):
        context = bench.begin(speaker, journal=journal, run=run)
        context.ask(SAY, topic="t")
        context.ask(SAY, topic="t")
    assert len({call.key for call in speaker.calls}) == 4


def test_questions_may_be_put_from_several_threads(bench: Workbench) -> None:
    speaker = Speaker(replies("x"))
    context = bench.begin(speaker)
    branches = [context.branch(f"b{n}") for n in range(8)]
    threads = [
        threading.Thread(target=branch.ask, args=(SAY,), kwargs={"topic": "t"})
        for branch in branches
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert context.meter.used("calls") == 8
    assert not [event for event in bench.events() if isinstance(event, EvidenceObserved)]
    assert len(bench.events("model.called")) == 8
