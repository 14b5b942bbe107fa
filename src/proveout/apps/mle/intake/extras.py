"""Further files beside training and test rows: facts to join, or answers that must stay away."""

from pathlib import Path

import pandas as pd

from proveout.apps.mle.intake.errors import IntakeError
from proveout.apps.mle.intake.files import Files, header_of, sample_table, words_of
from proveout.apps.mle.intake.roles import Tables
from proveout.apps.mle.problem import Table
from proveout.kernel.types import Finding

OVERLAP = 0.5
"""Share of test rows whose key must be in a table for it to be of use."""
_ANSWERS = {"answer", "answers", "solution", "solutions", "truth", "groundtruth"}


def extras(
    folder: Path, files: Files, tables: Tables, targets: tuple[str, ...]
) -> tuple[tuple[Table, ...], list[Finding]]:
    """Tables with a key that training and test rows have, and what is wrong with the others."""
    found: list[Table] = []
    findings: list[Finding] = []
    for name in files.others:
        try:
            columns = header_of(folder / name)
            key = _key(sample_table(folder / name).frame, tables)
        except IntakeError as error:
            findings.append(_unused(name, error.message))
            continue
        answers = bool(_ANSWERS & words_of(name)) or "test" in words_of(name)
        if answers or set(targets) & set(columns):
            findings.append(_kept_away(name))
            continue
        if key:
            rest = tuple(column for column in columns if column != key)
            found.append(Table(file=name, key=key, columns=rest))
        else:
            findings.append(_unused(name, "it shares no key with training and test rows"))
    return tuple(found), findings


def _unused(name: str, reason: str) -> Finding:
    message = f"{name} is not used: {reason}"
    return Finding(code="mle.data.table_unused", message=message, where=name, severity="info")


def _kept_away(name: str) -> Finding:
    return Finding(
        code="mle.data.answers_beside",
        message=f"{name} may hold answers: no script gets to see it",
        where=name,
        severity="warning",
        hint="Keep files with answers out of the task's folder.",
    )


def _key(frame: pd.DataFrame, tables: Tables) -> str:
    for name in frame.columns:
        shared = name in tables.train.columns and name in tables.test.columns
        if shared and frame[name].is_unique and not frame[name].isna().any():
            known = set(frame[name].astype(str))
            if tables.test[name].astype(str).isin(known).mean() >= OVERLAP:
                return str(name)
    return ""
