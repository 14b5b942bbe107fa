"""Blends of what scripts predicted: proposed by arithmetic, scored on rows they were not fitted on.

A script may choose classes by a rule of its own instead of the largest probability, and is scored
by what it chose. A blend is held to the same: where scripts have such rules it finds one as well.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from pydantic import Field, JsonValue

from proveout.apps.mle.experts import blending
from proveout.apps.mle.experts.deciding import chooser, decides
from proveout.apps.mle.scripts.candidate import Predictions, Tried
from proveout.apps.mle.search.searching import Search
from proveout.apps.mle.task import MleTask
from proveout.kernel.ports import Ask, Brief, Checked, Surroundings
from proveout.kernel.types import Finding, Frozen, Malformed


class Mixture(Frozen):
    """A blend of scripts, by their predictions."""

    strategy: blending.Strategy
    members: tuple[str, ...] = Field(min_length=1)
    """Keys of attempts."""
    predictions: tuple[str, ...]
    """Content ids of what they predicted."""
    weights: tuple[float, ...]
    decided: bool = False
    """Whether it chooses classes by a rule of its own instead of the largest probability."""


@dataclass(frozen=True)
class MixtureProposer:
    """Fits the weights of one strategy. No role is asked: arithmetic needs no opinion."""

    search: Search
    strategy: blending.Strategy
    members: tuple[Tried, ...]
    returns = Mixture

    def propose(self, brief: Brief, ask: Ask) -> Mixture | Malformed:
        del ask
        kept = [self.search.predicted(item.measured.predictions) for item in self.members]
        ruled = any(it.decisions is not None for it in kept)
        decided = self.strategy != "best" and decides(self.search.problem, ruled)
        seen = seen_by(self.search, kept, self.strategy, decided)
        if self.strategy == "rank":
            folds = self.search.arena.case().fold[kept[0].rows]
            seen = replace(seen, predictions=blending.ranked(seen.predictions, folds))
        score = scorer(self.search)
        rows = np.arange(len(seen.truth), dtype=np.int64)
        blend = blending.fit(self.strategy, seen, score, rows, brief.seed)
        # Of one there is nothing to blend: its script is what would be trained.
        alone = len(blend.members) == 1
        return Mixture(
            strategy="best" if alone else self.strategy,
            decided=decided and not alone,
            members=tuple(self.members[place].key for place in blend.members),
            predictions=tuple(self.members[it].measured.predictions for it in blend.members),
            weights=tuple(blend.weights[place] for place in blend.members),
        )


@dataclass(frozen=True)
class Blended:
    """Scores a blend: per fold with weights fitted without it, then on the hold-out."""

    search: Search

    def __call__(self, task: MleTask, proposal: Mixture, around: Surroundings) -> Checked:
        del task
        if abs(sum(proposal.weights) - 1.0) > 0.01 or min(proposal.weights) < 0.0:
            hint = "Weights are shares: none negative, together one."
            message = f"the weights {proposal.weights} are not shares"
            finding = Finding(code="mle.blend.weights", message=message, hint=hint)
            return Checked(findings=(finding,))
        seen = around.observe("blend", lambda: self._measure(proposal))
        assert isinstance(seen, dict)
        scores = seen["fold_scores"]
        assert isinstance(scores, list)
        if not scores:
            message = "the metric is not defined for this blend on any fold"
            return Checked(findings=(Finding(code="mle.score_undefined", message=message),))
        return Checked(score=float(np.mean(np.array(scores, dtype=float))))

    def _measure(self, proposal: Mixture) -> JsonValue:
        case = self.search.arena.case()
        held = [self.search.predicted(name) for name in proposal.predictions]
        sign = 1.0 if self.search.problem.direction == "maximize" else -1.0
        folds = case.fold[held[0].rows]
        known = seen_by(self.search, held, proposal.strategy, proposal.decided)
        found = blending.honest_score(proposal.strategy, known, scorer(self.search), folds)
        hidden = float("nan")
        if len(case.hidden):
            how = (proposal.strategy, held, proposal.weights, proposal.decided)
            given, classes = said(self.search, *how)
            chosen = classes[case.hidden] if classes is not None else None
            hidden = case.metric.score(case.problem, case.hidden_truth, given[case.hidden], chosen)
        return {
            "fold_scores": [sign * value for value in found if np.isfinite(value)],
            "holdout": hidden if np.isfinite(hidden) else None,
        }


def scorer(search: Search) -> blending.Score:
    """Predictions for some of the validated rows → a number, higher is better."""
    case = search.arena.case()
    sign = 1.0 if search.problem.direction == "maximize" else -1.0
    truth = case.truth[np.flatnonzero(case.fold >= 0)]

    def score(predictions: blending.Array, rows: blending.Rows) -> float:
        value = sign * case.metric.score(search.problem, truth[rows], predictions)
        return value if np.isfinite(value) else -np.inf

    return score


def seen_by(
    search: Search, held: Sequence[Predictions], strategy: blending.Strategy, decided: bool
) -> blending.Seen:
    """What these scripts predicted for rows they had not seen, with the truth."""
    case, problem = search.arena.case(), search.problem
    sign = 1.0 if problem.direction == "maximize" else -1.0

    def score(truth: Any, given: Any, classes: Any) -> float:
        return sign * case.metric.score(problem, truth, given, classes)

    labels_count = case.metric.needs == "labels"
    return blending.Seen(
        # Who is compared as a script, not mixed, is compared by what it decided.
        [_meant(it) if strategy == "best" and labels_count else it.predictions for it in held],
        case.truth[held[0].rows],
        classes=problem.kind != "regression",
        aim=blending.AIMS.get(problem.metric, "squared"),
        choose=chooser(problem, score) if decided else None,
    )


def _meant(held: Predictions) -> blending.Array:
    """Predictions whose largest is what the script decided."""
    given: blending.Array = held.predictions
    return given if held.decisions is None else blending.certain(held.decisions, given)


def said(
    search: Search,
    strategy: blending.Strategy,
    held: Sequence[Predictions],
    weights: Sequence[float],
    decided: bool = False,
    *,
    again: bool = False,
) -> tuple[blending.Array, blending.Rows | None]:
    """What the blend predicts for test rows, or `again` for those validated, and the classes that
    it chooses if they are not the most probable ones. A script alone says what it said."""
    others = [it.predictions if again else it.test for it in held]
    if len(held) == 1:
        return others[0], held[0].decisions if again else held[0].test_decisions
    seen = seen_by(search, held, strategy, decided)
    return (
        blending.blended(strategy, seen, others, weights),
        blending.decided(strategy, seen, others, weights),
    )
