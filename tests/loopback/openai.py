"""The OpenAI chat-completions protocol, as far as the tests go."""

from collections.abc import Mapping
from typing import Any

from proveout.testing.model_contract import Provider
from tests.loopback.answer import INPUT_TOKENS, OUTPUT_TOKENS, Answer, json_answer, spoken


def answer(provider: Provider, body: Mapping[str, Any]) -> Answer:
    """The response to `POST /v1/chat/completions`."""
    match provider.conduct:
        case "rate_limited":
            return _error(429, "rate_limit_exceeded", "Slow down.", Retry_After="7")
        case "overloaded":
            return _error(500, "server_error", "The server had an error.")
        case "denied":
            return _error(401, "invalid_api_key", "Incorrect API key provided.")
    return json_answer(
        {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1_700_000_000,
            "model": body["model"],
            "choices": [
                {
                    "index": 0,
                    "message": _message(provider, body),
                    "finish_reason": "length" if provider.conduct == "truncated" else "stop",
                }
            ],
            "usage": {
                "prompt_tokens": INPUT_TOKENS,
                "completion_tokens": OUTPUT_TOKENS,
                "total_tokens": INPUT_TOKENS + OUTPUT_TOKENS,
            },
        }
    )


def _message(provider: Provider, body: Mapping[str, Any]) -> dict[str, Any]:
    if provider.conduct == "refusal":
        return {"role": "assistant", "content": None, "refusal": "I can't help with that."}
    tools = body.get("tools") or []
    if tools and provider.conduct == "value":
        function = {"name": tools[0]["function"]["name"], "arguments": spoken(provider)}
        called = [{"id": "call_1", "type": "function", "function": function}]
        return {"role": "assistant", "content": None, "tool_calls": called}
    return {"role": "assistant", "content": spoken(provider)}


def _error(status: int, code: str, message: str, **headers: str) -> Answer:
    content = {"error": {"message": message, "type": code, "code": code, "param": None}}
    return json_answer(content, status, **headers)
