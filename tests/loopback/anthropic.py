"""The Anthropic Messages protocol, whole or as a stream of server-sent events."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from proveout.testing.model_contract import Provider
from tests.loopback.answer import (
    INPUT_TOKENS,
    OUTPUT_TOKENS,
    Answer,
    json_answer,
    last_content,
    spoken,
)

CHUNK = 64_000
"""Characters in one streamed delta."""


def answer(provider: Provider, body: Mapping[str, Any]) -> Answer:
    """The response to `POST /v1/messages`."""
    match provider.conduct:
        case "rate_limited":
            return _error(429, "rate_limit_error", "Slow down.", Retry_After="7")
        case "overloaded":
            return _error(529, "overloaded_error", "Overloaded")
        case "denied":
            return _error(401, "authentication_error", "invalid x-api-key")
    message = _message(provider, body)
    if not body.get("stream"):
        return json_answer(message)
    events = "".join(
        f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in _events(message)
    )
    return Answer(events.encode(), content_type="text/event-stream")


def _message(provider: Provider, body: Mapping[str, Any]) -> dict[str, Any]:
    content, stop = _content(provider, body)
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": content,
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": {"input_tokens": INPUT_TOKENS, "output_tokens": OUTPUT_TOKENS},
    }


def _content(provider: Provider, body: Mapping[str, Any]) -> tuple[list[dict[str, Any]], str]:
    match provider.conduct:
        case "refusal":
            return [], "refusal"
        case "empty":
            return [], "end_turn"
        case "truncated":
            return [{"type": "text", "text": spoken(provider)}], "max_tokens"
    if _follows_a_tool(body):
        return [{"type": "text", "text": "Done."}], "end_turn"
    tool = _wanted_tool(body)
    if tool and provider.conduct == "value":
        called = {"type": "tool_use", "id": "toolu_1", "name": tool, "input": provider.value}
        return [called], "tool_use"
    return [{"type": "text", "text": spoken(provider)}], "end_turn"


def _follows_a_tool(body: Mapping[str, Any]) -> bool:
    content = last_content(body)
    return isinstance(content, list) and any(
        isinstance(block, dict) and block.get("type") == "tool_result" for block in content
    )


def _wanted_tool(body: Mapping[str, Any]) -> str | None:
    """The tool by which a structured answer is asked for; others are never called."""
    if body.get("output_config", {}).get("format") or body.get("output_format"):
        return None
    names = [str(tool.get("name")) for tool in body.get("tools") or []]
    if "StructuredOutput" in names:
        return "StructuredOutput"
    forced = body.get("tool_choice", {}).get("type") in {"any", "tool"}
    return names[0] if names and forced else None


def _events(message: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    usage = {"input_tokens": INPUT_TOKENS, "output_tokens": 1}
    begun = {**message, "content": [], "stop_reason": None, "usage": usage}
    yield {"type": "message_start", "message": begun}
    for index, block in enumerate(message["content"]):
        yield from _block_events(index, block)
    yield {
        "type": "message_delta",
        "delta": {"stop_reason": message["stop_reason"], "stop_sequence": None},
        "usage": {"output_tokens": OUTPUT_TOKENS},
    }
    yield {"type": "message_stop"}


def _block_events(index: int, block: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    if block["type"] == "text":
        opened: dict[str, Any] = {**block, "text": ""}
        kind, field, written = "text_delta", "text", block["text"]
    else:
        opened = {**block, "input": {}}
        kind, field, written = "input_json_delta", "partial_json", json.dumps(block["input"])
    yield {"type": "content_block_start", "index": index, "content_block": opened}
    for start in range(0, len(written), CHUNK):
        delta = {"type": kind, field: written[start : start + CHUNK]}
        yield {"type": "content_block_delta", "index": index, "delta": delta}
    yield {"type": "content_block_stop", "index": index}


def _error(status: int, kind: str, message: str, **headers: str) -> Answer:
    content = {"type": "error", "error": {"type": kind, "message": message}}
    return json_answer(content, status, **headers)
