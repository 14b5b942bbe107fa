"""The workspace as programs use it: start, resume, replay, find; what never reaches the disk."""

import json
import threading
from pathlib import Path
from typing import Any

import pytest

from proveout.adapters.journal.verify import verify
from proveout.kernel.budget import Budget
from proveout.kernel.errors import (
    Interrupted,
    JournalError,
    ModelRefused,
    PrerequisiteError,
    UnknownName,
    UsageError,
)
from proveout.kernel.events import Event, ProposalMade, RunStarted, VerdictGiven
from proveout.kernel.run import Run
from proveout.report.export import FORMATS, render
from proveout.report.view import page_of
from proveout.runtime import Workspace
from proveout.testing.pattern import APP
from proveout.testing.workspaces import workspace
from tests.integration.command import write_file

EASY = {"expression": "a+b"}
HOPELESS = {"expression": "a{2}", "shortest": 3}
DESCRIBED = {"role": "pattern/describe", "text": "some letters"}


def start(opened: Workspace, fields: dict[str, Any], **more: Any) -> Run:
    return opened.start(APP, opened.task(APP, fields), **more)


def words(*spelled: str) -> list[dict[str, Any]]:
    return [DESCRIBED, *({"value": {"word": word}} for word in spelled)]


def test_a_run_begins_with_what_is_needed_to_repeat_it(tmp_path: Path) -> None:
    with workspace(tmp_path, budget__rounds=9) as opened:
        run = start(opened, EASY, seed=7)
        first = next(opened.journal.read(run.id)).event
    assert isinstance(first, RunStarted)
    assert (first.app, first.seed, first.budget.rounds, first.model) == ("pattern", 7, 9, "offline")
    assert first.task == {**EASY, "shortest": 1, "longest": 40, "variety": 1}
    assert isinstance(first.settings, dict)
    assert first.settings["model"]["name"] == "offline"  # type: ignore[index, call-overload]


def test_ids_are_unique_and_tell_app_and_time(tmp_path: Path) -> None:
    with workspace(tmp_path) as opened:
        names = {start(opened, EASY).id for _ in range(5)}
    assert len(names) == 5
    assert all(name.startswith("pattern-20") for name in names)


def test_a_workspace_finds_runs_by_id_part_and_last(tmp_path: Path) -> None:
    with workspace(tmp_path) as opened:
        with pytest.raises(UsageError, match="journal is empty"):
            opened.find("last")
        first, second = start(opened, EASY).id, start(opened, EASY).id
        assert opened.find(first) == first
        assert opened.find(second[-6:]) == second
        assert opened.find("last") == opened.journal.runs()[0].run
        with pytest.raises(UsageError, match="fits 2 runs"):
            opened.find("pattern")
        with pytest.raises(UnknownName):
            opened.find("")


def test_a_run_is_running_while_it_runs(tmp_path: Path) -> None:
    seen: list[bool] = []
    with workspace(tmp_path) as opened:

        def look(event: Event) -> None:
            if isinstance(event, VerdictGiven):
                seen.append(opened.is_running(opened.find("last")))

        run = start(opened, EASY, watch=look)
        assert not opened.is_running(run.id)
        assert not opened.is_running("never-was")
    assert seen == [True] * 3


def test_two_workspaces_may_work_at_once_but_not_on_one_run(tmp_path: Path) -> None:
    """The second asks for the run while the first is in the middle of it."""
    refusals: set[str] = set()
    with workspace(tmp_path) as opened, workspace(tmp_path) as other:

        def meddle(event: Event) -> None:
            if isinstance(event, ProposalMade):
                try:
                    other.resume(other.find("last"))
                except JournalError as error:
                    refusals.add(error.code)

        mine = start(opened, EASY, watch=meddle)
        theirs = start(other, EASY)
        assert refusals == {"journal.locked"}
        assert {row.run for row in opened.journal.runs()} == {mine.id, theirs.id}
        assert verify(opened.journal) == []


def test_a_reader_that_fails_does_not_take_the_run_with_it(tmp_path: Path) -> None:
    calls: list[str] = []

    def fail(event: Event) -> None:
        calls.append(event.kind)
        raise RuntimeError(event.kind)

    with workspace(tmp_path) as opened:
        run = start(opened, EASY, watch=fail)
        assert run.outcome is not None
        assert run.outcome.accepted
        assert len(calls) == run.events, "every event was shown all the same"
        assert verify(opened.journal) == []


def test_a_single_role_may_have_another_model(tmp_path: Path) -> None:
    script = write_file(tmp_path / "script.json", [DESCRIBED])
    roles = {"pattern/describe": f"scripted:{script}"}
    with workspace(tmp_path, model__roles=roles) as opened:
        run = start(opened, EASY)
    assert {call.role: call.model for call in run.calls} == {
        "pattern/describe": f"scripted:{script}",
        "pattern/propose": "offline",
    }
    assert "some letters" in run.notes[0]


def test_an_app_may_have_another_model(tmp_path: Path) -> None:
    with workspace(tmp_path, model__name="openai:x", model__roles={"pattern": "offline"}) as opened:
        assert {call.model for call in start(opened, EASY).calls} == {"offline"}


def test_a_role_that_does_not_exist_cannot_be_given_a_model(tmp_path: Path) -> None:
    with workspace(tmp_path, model__roles={"pattern/propse": "offline"}) as opened:
        with pytest.raises(UnknownName, match="did you mean 'pattern/propose'"):
            start(opened, EASY)
        assert opened.journal.runs() == []


@pytest.mark.parametrize(
    ("model", "error"),
    [("oflline", UnknownName), ("scripted:none.toml", UsageError), ("openai:x", PrerequisiteError)],
)
def test_a_model_that_cannot_be_opened_leaves_no_run(
    tmp_path: Path, model: str, error: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with workspace(tmp_path, model__name=model) as opened:
        with pytest.raises(error):
            start(opened, EASY)
        assert opened.journal.runs() == []


def test_what_was_recorded_is_replayed_without_the_model(tmp_path: Path) -> None:
    script = write_file(tmp_path / "script.json", words("b", "ab", "aab", "aaaaab"))
    tape, fields = tmp_path / "tape.jsonl", {**EASY, "shortest": 5}
    flags = {"model__name": f"scripted:{script}", "model__record": str(tape)}
    with workspace(tmp_path / "one", **flags) as opened:
        recorded = start(opened, fields)
    script.unlink()
    with workspace(tmp_path / "two", model__name=f"recorded:{tape}") as opened:
        again = start(opened, fields)
    assert recorded.outcome is not None
    assert recorded.outcome.accepted
    assert again.outcome == recorded.outcome
    assert recorded.usage.calls == 5
    assert again.usage.calls == 0, "what is replayed is not paid again"


def test_a_cassette_has_no_answer_to_another_question(tmp_path: Path) -> None:
    script = write_file(tmp_path / "script.json", words("ab", "ab", "ab"))
    tape = tmp_path / "tape.jsonl"
    flags = {"model__name": f"scripted:{script}", "model__record": str(tape)}
    with workspace(tmp_path / "one", **flags) as opened:
        start(opened, EASY)
    with (
        workspace(tmp_path / "two", model__name=f"recorded:{tape}") as opened,
        pytest.raises(PrerequisiteError),
    ):
        start(opened, {"expression": "x+"})


def test_a_run_that_could_not_be_judged_goes_on_with_another_model(tmp_path: Path) -> None:
    script = write_file(tmp_path / "script.json", [DESCRIBED, *[{"error": "refused"}] * 3])
    with workspace(tmp_path, model__name=f"scripted:{script}") as opened:
        with pytest.raises(ModelRefused):
            start(opened, EASY)
        stopped = opened.read(opened.find("last"))
        assert (stopped.state, stopped.outcome) == ("interrupted", None)
        opened.use_model("offline")
        run = opened.resume(stopped.id)
        assert run.outcome is not None
        assert run.outcome.accepted
        assert run.model == "offline"
        assert opened.replay(run.id).faithful


def test_a_run_that_goes_on_may_be_wanted_otherwise(tmp_path: Path) -> None:
    """It is found whatever such a field says, and remembers what was said."""
    script = write_file(tmp_path / "script.json", [DESCRIBED, *[{"error": "refused"}] * 3])
    with workspace(tmp_path, model__name=f"scripted:{script}") as opened:
        with pytest.raises(ModelRefused):
            start(opened, EASY)
        stopped = opened.read(opened.find("last"))
        other = opened.task(APP, {**EASY, "shortest": 2})
        assert opened.unfinished(APP, other) is None
        assert opened.unfinished(APP, other, whatever=("shortest",)) == stopped.id
        opened.use_model("offline")
        run = opened.resume(stopped.id, shortest=2)
        assert run.task == other.model_dump(mode="json") != stopped.task
        with pytest.raises(UsageError):
            opened.resume(start(opened, HOPELESS).id, budget=Budget(rounds=99), shortest="much")


def test_a_replay_follows_the_record_after_a_change_of_models(tmp_path: Path) -> None:
    script = write_file(tmp_path / "script.json", words("b", "ab", "aab"))
    with workspace(tmp_path, model__name=f"scripted:{script}", budget__rounds=3) as opened:
        run = start(opened, {**EASY, "shortest": 5})
        assert run.spent == "rounds"
        opened.use_model("offline")
        run = opened.resume(run.id, budget=Budget(rounds=12))
        assert run.outcome is not None
        assert run.outcome.accepted
        replayed = opened.replay(run.id)
    assert replayed.faithful
    assert replayed.judged == len(run.attempts)


def test_a_finished_run_is_given_back_as_it_is(tmp_path: Path) -> None:
    with workspace(tmp_path) as opened:
        accepted, rejected = start(opened, EASY), start(opened, HOPELESS)
        assert opened.resume(accepted.id, budget=Budget(rounds=99)) == accepted
        assert opened.resume(rejected.id) == rejected
        assert opened.resume(rejected.id, budget=rejected.budget) == rejected


def test_the_newest_unfinished_run_of_a_task_is_found(tmp_path: Path) -> None:
    with workspace(tmp_path) as opened:
        task = opened.task(APP, {**EASY, "shortest": 9})
        assert opened.unfinished(APP, task) is None

        def stop(event: Event) -> None:
            if isinstance(event, VerdictGiven):
                opened.cancel.set()

        with pytest.raises(Interrupted):
            opened.start(APP, task, watch=stop)
        stopped = opened.find("last")
        assert opened.unfinished(APP, task) == stopped
        assert opened.unfinished(APP, task, seed=1) is None
        assert opened.unfinished(APP, opened.task(APP, EASY)) is None
        opened.cancel.clear()
        opened.resume(stopped)
        assert opened.unfinished(APP, task) is None


def test_an_unfinished_run_replays_as_far_as_it_came(tmp_path: Path) -> None:
    with workspace(tmp_path) as opened:

        def stop(event: Event) -> None:
            if isinstance(event, VerdictGiven) and event.key == "refine#0":
                opened.cancel.set()

        with pytest.raises(Interrupted):
            start(opened, {**EASY, "shortest": 9}, watch=stop)
        opened.cancel.clear()
        replayed = opened.replay(opened.find("last"))
    assert replayed.faithful
    assert replayed.judged == 4


def test_many_runs_in_one_journal_from_many_threads(tmp_path: Path) -> None:
    outcomes: list[bool] = []
    with workspace(tmp_path) as opened:

        def one(number: int) -> None:
            run = start(opened, EASY, seed=number)
            outcomes.append(run.outcome is not None and run.outcome.accepted)

        threads = [threading.Thread(target=one, args=(number,)) for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert outcomes == [True] * 6
        assert verify(opened.journal) == []


def test_no_secret_reaches_journal_cassette_or_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The key stands in the task, in the model's replies, in the prompt and in a setting."""
    key = "sk-planted-0123456789"
    monkeypatch.setenv("OPENAI_API_KEY", key)
    replies: list[dict[str, Any]] = [{"role": "pattern/describe", "text": f"it wants {key}"}]
    replies += [{"value": {"word": "ab", "reason": key}}] * 2 + [{"text": f"{key} {{"}] * 2
    replies += [{"value": {"word": key}}] * 4
    script = write_file(tmp_path / "script.json", replies)
    flags = {"model__name": f"scripted:{script}", "model__record": str(tmp_path / "tape.jsonl")}
    fields = {"expression": f"({key}|x)+", "shortest": 30}
    more = {"prompts__folder": str(tmp_path), "apps": {"pattern": {"note": key}}}
    with workspace(tmp_path / "home", **flags, **more, budget__rounds=4) as opened:
        run = start(opened, fields)
        page = page_of(run, opened.panels(run), opened.chain_state(run.id))
        shown = [render(page, form, opened.journal.get) for form in FORMATS]
        assert verify(opened.journal) == []
        assert opened.replay(run.id).judged == len(run.attempts)
    for text in shown:
        assert key not in text
    for path in [*(tmp_path / "home").rglob("*"), tmp_path / "tape.jsonl"]:
        if path.is_file():
            assert key.encode() not in path.read_bytes(), path
    assert "[secret]" in json.dumps(run.task)


def test_a_password_in_an_address_is_neither_journalled_nor_shown(tmp_path: Path) -> None:
    address = "http://ann:letmein-please@127.0.0.1:1/v1"
    with workspace(tmp_path, model__base_url=address) as opened:
        run = start(opened, EASY)
        first = next(opened.journal.read(run.id)).event
        rows = {name: value for name, value, _ in opened.loaded.rows()}
    assert rows["model.base_url"] == "http://…@127.0.0.1:1/v1"
    assert isinstance(first, RunStarted)
    assert "letmein" not in str(first.settings)
    for path in tmp_path.rglob("*"):
        if path.is_file():
            assert b"letmein-please" not in path.read_bytes()


def test_a_raised_bound_that_is_reached_again_is_written_down_again(tmp_path: Path) -> None:
    with workspace(tmp_path, **{"budget.rounds": 4}) as opened:
        task = opened.task(APP, {"expression": "a+", "shortest": 30})
        first = opened.start(APP, task)
        raised = first.budget.model_copy(update={"rounds": 6})
        second = opened.resume(first.id, budget=raised)
        replayed = opened.replay(first.id)
    limits = [w.limit for w in second.warnings if w.kind == "budget.spent" and w.bound == "rounds"]
    assert limits == [4, 6]
    assert second.spent == "rounds"
    assert replayed.faithful
