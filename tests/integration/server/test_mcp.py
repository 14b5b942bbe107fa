"""The MCP server as another agent meets it: the SDK's own client, over HTTP and over stdio."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp.types import CallToolResult

from proveout import apps
from proveout.server.mcp_running import MOST_ANSWER_CHARACTERS, bounded
from tests.integration.command import COMMAND, Shell, install_app, wait_for
from tests.integration.slow_app import MODULES
from tests.iqa_pictures import photo

TOOLS = {
    "assess_image",
    "check_leakage",
    "solve_task",
    "run_ml_task",
    "run_task",
    "list_runs",
    "explain_run",
}
LEAKY = """\
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

table = pd.read_csv("train.csv")
X, y = table.drop(columns=["y"]), table["y"]
X = StandardScaler().fit_transform(X)
X_train, X_test, y_train, y_test = train_test_split(X, y)
print(LogisticRegression().fit(X_train, y_train).score(X_test, y_test))
"""
LOUD = """
import os
from proveout import App, Outcome, Task

class LoudTask(Task):
    words: str = "hello"

def run(task, context):
    print(task.words * 1000)
    os.write(1, b"and once more, past every buffer\\n")
    return Outcome(accepted=True, answer="x" * 100_000, summary="said it")

APP = App(name="loud", summary="Prints.", task="loud:LoudTask", flow="loud:run")
"""
LISTENING = re.compile(r"listening on (http://\S+/mcp)")
TOKEN = "a-token-of-enough-letters"
START_SECONDS = 100.0
ORDERLY = pytest.mark.timeout(300)


def folder_of(tmp: Path) -> Shell:
    """A folder to serve, with a picture, a script, and two more apps beside the product."""
    root = tmp / "served"
    (root / "home").mkdir(parents=True)
    photo(root / "photo.png", blur=1.5)
    (root / "train.py").write_text(LEAKY)
    (tmp / "outside.png").write_bytes((root / "photo.png").read_bytes())
    (root / "way-out.png").symlink_to(tmp / "outside.png")
    shell = Shell(root)
    site = install_app(tmp, "slow", MODULES)
    loud = site / "loud"
    loud.mkdir()
    (loud / "__init__.py").write_text(LOUD)
    about = site / "loud-1.0.dist-info"
    about.mkdir()
    about.joinpath("METADATA").write_text("Metadata-Version: 2.1\nName: loud\nVersion: 1.0\n")
    about.joinpath("entry_points.txt").write_text("[proveout.apps]\nloud = loud:APP\n")
    shell.variables.update(PYTHONPATH=str(site), OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    return shell


@contextmanager
def serving(shell: Shell, *flags: str) -> Iterator[str]:
    """`proveout mcp --http` on a free loopback port; its address."""
    process = subprocess.Popen(
        [*COMMAND, "mcp", "--http", "--port", "0", *flags],
        cwd=shell.folder,
        env=shell.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    late = threading.Timer(START_SECONDS, process.kill)
    late.start()
    assert process.stderr is not None
    drain = threading.Thread(target=process.stderr.read)
    try:
        heard = ""
        while not (found := LISTENING.search(heard)):
            line = process.stderr.readline()
            assert line, heard
            heard += line
        late.cancel()
        drain.start()
        yield found[1]
    finally:
        late.cancel()
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(60)
        if drain.ident is not None:
            drain.join(60)
        process.stderr.close()


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    return folder_of(tmp_path_factory.mktemp("mcp"))


@pytest.fixture(scope="module")
def address(shell: Shell) -> Iterator[str]:
    with serving(shell) as url:
        yield url


def over_http(
    url: str, talk: Callable[[Client], Awaitable[Any]], token: str = "", mode: str = "auto"
) -> Any:
    """What a conversation over HTTP comes to; `legacy` is the older handshake."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}

    async def converse() -> Any:
        async with (
            httpx2.AsyncClient(headers=headers, timeout=200, trust_env=False) as web,
            Client(streamable_http_client(url, http_client=web), mode=mode) as client,
        ):
            return await talk(client)

    return anyio.run(converse)


@asynccontextmanager
async def by_stdio(shell: Shell) -> AsyncIterator[Client]:
    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-m", "proveout", "mcp"],
        env=shell.environment,
        cwd=shell.folder,
    )
    async with Client(stdio_client(parameters)) as client:
        yield client


def call(url: str, tool: str, **arguments: Any) -> CallToolResult:
    result = over_http(url, lambda client: client.call_tool(tool, arguments))
    assert isinstance(result, CallToolResult)
    return result


def told(result: CallToolResult) -> dict[str, Any]:
    """The structured answer of a call that went well; its text says the same."""
    assert not result.is_error, result
    (text,) = result.content
    assert text.type == "text"
    assert json.loads(text.text) == result.structured_content
    answer: dict[str, Any] = result.structured_content
    return answer


def complaint(result: CallToolResult) -> dict[str, str]:
    assert result.is_error
    error: dict[str, str] = result.structured_content["error"]
    (text,) = result.content
    assert text.type == "text"
    assert text.text.splitlines()[0] == error["message"]
    assert error["hint"] in text.text
    return error


def runs(url: str, **wanted: Any) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = told(call(url, "list_runs", **wanted))["runs"]
    return listed


# Tools


@ORDERLY
def test_the_tools_say_what_they_take_what_they_give_and_what_they_may_do(address: str) -> None:
    listed = over_http(address, lambda client: client.list_tools()).tools
    assert {tool.name for tool in listed} == TOOLS
    for tool in listed:
        assert tool.description
        assert tool.title
        Draft202012Validator.check_schema(tool.input_schema)
        Draft202012Validator.check_schema(tool.output_schema)
        assert tool.output_schema["type"] == "object"
        silent = [
            name
            for name, field in tool.input_schema.get("properties", {}).items()
            if not field.get("description") and name not in {"seed", "limit", "offset"}
        ]
        assert silent == []
    hints = {tool.name: tool.annotations for tool in listed}
    assert {name for name, hint in hints.items() if hint.read_only_hint} == {
        "check_leakage",
        "list_runs",
        "explain_run",
    }
    assert {name for name, hint in hints.items() if hint.destructive_hint} == {
        "solve_task",
        "run_task",
    }
    (generic,) = [tool for tool in listed if tool.name == "run_task"]
    assert "slow (Waits. Fields: optional: seconds" in generic.description.replace(" ,", "")


@ORDERLY
def test_a_picture_is_assessed_and_the_run_is_an_ordinary_one(address: str, shell: Shell) -> None:
    answer = told(call(address, "assess_image", image="photo.png", question="Is it blurred?"))
    assert answer["accepted"] is True
    assert 1 <= answer["quality_score"] <= 5
    assert answer["answer"]
    assert any("blur" in one["name"] for one in answer["distortions"])
    ended = shell.run("runs", "show", answer["run"], "--json")
    assert ended.code == 0
    assert ended.data["state"] == "accepted"
    assert answer["run"] in {row["run"] for row in runs(address, app="iqa", state="accepted")}


@ORDERLY
@pytest.mark.parametrize("path", ["../outside.png", "way-out.png", "/etc/hostname"])
def test_a_path_that_leads_outside_is_refused(address: str, path: str) -> None:
    error = complaint(call(address, "assess_image", image=path))
    assert error["code"] == "usage.outside_root"
    assert "--root" in error["hint"]
    assert complaint(call(address, "check_leakage", path=path))["code"] == "usage.outside_root"
    wished = call(address, "run_task", app="iqa", fields={"image": path})
    assert complaint(wished)["code"] == "usage.outside_root"


@ORDERLY
@pytest.mark.parametrize("kind", ["scripted", "recorded", "local"])
def test_a_model_from_a_file_outside_is_refused(address: str, kind: str) -> None:
    wished = call(address, "run_task", app="slow", model=f"{kind}:/etc/hostname")
    assert complaint(wished)["code"] == "usage.outside_root"


@ORDERLY
def test_a_picture_that_is_not_there_is_told_and_leaves_no_run(address: str) -> None:
    before = len(runs(address, app="iqa"))
    error = complaint(call(address, "assess_image", image="missing.png"))
    assert "there is no such file" in error["message"]
    assert error["hint"]
    assert len(runs(address, app="iqa")) == before


@ORDERLY
def test_a_folder_without_tables_is_told_and_leaves_no_run(address: str, shell: Shell) -> None:
    (shell.folder / "bare").mkdir()
    before = len(runs(address, app="mle"))
    error = complaint(call(address, "run_ml_task", folder="bare", out="nothing"))
    assert "no table in" in error["message"]
    assert len(runs(address, app="mle")) == before


@ORDERLY
@pytest.mark.parametrize(
    ("tool", "arguments", "message"),
    [
        ("assess_image", {}, "image"),
        ("assess_image", {"image": "photo.png", "quality": 1}, "quality"),
        ("check_leakage", {}, "either a path or a source"),
        ("check_leakage", {"path": "train.py", "source": "x = 1"}, "either a path or a source"),
        ("solve_task", {"text": "hello", "task_url": "file:///etc/passwd"}, "task_url"),
        ("solve_task", {"text": "hello", "task_url": "http://me:word@127.0.0.1:1/t"}, "password"),
        (
            "solve_task",
            {"text": "hello", "task_url": "http://127.0.0.1:1/t", "dry_run": True},
            "no connection",
        ),
        ("run_ml_task", {"folder": "tables"}, "out"),
        ("run_task", {"app": "patern"}, "unknown app 'patern'"),
        ("run_task", {"app": "pattern"}, "not a task for pattern: expression"),
        ("list_runs", {"limit": 1000}, "limit"),
        ("explain_run", {"run": "no-such-run"}, "no-such-run"),
    ],
)
def test_a_mistake_is_a_result_that_says_what_is_wrong(
    address: str, tool: str, arguments: dict[str, Any], message: str
) -> None:
    assert message in complaint(call(address, tool, **arguments))["message"]


@ORDERLY
def test_a_tool_that_does_not_exist_is_a_protocol_error(address: str) -> None:
    async def talk(client: Client) -> None:
        with pytest.raises(MCPError, match="unknown tool 'assess'; known: assess_image"):
            await client.call_tool("assess", {})

    over_http(address, talk)


@ORDERLY
def test_leakage_is_found_in_a_file_and_in_a_text(address: str) -> None:
    from_file = told(call(address, "check_leakage", path="train.py"))
    from_text = told(call(address, "check_leakage", source=LEAKY))
    for answer in (from_file, from_text):
        assert answer["leaks"] == 1
        (leak,) = answer["findings"]
        assert leak["code"] == "leak.fit_before_split"
        assert leak["statement"] == "X = StandardScaler().fit_transform(X)"
        assert len(leak["flow"]) > 2
    assert from_file["summary"] == "train.py: 1 leak"
    assert told(call(address, "check_leakage", source="x = 1"))["leaks"] == 0
    assert told(call(address, "check_leakage", source="def"))["unreadable"]


@ORDERLY
def test_a_business_task_is_solved_with_its_proof(address: str, tmp_path: Path) -> None:
    solver = apps.find("solver")
    fields = solver.load(solver.demo)(tmp_path)
    asked = {"text": fields["text"], "task_url": fields["task_url"]}
    rehearsed = told(call(address, "solve_task", **asked, dry_run=True))
    assert rehearsed["accepted"] is True
    assert rehearsed["sent"] is False
    answer = told(call(address, "solve_task", **asked))
    assert answer["accepted"] is True
    assert answer["sent"] is True
    assert answer["outcome"] == rehearsed["outcome"] == "ok_answer"
    assert answer["steps"]


@pytest.mark.timeout(600)
def test_a_folder_of_tables_becomes_a_submission(address: str, shell: Shell) -> None:
    mle = apps.find("mle")
    mle.load(mle.demo)(shell.folder)
    heard: list[str] = []

    async def listen(progress: float, total: float | None, message: str | None) -> None:
        del progress, total
        heard.append(message or "")

    result = over_http(
        address,
        lambda client: client.call_tool(
            "run_ml_task",
            {"folder": "mle-task", "out": "result", "smoke": True, "time_limit_seconds": 240},
            progress_callback=listen,
        ),
    )
    answer = told(result)
    assert answer["accepted"] is True
    assert answer["score"] > 0.5
    assert Path(answer["submission"]) == shell.folder / "result" / "submission.csv"
    assert (shell.folder / "result" / "solution.py").is_file()
    assert any("accepted" in line for line in heard)


@ORDERLY
def test_an_app_of_another_package_needs_no_tool_of_its_own(address: str) -> None:
    answer = told(call(address, "run_task", app="slow", fields={"needed": 2}, seed=4))
    assert (answer["accepted"], answer["answer"], answer["score"]) == (True, 2, None)
    spent = call(address, "run_task", app="slow", fields={"needed": 9}, budget={"rounds": 3})
    assert told(spent)["accepted"] is False


@ORDERLY
def test_a_long_answer_is_cut_and_says_so(address: str) -> None:
    answer = told(call(address, "run_task", app="loud"))
    assert answer["cut"] is True
    assert len(answer["answer"]) == MOST_ANSWER_CHARACTERS
    assert bounded({"short": 1}) == ({"short": 1}, False)


@ORDERLY
def test_a_run_is_explained_within_bounds(address: str) -> None:
    made = told(call(address, "run_task", app="slow", fields={"needed": 3}))
    answer = told(call(address, "explain_run", run=made["run"]))
    assert answer["state"] == "accepted"
    assert answer["attempts"] == 3
    assert answer["findings"] == [
        {"code": "slow.again", "times": 2, "meaning": "Not the last round."}
    ]
    assert answer["report"].startswith("# slow")
    assert len(answer["report"]) <= 20_000
    assert told(call(address, "explain_run"))["run"] == made["run"]


@ORDERLY
def test_runs_are_listed_newest_first_and_filtered(address: str) -> None:
    first = told(call(address, "run_task", app="pattern", fields={"expression": "ab+c"}))
    second = told(call(address, "run_task", app="pattern", fields={"expression": "xy+z"}))
    names = [row["run"] for row in runs(address, app="pattern", limit=2)]
    assert names == [second["run"], first["run"]]
    assert [row["run"] for row in runs(address, text="xy+z")] == [second["run"]]


@ORDERLY
def test_calls_of_one_connection_do_not_wait_for_each_other(address: str) -> None:
    ended: list[str] = []

    async def talk(client: Client) -> None:
        async def one(name: str, tool: str, arguments: dict[str, Any]) -> None:
            told(await client.call_tool(tool, arguments))
            ended.append(name)

        slow = {"app": "slow", "fields": {"needed": 6, "seconds": 0.5}}
        async with anyio.create_task_group() as together:
            together.start_soon(one, "slow", "run_task", slow)
            await anyio.sleep(0.2)
            together.start_soon(one, "list", "list_runs", {})
            together.start_soon(one, "quick", "run_task", {"app": "slow", "fields": {"needed": 1}})

    over_http(address, talk)
    assert ended[-1] == "slow"
    assert set(ended) == {"slow", "list", "quick"}


# Progress and cancellation


@ORDERLY
def test_progress_is_told_while_a_run_goes_on(address: str) -> None:
    heard: list[tuple[float, str | None]] = []

    async def listen(progress: float, total: float | None, message: str | None) -> None:
        del total
        heard.append((progress, message))

    fields = {"needed": 3, "seconds": 0.8}
    told(
        over_http(
            address,
            lambda client: client.call_tool(
                "run_task", {"app": "slow", "fields": fields}, progress_callback=listen
            ),
        )
    )
    numbers = [number for number, _ in heard]
    assert len(numbers) > 1
    assert numbers == sorted(set(numbers))
    assert any("rejected slow.again" in (message or "") for _, message in heard)


async def give_up_after_first_progress(client: Client) -> None:
    """Call, wait until the run is under way, lose interest."""
    with anyio.CancelScope() as interest:

        async def listen(progress: float, total: float | None, message: str | None) -> None:
            del progress, total, message
            interest.cancel()

        fields = {"needed": 1000, "seconds": 0.5}
        await client.call_tool(
            "run_task", {"app": "slow", "fields": fields}, progress_callback=listen
        )
        pytest.fail("the call should have been cancelled")


async def stopped(client: Client) -> None:
    """Until the newest run of the slow app has stopped."""
    with anyio.fail_after(60):
        while True:
            listed = told(await client.call_tool("list_runs", {"app": "slow", "limit": 1}))
            if listed["runs"][0]["state"] == "interrupted":
                return
            await anyio.sleep(0.2)


@ORDERLY
@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_cancelling_a_call_stops_its_run(address: str, shell: Shell, mode: str) -> None:
    async def talk(client: Client) -> None:
        await give_up_after_first_progress(client)
        await stopped(client)

    over_http(address, talk, mode=mode)
    newest = runs(address, app="slow", limit=1)[0]
    assert newest["attempts"] < 100
    ended = shell.run("resume", newest["run"], "--rounds", str(newest["attempts"] + 1), "--json")
    assert ended.code == 1, "an ordinary run: the command line goes on with it"


@ORDERLY
def test_cancelling_over_stdio_stops_the_run_and_leaving_ends_every_process(
    tmp_path: Path,
) -> None:
    shell = folder_of(tmp_path)

    async def converse() -> list[int]:
        async with by_stdio(shell) as client:
            assert {tool.name for tool in (await client.list_tools()).tools} == TOOLS
            loud = told(await client.call_tool("run_task", {"app": "loud"}))
            assert loud["accepted"] is True
            await give_up_after_first_progress(client)
            await stopped(client)
            error = complaint(await client.call_tool("assess_image", {"image": "/etc/hostname"}))
            assert error["code"] == "usage.outside_root"
            return workers_in(shell)

    processes = anyio.run(converse)
    assert processes
    wait_for(lambda: not any(Path(f"/proc/{number}").exists() for number in processes), 30)


def workers_in(shell: Shell) -> list[int]:
    """Processes of workers that were started in the shell's folder."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                command = (entry / "cmdline").read_bytes()
                here = (entry / "cwd").readlink() == shell.folder
            except OSError:
                continue
            if here and b"proveout.server.worker" in command:
                found.append(int(entry.name))
    return found


@ORDERLY
def test_stdout_carries_the_protocol_and_nothing_else(tmp_path: Path) -> None:
    """Spoken by hand, so that nothing forgives a stray line: an app prints all it can."""
    shell = folder_of(tmp_path)
    asked = [
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "by hand", "version": "1"},
            },
        },
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {
            "jsonrpc": "2.0",
            "id": 2,
            "method": "tools/call",
            "params": {"name": "run_task", "arguments": {"app": "loud"}},
        },
    ]
    process = subprocess.Popen(
        [*COMMAND, "mcp"],
        cwd=shell.folder,
        env=shell.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    late = threading.Timer(200, process.kill)
    late.start()
    errors: list[bytes] = []
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    reading = threading.Thread(target=lambda: errors.append(process.stderr.read()))  # type: ignore[union-attr]
    reading.start()
    try:
        for message in asked:
            process.stdin.write(json.dumps(message).encode() + b"\n")
        process.stdin.flush()
        answers: list[dict[str, Any]] = []
        while not any(answer.get("id") == 2 for answer in answers):
            answers.append(json.loads(process.stdout.readline()))
        process.stdin.close()
        rest = process.stdout.read()
        process.wait(60)
    finally:
        late.cancel()
        process.kill()
        process.wait(60)
        reading.join(60)
        process.stdout.close()
        process.stderr.close()
    assert rest == b""
    assert all(answer["jsonrpc"] == "2.0" for answer in answers)
    assert answers[-1]["result"]["structuredContent"]["summary"] == "said it"
    assert b"and once more" in errors[0], "what an app prints goes where complaints go"


# The door


@ORDERLY
def test_another_name_and_another_site_are_refused(address: str) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    accept = {"Accept": "application/json, text/event-stream"}
    with httpx2.Client(trust_env=False, timeout=60) as web:
        rebound = web.post(address, json=body, headers={**accept, "Host": "evil.example:80"})
        foreign = web.post(address, json=body, headers={**accept, "Origin": "http://evil.example"})
        looked = web.get(address, headers={**accept, "Origin": "http://evil.example"})
        huge = web.post(address, content=b"x" * 9_000_000, headers=accept)
    assert rebound.status_code == 421
    assert foreign.status_code == 403
    assert looked.status_code == 403
    assert huge.status_code in (400, 413)


@ORDERLY
def test_a_token_is_asked_for_where_one_is_set(shell: Shell) -> None:
    with serving(shell, "--token", TOKEN) as url:
        with httpx2.Client(trust_env=False, timeout=60) as web:
            body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
            assert web.post(url, json=body).status_code == 401
            wrong = {"Authorization": "Bearer not-the-right-token"}
            assert web.post(url, json=body, headers=wrong).status_code == 401
        listed = over_http(url, lambda client: client.list_tools(), token=TOKEN)
    assert {tool.name for tool in listed.tools} == TOOLS


def test_another_host_needs_a_token(shell: Shell) -> None:
    ended = shell.run("mcp", "--http", "--host", "0.0.0.0", "--port", "0")
    assert ended.code == 2
    assert "there is no token" in ended.err
    assert ended.out == ""


def test_a_port_that_is_taken_is_told(shell: Shell) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        ended = shell.run("mcp", "--http", "--port", port)
    assert ended.code == 2
    assert "cannot listen" in ended.err


def test_a_missing_extra_is_named(shell: Shell) -> None:
    code = (
        "import sys\n"
        "sys.modules['mcp'] = None\n"
        "from proveout.cli.main import command\n"
        "command(['mcp'])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=shell.folder,
        env={**shell.environment, "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 3
    assert "pip install 'proveout[server]'" in done.stderr
