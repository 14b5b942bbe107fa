"""What works on this machine, and the command that mends what does not."""

import importlib.util
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

from proveout.kernel.errors import ProveoutError


class Examined(NamedTuple):
    """One line: `missing` is optional, `broken` stops everything."""

    name: str
    state: Literal["ok", "missing", "broken"]
    found: str
    fix: str = ""


EXTRAS = {
    "chat": "pydantic_ai",
    "claude": "claude_agent_sdk",
    "local": "xllamacpp",
    "mle": "sklearn",
    "iqa": "langgraph",
    "solver": "httpx2",
    "server": "fastapi",
}
"""A package that stands for each extra."""
KEYS = ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GOOGLE_API_KEY")
ENOUGH_BYTES = 1_000_000_000


def examine() -> Iterator[Examined]:
    """Every line, cheapest first."""
    version = ".".join(map(str, sys.version_info[:3]))
    good = sys.version_info >= (3, 11)
    yield Examined("python", "ok" if good else "broken", version, "" if good else "use 3.11+")
    yield from _settings_and_journal()
    yield from _apps()
    yield from _sandbox()
    for extra, package in EXTRAS.items():
        present = importlib.util.find_spec(package) is not None
        fix = "" if present else f"pip install 'proveout[{extra}]'"
        state: Literal["ok", "missing"] = "ok" if present else "missing"
        yield Examined(f"extra {extra}", state, package if present else "not installed", fix)
    for name in KEYS:
        present = bool(os.environ.get(name))
        fix = "" if present else f"export {name}=… (only for that provider)"
        yield Examined(name, "ok" if present else "missing", "set" if present else "not set", fix)


def _settings_and_journal() -> Iterator[Examined]:
    from proveout.adapters.journal.sqlite import SqliteJournal
    from proveout.adapters.journal.verify import verify
    from proveout.settings import home, load

    try:
        settings = load().settings
        yield Examined("settings", "ok", f"model {settings.model.name}")
    except ProveoutError as error:
        yield Examined("settings", "broken", error.message, error.hint)
        return
    named = settings.journal.path
    path = Path(named).expanduser() if named else home() / "journal.db"
    try:
        if path.exists():
            journal = SqliteJournal(path, readonly=True)
            damage, count = verify(journal), len(journal.runs())
            journal.close()
            state: Literal["ok", "broken"] = "broken" if damage else "ok"
            yield Examined(
                "journal", state, f"{path} ({count} runs)", "proveout runs verify" if damage else ""
            )
        else:
            yield Examined("journal", "ok", f"{path} (made by the first run)")
    except ProveoutError as error:
        yield Examined("journal", "broken", error.message, error.hint)
    folder = next(parent for parent in [path.parent, *path.parents] if parent.exists())
    writable = os.access(folder, os.W_OK)
    fix = "" if writable else f"make {folder} writable, or set PROVEOUT_HOME"
    yield Examined("data folder", "ok" if writable else "broken", str(folder), fix)
    free = shutil.disk_usage(folder).free
    enough = free >= ENOUGH_BYTES
    fix = "" if enough else "free some space"
    yield Examined("disk", "ok" if enough else "missing", f"{free / 1e9:.1f} GB free", fix)


def _sandbox() -> Iterator[Examined]:
    """What scripts are kept from on this machine, each tried out by a script of our own."""
    from proveout.adapters.sandbox.local import LocalSandbox
    from proveout.settings import load

    try:
        chosen = load().settings.sandbox
        # A look needs neither the libraries nor a refusal.
        sandbox = LocalSandbox(require=(), allow_network=chosen.allow_network, warm=False)
    except ProveoutError as error:
        yield Examined("sandbox", "missing", error.message, error.hint)
        return
    try:
        for name, how in sandbox.guarantees().items():
            held, _, by = how.partition(": ")
            needed = name in chosen.require
            fix = "needed to run scripts: user namespaces or Landlock" if needed else ""
            state: Literal["ok", "missing"] = "ok" if held == "yes" else "missing"
            yield Examined(f"sandbox {name}", state, by, "" if held == "yes" else fix)
    except ProveoutError as error:
        yield Examined("sandbox", "missing", error.message, error.hint)
    finally:
        sandbox.close()


def _apps() -> Iterator[Examined]:
    from proveout import apps

    for app in apps.installed().values():
        try:
            app.load(app.flow)
            yield Examined(f"app {app.name}", "ok", app.summary)
        except ProveoutError as error:
            yield Examined(f"app {app.name}", "missing", error.message, error.hint)
    for name, reason in apps.broken().items():
        yield Examined(f"app {name}", "missing", reason, "mend or remove the package it is in")
