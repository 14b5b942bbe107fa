"""Requests that nobody would write by hand: whatever is asked, the server has an answer.

Schemathesis reads the description of the API and makes up requests that fit it and requests that
do not. None may be answered with a 5xx, and every answer is one that the description knows.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.integration.server.serving import Machine

SECONDS = 60
"""For all requests; then schemathesis comes to an end by itself."""
CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
)
SKIPPED = ("/api/v1/doctor", "/api/v1/runs/{run}/stream", "/solver/solve")
"""One takes seconds and no input, one goes on until a run ends, one asks other servers."""


@pytest.mark.timeout(400)
def test_no_request_is_too_strange(machine: Machine) -> None:
    with machine.serving(workers=1) as server:
        server.finish(server.start(expression="[a-c]{3}"))
        command = [str(Path(sys.executable).with_name("schemathesis")), "run"]
        command += [f"{server.url}/api/v1/openapi.json", "--checks", ",".join(CHECKS)]
        command += ["--max-time", str(SECONDS), "--phases", "examples,coverage,fuzzing"]
        command += ["--seed", "1", "--request-timeout", "120", "--rate-limit", "40/s"]
        command += ["--suppress-health-check", "all", "--no-color"]
        for path in SKIPPED:
            command += ["--exclude-path", path]
        done = subprocess.run(
            command,
            cwd=machine.folder,
            env=machine.environment,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        sys.stdout.write(done.stdout[-1500:])
        assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
        made = re.search(r"(\d+) generated", done.stdout)
        assert made is not None
        assert int(made.group(1)) > 300
        assert server.get("/api/v1/health").status_code == 200
        assert server.get("/api/v1/verify").json()["intact"]
