"""What the SDK and its program are told for a role, and how unusual results are read."""

import asyncio
import json
import threading
from collections.abc import AsyncIterator
from typing import Any

import pytest

from proveout.adapters.models.claude import ClaudeModel, agent_definition, bundled_program
from proveout.adapters.models.claude_home import Home
from proveout.adapters.models.claude_reply import Transcript, unwrapped
from proveout.kernel.errors import ModelBusy, ModelRefused
from proveout.kernel.ports import ModelCall, Reply
from proveout.testing.model_contract import SCHEMA, WANTED, Provider, call
from tests.contract.test_claude_model import claude, environment
from tests.loopback.messages_sse import MessagesServer

sdk = pytest.importorskip("claude_agent_sdk", reason="needs pip install 'proveout[claude]'")

DUMMY = {"ANTHROPIC_API_KEY": "sk-ant-dummy", "ANTHROPIC_BASE_URL": "http://127.0.0.1:9"}
RESULT: dict[str, Any] = {
    "type": "result",
    "subtype": "success",
    "duration_ms": 5,
    "duration_api_ms": 4,
    "is_error": False,
    "num_turns": 1,
    "session_id": "scripted",
    "total_cost_usd": 0.25,
    "usage": {"input_tokens": 3, "output_tokens": 2},
    "result": "",
}


class ScriptedTransport(sdk.Transport):  # type: ignore[misc, name-defined]
    """Plays the program's part: greets the SDK, and answers the first question with `frames`."""

    def __init__(self, *frames: dict[str, Any]) -> None:
        self.frames = frames
        self.written: list[dict[str, Any]] = []
        self._queue: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()

    async def connect(self) -> None:
        """There is nothing to start."""

    async def write(self, data: str) -> None:
        frame = json.loads(data)
        self.written.append(frame)
        if frame["type"] == "control_request":
            greeting = {"subtype": "success", "request_id": frame["request_id"], "response": {}}
            await self._queue.put({"type": "control_response", "response": greeting})
        if frame["type"] == "user":
            for answer in (*self.frames, None):
                await self._queue.put(answer)

    async def read_messages(self) -> AsyncIterator[dict[str, Any]]:
        while (frame := await self._queue.get()) is not None:
            yield frame

    async def close(self) -> None:
        await self._queue.put(None)

    def is_ready(self) -> bool:
        return True

    async def end_input(self) -> None:
        """The question is complete."""


def options(asked: ModelCall) -> Any:
    with Home(bundled_program(), DUMMY, asked.limits) as home:
        return ClaudeModel(environment=DUMMY).options(asked, home)


async def converse(asked: ModelCall, transport: ScriptedTransport) -> Reply | None:
    transcript = Transcript(asked)
    given = options(asked)
    async for message in sdk.query(prompt=asked.prompt, options=given, transport=transport):
        if reply := transcript.add(message):
            return reply
    return None


def read(*frames: dict[str, Any], asked: ModelCall | None = None) -> Reply | None:
    return asyncio.run(converse(asked or call(), ScriptedTransport(*frames)))


def said(text: str, **changes: Any) -> dict[str, Any]:
    message = {"model": "claude-x", "content": [{"type": "text", "text": text}]}
    return {"type": "assistant", "message": message, "session_id": "scripted", **changes}


def test_the_sdk_is_given_the_role_as_an_agent_and_the_prompt_verbatim() -> None:
    transport = ScriptedTransport({**RESULT, "structured_output": WANTED})
    asked = call(tools=("Read",))
    asyncio.run(converse(asked, transport))
    start, question = transport.written[:2]
    assert start["request"]["agents"] == {
        "pattern-propose": {
            "description": "Finds a word that matches a pattern.",
            "prompt": asked.prompt,
            "tools": ["Read"],
        }
    }
    assert question["client_composed"] is True
    assert question["message"]["content"] == asked.prompt


def test_a_role_without_tools_gets_none_instead_of_all() -> None:
    """REQ-P2O-008: a summariser needs no tools; to the SDK a missing list would mean every tool."""
    definition = agent_definition(call(tools=()))
    assert definition == {
        "description": "Finds a word that matches a pattern.",
        "prompt": call().prompt,
        "tools": [],
        "model": None,
    }
    assert sdk.AgentDefinition(**definition).model is None
    given = options(call(tools=()))
    assert (given.tools, given.allowed_tools) == ([], [])


def test_the_options_isolate_and_bound_a_call() -> None:
    given = options(call(tools=("Read", "WebSearch")))
    assert given.output_format == {"type": "json_schema", "schema": SCHEMA}
    assert given.tools == ["Read", "WebSearch"]
    assert given.allowed_tools == [f"Read(/{given.cwd}/**)", "WebSearch"]
    assert given.permission_mode == "dontAsk"
    assert given.setting_sources == []
    assert given.skills == []
    assert given.strict_mcp_config
    assert given.verbatim_prompts
    assert 1 < given.max_turns < 20
    assert 0 < given.max_budget_usd <= 1
    assert given.env["CLAUDE_CODE_MAX_OUTPUT_TOKENS"] == "200"
    assert given.env["CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC"] == "1"
    assert str(given.cwd.parent) in given.env["HOME"]
    assert not given.cwd.exists(), "the call's folders outlived it"
    assert options(call(schema=None)).output_format is None


def test_the_program_confirms_what_it_was_told() -> None:
    """The first frame of the real program lists what it will work with."""
    with MessagesServer(Provider()) as server:
        model = claude(server)
        asked = call()
        with Home(bundled_program(), environment(server), asked.limits) as home:
            init = asyncio.run(_init(model.options(asked, home)))
            assert init["cwd"] == str(home.work)
    assert init["tools"] == ["StructuredOutput"]
    assert "pattern-propose" in init["agents"]
    assert init["mcp_servers"] == []
    assert init["permissionMode"] == "dontAsk"


async def _init(given: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    async for message in sdk.query(prompt="hello", options=given):
        if isinstance(message, sdk.SystemMessage) and message.subtype == "init":
            found = message.data
    return found


def test_the_schema_arrives_as_the_one_tool() -> None:
    provider = Provider()
    with MessagesServer(provider) as server:
        claude(server).ask(call(), threading.Event())
    body = provider.seen[0]
    offered = {tool["name"]: tool["input_schema"] for tool in body["tools"]}
    assert offered["StructuredOutput"]["properties"] == SCHEMA["properties"]
    assert not offered.keys() & {"Bash", "Read", "Write", "WebFetch", "Agent"}
    assert body["max_tokens"] == 200
    assert str(body).count("@this /pattern") == 1, "the agent's prompt must not be paid for twice"


def test_a_role_with_a_tool_uses_it_in_its_own_folder_only() -> None:
    provider = Provider()
    with MessagesServer(provider) as server:
        server.tool_calls = [{"name": "Read", "input": {"file_path": "/etc/passwd"}}]
        reply = claude(server).ask(call(tools=("Read",)), threading.Event())
    assert reply.value == WANTED
    offered = {tool["name"] for tool in provider.seen[0]["tools"]}
    assert "Read" in offered
    assert not offered & {"Bash", "Write", "Edit", "WebFetch"}
    (answer,) = (
        block
        for message in provider.seen[1]["messages"]
        for block in message["content"]
        if isinstance(block, dict) and block.get("type") == "tool_result"
    )
    assert answer["is_error"]
    assert "root:" not in str(answer)


def test_giving_up_on_the_schema_is_a_reply_without_a_value() -> None:
    reply = read(
        said("no JSON today"),
        {**RESULT, "subtype": "error_max_structured_output_retries", "is_error": True},
    )
    assert reply is not None
    assert (reply.text, reply.value, reply.stop) == ("no JSON today", None, "end")
    assert reply.usage.cost_usd == 0.25


def test_a_success_without_structured_output_keeps_its_text() -> None:
    reply = read(said(json.dumps(WANTED)), RESULT)
    assert reply is not None
    assert (reply.text, reply.value) == (json.dumps(WANTED), None)


def test_a_single_outer_key_is_taken_off() -> None:
    reply = read({**RESULT, "structured_output": {"output": WANTED}})
    assert reply is not None
    assert reply.value == WANTED


@pytest.mark.parametrize(
    "value", [WANTED, {"word": {"length": 3}}, {"other": {"x": 1}}, {"output": 3}, [1], None]
)
def test_other_values_are_left_as_they_are(value: Any) -> None:
    assert unwrapped(value, SCHEMA) == value
    assert unwrapped(value, None) == value


def test_remarks_before_a_tool_are_not_the_answer() -> None:
    use = {"type": "tool_use", "id": "t1", "name": "Read", "input": {}}
    remark = said("Let me look.")
    remark["message"]["content"].append(use)
    reply = read(remark, said("It is fine."), RESULT, asked=call(schema=None))
    assert reply is not None
    assert reply.text == "It is fine."


@pytest.mark.parametrize(
    ("status", "kind", "error"),
    [
        (429, "rate_limit", ModelBusy),
        (500, "server_error", ModelBusy),
        (529, "server_error", ModelBusy),
        (None, "server_error", ModelBusy),
        (401, "authentication_failed", ModelRefused),
        (404, "invalid_request", ModelRefused),
        (None, "billing_error", ModelRefused),
    ],
)
def test_a_failed_result_says_who_must_act(
    status: int | None, kind: str, error: type[Exception]
) -> None:
    told = said("API Error", error=kind)
    told["message"]["model"] = "<synthetic>"
    failed = {**RESULT, "is_error": True, "api_error_status": status, "result": "API Error"}
    with pytest.raises(error, match="API Error"):
        read(told, failed)
