"""What the Claude Agent SDK says during one call, read into a reply or an error of ours."""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from pydantic import JsonValue

from proveout.adapters.models.prices import Price, price
from proveout.adapters.models.replies import estimated_tokens, within
from proveout.kernel.errors import ModelBusy, ModelError, ModelRefused
from proveout.kernel.ports import ModelCall, Reply, StopReason
from proveout.kernel.types import Usage

if TYPE_CHECKING:
    from claude_agent_sdk import AssistantMessage, ResultMessage

ANSWER_TOOL = "StructuredOutput"
"""The tool by which the program asks for a value of the schema."""
SYNTHETIC = "<synthetic>"
"""The model's name on messages that the program wrote itself."""
OWN_PAUSE_SECONDS = 1.0
"""The program's own first pause is shorter; a longer one is the provider's wish."""
FINAL_ERRORS = frozenset(
    {"authentication_failed", "billing_error", "invalid_request", "model_not_found"}
)
SPENT_SUBTYPES = frozenset(
    {"error_max_turns", "error_max_budget_usd", "error_max_structured_output_retries"}
)
"""Results without an answer that are nobody's failure: what was said is the reply."""


class Transcript:
    """Collects the messages of one call until there is a reply to give."""

    def __init__(self, call: ModelCall, prices: Mapping[str, Price] | None = None) -> None:
        self._call = call
        self._prices = prices
        self._said: list[str] = []
        self._streamed: list[str] = []
        self._bytes = 0
        self._input_tokens = 0
        self._output_tokens = 0
        self._model = ""
        self._failure = ""

    def add(self, message: object) -> Reply | None:
        """The reply, once this message completes it. Raises what the provider did wrong."""
        from claude_agent_sdk import AssistantMessage, ResultMessage, StreamEvent, SystemMessage

        if isinstance(message, StreamEvent):
            return self._stream(message.event)
        if isinstance(message, AssistantMessage):
            self._listen(message)
        elif isinstance(message, SystemMessage) and message.subtype == "api_retry":
            raise _announced(message.data)
        elif isinstance(message, ResultMessage):
            return self._finish(message)
        return None

    def cut(self, stop: StopReason) -> Reply:
        """What was said until the call had to be ended; priced from the list, by its tokens."""
        text = "".join(self._streamed) if stop == "oversized" else self._text()
        usage = Usage(
            calls=1,
            input_tokens=self._input_tokens,
            output_tokens=self._output_tokens or estimated_tokens(text),
        )
        reply = Reply(
            text=text,
            usage=price(self._model, usage, self._prices),
            model=self._model,
            stop=stop,
        )
        return within(reply, self._call.limits)

    def _stream(self, event: Mapping[str, Any]) -> Reply | None:
        """Parts of a message: they tell of an overlong or cut-off one before its cost grows."""
        match event:
            case {"type": "message_start", "message": {"usage": usage, "model": model}}:
                self._model = model
                self._input_tokens += _input_tokens(usage)
            case {"type": "content_block_delta", "delta": delta}:
                piece = delta.get("text") or delta.get("partial_json") or ""
                self._streamed.append(piece)
                self._bytes += len(piece.encode(errors="replace"))
                if self._bytes > self._call.limits.max_reply_bytes:
                    return self.cut("oversized")
            case {"type": "message_delta", "delta": delta}:
                self._output_tokens += event.get("usage", {}).get("output_tokens", 0)
                # The program would ask the model to go on, up to three times.
                if delta.get("stop_reason") == "max_tokens":
                    return self.cut("length")
        return None

    def _listen(self, message: "AssistantMessage") -> None:
        from claude_agent_sdk import TextBlock, ToolUseBlock

        if message.model == SYNTHETIC:
            self._failure = message.error or self._failure
            return
        self._model = message.model
        for block in message.content:
            if isinstance(block, TextBlock):
                self._said.append(block.text)
            elif isinstance(block, ToolUseBlock) and block.name == ANSWER_TOOL:
                # Kept as text even if the program finds it invalid: the kernel says why it is.
                self._said.append(json.dumps(block.input))
            elif isinstance(block, ToolUseBlock):
                # What comes before the use of a tool is a remark, not the answer.
                self._said.clear()

    def _text(self) -> str:
        return "".join(self._said) or "".join(self._streamed)

    def _finish(self, result: "ResultMessage") -> Reply:
        stop: StopReason = "refusal" if result.stop_reason == "refusal" else "end"
        if self._failure == "max_output_tokens":
            stop = "length"
        spent = result.subtype in SPENT_SUBTYPES
        if result.is_error and stop == "end" and not spent:
            raise _failed(result, self._failure)
        reply = Reply(
            text="".join(self._said),
            value=unwrapped(result.structured_output, self._call.schema),
            usage=self._usage(result),
            model=self._model,
            stop=stop,
        )
        return within(reply, self._call.limits)

    def _usage(self, result: "ResultMessage") -> Usage:
        counts = [cast("Mapping[str, Any]", each) for each in (result.model_usage or {}).values()]
        usage = Usage(
            calls=1,
            input_tokens=sum(
                each.get("inputTokens", 0)
                + each.get("cacheReadInputTokens", 0)
                + each.get("cacheCreationInputTokens", 0)
                for each in counts
            ),
            output_tokens=sum(each.get("outputTokens", 0) for each in counts),
        )
        if not result.total_cost_usd:
            return price(self._model, usage, self._prices)
        return usage.model_copy(update={"cost_usd": result.total_cost_usd})


def unwrapped(value: JsonValue, schema: Mapping[str, JsonValue] | None) -> JsonValue:
    """The value without a single outer object that the schema does not know."""
    properties = (schema or {}).get("properties")
    if not isinstance(value, dict) or not isinstance(properties, dict) or len(value) != 1:
        return value
    name, inner = next(iter(value.items()))
    if name in properties or not isinstance(inner, dict) or not inner.keys() & properties.keys():
        return value
    return inner


def _input_tokens(usage: Mapping[str, Any]) -> int:
    names = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    return sum(usage.get(name) or 0 for name in names)


def _announced(retry: Mapping[str, Any]) -> ModelError:
    """The error behind a retry that the program announces and is not left to make."""
    status, kind = retry.get("error_status"), str(retry.get("error") or "unknown")
    seconds = float(retry.get("retry_delay_ms") or 0) / 1000
    wanted = seconds if seconds >= OWN_PAUSE_SECONDS else None
    return _error(status, kind, f"Claude failed: {kind} (status {status or 'none'})", wanted)


def _failed(result: "ResultMessage", kind: str) -> ModelError:
    said = result.result or "; ".join(result.errors or ()) or result.subtype
    return _error(result.api_error_status, kind, said[:500], None)


def _error(status: int | None, kind: str, message: str, pause: float | None) -> ModelError:
    refused = kind in FINAL_ERRORS if status is None else status < 500
    if refused and status not in (408, 409, 425, 429):
        hint = "check ANTHROPIC_API_KEY and the model's name"
        return ModelRefused(message, hint=hint)
    return ModelBusy(message, retry_after_seconds=pause)
