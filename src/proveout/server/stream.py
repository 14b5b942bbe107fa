"""Events of runs as they are written, for many watchers at the cost of one.

One reader follows the journal for everybody: it notices that something was written, reads the new
events of each watched run once, and hands the same bytes to all who watch it. It reads the journal
and nothing else, so it works for runs that another process does, and after a restart.
"""

import asyncio
import contextlib
import json
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice
from typing import TypeVar, TypeVarTuple

from proveout.adapters.journal.sqlite import SqliteJournal
from proveout.kernel.events import Recorded
from proveout.server.desk import Desk
from proveout.server.shapes import State
from proveout.server.workers import Busy

TICK_SECONDS = 0.2
HEARTBEAT_SECONDS = 15.0
QUIET_SECONDS = 3.0
"""Without news, somebody asks whether the run still goes on."""
MOST_UNREAD = 2_000
"""Events that wait for a slow watcher; then it is let go and comes back with its last number."""
PAGE = 500
RETRY = b"retry: 2000\n\n"
HEARTBEAT = b": still here\n\n"
Given = TypeVarTuple("Given")
Value = TypeVar("Value")
GOING: tuple[State, ...] = ("queued", "running")


@dataclass(eq=False)
class Watcher:
    """One connection: what it has yet to send."""

    frames: asyncio.Queue[bytes | None] = field(
        default_factory=lambda: asyncio.Queue(MOST_UNREAD + 1)
    )
    """None ends the stream."""


@dataclass(eq=False)
class Followed:
    """A run that somebody watches, and how far it was read."""

    seen: int
    watchers: set[Watcher] = field(default_factory=set)
    looked: float = field(default_factory=time.monotonic)


class Stream:
    """Lives in the event loop; reads the journal in one thread of its own."""

    def __init__(self, desk: Desk, most_watchers: int) -> None:
        self._desk = desk
        self._most = most_watchers
        self._followed: dict[str, Followed] = {}
        self._reader = ThreadPoolExecutor(1, thread_name_prefix="journal")
        self._journal: SqliteJournal | None = None
        self._version = -1
        self._pulse: asyncio.Task[None] | None = None
        self._leaving = False

    @property
    def watching(self) -> int:
        return sum(len(followed.watchers) for followed in self._followed.values())

    def let_go(self) -> None:
        """Have every stream end soon; may be called by a signal."""
        self._leaving = True

    async def close(self) -> None:
        """End every stream."""
        if self._pulse is not None:
            self._pulse.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._pulse
        self._dismiss()
        if self._journal is not None:
            await self._read(self._journal.close)
        self._reader.shutdown(wait=False)

    def demand_room(self) -> None:
        if self.watching >= self._most:
            message = f"{self._most} event streams are open already"
            raise Busy(message, retry_seconds=10)

    async def frames(self, run: str, after: int) -> AsyncIterator[bytes]:
        """Server-sent events of a run (its full id) from the one that follows `after`."""
        watcher = Watcher()
        followed = await self._join(run, watcher)
        try:
            yield RETRY
            # What was written before the watcher came; the pulse brings what comes after `upto`.
            upto = followed.seen
            while after < upto:
                rows = await self._read(self._since, run, after)
                for row in rows:
                    if row.sequence <= upto:
                        yield frame(row)
                after = rows[-1].sequence if rows else upto
            async for one in _received(watcher):
                yield one
            yield await self._farewell(run)
        finally:
            followed.watchers.discard(watcher)
            if not followed.watchers and self._followed.get(run) is followed:
                del self._followed[run]

    async def _join(self, run: str, watcher: Watcher) -> Followed:
        if run not in self._followed:
            newest = await self._read(self._newest, run)
            # Another watcher may have come while the journal was read.
            self._followed.setdefault(run, Followed(newest))
            # An ended run is noticed at the next look, not after a while.
            self._followed[run].looked = 0.0
        followed = self._followed[run]
        followed.watchers.add(watcher)
        if self._pulse is None or self._pulse.done():
            self._pulse = asyncio.create_task(self._beat())
        return followed

    async def _beat(self) -> None:
        """While anybody watches, look whether something was written."""
        while self._followed:
            if self._leaving:
                self._dismiss()
            changed = await self._read(self._changed)
            for run, followed in list(self._followed.items()):
                if changed:
                    await self._bring(run, followed)
                if time.monotonic() - followed.looked > QUIET_SECONDS:
                    await self._look(run, followed)
            await asyncio.sleep(TICK_SECONDS)

    def _dismiss(self) -> None:
        for followed in self._followed.values():
            for watcher in followed.watchers:
                _hand(watcher, None)

    async def _bring(self, run: str, followed: Followed) -> None:
        while rows := await self._read(self._since, run, followed.seen):
            followed.seen = rows[-1].sequence
            followed.looked = time.monotonic()
            for row in rows:
                content = frame(row)
                for watcher in list(followed.watchers):
                    _hand(watcher, content)
            if rows[-1].event.kind in ("run.ended", "run.interrupted"):
                # Its lock is given back a moment later; the next look sees that.
                followed.looked = time.monotonic() - QUIET_SECONDS + TICK_SECONDS

    async def _look(self, run: str, followed: Followed) -> None:
        followed.looked = time.monotonic()
        if await self._read(self._desk.state_of, run) in GOING:
            return
        # Nothing that was written before it ended may be missed.
        await self._bring(run, followed)
        for watcher in list(followed.watchers):
            _hand(watcher, None)

    async def _farewell(self, run: str) -> bytes:
        state = await self._read(self._desk.state_of, run)
        return f"event: end\ndata: {json.dumps({'run': run, 'state': state})}\n\n".encode()

    # In the reader's thread

    async def _read(self, function: Callable[[*Given], Value], *arguments: *Given) -> Value:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._reader, function, *arguments)

    def _opened(self) -> SqliteJournal:
        if self._journal is None:
            self._journal = SqliteJournal(self._desk.journal, readonly=True)
        return self._journal

    def _changed(self) -> bool:
        version = self._opened().data_version
        changed = version != self._version
        self._version = version
        return changed

    def _newest(self, run: str) -> int:
        last = self._opened().last(run)
        return last.sequence if last else 0

    def _since(self, run: str, after: int) -> list[Recorded]:
        return list(islice(self._opened().read(run, after=after), PAGE))


def frame(row: Recorded) -> bytes:
    """An event as it is sent: its number, and everything that it says."""
    body = row.event.model_dump(mode="json")
    told = {"sequence": row.sequence, "at": row.at, "elapsed": row.elapsed, **body}
    return f"id: {row.sequence}\ndata: {json.dumps(told, ensure_ascii=False)}\n\n".encode()


def _hand(watcher: Watcher, content: bytes | None) -> None:
    """Without waiting: whoever is too slow is let go, and nobody else notices."""
    if watcher.frames.qsize() < MOST_UNREAD:
        watcher.frames.put_nowait(content)
    elif not watcher.frames.full():
        watcher.frames.put_nowait(None)


async def _received(watcher: Watcher) -> AsyncIterator[bytes]:
    while True:
        try:
            content = await asyncio.wait_for(watcher.frames.get(), HEARTBEAT_SECONDS)
        except TimeoutError:
            yield HEARTBEAT
            continue
        # What has come meanwhile goes along: one write for all of it.
        frames = [content]
        while frames[-1] is not None and not watcher.frames.empty():
            frames.append(watcher.frames.get_nowait())
        if told := b"".join(one for one in frames if one is not None):
            yield told
        if frames[-1] is None:
            return
