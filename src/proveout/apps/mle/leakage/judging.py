"""From what happened to what leaks: pairs of a fit and an evaluation, and splits without a pair."""

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet

from proveout.apps.mle.leakage import choosing
from proveout.apps.mle.leakage.codes import Confidence
from proveout.apps.mle.leakage.log import Evaluation, FitEvent, Log
from proveout.apps.mle.leakage.rows import (
    SLICE,
    TEST,
    TRAIN,
    Rows,
    describe,
    overlap,
    split_cuts,
    within,
)
from proveout.apps.mle.leakage.values import Order, Origin, Span, Taint, Taints, Trail, Value

Suspicion = choosing.Suspicion


def suspicions(log: Log) -> list[Suspicion]:
    """Everything that speaks against the program, the surest first for each place."""
    found: list[Suspicion] = []
    for event in log.evaluations:
        for fit in (log.fits[number] for number in event.fits):
            found += of_pair(log, fit, event)
    for fit in log.fits:
        found += _target_among_features(fit, log.numeric)
        found += _future(fit)
    found += _splits(log)
    found += choosing.choices(log)
    return found


def of_pair(log: Log, fit: FitEvent, event: Evaluation) -> Iterator[Suspicion]:
    """What speaks against scoring this training by this evaluation."""
    if not event.crossed and overlap(fit.rows, event.rows):
        yield from _same_rows(log, fit, event)
        return
    seen = {**event.x.all_taints(), **fit.x.all_taints()}
    if fit.y is not None:
        seen.update({t: p for t, p in fit.y.all_taints().items() if _matters_for_target(t)})
    for taint, trail in seen.items():
        if taint.kind != "future" and overlap(taint.rows, event.rows):
            doubtful = not fit.rows or (event.crossed and _scored_apart(log, taint.rows))
            yield _learnt(taint, trail, fit, event, doubtful=doubtful)


def _scored_apart(log: Log, rows: Rows) -> bool:
    """Some model is scored on rows that were not learnt from: only the inner score is rosy."""
    return any(
        event.scored and not event.crossed and event.rows and not overlap(rows, event.rows)
        for event in log.evaluations
    )


def _matters_for_target(taint: Taint) -> bool:
    """A target may be scaled or resampled; encoding or cutting it only defines the task."""
    return taint.kind == "resample" or (taint.kind == "fit" and not taint.supervised)


def _learnt(
    taint: Taint, trail: Trail, fit: FitEvent, event: Evaluation, *, doubtful: bool
) -> Suspicion:
    code, harmless = code_of(taint, fit, event)
    certain = event.scored or event.crossed or not _unlabelled(event.rows)
    confidence: Confidence = "suspect" if doubtful else ("certain" if certain else "likely")
    return Suspicion(
        code=code,
        span=taint.span,
        what=f"`{taint.what}` saw {describe(taint.rows)}; "
        f"{fit.name} is evaluated at line {event.span.line} on {describe(event.rows)}",
        path=(*trail, _fit_step(fit), _evaluation_step(fit, event)),
        rows=taint.rows,
        confidence=confidence,
        harmless=harmless,
    )


def _fit_step(fit: FitEvent) -> tuple[int, str]:
    return (fit.span.line, f"{fit.name} is trained on {describe(fit.rows)}")


def _evaluation_step(fit: FitEvent, event: Evaluation) -> tuple[int, str]:
    line = _told_at(event)
    if event.crossed:
        return (line, f"{fit.name} is cross-validated on the same rows")
    verb = "scored" if event.scored else "asked"
    return (line, f"{fit.name} is {verb} on {describe(event.rows)}")


def _told_at(event: Evaluation) -> int:
    """The line of the score; of the prediction, if the score is computed in a function above."""
    return max(event.shown, event.span.line)


def _unlabelled(rows: Rows) -> bool:
    return bool(rows) and all(piece.unlabelled for piece in rows)


def code_of(taint: Taint, fit: FitEvent, event: Evaluation) -> tuple[str, bool]:
    """The rule that was broken, and whether in a harmless way."""
    target = fit.y.origins if fit.y is not None else frozenset()
    if taint.kind == "encoder":
        return "leak.encoder_before_split", True
    only_evaluated = not event.crossed and not overlap(taint.rows, fit.rows)
    if taint.kind == "resample" and not only_evaluated:
        return "leak.resample_before_split", False
    if taint.kind == "selection" and not only_evaluated:
        informed = taint.supervised or _covers(taint.of, target)
        return "leak.selection_on_all_rows", not informed
    if not only_evaluated and (_about_target(taint, target)):
        return "leak.target_statistic_outside_fold", False
    if only_evaluated:
        return "leak.fit_on_test", False
    if any(p.unlabelled for p in taint.rows) and not all(p.unlabelled for p in taint.rows):
        return "leak.train_test_concat", False
    return f"leak.{'fit' if taint.kind == 'fit' else 'statistic'}_before_split", False


def _about_target(taint: Taint, target: frozenset[Origin]) -> bool:
    plain = {origin for origin in taint.of if not origin[1].startswith(("*", "-"))}
    if taint.supervised and taint.kind == "fit":
        return True
    if any(origin[1] == "*" for origin in taint.of):
        return False
    return bool(plain) and plain <= target


def _covers(of: frozenset[Origin], target: frozenset[Origin]) -> bool:
    """Whether a target is among the columns that were looked at."""
    for source, name in target:
        if (source, name) in of:
            return True
        if (source, "*") in of and (source, f"-{name}") not in of:
            return True
    return False


def _same_rows(log: Log, fit: FitEvent, event: Evaluation) -> Iterator[Suspicion]:
    if not event.scored or not shares_rows(fit, event):
        return
    same = _same(fit.rows, event.rows)
    code = "leak.overlap"
    if same:
        if _held_out_elsewhere(log, fit):
            code = "leak.fit_on_test"
        elif _has_honest_score(log):
            return
        else:
            code = "leak.score_on_training_rows"
    yield Suspicion(
        code=code,
        span=event.span if same else fit.span,
        what=f"{fit.name} is trained at line {fit.span.line} on {describe(fit.rows)} "
        f"and scored at line {_told_at(event)} on {describe(event.rows)}",
        path=(_fit_step(fit), _evaluation_step(fit, event)),
        rows=event.rows,
        confidence="certain",
    )


def shares_rows(fit: FitEvent, event: Evaluation) -> bool:
    """Surely, not only possibly."""
    return not event.crossed and (
        _same(fit.rows, event.rows) or _surely_shared(fit.rows, event.rows)
    )


def _same(one: Rows, two: Rows) -> bool:
    return bool(one and two) and within(one, two) and within(two, one)


def _surely_shared(fitted: Rows, evaluated: Rows) -> bool:
    """One contains the other, or both were drawn at random; unknown indices prove nothing."""
    for one in fitted:
        for two in evaluated:
            if not one.meets(two):
                continue
            if one.cuts <= two.cuts or two.cuts <= one.cuts:
                return True
            apart = (one.cuts | two.cuts) - (one.cuts & two.cuts)
            if all(cut.key.startswith(("split:", "sample:")) or cut.interval for cut in apart):
                return True
            if {cut.family for cut in apart} == {SLICE} and len({cut.side for cut in apart}) == 1:
                # Two heads, or two tails, of the same rows.
                return True
    return False


def _held_out_elsewhere(log: Log, fit: FitEvent) -> bool:
    """The model is trained on the side of a split whose other side also trains a model."""
    keys = {cut.key for cut in split_cuts(fit.rows) if cut.side == TEST}
    return any(
        cut.key in keys and cut.side == TRAIN
        for other in log.fits
        for cut in split_cuts(other.rows)
    )


def _has_honest_score(log: Log) -> bool:
    return any(
        event.crossed or not overlap(log.fits[number].rows, event.rows)
        for event in log.evaluations
        if event.rows and (event.scored or not _unlabelled(event.rows))
        for number in event.fits
    )


def _target_among_features(fit: FitEvent, numeric: AbstractSet[Origin]) -> Iterator[Suspicion]:
    if fit.y is None or not fit.y.origins:
        return
    target = fit.y.origins
    if fit.x.partial and not (fit.x.numbers and target <= numeric):
        return
    names = _named_copies(fit.x, target)
    if not names and not _contains(fit.x, target):
        return
    shown = ", ".join(sorted(names or {name for _, name in target}))
    yield Suspicion(
        code="leak.target_as_feature",
        span=fit.span,
        what=f"{fit.name} is trained with {shown} among its features, which gives the target away",
        path=(
            (fit.span.line, f"features of `{fit.name}` include {shown}"),
            (fit.span.line, f"its target is {', '.join(sorted(name for _, name in target))}"),
        ),
        rows=fit.rows,
        confidence="certain",
        columns=tuple(sorted((names or {name for _, name in target}) - {UNNAMED})),
    )


UNNAMED = "a column"


def _named_copies(x: Value, target: frozenset[Origin]) -> set[str]:
    """Columns of which the target is an ingredient."""
    return {
        name for name, column in x.columns.items() if column.origins and target <= column.origins
    } | ({UNNAMED} if x.origins and target <= x.origins else set())


def _contains(x: Value, target: frozenset[Origin]) -> bool:
    """All columns are features, and the target is one of them."""
    if not x.table or x.closed or x.origins:
        return False
    sources = {piece.source for piece in x.rows}
    return all(
        source in sources
        and not name.startswith("#")
        and name not in x.dropped
        and name not in x.columns
        for source, name in target
    )


def _future(fit: FitEvent) -> Iterator[Suspicion]:
    for taint, trail in fit.x.all_taints().items():
        if taint.kind == "future":
            yield Suspicion(
                code="leak.future_value",
                span=taint.span,
                what=f"`{taint.what}` gives each row a value of a later one, and "
                f"{fit.name} is trained with it at line {fit.span.line}",
                path=(*trail, _fit_step(fit)),
                rows=taint.rows,
                confidence="likely",
            )


def _splits(log: Log) -> Iterator[Suspicion]:
    paired = {cut.key for event in log.evaluations if event.fits for cut in split_cuts(event.rows)}
    for split in log.splits:
        if split.shuffled and split.data.order:
            neighbours = split.data.order is Order.NEIGHBOURS
            yield _shuffled(split.span, split.what, split.data.rows, sure=neighbours)
        if split.ignored_groups:
            yield _shuffled(split.span, split.what, split.data.rows, sure=True)
        crossed = any(event.crossed and event.span == split.span for event in log.evaluations)
        if split.key not in paired and not crossed:
            yield from _unpaired(split.data.all_taints(), split.span, split.data.rows)


def _shuffled(span: Span, what: str, rows: Rows, *, sure: bool) -> Suspicion:
    return Suspicion(
        code="leak.shuffled_time_or_groups",
        span=span,
        what=f"`{what}` spreads rows that belong together over both sides",
        path=((span.line, f"`{what}` divides {describe(rows)} without regard to order or group"),),
        rows=rows,
        confidence="likely" if sure else "suspect",
    )


def _unpaired(taints: Taints, span: Span, rows: Rows) -> Iterable[Suspicion]:
    """A split of rows that already carry something, though no model could be seen."""
    for taint, trail in taints.items():
        if taint.kind == "future" or not overlap(taint.rows, rows):
            continue
        code, harmless = {
            "fit": ("leak.fit_before_split", False),
            "statistic": ("leak.statistic_before_split", False),
            "encoder": ("leak.encoder_before_split", True),
            "resample": ("leak.resample_before_split", False),
            "selection": ("leak.selection_on_all_rows", not taint.supervised),
        }[taint.kind]
        yield Suspicion(
            code=code,
            span=taint.span,
            what=f"`{taint.what}` saw {describe(taint.rows)}, which are split at line {span.line}",
            path=(*trail, (span.line, f"the split divides {describe(rows)}")),
            rows=taint.rows,
            confidence="likely",
            harmless=harmless,
        )


def reasons_to_doubt(log: Log) -> tuple[str, ...]:
    """Why finding nothing would mean little."""
    found: list[str] = []
    if log.exhausted:
        found.append("the program is too large to be followed to its end")
    if not log.fits:
        found.append("no training was seen")
    elif not any(event.rows and event.fits for event in log.evaluations):
        found.append("no evaluation on known rows was seen")
    elif not log.splits and not any(
        event.crossed or split_cuts(event.rows) for event in log.evaluations
    ):
        found.append("no split was seen")
    return tuple(found)
