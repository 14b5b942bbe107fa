"""Further files beside training and test rows: facts to join, or answers that must stay away."""

from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd

from proveout.apps.mle.intake.errors import TASK_FILE, IntakeError
from proveout.apps.mle.intake.files import Files, words_of
from proveout.apps.mle.intake.ordering import is_measured
from proveout.apps.mle.intake.reading import Sampled, header_of, sample_table
from proveout.apps.mle.intake.roles import Tables
from proveout.apps.mle.problem import Table
from proveout.apps.mle.tables.columns import iso_dates
from proveout.apps.mle.tables.keys import moments, row_keys
from proveout.kernel.types import Finding

OVERLAP = 0.5
"""Share of test rows whose key must be in a table for it to be of use."""
NEARLY_UNIQUE = 0.9
"""Different keys per line in a table of events."""
MOST_MET = 0.8
"""Share of its keys, within the range of the rows' keys, that rows must have."""
REACH = 0.5
"""Share of the rows' range that its keys must span."""
FEWEST_TOUCHED, LEAST_TOUCHED = 10, 0.002
"""Training rows that must have an event: so many, and this share."""
MOST_PAIRED = 8
"""Shared columns that are tried two by two."""
_ANSWERS = {"answer", "answers", "solution", "solutions", "truth", "groundtruth"}


def extras(
    folder: Path, files: Files, tables: Tables, targets: tuple[str, ...], turned: list[str]
) -> tuple[tuple[Table, ...], list[Finding]]:
    """Tables with a key that training and test rows have, and what is wrong with the others.

    `turned`: columns of dates that were spelled so that they are easily misread.
    """
    found: list[Table] = []
    findings: list[Finding] = []
    for name in files.others:
        try:
            columns = header_of(folder / name)
            table = sample_table(folder / name)
            dates = {name: iso_dates(table.frame[name]) for name in turned if name in columns}
            matches = _matches(replace(table, frame=table.frame.assign(**dates)), tables)
        except IntakeError as error:
            findings.append(_unused(name, error.message))
            continue
        answers = bool(_ANSWERS & words_of(name)) or "test" in words_of(name)
        if answers or set(targets) & set(columns):
            more = not answers and set(columns) == set(tables.train.columns)
            findings.append(_more_rows(name, files) if more else _kept_away(name))
            continue
        # Of a table that was looked at in part, only so many keys can have been seen.
        key = _key(matches, OVERLAP * len(table.frame) / table.rows)
        if key:
            named = (key,) if key in columns else key.split("+")
            rest = tuple(column for column in columns if column not in named)
            found.append(Table(file=name, key=key, columns=rest))
        else:
            findings.append(_unused(name, _no_key(matches)))
    return tuple(found), findings


def _unused(name: str, reason: str) -> Finding:
    message = f"{name} is not used: {reason}"
    return Finding(code="mle.data.table_unused", message=message, where=name, severity="info")


def _more_rows(name: str, files: Files) -> Finding:
    named = ", ".join(f'"{it}"' for it in (*files.train, name))
    return Finding(
        code="mle.data.table_unused",
        message=f"{name} has the columns of the training file and is not used",
        where=name,
        severity="warning",
        hint=f"To learn from its rows, too: train_files = [{named}] in {TASK_FILE}.",
    )


def _kept_away(name: str) -> Finding:
    return Finding(
        code="mle.data.answers_beside",
        message=f"{name} may hold answers: no script gets to see it",
        where=name,
        severity="warning",
        hint="Keep files with answers out of the task's folder.",
    )


@dataclass(frozen=True)
class _Match:
    """How a table fits the rows by one key."""

    key: str
    parts: tuple[str, ...]
    test_share: float
    """Of test rows that have a line in it."""
    different: int
    unique: bool
    """A line for each key, and a key for each line."""
    events: bool
    """A line for some keys only, such as a calendar of holidays."""


def _matches(table: Sampled, tables: Tables) -> list[_Match]:
    """By shared columns, one by one and two by two. What is measured is no key."""
    frame, found = table.frame, []
    shared = [str(name) for name in frame.columns if name in tables.train and name in tables.test]
    shared = [name for name in shared if not is_measured(frame[name])]
    for parts in (*((name,) for name in shared), *combinations(shared[:MOST_PAIRED], 2)):
        key = "+".join(parts)
        named = frame[frame[[*parts]].notna().all(axis=1)]
        lines = row_keys(named, key)
        share = float(row_keys(tables.test, key).isin(set(lines)).mean())
        unique = lines.is_unique and len(lines) == len(frame)
        events = table.rows == len(frame) and _are_events(named, lines, tables, parts)
        found.append(_Match(key, parts, share, lines.nunique(), unique, events))
    return found


def _are_events(
    named: pd.DataFrame, lines: pd.Series, tables: Tables, parts: tuple[str, ...]
) -> bool:
    """Hardly a key twice; most keys that could occur do, all over the rows, and often enough."""
    if lines.nunique() < NEARLY_UNIQUE * max(1, len(lines)):
        return False
    rows = pd.concat([tables.train[[*parts]], tables.test[[*parts]]], ignore_index=True)
    keys = row_keys(rows, "+".join(parts))
    inside, reach = np.ones(len(named), dtype=bool), 1.0
    for name in parts:
        theirs, ours = moments(named, (name,)), moments(rows, (name,))
        if np.isfinite(ours).any() and np.isfinite(theirs).any():
            low, high = np.nanmin(ours), np.nanmax(ours)
            inside &= (theirs >= low) & (theirs <= high)
            spread = np.ptp(theirs[inside]) if inside.any() else 0.0
            reach = min(reach, spread / max(high - low, 1e-9))
    met = set(lines[inside]) & set(keys)
    touched = int(keys.iloc[: len(tables.train)].isin(met).sum())
    enough = touched >= max(FEWEST_TOUCHED, LEAST_TOUCHED * len(tables.train))
    # Numbers that count the lines of a table are those of the first rows by accident.
    return enough and reach >= REACH and len(met) >= MOST_MET * int(inside.sum())


def _key(matches: list[_Match], least: float) -> str:
    """The first with a line for each key; else events; else the one that tells most apart."""
    whole = [it for it in matches if it.unique and it.test_share >= least]
    events = [it for it in matches if it.events]
    many = [it for it in matches if len(it.parts) == 1 and it.test_share >= least]
    chosen = whole[:1] or sorted(events or many, key=lambda it: -it.different)[:1]
    return chosen[0].key if chosen else ""


def _no_key(matches: list[_Match]) -> str:
    """Why no column that is shared will do."""
    if not matches:
        return "it shares no column with training and test rows that could be a key"
    best = max(matches, key=lambda it: it.test_share)
    return f"by {best.key!r}, only {best.test_share:.1%} of the test rows have a line in it"
