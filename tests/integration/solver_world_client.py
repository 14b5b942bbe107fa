"""A bare client for the synthetic company: nothing but JSON over HTTP."""

import json
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


def post(url: str, **fields: object) -> tuple[int, Any]:
    request = urllib.request.Request(url, json.dumps(fields).encode())
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)


def ok(url: str, **fields: object) -> Any:
    status, answer = post(url, **fields)
    assert status == 200, answer
    return answer


@contextmanager
def world_process(*arguments: str) -> Iterator[str]:
    """The server as its own process, which ends when its input closes."""
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "proveout.apps.solver.world.server",
            "--port",
            "0",
            "--until-stdin-closes",
            *arguments,
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield json.loads(process.stdout.readline())["url"]
    finally:
        process.stdin.close()
        try:
            assert process.wait(30) == 0
        finally:
            process.kill()
            process.stdout.close()
