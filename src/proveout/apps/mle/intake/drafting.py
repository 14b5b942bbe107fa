"""What is known of a folder so far: its files as they were opened, and what was noticed."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from proveout.apps.mle.intake import files as tables_of
from proveout.apps.mle.intake import reading
from proveout.apps.mle.intake.errors import unusable
from proveout.apps.mle.intake.given import given_in
from proveout.apps.mle.intake.roles import Tables
from proveout.kernel.types import Finding


@dataclass
class Draft:
    """What is known so far. `given` wins over everything that is worked out."""

    folder: Path
    given: dict[str, Any]
    text: str
    files: tables_of.Files
    tables: Tables
    rows: int
    test_rows: int
    findings: list[Finding] = field(default_factory=list)

    def note(self, code: str, message: str, where: str = "", hint: str = "") -> None:
        severity: Any = "info" if not hint else "warning"
        self.findings.append(
            Finding(code=code, message=message, where=where, severity=severity, hint=hint)
        )

    @property
    def sources(self) -> dict[str, Any]:
        """Which files the rows are in, and how many there are: fields of a `Problem`."""
        return {
            "train_files": self.files.train,
            "test_file": self.files.test,
            "sample_file": self.files.sample,
            "rows": self.rows,
            "test_rows": self.test_rows,
        }


def opened(folder: Path) -> Draft:
    if not folder.is_dir():
        message = f"{folder} is not a folder"
        raise unusable(message, "no_folder", "name the folder that holds the task's files")
    given = given_in(folder)
    files = tables_of.parts(folder, given)
    train = _training(folder, files.train)
    test = reading.sample_table(folder / files.test)
    _same_repeats(folder, files)
    if not files.sample and files.others:
        found = tables_of.sample_by_content(folder, files, train.frame, test.frame)
        files = files.with_sample(found)
    sample = reading.sample_table(folder / files.sample) if files.sample else None
    tables = Tables(train.frame, test.frame, sample.frame if sample else None)
    text = tables_of.description_in(folder)
    draft = Draft(folder, given, text, files, tables, train.rows, test.rows)
    for note in (*train.notes, *test.notes, *(sample.notes if sample else ())):
        draft.note("mle.data.read_as", note)
    if train.rows > len(train.frame):
        message = f"{len(train.frame)} of {train.rows} training rows were looked at"
        draft.note("mle.data.sampled", message)
    return draft


def _training(folder: Path, names: tuple[str, ...]) -> reading.Sampled:
    if len(names) == 1:
        return reading.sample_table(folder / names[0])
    notes: list[str] = []
    whole = [reading.read_table(folder / name, notes=notes) for name in names]
    train = tables_of.joined(whole, list(names))
    return reading.Sampled(train, len(train), tuple(notes))


def _same_repeats(folder: Path, files: tables_of.Files) -> None:
    """Columns of one name can be told apart by their order, if both files have all of them."""
    test = folder / files.test
    there = {*reading.header_of(test)}
    for name in (*files.train, files.test):
        for column in reading.repeated_in(folder / name):
            alike = [it for it in reading.header_of(folder / name) if it.startswith(column)]
            if column not in reading.repeated_in(test) or not {*alike} <= there:
                message = f"{name}: column {column!r} is there more than once"
                raise unusable(message, "duplicate_columns", "give every column its own name")
