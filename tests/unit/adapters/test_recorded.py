"""Cassettes: what is kept, what is found again, and what is said when nothing is found."""

import json
import threading
from pathlib import Path

import pytest
from pydantic import JsonValue

from proveout.adapters.models.recorded import RecordedModel
from proveout.adapters.models.scripted import ScriptedModel, ScriptedReply
from proveout.kernel.errors import Interrupted, JournalError, ModelBusy, PrerequisiteError
from proveout.kernel.ports import Model, ModelCall, Reply
from proveout.kernel.types import Picture, Usage
from proveout.testing.model_contract import call


@pytest.fixture
def cassette(tmp_path: Path) -> Path:
    return tmp_path / "cassette.jsonl"


def record(path: Path, replies: list[str], *calls: ModelCall) -> list[Reply]:
    model = RecordedModel(path, ScriptedModel(replies, name="scripted:inner"))
    answered = [model.ask(asked, threading.Event()) for asked in calls]
    model.close()
    return answered


def ask(model: Model, **changes: object) -> Reply:
    return model.ask(call(**changes), threading.Event())


def lines(path: Path) -> list[dict[str, JsonValue]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_recording_is_replayed_for_nothing(cassette: Path) -> None:
    (original,) = record(cassette, ["an answer"], call(key="run-1/#0"))
    replayed = ask(RecordedModel(cassette), key="run-2/#0")
    assert (replayed.text, replayed.model) == ("an answer", "scripted:inner")
    assert (original.usage.calls, replayed.usage) == (1, Usage())


def test_a_cassette_can_be_read_by_a_person(cassette: Path) -> None:
    record(cassette, ["ä reply"], call(prompt="Wörter"))
    (line,) = lines(cassette)
    assert (line["cassette"], line["role"], line["prompt"]) == (1, "pattern/propose", "Wörter")
    assert line["reply"]["text"] == "ä reply"  # type: ignore[call-overload,index]
    assert line["reply"]["usage"]["calls"] == 1  # type: ignore[call-overload,index]
    assert "Wörter" in cassette.read_text()


def test_while_recording_it_stands_for_the_inner_model(cassette: Path) -> None:
    inner = ScriptedModel(["x"], name="openai:some")
    model = RecordedModel(cassette, inner)
    assert (model.name, model.paid) == ("openai:some", True)
    assert model.ceiling(call()) == inner.ceiling(call())
    model.close()
    replay = RecordedModel(cassette)
    assert (replay.name, replay.paid) == (f"recorded:{cassette}", False)
    assert replay.ceiling(call()) == Usage()


def test_equal_questions_get_their_replies_in_order_then_the_last(cassette: Path) -> None:
    record(cassette, ["one", "two"], call(key="a"), call(key="b"))
    model = RecordedModel(cassette)
    assert [ask(model, key=key).text for key in ("x", "y", "x", "z")] == [
        "one",
        "two",
        "one",
        "two",
    ]


@pytest.mark.parametrize(
    "changes",
    [
        {"role": "pattern/other"},
        {"prompt": "something else"},
        {"schema": None},
        {"pictures": (Picture("image/png", b"other"),)},
    ],
)
def test_another_question_is_not_answered(cassette: Path, changes: dict[str, object]) -> None:
    record(cassette, ["an answer"], call())
    with pytest.raises(PrerequisiteError, match="has no reply to this question"):
        ask(RecordedModel(cassette), **changes)


def test_a_miss_shows_how_the_nearest_prompt_differs(cassette: Path) -> None:
    shared = "Find a word.\nIt must match.\n"
    record(
        cassette,
        ["1", "2"],
        call(key="1", prompt="Entirely different."),
        call(key="2", prompt=shared + "Pattern: ^a+b$"),
    )
    with pytest.raises(PrerequisiteError) as error:
        ask(RecordedModel(cassette), prompt=shared + "Pattern: ^a+c$")
    assert error.value.message.splitlines()[1:] == [
        "--- recorded",
        "+++ asked now",
        "@@ -3 +3 @@",
        "-Pattern: ^a+b$",
        "+Pattern: ^a+c$",
    ]
    assert f"--record {cassette}" in error.value.hint
    assert "'pattern/propose'" in error.value.message


def test_a_long_difference_is_shortened_even_on_one_line(cassette: Path) -> None:
    record(cassette, ["1"], call(prompt="x" * 500 + "old" + "y" * 5000))
    with pytest.raises(PrerequisiteError) as error:
        ask(RecordedModel(cassette), prompt="x" * 500 + "new" + "z" * 5000)
    shown = error.value.message
    assert "-old" in shown
    assert len(shown.splitlines()) < 16
    assert "more lines" in shown
    assert max(map(len, shown.splitlines()[1:])) <= 101


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"role": "pattern/other"}, "roles recorded there: pattern/propose"),
        ({"schema": {"type": "string"}}, "recorded, but with another schema"),
        ({"pictures": (Picture("image/png", b"?"),)}, "recorded, but with other pictures"),
    ],
)
def test_a_miss_names_what_differs_besides_the_prompt(
    cassette: Path, changes: dict[str, object], reason: str
) -> None:
    record(cassette, ["1"], call())
    with pytest.raises(PrerequisiteError, match=reason):
        ask(RecordedModel(cassette), **changes)


def test_a_missing_cassette_says_how_to_record(cassette: Path) -> None:
    with pytest.raises(PrerequisiteError, match="there is no cassette") as error:
        RecordedModel(cassette)
    assert f"--record {cassette}" in error.value.hint


def test_a_call_recorded_before_a_crash_is_not_paid_again(cassette: Path) -> None:
    (before,) = record(cassette, ["paid once"], call(key="k"))
    inner = ScriptedModel(["paid twice"])
    model = RecordedModel(cassette, inner)
    assert ask(model, key="k") == before
    assert inner.calls == []
    assert ask(model, key="other").text == "paid twice"
    model.close()
    assert len(lines(cassette)) == 2


def test_a_torn_last_line_does_not_spoil_the_rest(cassette: Path) -> None:
    record(cassette, ["one", "two"], call(key="1"), call(key="2", prompt="second"))
    whole = cassette.read_bytes()
    cassette.write_bytes(whole[:-20])
    assert ask(RecordedModel(cassette)).text == "one"
    record(cassette, ["again"], call(key="3", prompt="second"))
    assert ask(RecordedModel(cassette), prompt="second").text == "again"


def test_a_line_of_a_newer_version_is_refused(cassette: Path) -> None:
    cassette.write_text('{"cassette": 2}\n')
    inner = ScriptedModel([])
    for model in (None, inner):
        with pytest.raises(JournalError, match="recording 1 of .* newer version"):
            RecordedModel(cassette, model)


def test_an_error_is_not_recorded(cassette: Path) -> None:
    model = RecordedModel(cassette, ScriptedModel([ScriptedReply(error="busy"), "then"]))
    with pytest.raises(ModelBusy):
        ask(model, key="k")
    assert ask(model, key="k").text == "then"
    model.close()
    assert len(lines(cassette)) == 1


def test_a_cancelled_replay_does_not_answer(cassette: Path) -> None:
    record(cassette, ["1"], call())
    cancelled = threading.Event()
    cancelled.set()
    with pytest.raises(Interrupted):
        RecordedModel(cassette).ask(call(), cancelled)


def test_secrets_never_enter_a_cassette(cassette: Path) -> None:
    secrets = ('sk-"quoted"', "sk-", "tök€n", "")
    reply = ScriptedReply(
        value={"list": ['key sk-"quoted"', 1], "tök€n": "x"},
        text='{"echo": "sk-\\"quoted\\" and t\\u00f6k\\u20acn"}',
    )
    model = RecordedModel(cassette, ScriptedModel([reply]), secrets=secrets)
    asked = call(prompt='Use sk-"quoted" and tök€n.', key="tök€n/1")
    heard = model.ask(asked, threading.Event())
    model.close()
    kept = cassette.read_text()
    assert "quoted" not in kept
    assert "sk-" not in kept
    assert "tök€n" not in kept
    assert "u20ac" not in kept
    assert heard.text == reply.text, "the run itself gets what the model said"
    again = RecordedModel(cassette, secrets=secrets)
    assert again.ask(asked, threading.Event()).value == {
        "list": ["key [secret]", 1],
        "[secret]": "x",
    }


def test_a_replay_elsewhere_finds_the_question_with_another_secret(cassette: Path) -> None:
    model = RecordedModel(cassette, ScriptedModel(["found"]), secrets=("mine",))
    ask(model, prompt="The token is mine.")
    model.close()
    replay = RecordedModel(cassette, secrets=("yours",))
    assert ask(replay, prompt="The token is yours.").text == "found"
