"""What each agent does without a model, wired to the experts; those are loaded when asked.

An expert gets the same brief as a model, and with it what no prompt says: the `problem` as code saw
it, the `seconds` there are, the whole script around a block.
"""

import re
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from proveout.apps.mle.problem import Problem
from proveout.apps.mle.scripts.outputs import (
    DataContaminationResult,
    ExtractorOutput,
    LeakageDetectionOutput,
    RetrievedModel,
    RetrieverOutput,
)
from proveout.apps.mle.scripts.reading import is_python
from proveout.kernel.errors import PrerequisiteError, UnknownName
from proveout.kernel.ports import Brief

if TYPE_CHECKING:
    from proveout.apps.mle.experts.steering import Turn

ALL_USED = "All the provided information is used."


def fenced(code: str) -> str:
    """As a model would put it; the fence is longer than any in the code."""
    longest = max((len(run) for run in re.findall("`+", code)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}python\n{code.rstrip()}\n{fence}"


def problem_in(brief: Brief) -> Problem:
    """What experts that write scripts work from."""
    problem = brief.variables.get("problem")
    if not isinstance(problem, Problem):
        message = "without a model, scripts are written from what the data show; there are none"
        raise PrerequisiteError(message, hint="give the task its problem, or choose a --model")
    return problem


def retrieved(brief: Brief) -> RetrieverOutput:
    from proveout.apps.mle.experts.ranking import first_cards, first_scripts
    from proveout.apps.mle.experts.steering import written

    problem, told = problem_in(brief), brief.variables
    seconds = float(told.get("seconds", 600.0))
    most = int(told["M"])
    cards = first_cards(problem, most, seconds)
    share = seconds / max(1, len(cards))
    return RetrieverOutput(
        models=[
            RetrievedModel(model_name=name, example_code=written(problem, recipe))
            for name, recipe in first_scripts(problem, cards, share, most)
        ]
    )


def begun(brief: Brief) -> str:
    """An expert's example is a whole script already, and so is one that a person brings along."""
    from proveout.apps.mle.experts.cards import CARDS
    from proveout.apps.mle.experts.ranking import first_recipe
    from proveout.apps.mle.experts.steering import written

    example = str(brief.variables["example_code"])
    if is_python(example):
        return fenced(example)
    problem, seconds = problem_in(brief), float(brief.variables.get("seconds", 60.0))
    name = str(brief.variables["model_name"])
    if name not in CARDS:
        raise UnknownName(name, noun="model", known=CARDS)
    recipe = first_recipe(problem, name, seconds)
    return fenced(written(problem, recipe))


def merged(brief: Brief) -> str:
    """By the recipes of both; scripts without one are left as they are."""
    from proveout.apps.mle.experts.recipe import merge
    from proveout.apps.mle.experts.steering import recipe_of, written

    base, other = str(brief.variables["base_code"]), str(brief.variables["reference_code"])
    first, second = recipe_of(base), recipe_of(other)
    if first is None or second is None:
        return fenced(base)
    return fenced(written(problem_in(brief), merge([first, second])))


def ablated(brief: Brief) -> str:
    from proveout.apps.mle.experts import ablation

    told = brief.variables
    studied = "\n".join(told["previous_ablations"])
    problem = told.get("problem")
    code = ablation.write(
        told["solution_script"],
        studied,
        float(told.get("seconds", 60.0)),
        problem if isinstance(problem, Problem) else None,
        int(told.get("workers", 1)),
    )
    return fenced(code) if code else ""


def summarised(brief: Brief) -> str:
    from proveout.apps.mle.experts.summary import summarise

    told = brief.variables
    problem = told.get("problem")
    direction = problem.direction if isinstance(problem, Problem) else told.get("direction")
    return summarise(told["ablation_code"], told["raw_result"], direction)


def extracted(brief: Brief) -> ExtractorOutput:
    from proveout.apps.mle.experts.extraction import extract

    told = brief.variables
    return extract(
        told["solution_script"],
        told["ablation_summary"],
        told["previous_code_blocks"],
        pin=told.get("pin", ""),
        forbid=told.get("forbid", ""),
        edit_for=partial(_edit, brief, str(told["solution_script"])),
    )


def planned(brief: Brief) -> str:
    """An edit that was not tried; for a script without a recipe, the general advice."""
    from proveout.apps.mle.experts.extraction import Block, plan_for

    told = brief.variables
    block = str(told["code_block"])
    found = _edit(brief, str(told.get("solution_script", "")), block)
    return found or plan_for(Block(block.strip().splitlines()[0][:60], block), "")


def _edit(brief: Brief, source: str, block: str) -> str | None:
    """The plan of an edit that was not tried; none for a script without a recipe."""
    from proveout.apps.mle.experts import steering

    told = brief.variables
    problem = told.get("problem")
    if not isinstance(problem, Problem):
        return None
    return steering.plan(
        problem,
        source,
        block,
        _past(told, problem),
        tried=told.get("tried", ()),
        lessons=brief.lessons,
        turn=_turn(brief),
    )


def _past(told: Mapping[str, Any], problem: Problem) -> list[tuple[str, float]]:
    """What plans brought so far; planner and coder must agree on it, for dice depend on it."""
    if "gains" in told or "scores" not in told:
        return list(told.get("gains", ()))
    return _gains(told, problem)


def _turn(brief: Brief) -> "Turn":
    from proveout.apps.mle.experts.steering import Turn, haste

    told = brief.variables
    short = haste(float(told.get("seconds", 0.0)), float(told.get("room", 0.0)))
    return Turn(
        number=int(told.get("number", 0)),
        seed=brief.seed,
        haste=short,
        begun=str(told.get("begun", "")),
    )


def _gains(told: Mapping[str, Any], problem: Problem) -> list[tuple[str, float]]:
    """How each plan did beside the others: one up or one down, failures two down."""
    sign = 1.0 if problem.direction == "maximize" else -1.0
    known = sorted(sign * score for score in told["scores"] if score is not None)
    middle = known[len(known) // 2] if known else 0.0
    pairs = zip(told["plans"], told["scores"], strict=False)
    return [
        (plan, -2.0 if score is None else 1.0 if sign * score > middle else -1.0)
        for plan, score in pairs
    ]


def coded(brief: Brief) -> str:
    """The script after the edit; the block as it is where no edit fits."""
    from proveout.apps.mle.experts import steering

    told = brief.variables
    block, plan = str(told["code_block"]), str(told["plan"])
    source, problem = str(told.get("solution_script", "")), told.get("problem")
    if not isinstance(problem, Problem) or steering.recipe_of(source) is None:
        return fenced(block)
    past = _past(told, problem)
    carried_out = partial(
        steering.carried_out,
        problem,
        source,
        gains=len(past),
        seed=brief.seed,
        seconds=float(told.get("room", 0.0)),
    )
    made = carried_out(plan)
    if made is None:
        other = _edit(brief, source, block)
        if other:
            made = carried_out(other)
    return fenced(made or block)


def ens_planned(brief: Brief) -> str:
    from proveout.apps.mle.experts import ensembling

    return ensembling.planned(len(brief.variables["solutions"]), brief.variables["plans"])


def ensembled(brief: Brief) -> str:
    from proveout.apps.mle.experts.ensembling import carried_out

    told = brief.variables
    problem = told.get("problem")
    made = (
        carried_out(problem, told["solutions"], told["plan"])
        if isinstance(problem, Problem)
        else None
    )
    return fenced(made or str(told["solutions"][0]))


def mended(brief: Brief) -> str:
    from proveout.apps.mle.experts import debugging

    code = str(brief.variables["code"])
    return fenced(debugging.mended(code, str(brief.variables["bug"])) or code)


def detected(brief: Brief) -> LeakageDetectionOutput:
    from proveout.apps.mle.leakage.answers import detection

    return detection(str(brief.variables["code"]))


def corrected(brief: Brief) -> str:
    from proveout.apps.mle.leakage.answers import correct

    code, block = str(brief.variables["code"]), str(brief.variables.get("leaky_block", ""))
    made = correct(code, block)
    return fenced(made) if made else ""


def sufficient(brief: Brief) -> str:
    """Experts join every table that the problem names before they write."""
    del brief
    return ALL_USED


def tested(brief: Brief) -> str:
    """An expert's script predicts the test rows each time it runs."""
    return fenced(str(brief.variables["initial_solution"]))


def sampling(brief: Brief) -> str:
    from proveout.apps.mle.experts.subsampling import sampling_block

    found = sampling_block(str(brief.variables["initial_solution"]))
    return fenced(found) if found else ""


def unsampled(brief: Brief) -> str:
    from proveout.apps.mle.experts import subsampling

    return fenced(subsampling.unsampled(str(brief.variables["code_block"])))


def compared(brief: Brief) -> DataContaminationResult:
    """The same if most of the script's lines stand in the discussion."""
    script = str(brief.variables["initial_solution"])
    discussion = str(brief.variables["reference_discussion"])
    lines = [it.strip() for it in script.splitlines() if len(it.strip()) > 20]
    shared = sum(line in discussion for line in lines)
    return DataContaminationResult(verdict="Same" if shared * 2 > len(lines) else "Novel")
