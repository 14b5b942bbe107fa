"""The record: looks before it leaps when resuming, only looks when replaying."""

import pytest

from proveout.kernel.budget import Elapsed
from proveout.kernel.errors import BudgetSpent, Diverged
from proveout.kernel.events import (
    BudgetDrained,
    Event,
    EvidenceObserved,
    ModelCalled,
    Note,
    ProposalMade,
    VerdictGiven,
)
from proveout.kernel.record import LiveRecord, ReplayRecord, keep_once, observe_once
from proveout.kernel.types import Verdict
from tests.workbench import RESUMED, RUN, STARTED, Workbench, kinds

MADE = ProposalMade(key="#0", returns="Word", proposal={"word": "a"})
GIVEN = VerdictGiven(key="#0", verdict=Verdict(score=1))


def live(
    bench: Workbench, *, resumed: bool = False, watch: list[Event] | None = None
) -> LiveRecord:
    journal = bench.journal()
    record = LiveRecord(
        journal,
        RUN,
        clock=bench.clock,
        elapsed=Elapsed(bench.clock.monotonic),
        history=journal.last(RUN) if resumed else None,
        watch=watch.append if watch is not None else lambda _event: None,
    )
    record.open(RESUMED if resumed else STARTED)
    return record


def replay(bench: Workbench, *, execute: bool = False) -> ReplayRecord:
    elapsed = Elapsed(bench.clock.monotonic, virtual=True)
    return ReplayRecord(bench.journal(), RUN, elapsed, execute=execute)


def test_a_first_session_looks_nothing_up(bench: Workbench) -> None:
    record = live(bench)
    record.append(MADE, durable=True)
    assert record.recall("proposal.made", "#0") is None
    assert not record.replaying


def test_a_resumed_session_finds_what_was_done(bench: Workbench) -> None:
    live(bench).append(MADE, durable=True)
    record = live(bench, resumed=True)
    assert record.recall("proposal.made", "#0") == MADE
    assert record.recall("proposal.made", "#1") is None


def test_a_watcher_sees_what_is_written_and_nothing_else(bench: Workbench) -> None:
    seen: list[Event] = []
    live(bench).append(Note(key="n", text="t"), durable=True)
    record = live(bench, resumed=True, watch=seen)
    record.append(Note(key="n", text="t"), durable=True)
    record.append(MADE, durable=True)
    assert seen == [RESUMED, MADE]
    assert kinds(bench.events()) == ["run.started", "note", "run.resumed", "proposal.made"]


def test_time_goes_on_where_the_last_session_ended(bench: Workbench) -> None:
    record = live(bench)
    record.append(MADE)
    bench.clock.time = 5
    record.append(GIVEN, durable=True)
    bench.clock.time = 1000
    again = live(bench, resumed=True)
    bench.clock.time = 2000
    again.append(Note(key="late", text="t"))
    bench.clock.time = 2003
    again.append(Note(key="later", text="t"), durable=True)
    rows = list(bench.journal().read(RUN))
    assert [row.elapsed for row in rows] == [0, 0, 5, 5, 5, 8]
    assert rows[-1].at == 1_002_003


def test_time_stands_at_what_was_last_read(bench: Workbench) -> None:
    record = live(bench)
    record.append(MADE)
    bench.clock.time = 5
    record.append(GIVEN, durable=True)
    journal = bench.journal()
    elapsed = Elapsed(bench.clock.monotonic)
    history = journal.last(RUN)
    again = LiveRecord(journal, RUN, clock=bench.clock, elapsed=elapsed, history=history)
    again.recall("proposal.made", "#0")
    assert elapsed() == 0
    again.recall("verdict.given", "#0")
    assert elapsed() == 5


def test_blobs_are_read_back(bench: Workbench) -> None:
    record = live(bench)
    assert record.get(record.put(b"bytes")) == b"bytes"


def test_an_observation_is_made_once(bench: Workbench) -> None:
    first = live(bench)
    name = observe_once(first, "#0:x", lambda: [1, 2])
    kept = keep_once(first, "#0:y", lambda: b"bytes", "text/plain")
    first.append(GIVEN, durable=True)
    second = live(bench, resumed=True)
    assert observe_once(second, "#0:x", lambda: "something else") == name
    assert keep_once(second, "#0:y", lambda: b"other", "text/plain") == kept
    assert second.get(name) == b"[1,2]"


def test_a_replay_reads_steps_and_forms_verdicts_again(bench: Workbench) -> None:
    record = live(bench)
    record.append(MADE)
    record.append(GIVEN, durable=True)
    again = replay(bench)
    assert again.replaying
    assert again.recall("proposal.made", "#0") == MADE
    assert again.recall("verdict.given", "#0") is None
    again.append(GIVEN)
    assert (again.judged, again.differences) == (1, [])


def test_another_verdict_is_a_difference(bench: Workbench) -> None:
    live(bench).append(GIVEN, durable=True)
    again = replay(bench)
    now = Verdict(score=2)
    again.append(VerdictGiven(key="#0", verdict=now))
    (difference,) = again.differences
    assert (difference.key, difference.recorded, difference.now) == ("#0", GIVEN.verdict, now)


@pytest.mark.parametrize("kind", ["proposal.made", "verdict.given", "evidence.observed"])
def test_a_step_that_was_never_recorded_diverges(bench: Workbench, kind: str) -> None:
    live(bench).append(MADE, durable=True)
    with pytest.raises(Diverged, match=kind):
        replay(bench).recall(kind, "#7")


@pytest.mark.parametrize(
    "event",
    [
        ProposalMade(key="#1", returns="Word", proposal=None),
        EvidenceObserved(key="#0:x", content="c"),
        ModelCalled(key="#0>r", role="r", model="m", text="t"),
        VerdictGiven(key="#1", verdict=Verdict()),
    ],
)
def test_a_new_step_diverges(bench: Workbench, event: Event) -> None:
    live(bench).append(MADE, durable=True)
    with pytest.raises(Diverged):
        replay(bench).append(event)


def test_a_replay_writes_nothing(bench: Workbench) -> None:
    record = live(bench)
    record.append(GIVEN, durable=True)
    before = bench.events()
    again = replay(bench)
    again.append(Note(text="t"), durable=True)
    again.append(GIVEN, durable=True)
    name = again.put(b"in memory")
    assert again.get(name) == b"in memory"
    bench.close()
    assert bench.events() == before


def test_a_replay_reads_the_journals_blobs(bench: Workbench) -> None:
    record = live(bench)
    name = record.put(b"on disk")
    record.append(GIVEN, durable=True)
    assert replay(bench).get(name) == b"on disk"


def test_executing_again_looks_at_the_world_again(bench: Workbench) -> None:
    record = live(bench)
    observe_once(record, "#0:x", lambda: 1)
    record.append(GIVEN, durable=True)
    again = replay(bench, execute=True)
    assert again.get(observe_once(again, "#0:x", lambda: 2)) == b"2"
    assert replay(bench).get(observe_once(replay(bench), "#0:x", lambda: 2)) == b"1"


def spent(bench: Workbench, key: str) -> ReplayRecord:
    drained = BudgetDrained(key=key, bound="tokens", used=9, limit=10)
    live(bench).append(drained, durable=True)
    return replay(bench)


@pytest.mark.parametrize("key", ["b#1", "b#1>words/say", "b#1>words/say!"])
def test_a_replayed_branch_ends_where_the_budget_ended_it(bench: Workbench, key: str) -> None:
    record = spent(bench, "b^tokens")
    for kind in ("proposal.made", "model.called", "prompt.rendered"):
        with pytest.raises(BudgetSpent) as caught:
            record.recall(kind, key)
        assert (caught.value.kind, caught.value.used, caught.value.limit) == ("tokens", 9, 10)


def test_a_replayed_question_ends_the_run_as_the_budget_did(bench: Workbench) -> None:
    with pytest.raises(BudgetSpent):
        spent(bench, "^tokens").recall("model.called", "branch>words/say")


@pytest.mark.parametrize(
    ("kind", "key"),
    [("proposal.made", "c#1"), ("proposal.made", "#1"), ("verdict.given", "b#1")],
)
def test_a_budget_excuses_nothing_else(bench: Workbench, kind: str, key: str) -> None:
    with pytest.raises(Diverged):
        spent(bench, "b^tokens").recall(kind, key)


def test_a_step_takes_time_before_it_is_written_down(bench: Workbench) -> None:
    record = live(bench)
    bench.clock.time = 3

    def slow() -> str:
        bench.clock.time += 16
        return "seen"

    observe_once(record, "@slow", slow)
    record.append(GIVEN, durable=True)
    assert [row.elapsed for row in bench.journal().read(RUN)] == [0, 16, 16]


def test_a_resumed_step_takes_time_too_but_looking_for_a_spent_budget_does_not(
    bench: Workbench,
) -> None:
    live(bench).append(MADE, durable=True)
    record = live(bench, resumed=True)
    assert record.recall("budget.spent", "^seconds") is None
    bench.clock.time = 100
    assert record.recall("verdict.given", "#0") is None
    bench.clock.time = 102
    record.append(GIVEN, durable=True)
    assert [row.elapsed for row in bench.journal().read(RUN)] == [0, 0, 0, 2]
