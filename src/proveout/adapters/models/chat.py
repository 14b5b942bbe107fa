"""`chat`: any provider, or any server that speaks the OpenAI protocol, by one name.

    openai:gpt-5                         anthropic:claude-sonnet-5         google:gemini-2.5-pro
    openai:qwen3@http://127.0.0.1:8000/v1    a server of your own, by its URL

Light to import: the provider packages are loaded with the first call.
"""

import json
import math
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from proveout.adapters.models.endpoint import Endpoint, endpoint_of
from proveout.adapters.models.prices import Price, price, price_of
from proveout.adapters.models.waiting import POLL_SECONDS, wait
from proveout.kernel.errors import Interrupted, UsageError
from proveout.kernel.ports import Cancel, ModelCall, Reply
from proveout.kernel.types import Usage

PICTURE_TOKENS = 5_000
"""More than any listed provider counts for one picture."""
OVERHEAD_TOKENS = 1_000
"""What providers add around a prompt: roles, tool and format instructions."""
SEARCH_TOKENS = 60_000
"""More than what a provider finds on the web for one call takes."""


class ChatModel:
    """Thread-safe; at most `concurrency` calls are with the provider at once."""

    def __init__(
        self,
        name: str,
        endpoint: Endpoint,
        *,
        concurrency: int = 4,
        prices: Mapping[str, Price] | None = None,
    ) -> None:
        if concurrency < 1:
            message = f"the concurrency must be at least 1, not {concurrency}"
            raise UsageError(message)
        self._name = name
        self._endpoint = endpoint
        self._prices = dict(prices or {})
        self._slots = threading.BoundedSemaphore(concurrency)

    @property
    def name(self) -> str:
        return self._name

    @property
    def paid(self) -> bool:
        return True

    def ceiling(self, call: ModelCall) -> Usage:
        """Two bytes a token is more than any tokenizer needs for text that people write."""
        schema = json.dumps(dict(call.schema)) if call.schema is not None else ""
        sent = len(call.prompt.encode("utf-8", "replace")) + len(schema)
        more = PICTURE_TOKENS * len(call.pictures) + OVERHEAD_TOKENS
        if "WebSearch" in call.tools:
            more += SEARCH_TOKENS
        return self._priced(
            Usage(
                calls=1,
                input_tokens=math.ceil(sent / 2) + more,
                output_tokens=call.limits.max_output_tokens,
            ),
            self._endpoint.model,
        )

    def ask(self, call: ModelCall, cancel: Cancel) -> Reply:
        # Before the clock starts: the first import takes longer than some calls.
        from proveout.adapters.models import chat_layer

        with self._slot(cancel):
            reply = wait(
                chat_layer.request(self._endpoint, call),
                timeout_seconds=call.limits.timeout_seconds,
                cancel=cancel,
            )
        if reply.usage.tokens == 0:
            # Cut off before the provider said what it counted: assume the worst.
            return reply.model_copy(update={"usage": self.ceiling(call)})
        usage = self._priced(reply.usage, reply.model)
        return reply.model_copy(update={"usage": usage})

    def close(self) -> None:
        """Nothing to do: every call closes its own client."""

    def _priced(self, usage: Usage, answered: str) -> Usage:
        asked = self._endpoint.model
        known = asked if price_of(asked, self._prices) else answered
        return price(known, usage, self._prices)

    @contextmanager
    def _slot(self, cancel: Cancel) -> Iterator[None]:
        """Waiting for a turn does not count against the call's time: nobody was asked yet."""
        while not self._slots.acquire(timeout=POLL_SECONDS):
            if cancel.is_set():
                raise Interrupted
        try:
            yield
        finally:
            self._slots.release()


def chat_model(
    spec: str,
    *,
    base_url: str | None = None,
    api_key: str | None = None,
    concurrency: int = 4,
    prices: Mapping[str, Price] | None = None,
) -> ChatModel:
    """The back end for `provider:model` or `provider:model@URL`, ready to be asked."""
    endpoint = endpoint_of(spec, base_url=base_url, api_key=api_key)
    return ChatModel(spec, endpoint, concurrency=concurrency, prices=prices)
