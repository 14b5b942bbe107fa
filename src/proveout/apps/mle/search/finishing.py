"""The end of a run: train the choice on all rows, check the submission, write the files.

From the first script that ran there is a submission: made of what scripts predicted during the
search. The final run on all labelled rows replaces it if it ends in time and proves as good.
"""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from proveout.apps.mle.checks import GATE
from proveout.apps.mle.experts import blending
from proveout.apps.mle.experts.joining import joined
from proveout.apps.mle.harness.composing import composed
from proveout.apps.mle.problem import SUBMISSION_FILE
from proveout.apps.mle.scripts.candidate import Candidate, Measured, Tried
from proveout.apps.mle.scripts.notebook import notebook_of
from proveout.apps.mle.search.choosing import MORE_ROWS, Choice
from proveout.apps.mle.search.expecting import least_error
from proveout.apps.mle.search.mixing import said
from proveout.apps.mle.search.proposers import Fixed
from proveout.apps.mle.search.searching import Search
from proveout.apps.mle.search.telling import number, shortened
from proveout.kernel.budget import Budget
from proveout.kernel.loop import attempts
from proveout.kernel.types import Outcome

AT_BEST, AT_BEST_ALONE = 0.6, 1.0
"""Of the time in the search, if one script has all cores, or makes do with one: a final run that
might end in time is tried, for there is nothing else to do with what is left."""
TOLERANCE_ERRORS = 2.0
"""Standard errors by which the final run may fall short of what the search promised."""


def provisional(search: Search) -> None:
    """What the run ends with if its time does: the best script so far, as it predicted."""
    best = search.best
    if best is None:
        return
    outcome = _outcome(search, best, {"stage": "search"})
    search.context.keep(outcome)
    if not search.context.record.replaying:
        _write_predicted(search, [best], [1.0])
        write_solution(search, best.candidate.source)


def finish(search: Search, choice: Choice) -> Outcome:
    """The final run, then the files."""
    left = search.left()
    source = solution_of(search, choice, max(10.0, 0.85 * left))
    final = _final_run(search, choice, source, left)
    if final is None:
        # Whoever runs the script later is not short of time.
        source = solution_of(search, choice, max(10.0, MORE_ROWS * choice.seconds))
    told: dict[str, JsonValue] = {
        "reason": choice.reason,
        "rows": [row.model_dump(mode="json") for row in choice.rows],
        "score": choice.expected,
        "fold_score": choice.score,
        "standard_error": choice.test_error,
        "holdout": choice.holdout,
        "weights": dict(
            zip((member.key for member in choice.members), choice.weights, strict=True)
        ),
        "stage": "final run" if final else "search",
        "final_score": final.measured.score if final else None,
    }
    live = not search.context.record.replaying
    if live and final:
        write_bytes(search, "submission.csv", search.context.record.get(final.measured.submission))
    elif live:
        how = (choice.members, choice.weights, choice.strategy, choice.decided)
        _write_predicted(search, *how)
    if live:
        write_solution(search, source)
        write_input(search)
        shutil.rmtree(Path(search.work) / "scripts", ignore_errors=True)
    return _outcome(search, choice.members[0], told, choice)


def solution_of(search: Search, choice: Choice, seconds: float) -> str:
    """One script for the choice, told how long it has and how many threads are its own now."""
    sources = [member.candidate.source for member in choice.members]
    return joined(
        search.problem,
        sources,
        choice.weights,
        seconds=seconds,
        threads=search.threads,
        blend=blending.BLENDS.get(choice.strategy, "mean"),
        decide=choice.decided,
    )


def can_be_trained(search: Search, choice: Choice, left: float) -> bool:
    """Whether a run on all rows might end in time."""
    return left >= _at_best(search, choice) + 2.0


def _at_best(search: Search, choice: Choice) -> float:
    return choice.seconds * (AT_BEST if search.threads > 1 else AT_BEST_ALONE)


def _final_run(search: Search, choice: Choice, source: str, left: float) -> Tried | None:
    """On all rows; nothing if there is no time, or if it falls short."""
    if not can_be_trained(search, choice, left):
        search.context.note(
            "no time for a run on all rows: the submission is what the search predicted",
            {"left": round(left, 1), "needed": round(_at_best(search, choice), 1)},
        )
        return None
    branch = search.context.branch("final", Budget(rounds=1))
    check = search.check(left - 1.5, full=True, threads=search.threads)
    candidate = Candidate(source=source, origin="final", parent=choice.members[0].key)
    for attempt in attempts(search.task, Fixed(candidate), (*GATE, check), branch):
        made = search.measured(attempt)
        if made is not None and made.accepted and _keeps_promise(search, choice, made.measured):
            return made
    return None


def _keeps_promise(search: Search, choice: Choice, final: Measured) -> bool:
    """Whether the final score is what could be expected, give or take its uncertainty."""
    if final.score is None or not final.submission:
        return False
    sign = 1.0 if search.problem.direction == "maximize" else -1.0
    slack = TOLERANCE_ERRORS * max(choice.standard_error, final.standard_error)
    kept = sign * (final.score - choice.score) >= -slack
    if not kept:
        text = f"the final run scored {final.score:.6g}, {choice.score:.6g} was expected"
        search.context.note(text, {"code": "mle.final.worse"})
    return kept


def _outcome(
    search: Search, best: Tried, told: dict[str, Any], choice: Choice | None = None
) -> Outcome:
    score = choice.expected if choice else best.measured.score or 0.0
    out = out_folder(search)
    problem = search.problem
    answer: dict[str, Any] = {
        "submission": str(out / "submission.csv"),
        "solution": str(out / "solution.py"),
        "metric": problem.metric,
        "direction": problem.direction,
        "score": score,
        "best": best.key,
        "studies": search.studies,
        **told,
    }
    least = max(best.measured.standard_error, least_error(problem))
    error = choice.test_error if choice else least
    name = choice.reason if choice else search.called(best)
    scored = f"{problem.metric} {number(score)} ± {number(error, 2)}"
    where = "on the folds"
    if choice and choice.holdout is not None and choice.score == choice.mean:
        where += " and the hold-out"
    if choice:
        where = f"to be expected, {number(choice.score)} {where}"
    return Outcome(
        accepted=True,
        answer=answer,
        score=score,
        summary=shortened(f"{scored} {where}; {name}"),
    )


def out_folder(search: Search) -> Path:
    return Path(search.work).parent


def _write_predicted(
    search: Search,
    members: Sequence[Tried],
    weights: Sequence[float],
    strategy: blending.Strategy = "best",
    decided: bool = False,
) -> None:
    """A submission of what was predicted, and decided, during the search."""
    held = [search.predicted(member.measured.predictions) for member in members]
    given, classes = said(search, strategy, held, weights, decided)
    write_bytes(search, "submission.csv", composed(search.arena, given, classes))


def write_solution(search: Search, source: str) -> None:
    write_bytes(search, "solution.py", source.encode())
    write_bytes(search, "solution.ipynb", json.dumps(notebook_of(source), indent=1).encode())


def write_input(search: Search) -> None:
    """What `solution.py` reads, beside it, and the folder that it writes to."""
    (out_folder(search) / SUBMISSION_FILE).parent.mkdir(exist_ok=True)
    target = out_folder(search) / "input"
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(search.arena.full_input, target)


def write_bytes(search: Search, name: str, content: bytes) -> None:
    """Whole or not at all: a reader never finds half a file."""
    path = out_folder(search) / name
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_suffix(path.suffix + ".new")
    new.write_bytes(content)
    new.replace(path)
