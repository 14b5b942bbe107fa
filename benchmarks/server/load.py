"""The load itself: requests at a steady rate that wait for nobody, and watchers of a long run."""

import asyncio
import io
import itertools
import json
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

import httpx2
import numpy as np
from PIL import Image

API = "/api/v1"
REQUEST_SECONDS = 150.0
SIZE = (96, 64)
REFUSED = (429, 503)


@dataclass
class Answers:
    """What became of the requests; times count from when a request was due, sent or not."""

    seconds: list[float] = field(default_factory=list)
    """Of those that were answered."""
    statuses: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    refusal_seconds: list[float] = field(default_factory=list)
    reused: int = 0

    @property
    def answered(self) -> int:
        return len(self.seconds)

    @property
    def refused(self) -> int:
        return len(self.refusal_seconds)


@dataclass
class Watched:
    """What the watchers of one run saw."""

    events: list[int] = field(default_factory=list)
    """How many each of them got."""
    lag_seconds: list[float] = field(default_factory=list)
    """From the writing of an event to its arrival."""
    gaps: int = 0
    """Events that were missing or out of order."""
    ended: int = 0
    """Watchers that were told of the end."""
    wrong: list[str] = field(default_factory=list)


def picture(number: int, size: tuple[int, int] = SIZE) -> bytes:
    """A small picture like no other: a slope with noise of its own."""
    chance = np.random.default_rng(number)
    slope = np.linspace(40, 215, size[0])[None, :, None] * np.ones((size[1], 1, 3))
    noisy = slope + chance.normal(0, 4 + number % 20, slope.shape)
    out = io.BytesIO()
    Image.fromarray(np.clip(noisy, 0, 255).astype(np.uint8)).save(out, "PNG")
    return out.getvalue()


async def assess_steadily(
    client: httpx2.AsyncClient, rate: float, seconds: float, made: Callable[[int], bytes]
) -> Answers:
    """`rate` pictures a second, whether or not the ones before were answered."""
    answers = Answers()
    began = time.monotonic()
    waiting: set[asyncio.Task[None]] = set()
    for number in itertools.count():
        due = began + number / rate
        if due >= began + seconds:
            break
        content = made(number)
        await asyncio.sleep(max(0.0, due - time.monotonic()))
        task = asyncio.create_task(_assess(client, content, due, answers))
        waiting.add(task)
        task.add_done_callback(waiting.discard)
    if waiting:
        await asyncio.wait(waiting, timeout=REQUEST_SECONDS)
    return answers


async def _assess(client: httpx2.AsyncClient, content: bytes, due: float, answers: Answers) -> None:
    files = {"image": ("picture.png", content, "image/png")}
    try:
        response = await client.post(f"{API}/iqa/assess", files=files)
    except httpx2.HTTPError as error:
        answers.statuses[type(error).__name__] += 1
        answers.wrong.append(repr(error)[:200])
        return
    taken = time.monotonic() - due
    answers.statuses[str(response.status_code)] += 1
    if response.status_code == 200:
        answers.seconds.append(taken)
        answers.reused += bool(response.json().get("reused"))
    elif response.status_code in REFUSED:
        answers.refusal_seconds.append(taken)
    else:
        answers.wrong.append(f"{response.status_code} {response.text[:200]}")


async def start_ticking(client: httpx2.AsyncClient, seconds: float, pace: float) -> str:
    """A run that writes events for so long; its id."""
    ticks = max(1, round(seconds / pace))
    body = {
        "app": "ticking",
        "task": {"ticks": ticks, "pace_seconds": pace},
        "budget": {"rounds": ticks + 10, "seconds": seconds * 3 + 60},
    }
    response = await client.post(f"{API}/runs", json=body)
    response.raise_for_status()
    run: str = response.json()["run"]
    return run


async def watch_all(client: httpx2.AsyncClient, run: str, watchers: int) -> Watched:
    """So many event streams of one run, until it ends."""
    watched = Watched()
    await asyncio.gather(*(_watch(client, run, watched) for _ in range(watchers)))
    return watched


async def _watch(client: httpx2.AsyncClient, run: str, watched: Watched) -> None:
    last, events = 0, 0
    try:
        async with client.stream("GET", f"{API}/runs/{run}/stream") as response:
            if response.status_code != 200:
                watched.wrong.append(f"a watcher got {response.status_code}")
                return
            name = ""
            async for line in response.aiter_lines():
                if line.startswith("event: "):
                    name = line.removeprefix("event: ")
                elif line.startswith("data: "):
                    if name == "end":
                        watched.ended += 1
                        break
                    told = json.loads(line.removeprefix("data: "))
                    watched.gaps += told["sequence"] != last + 1
                    last, events = told["sequence"], events + 1
                    watched.lag_seconds.append(time.time() - told["at"])
    except httpx2.HTTPError as error:
        watched.wrong.append(repr(error)[:200])
    watched.events.append(events)
