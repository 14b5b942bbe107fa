"""A run that an agent waits for: told as it goes, stopped when the agent loses interest."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import cast

import anyio
from anyio import to_thread
from pydantic import JsonValue

from proveout.kernel.events import BudgetDrained, Event, Note, ProposalMade, Recorded, VerdictGiven
from proveout.kernel.types import Outcome
from proveout.server.desk import Desk
from proveout.server.shapes import RunWish
from proveout.server.workers import Job

LOOK_SECONDS = 0.5
"""Between two looks at the journal while a run goes on."""
MOST_EVENTS = 500
"""Read at one look; the rest is read at the next."""
MOST_ANSWER_CHARACTERS = 40_000
LONGEST_MESSAGE = 300

Report = Callable[[float, str], Awaitable[None]]
"""Progress: a number that grows, and a line for a person."""


@dataclass(frozen=True)
class Visit:
    """What a tool may use while it answers one call."""

    desk: Desk
    report: Report

    async def run(
        self,
        app: str,
        fields: Mapping[str, JsonValue],
        wish: RunWish,
        *,
        before: str = "",
    ) -> tuple[str, Outcome]:
        """Do a whole run; its id and its outcome. Whoever cancels this stops the run."""
        job = await to_thread.run_sync(partial(self.desk.soon, app, fields, wish, before=before))
        try:
            await self._accompany(job)
        finally:
            if not job.done.done():
                with anyio.CancelScope(shield=True):
                    await to_thread.run_sync(self.desk.stop, job.order.run)
        return job.order.run, cast(Outcome, job.done.result(0))

    async def _accompany(self, job: Job) -> None:
        """Until the run is over, tell what it writes down."""
        ended = anyio.Event()
        loop = asyncio.get_running_loop()
        job.done.add_done_callback(lambda _: loop.call_soon_threadsafe(ended.set))
        seen = 0
        while not ended.is_set():
            with anyio.move_on_after(LOOK_SECONDS):
                await ended.wait()
            rows: list[Recorded] = await to_thread.run_sync(
                self.desk.events, job.order.run, seen, MOST_EVENTS
            )
            if rows:
                seen = rows[-1].sequence
                told = [line for line in (_line(row.event) for row in rows) if line]
                await self.report(float(seen), told[-1] if told else f"{seen} events")


def _line(event: Event) -> str:
    """What a person would like to read while waiting."""
    text = ""
    if isinstance(event, ProposalMade):
        text = f"judging {event.key}"
    elif isinstance(event, VerdictGiven):
        verdict = event.verdict
        codes = " ".join(sorted({finding.code for finding in verdict.findings}))
        score = "" if verdict.score is None else f", score {verdict.score:g}"
        text = f"{event.key}: {'accepted' if verdict.accepted else 'rejected'}{score} {codes}"
    elif isinstance(event, BudgetDrained):
        text = f"budget spent: {event.bound} ({event.used:g} of {event.limit:g})"
    elif isinstance(event, Note):
        text = event.text
    return text.strip()[:LONGEST_MESSAGE]


def bounded(answer: JsonValue) -> tuple[JsonValue, bool]:
    """The answer, or as much of its text as an agent should have to read."""
    text = json.dumps(answer, ensure_ascii=False)
    if len(text) <= MOST_ANSWER_CHARACTERS:
        return answer, False
    return text[:MOST_ANSWER_CHARACTERS], True
