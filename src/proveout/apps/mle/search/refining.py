"""Refinement by ablation: find the block that matters, try better versions of it, go on."""

import math
import re
from collections.abc import Callable, Sequence, Set
from pathlib import Path
from typing import Any, NamedTuple

from proveout.apps.mle.checks import TRIED_BEFORE
from proveout.apps.mle.experts.steering import EDIT_NAMES, advice, haste
from proveout.apps.mle.roles import ABLATION, CODER, EXTRACTOR, PLANNER, SUMMARIZE
from proveout.apps.mle.scripts.blocks import EXTRACTOR_NOTES, matched_block, script_in
from proveout.apps.mle.scripts.candidate import Tried
from proveout.apps.mle.scripts.protocol import protocol
from proveout.apps.mle.scripts.workshop import run_in
from proveout.apps.mle.search.ablating import small_data
from proveout.apps.mle.search.choosing import MORE_ROWS
from proveout.apps.mle.search.finishing import provisional
from proveout.apps.mle.search.person import step_in
from proveout.apps.mle.search.proposers import BlockProposer, block_named
from proveout.apps.mle.search.rematching import seconds_again
from proveout.apps.mle.search.searching import LEAST_LAST_SHARE, Search
from proveout.apps.mle.search.telling import shortened
from proveout.kernel.lessons import Patch
from proveout.kernel.ports import ScriptJob, ScriptLimits
from proveout.kernel.types import Malformed

PARENTS = (0, 1, 0, 2, 0, 1, 3)
"""Which family of scripts is refined next, by rank: mostly the best, but a blend is made of several
that err differently."""
ABLATION_SHARE = 0.06
LONGEST_ABLATION_SECONDS = 120.0
NEW_STUDIES_SHARE, STUDIES_SHARE = 0.25, 0.1
"""Of the time so far, for all studies: more as long as a family of scripts has none. What a study
says holds for the versions that follow, too; trying another one tells more."""
FEW = 4
"""Scripts that a final choice is likely to be made of."""
MOST_LAST_SHARE = 0.3
"""Of the time, kept at most for the final run on all rows."""
SLOWER = 1.3
"""How much longer a version may take than what it is made from."""
VERSION_SHARE = 0.6
"""Of the time that there is for a version: what it is told to keep to, if its parent had less."""
LONGEST_TOLD = 500
"""Of what a study said, in the report."""
TURNS = 4
"""Versions for each core that are begun together, where time is plenty."""
IDLE_STEPS = 3
"""Steps in a row that tried nothing new, or had no time to, before the search ends."""


class Target(NamedTuple):
    """What to improve next."""

    block: str
    plan: str


class Step(NamedTuple):
    """A block that is refined, of which script, and the how-manieth it is."""

    number: int
    parent: Tried
    target: Target


class Studied:
    """What ablations have said so far, and the blocks that were refined."""

    def __init__(self) -> None:
        self.summaries: list[str] = []
        self.blocks: list[str] = []
        self.summary_of: dict[str, str] = {}
        """By the key of the script that was studied, or that a study of a forebear speaks for."""
        self.steps = 0
        self.seconds = 0.0
        """That studies took."""
        self.spent: set[str] = set()
        """Keys of scripts of which nobody knows a version that was not tried."""


def reserved(search: Search) -> float:
    """Seconds for the final run: as long as the best few took, and more rows."""
    needed = MORE_ROWS * sum(item.seconds for item in search.ranked[:FEW])
    least, most = (share * search.seconds for share in (LEAST_LAST_SHARE, MOST_LAST_SHARE))
    return min(most, max(least, needed))


def refine(
    search: Search, studied: Studied, closing: Callable[[Tried], float] | None = None
) -> None:
    """Go on as long as there is time for another attempt and something left to try.

    `closing` tells the seconds to be kept for what follows if a script is refined; if it is not
    given, as many as a final run needs.
    """
    idle = 0
    while studied.steps < search.task.outer_steps and idle < IDLE_STEPS:
        if studied.steps:
            step_in(search)
        best_before = search.best
        steps, kept = _next_steps(search, studied, closing)
        made = versions(search, steps, kept) if steps else []
        spent = {it.parent.key for it in steps if _nothing_new(it.parent, made)}
        studied.spent |= spent
        # Where nothing new is left, no time was lost, and a relative may have something left.
        idle = 0 if spent or any(item.seconds for item in made) else idle + 1
        if search.best is not best_before:
            provisional(search)


def _next_steps(
    search: Search, studied: Studied, closing: Callable[[Tried], float] | None
) -> tuple[list[Step], float]:
    """What is refined next, and the seconds to be kept: one block; if there is plenty of time,
    blocks of several families, so that no core waits for the slowest version of a single one."""
    steps, busy, kept = list[Step](), set[str](), 0.0
    while studied.steps < search.task.outer_steps:
        parent = _parent(search, studied.steps, studied.spent, busy)
        if parent is None:
            break
        cost = max(parent.seconds, 0.5)
        for_it = closing(parent) if closing else reserved(search) + seconds_again(search)
        room = search.left(for_it)
        plenty = haste(cost, room) < 1.0
        if steps and not plenty:
            break
        number, studied.steps = studied.steps, studied.steps + 1
        busy.add(search.family(parent))
        # Where there is no time for this script, there may be for a quicker one.
        in_time = room >= SLOWER * cost + 2.0
        target = _target(search, parent, studied, number, room) if in_time else None
        if target is not None:
            steps.append(Step(number, parent, target))
            kept = max(kept, for_it)
        if not plenty or len(steps) * search.task.inner_steps >= TURNS * search.workers:
            break
    return steps, kept


def _nothing_new(parent: Tried, made: Sequence[Tried]) -> bool:
    """Whether every version of a script that was proposed had been tried before."""
    own = [item for item in made if item.candidate.parent == parent.key]
    return bool(own) and all(TRIED_BEFORE in item.findings for item in own)


def versions(search: Search, steps: Sequence[Step], kept: float) -> list[Tried]:
    """As many versions of blocks as there is time for. Unless there is plenty, the clock is read
    before each turn: studies take some, and versions may be slower than what they are made from."""
    costs = [max(step.parent.seconds, 0.5) for step in steps]
    cost, room = max(costs), search.left(kept)
    if room < cost:
        return []
    most = math.floor(room * search.workers / (SLOWER * sum(costs)))
    count = max(1, min(search.task.inner_steps, most))
    turns = math.ceil(count * len(steps) / search.workers)
    proposers = dict[str, BlockProposer]()
    for step in steps:
        proposers |= _proposers(search, step, count, room / turns)
    names, made = list(proposers), list[Tried]()
    # All at once, no core waits for the slowest of a turn.
    size = len(names) if haste(cost, room) < 1.0 else search.workers
    for first in range(0, len(names), size):
        if first:
            room, slowest = search.left(kept), max((it.seconds for it in made), default=cost)
            if room < slowest:
                break
        wave = {name: proposers[name] for name in names[first : first + size]}
        made += search.trying(wave, room / math.ceil((len(names) - first) / search.workers))
    return made


def teach(search: Search) -> None:
    """Edits that brought more than chance are tried sooner on data of the same kind."""
    for name in sorted({plan.partition(":")[0] for plan, gain in gains_of(search) if gain > 1.0}):
        if name in EDIT_NAMES:
            subject = f"edit {name}"[:200]
            search.context.learn(
                Patch(
                    operation="add_rule",
                    topic="operational",
                    subject=subject,
                    advice=advice(name, search.problem),
                    role=PLANNER.name,
                )
            )


def _parent(search: Search, step: int, spent: Set[str], busy: Set[str]) -> Tried | None:
    """Of a family the best script that something is left to try with; if the family whose turn it
    is is busy, of the best that is not."""
    leaders: dict[str, Tried] = {}
    for item in search.ranked:
        if item.key not in spent:
            leaders.setdefault(search.family(item), item)
    turn = [*leaders][: PARENTS[step % len(PARENTS)] + 1][-1:]
    free = [family for family in (*turn, *leaders) if family not in busy]
    return leaders[free[0]] if free else None


def _target(
    search: Search, parent: Tried, studied: Studied, step: int, room: float
) -> Target | None:
    """The block that the ablation study points at, and a first plan for it."""
    if parent.key not in studied.summary_of:
        known, began = inherited(search, parent, studied), search.used()
        share = STUDIES_SHARE if known else NEW_STUDIES_SHARE
        if studied.seconds <= share * began:
            known = _summary(search, parent, studied, step, room)
            studied.seconds += search.used() - began
        studied.summary_of[parent.key] = known
    for target in extracted(search, parent, studied, room):
        if _allowed(search, block_named(parent.candidate.source, target.block)):
            studied.blocks.append(target.block)
            return target
    return None


def inherited(search: Search, item: Tried, studied: Studied) -> str:
    """What was said of the script that this one comes from."""
    by_key = {it.key: it for it in search.attempts}
    while (key := item.candidate.parent) in by_key:
        if studied.summary_of.get(key):
            return studied.summary_of[key]
        item = by_key[key]
    return ""


def extracted(search: Search, parent: Tried, studied: Studied, room: float) -> list[Target]:
    """Blocks that stand in the script; if none does, the extractor is told so and asked again."""
    source = parent.candidate.source
    for note in EXTRACTOR_NOTES:
        answer = search.context.ask(
            EXTRACTOR,
            **told(search, parent),
            ablation_summary=studied.summary_of[parent.key] or "No ablation study could be run.",
            previous_code_blocks=list(studied.blocks),
            pin=search.task.pin,
            forbid=search.task.forbid,
            note=note,
            **_past(search),
            room=VERSION_SHARE * room,
        )
        if isinstance(answer, Malformed):
            break
        matched = [(matched_block(it.code_block, source), it.plan) for it in answer.plans]
        found = [Target(block, plan) for block, plan in matched if block]
        if found:
            return found
        search.context.note("the extracted block is not in the script")
    return []


def _allowed(search: Search, name: str) -> bool:
    """What a person pinned or forbade."""
    pin, forbid = search.task.pin, search.task.forbid
    return (not pin or pin in name) and not (forbid and forbid in name)


def told(search: Search, parent: Tried) -> dict[str, Any]:
    """What every role of the refinement is told."""
    return {
        "task": search.task,
        "problem": search.problem,
        "protocol": protocol(search.problem),
        "solution_script": parent.candidate.source,
        "seconds": parent.seconds,
    }


def _summary(search: Search, parent: Tried, studied: Studied, step: int, room: float) -> str:
    """Run a study of the script on a part of the rows and have it summarised."""
    seconds = min(room * 0.3, search.seconds * ABLATION_SHARE, LONGEST_ABLATION_SECONDS)
    context = search.context
    reply = context.ask(
        ABLATION,
        **{**told(search, parent), "seconds": seconds},
        previous_ablations=list(studied.summaries),
        workers=search.cores,
    )
    code = None if isinstance(reply, Malformed) else script_in(reply)
    if code is None:
        return ""
    printed = context.observe("ablation", lambda: _study(search, code, seconds, step))
    text = printed if isinstance(printed, str) else ""
    if not text.strip():
        return ""
    summary = context.ask(SUMMARIZE, ablation_code=code, raw_result=text, problem=search.problem)
    if isinstance(summary, Malformed):
        summary = f"[Auto-summary from raw output] {text[-2000:]}"
    studied.summaries.append(summary)
    search.studies.append(_shown(search.called(parent), text, summary))
    return summary


def _shown(script: str, printed: str, summary: str) -> dict[str, Any]:
    """A study as the report draws it."""
    lines = re.findall(r"^(.+?): (-?[0-9.]+(?:e[-+]?[0-9]+)?)$", printed, re.MULTILINE)
    scores = {name.strip()[:80]: float(value) for name, value in lines}
    noise = next((scores.pop(name) for name in list(scores) if name.startswith("Noise")), 0.0)
    return {
        "script": script,
        "scores": dict(list(scores.items())[:12]),
        "noise": noise,
        "summary": shortened(summary, LONGEST_TOLD),
    }


def _study(search: Search, code: str, seconds: float, step: int) -> str:
    work = Path(search.work)
    folder = work / "scripts" / f"ablation-{step:02d}"
    folder.mkdir(parents=True, exist_ok=True)
    job = ScriptJob(
        source=code,
        folder=str(folder),
        data=str(small_data(search)),
        limits=ScriptLimits(
            seconds=seconds * 1.5 + 5.0, memory_bytes=search.memory_bytes, threads=search.cores
        ),
        seed=search.context.seed,
    )
    return run_in(search.context.ports.open_sandbox, job).stdout[-20_000:]


def _proposers(search: Search, step: Step, count: int, seconds: float) -> dict[str, BlockProposer]:
    """K versions of one block, each of which may take so long: the first by the extractor's plan,
    the others planned anew."""
    number, parent, target = step
    siblings = [it for it in search.attempts if it.candidate.block == target.block]
    plans = [it.candidate.plan for it in siblings]
    scores = [it.measured.score if it.accepted else None for it in siblings]
    past = _past(search)
    made = {}
    for place in range(count):
        made[f"refine-{number:02d}-{place}"] = BlockProposer(
            planner=PLANNER,
            coder=CODER,
            source=parent.candidate.source,
            block=target.block,
            parent=parent.key,
            plan=target.plan if place == 0 else "",
            variables={
                **told(search, parent),
                "plans": [*plans, target.plan],
                "scores": [*scores, None],
                "number": place,
                "begun": target.plan if place else "",
                "room": VERSION_SHARE * seconds,
                **past,
            },
        )
    return made


def _past(search: Search) -> dict[str, Any]:
    """What was tried so far, and what it brought."""
    tried = [it.candidate.source for it in search.attempts]
    return {"gains": gains_of(search), "tried": tried}


def gains_of(search: Search) -> list[tuple[str, float]]:
    """What each plan brought its parent, in standard errors; a script that failed lost two, one
    that predicts the very same one: a step may have nothing to do in this table."""
    sign = 1.0 if search.problem.direction == "maximize" else -1.0
    by_key = {item.key: item for item in search.attempts}
    found = []
    for item in search.attempts:
        parent = by_key.get(item.candidate.parent)
        if parent is None or not item.candidate.plan or not item.seconds:
            continue
        score, before = item.measured.score, parent.measured.score
        if not item.accepted or score is None or before is None:
            found.append((item.candidate.plan, -2.0))
            continue
        if item.measured.predictions == parent.measured.predictions:
            found.append((item.candidate.plan, -1.0))
            continue
        spread = max(parent.measured.standard_error, 1e-9 + 1e-4 * abs(before))
        found.append((item.candidate.plan, sign * (score - before) / spread))
    return found
