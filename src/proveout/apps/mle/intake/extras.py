"""Further files beside training and test rows: facts to join, or answers that must stay away."""

from dataclasses import replace
from itertools import combinations
from pathlib import Path

from proveout.apps.mle.intake.errors import TASK_FILE, IntakeError
from proveout.apps.mle.intake.files import Files, words_of
from proveout.apps.mle.intake.ordering import is_measured
from proveout.apps.mle.intake.reading import Sampled, header_of, sample_table
from proveout.apps.mle.intake.roles import Tables
from proveout.apps.mle.problem import Table
from proveout.apps.mle.tables.columns import iso_dates
from proveout.apps.mle.tables.keys import row_keys
from proveout.kernel.types import Finding

OVERLAP = 0.5
"""Share of test rows whose key must be in a table for it to be of use."""
MOST_PAIRED = 8
"""Shared columns that are tried two by two."""
_ANSWERS = {"answer", "answers", "solution", "solutions", "truth", "groundtruth"}


def extras(
    folder: Path, files: Files, tables: Tables, targets: tuple[str, ...], turned: list[str]
) -> tuple[tuple[Table, ...], list[Finding]]:
    """Tables with a key that training and test rows have, and what is wrong with the others.

    `turned`: columns of dates that were spelled with the day first.
    """
    found: list[Table] = []
    findings: list[Finding] = []
    for name in files.others:
        try:
            columns = header_of(folder / name)
            table = sample_table(folder / name)
            dates = {name: iso_dates(table.frame[name]) for name in turned if name in columns}
            key = _key(replace(table, frame=table.frame.assign(**dates)), tables)
        except IntakeError as error:
            findings.append(_unused(name, error.message))
            continue
        answers = bool(_ANSWERS & words_of(name)) or "test" in words_of(name)
        if answers or set(targets) & set(columns):
            more = not answers and set(columns) == set(tables.train.columns)
            findings.append(_more_rows(name, files) if more else _kept_away(name))
            continue
        if key:
            named = (key,) if key in columns else key.split("+")
            rest = tuple(column for column in columns if column not in named)
            found.append(Table(file=name, key=key, columns=rest))
        else:
            findings.append(_unused(name, "it shares no key with training and test rows"))
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


def _key(table: Sampled, tables: Tables) -> str:
    """Shared columns with a line for each value; else the one that tells most lines apart."""
    frame, many = table.frame, {}
    shared = [str(name) for name in frame.columns if name in tables.train and name in tables.test]
    shared = [name for name in shared if not is_measured(frame[name])]
    # Of a table that was looked at in part, only so many keys can have been seen.
    least = OVERLAP * len(frame) / table.rows
    for parts in (*((name,) for name in shared), *combinations(shared[:MOST_PAIRED], 2)):
        key = "+".join(parts)
        lines = row_keys(frame[frame[[*parts]].notna().all(axis=1)], key)
        found = float(row_keys(tables.test, key).isin(set(lines)).mean())
        if found >= least and lines.is_unique and len(lines) == len(frame):
            return key
        if found >= least and key in shared:
            many[key] = lines.nunique()
    return max(many, key=lambda name: many[name]) if many else ""
