"""Mechanical repairs, each one examined again: a repair counts only if its leak is gone."""

import difflib
from collections.abc import Callable, Iterator

from proveout.apps.mle.leakage.editing import Block, Draft
from proveout.apps.mle.leakage.examining import examine
from proveout.apps.mle.leakage.fixing import (
    into_pipeline,
    learn_from_rows_of_fold,
    learn_from_training_part,
    transform_only,
    without_test_rows,
)
from proveout.apps.mle.leakage.folding import into_fold
from proveout.apps.mle.leakage.moving import move_below_split, move_statistic_below_split
from proveout.apps.mle.leakage.notebooks import is_notebook
from proveout.apps.mle.leakage.report import Leak, Report
from proveout.apps.mle.leakage.trying import inside_the_loop, with_rows_of_the_fit

Strategy = Callable[[Draft, Block, int], str | None]
"""A fresh draft, and the statement at fault by its block and position → the mended program."""
Trial = Callable[[str, Leak], Iterator[str]]
MOST_ROUNDS = 12

LEARNT_TOO_EARLY: tuple[Strategy, ...] = (
    move_below_split,
    move_statistic_below_split,
    learn_from_training_part,
    into_pipeline,
    into_fold,
    learn_from_rows_of_fold,
)
STRATEGIES: dict[str, tuple[Strategy, ...]] = {
    "leak.fit_before_split": LEARNT_TOO_EARLY,
    "leak.statistic_before_split": LEARNT_TOO_EARLY,
    "leak.selection_on_all_rows": LEARNT_TOO_EARLY,
    "leak.target_statistic_outside_fold": LEARNT_TOO_EARLY,
    "leak.resample_before_split": (move_below_split,),
    "leak.train_test_concat": (without_test_rows,),
    "leak.fit_on_test": (transform_only,),
    "leak.overlap": (learn_from_training_part,),
}


TRIALS: tuple[Trial, ...] = (with_rows_of_the_fit, inside_the_loop)
"""Tried where no strategy fits, for what was learnt too early."""


def repair(source: str, report: Report | None = None) -> str | None:
    """The program with every leak removed that can be removed with certainty; None if none can."""
    if is_notebook(source, report.filename if report else ""):
        return None
    seen = report if report is not None else examine(source)
    made = source
    for _ in range(MOST_ROUNDS):
        # The last first: what is moved later is put before it, so that the order stays.
        tried = (mend(made, seen, leak) for leak in reversed(seen.leaks))
        step = next((better for better in tried if better is not None), None)
        if step is None:
            break
        made, seen = step
    return None if made == source else made


def mend(source: str, report: Report, leak: Leak) -> tuple[str, Report] | None:
    """One leak removed: the new program and what is left in it."""
    for made in _candidates(source, leak):
        if made == source:
            continue
        after = examine(made, filename=report.filename)
        if not after.unreadable and _better(report, after):
            return made, after
    return None


def _candidates(source: str, leak: Leak) -> Iterator[str]:
    strategies = STRATEGIES.get(leak.code, ())
    for strategy in strategies:
        draft = Draft(source)
        place = draft.at(leak.line)
        made = strategy(draft, *place) if place else None
        if made is not None:
            yield made
    if strategies is LEARNT_TOO_EARLY:
        for trial in TRIALS:
            yield from trial(source, leak)


def _better(before: Report, after: Report) -> bool:
    """Fewer leaks, none of a kind that was not there, and nothing that can no longer be seen."""
    return (
        len(after.leaks) < len(before.leaks)
        and after.codes <= before.codes
        and set(after.unsure) <= set(before.unsure)
    )


def difference(before: str, after: str, filename: str = "script.py") -> str:
    """A unified diff."""
    lines = difflib.unified_diff(
        before.splitlines(keepends=True),
        after.splitlines(keepends=True),
        f"a/{filename}",
        f"b/{filename}",
    )
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def changed_region(before: str, after: str) -> tuple[str, str] | None:
    """The lines that differ, in both versions: replacing the one by the other is the repair."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    first = 0
    while first < min(len(old), len(new)) and old[first] == new[first]:
        first += 1
    last = 0
    while last < min(len(old), len(new)) - first and old[-1 - last] == new[-1 - last]:
        last += 1
    old_part = "".join(old[first : len(old) - last])
    new_part = "".join(new[first : len(new) - last])
    if not old_part.strip() or not new_part.strip():
        # Something was only added, or only removed: take the line above with it.
        if first == 0:
            return None
        old_part, new_part = old[first - 1] + old_part, new[first - 1] + new_part
    return old_part.rstrip("\r\n"), new_part.rstrip("\r\n")
