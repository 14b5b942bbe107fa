"""What to know about columns: which are not used, have moved, or are too good to be true."""

import pandas as pd

from proveout.apps.mle.intake import oracle, traps
from proveout.apps.mle.intake.errors import TASK_FILE, columns_are
from proveout.apps.mle.intake.ordering import Both
from proveout.apps.mle.problem import Problem
from proveout.apps.mle.tables.keys import group_columns, time_columns
from proveout.kernel.types import Finding

MOST_TOLD = 10
"""Columns that are named; where all have moved, the first few say it."""

FEWEST_COLUMNS = 2
"""Features that make a row; one may well be empty."""
HARDLY, HARDLY_SHARE = 3, 0.0005
"""Rows of a class that hardly occurs: so many at most, or this share."""
MOSTLY_EMPTY = 0.7
"""Share of the features that such rows lack."""


def noticed(problem: Problem, train: pd.DataFrame, test: pd.DataFrame) -> list[Finding]:
    """Findings for people and proposers; nothing here changes what is done."""
    return [
        *_broken(problem, train),
        *_dropped(problem),
        *_telling(problem),
        *_moved(problem, train, test),
        *_giving_away(problem, train),
        *_spelled_twice(problem, train, test),
    ]


def _broken(problem: Problem, train: pd.DataFrame) -> list[Finding]:
    """Lines cut in two leave pieces of text where classes should be, and nothing behind them."""
    names = [it.name for it in problem.features if it.name in train.columns]
    if problem.kind == "regression" or len(names) < FEWEST_COLUMNS:
        return []
    classes = train[problem.targets[0]].astype(str)
    empty = train[names].isna().mean(axis=1)
    about = pd.DataFrame({"rows": classes.value_counts(), "empty": empty.groupby(classes).mean()})
    # Where rows have gaps in any case, gaps say nothing.
    odd = about[
        (about["rows"] <= max(HARDLY, HARDLY_SHARE * len(train)))
        & (about["empty"] >= max(MOSTLY_EMPTY, 2 * float(empty.mean())))
    ]
    if odd.empty:
        return []
    told = ", ".join(repr(str(name)[:40]) for name in odd.index[:3])
    message = (
        f"{len(odd)} of {len(about)} classes occur in {int(odd['rows'].sum())} rows that are "
        f"nearly empty otherwise: {told}"
    )
    hint = "Look whether lines of the training file are cut in two; delete or mend such rows."
    return [
        Finding(
            code="mle.data.broken_rows",
            message=message,
            where=problem.targets[0],
            severity="warning",
            hint=hint,
        )
    ]


def _telling(problem: Problem) -> list[Finding]:
    if not problem.key_tells:
        return []
    message = (
        f"the key {problem.id_column!r} says something about the target: its parts, as far as it "
        "has prefix and numbers, are features"
    )
    return [
        Finding(
            code="mle.data.key_tells",
            message=message,
            where=problem.id_column,
            severity="info",
            hint=f"If they should not be: key_tells = false in {TASK_FILE}.",
        )
    ]


def _dropped(problem: Problem) -> list[Finding]:
    """One for each reason: what is the same of fifty columns is told once."""
    alike: dict[tuple[str, str], list[str]] = {}
    for item in problem.dropped:
        alike.setdefault((item.code, item.reason), []).append(item.column)
    return [
        Finding(
            code=code,
            message=f"{columns_are(columns)} not used: {reason}",
            where=columns[0],
            severity="info" if code == "mle.data.constant" else "warning",
        )
        for (code, reason), columns in alike.items()
    ]


def _moved(problem: Problem, train: pd.DataFrame, test: pd.DataFrame) -> list[Finding]:
    by_design = {*time_columns(problem), *group_columns(problem)[0]}
    moved = traps.drifting(Both(train, test), problem.features, by_design)
    return [
        Finding(
            code="mle.data.drift",
            message=f"column {name!r} has moved: {share:.0%} of its values lie elsewhere "
            "at test time",
            where=name,
            severity="warning",
            hint="Prefer features that carry over: differences, ratios, ranks within a time.",
        )
        for name, share in moved[:MOST_TOLD]
    ]


def _giving_away(problem: Problem, train: pd.DataFrame) -> list[Finding]:
    known = oracle.Known.of(train[problem.targets[0]], classes=problem.kind != "regression")
    # That series differ in size is no secret.
    series = bool(problem.time) and problem.kind == "regression"
    found: list[tuple[float, str]] = []
    for column in problem.features:
        if column.kind in ("text", "id") or column.name not in train.columns:
            continue
        if series and (column.kind == "category" or column.code):
            continue
        share = oracle.gives_away(train[column.name], known)
        if share >= oracle.TOO_GOOD:
            found.append((share, column.name))
    return [
        Finding(
            code="mle.data.oracle",
            message=f"column {name!r} alone explains {share:.1%} of the target",
            where=name,
            severity="warning",
            hint="Make sure that it is known before the outcome is.",
        )
        for share, name in sorted(found, key=lambda it: -it[0])[:MOST_TOLD]
    ]


def _spelled_twice(problem: Problem, train: pd.DataFrame, test: pd.DataFrame) -> list[Finding]:
    """Values that only capitals or blanks tell apart; those at the ends are no difference."""
    found: list[Finding] = []
    for column in problem.features:
        sides = [it[column.name] for it in (train, test) if column.name in it.columns]
        if column.kind != "category" or not sides:
            continue
        ways: dict[str, set[str]] = {}
        for cell in pd.concat(sides).dropna().unique():
            ways.setdefault(" ".join(str(cell).casefold().split()), set()).add(str(cell).strip())
        several = [sorted(spelled) for spelled in ways.values() if len(spelled) > 1]
        if several:
            message = (
                f"column {column.name!r} spells {len(several)} of its {len(ways)} values in "
                f"several ways, such as {several[0][0]!r} and {several[0][1]!r}: "
                "they count as different"
            )
            found.append(
                Finding(
                    code="mle.data.spellings",
                    message=message,
                    where=column.name,
                    severity="warning",
                    hint="If they mean the same, give them one spelling in the files.",
                )
            )
    return found[:MOST_TOLD]
