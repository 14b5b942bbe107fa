"""What a provider sends back, before any protocol is spoken over a socket."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from proveout.testing.model_contract import Provider

INPUT_TOKENS = 21
OUTPUT_TOKENS = 9
OVERSIZED_BYTES = 10_000_000


@dataclass(frozen=True)
class Answer:
    """One HTTP response."""

    body: bytes
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = "application/json"


def json_answer(content: object, status: int = 200, **headers: str) -> Answer:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(json.dumps(content).encode(), status, named)


def spoken(provider: Provider) -> str:
    """The text that a provider of this conduct utters, whatever its protocol."""
    match provider.conduct:
        case "text" | "garbage":
            return provider.text
        case "empty" | "refusal":
            return ""
        case "truncated":
            whole = json.dumps(provider.value)
            return whole[: len(whole) // 2]
        case "oversized":
            return "x" * OVERSIZED_BYTES
        case _:
            return json.dumps(provider.value)


def last_content(body: Mapping[str, Any]) -> Any:
    messages = body.get("messages") or [{}]
    return messages[-1].get("content")
