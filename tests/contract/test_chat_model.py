"""`chat` keeps the model port's promises: the real client packages against loopback providers."""

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from pydantic import BaseModel, JsonValue, create_model

from proveout.adapters.models.chat import ChatModel, chat_model
from proveout.adapters.models.prices import Price
from proveout.kernel.errors import (
    PrerequisiteError,
    UnknownName,
    UsageError,
)
from proveout.kernel.ports import CallLimits
from proveout.kernel.types import Picture
from proveout.testing.model_contract import (
    PIXEL,
    SCHEMA,
    WANTED,
    Conduct,
    ModelContract,
    Provider,
    call,
)
from tests.loopback.chat import KEY, SPECS, model_at
from tests.loopback.server import LoopbackServer, Protocol

pytest.importorskip("pydantic_ai", reason='needs pip install "proveout[chat]"')

EVERYTHING: frozenset[Conduct] = frozenset(
    {
        "value",
        "text",
        "garbage",
        "truncated",
        "empty",
        "oversized",
        "refusal",
        "rate_limited",
        "overloaded",
        "stalling",
        "denied",
        "broken",
    }
)


class ChatContract(ModelContract):
    protocol: Protocol
    meets = EVERYTHING
    priced = True
    sees_pictures = True
    patience = 0.5

    @contextmanager
    def backend(self, provider: Provider) -> Iterator[ChatModel]:
        with LoopbackServer(provider, self.protocol) as server:
            model = model_at(server)
            yield model
            model.close()


class TestOpenAI(ChatContract):
    protocol = "openai"


class TestAnthropic(ChatContract):
    protocol = "anthropic"


class TestGoogle(ChatContract):
    protocol = "google"


@pytest.fixture(params=["openai", "anthropic"])
def protocol(request: pytest.FixtureRequest) -> Protocol:
    chosen: Protocol = request.param
    return chosen


class Anything(BaseModel):
    anything: JsonValue


class Branch(BaseModel):
    branches: list["Branch"]


class Tree(BaseModel):
    root: Branch


fields: dict[str, Any] = {f"field_{number}": (int | None, None) for number in range(60)}
Wide = create_model("Wide", **fields)
"""More optional fields than Anthropic's native mode takes."""


class TestAsking:
    def test_the_schema_is_asked_for_natively_where_the_model_can(self) -> None:
        for protocol in SPECS:
            provider = Provider()
            with LoopbackServer(provider, protocol) as server:
                model_at(server).ask(call(), threading.Event())
            (body,) = provider.seen
            assert "tools" not in body
            assert "word" in json.dumps(
                body.get("response_format")
                or body.get("output_config")
                or body["generationConfig"]["responseJsonSchema"]
            )

    @pytest.mark.parametrize("spec", ["anthropic:claude-3-haiku-20240307", "openai:legacy"])
    def test_elsewhere_it_is_a_tool_or_a_format_and_brings_the_value_too(self, spec: str) -> None:
        protocol: Protocol = "anthropic" if spec.startswith("anthropic") else "openai"
        with LoopbackServer(Provider(), protocol) as server:
            reply = model_at(server, spec).ask(call(), threading.Event())
        assert reply.value == WANTED
        assert json.loads(reply.text) == WANTED

    def test_a_mapping_is_asked_of_anthropic_by_tool_because_native_mode_would_empty_it(
        self,
    ) -> None:
        mapping = {"type": "object", "additionalProperties": {"type": "integer"}}
        schema = {**SCHEMA, "properties": {"counts": mapping}, "required": ["counts"]}
        provider = Provider(value={"counts": {"a": 1}})
        with LoopbackServer(provider, "anthropic") as server:
            reply = model_at(server).ask(call(schema=schema), threading.Event())
        (body,) = provider.seen
        assert [tool["name"] for tool in body["tools"]] == ["Wanted"]
        assert body["tool_choice"]["type"] == "any"
        assert reply.value == {"counts": {"a": 1}}

    def test_a_schema_that_is_no_object_is_left_to_the_prompt(self, protocol: Protocol) -> None:
        provider = Provider(value=[1, 2])
        schema = {"type": "array", "items": {"type": "integer"}}
        with LoopbackServer(provider, protocol) as server:
            reply = model_at(server).ask(call(schema=schema), threading.Event())
        (body,) = provider.seen
        assert not {"tools", "response_format", "output_config"} & set(body)
        assert reply.value == [1, 2]

    @pytest.mark.parametrize("shape", [Anything, Tree, Wide], ids=lambda shape: shape.__name__)
    def test_a_schema_beyond_a_providers_native_mode_still_brings_a_value(
        self, shape: type[BaseModel]
    ) -> None:
        for protocol in SPECS:
            with LoopbackServer(Provider(), protocol) as server:
                schema = shape.model_json_schema()
                reply = model_at(server).ask(call(schema=schema), threading.Event())
            assert reply.value == WANTED, protocol

    def test_limits_and_key_are_sent(self, protocol: Protocol) -> None:
        provider = Provider()
        limits = CallLimits(timeout_seconds=60, max_output_tokens=77, temperature=0.25)
        spec = {"openai": "openai:gpt-4o", "anthropic": "anthropic:claude-sonnet-4-6"}[protocol]
        with LoopbackServer(provider, protocol) as server:
            model_at(server, spec).ask(call(limits=limits), threading.Event())
        (body,) = provider.seen
        assert body.get("max_completion_tokens", body.get("max_tokens")) == 77
        assert body["temperature"] == 0.25
        assert provider.keys == ["run-1/#0"]

    def test_a_key_that_no_header_can_hold_is_hashed_and_stays_the_same(self) -> None:
        provider = Provider()
        with LoopbackServer(provider, "openai") as server:
            model = model_at(server)
            for _ in range(2):
                model.ask(call(key="größe\n1"), threading.Event())
        first, second = provider.keys
        assert first == second
        assert len(first) == 64

    @pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
    def test_a_compatible_server_is_named_by_its_url_and_told_max_tokens(self, host: str) -> None:
        provider = Provider()
        with LoopbackServer(provider, "openai") as server:
            url = server.url.replace("127.0.0.1", host)
            model = chat_model(f"openai:qwen3:8b@{url}/v1")
            reply = model.ask(call(), threading.Event())
        (body,) = provider.seen
        assert (body["model"], body["max_tokens"]) == ("qwen3:8b", 200)
        assert reply.value == WANTED
        assert reply.usage.unpriced_tokens == reply.usage.tokens == 30

    def test_prices_can_be_added(self) -> None:
        prices = {"qwen3*": Price(input=1, output=2)}
        with LoopbackServer(Provider(), "openai") as server:
            model = chat_model(f"openai:qwen3:8b@{server.url}/v1", prices=prices)
            reply = model.ask(call(), threading.Event())
            ceiling = model.ceiling(call())
        assert reply.usage.cost_usd == pytest.approx((21 * 1 + 9 * 2) / 1e6)
        assert reply.usage.unpriced_tokens == 0
        assert ceiling.cost_usd > reply.usage.cost_usd

    def test_the_ceiling_grows_with_what_is_sent(self, protocol: Protocol) -> None:
        model = chat_model(SPECS[protocol][0], api_key=KEY)
        plain = model.ceiling(call(prompt="x" * 1000))
        longer = model.ceiling(call(prompt="x" * 3000))
        shown = model.ceiling(call(prompt="x" * 1000, pictures=(Picture("image/png", PIXEL),)))
        assert longer.input_tokens - plain.input_tokens == 1000
        assert shown.input_tokens - plain.input_tokens >= 1000
        assert plain.output_tokens == 200
        assert plain.cost_usd > 0
        assert plain.unpriced_tokens == 0


class TestNames:
    @pytest.mark.parametrize(
        "spec",
        [
            "openai:",
            "openai: ",
            "openai:x@http://user:secret@host/v1",
            "openai:x@http://host/v1?key=1",
            "openai:x@http://",
            "deepseek:x@http://127.0.0.1/v1",
        ],
    )
    def test_what_makes_no_sense_is_a_usage_error(self, spec: str) -> None:
        with pytest.raises(UsageError):
            chat_model(spec, api_key=KEY)

    def test_an_unknown_provider_is_told_with_a_guess(self) -> None:
        with pytest.raises(UnknownName, match="did you mean 'openai'"):
            chat_model("opneai:gpt-5", api_key=KEY)

    def test_no_slot_is_a_usage_error(self) -> None:
        with pytest.raises(UsageError):
            chat_model("openai:gpt-5", api_key=KEY, concurrency=0)

    @pytest.mark.parametrize(
        ("spec", "variable"),
        [
            ("openai:gpt-5", "OPENAI_API_KEY"),
            ("anthropic:claude-sonnet-5", "ANTHROPIC_API_KEY"),
            ("google:gemini-2.5-pro", "GOOGLE_API_KEY or GEMINI_API_KEY"),
            ("deepseek:deepseek-chat", "DEEPSEEK_API_KEY"),
        ],
    )
    def test_a_missing_key_is_named_by_its_variable(
        self, spec: str, variable: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name in variable.split(" or "):
            monkeypatch.delenv(name, raising=False)
        with pytest.raises(PrerequisiteError, match=variable):
            chat_model(spec)

    def test_the_variable_supplies_the_key(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("GEMINI_API_KEY", KEY)
        monkeypatch.delenv("GOOGLE_API_KEY", raising=False)
        model = chat_model("google:gemini-2.5-pro")
        assert model.name == "google:gemini-2.5-pro"
        assert KEY not in repr(vars(model))

    @pytest.mark.parametrize(
        "spec", ["cerebras:x", "deepseek:x", "fireworks:x", "openrouter:a/x", "together:a/x"]
    )
    def test_every_provider_listed_can_be_built(self, spec: str) -> None:
        import httpx2

        from proveout.adapters.models.chat_layer import model_of
        from proveout.adapters.models.endpoint import endpoint_of

        endpoint = endpoint_of(spec, api_key=KEY)
        layered = model_of(endpoint, httpx2.AsyncClient())
        assert layered.model_name == endpoint.model
        assert layered.system == endpoint.provider


class TestStarting:
    def run(self, code: str) -> str:
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def test_importing_and_naming_a_model_loads_no_provider_package(self) -> None:
        code = (
            "import sys; from proveout.adapters.models.chat import chat_model;"
            "chat_model('openai:gpt-5', api_key='k');"
            "print({'pydantic_ai', 'openai', 'anthropic', 'httpx2', 'google.genai'}"
            " & set(sys.modules))"
        )
        assert self.run(code) == "set()"

    @pytest.mark.parametrize("missing", ["pydantic_ai", "openai", "anthropic"])
    def test_a_missing_extra_is_told_with_the_command(self, missing: str) -> None:
        code = (
            f"import sys; sys.modules[{missing!r}] = None\n"
            "from proveout.adapters.models.chat import chat_model\n"
            "from proveout.kernel.errors import PrerequisiteError\n"
            "try: chat_model('anthropic:claude-sonnet-5', api_key='k')\n"
            "except PrerequisiteError as error: print(error)"
        )
        told = self.run(code)
        assert missing in told
        assert 'pip install "proveout[chat]"' in told
