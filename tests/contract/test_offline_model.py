"""`offline` keeps the promises of a model, and answers with nothing but the role's expert."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from pydantic import BaseModel

from proveout.adapters.models.offline import OfflineModel
from proveout.kernel.errors import Interrupted, PrerequisiteError
from proveout.kernel.ports import CallLimits, Model, Reply
from proveout.kernel.types import Usage
from proveout.testing.model_contract import ModelContract, Provider, call


class TestOfflineModel(ModelContract):
    @contextmanager
    def backend(self, provider: Provider) -> Iterator[Model]:  # noqa: ARG002 - there is none
        yield OfflineModel()


class Wanted(BaseModel):
    word: str
    length: int = 3


def answer(returned: Any, **changes: Any) -> Reply:
    return OfflineModel().ask(call(expert=lambda _brief: returned, **changes), threading.Event())


def test_an_expert_is_given_the_brief() -> None:
    reply = OfflineModel().ask(
        call(brief={"pattern": "ab"}, expert=lambda brief: {"word": brief["pattern"]}),
        threading.Event(),
    )
    assert reply.value == {"word": "ab"}


def test_a_model_becomes_a_value_and_canonical_text() -> None:
    reply = answer(Wanted(word="äb"))
    assert reply.value == {"word": "äb", "length": 3}
    assert reply.text == '{"length":3,"word":"äb"}'
    assert (reply.model, reply.stop, reply.usage) == ("offline", "end", Usage())


@pytest.mark.parametrize(
    ("returned", "text", "value"),
    [
        ("plain", "plain", None),
        ([1, "a", None], '[1,"a",null]', [1, "a", None]),
        (("a", 2), '["a",2]', ["a", 2]),
        (None, "", None),
    ],
)
def test_what_an_expert_returns_becomes_a_reply(returned: Any, text: str, value: Any) -> None:
    reply = answer(returned)
    assert (reply.text, reply.value) == (text, value)


def test_the_reply_is_not_the_experts_own_object() -> None:
    kept = {"words": ["a"]}
    reply = answer(kept)
    kept["words"].append("b")
    assert reply.value == {"words": ["a"]}


@pytest.mark.parametrize("returned", [{1, 2}, float("nan"), {"at": object()}])
def test_what_is_not_json_is_the_experts_mistake(returned: Any) -> None:
    with pytest.raises(TypeError, match="offline expert of 'pattern/propose'"):
        answer(returned)


def test_a_role_without_an_expert_says_which_and_what_to_do() -> None:
    with pytest.raises(PrerequisiteError, match="'pattern/propose' has no offline expert") as error:
        OfflineModel().ask(call(expert=None), threading.Event())
    assert "--model" in error.value.hint


def test_a_long_answer_is_cut_like_any_other() -> None:
    reply = answer({"word": "a" * 1000}, limits=CallLimits(max_reply_bytes=100))
    assert (reply.stop, reply.value, len(reply.text)) == ("oversized", None, 100)


def test_a_cancelled_call_is_not_begun() -> None:
    cancelled = threading.Event()
    cancelled.set()
    with pytest.raises(Interrupted):
        OfflineModel().ask(call(), cancelled)
