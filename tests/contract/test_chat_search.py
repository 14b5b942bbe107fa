"""A role with a web search: offered where the provider has one, never a reason to fail."""

import json
import threading
from typing import Any

import pytest

from proveout.adapters.models.chat import SEARCH_TOKENS
from proveout.testing.model_contract import WANTED, Provider, call
from tests.loopback.answer import json_answer
from tests.loopback.chat import SPECS, answered, model_at
from tests.loopback.server import LoopbackServer, Protocol

pytest.importorskip("pydantic_ai", reason='needs pip install "proveout[chat]"')

SEARCHING = ("WebSearch", "WebFetch")


def sent(protocol: Protocol, spec: str = "", **changes: Any) -> dict[str, Any]:
    provider = Provider()
    with LoopbackServer(provider, protocol) as server:
        reply = model_at(server, spec).ask(call(**changes), threading.Event())
    if changes.get("schema", True) is not None:
        assert reply.value == WANTED
    (body,) = provider.seen
    return body


class TestOffer:
    @pytest.mark.parametrize("schema", [True, False])
    def test_anthropic_may_search_a_few_times(self, schema: bool) -> None:
        without: dict[str, Any] = {} if schema else {"schema": None}
        body = sent("anthropic", tools=SEARCHING, **without)
        (tool,) = [tool for tool in body["tools"] if tool["name"] == "web_search"]
        assert 1 <= tool["max_uses"] <= 5

    def test_google_may_search_and_is_still_asked_for_the_schema(self) -> None:
        body = sent("google", tools=SEARCHING)
        assert body["tools"] == [{"googleSearch": {}}]

    def test_openai_may_search_with_models_that_do(self) -> None:
        assert "web_search_options" in sent(
            "openai", "openai:gpt-4o-search-preview", tools=SEARCHING
        )

    def test_a_model_without_a_search_is_asked_without_one(self) -> None:
        body = sent("openai", tools=SEARCHING)
        assert "web_search_options" not in body
        assert "tools" not in body

    @pytest.mark.parametrize("protocol", SPECS)
    def test_nobody_searches_for_a_role_that_may_not(self, protocol: Protocol) -> None:
        assert "search" not in json.dumps(sent(protocol, tools=("Read",))).lower()


class TestAnswer:
    def test_what_was_said_before_a_search_is_not_the_answer(self) -> None:
        found = {
            "type": "web_search_result",
            "url": "https://example.com",
            "title": "A page",
            "encrypted_content": "x",
            "page_age": None,
        }
        parts = [
            {"type": "text", "text": "I will look for {that}."},
            {
                "type": "server_tool_use",
                "id": "srvtoolu_1",
                "name": "web_search",
                "input": {"query": "words"},
            },
            {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": [found]},
            {"type": "text", "text": json.dumps(WANTED)[:5]},
            {"type": "text", "text": json.dumps(WANTED)[5:]},
        ]
        answer = json_answer(
            {
                "id": "1", "type": "message", "role": "assistant", "model": "claude-sonnet-4-6",
                "content": parts, "stop_reason": "end_turn", "stop_sequence": None,
                "usage": {"input_tokens": 9_000, "output_tokens": 20},
            }
        )  # fmt: skip
        reply = answered("anthropic", answer, tools=SEARCHING)
        assert reply.value == WANTED
        assert reply.usage.input_tokens == 9_000

    def test_words_before_a_search_count_if_nothing_follows_it(self) -> None:
        candidate = {
            "content": {"role": "model", "parts": [{"text": json.dumps(WANTED)}]},
            "finishReason": "STOP",
            "groundingMetadata": {"webSearchQueries": ["words"]},
        }
        usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
        answer = json_answer({"candidates": [candidate], "usageMetadata": usage})
        assert answered("google", answer, tools=SEARCHING).value == WANTED


def test_what_may_be_found_is_reserved_before_the_call() -> None:
    with LoopbackServer(Provider(), "anthropic") as server:
        model = model_at(server)
        plain, searching = model.ceiling(call()), model.ceiling(call(tools=SEARCHING))
    assert searching.input_tokens - plain.input_tokens == SEARCH_TOKENS
    assert (searching.cost_usd or 0.0) > (plain.cost_usd or 0.0)
