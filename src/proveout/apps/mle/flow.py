"""From a folder to a submission: look, try models, refine what matters, blend, choose, finish.

`default` mode searches by the clock under harness-owned evaluation; `paper` mode follows the
published algorithms. Both end with the same files, and submissions of the same form.
"""

import math
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from proveout.apps.mle.checks import TRIED_BEFORE
from proveout.apps.mle.harness.arena import Arena
from proveout.apps.mle.harness.composing import composed_constant
from proveout.apps.mle.intake import look
from proveout.apps.mle.problem import Problem
from proveout.apps.mle.roles import RETRIEVER
from proveout.apps.mle.scripts.candidate import Candidate, Tried
from proveout.apps.mle.scripts.workshop import workshop
from proveout.apps.mle.search.choosing import MORE_ROWS, Choice, choose
from proveout.apps.mle.search.finishing import (
    can_be_trained,
    finish,
    out_folder,
    provisional,
    write_bytes,
)
from proveout.apps.mle.search.mending import mend
from proveout.apps.mle.search.person import (
    brought,
    listen,
    step_in,
    tell_unknown,
    told,
    written_for,
)
from proveout.apps.mle.search.proposers import Fixed, ScriptProposer
from proveout.apps.mle.search.refining import FEW, Studied, refine, reserved, teach
from proveout.apps.mle.search.rematching import rematch
from proveout.apps.mle.search.searching import (
    FIRST_SHARE,
    LEAST_LAST_SHARE,
    Search,
    usable_cores,
    usable_memory,
)
from proveout.apps.mle.search.telling import shortened
from proveout.apps.mle.task import STEERING, MleTask
from proveout.kernel.context import Context
from proveout.kernel.errors import BudgetSpent, UsageError
from proveout.kernel.types import Finding, Malformed, Outcome

TURNS = 2
"""Scripts that a core tries one after the other before time is looked at again."""
AROUND_SHARE, LEAST_AROUND_SECONDS, MOST_AROUND_SECONDS = 0.05, 2.0, 5.0
"""Of the time, for what is not the search: starting the program, writing the report."""
MOST_AROUND_SHARE = 0.25
CHOOSING_AGAIN, CLOSING_SHARE = 1.5, 0.02
"""How much longer a choice among more scripts may take, and what share of the time is for files."""
LEAST_SECONDS = 2.0
"""Less is not enough for the quickest script."""
LONGEST_MESSAGE = 120
SMOKE = {"models": 2, "outer_steps": 1, "inner_steps": 2}
"""A quick look is bounded by what it tries, so that it comes out the same on a busy machine."""


def run(task: MleTask, context: Context) -> Outcome:
    """The best submission that could be proved in the time given."""
    with workshop(context.ports.open_sandbox):
        search = begin(task, context)
        if task.mode == "paper":
            from proveout.apps.mle.search.paper import run_paper

            return run_paper(search)
        if search.at_first < LEAST_SECONDS:
            context.drained(BudgetSpent("seconds", search.begun, context.meter.limit("seconds")))
            return out_of_time(search)
        try:
            first_models(search)
        except BudgetSpent:
            context.keep(out_of_time(search))
            raise
        provisional(search)
        step_in(search)
        if search.best is None:
            return without_scripts(search)
        if not better_than_nothing(search):
            last_resort(search)
            provisional(search)
        return finish(search, searched(search))


def without_scripts(search: Search) -> Outcome:
    """A submission all the same, for whoever needs one; but nothing was found that is accepted."""
    text = refused(search)
    last_resort(search)
    return not_accepted(search, text)


def out_of_time(search: Search) -> Outcome:
    """A submission within the limit all the same, where no time was left for any script."""
    text = (
        f"preparing the tables took {search.begun:.0f} of {search.context.meter.limit('seconds'):g}"
        " seconds, too long for a script to end: the submission says the same of every row; "
        "give it more time"
    )
    return Outcome(accepted=False, answer=same_for_every_row(search), summary=shortened(text))


def not_accepted(search: Search, text: str) -> Outcome:
    """What there is to submit after the last resort, with the words for why it does not count."""
    if search.best is None:
        answer = same_for_every_row(search)
        return Outcome(accepted=False, answer=answer, summary=shortened(text))
    made = finish(search, choose(search))
    whole = shortened(f"{text}; {made.summary}")
    return made.model_copy(update={"accepted": False, "summary": whole})


def refused(search: Search) -> str:
    """How far scripts came that were not accepted, and what most of them were refused for."""
    tried = [it for it in search.attempts if TRIED_BEFORE not in it.findings]
    ran = sum(it.measured.score is not None for it in tried)
    text = f"{ran} of {len(tried)} scripts ran, none was accepted" if ran else "no script ran"
    text += ": the submission says the same of every row"
    reasons = [it.refusal for it in tried if it.refusal is not None]
    if not reasons:
        return text
    code, times = Counter(it.code for it in reasons).most_common(1)[0]
    message = next(it.message for it in reasons if it.code == code)
    return f"{text}; most often {code} ({times}): {shortened(message, LONGEST_MESSAGE)}"


def same_for_every_row(search: Search) -> JsonValue:
    """Made without any script, where not even the simplest was accepted."""
    if not search.context.record.replaying:
        write_bytes(search, "submission.csv", composed_constant(search.arena))
    return {
        "submission": str(out_folder(search) / "submission.csv"),
        "metric": search.problem.metric,
        "direction": search.problem.direction,
    }


def searched(search: Search) -> Choice:
    """Refine, settle close calls, choose; the time that the final run of this choice will not take,
    or all of it if it cannot be made, is for refining, too."""
    studied = Studied()
    refine(search, studied)
    rematch(search, reserved(search))
    began = search.used()
    choice = choose(search)
    taken = search.used() - began
    before = len(search.attempts)
    closing = CHOOSING_AGAIN * taken + CLOSING_SHARE * search.seconds
    refine(search, studied, lambda parent: closing + final_seconds(search, choice, parent))
    if len(search.attempts) > before:
        choice = choose(search)
    teach(search)
    return choice


def final_seconds(search: Search, choice: Choice, parent: Tried) -> float:
    """What the run on all rows will take, also if a version of `parent` is chosen after all; nought
    if it cannot be made."""
    if not can_be_trained(search, choice, search.left()):
        return 0.0
    likely = [parent]
    if search.problem.time:
        # The latest rows matter: whatever is chosen has to see them.
        likely += search.ranked[:FEW]
    return MORE_ROWS * max(choice.seconds, *(item.seconds for item in likely)) + 2.0


def begin(task: MleTask, context: Context) -> Search:
    """Look at the folder, fix the folds, and say what was found."""
    folder = Path(task.folder).expanduser().resolve()
    work = Path(task.out).expanduser().resolve() if task.out else folder / "proveout-out"
    assumed: list[JsonValue] = []
    known = context.observe("problem", lambda: _looked(folder, assumed))
    problem = Problem.model_validate(known)
    told = context.observe("intake", lambda: assumed)
    seen = context.observe("arena", lambda: _prepared(problem, folder, work, context.seed))
    findings = [
        Finding.model_validate(item)
        for items in (told, seen)
        for item in (items if isinstance(items, list) else [])
    ]
    for finding in {(it.code, it.where, it.message): it for it in findings}.values():
        context.note(finding.message, {"code": finding.code, "where": finding.where})
    workers = context.ports.engine.workers
    machine = context.observe(
        "machine",
        lambda: {"cores": usable_cores(), "workers": workers, "memory": usable_memory()},
    )
    held: dict[str, Any] = machine if isinstance(machine, dict) else {}
    smoke: dict[str, Any] = SMOKE if task.smoke else {}
    unsteered = dict.fromkeys(STEERING, "")
    search = Search(
        task=task.model_copy(update={"folder": str(folder), **smoke, **unsteered}),
        wanted={name: getattr(task, name) for name in STEERING},
        context=context,
        problem=problem,
        work=str(work / "work"),
        seconds=_for_search(context.meter.limit("seconds")),
        workers=int(held.get("workers", 2)),
        cores=int(held.get("cores", 2)),
        memory_bytes=int(held.get("memory", 4 * 2**30)),
    )
    search.begun = search.used()
    return search


def _for_search(limit: float) -> float:
    """Whoever gives a minute expects the report within that minute."""
    around = min(max(AROUND_SHARE * limit, LEAST_AROUND_SECONDS), MOST_AROUND_SECONDS)
    return limit - min(around, MOST_AROUND_SHARE * limit)


def _looked(folder: Path, assumed: list[JsonValue]) -> JsonValue:
    """What the folder asks for; what was assumed on the way is added to the list."""
    seen = look(folder, briefly=True)
    assumed.extend(finding.model_dump(mode="json") for finding in seen.findings)
    return seen.problem.model_dump(mode="json")


def _prepared(problem: Problem, folder: Path, out: Path, seed: int) -> JsonValue:
    """Write the data that scripts will see; what was found on the way."""
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"cannot write to {out}: {error.strerror}"
        raise UsageError(message, hint="name another folder with --out") from error
    arena = Arena.prepare(problem, folder, out / "work", seed=seed)
    return [finding.model_dump(mode="json") for finding in arena.findings]


def first_models(search: Search) -> None:
    """Ask for models that fit, have a script written for each, and try them side by side."""
    listen(search)
    share = max(FIRST_SHARE * search.at_first, search.shortest)
    found = search.context.ask(RETRIEVER, **told(search), seconds=share * search.workers)
    models = [] if isinstance(found, Malformed) else list(found.models)
    first = [*brought(search), *models][: search.task.models]
    proposers = {
        f"first-{place:02d}": written_for(search, model, share) for place, model in enumerate(first)
    }
    mend(search, _in_waves(search, proposers, share), seconds=share / 2)
    tell_unknown(search)


def better_than_nothing(search: Search) -> bool:
    """Whether some script beats an answer that is the same for every row."""
    worth = search.constant_score
    best = search.best.measured.score if search.best else None
    if best is None or worth is None:
        return True
    return search.better(best, worth)


def last_resort(search: Search) -> None:
    """The same answer for every row: worth more than no submission, or one that does harm."""
    from proveout.apps.mle.experts.ranking import constant_recipe
    from proveout.apps.mle.experts.steering import written

    text = "the same answer for every row takes part: no script was accepted, or none did better"
    search.context.note(text, {"code": "mle.search.last_resort"})
    source = written(search.problem, constant_recipe(search.problem))
    constant = Fixed(Candidate(source=source, origin="init:dummy"))
    search.trying({"resort": constant}, seconds=max(search.left(), search.shortest))


def _in_waves(search: Search, proposers: Mapping[str, ScriptProposer], share: float) -> list[Tried]:
    """Later scripts get what earlier ones left: on a busy machine all take longer than planned."""
    names, made = list(proposers), []
    # Where time is short, those of a second turn would be cut off.
    turns = TURNS if TURNS * share <= search.at_first else 1
    size = turns * search.workers
    for begin in range(0, len(names), size):
        wave = {name: proposers[name] for name in names[begin : begin + size]}
        turns = math.ceil(len(wave) / search.workers)
        seconds = min(share, search.left(LEAST_LAST_SHARE * search.seconds) / turns)
        if begin and seconds < search.shortest:
            search.context.note(f"no time for {', '.join(names[begin:])}")
            break
        made += search.trying(wave, seconds=seconds)
    return made
