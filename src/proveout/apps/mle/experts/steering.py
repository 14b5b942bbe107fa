"""What to try next, by a bandit on past gains, and carrying it out on the recipe of a script.

A script by an expert ends with its recipe, so that an edit can be made to the recipe and the script
written anew: an edit never has to guess what some text means.
"""

import json
import math
import random
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from pydantic import ValidationError

from proveout.apps.mle.experts.edit import Edit
from proveout.apps.mle.experts.edits import EDITS
from proveout.apps.mle.experts.recipe import Recipe
from proveout.apps.mle.experts.writer import write_script
from proveout.apps.mle.problem import Problem
from proveout.kernel.lessons import Lesson

NOTE = "# The recipe of this script, for whoever goes on from here:\n# "
PRIOR_GAIN = 0.3
"""In standard errors of the score: what an edit that nobody has tried is hoped to bring."""
LESSON_BONUS = 0.5
BURDEN = 0.2
"""In standard errors as well: what doubling the time of a script must bring."""
IN_PLENTY = 20
"""A script could be run so often in its time: then there is no need to save any."""
EDIT_NAMES = frozenset(edit.name for edit in EDITS)
MOST_REMEMBERED = 4_096
"""Scripts whose recipe is known; each plan asks for those of all that were tried."""


class Turn(NamedTuple):
    """Whose plan it is, of several that are made at once."""

    number: int = 0
    seed: int = 0
    haste: float = 1.0
    """From nought to one: how much it counts against an edit that a script takes longer with it."""
    begun: str = ""
    """The plan of the first of them, which may name an edit: the others make another one."""


FIRST = Turn()


def written(problem: Problem, recipe: Recipe) -> str:
    """The recipe as a script that names its recipe."""
    body = write_script(problem, recipe).rstrip("\n")
    return f"{body}\n\n{NOTE}{recipe.model_dump_json(exclude_defaults=True)}\n"


@lru_cache(maxsize=MOST_REMEMBERED)
def recipe_of(source: str) -> Recipe | None:
    """The recipe that a script names; nothing if it was not written by an expert."""
    _, found, text = source.rpartition(NOTE)
    if not found:
        return None
    try:
        return Recipe.model_validate_json(text.strip().splitlines()[0])
    except (ValidationError, IndexError):
        return None


def signature(problem: Problem) -> str:
    """What kind of data it is, coarsely: lessons carry over between problems that share it."""
    size = "small" if problem.rows < 3_000 else "medium" if problem.rows < 50_000 else "large"
    traits = [problem.kind, problem.metric, size]
    kinds = {column.kind for column in problem.features}
    traits += [name for name in ("text", "date", "category") if name in kinds]
    traits += ["time"] if problem.time else []
    return " ".join(traits)


def advice(name: str, problem: Problem) -> str:
    """What is learned of an edit that helped; a whole sentence, for lessons are joined by them."""
    return f"{name} helped on data such as: {signature(problem)}."


def plan(
    problem: Problem,
    source: str,
    block: str,
    gains: Iterable[tuple[str, float]],
    *,
    tried: Sequence[str] = (),
    lessons: Sequence[Lesson] = (),
    turn: Turn = FIRST,
) -> str | None:
    """The most promising edit that would give a script nobody has tried and that is left for this
    turn."""
    recipe = recipe_of(source)
    if recipe is None:
        return None
    known = {key for text in tried if (key := _key_of(text))}
    past = list(gains)
    ranked = sorted(
        (edit for edit in EDITS if edit.applies(problem, recipe)),
        key=lambda edit: (
            _hope(edit, block, past, problem, lessons, turn.seed) - turn.haste * _burden(edit)
        ),
        reverse=True,
    )
    done = edit_in(turn.begun)
    before = turn.number - (done is not None)
    for edit in ranked:
        if edit is done:
            continue
        made = edit.apply(problem, recipe, random.Random(f"{turn.seed}:{edit.name}:{len(past)}"))
        if recipe_key(made) in known:
            continue
        known.add(recipe_key(made))
        if before == 0:
            return f"{edit.name}: {edit.words}"
        before -= 1
    return None


def carried_out(
    problem: Problem,
    source: str,
    plan_text: str,
    *,
    gains: int = 0,
    seed: int = 0,
    seconds: float = 0.0,
) -> str | None:
    """The script after the edit that a plan begins with; it may take `seconds` if it had less."""
    recipe, edit = recipe_of(source), edit_in(plan_text)
    if recipe is None or edit is None or not edit.applies(problem, recipe):
        return None
    roomy = recipe.model_copy(update={"time_limit": max(recipe.time_limit, round(seconds, 1))})
    made = edit.apply(problem, roomy, random.Random(f"{seed}:{edit.name}:{gains}"))
    return written(problem, made)


def edit_in(plan_text: str) -> Edit | None:
    """The edit that a plan begins with."""
    name = plan_text.partition(":")[0].strip()
    return next((it for it in EDITS if it.name == name), None)


def recipe_key(recipe: Recipe) -> str:
    """Equal for recipes that lead to the same script, but for how long it may take."""
    members = [
        member.model_copy(update={"tune_seconds": float(member.tune_seconds > 0)})
        for member in recipe.members
    ]
    timeless = recipe.with_members(members).model_dump(mode="json", exclude={"time_limit"})
    return json.dumps(timeless, sort_keys=True)


@lru_cache(maxsize=MOST_REMEMBERED)
def _key_of(source: str) -> str:
    """Of the recipe that a script names; empty if there is none."""
    recipe = recipe_of(source)
    return recipe_key(recipe) if recipe is not None else ""


def _hope(
    edit: Edit,
    block: str,
    past: Sequence[tuple[str, float]],
    problem: Problem,
    lessons: Sequence[Lesson],
    seed: int,
) -> float:
    """A draw from what is believed about the edit's gain: wide where little is known."""
    seen = [gain for text, gain in past if text.partition(":")[0].strip() == edit.name]
    clipped = [max(-3.0, min(3.0, gain)) for gain in seen]
    weight = len(clipped) + 1
    mean = (PRIOR_GAIN + edit.promise + sum(clipped)) / weight
    about = f"# == {edit.category}"
    if about in block:
        # The study says that this block matters.
        mean += 0.5
    if any(speaks_for(lesson, edit, problem) for lesson in lessons):
        mean += LESSON_BONUS
    draw = random.Random(f"{seed}:{edit.name}:{len(past)}:hope").gauss(0.0, 1.0)
    return mean + 0.5 * draw / math.sqrt(weight)


def _burden(edit: Edit) -> float:
    """What the longer time speaks against it, where time is short."""
    return BURDEN * max(0.0, edit.cost - 1.0)


def haste(seconds: float, room: float) -> float:
    """How short time is for a script that takes so many `seconds`, where the next one may take as
    long as `room`."""
    return min(1.0, IN_PLENTY * seconds / room) if room > 0 else 1.0


def speaks_for(lesson: Lesson, edit: Edit, problem: Problem) -> bool:
    return lesson.subject == f"edit {edit.name}" and advice(edit.name, problem) in lesson.advice
