"""The `chat` back end in front of a loopback provider."""

import threading
from typing import Any

import pytest

from proveout.adapters.models.chat import ChatModel, chat_model
from proveout.kernel.errors import ModelError
from proveout.kernel.ports import Reply
from proveout.testing.model_contract import Provider, call
from tests.loopback.answer import Answer, json_answer
from tests.loopback.server import LoopbackServer, Protocol

KEY = "sk-test-0123456789abcdef"
SPECS: dict[Protocol, tuple[str, str]] = {
    "openai": ("openai:gpt-5", "/v1"),
    "anthropic": ("anthropic:claude-sonnet-4-6", ""),
    "google": ("google:gemini-2.5-flash", ""),
}


def model_at(server: LoopbackServer, spec: str = "", **options: Any) -> ChatModel:
    usual, path = SPECS[server.protocol]
    return chat_model(spec or usual, base_url=server.url + path, api_key=KEY, **options)


def answered(protocol: Protocol, answer: Answer, **changes: Any) -> Reply:
    with LoopbackServer(Provider(), protocol, respond=lambda _body: answer) as server:
        return model_at(server).ask(call(**changes), threading.Event())


def refused(protocol: Protocol, answer: Answer) -> ModelError:
    with pytest.raises(ModelError) as caught:
        answered(protocol, answer)
    return caught.value


def complaint(status: int, message: str, **headers: str) -> Answer:
    return json_answer({"error": {"message": message, "type": "x"}}, status, **headers)


def openai_text(text: str) -> Answer:
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    return json_answer(
        {
            "id": "1",
            "object": "chat.completion",
            "created": 1,
            "model": "gpt-5",
            "choices": [choice],
            "usage": usage,
        }
    )


def anthropic_text(text: str) -> Answer:
    return json_answer(
        {
            "id": "1",
            "type": "message",
            "role": "assistant",
            "model": "claude-sonnet-4-6",
            "content": [{"type": "text", "text": text}],
            "stop_reason": "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }
    )
