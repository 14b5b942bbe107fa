"""What every model back end promises, whatever provider stands behind it.

Subclass `ModelContract`, say which behaviours of a provider the back end can meet, and give a
context manager that yields the back end in front of a provider that behaves so.
"""

import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Literal

import pytest
from pydantic import JsonValue

from proveout.kernel.errors import Interrupted, ModelBusy, ModelRefused
from proveout.kernel.ports import CallLimits, Model, ModelCall, Reply
from proveout.kernel.types import Picture

Conduct = Literal[
    "value",  # answers with the wanted value
    "text",  # answers free text
    "garbage",  # answers a schema with something that is not JSON
    "truncated",  # stops in the middle because of the token limit
    "empty",  # answers with nothing
    "oversized",  # answers with ten megabytes
    "refusal",  # declines to answer
    "rate_limited",  # 429 with Retry-After: 7
    "overloaded",  # 500 or 529
    "stalling",  # accepts the request and never answers
    "denied",  # wrong key
    "broken",  # half a body, then the connection closes
]

WANTED: dict[str, JsonValue] = {"word": "aab", "length": 3}
SCHEMA: dict[str, JsonValue] = {
    "type": "object",
    "properties": {"word": {"type": "string"}, "length": {"type": "integer"}},
    "required": ["word", "length"],
    "additionalProperties": False,
    "title": "Wanted",
}


@dataclass
class Provider:
    """How the provider behind the back end behaves, and what it saw."""

    conduct: Conduct = "value"
    value: JsonValue = field(default_factory=lambda: dict(WANTED))
    text: str = "a plain answer"
    delay_seconds: float = 0.0
    seen: list[dict[str, Any]] = field(default_factory=list)
    """Request bodies, oldest first."""
    keys: list[str] = field(default_factory=list)
    """Idempotency keys, oldest first."""
    most_at_once: int = 0


def call(**changes: Any) -> ModelCall:
    """A small, complete call; the tests change what they are about."""
    fields: dict[str, Any] = {
        "role": "pattern/propose",
        "prompt": "Give a word for @this /pattern: ^a+b$ with $dollars and {braces}.",
        "schema": SCHEMA,
        "key": "run-1/#0",
        "limits": CallLimits(timeout_seconds=60, max_output_tokens=200),
        "description": "Finds a word that matches a pattern.",
        "expert": lambda _brief: dict(WANTED),
    }
    return ModelCall(**{**fields, **changes})


class ModelContract:
    """About fifteen promises. `meets` lists what a provider of this kind can do to the back end."""

    meets: frozenset[Conduct] = frozenset({"value", "text"})
    exact: bool = True
    """Whether the provider can be made to answer exactly what the test wants."""
    priced: bool = False
    free: bool = False
    """Whether the price is known to be nothing: a model on one's own machine."""
    sees_pictures: bool = False

    def backend(self, provider: Provider) -> AbstractContextManager[Model]:
        raise NotImplementedError

    def _ask(self, provider: Provider, **changes: Any) -> Reply:
        with self.backend(provider) as model:
            return model.ask(call(**changes), threading.Event())

    def _needs(self, conduct: Conduct) -> None:
        if conduct not in self.meets:
            pytest.skip(f"a provider of this kind cannot be {conduct}")

    def test_a_schema_brings_a_value(self) -> None:
        reply = self._ask(Provider())
        value = reply.value
        assert isinstance(value, dict)
        assert set(value) == {"word", "length"}
        if self.exact:
            assert value == WANTED
        assert reply.stop == "end"

    def test_no_schema_brings_text(self) -> None:
        reply = self._ask(
            Provider(conduct="text"), schema=None, expert=lambda _brief: "a plain answer"
        )
        assert reply.text.strip()
        assert reply.value is None
        if self.exact:
            assert reply.text == "a plain answer"

    def test_usage_is_counted_and_within_the_ceiling(self) -> None:
        with self.backend(Provider()) as model:
            reply = model.ask(call(), threading.Event())
            ceiling = model.ceiling(call())
        assert reply.usage.calls == (1 if model.paid else 0)
        assert reply.usage.calls <= ceiling.calls
        if model.paid:
            assert reply.usage.input_tokens > 0
            assert reply.usage.output_tokens > 0
            assert ceiling.tokens >= reply.usage.output_tokens
            known = self.free or reply.usage.cost_usd > 0
            assert known or reply.usage.unpriced_tokens == reply.usage.tokens

    def test_the_prompt_arrives_verbatim(self) -> None:
        provider = Provider()
        self._ask(provider)
        if provider.seen:
            assert "@this /pattern: ^a+b$ with $dollars and {braces}." in str(provider.seen[-1])

    def test_a_picture_arrives(self) -> None:
        if not self.sees_pictures:
            pytest.skip("this back end shows no pictures")
        provider = Provider()
        self._ask(provider, pictures=(Picture("image/png", PIXEL),))
        assert "iVBORw0KGgo" in str(provider.seen[-1])

    def test_garbage_is_a_reply_without_a_value(self) -> None:
        self._needs("garbage")
        reply = self._ask(Provider(conduct="garbage", text="I'd say: maybe {word"))
        assert reply.value is None
        assert reply.usage.calls >= 1

    def test_a_truncated_reply_says_so(self) -> None:
        self._needs("truncated")
        assert self._ask(Provider(conduct="truncated")).stop == "length"

    def test_an_empty_reply_is_a_reply(self) -> None:
        self._needs("empty")
        reply = self._ask(Provider(conduct="empty"))
        assert (reply.text, reply.value) == ("", None)

    def test_a_refusal_says_so(self) -> None:
        self._needs("refusal")
        assert self._ask(Provider(conduct="refusal")).stop == "refusal"

    def test_ten_megabytes_are_cut_off(self) -> None:
        self._needs("oversized")
        limits = CallLimits(timeout_seconds=60, max_reply_bytes=100_000)
        reply = self._ask(Provider(conduct="oversized"), limits=limits)
        assert reply.stop == "oversized"
        assert len(reply.text) <= 100_000

    def test_a_rate_limit_names_its_pause(self) -> None:
        self._needs("rate_limited")
        with pytest.raises(ModelBusy) as caught:
            self._ask(Provider(conduct="rate_limited"))
        assert caught.value.retry_after_seconds == 7

    @pytest.mark.parametrize("conduct", ["overloaded", "broken"])
    def test_a_failing_provider_is_busy_and_was_asked_once(self, conduct: Conduct) -> None:
        self._needs(conduct)
        provider = Provider(conduct=conduct)
        with pytest.raises(ModelBusy):
            self._ask(provider)
        assert len(provider.seen) == 1, "retries belong to the budget, not to the client"

    def test_a_wrong_key_is_refused_at_once(self) -> None:
        self._needs("denied")
        provider = Provider(conduct="denied")
        with pytest.raises(ModelRefused):
            self._ask(provider)
        assert len(provider.seen) == 1

    def test_a_stalling_provider_is_given_up_in_time(self) -> None:
        self._needs("stalling")
        seconds = _timed(
            lambda: self._ask(
                Provider(conduct="stalling"), limits=CallLimits(timeout_seconds=self.patience)
            ),
            ModelBusy,
        )
        assert seconds < self.patience + 15

    patience: float = 1.0
    """Time-out used against a stalling provider; longer for back ends that start slowly."""

    def test_cancelling_ends_a_call_in_flight(self) -> None:
        self._needs("stalling")
        cancel = threading.Event()
        threading.Timer(self.patience, cancel.set).start()
        with self.backend(Provider(conduct="stalling")) as model:
            seconds = _timed(
                lambda: model.ask(call(limits=CallLimits(timeout_seconds=120)), cancel), Interrupted
            )
        assert seconds < 60

    def test_closing_twice_is_fine(self) -> None:
        with self.backend(Provider()) as model:
            model.close()
            model.close()


def _timed(action: Callable[[], object], error: type[Exception]) -> float:
    started = time.monotonic()
    with pytest.raises(error):
        action()
    return time.monotonic() - started


PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108020000009077"
    "53de0000000c4944415408d763f8cfc000000301010018dd8db00000000049454e44ae426082"
)
"""A PNG of one red pixel."""
