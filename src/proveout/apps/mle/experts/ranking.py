"""Which cards to try first, and how a card starts on a problem."""

import math
from collections.abc import Sequence

from proveout.apps.mle.experts.card_values import Parameters, is_series
from proveout.apps.mle.experts.cards import ALL, CARDS, Card
from proveout.apps.mle.experts.deciding import POORLY_MAXIMAL
from proveout.apps.mle.experts.features import SERIES, STEPS, usual_steps
from proveout.apps.mle.experts.measures import form_for, weighs_for
from proveout.apps.mle.experts.recipe import Member, Recipe, Weigh
from proveout.apps.mle.experts.series_edits import guessing
from proveout.apps.mle.problem import Problem

LEAST_SHARE = 0.2
"""Of the steps of a boosting; below that rows are left out."""
FEWEST_FIRST, DECENT_SHARE = 5, 0.35
"""A few models that had most of the time they need are worth more than many that had not."""
MOST_MISSED = 0.6
"""Times the time there is: what the best boosting is taken to cost at most."""
FEWEST_YEARS = 2.0
"""Of training rows, for levels and lags to be the first guess: with less, a level is a season."""
SMOOTH = ("linear", "net", "kernel", "neighbours", "density")
"""Families that see an order in numbers, not single values."""


def rank_cards(problem: Problem, seconds: float) -> list[Card]:
    """Cards that fit, most promising first; those that would eat up the time come late."""
    fitting = [card for card in ALL if card.prior(problem) > 0]

    def worth(card: Card, most: float = math.inf) -> float:
        share = min(most, card.cost(problem) / max(seconds, 1.0))
        return card.prior(problem) / (1.0 + 2.0 * max(0.0, share - 0.15))

    clocked = max((card for card in fitting if card.clocked), key=worth, default=None)
    if clocked is not None:
        # It stops in time, whatever that is, and is what others have to beat.
        lifted = worth(clocked, MOST_MISSED)
        return sorted(fitting, key=lambda it: lifted if it is clocked else worth(it), reverse=True)
    return sorted(fitting, key=worth, reverse=True)


def first_cards(problem: Problem, most: int, seconds: float) -> list[Card]:
    """The best cards, fewer where time is short for so many; they share it equally."""
    ranked = rank_cards(problem, seconds)[:most]
    while len(ranked) > FEWEST_FIRST:
        shares = [min(1.0, seconds / len(ranked) / card.cost(problem)) for card in ranked]
        if sum(shares) >= DECENT_SHARE * len(ranked):
            break
        ranked.pop()
    return ranked


def first_scripts(
    problem: Problem, cards: Sequence[Card], seconds: float, most: int
) -> list[tuple[str, Recipe]]:
    """How cards start, each with so many seconds, under a name. Where time orders rows the first
    one starts in three ways, following it, not, and from simple guesses: folds tell what is right,
    a rule does not."""
    made = [(card.name, first_recipe(problem, card, seconds)) for card in cards]
    learner = next((card for card in cards if card.family != "naive"), None)
    if learner and is_series(problem):
        usual = follows_time(problem)
        name = f"{learner.name} {'without' if usual else 'with'} lags"
        made.insert(1, (name, first_recipe(problem, learner, seconds, series=not usual)))
        recipe = first_recipe(problem, learner, seconds, series=True)
        improved = recipe.with_first(guessing(recipe.members[0]))
        made.insert(2, (f"{learner.name} on guesses", improved))
    return made[:most]


def follows_time(problem: Problem) -> bool:
    """Whether levels and lags are the first guess."""
    return problem.years >= FEWEST_YEARS


def first_recipe(
    problem: Problem, card: Card | str, seconds: float = 60.0, *, series: bool | None = None
) -> Recipe:
    """A single member with the card's start values and the usual steps; those of series, and the
    level, if it is so wanted or the rule says so."""
    chosen = CARDS[card] if isinstance(card, str) else card
    series = follows_time(problem) if series is None else series
    steps = tuple(name for name in usual_steps(problem) if series or name not in SERIES)
    if chosen.text:
        table = bool(chosen.parameters(problem).get("table"))
        steps = steps if table else ("texts",)
    if chosen.family == "naive":
        # It looks at earlier targets by itself, and at nothing else.
        series, steps = False, steps[:1]
    if chosen.family in SMOOTH and STEPS["day_names"].fits(problem):
        steps = (*steps, "day_names")
    form = form_for(problem, series)
    share = min(1.0, 0.7 * seconds / chosen.cost(problem))
    parameters = _quicker(chosen.parameters(problem), share)
    alone = not (problem.groups or problem.time)
    weigh: tuple[Weigh, ...] = ("repeats",) if alone and problem.repeats else ()
    weigh += weighs_for(problem, form)
    member = Member(card=chosen.name, parameters=parameters, steps=steps, form=form, weigh=weigh)
    return Recipe(
        members=(member,),
        time_limit=seconds,
        decide=problem.metric in POORLY_MAXIMAL,
        # Fewer trees first; fewer rows only where that is not enough.
        most_rows=0 if share > LEAST_SHARE else max(5_000, int(problem.rows * share / LEAST_SHARE)),
    )


def constant_recipe(problem: Problem) -> Recipe:
    """The quickest script there is: one answer for all rows, hardly any columns made."""
    recipe = first_recipe(problem, "dummy")
    member = recipe.members[0]
    bare = {"steps": member.steps[:1], "form": "plain", "weigh": ()}
    return recipe.with_first(member.model_copy(update=bare))


def _quicker(parameters: Parameters, share: float) -> Parameters:
    """Fewer, larger steps where all of them would take too long."""
    if share >= 1:
        return parameters
    changed = dict(parameters)
    fewer = max(share, LEAST_SHARE)
    for name in ("rounds", "iterations", "max_iter", "trees"):
        if isinstance(value := changed.get(name), int):
            changed[name] = max(20, int(value * fewer))
    for name in ("learning_rate", "eta"):
        if isinstance(value := changed.get(name), float):
            changed[name] = round(min(0.2, value / fewer**0.5), 3)
    if isinstance(value := changed.get("patience"), int):
        changed["patience"] = max(15, int(value * fewer))
    return changed
