"""What the back ends without a provider behind them share: the size limit, and estimated usage."""

import json

from pydantic import JsonValue

from proveout.kernel.canonical import canonical
from proveout.kernel.ports import CallLimits, ModelCall, Reply
from proveout.kernel.types import Usage

BYTES_PER_TOKEN = 4
"""A rule of thumb for English text; good enough for replies that nobody pays for."""


def within(reply: Reply, limits: CallLimits) -> Reply:
    """The reply as a journal can hold it: encodable, and cut off where it exceeds the size limit.

    A value that was cut is no value. Half of a surrogate pair, which JSON can spell and UTF-8
    cannot, becomes a question mark.
    """
    content = reply.text.encode(errors="replace")
    if len(content) > limits.max_reply_bytes:
        text = content[: limits.max_reply_bytes].decode(errors="ignore")
        return reply.model_copy(update={"text": text, "value": None, "stop": "oversized"})
    return reply.model_copy(update={"text": content.decode(), "value": encodable(reply.value)})


def encodable(value: JsonValue) -> JsonValue:
    """An equal value of the caller's own, without halves of surrogate pairs."""
    spelled = canonical(value).encode(errors="replace").decode()
    copied: JsonValue = json.loads(spelled)
    return copied


def estimated_tokens(text: str) -> int:
    return -(-len(text.encode(errors="replace")) // BYTES_PER_TOKEN)


def estimated_usage(call: ModelCall, text: str) -> Usage:
    """One call at a guess; without a price its tokens count as unpriced."""
    sent, received = estimated_tokens(call.prompt), estimated_tokens(text)
    return Usage(
        calls=1, input_tokens=sent, output_tokens=received, unpriced_tokens=sent + received
    )
