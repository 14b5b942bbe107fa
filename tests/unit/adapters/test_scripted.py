"""The script file, the order of replies, and what a scripted provider remembers."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from pydantic import BaseModel

from proveout.adapters.models.lines import read_lines
from proveout.adapters.models.scripted import ScriptedModel, ScriptedReply, open_script
from proveout.kernel.errors import (
    JournalError,
    ModelBusy,
    ModelRefused,
    PrerequisiteError,
    UsageError,
)
from proveout.kernel.ports import CallLimits, Reply
from proveout.kernel.types import Usage
from proveout.testing.model_contract import call


def ask(model: ScriptedModel, key: str, role: str = "pattern/propose") -> Reply:
    return model.ask(call(key=key, role=role), threading.Event())


def test_replies_come_in_order_and_roles_take_their_own() -> None:
    model = ScriptedModel(
        [{"role": "b", "text": "for b"}, "first for any", {"role": "a", "text": "for a"}]
    )
    assert [ask(model, "1", "a").text, ask(model, "2", "a").text, ask(model, "3", "b").text] == [
        "first for any",
        "for a",
        "for b",
    ]


def test_a_pydantic_model_is_a_value() -> None:
    class Word(BaseModel):
        word: str

    reply = ask(ScriptedModel([Word(word="ab")]), "1")
    assert (reply.value, reply.text) == ({"word": "ab"}, '{"word":"ab"}')


def test_an_exhausted_script_says_after_how_many() -> None:
    model = ScriptedModel(["one", {"role": "other", "text": "two"}])
    ask(model, "1")
    with pytest.raises(PrerequisiteError, match="no reply left for 'pattern/propose': 1 of 2"):
        ask(model, "2")


def test_a_key_that_was_answered_gets_the_same_reply() -> None:
    model = ScriptedModel(["one", "two"])
    assert ask(model, "k") == ask(model, "k")
    assert ask(model, "other").text == "two"
    assert [asked.key for asked in model.calls] == ["k", "k", "other"]


def test_calls_without_a_key_are_all_different() -> None:
    model = ScriptedModel(["one", "two"])
    assert [ask(model, "").text, ask(model, "").text] == ["one", "two"]


def test_a_failed_call_gets_the_next_reply_under_its_key() -> None:
    model = ScriptedModel([{"error": "busy", "retry_after": 2}, {"error": "refused"}, "at last"])
    with pytest.raises(ModelBusy) as busy:
        ask(model, "k")
    assert busy.value.retry_after_seconds == 2
    with pytest.raises(ModelRefused):
        ask(model, "k")
    assert ask(model, "k").text == "at last"


def test_a_call_that_timed_out_gets_the_next_reply_under_its_key() -> None:
    model = ScriptedModel([ScriptedReply(text="too late", delay_seconds=60), "in time"])
    hasty = call(key="k", limits=CallLimits(timeout_seconds=0.01))
    with pytest.raises(ModelBusy, match=r"no answer within 0\.01 s"):
        model.ask(hasty, threading.Event())
    assert ask(model, "k").text == "in time"


def test_a_delayed_reply_arrives() -> None:
    assert ask(ScriptedModel([{"text": "slow", "delay_seconds": 0.01}]), "k").text == "slow"


def test_usage_is_as_scripted_and_within_the_ceiling() -> None:
    usage = Usage(input_tokens=900, output_tokens=9000, cost_usd=0.5)
    model = ScriptedModel([ScriptedReply(text="dear", usage=usage)])
    ceiling = model.ceiling(call())
    assert ask(model, "1").usage == usage.model_copy(update={"calls": 1})
    assert (ceiling.calls, ceiling.cost_usd) == (1, 0.5)
    assert (ceiling.input_tokens, ceiling.output_tokens) == (900, 9000)


def test_a_script_that_is_not_paid_for_costs_nothing() -> None:
    model = ScriptedModel(["free"], paid=False)
    assert (model.paid, model.ceiling(call()), ask(model, "1").usage) == (False, Usage(), Usage())


def test_half_a_surrogate_pair_does_not_reach_the_journal() -> None:
    model = ScriptedModel([{"value": {"word": "a\ud800"}}, {"text": "b\ud800"}])
    reply = ask(model, "1")
    assert (reply.value, reply.text) == ({"word": "a?"}, '{"word":"a?"}')
    assert ask(model, "2").text == "b?"


def test_many_threads_share_one_queue() -> None:
    model = ScriptedModel([str(number) for number in range(200)])
    with ThreadPoolExecutor(8) as pool:
        texts = list(pool.map(lambda number: ask(model, f"k{number}").text, range(200)))
    assert sorted(texts, key=int) == [str(number) for number in range(200)]
    assert len(model.calls) == 200


TOML = """
[[replies]]
role = "pattern/propose"
value = {word = "aab", length = 3}
usage = {input_tokens = 10, output_tokens = 3}

[[replies]]
text = "cut o"
stop = "length"
"""


def test_a_toml_script_is_read(tmp_path: Path) -> None:
    path = tmp_path / "script.toml"
    path.write_text(TOML)
    model = open_script(path)
    first, second = ask(model, "1"), ask(model, "2")
    assert model.name == f"scripted:{path}"
    assert first.value == {"word": "aab", "length": 3}
    assert first.usage == Usage(calls=1, input_tokens=10, output_tokens=3)
    assert (second.text, second.stop) == ("cut o", "length")


@pytest.mark.parametrize("wrapped", [False, True])
def test_a_json_script_is_a_list_with_or_without_a_name(tmp_path: Path, wrapped: bool) -> None:
    path = tmp_path / "script.json"
    replies = [{"text": "one"}]
    path.write_text(json.dumps({"replies": replies} if wrapped else replies))
    assert ask(open_script(path, name="scripted:mine"), "1").text == "one"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("[[replies]]\ntext = 1", r"replies\.0\.text"),
        ("[[replies]]\nword = 'x'", r"replies\.0\.word"),
        ("[[replies]]\nerror = 'busy'\ntext = 'x'", "an error has neither text nor value"),
        ("[[replies]]\ntext = 'x'\nretry_after = 3", "retry_after goes with"),
        ("[[replies", "is not TOML"),
    ],
)
def test_a_wrong_script_is_explained(tmp_path: Path, content: str, problem: str) -> None:
    path = tmp_path / "script.toml"
    path.write_text(content)
    with pytest.raises(UsageError, match=problem):
        open_script(path)


def test_a_script_that_is_not_there_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read: No such file"):
        open_script(tmp_path / "absent.json")


def test_a_ledger_carries_the_queue_into_the_next_process(tmp_path: Path) -> None:
    path = tmp_path / "script.toml"
    path.write_text('ledger = "given.jsonl"\n' + TOML + '[[replies]]\ntext = "third"\n')
    first = open_script(path)
    before = ask(first, "k1")
    first.close()
    second = open_script(path)
    assert ask(second, "k1") == before
    assert [ask(second, "k2").text, ask(second, "k3").text] == ["cut o", "third"]
    second.close()
    lines = read_lines(tmp_path / "given.jsonl")
    assert [(line["key"], line["reply"], line["again"]) for line in lines] == [  # type: ignore[call-overload,index]
        ("k1", 0, False),
        ("k1", 0, True),
        ("k2", 1, False),
        ("k3", 2, False),
    ]


def test_a_ledger_of_another_script_is_refused(tmp_path: Path) -> None:
    ledger = tmp_path / "given.jsonl"
    ledger.write_text('{"key": "k", "role": "r", "reply": 5}\n')
    with pytest.raises(JournalError, match="does not belong to this script"):
        ScriptedModel(["only one"], ledger=ledger)
