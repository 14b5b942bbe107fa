"""Choices made by looking at the rows that are reported: tuning, thresholds, early stopping."""

from collections.abc import Iterator
from dataclasses import dataclass

from proveout.apps.mle.leakage.codes import Confidence
from proveout.apps.mle.leakage.log import Choice, Evaluation, Log
from proveout.apps.mle.leakage.rows import TEST, TRAIN, Rows, describe, overlap, split_cuts
from proveout.apps.mle.leakage.values import Span, Trail


@dataclass(frozen=True, slots=True)
class Suspicion:
    """A finding before it is given its text and block."""

    code: str
    span: Span
    what: str
    path: Trail
    rows: Rows
    confidence: Confidence
    harmless: bool = False
    columns: tuple[str, ...] = ()
    """Columns that must go, where that is all there is to it."""


def choices(log: Log) -> Iterator[Suspicion]:
    for choice in log.choices:
        events = [event for event in _held_out(log, choice.evaluations)]
        if not events:
            continue
        rows: Rows = frozenset().union(*(event.rows for event in events))
        if not _scored_elsewhere(log, events, choice.order):
            yield _chosen(choice, events, rows)
    yield from _stopped_early(log)


def _stopped_early(log: Log) -> Iterator[Suspicion]:
    """Training that ends when the score on the reported rows is best.

    In folds, or on a part that is called validation, it is custom and costs little: a note.
    """
    for number, fit in enumerate(log.fits):
        for position, event in enumerate(log.evaluations):
            if not (number in event.fits and event.scored):
                continue
            if not overlap(fit.stops_early_on, event.rows):
                continue
            if _scored_elsewhere(log, [event], fit.order):
                continue
            final = any(_held_out(log, frozenset({position}))) and not _is_validation(event)
            yield Suspicion(
                code="leak.tuned_on_test",
                span=fit.span,
                what=f"training of {fit.name} is stopped by the score on the rows that are "
                f"scored at line {event.shown}",
                path=(
                    (fit.span.line, f"{fit.name} stops early on {describe(event.rows)}"),
                    (event.shown, "the same rows are scored"),
                ),
                rows=event.rows,
                confidence="likely" if final else "suspect",
            )


def _held_out(log: Log, numbers: frozenset[int]) -> Iterator[Evaluation]:
    """Evaluations on a part that was set aside once, not on folds."""
    for number in sorted(numbers):
        event = log.evaluations[number]
        cuts = split_cuts(event.rows)
        if event.crossed or not cuts or any(cut.folds for cut in cuts):
            continue
        if event.fits and not any(overlap(log.fits[f].rows, event.rows) for f in event.fits):
            yield event


def _scored_elsewhere(log: Log, chosen_by: list[Evaluation], order: int) -> bool:
    """Some model was judged, after the choice, on rows that took no part in it.

    A look at a validation part does not make up for a choice by the test rows.
    """
    rows: Rows = frozenset().union(*(event.rows for event in chosen_by))
    by_validation = any(map(_is_validation, chosen_by))
    return any(
        event.order > order
        and event.rows
        and (by_validation or not _is_validation(event))
        and not overlap(event.rows, rows)
        and not all(piece.unlabelled for piece in event.rows)
        and not any(overlap(log.fits[number].rows, event.rows) for number in event.fits)
        for event in log.evaluations
    )


def _is_validation(event: Evaluation) -> bool:
    """The rows were taken from a training part, or are called so: another test may follow."""
    nested = any(
        TRAIN in {cut.side for cut in piece.cuts} and TEST in {cut.side for cut in piece.cuts}
        for piece in event.rows
    )
    return nested or any(word in event.label.lower() for word in ("val", "dev"))


def _chosen(choice: Choice, events: list[Evaluation], rows: Rows) -> Suspicion:
    confidence: Confidence = "suspect" if any(map(_is_validation, events)) else "likely"
    code = "leak.tuned_on_test" if choice.refitted else "leak.threshold_on_all_rows"
    first = events[0]
    return Suspicion(
        code=code,
        span=choice.span,
        what=f"the best is taken at line {choice.span.line} by the score on {describe(rows)}, "
        "and no other rows are scored afterwards",
        path=(
            (first.span.line, f"evaluated on {describe(first.rows)}"),
            (choice.span.line, "the best of several is kept"),
        ),
        rows=rows,
        confidence=confidence,
    )
