"""The search: which scripts to try next, within the time that is left.

Every decision rests on what the journal holds: verdicts, and the clock as it was read. A resumed
run therefore comes to the same decisions and goes on where it stopped.
"""

import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from statistics import fmean
from typing import Any

from pydantic import JsonValue

from proveout.apps.mle.checks import GATE, Executed, untried
from proveout.apps.mle.harness.arena import Arena
from proveout.apps.mle.problem import Problem
from proveout.apps.mle.scripts.candidate import (
    Candidate,
    Circumstances,
    Measured,
    Predictions,
    Tried,
    called,
    tried,
    unpacked,
)
from proveout.apps.mle.search.expecting import constant_score
from proveout.apps.mle.task import MleTask
from proveout.kernel.context import Context
from proveout.kernel.loop import fan_out
from proveout.kernel.ports import Proposer, ScriptLimits
from proveout.kernel.types import Attempt

FIRST_SHARE = 0.4
"""Of the time, for the first models."""
SHORTEST_SCRIPT_SECONDS = 8.0
ALONE_SHARE = 0.75
"""Of the time, for the first scripts where it is so short that no others will follow."""
LEAST_LAST_SHARE = 0.1
"""Of the time, kept at least for the end: the final run on all rows, or the last resort."""
FEWEST_CELLS_SHARED = 3_000_000
"""Of a training table that several threads learn from sooner than one. Two took 4.8 ms for a round
of boosting on 6,000 cells, where one took 0.4, and 10.6 instead of 8.1 on two million."""
SMALL_ERROR = 1e-3
"""Of what the same answer for every row earns: ratios between smaller errors say little."""


@dataclass
class Search:
    """Everything tried so far, and how long is left."""

    task: MleTask
    """With the steering that is in force."""
    context: Context
    problem: Problem
    work: str
    seconds: float
    """Of the whole run."""
    begun: float = 0.0
    """Seconds that had passed when the first script could be tried."""
    workers: int = 2
    """Scripts at a time."""
    cores: int = 2
    """For a script that has the machine to itself."""
    memory_bytes: int = 4 * 2**30
    wanted: dict[str, JsonValue] = field(default_factory=dict)
    """How a person steers it now; this comes into force at the next point where it is read."""
    attempts: list[Tried] = field(default_factory=list)
    studies: list[dict[str, Any]] = field(default_factory=list)
    """Ablation studies, as the report shows them."""
    _predicted: dict[str, Predictions] = field(default_factory=dict)
    _families: dict[str, str] = field(default_factory=dict)

    @cached_property
    def arena(self) -> Arena:
        """As it was prepared when the run began."""
        folder, work = Path(self.task.folder), Path(self.work)
        return Arena.prepare(self.problem, folder, work, seed=self.context.seed)

    @cached_property
    def constant_score(self) -> float | None:
        """Of an answer that is the same for every row; written down, like all that decides."""
        value = self.context.observe("constant_score", lambda: _finite(constant_score(self.arena)))
        return float(value) if isinstance(value, (int, float)) else None

    def predicted(self, content_id: str) -> Predictions:
        """What a script predicted; several blends ask for the same."""
        if content_id not in self._predicted:
            self._predicted[content_id] = unpacked(self.context.record.get(content_id))
        return self._predicted[content_id]

    def used(self) -> float:
        """Read once per decision and written down: a resumed run decides the same."""
        value = self.context.observe(
            "seconds", lambda: round(self.context.meter.used("seconds"), 2)
        )
        return float(value) if isinstance(value, (int, float)) else 0.0

    def left(self, reserved: float = 0.0) -> float:
        return self.seconds - self.used() - reserved

    @property
    def at_first(self) -> float:
        """Seconds for the search, once its data were prepared."""
        return max(0.0, self.seconds - self.begun)

    @property
    def shortest(self) -> float:
        """What a script gets at least; less where there was not much to begin with."""
        return min(SHORTEST_SCRIPT_SECONDS, max(1.0, ALONE_SHARE * self.at_first))

    @property
    def threads(self) -> int:
        """Of a script that has the machine to itself. In a small table they would wait for each
        other longer than they work, and the script take several times as long as with one."""
        cells = self.problem.rows * max(1, len(self.problem.features))
        return self.cores if cells >= FEWEST_CELLS_SHARED else 1

    def check(self, seconds: float, *, full: bool = False, threads: int = 1) -> Executed:
        return Executed(
            problem=self.problem,
            folder=self.task.folder,
            work=self.work,
            seed=self.context.seed,
            limits=ScriptLimits(
                seconds=max(seconds, self.shortest),
                memory_bytes=self.memory_bytes if full else self.memory_bytes // self.workers,
                threads=threads,
            ),
            door=self.context.ports.open_sandbox,
            full=full,
        )

    def trying(self, proposers: Mapping[str, Proposer[Candidate]], seconds: float) -> list[Tried]:
        """Make one attempt per proposer, several at a time; each may take so long."""
        made = []
        tried_before = untried(item.candidate.source for item in self.attempts)
        checks = (tried_before, *GATE, self.check(seconds))
        for attempt in fan_out(self.task, proposers, checks, self.context):
            result = self.measured(attempt)
            if result is not None:
                made.append(result)
        # As they were named, not as they happened to finish.
        made.sort(key=lambda item: item.key)
        self.attempts.extend(made)
        return made

    def measured(self, attempt: Attempt[Candidate]) -> Tried | None:
        """What the checks observed of an attempt, from the evidence they left."""
        seen = self.seen(attempt.verdict.evidence, "measured")
        if not seen:
            return tried(attempt, Measured(), Circumstances())
        found = json.loads(self.context.record.observed(f"{attempt.key}:circumstances") or b"[]")
        held = found[0] if found else {}
        return tried(
            attempt,
            Measured.model_validate(seen["measured"]),
            Circumstances.model_validate(held),
        )

    def seen(self, evidence: Sequence[str], name: str) -> dict[str, Any]:
        """The observation that holds this name, among an attempt's evidence."""
        for content_id in evidence:
            content = self.context.record.get(content_id)
            if content.startswith(b"{") and f'"{name}"'.encode() in content:
                found: dict[str, Any] = json.loads(content)
                return found
        return {}

    @property
    def ranked(self) -> list[Tried]:
        """Accepted attempts, best first; of equals the newer."""
        sign = 1.0 if self.problem.direction == "maximize" else -1.0
        scored = [
            (sign * self._ranked_by(item.measured, item.measured.score), place, item)
            for place, item in enumerate(self.attempts)
            if item.accepted and item.measured.score is not None
        ]
        return [item for _, _, item in sorted(scored, key=lambda it: it[:2], reverse=True)]

    @property
    def different(self) -> list[Tried]:
        """The same, but of those that predict the same only the first."""
        found: dict[str, Tried] = {}
        for item in self.ranked:
            found.setdefault(item.measured.predictions, item)
        return list(found.values())

    def _ranked_by(self, measured: Measured, score: float) -> float:
        return self.standing(measured.fold_scores or [score]) if self.problem.time else score

    def standing(self, scores: Sequence[float]) -> float:
        """What scripts are ranked by: the mean over folds, the earliest first.

        Where time orders rows, later stretches count more, for the test comes next; and errors
        count by their ratios: one hard stretch must not decide about all.
        """
        if not self.problem.time or self.arena.scheme != "time":
            return fmean(scores)
        weights = range(1, len(scores) + 1)
        small = SMALL_ERROR * (self.constant_score or 0.0)
        # Asked of the search, not of these scores: all scripts must be ranked by one measure.
        if self.problem.direction == "minimize" and small > 0:
            return ratio_mean(scores, weights, small)
        return fmean(scores, weights)

    @property
    def best(self) -> Tried | None:
        return next(iter(self.ranked), None)

    def family(self, item: Tried) -> str:
        """The model that a line of scripts began with."""
        if item.key not in self._families:
            by_key, first = {it.key: it for it in self.attempts}, item
            while first.candidate.parent in by_key:
                first = by_key[first.candidate.parent]
            self._families[item.key] = first.candidate.origin
        return self._families[item.key]

    def called(self, item: Tried) -> str:
        """What the script is called; many are called the same."""
        return called(item.key, {it.key: it.candidate for it in (item, *self.attempts)})

    def better(self, one: float, other: float) -> bool:
        return one > other if self.problem.direction == "maximize" else one < other


def ratio_mean(scores: Sequence[float], weights: Sequence[float], small: float) -> float:
    """A mean by ratios, for one of nought too: what is below `small` counts by differences.

    Whoever is worse in every fold is never better in this mean.
    """
    base = math.log(small)
    middle = fmean(
        [math.log(it) if it > small else base + it / small - 1 for it in scores], weights
    )
    return math.exp(middle) if middle > base else small * (middle - base + 1)


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def usable_cores() -> int:
    """Cores that this process may use, eight at most: more scripts at once need more memory."""
    return max(1, min(8, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 2))


def usable_memory() -> int:
    """Two thirds of what the machine has, for all scripts together."""
    try:
        total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError):
        total = 8 * 2**30
    return int(total * 2 / 3)
