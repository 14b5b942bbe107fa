"""The final choice: single scripts and blends of them, compared on the same folds and on rows that
no proposer has seen. A blend is taken only if it is not worse than the best script in it.

Blends are made of predictions that are there already, so their members need not be trained again:
where the time does not suffice for that, what the search predicted is submitted.
"""

import math
from collections.abc import Sequence
from statistics import fmean, stdev
from typing import Any, NamedTuple

import numpy as np

from proveout.apps.mle.experts import blending
from proveout.apps.mle.problem import Problem
from proveout.apps.mle.scripts.candidate import Tried
from proveout.apps.mle.search.expecting import least_error, optimism, test_error
from proveout.apps.mle.search.mixing import Blended, Mixture, MixtureProposer, said
from proveout.apps.mle.search.rematching import originals, paired, runs_of
from proveout.apps.mle.search.searching import Search
from proveout.apps.mle.search.telling import number
from proveout.kernel.budget import Budget
from proveout.kernel.loop import attempts
from proveout.kernel.types import Frozen

MOST_MEMBERS = 14
"""Scripts that a blend may draw on."""
FEW_MEMBERS = 5
"""Where the difference between scripts is mostly chance, weights for many are chance as well."""
MOST_ALONE = 3
"""Members of a blend that are looked at alone, if it takes too long to train: each costs time."""
MOST_NAMED = 5
"""Parts of a blend that the reason names; the report has them all."""
MORE_ROWS = 1.3
"""How much longer a script may take on all rows than in the search."""
BEFORE_FINAL_SECONDS = 3.0
"""Until the final run begins, and before the end of the time."""
WORTH_OF_ROWS = 0.5
"""What training on all rows may cost in score, in standard errors."""
TRIES: tuple[tuple[blending.Strategy, int], ...] = (
    ("rank", MOST_MEMBERS),
    ("rank", FEW_MEMBERS),
    ("greedy", MOST_MEMBERS),
    ("stack", MOST_MEMBERS),
    ("average", FEW_MEMBERS),
    ("convex", FEW_MEMBERS),
    ("stack", FEW_MEMBERS),
)
"""How to blend, and from how many scripts; those that suit the metric best come first."""


class Row(Frozen):
    """One line of the selection report."""

    name: str
    score: float
    standard_error: float
    holdout: float | None
    fold_scores: tuple[float, ...] = ()
    p_value: float | None = None
    """Of a paired test against the choice: small if the difference is more than chance."""
    chosen: bool = False
    why: str = ""


class Choice(Frozen):
    """What is submitted, and what it was compared with."""

    members: tuple[Tried, ...]
    weights: tuple[float, ...]
    score: float
    """Mean over the folds; where time orders rows, over the hold-out as well."""
    expected: float = 0.0
    """What to expect of the test: less than folds and hold-out say, for it is the best of many."""
    standard_error: float
    holdout: float | None
    standing: float
    """What choices are compared by: `Search.standing` with the hold-out as one more fold."""
    mean: float = 0.0
    """Plainly over the folds and the hold-out."""
    spread: float = 0.0
    """How far apart these are."""
    test_error: float = 0.0
    """How far the score on the test may be from `expected` by chance: one standard error."""
    fold_scores: tuple[float, ...] = ()
    reason: str
    rows: tuple[Row, ...]
    strategy: blending.Strategy = "best"
    decided: bool = False
    """Whether a blend chooses classes by a rule of its own; a script alone has its own way."""

    @property
    def seconds(self) -> float:
        return sum(member.seconds for member in self.members)


def _tries(search: Search) -> Sequence[tuple[blending.Strategy, int]]:
    """Those that fit the metric, as many as were asked for."""
    ordered = search.problem.metric == "auc" and search.problem.kind == "binary"
    fitting = [it for it in TRIES if ordered or it[0] != "rank"]
    return fitting[: search.task.ensemble_rounds]


def choose(search: Search) -> Choice:
    """The best of all that was tried, and of all blends of it."""
    sign = 1.0 if search.problem.direction == "maximize" else -1.0
    singles = [_single(search, runs_of(search, item)) for item in originals(search.ranked)]
    single = max(singles, key=lambda it: sign * it.standing)
    pool = _pool(search)
    blends = []
    if len(pool) > 1 and search.task.ensemble_rounds:
        tries = dict.fromkeys((it, min(count, len(pool))) for it, count in _tries(search))
        blends = [made for it, count in tries if (made := _mixture(search, it, pool[:count]))]
    shown = {it.key for it in search.different[:MOST_MEMBERS]} | {single.reason}
    rows = [_row(search, it) for it in search.ranked if it.key in shown]
    leader = _leader(search, single, blends)
    chosen, reason = _settled(search, single, leader, bool(blends))
    rows += [_blend_row(search, it) for it in blends]
    marked = tuple(_against(search, chosen, row) for row in rows)
    made = _trainable(search, chosen.model_copy(update={"reason": reason, "rows": marked}))
    expected = _expected(search, made, [*singles, *blends])
    if search.arena.scheme != "time":
        error = _test_error(search, made)
        return made.model_copy(update={"expected": expected, "test_error": error})
    # The test is one more stretch of time: it may differ as much as these do from each other, and
    # of so few the mean is uncertain as well.
    apart = made.spread * math.sqrt(1 + 1 / max(1, len(_parts_seen(made))))
    error = max(apart, least_error(search.problem))
    told = {"score": made.mean, "standard_error": made.spread, "test_error": error}
    return made.model_copy(update={**told, "expected": expected})


def _expected(search: Search, choice: Choice, others: Sequence[Choice]) -> float:
    """Of folds and hold-out together, less what being the best of all these owes to luck there.

    Stretches of time differ by more than luck: what was best on some says little about others.
    """
    if search.arena.scheme == "time":
        return choice.mean
    if not choice.fold_scores:
        return choice.score
    sign = 1.0 if search.problem.direction == "maximize" else -1.0
    own, weights = _parts_seen(choice), _weights(search, choice)
    rivals = [row for it in others if len(row := _parts_seen(it)) == len(own)]
    plain = float(np.average(own, weights=weights))
    return plain - sign * optimism([own, *rivals], weights, sign)


def _parts_seen(choice: Choice) -> list[float]:
    """Its scores on the folds, and on the hold-out if there is one."""
    hidden = [] if choice.holdout is None else [choice.holdout]
    return [*choice.fold_scores, *hidden]


def _weights(search: Search, choice: Choice) -> list[float]:
    """Folds and hold-out count by their rows."""
    folds, case = len(choice.fold_scores), search.arena.case()
    hidden = folds * len(case.hidden) / max(1, int((case.fold >= 0).sum()))
    return [1.0] * folds + ([] if choice.holdout is None else [hidden])


def _test_error(search: Search, choice: Choice) -> float:
    def measured() -> float:
        held = [search.predicted(member.measured.predictions) for member in choice.members]
        how = (choice.strategy, held, choice.weights, choice.decided)
        given, classes = said(search, *how, again=True)
        return test_error(search.arena, held[0].rows, given, choice.standard_error, classes)

    found = search.context.observe("test_error", measured)
    return float(found) if isinstance(found, (int, float)) else choice.standard_error


def _trainable(search: Search, choice: Choice) -> Choice:
    """What can be trained on all rows in the time left, if that is nearly as good."""
    room = search.left() - BEFORE_FINAL_SECONDS
    if choice.seconds <= room or len(choice.members) == 1:
        return choice
    sign = 1.0 if search.problem.direction == "maximize" else -1.0
    made = [
        lean
        for name, members in _lean(choice, room).items()
        if (lean := _mixture(search, _way(choice, members), members, name)) is not None
    ]
    lean = max(made, key=lambda it: sign * it.standing, default=None)
    # Where rows follow time, those held out are the closest to the test: to learn from them is
    # worth as much as such stretches differ, but not any price.
    recent = search.arena.scheme == "time"
    slack = choice.spread if recent else WORTH_OF_ROWS * choice.standard_error
    if lean is None or sign * (lean.standing - choice.standing) < -slack:
        return choice
    several = f"{lean.reason} of {_parts(search, lean)}"
    what = several if len(lean.members) > 1 else search.called(lean.members[0])
    told = f"{what}: what there is time to train on all rows, out of {choice.reason}"
    return lean.model_copy(update={"reason": told, "rows": choice.rows})


def _lean(choice: Choice, room: float) -> dict[str, tuple[Tried, ...]]:
    """Members that can be trained in so many seconds, by the name of their branch: packed by weight
    per second, which alone would let quick weak ones push out the main one; by weight; and the
    heaviest each for itself."""
    weights = {it.key: weight for it, weight in zip(choice.members, choice.weights, strict=True)}
    heaviest = sorted(choice.members, key=lambda it: -weights[it.key])
    cheapest = sorted(choice.members, key=lambda it: -weights[it.key] / max(it.seconds, 0.1))
    found = {"lean": _packed(cheapest, room), "lean-heavy": _packed(heaviest, room)}
    for place, item in enumerate(heaviest[:MOST_ALONE]):
        # Like a choice as a whole: what might just end in time may be tried.
        found[f"lean-alone-{place:02d}"] = {item.key} if item.seconds <= room else set()
    different = {frozenset(keys): name for name, keys in reversed(found.items()) if keys}
    return {
        name: tuple(it for it in choice.members if it.key in keys)
        for keys, name in reversed(different.items())
    }


def _packed(members: Sequence[Tried], room: float) -> set[str]:
    """Keys of those that fit, the first ones first."""
    kept: set[str] = set()
    for item in members:
        if item.seconds * MORE_ROWS <= room:
            kept.add(item.key)
            room -= item.seconds * MORE_ROWS
    return kept


def _way(choice: Choice, members: Sequence[Tried]) -> blending.Strategy:
    return choice.strategy if len(members) > 1 else "best"


def _pool(search: Search) -> tuple[Tried, ...]:
    """The best scripts that differ: of each family the best one, then whoever is next."""
    ranked = search.different
    leaders: dict[str, Tried] = {}
    for item in ranked:
        leaders.setdefault(search.family(item), item)
    chosen = [*ranked[:FEW_MEMBERS], *leaders.values(), *ranked]
    keys = list(dict.fromkeys(item.key for item in chosen))[:MOST_MEMBERS]
    return tuple(item for item in ranked if item.key in keys)


class _Standing(NamedTuple):
    """If the hold-out counts as one more fold: the latest, where time orders rows."""

    standing: float
    mean: float
    spread: float


def _with_holdout(search: Search, scores: Sequence[float], holdout: float | None) -> _Standing:
    every = [*scores, math.nan if holdout is None else holdout]
    known = [score for score in every if math.isfinite(score)]
    spread = stdev(known) if len(known) > 1 else 0.0
    return _Standing(search.standing(known), fmean(known), spread)


def _against(search: Search, chosen: Choice, row: Row) -> Row:
    """Is it the choice, and how surely does it differ?"""
    if row.name == chosen.reason:
        return row.model_copy(update={"chosen": True})
    found = paired(search, chosen.fold_scores, row.fold_scores)
    return row.model_copy(update={"p_value": round(found.p_value, 4)})


def _single(search: Search, runs: Sequence[Tried]) -> Choice:
    """A script by the mean of its runs: in whole, on each fold and on the hold-out."""
    seen = [item.measured for item in runs]
    scores = [it.score for it in seen if it.score is not None]
    standings = [
        _with_holdout(search, it.fold_scores or scores[:1], it.holdout_score) for it in seen
    ]
    alike = [it.fold_scores for it in seen if len(it.fold_scores) == len(seen[0].fold_scores)]
    hidden = [it.holdout_score for it in seen if it.holdout_score is not None]
    return Choice(
        members=(runs[0],),
        weights=(1.0,),
        score=float(np.mean(scores)),
        standard_error=seen[0].standard_error,
        holdout=fmean(hidden) if hidden else None,
        fold_scores=tuple(map(fmean, zip(*alike, strict=True))),
        reason=runs[0].key,
        rows=(),
        standing=fmean(it.standing for it in standings),
        mean=fmean(it.mean for it in standings),
        spread=standings[0].spread,
    )


def _mixture(
    search: Search, strategy: blending.Strategy, pool: tuple[Tried, ...], name: str = "blend"
) -> Choice | None:
    branch = search.context.branch(f"{name}-{strategy}-{len(pool)}", Budget(rounds=1))
    proposer = MixtureProposer(search, strategy, pool)
    for attempt in attempts(search.task, proposer, (Blended(search),), branch):
        if not attempt.accepted or not isinstance(attempt.proposal, Mixture):
            continue
        seen: dict[str, Any] = search.seen(attempt.verdict.evidence, "fold_scores")
        by_key = {item.key: item for item in search.attempts}
        scores = np.array(seen["fold_scores"], dtype=float)
        error = float(scores.std(ddof=1) / np.sqrt(len(scores))) if len(scores) > 1 else 0.0
        stands = _with_holdout(search, seen["fold_scores"], seen.get("holdout"))
        return Choice(
            members=tuple(by_key[key] for key in attempt.proposal.members),
            weights=attempt.proposal.weights,
            score=float(scores.mean()),
            standard_error=error,
            holdout=seen.get("holdout"),
            fold_scores=tuple(seen["fold_scores"]),
            reason=f"blend ({strategy} of {len(pool)})",
            rows=(),
            strategy=attempt.proposal.strategy,
            decided=attempt.proposal.decided,
            **stands._asdict(),
        )
    return None


def _leader(search: Search, single: Choice, blends: list[Choice]) -> Choice | None:
    """The best blend; of those that the hold-out does not speak against, if there are any."""
    sign = 1.0 if search.problem.direction == "maximize" else -1.0
    real = [it for it in blends if len(it.members) > 1]
    sound = [it for it in real if not _worse_on_holdout(search.problem, single, it)]
    return max(sound or real, key=lambda it: sign * it.standing, default=None)


def _settled(
    search: Search, single: Choice, blend: Choice | None, tried: bool
) -> tuple[Choice, str]:
    """The blend if its honest score is better and the hold-out does not speak against it."""
    name = search.called(single.members[0])
    if blend is None:
        others = "no blend draws on any other" if tried else "there was nothing to blend it with"
        return single, f"{name}: the best score {_where(search, single)}; {others}"
    if not search.better(blend.standing, single.standing):
        return single, f"{name}: no blend was better {_compared(search, blend, single)}"
    if _worse_on_holdout(search.problem, single, blend):
        return (
            single,
            f"{name}: {blend.reason} did worse on the hold-out ({number(blend.holdout or 0.0)})",
        )
    why = f"better {_compared(search, blend, single)}"
    if blend.holdout is not None:
        why += ", and on the hold-out not worse by more than chance"
    return blend, f"{blend.reason} of {_parts(search, blend)}: {why}"


def _compared(search: Search, blend: Choice, single: Choice) -> str:
    """What tells them apart is not the score on the folds alone, which the report shows."""
    scores = f"{number(blend.standing)} against {number(single.standing)}"
    return f"{_where(search, blend)} ({scores})"


def _where(search: Search, choice: Choice) -> str:
    where = "on the folds" if choice.holdout is None else "in the mean of folds and hold-out"
    return f"{where}, the later the more" if search.arena.scheme == "time" else where


def _parts(search: Search, blend: Choice) -> str:
    """What it is made of, most important first, in one line."""
    pairs = zip(blend.weights, blend.members, strict=True)
    heaviest = sorted(pairs, key=lambda pair: -pair[0])
    # A stack weighs its members itself, in each fold anew.
    stacked = blend.strategy == "stack"
    named = [
        search.called(it) if stacked else f"{weight:g} {search.called(it)}"
        for weight, it in heaviest[:MOST_NAMED]
    ]
    more = len(heaviest) - MOST_NAMED
    return ", ".join(named) + (f" and {more} more" if more > 0 else "")


def _worse_on_holdout(problem: Problem, single: Choice, blend: Choice) -> bool:
    """Worse by more than the hold-out's own uncertainty."""
    if single.holdout is None or blend.holdout is None:
        return False
    sign = 1.0 if problem.direction == "maximize" else -1.0
    margin = single.members[0].measured.holdout_error * 0.5
    return sign * (blend.holdout - single.holdout) < -margin


def _row(search: Search, item: Tried) -> Row:
    return Row(
        name=item.key,
        score=item.measured.score or 0.0,
        standard_error=item.measured.standard_error,
        holdout=item.measured.holdout_score,
        fold_scores=item.measured.fold_scores,
        why=search.called(item),
    )


def _blend_row(search: Search, choice: Choice) -> Row:
    return Row(
        name=choice.reason,
        score=choice.score,
        standard_error=choice.standard_error,
        holdout=choice.holdout,
        fold_scores=choice.fold_scores,
        why=f"{choice.reason}: {' + '.join(map(search.called, choice.members))}",
    )
