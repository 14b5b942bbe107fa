"""A context: names that come in order, doors to the run, branches with budgets of their own."""

import pytest

from proveout.kernel.budget import Budget
from proveout.kernel.context import Ports
from proveout.kernel.errors import BudgetSpent, Interrupted, PrerequisiteError, UsageError
from proveout.kernel.events import BudgetDrained, EvidenceObserved, LessonLearned
from proveout.kernel.lessons import Patch
from proveout.kernel.types import Outcome
from tests.words import SAY
from tests.workbench import Speaker, Workbench, kinds, replies


@pytest.mark.parametrize("name", ["", "a/b", "a#1", "a>b", "a b", "ü", "x" * 81, "a\n"])
def test_a_name_that_could_be_taken_for_a_place_is_refused(bench: Workbench, name: str) -> None:
    with pytest.raises(UsageError, match="cannot name a branch"):
        bench.begin(Speaker(replies("x"))).branch(name)


def test_branches_have_places_of_their_own(bench: Workbench) -> None:
    root = bench.begin(Speaker(replies("x")))
    first, again = root.branch("try"), root.branch("try")
    assert (first.path, again.path) == ("try", "try~2")
    assert first.branch("in-ner_1.a").path == "try/in-ner_1.a"
    assert first.attempt_key(3) == "try#3"
    assert root.attempt_key(0) == "#0"


def test_a_branch_draws_on_its_parent_and_has_bounds_too(bench: Workbench) -> None:
    root = bench.begin(Speaker(replies("x")), budget=Budget(calls=3))
    branch = root.branch("b", Budget(calls=1))
    branch.ask(SAY, topic="t")
    with pytest.raises(BudgetSpent) as caught:
        branch.ask(SAY, topic="t")
    assert caught.value.limit == 1
    root.branch("c").ask(SAY, topic="t")
    assert root.meter.used("calls") == 2


def test_branches_share_what_was_kept_and_what_was_spent(bench: Workbench) -> None:
    root = bench.begin(Speaker(replies("x")))
    branch = root.branch("b")
    branch.keep(Outcome(accepted=False, summary="first"))
    branch.keep(Outcome(accepted=True, summary="second"))
    branch.drained(BudgetSpent("calls", 1, 1))
    assert [kept.summary for kept in root.best] == ["second"]
    assert root.spent == ["calls"]


def test_the_same_question_twice_is_two_questions(bench: Workbench) -> None:
    speaker = Speaker(replies("one", "two"))
    context = bench.begin(speaker)
    assert [context.ask(SAY, topic="t"), context.ask(SAY, topic="t")] == ["one", "two"]
    resumed = bench.resume(Speaker(replies("three")))
    for said in ("one", "two", "three"):
        assert resumed.ask(SAY, topic="t") == said


def test_what_a_flow_observes_is_observed_once(bench: Workbench) -> None:
    def forbidden() -> int:
        message = "looked again"
        raise AssertionError(message)

    first = bench.begin(Speaker(replies("x")))
    assert first.observe("size", lambda: {"n": 1}) == {"n": 1}
    assert first.observe("size", lambda: 2) == 2
    first.note("the end")
    first.ask(SAY, topic="t")
    second = bench.resume(Speaker(replies("x")))
    assert second.observe("size", forbidden) == {"n": 1}
    assert second.observe("size", forbidden) == 2
    third = bench.replay()
    assert third.observe("size", forbidden) == {"n": 1}


def test_an_exhibit_is_made_once(bench: Workbench) -> None:
    made: list[int] = []

    def paint() -> bytes:
        made.append(1)
        return b"pixels"

    first = bench.begin(Speaker(replies("x")))
    name = first.exhibit("picture", "image/png", paint)
    first.ask(SAY, topic="t")
    again = bench.resume(Speaker(replies("x")))
    assert again.exhibit("picture", "image/png", paint) == name
    assert again.record.get(name) == b"pixels"
    assert made == [1]
    (shown,) = bench.events("evidence.observed")
    assert shown == EvidenceObserved(key="@picture", content=name, media_type="image/png")


def test_without_a_catalogue_no_model_can_be_opened(bench: Workbench) -> None:
    context = bench.begin(Speaker(replies("x")))
    with pytest.raises(PrerequisiteError, match="openai:gpt"):
        context.ports.open_model("openai:gpt")


def test_without_a_sandbox_no_script_can_be_run(bench: Workbench) -> None:
    given = bench.begin(Speaker(replies("x"))).ports
    bare = Ports(
        record=given.record,
        prompts=given.prompts,
        experience=given.experience,
        engine=given.engine,
        clock=given.clock,
        cancel=given.cancel,
        model_for=given.model_for,
    )
    with pytest.raises(PrerequisiteError, match="there is no sandbox here"):
        bare.open_sandbox()


def test_notes_are_written_once_however_often_a_run_is_resumed(bench: Workbench) -> None:
    for context in (bench.begin, bench.resume, bench.resume):
        session = context(Speaker(replies("x")))
        session.note("here", {"n": 1})
        session.note("here", {"n": 2})
        session.ask(SAY, topic="t")
    notes = bench.events("note")
    assert kinds(notes) == ["note", "note"]
    assert len({note.key for note in notes}) == 2


def test_a_run_stops_when_asked(bench: Workbench) -> None:
    context = bench.begin(Speaker(replies("x")))
    context.stop_if_asked()
    bench.cancel.set()
    with pytest.raises(Interrupted):
        context.stop_if_asked()


def test_the_bound_that_ended_a_branch_is_written_down(bench: Workbench) -> None:
    context = bench.begin(Speaker(replies("x"))).branch("b")
    context.drained(BudgetSpent("seconds", 10.123456789, 10))
    context.ask(SAY, topic="t")
    assert bench.events("budget.spent") == [
        BudgetDrained(key="b^seconds", bound="seconds", used=10.123457, limit=10)
    ]


def test_a_branch_that_was_spent_before_a_crash_stays_spent(bench: Workbench) -> None:
    first = bench.begin(Speaker(replies("x")), budget=Budget(seconds=10))
    first.stop_if_spent_before()
    first.branch("b").drained(BudgetSpent("seconds", 10, 10))
    first.ask(SAY, topic="t")
    second = bench.resume(Speaker(replies("x")), budget=Budget(seconds=10))
    second.stop_if_spent_before()
    with pytest.raises(BudgetSpent, match="seconds 10 of 10"):
        second.branch("b").stop_if_spent_before()
    raised = bench.resume(Speaker(replies("x")), budget=Budget(seconds=20))
    raised.branch("b").stop_if_spent_before()


def test_a_flow_can_teach_what_no_finding_says(bench: Workbench) -> None:
    patch = Patch(operation="set_process", topic="prompt", subject="plan", advice="Plan first.")
    for session in (bench.begin, bench.resume):
        context = session(Speaker(replies("x")))
        context.learn(patch)
        context.ask(SAY, topic="t")
    (learned,) = bench.events("lesson.learned")
    assert isinstance(learned, LessonLearned)
    assert (learned.app, learned.patch) == ("words", patch)
    assert [it.advice for it in context.ports.experience.recall("words")] == ["Plan first."]


def test_a_bound_that_was_raised_and_reached_again_is_written_again(bench: Workbench) -> None:
    for limit in (10, 10, 20):
        session = bench.resume if bench.path.exists() else bench.begin
        context = session(Speaker(replies("x")), budget=Budget(seconds=limit))
        context.branch("b").drained(BudgetSpent("seconds", limit, limit))
    bench.close()
    told = [event for event in bench.events() if isinstance(event, BudgetDrained)]
    assert [(event.key, event.limit) for event in told] == [
        ("b^seconds", 10),
        ("b^seconds^20", 20),
    ]
    again = bench.resume(Speaker(replies("x")), budget=Budget(seconds=20))
    with pytest.raises(BudgetSpent, match="seconds 20 of 20"):
        again.branch("b").stop_if_spent_before()
