"""Typed edits: each makes one recipe from another, where that makes sense."""

import random
from collections.abc import Iterator, Mapping, Sequence

from pydantic import JsonValue

from proveout.apps.mle.experts.deciding import DECIDABLE
from proveout.apps.mle.experts.edit import Applies, Apply, Edit, to_first
from proveout.apps.mle.experts.features import ALL_STEPS, Step, has_weekdays, suffices
from proveout.apps.mle.experts.measures import SHARES
from proveout.apps.mle.experts.ranges import SCALED
from proveout.apps.mle.experts.recipe import Blend, Form, Member, Recipe, Weigh
from proveout.apps.mle.experts.series_edits import LEVELS, series_edits
from proveout.apps.mle.problem import Problem


def _step_edits(step: Step) -> Iterator[Edit]:
    """Switching a step on where it is off, and off where enough others remain."""
    yield Edit(
        f"add {step.name}",
        "features",
        f"Give the model the columns of the step {step.name} as well.",
        lambda problem, recipe: step.fits(problem) and step.name not in recipe.members[0].steps,
        to_first(lambda member: member.having(add=(step.name,))),
        1.1,
    )
    yield Edit(
        f"drop {step.name}",
        "features",
        f"Leave out the columns of the step {step.name}: they may be noise.",
        lambda _problem, recipe: (
            step.name in recipe.members[0].steps
            and step.name not in RAW
            and suffices(set(recipe.members[0].steps) - {step.name})
        ),
        to_first(lambda member: member.having(drop=(step.name,))),
        0.95,
    )


RAW = ("numbers", "booleans", "names", "texts")
"""Steps that pass on what is in the files; without them there is little left to learn from."""
DRAWS_PER_SETTING = 2
REFITTED = (
    "lightgbm", "lightgbm_random", "lightgbm_ordered", "xgboost", "catboost", "catboost_ordered",
)  # fmt: skip
RATES: Mapping[str, tuple[str, str]] = {
    "lightgbm": ("learning_rate", "rounds"),
    "lightgbm_random": ("learning_rate", "rounds"),
    "lightgbm_ordered": ("learning_rate", "rounds"),
    "xgboost": ("eta", "rounds"),
    "catboost": ("learning_rate", "iterations"),
    "catboost_ordered": ("learning_rate", "iterations"),
    "histogram_boosting": ("learning_rate", "max_iter"),
}


def _scalable(recipe: Recipe) -> Mapping[str, tuple[float, float]]:
    member = recipe.members[0]
    found = SCALED.get(member.card, {})
    return {name: ends for name, ends in found.items() if name in member.parameters}


def _moved(value: JsonValue, factor: float, ends: tuple[float, float]) -> JsonValue:
    low, high = ends
    moved = min(max(float(value) * factor, low), high)  # type: ignore[arg-type]
    if isinstance(value, int):
        # At least one step: a small number times a small factor is itself again.
        whole = round(moved)
        return (
            whole if whole != value else int(min(max(value + (1 if factor > 1 else -1), low), high))
        )
    return float(f"{moved:.3g}")


def _drawn(strength: float) -> Apply:
    """All movable parameters of the first member, each by a factor that the dice say."""

    def apply(_problem: Problem, recipe: Recipe, chance: random.Random) -> Recipe:
        member = recipe.members[0]
        changed = {
            name: _moved(member.parameters[name], 2 ** chance.gauss(0.0, strength), ends)
            for name, ends in _scalable(recipe).items()
        }
        return recipe.with_first(member.with_parameters(**changed))

    return apply


def _can_be_drawn(number: int) -> Applies:
    """Whether there is anything to draw; a model with few settings needs few draws."""
    return lambda _problem, recipe: number <= DRAWS_PER_SETTING * len(_scalable(recipe))


def _towards(factor: float, names: Sequence[str]) -> Apply:
    def apply(_problem: Problem, recipe: Recipe, _chance: random.Random) -> Recipe:
        member, ends = recipe.members[0], _scalable(recipe)
        changed = {
            name: _moved(member.parameters[name], factor, ends[name])
            for name in names
            if name in ends
        }
        return recipe.with_first(member.with_parameters(**changed))

    return apply


SIZES = ("num_leaves", "max_depth", "depth", "max_leaf_nodes")
BRAKES = (
    "min_data_in_leaf", "min_child_weight", "min_samples_leaf", "lambda_l2", "lambda",
    "l2_regularization", "l2_leaf_reg", "alpha",
)  # fmt: skip
STRENGTHS = ("strength", "C")


def _has(names: Sequence[str]) -> Applies:
    return lambda _problem, recipe: bool(set(names) & set(_scalable(recipe)))


def _slower(_problem: Problem, recipe: Recipe, _chance: random.Random) -> Recipe:
    member = recipe.members[0]
    rate, rounds = RATES[member.card]
    changed: dict[str, JsonValue] = {
        rate: float(f"{float(member.parameters[rate]) / 2:.3g}"),  # type: ignore[arg-type]
        rounds: 2 * int(member.parameters[rounds]),  # type: ignore[arg-type]
    }
    return recipe.with_first(member.with_parameters(**changed))


def _model_edits() -> Iterator[Edit]:
    for number, strength in enumerate((0.5, 0.5, 0.9, 0.9, 1.4), start=1):
        yield Edit(
            f"other settings {number}",
            "model",
            "Move the settings of the model to others nearby, all at once.",
            _can_be_drawn(number),
            _drawn(strength),
        )
    for name, factor, names, words in (
        ("larger trees", 1.7, SIZES, "Let trees grow larger."),
        ("smaller trees", 0.55, SIZES, "Keep trees smaller."),
        ("firmer", 2.5, BRAKES, "Regularise more."),
        ("looser", 0.4, BRAKES, "Regularise less."),
        ("stronger", 3.0, STRENGTHS, "Trust the data more: weaker penalty."),
        ("weaker", 0.33, STRENGTHS, "Trust the data less: stronger penalty."),
    ):
        yield Edit(name, "model", words, _has(names), _towards(factor, names))
    yield Edit(
        "slower learning",
        "model",
        "Halve the learning rate and allow twice the rounds.",
        lambda _problem, recipe: (
            recipe.members[0].card in RATES
            and RATES[recipe.members[0].card][0] in recipe.members[0].parameters
        ),
        _slower,
        1.8,
    )


TRAIN_ON_ALL = Edit(
    "train on all",
    "model",
    "Once the number of trees is known, train again with the rows that told it.",
    lambda _problem, recipe: (
        recipe.members[0].card in REFITTED and not recipe.members[0].parameters.get("refit")
    ),
    to_first(lambda member: member.with_parameters(refit=True)),
    1.9,
    0.5,
)


def _training_edits() -> Iterator[Edit]:
    yield Edit(
        "search settings",
        "model",
        "Search better settings in each fold, within its training rows, for a bounded time.",
        lambda _problem, recipe: bool(_scalable(recipe)) and not recipe.members[0].tune_seconds,
        _searched,
        1.6,
        -0.3,
    )
    yield TRAIN_ON_ALL
    yield Edit(
        "curves",
        "model",
        "Let a linear model bend: splines of the number columns.",
        lambda _problem, recipe: (
            recipe.members[0].card == "linear" and not recipe.members[0].parameters.get("knots")
        ),
        to_first(lambda member: member.with_parameters(knots=5)),
        2.0,
    )
    yield Edit(
        "count copies in full",
        "validate",
        "Let copies of a row count as often as they are there.",
        lambda problem, recipe: problem.repeats and "repeats" in recipe.members[0].weigh,
        to_first(
            lambda member: member.model_copy(
                update={"weigh": tuple(why for why in member.weigh if why != "repeats")}
            )
        ),
    )
    yield Edit(
        "more seeds",
        "model",
        "Train the same model with other seeds as well and average.",
        lambda _problem, recipe: recipe.members[0].seeds < 4 and _is_random(recipe.members[0]),
        to_first(lambda member: member.model_copy(update={"seeds": member.seeds + 2})),
        2.5,
        0.3,
    )


def _smooth_edits() -> Iterator[Edit]:
    """For models that see an order in numbers, not single values."""
    for scale, words in (
        ("ranks", "Scale numbers by their rank: outliers do not matter, distances neither."),
        ("power", "Scale numbers by a power that makes them look like a bell: distances count."),
        ("every", "Give a linear model numbers in every scale: as they are, by power, by rank."),
    ):
        yield _scale_edit(scale, words)
    yield Edit(
        "train nets to the end",
        "model",
        "Keep no rows back to stop nets early; decay weights more instead.",
        lambda _problem, recipe: (
            recipe.members[0].card == "net"
            and recipe.members[0].parameters.get("early_stopping", True) is True
        ),
        to_first(lambda member: member.with_parameters(early_stopping=False, alpha=0.03)),
        1.5,
        0.2,
    )

    for activation, words in (
        ("tanh", "Let nets bend smoothly."),
        ("relu", "Let nets bend in corners: sharp borders are easier to learn."),
    ):
        yield _bend_edit(activation, words)


def _bend_edit(activation: str, words: str) -> Edit:
    return Edit(
        f"nets with {activation}",
        "model",
        words,
        lambda _problem, recipe: (
            recipe.members[0].card == "net"
            and recipe.members[0].parameters.get("activation", "relu") != activation
        ),
        to_first(lambda member: member.with_parameters(activation=activation)),
    )


def _scale_edit(scale: str, words: str) -> Edit:
    return Edit(
        f"scale by {scale}",
        "model",
        words,
        lambda _problem, recipe: (
            recipe.members[0].parameters.get("scale", scale) != scale
            and (scale != "every" or recipe.members[0].card == "linear")
        ),
        to_first(lambda member: member.with_parameters(scale=scale)),
        1.0,
        0.1,
    )


def _searched(_problem: Problem, recipe: Recipe, _chance: random.Random) -> Recipe:
    """A third of the time for the search."""
    member = recipe.members[0]
    seconds = round(0.35 * recipe.time_limit, 1)
    return recipe.with_first(member.model_copy(update={"tune_seconds": seconds}))


def _is_random(member: Member) -> bool:
    return member.card in (*RATES, "net", "extra_trees", "random_forest")


def _forms(problem: Problem) -> tuple[Form, ...]:
    if problem.kind != "regression":
        return ()
    shares: tuple[Form, ...] = ("share",) if problem.metric in SHARES else ()
    levels = LEVELS if has_weekdays(problem) else LEVELS[:-1]
    return ("plain", "log", "root", *shares, *(("guess", *levels) if problem.time else ()))


def _form_edit(form: Form) -> Edit:
    return Edit(
        f"learn {form}",
        "validate",
        f"Learn the target in the form `{form}` and turn predictions back.",
        lambda problem, recipe: form in _forms(problem) and recipe.members[0].form != form,
        to_first(lambda member: member.model_copy(update={"form": form})),
    )


def _weigh_edit(reason: Weigh, words: str, applies: Applies) -> Edit:
    return Edit(
        f"weigh {reason}",
        "validate",
        words,
        lambda problem, recipe: applies(problem, recipe) and reason not in recipe.members[0].weigh,
        to_first(lambda member: member.model_copy(update={"weigh": (*member.weigh, reason)})),
    )


def _blend_edit(blend: Blend, words: str, applies: Applies) -> Edit:
    return Edit(
        f"blend by {blend}",
        "predict",
        words,
        lambda problem, recipe: (
            len(recipe.members) > 1 and recipe.blend != blend and applies(problem, recipe)
        ),
        lambda _problem, recipe, _chance: recipe.model_copy(update={"blend": blend}),
    )


EDITS: tuple[Edit, ...] = (
    *(edit for step in ALL_STEPS for edit in _step_edits(step)),
    *_model_edits(),
    *_training_edits(),
    *_smooth_edits(),
    *series_edits(),
    *(_form_edit(form) for form in ("plain", "log", "share", "root", "guess", *LEVELS)),
    _weigh_edit("recent", "Let recent rows count more.", lambda p, _: bool(p.time)),
    _weigh_edit("classes", "Let rare classes count more.", lambda p, _: p.kind != "regression"),
    _weigh_edit("small", "Let small values count more.", lambda p, _: p.metric == "mape"),
    _weigh_edit("repeats", "Let repeated rows count less.", lambda p, _: p.repeats),
    _blend_edit("mean", "Average the members' predictions.", lambda *_: True),
    _blend_edit(
        "rank",
        "Average the places in the order that members give, not their probabilities.",
        lambda problem, _: problem.kind == "binary" and problem.metric == "auc",
    ),
    _blend_edit(
        "geometric",
        "Average the logarithms of probabilities.",
        lambda problem, _: problem.kind != "regression",
    ),
    _blend_edit(
        "stack",
        "Fit a small second model on the members' predictions for rows they had not seen.",
        lambda *_: True,
    ),
    Edit(
        "decide",
        "predict",
        "Choose classes by a rule found out of fold instead of the largest probability.",
        lambda problem, recipe: problem.metric in DECIDABLE and not recipe.decide,
        lambda _problem, recipe, _chance: recipe.model_copy(update={"decide": True}),
    ),
)
