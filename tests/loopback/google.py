"""Google's generateContent protocol, as far as the tests go."""

from typing import Any

from proveout.testing.model_contract import Provider
from tests.loopback.answer import INPUT_TOKENS, OUTPUT_TOKENS, Answer, json_answer, spoken

FINISH = {"truncated": "MAX_TOKENS", "refusal": "SAFETY"}


def answer(provider: Provider) -> Answer:
    """The response to `POST /v1beta/models/NAME:generateContent`."""
    match provider.conduct:
        case "rate_limited":
            return _error(429, "RESOURCE_EXHAUSTED", "Slow down.", Retry_After="7")
        case "overloaded":
            return _error(503, "UNAVAILABLE", "The model is overloaded.")
        case "denied":
            return _error(403, "PERMISSION_DENIED", "API key not valid.")
    text = spoken(provider)
    parts: list[dict[str, Any]] = [{"text": text}] if text else []
    return json_answer(
        {
            "candidates": [
                {
                    "content": {"role": "model", "parts": parts},
                    "finishReason": FINISH.get(provider.conduct, "STOP"),
                }
            ],
            "usageMetadata": {
                "promptTokenCount": INPUT_TOKENS,
                "candidatesTokenCount": OUTPUT_TOKENS,
                "totalTokenCount": INPUT_TOKENS + OUTPUT_TOKENS,
            },
            "modelVersion": "gemini-2.5-flash",
        }
    )


def _error(status: int, reason: str, message: str, **headers: str) -> Answer:
    content = {"error": {"code": status, "message": message, "status": reason}}
    return json_answer(content, status, **headers)
