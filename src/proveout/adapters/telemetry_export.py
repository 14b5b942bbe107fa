"""Spans on their way to a collector, by the OpenTelemetry SDK (extra `telemetry`).

Sending happens in a thread of its own with a bounded queue. An endpoint that does not answer is
named in one warning and left alone for a while; what was meant for it is dropped.
"""

import hashlib
import logging
import threading
import time
from collections.abc import Sequence
from functools import lru_cache
from urllib.parse import urlsplit

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.id_generator import IdGenerator
from opentelemetry.trace import (
    NonRecordingSpan,
    SpanContext,
    SpanKind,
    Status,
    StatusCode,
    TraceFlags,
    set_span_in_context,
)

from proveout import __version__
from proveout.adapters.telemetry_spans import Span

logger = logging.getLogger("proveout.adapters.telemetry")

EXPORT_SECONDS = 2.0
FLUSH_SECONDS = 2.0
PAUSE_SECONDS = 60.0
"""How long an endpoint that did not answer is left alone."""
MOST_WAITING = 4096
"""Spans that wait to be sent; of more, the oldest are dropped."""
TRACES = "/v1/traces"


@lru_cache(maxsize=8)
def open_endpoint(endpoint: str) -> "SpanSender":
    """A collector that speaks OTLP over HTTP; headers come from OTEL_EXPORTER_OTLP_HEADERS.

    One for all runs of a process: they share its thread, and what it knows of the endpoint.
    """
    url = traces_url(endpoint)
    return SpanSender(Tolerant(OTLPSpanExporter(url, timeout=EXPORT_SECONDS), url))


def traces_url(endpoint: str) -> str:
    """The address that takes traces; a bare host gets the usual path."""
    return endpoint.rstrip("/") + TRACES if urlsplit(endpoint).path in ("", "/") else endpoint


def trace_id(run: str) -> int:
    """The trace of a run: the same whenever and wherever it is asked for."""
    return int.from_bytes(hashlib.sha256(run.encode()).digest()[:16])


def span_id(run: str, key: str) -> int:
    return int.from_bytes(hashlib.sha256(f"{run} {key}".encode()).digest()[:8])


class SpanSender:
    """Gives our spans to the SDK with ids that follow from run and key."""

    def __init__(self, exporter: SpanExporter) -> None:
        # What the library has to say is for developers who listen; people get our one warning.
        logging.getLogger("opentelemetry").addHandler(logging.NullHandler())
        self._ids = GivenIds()
        self._provider = TracerProvider(
            resource=Resource.create({"service.name": "proveout", "service.version": __version__}),
            id_generator=self._ids,
            shutdown_on_exit=False,
        )
        self._provider.add_span_processor(
            BatchSpanProcessor(exporter, max_queue_size=MOST_WAITING, schedule_delay_millis=1000)
        )
        self._tracer = self._provider.get_tracer("proveout", __version__)
        self._turn = threading.Lock()

    def send(self, run: str, span: Span) -> None:
        above = None
        if span.parent is not None:
            place = SpanContext(
                trace_id(run), span_id(run, span.parent), False, TraceFlags(TraceFlags.SAMPLED)
            )
            above = set_span_in_context(NonRecordingSpan(place))
        with self._turn:
            self._ids.trace, self._ids.span = trace_id(run), span_id(run, span.key)
            made = self._tracer.start_span(
                span.name,
                context=above,
                kind=SpanKind.CLIENT if span.remote else SpanKind.INTERNAL,
                attributes=dict(span.attributes),
                start_time=_nanoseconds(span.start),
            )
        for mark in span.marks:
            made.add_event(mark.name, dict(mark.attributes), _nanoseconds(mark.at))
        if span.failure:
            made.set_status(Status(StatusCode.ERROR, span.failure))
        made.end(_nanoseconds(span.end))

    def close(self) -> None:
        """Deliver what waits, within a bound; more may be sent afterwards."""
        flushing = threading.Thread(target=self._provider.force_flush, daemon=True)
        flushing.start()
        flushing.join(FLUSH_SECONDS)


class GivenIds(IdGenerator):
    """The ids of the span that is made next."""

    trace = 0
    span = 0

    def generate_trace_id(self) -> int:
        return self.trace

    def generate_span_id(self) -> int:
        return self.span


class Tolerant(SpanExporter):
    """Says once that an endpoint does not answer, and spares everybody the waiting."""

    def __init__(self, exporter: SpanExporter, url: str) -> None:
        self._exporter = exporter
        self._url = url
        self._warned = False
        self._again_at = 0.0

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        if time.monotonic() < self._again_at:
            return SpanExportResult.FAILURE
        result = self._exporter.export(spans)
        if result is not SpanExportResult.SUCCESS:
            self._again_at = time.monotonic() + PAUSE_SECONDS
            self._warn()
        return result

    def shutdown(self) -> None:
        self._exporter.shutdown()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        return self._exporter.force_flush(timeout_millis)

    def _warn(self) -> None:
        if not self._warned:
            self._warned = True
            shown = urlsplit(self._url)
            logger.warning(
                "telemetry: %s://%s takes no spans; runs go on without",
                shown.scheme,
                shown.netloc.rpartition("@")[2],
            )


def _nanoseconds(seconds: float) -> int:
    return round(seconds * 1e9)
