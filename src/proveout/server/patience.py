"""Connections that nobody asks anything on are let go, so that they shut nobody out.

Uvicorn gives up on a client only between two requests. Here a client also has bounded time to send
a request's head and to go on with its body, and where connections are many, the one that has been
silent for the longest makes room for the next.
"""

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

HEAD_SECONDS = 10.0
"""From the first byte of a request, or from the beginning, to the end of its head."""
BODY_SECONDS = 30.0
"""Between two pieces of a request's body."""
MOST_OPEN = 500
"""Connections; beyond them the longest silent one is closed for every new one."""


class PatientProtocol(H11Protocol):
    """One connection, whose patience with its client ends."""

    head_seconds = HEAD_SECONDS
    body_seconds = BODY_SECONDS
    most_open = MOST_OPEN
    _clock: asyncio.TimerHandle | None = None
    _silent_since = 0.0

    @property
    def is_idle(self) -> bool:
        """Whether no request is under way: none has come, or the last one is answered."""
        cycle: RequestResponseCycle | None = self.cycle
        return cycle is None or cycle.response_complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._silent_since = self.loop.time()
        self._wind(self.head_seconds)
        if len(self.connections) > self.most_open:
            self._make_room()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        owed = self.conn.their_state
        if owed is h11.SEND_BODY:
            self._wind(self.body_seconds)
        elif owed is not h11.IDLE:
            self._unwind()
        elif self._clock is None:
            # Not wound again with every byte: a head that comes in drops must come to an end.
            self._wind(self.head_seconds)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._silent_since = self.loop.time()

    def connection_lost(self, exc: Exception | None) -> None:
        self._unwind()
        super().connection_lost(exc)

    def _make_room(self) -> None:
        idle = [one for one in self.connections if isinstance(one, PatientProtocol) and one.is_idle]
        others = [one for one in idle if one is not self and not one.transport.is_closing()]
        if others:
            min(others, key=lambda one: one._silent_since).transport.close()

    def _wind(self, seconds: float) -> None:
        self._unwind()
        self._clock = self.loop.call_later(seconds, self._run_out, seconds)

    def _unwind(self) -> None:
        if self._clock is not None:
            self._clock.cancel()
            self._clock = None

    def _run_out(self, seconds: float) -> None:
        if self.flow.read_paused:
            # It is we who have not read on.
            self._wind(seconds)
        else:
            self.transport.close()
