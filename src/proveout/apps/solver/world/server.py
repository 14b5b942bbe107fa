"""Serves synthetic companies over the benchmark's API and grades in this process.

    python -m proveout.apps.solver.world.server --seed 7 --port 0

prints one JSON line with the URL, then serves until it is interrupted or, on request, until its
standard input closes.
"""

import argparse
import json
import re
import sys
import threading
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from proveout.apps.solver.world.api.body import ApiError, Body, JsonObject
from proveout.apps.solver.world.dice import PROFILES
from proveout.apps.solver.world.draw_time import TimeSheet
from proveout.apps.solver.world.faults import FaultPlan, parse_faults, refuse
from proveout.apps.solver.world.generator import generate
from proveout.apps.solver.world.lifecycle import Lifecycle, Options
from proveout.apps.solver.world.running import (
    Benchmark,
    company_benchmark,
    small_benchmarks,
)
from proveout.apps.solver.world.spec import TaskSource
from proveout.apps.solver.world.tasks import draw_tasks

_LOCAL = re.compile(r"/[\w.-]+/(tsk-\w+)(/.+)")
_BIGGEST_BODY = 4_000_000


class CutConnection(Exception):
    """The fault plan wants no answer here."""


class Desk(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # one packet per answer
    disable_nagle_algorithm = True
    timeout = 60

    def __init__(self, service: Lifecycle, faults: FaultPlan, *args: object) -> None:
        self._service = service
        self._faults = faults
        super().__init__(*args)  # type: ignore[arg-type]  # as the server hands them in

    def do_POST(self) -> None:
        try:
            self._send(200, self._answer())
        except ApiError as error:
            self._send(error.status, error.body())
        except CutConnection:
            self.close_connection = True

    def _refuse_method(self) -> None:
        self._send(405, ApiError(405, "method not allowed").body())

    do_GET = do_PUT = do_DELETE = do_PATCH = _refuse_method

    def _answer(self) -> JsonObject:
        body = self._body()
        path = self.path.partition("?")[0].rstrip("/")
        local = _LOCAL.fullmatch(path)
        if local is None:
            return self._service.core(path, body)
        task = self._service.task(local[1])
        fault = self._faults.at(task.number, task.calls)
        if fault in ("429", "500"):
            task.calls += 1
            refuse(fault)
        if fault == "drop":
            task.calls += 1
            raise CutConnection
        answer = task.call(local[2], body)
        if fault == "late":
            raise CutConnection
        return answer

    def _body(self) -> Body:
        size = self.headers.get("Content-Length") or "0"
        if not size.isdecimal() or int(size) > _BIGGEST_BODY:
            self.close_connection = True
            text = "body is too large or has no length"
            raise ApiError(400, text)
        raw = self.rfile.read(int(size))
        try:
            fields = json.loads(raw) if raw.strip() else {}
        except (ValueError, RecursionError):
            text = "invalid JSON body"
            raise ApiError(400, text) from None
        if not isinstance(fields, dict):
            text = "request body must be a JSON object"
            raise ApiError(400, text)
        return Body(fields)

    def _send(self, status: int, answer: JsonObject) -> None:
        data = json.dumps(answer, ensure_ascii=False).encode("utf-8", "surrogatepass")
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_args: object) -> None:
        """Silence: the report file says what happened."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request: object, client_address: object) -> None:
        """Clients may leave in the middle of a sentence; that is no error of ours."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]  # as given


def company_benchmarks(
    seeds: Iterable[int],
    profile: str = "standard",
    families: frozenset[str] = frozenset(),
    source: TaskSource = draw_tasks,
    page_cap: int = 0,
) -> dict[str, Benchmark]:
    """One benchmark per seed, plus the shop and the demo; a page cap replaces the tasks' own."""
    companies = []
    for seed in seeds:
        world = generate(seed, profile)
        if isinstance(world.time_entries, TimeSheet):
            _ = world.time_entries.totals  # now, not while the first request waits
        specs = source(world, families)
        if page_cap:
            specs = tuple(replace(s, page_cap=page_cap) if s.page_cap > 0 else s for s in specs)
        companies.append(company_benchmark(world, specs))
    return {benchmark.name: benchmark for benchmark in (*companies, *small_benchmarks())}


def make_server(
    benchmarks: dict[str, Benchmark],
    options: Options,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    faults: FaultPlan | None = None,
) -> ThreadingHTTPServer:
    """A bound server; the caller runs `serve_forever` and closes it."""
    service = Lifecycle(benchmarks, options)
    return _Server((host, port), partial(Desk, service, faults or FaultPlan()))


def parse_seeds(text: str) -> tuple[int, ...]:
    """Reads `0-9` or `3,5,8-10`."""
    seeds: list[int] = []
    for part in text.split(","):
        first, dash, last = part.partition("-")
        seeds += range(int(first), int(last) + 1) if dash else [int(first)]
    return tuple(seeds)


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="solver-world", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seeds", default="", help="several worlds: 0-9 or 1,4,7-8")
    parser.add_argument("--profile", choices=sorted(PROFILES), default="standard")
    parser.add_argument("--families", default="", help="letters or titles, separated by commas")
    parser.add_argument("--page-cap", type=int, default=0, help="instead of the tasks' own")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--hide-eval", action="store_true", help="answer no grades")
    parser.add_argument("--report", type=Path, help="append one JSON line per completed task")
    parser.add_argument("--telemetry-penalty", type=float, default=0.1)
    parser.add_argument("--faults", default="", help="such as 429=0.02,500=0.01,drop=0.01,late=0")
    parser.add_argument("--fault-seed", type=int, default=0)
    parser.add_argument("--until-stdin-closes", action="store_true")
    return parser.parse_args(argv)


def _stop_with_stdin(server: ThreadingHTTPServer) -> None:
    while sys.stdin.buffer.read(4096):
        pass
    server.shutdown()


def main(argv: Sequence[str] | None = None) -> int:
    asked = _arguments(argv)
    try:
        seeds = parse_seeds(asked.seeds) if asked.seeds else (asked.seed,)
        faults = parse_faults(asked.faults, asked.fault_seed)
    except ValueError as error:
        sys.stderr.write(f"solver-world: {error}\n")
        return 2
    families = frozenset(name.strip() for name in asked.families.split(",") if name.strip())
    benchmarks = company_benchmarks(seeds, asked.profile, families, page_cap=asked.page_cap)
    options = Options(asked.hide_eval, asked.report, asked.telemetry_penalty)
    server = make_server(benchmarks, options, host=asked.host, port=asked.port, faults=faults)
    url = f"http://{asked.host}:{server.server_address[1]}"
    names = [name for name in benchmarks if name.startswith("world-")]
    sys.stdout.write(json.dumps({"url": url, "benchmarks": names, "api_root": "erc3-dev"}) + "\n")
    sys.stdout.flush()
    if asked.until_stdin_closes:
        threading.Thread(target=_stop_with_stdin, args=(server,), daemon=True).start()
    try:
        server.serve_forever(poll_interval=0.1)
    except KeyboardInterrupt:
        pass
    finally:
        server.server_close()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
