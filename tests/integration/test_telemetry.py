"""Traces of runs: real exporters, a collector on loopback, and what happens when there is none."""

import logging
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span as SentSpan
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.semconv._incubating.attributes import gen_ai_attributes
from opentelemetry.trace import SpanKind, StatusCode
from pydantic import JsonValue

from proveout.adapters.telemetry import Telemetry
from proveout.adapters.telemetry_export import SpanSender, span_id, trace_id, traces_url
from proveout.adapters.telemetry_spans import Spans
from proveout.kernel.budget import Budget
from proveout.kernel.errors import Interrupted, UsageError
from proveout.kernel.events import Event, EvidenceObserved, Recorded, VerdictGiven
from proveout.kernel.types import Verdict
from proveout.runtime import Workspace
from proveout.server.desk import Crew, Desk
from proveout.server.shapes import RunWish
from proveout.settings import load
from proveout.testing.pattern import APP
from proveout.testing.workspaces import own_environment, workspace
from tests.integration.command import wait_for, write_file

EASY: dict[str, JsonValue] = {"expression": "a+b"}
HOPELESS = {"expression": "a{2}", "shortest": 3}


class Collector:
    """Takes OTLP over HTTP on a loopback port and keeps what it was sent."""

    def __init__(self) -> None:
        self.requests: list[ExportTraceServiceRequest] = []
        self.paths: list[str] = []
        self.headers: list[dict[str, str]] = []

    @property
    def spans(self) -> list[SentSpan]:
        return [
            span
            for request in self.requests
            for resource in request.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]


@contextmanager
def collector() -> Iterator[tuple[Collector, str]]:
    kept = Collector()

    class Taking(BaseHTTPRequestHandler):
        def do_POST(self) -> None:  # noqa: N802 - the library's name
            body = self.rfile.read(int(self.headers["Content-Length"]))
            request = ExportTraceServiceRequest()
            request.ParseFromString(body)
            kept.requests.append(request)
            kept.paths.append(self.path)
            kept.headers.append({name.lower(): value for name, value in self.headers.items()})
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            del format, args

    server = ThreadingHTTPServer(("127.0.0.1", 0), Taking)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield kept, f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)


def start(opened: Workspace, fields: dict[str, Any], **more: Any) -> str:
    return opened.start(APP, opened.task(APP, fields), **more).id


def traced(opened: Workspace, run: str) -> list[ReadableSpan]:
    """The spans of a run that is over, through the SDK into its in-memory exporter."""
    exporter = InMemorySpanExporter()
    telemetry = Telemetry(collector=SpanSender(exporter))
    watched: list[Event] = []
    rows = list(opened.journal.read(run))
    telemetry.reader(opened.journal, run, None, watched.append)(rows[-1].event)
    telemetry.close()
    assert watched == [rows[-1].event]
    return list(exporter.get_finished_spans())


def attributes(span: ReadableSpan) -> dict[str, Any]:
    return dict(span.attributes or {})


def test_a_run_is_one_trace_with_a_span_for_every_piece_of_work(tmp_path: Path) -> None:
    with workspace(tmp_path) as opened:
        run = opened.read(start(opened, EASY, seed=3))
        spans = traced(opened, run.id)
    named = [span.name.split()[0] for span in spans]
    judged = len(run.attempts)
    assert judged > 1
    assert named.count("attempt") == named.count("check") == judged
    assert named.count("expert") == len(run.calls)
    (root,) = [span for span in spans if span.parent is None]
    assert root.name == "invoke_agent pattern"
    told = attributes(root)
    assert told["proveout.run"] == run.id
    assert told["proveout.seed"] == 3
    assert told["proveout.accepted"] is True
    assert told["gen_ai.agent.name"] == "pattern"
    assert {span.context.trace_id for span in spans if span.context} == {trace_id(run.id)}
    known = {span.context.span_id for span in spans if span.context}
    assert len(known) == len(spans)
    assert {span.parent.span_id for span in spans if span.parent} <= known


def test_times_are_those_of_the_events(tmp_path: Path) -> None:
    with workspace(tmp_path) as opened:
        run = start(opened, EASY)
        rows = list(opened.journal.read(run))
        spans = traced(opened, run)
    (root,) = [span for span in spans if span.parent is None]
    assert (root.start_time, root.end_time) == (round(rows[0].at * 1e9), round(rows[-1].at * 1e9))
    verdicts = [round(row.at * 1e9) for row in rows if isinstance(row.event, VerdictGiven)]
    assert sorted(span.end_time or 0 for span in spans if span.name == "check") == verdicts
    for span in spans:
        assert span.start_time is not None
        assert span.end_time is not None
        assert span.start_time <= span.end_time


def test_a_model_call_carries_the_names_of_the_conventions_and_no_text(tmp_path: Path) -> None:
    usage = {"calls": 1, "input_tokens": 70, "output_tokens": 5, "cost_usd": 0.01}
    script = write_file(
        tmp_path / "script.json",
        [
            {"role": "pattern/describe", "text": "a secret-sounding description"},
            *({"value": {"word": "zzzunfit"}, "usage": usage} for _ in range(2)),
            *({"value": {"word": "aab"}, "usage": usage} for _ in range(6)),
        ],
    )
    with workspace(tmp_path, model__name=f"scripted:{script}") as opened:
        run = opened.read(start(opened, EASY))
        spans = traced(opened, run.id)
    calls = [span for span in spans if span.name.startswith("chat ")]
    assert len(calls) == len(run.calls)
    told = attributes(calls[-1])
    assert told["gen_ai.operation.name"] == "chat"
    assert told["gen_ai.provider.name"] == "scripted"
    assert told["gen_ai.request.model"] == str(script)
    assert told["gen_ai.response.finish_reasons"] == ("end",)
    assert (told["gen_ai.usage.input_tokens"], told["gen_ai.usage.output_tokens"]) == (70, 5)
    assert {span.kind for span in calls} == {SpanKind.CLIENT}
    everything = "".join(span.to_json() for span in spans)
    for text in ("secret-sounding", "zzzunfit", "aab", "a+b"):
        assert text not in everything
    conventions = {value for name, value in vars(gen_ai_attributes).items() if name.isupper()}
    used = {name for span in spans for name in attributes(span) if name.startswith("gen_ai.")}
    assert used <= conventions
    rejected = [span for span in spans if attributes(span).get("proveout.accepted") is False]
    assert {span.name.split()[0] for span in rejected} == {"attempt", "check"}
    assert attributes(rejected[0])["proveout.findings"] == ("pattern.no_match",)


def test_scripts_are_spans_with_times_and_memory_and_not_what_they_printed() -> None:
    told = b'[{"seconds": 2.5, "cpu_seconds": 2.0, "peak_bytes": 1000, "stdout": "the output"}]'
    spans = Spans(lambda _name: told)
    events: list[Event] = [
        EvidenceObserved(key="first#0:circumstances", content="c"),
        VerdictGiven(key="first#0", verdict=Verdict()),
    ]
    made = [
        span
        for number, event in enumerate(events, start=1)
        for span in spans.add(Recorded("mle-1", number, "i", "", 100.0 + number, 0.0, event))
    ]
    script, check, attempt = made
    assert (script.name, script.start, script.end) == ("script", 98.5, 101.0)
    assert script.parent == check.key
    assert dict(script.attributes) == {
        "proveout.script.seconds": 2.5,
        "proveout.script.cpu_seconds": 2.0,
        "proveout.script.peak_bytes": 1000,
    }
    assert attempt.name == "attempt first"


def test_a_resumed_run_goes_on_in_its_trace(tmp_path: Path) -> None:
    with collector() as (kept, url):
        with workspace(tmp_path, budget__rounds=1, telemetry__endpoint=url) as opened:
            run = start(opened, HOPELESS)
            opened.resume(run, budget=Budget(rounds=3))
        sent = kept.spans
    assert {span.trace_id for span in sent} == {trace_id(run).to_bytes(16)}
    sessions = [span for span in sent if not span.parent_span_id]
    assert len(sessions) == 2
    assert [span.name.split()[0] for span in sent].count("attempt") == 3


def test_an_interrupted_run_ends_its_trace_as_failed(tmp_path: Path) -> None:
    with workspace(tmp_path) as opened:

        def stop(event: Event) -> None:
            if isinstance(event, VerdictGiven):
                opened.cancel.set()

        with pytest.raises(Interrupted):
            start(opened, HOPELESS, watch=stop)
        spans = traced(opened, opened.find("last"))
    (root,) = [span for span in spans if span.parent is None]
    assert root.status.status_code is StatusCode.ERROR
    assert root.status.description == "asked to stop"
    assert attributes(root)["proveout.ended"] is False


def test_spans_reach_a_collector_over_http(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-team=blue")
    with collector() as (kept, url):
        with workspace(tmp_path, telemetry__endpoint=url) as opened:
            run = opened.read(start(opened, EASY))
        sent = kept.spans
    assert set(kept.paths) == {"/v1/traces"}
    assert kept.headers[0]["x-team"] == "blue"
    assert len(sent) == 1 + 2 * len(run.attempts) + len(run.calls)
    root = next(span for span in sent if not span.parent_span_id)
    assert root.span_id == span_id(run.id, "session 1").to_bytes(8)
    service = kept.requests[0].resource_spans[0].resource.attributes
    assert {pair.key: pair.value.string_value for pair in service}["service.name"] == "proveout"


@pytest.mark.timeout(300)
def test_a_run_that_the_server_has_done_elsewhere_is_traced_too(tmp_path: Path) -> None:
    with collector() as (kept, url), own_environment(tmp_path):
        desk = Desk(load({"telemetry.endpoint": url}, tmp_path), root=tmp_path, crew=Crew(0, 1))
        try:
            job = desk.soon("pattern", EASY, RunWish())
            assert desk.finish(job, 200).accepted
        finally:
            desk.close()
        roots = [span for span in kept.spans if not span.parent_span_id]
    assert [span.trace_id for span in roots] == [trace_id(job.order.run).to_bytes(16)]


def test_an_endpoint_that_is_down_costs_one_warning_and_no_run(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        with caplog.at_level(logging.WARNING, logger="proveout"):
            address = f"http://user:hidden@127.0.0.1:{port}"
            with workspace(tmp_path, telemetry__endpoint=address) as opened:
                runs = [opened.read(start(opened, EASY)) for _ in range(3)]
                began = time.monotonic()
            took = time.monotonic() - began
            wait_for(lambda: bool(warnings_of(caplog)), 20)
    assert all(run.outcome and run.outcome.accepted for run in runs)
    assert took < 10, "closing waits two seconds at most"
    (warning,) = warnings_of(caplog)
    assert warning == f"telemetry: http://127.0.0.1:{port} takes no spans; runs go on without"


def warnings_of(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [r.getMessage() for r in caplog.records if r.name.startswith("proveout")]


def test_an_endpoint_that_never_answers_holds_nobody_up(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with caplog.at_level(logging.WARNING, logger="proveout"):
            with workspace(tmp_path, telemetry__endpoint=url) as opened:
                began = time.monotonic()
                run = opened.read(start(opened, EASY))
                worked = time.monotonic() - began
                wait_for(lambda: bool(warnings_of(caplog)), 30)
                start(opened, EASY)
                began = time.monotonic()
            closed = time.monotonic() - began
    assert run.outcome is not None
    assert run.outcome.accepted
    assert worked < 10
    assert closed < 10
    assert warnings_of(caplog) == [f"telemetry: {url} takes no spans; runs go on without"]


def test_without_an_endpoint_nothing_is_loaded(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "import proveout\n"
        "assert proveout.run('pattern', expression='a+b').accepted\n"
        "assert not [name for name in sys.modules if name.startswith('opentelemetry.sdk')]\n"
    )
    _python(code, tmp_path)


def test_a_missing_extra_is_told_before_the_run_begins(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "sys.modules['opentelemetry'] = None\n"
        "import proveout\n"
        "try:\n"
        "    proveout.run('pattern', expression='a+b')\n"
        "except proveout.ProveoutError as error:\n"
        "    print(type(error).__name__, error.hint)\n"
        "with proveout.Workspace() as opened:\n"
        "    print(len(opened.journal.runs()), 'runs')\n"
    )
    told = _python(code, tmp_path, PROVEOUT_TELEMETRY__ENDPOINT="http://127.0.0.1:9")
    assert told.splitlines() == [
        "PrerequisiteError pip install 'proveout[telemetry]', or leave telemetry.endpoint empty",
        "0 runs",
    ]


def test_the_command_shows_the_warning(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as refused:
        port = refused.getsockname()[1]
    done = subprocess.run(
        [sys.executable, "-m", "proveout", "pattern", "run", "--expression", "a+b", "--quiet"],
        cwd=tmp_path,
        env=_environment(tmp_path, PROVEOUT_TELEMETRY__ENDPOINT=f"http://127.0.0.1:{port}"),
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0
    assert done.stderr.count("takes no spans") == 1
    assert "opentelemetry" not in done.stderr


@pytest.mark.parametrize(
    ("given", "used"),
    [
        ("http://localhost:4318", "http://localhost:4318/v1/traces"),
        ("http://localhost:4318/", "http://localhost:4318/v1/traces"),
        ("https://host/otlp/v1/traces", "https://host/otlp/v1/traces"),
    ],
)
def test_a_bare_host_gets_the_usual_path(given: str, used: str) -> None:
    assert traces_url(given) == used


def test_an_endpoint_that_is_no_address_is_refused() -> None:
    with pytest.raises(UsageError, match="telemetry.endpoint"):
        load({"telemetry.endpoint": "localhost:4318"})


def _environment(folder: Path, **more: str) -> dict[str, str]:
    return {"PATH": "/usr/bin:/bin", "HOME": str(folder), "OMP_NUM_THREADS": "1", **more}


def _python(code: str, folder: Path, **more: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env=_environment(folder, **more),
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
