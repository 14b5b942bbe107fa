"""Label permutation: with shuffled labels there is nothing to learn, so scores must be chance."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from proveout.apps.mle.leakage.dynamic.changing import FEW
from proveout.apps.mle.leakage.dynamic.evidence import Outcome, Witness
from proveout.apps.mle.leakage.dynamic.pairs import Pair
from proveout.apps.mle.leakage.dynamic.record import Matrix, Record
from proveout.apps.mle.leakage.dynamic.tables import Table
from proveout.apps.mle.leakage.dynamic.trial import Trial
from proveout.apps.mle.leakage.dynamic.universe import Universe

SHUFFLES = 3
DRAWS = 199
MOST_EVALUATIONS = 10
RARE = 0.01
STAYS = 0.3
"""Share of the agreement that must remain before it is more than luck."""
CODE = "leak.survives_shuffled_labels"
Numbers = NDArray[np.float64]
Measure = Callable[[Numbers], float]


def permute_labels(
    trial: Trial, world: Universe, base: Record, pairs: list[Pair], outcome: Outcome
) -> None:
    """Shuffle the target in the files, and see what is left of the score."""
    chosen = _evaluations(base, pairs)
    first = _agreement(base, chosen)
    if first is None or first[1] > RARE or first[0] <= 0:
        outcome.notes.append("labels were not shuffled: no predictions that follow them were seen")
        return
    left: list[float] = []
    for number in range(SHUFFLES):
        run = trial.run(world.folder.with_tables(_shuffled(world, number)))
        if run.failure:
            outcome.notes.append(f"shuffled labels: {run.failure}")
            return
        found = _agreement(run, [at for at in chosen if at < len(run.events)])
        if found is None or found[1] > RARE or found[0] < STAYS * first[0]:
            outcome.tried.add("labels shuffled")
            return
        left.append(found[0])
    line = base.events[chosen[0]].line
    told = (
        f"after all labels were shuffled, predictions still agree with them at line {line}: "
        f"{np.mean(left):.2f} above chance, {first[0]:.2f} before"
    )
    outcome.witnesses.append(
        Witness("check", CODE, line, told, score_line=line, rows="rows that are scored")
    )


def _shuffled(world: Universe, number: int) -> dict[str, Table]:
    dice = np.random.default_rng(number)
    return {
        table.name: table.with_columns({world.target: dice.permutation(table.column(world.target))})
        for table in world.tables
    }


def _evaluations(base: Record, pairs: list[Pair]) -> list[int]:
    """Scores on held-out rows; on training rows only if there are no others."""
    scored = [pair for pair in pairs if pair.scored and not pair.inner]
    honest = [pair.evaluation for pair in scored if pair.honest]
    found = honest or [pair.evaluation for pair in scored]
    return [at for at in dict.fromkeys(found) if base.events[at].out is not None][:MOST_EVALUATIONS]


def _agreement(record: Record, chosen: list[int]) -> tuple[float, float] | None:
    """How far predictions follow the labels, above chance, and how likely luck does as well."""
    found = [_follows(record, at) for at in chosen]
    both = [one for one in found if one is not None]
    if not both:
        return None
    real = float(np.mean([one[0] for one in both]))
    drawn = np.mean([one[1] for one in both], axis=0)
    luck = (1 + int(np.sum(drawn >= real))) / (1 + DRAWS)
    return real - float(np.mean(drawn)), luck


def _follows(record: Record, at: int) -> tuple[float, Numbers] | None:
    event = record.events[at]
    labels = event.y if event.y is not None else _labels(record, at)
    if labels is None or event.out is None or len(labels) != len(event.out):
        return None
    y, out = labels[:, 0], event.out
    measure = _measure(y, out)
    if measure is None:
        return None
    dice = np.random.default_rng(0)
    drawn = np.asarray([measure(dice.permutation(y)) for _ in range(DRAWS)])
    return measure(y), drawn


def _labels(record: Record, at: int) -> Matrix | None:
    """Of the score around it, or of the metric after it."""
    for event in record.events[at + 1 :]:
        fits = event.kind in ("score", "metric") and event.y is not None
        if fits and event.rows == record.events[at].rows:
            return event.y
    return None


def _measure(y: Numbers, out: Matrix) -> Measure | None:
    """Share of equal labels, the area under the curve, or the correlation of ranks."""
    values = np.unique(y)
    if len(values) < 2 or not np.isfinite(out).all():
        return None
    if out.shape[1] == 1 and np.isin(out[:, 0], values).all() and len(values) <= FEW:
        return lambda labels: float(np.mean(labels == out[:, 0]))
    ranks = _ranks(out[:, -1])
    if len(values) == 2:
        high = values[1]
        return lambda labels: _curve(labels == high, ranks)
    if len(values) > FEW and out.shape[1] == 1:
        return lambda labels: _correlation(_ranks(labels), ranks)
    return None


def _correlation(one: Numbers, two: Numbers) -> float:
    """Of a constant with anything: nothing."""
    spread = float(one.std() * two.std())
    return float(np.mean((one - one.mean()) * (two - two.mean()))) / spread if spread else 0.0


def _ranks(values: Numbers) -> Numbers:
    _, place, count = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(count)
    return np.asarray((ends - (count - 1) / 2.0)[place], dtype=np.float64)


def _curve(high: NDArray[np.bool_], ranks: Numbers) -> float:
    some = int(high.sum())
    rest = len(high) - some
    if not some or not rest:
        return 0.5
    return float((ranks[high].sum() - some * (some + 1) / 2) / (some * rest))
