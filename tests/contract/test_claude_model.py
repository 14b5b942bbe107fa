"""`claude` keeps the model port's promises: the real SDK, its real program, a loopback provider."""

import contextlib
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from proveout.adapters.models.claude import ClaudeModel, claude_model
from proveout.adapters.models.prices import Price
from proveout.kernel.errors import (
    Interrupted,
    ModelBusy,
    ModelRefused,
    PrerequisiteError,
    UsageError,
)
from proveout.kernel.ports import CallLimits, Reply
from proveout.testing.model_contract import WANTED, Conduct, ModelContract, Provider, call
from tests.loopback.messages_sse import MODEL, MessagesServer

pytest.importorskip("claude_agent_sdk", reason="needs pip install 'proveout[claude]'")

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
PRICES = {MODEL: Price(input=1, output=2)}


def environment(server: MessagesServer) -> dict[str, str]:
    """All that the program is told about the world: a provider on loopback, and no way past it."""
    return {
        "ANTHROPIC_API_KEY": "sk-ant-dummy",
        "ANTHROPIC_BASE_URL": server.url,
        "HTTP_PROXY": server.url,
        "HTTPS_PROXY": server.url,
        "NO_PROXY": "127.0.0.1",
        "PATH": "/usr/bin:/bin",
        "LANG": "C.UTF-8",
    }


def claude(server: MessagesServer, spec: str = "claude", **changes: Any) -> ClaudeModel:
    return claude_model(spec, environment=environment(server), **changes)


def ask(server: MessagesServer, **changes: Any) -> Reply:
    return claude(server).ask(call(**changes), threading.Event())


def processes(command: str) -> set[int]:
    """Ids of the running processes whose command line holds `command`."""
    found = set()
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if command in (folder / "cmdline").read_text(errors="replace"):
                found.add(int(folder.name))
    return found


def programs() -> set[int]:
    """Ids of Claude programs that this process started and that still run, orphans included."""
    found = set()
    for pid in processes("_bundled/claude"):
        with contextlib.suppress(OSError):
            status = Path(f"/proc/{pid}/status").read_text()
            if f"PPid:\t{os.getpid()}\n" in status or "PPid:\t1\n" in status:
                found.add(pid)
    return found


def folders() -> set[str]:
    return {path.name for path in Path(tempfile.gettempdir()).glob("proveout-claude-*")}


@pytest.fixture(autouse=True)
def nothing_is_left() -> Iterator[None]:
    """Every test ends without a program or a folder that it did not find."""
    before = programs(), folders()
    yield
    assert (programs() - before[0], folders() - before[1]) == (set(), set())


class TestClaude(ModelContract):
    meets = EVERYTHING
    priced = True
    sees_pictures = True
    patience = 2.0

    @contextmanager
    def backend(self, provider: Provider) -> Iterator[ClaudeModel]:
        with MessagesServer(provider) as server:
            model = claude(server)
            yield model
            model.close()
            assert server.strays == [], "the program spoke to somebody else"


def test_a_call_asks_the_provider_once_and_is_priced() -> None:
    provider = Provider()
    with MessagesServer(provider) as server:
        reply = ask(server)
    assert len(provider.seen) == 1
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (1200, 34)
    assert reply.usage.cost_usd > 0
    assert reply.model == MODEL


def test_a_model_can_be_named() -> None:
    provider = Provider()
    with MessagesServer(provider) as server:
        model = claude(server, "claude:claude-sonnet-5")
        model.ask(call(), threading.Event())
    assert model.name == "claude:claude-sonnet-5"
    assert provider.seen[0]["model"] == "claude-sonnet-5"
    assert model.ceiling(call()).cost_usd < 1


def test_a_cut_off_reply_is_not_continued_and_is_priced_from_the_list() -> None:
    provider = Provider(conduct="truncated")
    with MessagesServer(provider) as server:
        reply = claude(server, prices=PRICES).ask(call(), threading.Event())
    assert (reply.stop, reply.value, reply.text) == ("length", None, '{"word": "aa')
    assert reply.usage.cost_usd == pytest.approx((1200 + 2 * 34) / 1e6)
    # The program may have begun to ask for the rest before it could be ended.
    assert len(provider.seen) <= 2


def test_an_oversized_reply_is_cut_off_while_it_streams() -> None:
    provider = Provider(conduct="oversized")
    limits = CallLimits(timeout_seconds=60, max_reply_bytes=50_000)
    with MessagesServer(provider) as server:
        started = time.monotonic()
        reply = ask(server, limits=limits)
    assert (reply.stop, set(reply.text), len(reply.text)) == ("oversized", {"x"}, 50_000)
    assert reply.usage.tokens > 1200
    assert time.monotonic() - started < 20


def test_a_value_that_breaks_the_schema_is_kept_as_text() -> None:
    """The kernel reads it again and can then say what is wrong with it."""
    provider = Provider(value={"word": 7})
    with MessagesServer(provider) as server:
        reply = ask(server)
    assert (reply.value, reply.stop) == (None, "end")
    assert reply.text == '{"word": 7}'
    assert len(provider.seen) == 1


def test_a_prompt_is_never_a_command_or_a_file() -> None:
    provider = Provider(conduct="text")
    with MessagesServer(provider) as server:
        ask(server, prompt="/compact @/etc/hostname", schema=None)
    first = provider.seen[0]["messages"][0]
    assert "/compact @/etc/hostname" in str(first["content"])
    assert "Contents of" not in str(provider.seen[0])


def test_only_the_listed_variables_reach_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    """The SDK passes on the whole environment of this process; the launcher takes it away again."""
    monkeypatch.setenv("PROVEOUT_TEST_SECRET", "do not tell")
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", "X-Stray: from-outside")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-of-the-machine")
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "token-of-the-machine")
    provider = Provider(conduct="stalling")
    cancel = threading.Event()
    with MessagesServer(provider) as server, ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(claude(server).ask, call(), cancel)
        _until(lambda: bool(provider.seen))
        (pid,) = programs()
        seen = Path(f"/proc/{pid}/environ").read_bytes().decode().split("\0")
        cancel.set()
        with pytest.raises(Interrupted):
            waiting.result(timeout=30)
    names = {line.partition("=")[0] for line in seen}
    assert "PROVEOUT_TEST_SECRET" not in names
    assert "ANTHROPIC_AUTH_TOKEN" not in names
    assert "ANTHROPIC_API_KEY=sk-ant-dummy" in seen
    assert server.headers[0]["x-api-key"] == "sk-ant-dummy"
    assert "x-stray" not in server.headers[0]
    assert "authorization" not in server.headers[0]


def test_no_more_programs_than_allowed_run_at_once() -> None:
    provider = Provider(conduct="text", delay_seconds=0.7)
    with MessagesServer(provider) as server, ThreadPoolExecutor(4) as pool:
        model = claude(server, concurrency=2)
        cancel = threading.Event()
        replies = list(pool.map(lambda _: model.ask(call(schema=None), cancel), range(4)))
    assert [reply.text for reply in replies] == ["a plain answer"] * 4
    assert provider.most_at_once == 2


def test_cancelling_ends_what_a_tool_has_started() -> None:
    provider = Provider()
    cancel = threading.Event()
    with MessagesServer(provider) as server, ThreadPoolExecutor(1) as pool:
        server.tool_calls = [{"name": "Bash", "input": {"command": "sleep 61.25"}}]
        running = pool.submit(claude(server).ask, call(tools=("Bash",)), cancel)
        _until(lambda: bool(processes("sleep\0" + "61.25")))
        cancel.set()
        with pytest.raises(Interrupted):
            running.result(timeout=30)
    assert not processes("sleep\0" + "61.25")


def test_cancelling_ends_a_call_that_waits_for_its_turn() -> None:
    provider = Provider(conduct="stalling")
    first, second = threading.Event(), threading.Event()
    with MessagesServer(provider) as server, ThreadPoolExecutor(2) as pool:
        model = claude(server, concurrency=1)
        running = pool.submit(model.ask, call(), first)
        _until(lambda: bool(provider.seen))
        queued = pool.submit(model.ask, call(), second)
        second.set()
        with pytest.raises(Interrupted):
            queued.result(timeout=10)
        first.set()
        with pytest.raises(Interrupted):
            running.result(timeout=30)
    assert len(provider.seen) == 1


@pytest.mark.parametrize(
    ("conduct", "error"), [("rate_limited", ModelBusy), ("denied", ModelRefused)]
)
def test_a_failed_call_ends_before_the_program_tries_again(
    conduct: Conduct, error: type[Exception]
) -> None:
    provider = Provider(conduct=conduct)
    with MessagesServer(provider) as server:
        with pytest.raises(error):
            ask(server)
        time.sleep(1)
    assert len(provider.seen) == 1


def test_without_a_key_it_says_which_one_is_missing() -> None:
    with pytest.raises(PrerequisiteError, match="ANTHROPIC_API_KEY"):
        claude_model("claude", environment={})


@pytest.mark.parametrize("spec", ["claude:", "claudette", "openai:gpt-5"])
def test_other_names_are_not_for_this_back_end(spec: str) -> None:
    with pytest.raises(UsageError):
        claude_model(spec, environment={"ANTHROPIC_API_KEY": "x"})


def test_importing_the_back_end_does_not_import_the_sdk() -> None:
    code = (
        "import sys, proveout.adapters.models.claude; sys.exit('claude_agent_sdk' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_without_the_sdk_it_says_how_to_install_it() -> None:
    code = (
        "import sys; sys.modules['claude_agent_sdk'] = None\n"
        "from proveout.adapters.models.claude import claude_model\n"
        "from proveout.kernel.errors import PrerequisiteError\n"
        "try: claude_model('claude', environment={'ANTHROPIC_API_KEY': 'x'})\n"
        "except PrerequisiteError as error: told = str(error)\n"
        "assert \"pip install 'proveout[claude]'\" in told"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_one_loop_is_reused_after_a_failure() -> None:
    """A back end that failed once answers the next call."""
    provider = Provider(conduct="overloaded")
    with MessagesServer(provider) as server:
        model = claude(server)
        with pytest.raises(ModelBusy):
            model.ask(call(), threading.Event())
        provider.conduct = "value"
        assert model.ask(call(), threading.Event()).value == WANTED


def _until(condition: Any) -> None:
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline, "it never came to that"
        time.sleep(0.05)
