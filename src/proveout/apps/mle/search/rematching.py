"""Close calls: scripts that a paired test cannot tell apart run again with other seeds.

Of scripts that are as good as each other the luckiest looks best. Another run shows how much of
that was luck: in the final choice a script counts by the mean of its runs. The new predictions may
be blended like any others.
"""

from collections.abc import Iterable, Sequence

from proveout.apps.mle.experts.variants import reseeded
from proveout.apps.mle.harness.judging import Comparison, Evaluation, compare
from proveout.apps.mle.scripts.candidate import AGAIN, Candidate, Tried
from proveout.apps.mle.search.proposers import Fixed
from proveout.apps.mle.search.searching import Search

AGAIN_SHARE = 0.06
"""Of the time, at most, for close calls."""
RIVALS = 2
OTHER_SEEDS = 1_000
"""Far from the seeds that the members of a script are given."""


def paired(search: Search, one: Sequence[float], other: Sequence[float]) -> Comparison:
    """The same folds, two scripts: is the difference more than chance?"""
    first, second = (
        Evaluation(fold_scores=tuple(scores), direction=search.problem.direction)
        for scores in (one, other)
    )
    return compare(first, second)


def rivals(search: Search) -> list[Tried]:
    """The best script and those next to it that may be as good; nobody where it stands out."""
    different = {item.measured.predictions: item for item in reversed(originals(search.ranked))}
    ranked = [it for it in search.ranked if different.get(it.measured.predictions) is it]
    close = [
        item
        for item in ranked[1:]
        if not paired(search, ranked[0].measured.fold_scores, item.measured.fold_scores).significant
    ]
    return [ranked[0], *close[: RIVALS - 1]] if close else []


def originals(items: Iterable[Tried]) -> list[Tried]:
    return [item for item in items if not item.candidate.origin.startswith(AGAIN)]


def seconds_again(search: Search) -> float:
    """What close calls would take now; nought if there are none, or if it is too long."""
    close = rivals(search)
    taken = sum(item.seconds for item in close) / max(1, min(search.workers, len(close)))
    return taken if taken <= AGAIN_SHARE * search.seconds else 0.0


def rematch(search: Search, reserved: float) -> None:
    """Run rivals again if there is time beside what is reserved."""
    needed = seconds_again(search)
    if not needed or search.left(reserved) < needed:
        return
    proposers = {}
    for item in rivals(search):
        source = reseeded(item.candidate.source, OTHER_SEEDS)
        if source is not None:
            origin = f"{AGAIN}{item.candidate.origin}"
            again = Candidate(source=source, origin=origin, parent=item.key)
            proposers[f"again-{item.key.partition('#')[0]}"] = Fixed(again)
    if proposers:
        search.trying(proposers, seconds=2 * needed)


def runs_of(search: Search, item: Tried) -> list[Tried]:
    """A script's own run, and those with other seeds."""
    repeats = [
        it
        for it in search.ranked
        if it.candidate.origin.startswith(AGAIN) and it.candidate.parent == item.key
    ]
    return [item, *repeats]
