"""Where the Claude program lives during one call: empty folders, few variables, a known process id.

The SDK hands the program the whole environment of this process. A launcher of three lines takes
away again what is not on the list, notes the program's process id and makes it the leader of a
group of its own, so that the program and whatever it starts can be ended together.
"""

import os
import shlex
import shutil
import signal
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from proveout.kernel.ports import CallLimits

PASSED_ON = frozenset(
    {
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_BASE_URL",
        "ALL_PROXY",
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "NO_PROXY",
        "all_proxy",
        "http_proxy",
        "https_proxy",
        "no_proxy",
        "NODE_EXTRA_CA_CERTS",
        "SSL_CERT_DIR",
        "SSL_CERT_FILE",
        "LANG",
        "LC_ALL",
        "LC_CTYPE",
        "PATH",
        "TZ",
    }
)
"""Every variable of the caller that the program may see."""
SET_BY_SDK = frozenset(
    {
        "CLAUDE_AGENT_SDK_VERSION",
        "CLAUDE_CODE_ENTRYPOINT",
        "CLAUDE_CODE_SDK_READS_SESSION_STATE",
        "PWD",
    }
)
QUIET = {
    "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",
    "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS": "1",
    "CLAUDE_CODE_DISABLE_BUNDLED_SKILLS": "1",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "DISABLE_TELEMETRY": "1",
}
PATIENCE = {
    # One, not none: the announcement of a retry is the only place where the program tells how long
    # the provider wants to be left alone. The call is ended when it arrives, before the retry.
    "CLAUDE_CODE_MAX_RETRIES": "1",
    "CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK": "1",
    "CLAUDE_CODE_DISABLE_REFUSAL_RETRY": "1",
    "CLAUDE_CODE_NO_MODEL_FALLBACK": "1",
    "MAX_STRUCTURED_OUTPUT_RETRIES": "1",
}
"""Second tries belong to the budget, which the program does not know."""


class Home:
    """Folders for one call; all of it is gone when the context ends, and so is the program."""

    def __init__(self, program: Path, environment: Mapping[str, str], limits: CallLimits) -> None:
        self._program = program
        self._passed = {name: environment[name] for name in PASSED_ON if name in environment}
        self._limits = limits

    def __enter__(self) -> Self:
        self._folder = tempfile.TemporaryDirectory(
            prefix="proveout-claude-", ignore_cleanup_errors=True
        )
        self.root = Path(self._folder.name)
        for name in ("home", "config", "temporary", "work"):
            (self.root / name).mkdir()
        self._pid = self.root / "pid"
        self.launcher = self.root / "launch"
        self.launcher.write_text(self._script())
        self.launcher.chmod(0o700)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.end()
        self._folder.cleanup()

    @property
    def work(self) -> Path:
        """The program's working directory."""
        return self.root / "work"

    @property
    def environment(self) -> dict[str, str]:
        return {
            **self._passed,
            **QUIET,
            **PATIENCE,
            "HOME": str(self.root / "home"),
            "TMPDIR": str(self.root / "temporary"),
            "CLAUDE_CONFIG_DIR": str(self.root / "config"),
            "CLAUDE_CODE_TMPDIR": str(self.root / "temporary"),
            "CLAUDE_CODE_MAX_OUTPUT_TOKENS": str(self._limits.max_output_tokens),
            "API_TIMEOUT_MS": str(int(self._limits.timeout_seconds * 1000) + 1000),
        }

    def _script(self) -> str:
        """No secret is in it: variables are taken away by name, none is written down."""
        unwanted = sorted(set(os.environ) - set(self.environment) - SET_BY_SDK)
        words = ["env", *(word for name in unwanted for word in ("-u", name)), str(self._program)]
        if shutil.which("setsid"):
            words.insert(0, "setsid")
        # The shell's own id: each program that follows replaces the one before it.
        pid = shlex.quote(str(self._pid))
        return f'#!/bin/sh\necho $$ > {pid}\nexec {shlex.join(words)} "$@"\n'

    def end(self) -> None:
        """Kill the program and all that it started; harmless when they have ended."""
        try:
            pid = int(self._pid.read_text())
        except (OSError, ValueError):
            return
        # Commands that a tool runs lead groups of their own. Stopped, the program starts no more.
        _signal(pid, signal.SIGSTOP)
        for descendant in _descendants(pid):
            with suppress(ProcessLookupError, PermissionError):
                os.kill(descendant, signal.SIGKILL)
        _signal(pid, signal.SIGKILL)
        # From here on the id may become somebody else's.
        self._pid.unlink()


def _signal(pid: int, number: signal.Signals) -> None:
    """To the process's group if it leads one, else to the process if it is one of ours."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, number)
        return
    # Without `setsid`, or in the instant before it has run, the program is in our own group.
    with suppress(ProcessLookupError, PermissionError):
        if os.getpgid(pid) == os.getpgrp():
            os.kill(pid, number)


def _descendants(pid: int) -> list[int]:
    """Children, their children and so on; none where the system has no /proc to ask."""
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            # The name in parentheses may hold anything; the parent is the second field after it.
            parent = int(stat.read_text(errors="replace").rpartition(")")[2].split()[1])
            children.setdefault(parent, []).append(int(stat.parent.name))
    found: list[int] = []
    waiting = [pid]
    while waiting:
        found.extend(born := children.get(waiting.pop(), []))
        waiting.extend(born)
    return found
