"""Which steps make columns, in which function, and for which problems they make sense."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from proveout.apps.mle.experts.recipe import Recipe
from proveout.apps.mle.problem import ColumnKind, Problem
from proveout.apps.mle.tables.keys import group_columns

LATITUDE = re.compile(r"(?<![a-z])(lat|latitude)(?![a-z])")
LONGITUDE = re.compile(r"(?<![a-z])(lon|lng|long|longitude)(?![a-z])")
FEWEST_AMOUNTS = 3
"""Columns like bills, from which on their sum and their largest one say something new."""
MOST_WEEKS = 60
"""Dates in a year, if there is one a week, with some to spare."""


def named(problem: Problem, *kinds: ColumnKind) -> list[str]:
    """Feature columns of these kinds."""
    return [column.name for column in problem.features if column.kind in kinds]


def numbered_names(problem: Problem) -> list[str]:
    """Number columns that are names; not those that order or group the rows, for the values of rows
    to predict are new then."""
    unseen = {*times(problem), group(problem)[0]}
    return [c.name for c in problem.features if c.code and c.name not in unseen]


def coordinates(problem: Problem) -> list[tuple[str, str]]:
    """Number columns whose names, apart from that word, agree: `start_lat` and `start_lon`."""
    plain = {name: re.sub(r"[_\W]+", " ", name.lower()) for name in named(problem, "number")}
    rest = {LONGITUDE.sub("@", low): name for name, low in plain.items() if LONGITUDE.search(low)}
    pairs = [
        (name, rest[LATITUDE.sub("@", low)])
        for name, low in plain.items()
        if LATITUDE.search(low) and LATITUDE.sub("@", low) in rest
    ]
    return pairs[:3]


def group(problem: Problem) -> tuple[str, str]:
    """The column that scripts find the groups in, and the mark that cuts its values (empty: not
    cut). Columns that name a group together are one there."""
    columns, mark = group_columns(problem)
    return "+".join(columns), mark


def times(problem: Problem) -> list[str]:
    """The columns that order the rows together."""
    names = {column.name for column in problem.columns}
    if not problem.time or problem.time in names:
        return [problem.time] if problem.time else []
    return problem.time.split("+")


def dated(problem: Problem) -> bool:
    """Whether rows are ordered by a date."""
    ordering = times(problem)
    return len(ordering) == 1 and ordering[0] in named(problem, "date")


def has_weekdays(problem: Problem) -> bool:
    """Whether rows may be of several weekdays: not where there are hardly more dates than weeks."""
    if not dated(problem) or problem.years <= 0:
        return True
    dates = next(c.unique for c in problem.features if c.name == problem.time)
    return dates > MOST_WEEKS * problem.years


def long_texts(problem: Problem) -> list[str]:
    """Text worth reading word by word."""
    return [c.name for c in problem.features if c.kind == "text"]


def splittable(problem: Problem) -> list[str]:
    """Strings that may be several facts in one."""
    short = [c.name for c in problem.features if c.kind in ("category", "id") and c.unique > 8]
    if "|" in problem.groups and problem.id_column == group(problem)[0]:
        short.append(problem.id_column)
    return short + [c.name for c in problem.features if c.kind == "text" and c.words < 4]


@dataclass(frozen=True)
class Step:
    """A set of columns with one idea behind them."""

    name: str
    code: str
    """Row by row: an expression over `frame` and `like`. Fitted: the function's name."""
    fits: Callable[[Problem], bool]
    fitted: bool = False
    usual: bool = True
    """Whether first recipes have it; otherwise an edit may switch it on."""


def _many_names(problem: Problem) -> bool:
    codes = numbered_names(problem)
    named = (c for c in problem.features if c.kind in ("category", "id", "text") or c.name in codes)
    return any(c.unique > 8 for c in named)


def _few_classes(problem: Problem) -> bool:
    return len(problem.labels) <= 5


def _worth_reading(problem: Problem) -> bool:
    return any(c.kind == "text" and c.words >= 3 for c in problem.features)


ALL_STEPS = (
    Step("numbers", "numbers(frame)", lambda p: bool(named(p, "number"))),
    Step("booleans", "booleans(frame)", lambda p: bool(named(p, "boolean"))),
    Step("names", "categories(frame)", lambda p: bool(named(p, "category"))),
    Step("texts", "texts(frame)", lambda p: bool(long_texts(p))),
    Step("dates", "date_parts(frame)", lambda p: bool(named(p, "date"))),
    Step("day_names", "day_names(frame)", lambda p: bool(named(p, "date")), usual=False),
    Step(
        "composites",
        "composite_parts(frame, composite_plan(like))",
        lambda p: bool(splittable(p)),
    ),
    Step("key_parts", "key_parts(frame, like)", lambda p: p.key_tells and bool(p.id_column)),
    Step(
        "missing",
        "missing_count(frame)",
        lambda p: sum(c.missing > 0.005 for c in p.features) >= 3,
    ),
    Step(
        "clocks",
        "clock_parts(frame, clock_columns(like))",
        lambda p: any(c.look == "clock" for c in p.features),
    ),
    Step(
        "numbered",
        "code_names(frame, CODES)",
        lambda p: bool(numbered_names(p)),
    ),
    Step(
        "codes",
        "code_names(frame, code_columns(like))",
        lambda p: any(
            c.kind == "number" and not c.code and 10 < c.unique < p.rows / 5 for c in p.features
        ),
        usual=False,
    ),
    Step(
        "amounts",
        "amount_totals(frame, amount_columns(like))",
        lambda p: sum(c.look == "amount" for c in p.features) >= FEWEST_AMOUNTS,
    ),
    Step(
        "ratios",
        "ratios(frame, ratio_pairs(like))",
        lambda p: sum(c.kind == "number" and c.unique > 30 for c in p.features) >= 2,
    ),
    Step("turned", "turned_coordinates(frame)", lambda p: bool(coordinates(p))),
    Step("companions", "companions(numbers(frame), group_keys(frame))", lambda p: bool(p.groups)),
    Step("further", "further_tables(frame)", lambda p: bool(p.tables)),
    # Where they say nothing they cost more than the plain facts: not before these were tried.
    Step(
        "further_details",
        'further_tables(frame, "details")',
        lambda p: bool(p.tables),
        usual=False,
    ),
    Step("frequencies", "frequencies", _many_names, fitted=True),
    Step("mean_targets", "mean_targets", lambda p: _many_names(p) and _few_classes(p), fitted=True),
    Step(
        "pairs",
        "pair_means",
        lambda p: len(named(p, "category")) >= 2 and _few_classes(p),
        fitted=True,
        usual=False,
    ),
    Step(
        "neighbours",
        "neighbour_means",
        lambda p: bool(coordinates(p)) and _few_classes(p),
        fitted=True,
    ),
    Step("clusters", "cluster_distances", lambda p: bool(coordinates(p)), fitted=True, usual=False),
    Step(
        "calendar",
        "calendar_means",
        lambda p: dated(p) and p.kind == "regression",
        fitted=True,
    ),
    Step(
        "lags",
        "lagged_values",
        lambda p: bool(p.time) and p.kind == "regression",
        fitted=True,
    ),
    Step(
        "recent",
        "recent_values",
        lambda p: bool(p.time) and p.kind == "regression",
        fitted=True,
        usual=False,
    ),
    Step(
        "history",
        "earlier_outcomes",
        lambda p: bool(p.time) and p.kind != "regression" and _few_classes(p),
        fitted=True,
    ),
    Step("topics", "text_topics", _worth_reading, fitted=True),
)
SERIES = ("calendar", "lags", "recent")
"""Steps that learn from what came before."""
STEPS: Mapping[str, Step] = {step.name: step for step in ALL_STEPS}


def usual_steps(problem: Problem) -> tuple[str, ...]:
    """What first recipes have."""
    return tuple(step.name for step in ALL_STEPS if step.usual and step.fits(problem))


def suffices(steps: Iterable[str]) -> bool:
    """Whether there are columns to learn from: fitted steps only add to those of others."""
    return any(not STEPS[name].fitted for name in steps)


def in_order(names: set[str]) -> tuple[str, ...]:
    """As scripts list them."""
    return tuple(step.name for step in ALL_STEPS if step.name in names)


def steps_of(recipe: Recipe) -> tuple[str, ...]:
    """All steps that any member wants."""
    return in_order({name for member in recipe.members for name in member.steps})
