"""The Claude Agent SDK as a back end: one isolated query of the real program per call.

Each call starts the command-line program that ships with the SDK, in an empty folder, with no
settings, no servers and no tools but the role's, and ends it. The program takes about 400 MB, hence
the cap on how many run at once. It has no switch for the temperature: that limit is not heeded.
"""

import asyncio
import base64
import importlib.util
import json
import os
import threading
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from proveout.adapters.models.claude_home import Home
from proveout.adapters.models.claude_reply import Transcript
from proveout.adapters.models.prices import Price, price_of
from proveout.adapters.models.replies import estimated_tokens
from proveout.adapters.models.waiting import POLL_SECONDS, wait
from proveout.kernel.errors import Interrupted, ModelBusy, PrerequisiteError, UsageError
from proveout.kernel.ports import Cancel, ModelCall, Reply
from proveout.kernel.types import Usage

if TYPE_CHECKING:
    from claude_agent_sdk import ClaudeAgentOptions

KEY = "ANTHROPIC_API_KEY"
INSTALL = "pip install 'proveout[claude]'"
TOOL_TURNS = 8
"""How often a role with tools may use them before it must have answered."""
OVERHEAD_TOKENS = 3000
"""What the program adds to a prompt: its own instructions and the definitions of tools."""
PICTURE_TOKENS = 5000
"""A large picture; smaller ones cost less."""
START_SECONDS = 50.0
"""How long the program may take to start; the SDK's own limit is a minute and an untyped error."""
FILE_TOOLS = frozenset({"Read", "Glob", "Grep", "Edit", "Write", "NotebookEdit"})
"""Tools that take paths: approved for the call's own folder only."""


def claude_model(
    spec: str,
    *,
    concurrency: int = 2,
    max_budget_usd: float = 1.0,
    environment: Mapping[str, str] | None = None,
    prices: Mapping[str, Price] | None = None,
) -> "ClaudeModel":
    """The back end for `claude` (the program's default model) or `claude:NAME`."""
    kind, colon, name = spec.partition(":")
    if kind != "claude" or (colon and not name):
        message = f"{spec!r} is not claude or claude:NAME"
        raise UsageError(message, hint="write --model claude or --model claude:sonnet")
    return ClaudeModel(
        name or None,
        concurrency=concurrency,
        max_budget_usd=max_budget_usd,
        environment=environment,
        prices=prices,
    )


class ClaudeModel:
    """Asks Claude through the SDK, from any thread."""

    paid = True

    def __init__(
        self,
        model: str | None = None,
        *,
        concurrency: int = 2,
        max_budget_usd: float = 1.0,
        environment: Mapping[str, str] | None = None,
        prices: Mapping[str, Price] | None = None,
    ) -> None:
        self._model = model
        self._max_budget_usd = max_budget_usd
        self._environment = dict(os.environ if environment is None else environment)
        self._prices = prices
        self._slots = threading.BoundedSemaphore(concurrency)
        self._program = bundled_program()
        if not self._environment.get(KEY):
            message = f"{KEY} is not set"
            raise PrerequisiteError(message, hint=f"export {KEY}=… or use --model offline")

    @property
    def name(self) -> str:
        return f"claude:{self._model}" if self._model else "claude"

    def ceiling(self, call: ModelCall) -> Usage:
        turns = _turns(call)
        sent = estimated_tokens(call.prompt) + estimated_tokens(json.dumps(call.schema or {}))
        sent += OVERHEAD_TOKENS + PICTURE_TOKENS * len(call.pictures)
        # Each turn sends again what was said in all turns before it.
        said = call.limits.max_output_tokens
        most = Usage(
            calls=1,
            input_tokens=turns * sent + said * turns * (turns - 1) // 2,
            output_tokens=turns * said,
        )
        known = price_of(self._model, self._prices) if self._model else None
        cost = self._max_budget_usd if known is None else known.cost(most)
        return most.model_copy(update={"cost_usd": min(cost, self._max_budget_usd)})

    def ask(self, call: ModelCall, cancel: Cancel) -> Reply:
        with self._slot(cancel), Home(self._program, self._environment, call.limits) as home:
            return wait(
                self._converse(call, home),
                timeout_seconds=call.limits.timeout_seconds,
                cancel=cancel,
            )

    def close(self) -> None:
        """Nothing outlives a call."""

    @contextmanager
    def _slot(self, cancel: Cancel) -> Iterator[None]:
        while not self._slots.acquire(timeout=POLL_SECONDS):
            if cancel.is_set():
                raise Interrupted
        try:
            yield
        finally:
            self._slots.release()

    def options(self, call: ModelCall, home: Home) -> "ClaudeAgentOptions":
        """Everything is said explicitly: the SDK's defaults change between releases."""
        from claude_agent_sdk import AgentDefinition, ClaudeAgentOptions

        wanted = {"type": "json_schema", "schema": dict(call.schema)} if call.schema else None
        return ClaudeAgentOptions(
            agents={agent_name(call): AgentDefinition(**agent_definition(call))},
            output_format=wanted,
            tools=list(call.tools),
            allowed_tools=[_approval(tool, home) for tool in call.tools],
            permission_mode="dontAsk",
            setting_sources=[],
            skills=[],
            strict_mcp_config=True,
            verbatim_prompts=True,
            include_partial_messages=True,
            model=self._model,
            max_turns=_turns(call),
            max_budget_usd=self._max_budget_usd,
            # Every character of the reply may be escaped, and the program quotes it in a frame.
            max_buffer_size=8 * call.limits.max_reply_bytes + 1_000_000,
            cwd=home.work,
            cli_path=home.launcher,
            env=home.environment,
            stderr=_unheard,
        )

    async def _converse(self, call: ModelCall, home: Home) -> Reply:
        """One question and its answer. Whatever happens, the program is ended before we are."""
        from claude_agent_sdk import ClaudeSDKClient, ClaudeSDKError, CLIJSONDecodeError

        transcript = Transcript(call, self._prices)
        client = ClaudeSDKClient(self.options(call, home))
        try:
            async with asyncio.timeout(START_SECONDS):
                await client.connect()
            await client.query(_prompt(call))
            async for message in client.receive_response():
                reply = transcript.add(message)
                if reply is not None:
                    return reply
        except CLIJSONDecodeError:
            return transcript.cut("oversized")
        except (ClaudeSDKError, TimeoutError) as error:
            problem = f"the Claude program failed: {str(error)[:500] or 'it did not start'}"
            raise ModelBusy(problem) from error
        finally:
            # Asked nicely, a program that is waiting for a provider takes ten seconds to leave.
            home.end()
            await client.disconnect()
        problem = "the Claude program ended without a result"
        raise ModelBusy(problem)


def agent_definition(call: ModelCall) -> dict[str, Any]:
    """The role as the SDK's `AgentDefinition` wants it. No tools is an empty list: to the SDK, None
    means all of them."""
    return {
        "description": call.description or f"Proposes for {call.role}.",
        "prompt": call.prompt,
        "tools": list(call.tools),
        "model": None,
    }


def agent_name(call: ModelCall) -> str:
    """The role's name without the slash, which the program reads as a plugin's."""
    return call.role.replace("/", "-") or "role"


def bundled_program() -> Path:
    """The command-line program inside the SDK's wheel."""
    found = importlib.util.find_spec("claude_agent_sdk")
    if found is None or found.origin is None:
        message = "the Claude Agent SDK is not installed"
        raise PrerequisiteError(message, hint=INSTALL)
    program = Path(found.origin).with_name("_bundled") / "claude"
    if not program.is_file():
        message = "the Claude Agent SDK was installed without its command-line program"
        raise PrerequisiteError(message, hint=f"{INSTALL} on a platform that has a wheel")
    return program


def _turns(call: ModelCall) -> int:
    """One, if there is nothing to do but answer: asking again is for the kernel and its budget."""
    return 1 + TOOL_TURNS if call.tools else 1


def _approval(tool: str, home: Home) -> str:
    return f"{tool}(/{home.work}/**)" if tool in FILE_TOOLS else tool


async def _prompt(call: ModelCall) -> AsyncIterator[dict[str, Any]]:
    """One user message; pictures come before the text that speaks of them."""
    content: list[dict[str, Any]] = [
        {
            "type": "image",
            "source": {
                "type": "base64",
                "media_type": picture.media_type,
                "data": base64.b64encode(picture.content).decode(),
            },
        }
        for picture in call.pictures
    ]
    content.append({"type": "text", "text": call.prompt})
    yield {
        "type": "user",
        "message": {"role": "user", "content": content},
        "parent_tool_use_id": None,
    }


def _unheard(line: str) -> None:  # noqa: ARG001 - without a listener the program writes to our stderr
    """The program's complaints; what matters of them is in its messages."""
