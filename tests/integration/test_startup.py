"""How a command starts: what it imports. The time is printed here and measured in benchmarks."""

import json
import subprocess
import sys
import time

import pytest

from tests.integration.command import Shell

HEAVY = frozenset(
    {
        "anthropic",
        "claude_agent_sdk",
        "fastapi",
        "google.genai",
        "httpx",
        "httpx2",
        "jinja2",
        "langgraph",
        "matplotlib",
        "mcp",
        "numpy",
        "openai",
        "opentelemetry",
        "pandas",
        "pydantic_ai",
        "pydantic_settings",
        "rich.progress",
        "sqlite3",
        "torch",
        "xllamacpp",
    }
)
WATCH = """
import json, sys
from proveout.cli.main import command
try:
    command(sys.argv[1:])
finally:
    sys.stderr.write("\\nMODULES " + json.dumps(sorted(sys.modules)))
"""


def imported(shell: Shell, *arguments: str) -> set[str]:
    """The modules in memory when the command has ended."""
    done = subprocess.run(
        [sys.executable, "-c", WATCH, *arguments],
        cwd=shell.folder,
        env=shell.environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stderr.rpartition("MODULES ")[2]))


@pytest.mark.parametrize(
    "arguments",
    [("--help",), ("--version",), ("pattern", "run", "--help"), ("runs", "--help"), ("apps",)],
)
def test_help_imports_nothing_heavy(shell: Shell, arguments: tuple[str, ...]) -> None:
    assert imported(shell, *arguments) & HEAVY == set()


def test_an_offline_run_imports_neither_charts_nor_clients(shell: Shell) -> None:
    modules = imported(shell, "pattern", "run", "--expression", "a", "--json")
    clients = {"matplotlib", "numpy", "openai", "anthropic", "pydantic_ai", "claude_agent_sdk"}
    assert modules & (clients | {"fastapi", "langgraph", "pandas", "torch"}) == set()


def test_the_package_itself_imports_nothing_of_its_own(shell: Shell) -> None:
    """Its names are loaded when they are first used."""
    code = "import proveout, sys; print([n for n in sys.modules if n.startswith('proveout.')])"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=shell.environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.strip() == "[]"


def test_help_answers(shell: Shell) -> None:
    """Three times, the best counts: a busy machine says nothing about the command."""
    seconds = []
    for _ in range(3):
        began = time.perf_counter()
        done = shell.run("--help")
        seconds.append(time.perf_counter() - began)
        assert done.code == 0
        assert "Models propose. Code proves." in done.out
    sys.stdout.write(f"proveout --help: {min(seconds):.2f} s\n")
