"""The same rows on both sides: trained on, and scored as if they were new."""

import numpy as np

from proveout.apps.mle.leakage.dynamic.evidence import Outcome, Witness
from proveout.apps.mle.leakage.dynamic.pairs import Pair
from proveout.apps.mle.leakage.dynamic.record import Record
from proveout.apps.mle.leakage.dynamic.universe import Universe

FEWEST = 5


def judge_overlap(base: Record, pairs: list[Pair], world: Universe, outcome: Outcome) -> None:
    """A score on some training rows is a leak; one on all of them, if there is no other score.

    Where no metric is seen, the score may be computed by hand: then any model that is asked about
    a mixture of old and new rows counts, provided that none is asked about new rows alone.
    """
    honest = any(pair.honest for pair in pairs)
    by_hand = not honest and not any(pair.scored for pair in pairs)
    outer = [
        pair for pair in pairs if not pair.inner and (pair.scored or (by_hand and _mixed(pair)))
    ]
    outcome.tried.add("same rows")
    for pair in outer:
        shared = len(pair.shared)
        if not shared:
            continue
        whole = len(pair.held_rows) == len(pair.trained) == shared
        if whole and honest:
            continue
        outcome.witnesses.append(_witness(base, pair, world, whole=whole))
        return


def _mixed(pair: Pair) -> bool:
    """Old and new rows in any order. Lagged features make rows look like those before them, so that
    the first few of a later part are taken for training rows: those alone show nothing."""
    old = np.flatnonzero(np.isin(pair.held, pair.trained))
    return FEWEST <= len(old) < len(pair.held) and bool(old[-1] >= len(pair.held) / 2)


def _witness(base: Record, pair: Pair, world: Universe, *, whole: bool) -> Witness:
    fit, asked = base.events[pair.fit], base.events[pair.evaluation]
    shared = pair.shared
    told = (
        f"{len(shared)} of the {len(pair.held_rows)} rows scored at line {asked.line} "
        f"({world.place(int(shared[0]))}, …) are among the {len(pair.trained)} rows that "
        f"{fit.name} was trained on at line {fit.line}"
    )
    return Witness(
        channel="own rows" if whole else "same rows",
        code="leak.score_on_training_rows" if whole else "leak.overlap",
        line=asked.line if whole else fit.line,
        told=told,
        fit_line=fit.line,
        score_line=asked.line,
        rows=f"{len(shared)} rows on both sides",
    )
