"""A real server on a loopback port, started as a person starts it, and a client for it."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2

from tests.integration.command import wait_for

SECONDS = 90.0
"""For one request: the machine may be busy with something else."""
ENDED = ("accepted", "not accepted")


@dataclass
class Served:
    """A server's process, its address and a client."""

    process: "subprocess.Popen[str]"
    url: str
    client: httpx2.Client
    root: Path
    heard: list[str]

    def get(self, path: str, **options: Any) -> httpx2.Response:
        return self.client.get(path, **options)

    def post(self, path: str, **options: Any) -> httpx2.Response:
        return self.client.post(path, **options)

    def start(self, app: str = "pattern", **task: Any) -> str:
        """Begin a run; its id."""
        answer = self.post("/api/v1/runs", json={"app": app, "task": task})
        assert answer.status_code == 201, answer.text
        return str(answer.json()["run"])

    def state(self, run: str) -> str:
        return str(self.get(f"/api/v1/runs/{run}").json()["state"])

    def finish(self, run: str) -> dict[str, Any]:
        """Wait for the end of a run; all of it."""
        wait_for(lambda: self.state(run) in ENDED, SECONDS)
        return dict(self.get(f"/api/v1/runs/{run}").json())

    def kill(self) -> None:
        """As nobody can refuse."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(SECONDS)

    def children(self) -> set[int]:
        """Processes that the server has started."""
        found = subprocess.run(
            ["ps", "-o", "pid=", "--ppid", str(self.process.pid)],
            capture_output=True,
            text=True,
            check=False,
        )
        return {int(pid) for pid in found.stdout.split()}


@dataclass
class Machine:
    """A home and a folder of files, which servers come and go on."""

    folder: Path
    variables: dict[str, str] = field(default_factory=dict)

    @property
    def root(self) -> Path:
        return self.folder / "root"

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @contextmanager
    def serving(self, *flags: str, token: str = "", workers: int = 1) -> Iterator[Served]:
        self.root.mkdir(exist_ok=True)
        command = [sys.executable, "-m", "proveout", "serve", "--port", "0"]
        command += ["--root", str(self.root), "--workers", str(workers), *flags]
        process = subprocess.Popen(
            command,
            cwd=self.folder,
            env=self.environment | ({"PROVEOUT_SERVER_TOKEN": token} if token else {}),
            stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            text=True,
        )
        heard: list[str] = []
        reader = threading.Thread(target=_listen, args=(process, heard), daemon=True)
        reader.start()
        try:
            wait_for(lambda: any("serving http" in line for line in heard), SECONDS)
            url = next(line for line in heard if "serving http" in line).split()[1].rstrip(";")
            headers = {"Authorization": f"Bearer {token}"} if token else {}
            with httpx2.Client(base_url=url, headers=headers, timeout=SECONDS) as client:
                wait_for(lambda: _answers(client), SECONDS)
                yield Served(process, url, client, self.root, heard)
        finally:
            if process.poll() is None:
                process.terminate()
            process.wait(SECONDS)
            reader.join(SECONDS)
            if process.stderr is not None:
                process.stderr.close()

    @property
    def environment(self) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "LANG": "C.UTF-8",
            "HOME": str(self.folder),
            "PROVEOUT_HOME": str(self.home),
            "OMP_NUM_THREADS": "1",
            "MPLBACKEND": "Agg",
            **self.variables,
        }


def _listen(process: "subprocess.Popen[str]", heard: list[str]) -> None:
    for line in process.stderr or ():
        heard.append(line.rstrip("\n"))


def _answers(client: httpx2.Client) -> bool:
    try:
        return client.get("/api/v1/health").status_code == 200
    except httpx2.TransportError:
        return False


def problem(answer: httpx2.Response, status: int) -> dict[str, str]:
    """What went wrong, in the one shape of errors."""
    assert answer.status_code == status, answer.text
    body = answer.json()
    assert set(body) == {"error"}
    assert set(body["error"]) == {"code", "message", "hint"}
    return dict(body["error"])


def frames(text: str) -> list[dict[str, Any]]:
    """Server-sent events: `id`, `event` and the value of `data`."""
    found = []
    for block in text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if ": " in line[1:])
        if "data" in fields:
            found.append({**fields, "data": json.loads(fields["data"])})
    return found
