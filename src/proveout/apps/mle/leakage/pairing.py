"""Every pair of a training and an evaluation by itself: what a labelled corpus speaks about."""

from dataclasses import dataclass

from proveout.apps.mle.leakage import judging
from proveout.apps.mle.leakage.examining import followed
from proveout.apps.mle.leakage.log import Log
from proveout.apps.mle.leakage.values import Span


@dataclass(frozen=True, slots=True)
class Pair:
    """A model that was trained at one place and asked at another."""

    fit: Span
    evaluation: Span
    codes: frozenset[str]
    """The rules that the pair breaks; of several turns of a loop, all of them."""
    notes: frozenset[str]
    """Those that it breaks in a harmless way."""
    shares_rows: bool
    """Rows that were trained on are among those asked about, whether or not that is a fault."""


def pairs(source: str) -> tuple[Pair, ...]:
    """Those of a program that can be read; none of one that cannot."""
    try:
        log = followed(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    found: dict[tuple[Span, Span], Pair] = {}
    for event_number, event in enumerate(log.evaluations):
        for fit_number in event.fits:
            pair = _pair(log, fit_number, event_number)
            known = found.get((pair.fit, pair.evaluation))
            if known is not None:
                pair = _both(known, pair)
            found[pair.fit, pair.evaluation] = pair
    return tuple(found.values())


def _both(one: Pair, two: Pair) -> Pair:
    return Pair(
        one.fit,
        one.evaluation,
        one.codes | two.codes,
        one.notes | two.notes,
        one.shares_rows or two.shares_rows,
    )


def _pair(log: Log, fit_number: int, event_number: int) -> Pair:
    fit, event = log.fits[fit_number], log.evaluations[event_number]
    found = list(judging.of_pair(log, fit, event))
    return Pair(
        fit.span,
        event.span,
        frozenset(suspicion.code for suspicion in found if not suspicion.harmless),
        frozenset(suspicion.code for suspicion in found if suspicion.harmless),
        judging.shares_rows(fit, event),
    )
