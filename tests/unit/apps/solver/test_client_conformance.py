"""The client against exchanges that were recorded from the real service, and against servers.

The recordings are not part of the repository: they lie in `shared/erc3-real` beside it, if at all.
"""

import json
import queue
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from proveout.apps.solver.client import (
    ApiError,
    BenchmarkClient,
    CompanyClient,
    NotFound,
    PageTooLarge,
    Patience,
    ReplayTransport,
    ServerFault,
)
from proveout.apps.solver.client.company import BY_PATH
from proveout.apps.solver.client.errors import failure
from proveout.apps.solver.client.requests import EmployeesList, Respond, WikiUpdate
from proveout.kernel.canonical import canonical

REAL = Path(__file__).resolve().parents[5] / "shared" / "erc3-real"
EXCHANGES = REAL / "exchanges.jsonl"
recorded = pytest.mark.skipif(not EXCHANGES.exists(), reason="no recordings of the real service")
START_SECONDS = 60.0


def exchanges() -> list[dict[str, Any]]:
    if not EXCHANGES.exists():
        return []
    with EXCHANGES.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def named(found: dict[str, Any]) -> Iterator[str]:
    """Every id, path and text of an answer that a typed value must not lose."""
    for name, value in found.items():
        if isinstance(value, dict):
            yield from named(value)
        elif isinstance(value, list):
            for item in value:
                yield from named(item) if isinstance(item, dict) else iter([str(item)])
        elif name in {"id", "name", "notes", "content", "path", "employee", "salary", "hours"}:
            yield str(value)


@recorded
def test_every_recorded_answer_is_understood_without_loss() -> None:
    understood = 0
    for exchange in exchanges():
        if exchange["status"] != 200:
            continue
        reply = BY_PATH[exchange["route"]].gives.model_validate(exchange["response"])
        held = " ".join(named(reply.model_dump(mode="json")))
        lost = [word for word in named(exchange["response"]) if str(word) not in held]
        numbers = [word for word in lost if not word.replace(".", "").isdigit()]
        assert numbers == [], exchange["route"]
        understood += 1
    assert understood >= 100


@recorded
def test_every_recorded_request_is_one_that_we_can_make() -> None:
    for exchange in exchanges():
        if exchange["status"] != 200:
            continue
        route = BY_PATH[exchange["route"]]
        ask = route.asks.model_validate(exchange["request"])
        assert exchange["request"].items() <= {**ask.body(), **_numbers(exchange)}.items()


def _numbers(exchange: dict[str, Any]) -> dict[str, Any]:
    """Whole numbers and fractions are spelled alike in what is compared: 8 is 8.0."""
    return {
        name: value
        for name, value in exchange["request"].items()
        if not isinstance(value, str | bool)
    }


@recorded
def test_every_recorded_refusal_has_its_error() -> None:
    kinds = {404: NotFound, 500: ServerFault}
    for exchange in exchanges():
        status = exchange["status"]
        if status == 200:
            continue
        said = (exchange["response"] or {}).get("error", "")
        error = failure(exchange["route"], status, said, None)
        if "page limit" in said:
            assert isinstance(error, PageTooLarge)
            assert error.cap > 0
        else:
            assert isinstance(error, kinds.get(status, ApiError))


@recorded
def test_recorded_exchanges_can_be_replayed_through_the_client() -> None:
    held = exchanges()
    client = CompanyClient(ReplayTransport(held), patience=Patience(tries=1, most_failures=10**6))
    for exchange in held:
        body = exchange["request"]
        if exchange["status"] != 200 or BY_PATH[exchange["route"]].kind == "write":
            continue
        if canonical(BY_PATH[exchange["route"]].asks.model_validate(body).body()) != canonical(
            body
        ):
            # Asked without the fields that we always send.
            continue
        client.dispatch(exchange["route"], body)


@contextmanager
def running(command: list[str], *, ready: str, on: str) -> Iterator[str]:
    """A server of its own process, until the block ends; the line that says it is ready."""
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    lines: queue.Queue[str] = queue.Queue()
    stream = process.stdout if on == "stdout" else process.stderr
    assert stream is not None

    def read() -> None:
        for line in stream:
            lines.put(line)

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    try:
        line = lines.get(timeout=START_SECONDS)
        while ready not in line:
            line = lines.get(timeout=START_SECONDS)
        yield line
    finally:
        process.kill()
        process.wait(10)
        reader.join(10)
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()


def one_whole_task(url: str, benchmark: str) -> None:
    """Session, task, every read, a write, the answer, telemetry, grade, submission."""
    with BenchmarkClient(url, account_key="key-any") as service:
        assert benchmark in [it.id for it in service.list_benchmarks()]
        session = service.start_session(benchmark, workspace="conformance", name="client")
        tasks = service.session_status(session.session_id).tasks
        assert len(tasks) == session.task_count > 0
        task = tasks[0]
        assert service.start_task(task.task_id).text == task.task_text
        company = service.company(task.task_id)
        _read_everything(company)
        company.update_wiki(WikiUpdate(file="conformance/check.md", content="x\n"))
        assert company.load_wiki("conformance/check.md").content == "x\n"
        company.provide_agent_response(Respond(message="?", outcome="none_clarification_needed"))
        service.log_llm(task.task_id)
        assert service.complete_task(task.task_id).status == "completed"
        assert service.task_detail(task.task_id).task_id == task.task_id
        assert service.submit_session(session.session_id)


def _read_everything(company: CompanyClient) -> None:
    company.who_am_i()
    people = list(company.all_employees())
    assert len({it.id for it in people}) == len(people) > 10
    assert company.get_employee(people[-1].id).name == people[-1].name
    projects = list(company.all_projects())
    detail = company.get_project(projects[0].id)
    assert detail.team
    assert 0 < detail.team[0].slice_milli <= 1000
    with pytest.raises(NotFound):
        company.get_project("proj_that_is_not_there")
    with pytest.raises(NotFound):
        company.get_employee("nobody_000")
    customers = list(company.all_customers())
    assert company.get_customer(customers[0].id).id == customers[0].id
    paths = company.list_wiki().paths
    assert company.load_wiki(paths[0]).content
    assert company.search_wiki("(?i)the")
    assert company.list_employees(EmployeesList(limit=1)).next_offset == 1


@pytest.mark.skipif(not (REAL / "kit" / "server.py").exists(), reason="no server of recorded tasks")
def test_against_a_server_of_recorded_tasks() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, str(REAL / "kit" / "server.py"), "--data", str(REAL)]
    command += ["--port", str(port), "--split", "all", "--draws", "1"]
    with running(command, ready="serving", on="stderr"):
        one_whole_task(f"http://127.0.0.1:{port}", "erc3-prod")


def test_against_the_synthetic_company() -> None:
    command = [sys.executable, "-m", "proveout.apps.solver.world.server", "--seed", "3"]
    with running([*command, "--port", "0"], ready='"url"', on="stdout") as line:
        one_whole_task(json.loads(line)["url"], "world-3")


def test_against_a_synthetic_company_that_stumbles() -> None:
    """Faults on reads are sat out; everything still arrives once."""
    command = [sys.executable, "-m", "proveout.apps.solver.world.server", "--seed", "4"]
    command += ["--port", "0", "--faults", "429=0.05,500=0.05", "--fault-seed", "1"]
    with running(command, ready='"url"', on="stdout") as line:
        patience = Patience(tries=8, first_wait=0.01, longest_wait=0.02)
        with BenchmarkClient(json.loads(line)["url"], patience=patience) as service:
            session = service.start_session("world-4")
            task = service.session_status(session.session_id).tasks[0]
            service.start_task(task.task_id)
            people = [it.id for it in service.company(task.task_id).all_employees()]
            assert len(people) == len(set(people)) > 10
