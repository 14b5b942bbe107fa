"""One request to a provider through pydantic-ai, with every ending turned into ours.

This is the only module that imports the provider packages; `chat` imports it with the first call.
Nothing is kept between requests: a client lives as long as its call, in that call's event loop.
"""

import hashlib
import ipaddress
import re
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pydantic_core
from pydantic import JsonValue
from pydantic_ai import BinaryContent, ModelRequest, ModelResponse, UserPromptPart
from pydantic_ai.direct import model_request
from pydantic_ai.exceptions import (
    AgentRunError,
    ModelAPIError,
    ModelHTTPError,
    ModelQuotaExceededError,
    ModelRequestRejectedError,
    UserError,
)
from pydantic_ai.messages import NativeToolReturnPart, TextPart, ToolCallPart
from pydantic_ai.models import Model, ModelRequestParameters, infer_model
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.native_tools import WebSearchTool
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.profiles.openai import OpenAIModelProfile, openai_model_profile
from pydantic_ai.providers import Provider, infer_provider_class
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition

from proveout.adapters.models.endpoint import Endpoint
from proveout.kernel.errors import ModelBusy, ModelError, ModelRefused
from proveout.kernel.ports import ModelCall, Reply, StopReason
from proveout.kernel.types import Usage

CONNECT_SECONDS = 10.0
ERROR_BYTES = 64_000
"""More of an error page than this is not read."""
WORDS = 500
"""Characters of a provider's complaint that are passed on."""
PASSING = frozenset({408, 409, 425, 429})
"""Client errors that another try may cure."""
UNREADABLE = (LookupError, TypeError, ValueError, AttributeError, AssertionError)
"""What the layer raises on a body that is not the protocol, or a schema beyond a provider's."""
SEARCHES = 3
"""How often a provider may look things up for a role that has a web search."""
OPENAI_NAMES = ("gpt-", "chatgpt-", "o1", "o3", "o4")


async def request(endpoint: Endpoint, call: ModelCall) -> Reply:
    """Ask once. Usage is in tokens: prices are the caller's business."""
    gauge = Gauge(call.limits.max_reply_bytes)
    async with gauge.client(endpoint, call.limits.timeout_seconds) as client:
        try:
            response = await _response(model_of(endpoint, client), call)
        except (AgentRunError, UserError, httpx2.HTTPError, *UNREADABLE) as error:
            if gauge.exceeded:
                return Reply(stop="oversized", model=endpoint.model, usage=Usage(calls=1))
            # Not chained: the original may quote the request, and with it the key.
            raise _ours(error, endpoint) from None
    return _reply(response, structured=call.schema is not None)


async def _response(model: Model, call: ModelCall) -> ModelResponse:
    settings = _settings(call)
    return await model_request(
        model,
        [ModelRequest(parts=[UserPromptPart(content=_content(call))])],
        model_settings=settings,
        model_request_parameters=_parameters(model, settings, call),
        instrument=False,
    )


class Oversized(httpx2.TransportError):
    """A kind of transport error, so that every provider package lets it pass as one."""


class Gauge:
    """Counts the bytes of a reply as they arrive and stops reading beyond the limit."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.exceeded = False

    def client(self, endpoint: Endpoint, timeout_seconds: float) -> httpx2.AsyncClient:
        """Hooks and not a transport, which would switch the environment's proxies off."""
        connect = min(CONNECT_SECONDS, timeout_seconds)
        return httpx2.AsyncClient(
            timeout=httpx2.Timeout(timeout_seconds, connect=connect),
            trust_env=not _is_loopback(endpoint.base_url),
            event_hooks={"request": [self._ask_plain], "response": [self._watch]},
        )

    async def _ask_plain(self, request: httpx2.Request) -> None:
        # Compressed, a small reply could unpack to any size.
        request.headers["Accept-Encoding"] = "identity"

    async def _watch(self, response: httpx2.Response) -> None:
        encoding = response.headers.get("Content-Encoding", "identity")
        if encoding != "identity":
            message = f"the reply was sent as {encoding} although asked for as it is"
            raise httpx2.DecodingError(message)
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        response.stream = _Counted(response.stream, self, failed=response.status_code >= 400)


class _Counted(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream, gauge: Gauge, *, failed: bool) -> None:
        self._stream = stream
        self._gauge = gauge
        self._failed = failed

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = min(ERROR_BYTES, self._gauge.limit) if self._failed else self._gauge.limit
        async for chunk in self._stream:
            left -= len(chunk)
            if left < 0 and self._failed:
                # The status says enough; an error page is not worth an error of its own.
                return
            if left < 0:
                self._gauge.exceeded = True
                message = f"the reply exceeds {self._gauge.limit} bytes"
                raise Oversized(message)
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()


def _is_loopback(url: str | None) -> bool:
    host = urlsplit(url or "").hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def model_of(endpoint: Endpoint, client: httpx2.AsyncClient) -> Model:
    """The layer's model; `openai` means chat completions, which compatible servers speak too."""
    if endpoint.provider == "openai":
        return OpenAIChatModel(endpoint.model, provider=_openai(endpoint, client))

    def provider(name: str) -> Provider[Any]:
        place = {"base_url": endpoint.base_url} if endpoint.base_url else {}
        # Each provider's own constructor, about which the common type says nothing.
        build: Callable[..., Provider[Any]] = infer_provider_class(name)
        return build(api_key=endpoint.api_key, http_client=client, **place)

    return infer_model(f"{endpoint.provider}:{endpoint.model}", provider)


def _openai(
    endpoint: Endpoint, client: httpx2.AsyncClient
) -> OpenAIProvider | OpenAICompatibleProvider:
    if endpoint.base_url is None or endpoint.model.startswith(OPENAI_NAMES):
        return OpenAIProvider(endpoint.base_url, endpoint.api_key, http_client=client)
    return OpenAICompatibleProvider(
        "openai-compatible",
        base_url=endpoint.base_url,
        api_key=endpoint.api_key,
        http_client=client,
        profile=_compatible_profile,
    )


def _compatible_profile(name: str) -> OpenAIModelProfile:
    """Many compatible servers know only the older `max_tokens`; unknown fields they ignore."""
    bounded = OpenAIModelProfile(openai_chat_supports_max_completion_tokens=False)
    return OpenAIModelProfile(**{**openai_model_profile(name), **bounded})


def _settings(call: ModelCall) -> ModelSettings:
    settings = ModelSettings(
        max_tokens=call.limits.max_output_tokens,
        timeout=call.limits.timeout_seconds,
        # Retries belong to the kernel, which journals and pays for them.
        max_retries=0,
    )
    if call.key:
        settings["extra_headers"] = {"Idempotency-Key": _header(call.key)}
    if call.limits.temperature is not None:
        settings["temperature"] = call.limits.temperature
    return settings


def _header(key: str) -> str:
    plain = key.isascii() and key.isprintable() and key == key.strip() and len(key) <= 255
    return key if plain else hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()


def _content(call: ModelCall) -> list[str | BinaryContent]:
    pictures = [BinaryContent(p.content, media_type=p.media_type) for p in call.pictures]
    return [call.prompt, *pictures]


def _parameters(model: Model, settings: ModelSettings, call: ModelCall) -> ModelRequestParameters:
    """The strongest way of asking that the model and the schema allow: with the provider's own web
    search if the role has one, and for the schema."""
    plain = ModelRequestParameters()
    ways = _ways(model, call)
    if "WebSearch" in call.tools:
        # Some providers keep a bound of their own and take none from us.
        searches = (WebSearchTool(max_uses=SEARCHES), WebSearchTool())
        both = [(search, way) for search in searches for way in (*ways, plain)]
        ways = [replace(way, native_tools=[search]) for search, way in both] + ways
    for parameters in ways:
        try:
            model.prepare_request(settings, parameters)
        except (AgentRunError, UserError, *UNREADABLE):
            # Too many optional fields, recursion, a field of any type: providers have limits.
            continue
        return parameters
    # The prompt holds the schema too, so free text is still an answer that can be parsed.
    return plain


def _ways(model: Model, call: ModelCall) -> list[ModelRequestParameters]:
    if call.schema is None or call.schema.get("type") != "object":
        return []
    schema, ways = dict(call.schema), []
    name = re.sub(r"\W", "", str(schema.get("title", ""))) or "Answer"
    # Anthropic's native mode closes every object, so a mapping could only come back empty.
    closed = model.system != "anthropic" or not _has_mappings(schema)
    if model.profile.get("supports_json_schema_output", False) and closed:
        wanted = OutputObjectDefinition(json_schema=schema, name=name)
        ways.append(ModelRequestParameters(output_mode="native", output_object=wanted))
    tool = ToolDefinition(name=name, parameters_json_schema=schema, kind="output")
    ways.append(
        ModelRequestParameters(output_mode="tool", output_tools=[tool], allow_text_output=False)
    )
    return ways


def _has_mappings(schema: JsonValue) -> bool:
    if isinstance(schema, list):
        return any(_has_mappings(item) for item in schema)
    if not isinstance(schema, dict):
        return False
    opened = schema.get("additionalProperties", False) is not False
    return opened or any(_has_mappings(item) for item in schema.values())


def _reply(response: ModelResponse, *, structured: bool) -> Reply:
    stop: StopReason = "end"
    if response.finish_reason == "length":
        stop = "length"
    elif response.finish_reason == "content_filter":
        stop = "refusal"
    # Half a surrogate pair cannot be stored, and may stand in any reply.
    text = _words(response).encode("utf-8", "replace").decode()
    return Reply(
        text=text,
        value=_value(text) if structured and stop == "end" else None,
        usage=Usage(
            calls=1,
            input_tokens=response.usage.input_tokens,
            output_tokens=response.usage.output_tokens,
        ),
        model=response.model_name or "",
        stop=stop,
    )


def _words(response: ModelResponse) -> str:
    """What was said; a call of the answer tool is the answer, whatever was said beside it, and
    what was said before a search is not the answer yet."""
    before, said = "", ""
    for part in response.parts:
        if isinstance(part, ToolCallPart):
            return part.args_as_json_str()
        if isinstance(part, NativeToolReturnPart):
            before, said = before + said, ""
        elif isinstance(part, TextPart):
            said += part.content
    said = said or before
    return said or str((response.provider_details or {}).get("refusal", ""))


def _value(text: str) -> JsonValue:
    """None where the text is no JSON: the kernel's parse ladder takes over from there."""
    try:
        value: JsonValue = pydantic_core.from_json(text, allow_inf_nan=False)
    except ValueError:
        return None
    return value


def _ours(error: Exception, endpoint: Endpoint) -> ModelError:
    words = _told(error, endpoint)
    if isinstance(error, ModelQuotaExceededError):
        return ModelRefused(words, hint="check the account's quota and billing")
    if isinstance(error, ModelHTTPError):
        if error.status_code >= 500 or error.status_code in PASSING:
            return ModelBusy(words, retry_after_seconds=error.retry_after)
        return ModelRefused(words, hint=_hint(error.status_code))
    if isinstance(error, ModelRequestRejectedError | UserError):
        return ModelRefused(words)
    # Broken connections, time-outs, and bodies that no one can read.
    after = error.retry_after if isinstance(error, ModelAPIError) else None
    return ModelBusy(words, retry_after_seconds=after)


def _hint(status: int) -> str:
    return {
        401: "check the API key",
        403: "check what the API key may do",
        404: "check the model's name and the URL",
    }.get(status, "")


def _told(error: Exception, endpoint: Endpoint) -> str:
    """The provider's own words, short and without the key."""
    said = _message(error.body) if isinstance(error, ModelAPIError) else ""
    status = f" answered {error.status_code}" if isinstance(error, ModelHTTPError) else ""
    words = without_key(said or str(error) or type(error).__name__, endpoint.api_key)
    return f"{endpoint.provider}{status}: {words[:WORDS]}"


def _message(body: object) -> str:
    while isinstance(body, Mapping):
        if isinstance(body.get("message"), str):
            return str(body["message"])
        body = body.get("error")
    return body if isinstance(body, str) else ""


def without_key(words: str, key: str) -> str:
    """Providers quote keys, some of them with the middle starred out."""
    if len(key) < 12:
        return words.replace(key, "[key]") if key else words
    return re.sub(re.escape(key[:6]) + r"\S*", "[key]", words)
