"""Runs as OpenTelemetry traces: a reader of the journal, off unless an endpoint is set.

One trace per run, the same one when a run is resumed. A span per session of a run, per attempt, per
model call, per judging and per script; times are those of the events. Names, numbers and codes are
sent; prompts, replies, tasks and messages of findings are not. Whatever goes wrong here is said
once and costs the run nothing.
"""

import threading
from collections.abc import Callable
from typing import Protocol

from proveout.adapters.telemetry_spans import Span, Spans
from proveout.kernel.errors import PrerequisiteError
from proveout.kernel.events import Event, Recorded
from proveout.kernel.ports import Journal

READ_AT = frozenset({"verdict.given", "run.ended", "run.interrupted"})
"""Events that are durable when they are told: everything before them can be read."""
Watch = Callable[[Event], None]


class Collector(Protocol):
    """Takes finished spans, never waits for anybody."""

    def send(self, run: str, span: Span) -> None: ...

    def close(self) -> None:
        """Deliver what waits, within a bound."""
        ...


class Telemetry:
    """The door to a collector: opened when the first run is traced, shared by all runs after."""

    def __init__(self, endpoint: str = "", collector: Collector | None = None) -> None:
        """`collector` takes the spans instead of the endpoint."""
        self._endpoint = endpoint
        self._collector = collector
        self._turn = threading.Lock()

    def reader(self, journal: Journal, run: str, history: Recorded | None, watch: Watch) -> Watch:
        """`watch`, and a trace of what the run writes from now on, after its `history`.

        Raises:
            PrerequisiteError: if an endpoint is set and the extra is not installed.
        """
        collector = self._opened()
        if collector is None:
            return watch
        spans, turn = Spans(journal.get), threading.Lock()
        seen = [history.sequence if history else 0]

        def watching(event: Event) -> None:
            watch(event)
            if event.kind not in READ_AT:
                return
            with turn:
                for row in journal.read(run, after=seen[0]):
                    seen[0] = row.sequence
                    for span in spans.add(row):
                        collector.send(run, span)

        return watching

    def close(self) -> None:
        if self._collector is not None:
            self._collector.close()

    def _opened(self) -> Collector | None:
        with self._turn:
            if self._collector is None and self._endpoint:
                self._collector = _collector(self._endpoint)
            return self._collector


def _collector(endpoint: str) -> Collector:
    try:
        from proveout.adapters.telemetry_export import open_endpoint
    except ModuleNotFoundError as missing:
        message = f"telemetry needs the package {missing.name!r}"
        hint = "pip install 'proveout[telemetry]', or leave telemetry.endpoint empty"
        raise PrerequisiteError(message, hint=hint) from missing
    return open_endpoint(endpoint)
