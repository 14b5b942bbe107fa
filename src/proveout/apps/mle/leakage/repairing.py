"""Mechanical repairs, each one examined again: a repair counts only if its leak is gone."""

import difflib
from collections.abc import Callable, Iterator
from itertools import islice

from proveout.apps.mle.leakage.choosing_again import choose_on_validation
from proveout.apps.mle.leakage.dropping import without_columns
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
from proveout.apps.mle.leakage.holding_out import hold_out
from proveout.apps.mle.leakage.moving import move_below_split, move_statistic_below_split
from proveout.apps.mle.leakage.notebooks import is_notebook, put_back, read_notebook
from proveout.apps.mle.leakage.ordering import keep_together, look_back
from proveout.apps.mle.leakage.report import Leak, Report
from proveout.apps.mle.leakage.separating import apart
from proveout.apps.mle.leakage.splitting_first import (
    repeat_after_split,
    resample_in_fold,
    select_after_split,
)
from proveout.apps.mle.leakage.spreading import spread_below_split
from proveout.apps.mle.leakage.trying import inside_the_loop, with_rows_of_the_fit

Strategy = Callable[[Draft, Block, int], str | None]
"""A fresh draft, and the statement at fault by its block and position → the mended program."""
Trial = Callable[[Draft, Leak], Iterator[str]]
MOST_ROUNDS = 12
MOST_LINES = 12_000
"""Lines that are examined in all while a program is repaired."""
MOST_PLACES = 4
MOST_TRIALS = 24
"""Candidates of one trial that are examined for one leak."""

LEARNT_TOO_EARLY: tuple[Strategy, ...] = (
    move_below_split,
    move_statistic_below_split,
    learn_from_training_part,
    into_pipeline,
    into_fold,
    learn_from_rows_of_fold,
    spread_below_split,
    select_after_split,
)
STRATEGIES: dict[str, tuple[Strategy, ...]] = {
    "leak.fit_before_split": LEARNT_TOO_EARLY,
    "leak.statistic_before_split": LEARNT_TOO_EARLY,
    "leak.selection_on_all_rows": LEARNT_TOO_EARLY,
    "leak.target_statistic_outside_fold": LEARNT_TOO_EARLY,
    "leak.resample_before_split": (
        move_below_split,
        repeat_after_split,
        resample_in_fold,
    ),
    "leak.train_test_concat": (without_test_rows,),
    "leak.fit_on_test": (transform_only,),
    "leak.overlap": (learn_from_training_part,),
    "leak.shuffled_time_or_groups": (keep_together,),
    "leak.future_value": (look_back,),
    "leak.score_on_training_rows": (hold_out,),
    "leak.tuned_on_test": (choose_on_validation,),
    "leak.threshold_on_all_rows": (choose_on_validation,),
}


LEARNT_ELSEWHERE: tuple[Trial, ...] = (with_rows_of_the_fit, inside_the_loop)
TRIALS: dict[str, tuple[Trial, ...]] = {
    **{code: LEARNT_ELSEWHERE for code, ways in STRATEGIES.items() if ways is LEARNT_TOO_EARLY},
    "leak.target_as_feature": (without_columns,),
    "leak.overlap": (apart,),
}
"""Tried where no strategy fits."""


def repair(source: str, report: Report | None = None) -> str | None:
    """The program with every leak removed that can be removed with certainty; None if none can."""
    if is_notebook(source, report.filename if report else ""):
        notebook = read_notebook(source)
        made = repair(notebook.source) if notebook is not None else None
        return put_back(source, notebook, made) if notebook is not None and made else None
    seen = report if report is not None else examine(source)
    made, mending = source, Mending()
    for _ in range(MOST_ROUNDS):
        # The last first: what is moved later is put before it, so that the order stays.
        tried = (mending.mend(made, seen, leak) for leak in reversed(seen.leaks))
        step = next((better for better in tried if better is not None), None)
        if step is None:
            break
        made, seen = step
    return None if made == source else made


class Mending:
    """What was tried in vain, and how much may still be tried."""

    def __init__(self) -> None:
        self._in_vain: set[tuple[str, str]] = set()
        self._lines_left = MOST_LINES
        self._draft = Draft("")

    def mend(self, source: str, report: Report, leak: Leak) -> tuple[str, Report] | None:
        """One leak removed: the new program and what is left in it."""
        if (leak.code, leak.block) in self._in_vain:
            return None
        seen = {source}
        if self._draft.source != source:
            self._draft = Draft(source)
        for made in _candidates(self._draft, leak):
            if made in seen:
                continue
            seen.add(made)
            self._lines_left -= made.count("\n")
            if self._lines_left < 0:
                break
            after = examine(made, filename=report.filename)
            if not after.unreadable and _better(report, after):
                return made, after
        self._in_vain.add((leak.code, leak.block))
        return None


def _candidates(draft: Draft, leak: Leak) -> Iterator[str]:
    places = list(islice(_places(draft, leak), MOST_PLACES))
    for strategy in STRATEGIES.get(leak.code, ()):
        for place in places:
            made = strategy(draft.again(), *place)
            if made is not None:
                yield made
    for trial in TRIALS.get(leak.code, ()):
        yield from islice(trial(draft, leak), MOST_TRIALS)


def _places(draft: Draft, leak: Leak) -> Iterator[tuple[Block, int]]:
    """The statement at fault, then those that call the function in which it stands."""
    place = draft.at(leak.line)
    if place is not None:
        yield place
    yield from draft.callers(leak.line)


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
