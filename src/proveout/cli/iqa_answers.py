"""What goes into an assessment, and what comes out as data: an answer, a table, a page of many."""

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from proveout.apps.iqa.answers import answer_data
from proveout.kernel.errors import PrerequisiteError, UsageError
from proveout.kernel.panels import Bar, Bitmap, Column, Image, Page, Section, Table
from proveout.kernel.run import Run

TABLES = (".csv", ".parquet")
COLUMNS = ("image", "quality_score", "level", "final_answer", "low", "high", "distortions")
MOST_SHOWN = 200
"""Thumbnails in a summary page; more would not open from a mail."""
SUFFIXES = frozenset(
    {".png", ".jpg", ".jpeg", ".jpe", ".webp", ".tif", ".tiff", ".gif", ".bmp", ".ppm", ".pgm"}
    | {".pnm", ".avif", ".heic", ".heif"}
)
"""What counts as a picture when a folder is given."""
MOST_PICTURES = 100_000


def pictures_at(paths: Iterable[Path]) -> list[Path]:
    """The files as given; for a folder the pictures in it, by name, without folders below.

    Raises:
        UsageError: if a folder has no picture, more than can be, or may not be read.
    """
    found: list[Path] = []
    for path in paths:
        found += pictures_in(path) if path.is_dir() else [path]
    return found


def pictures_in(folder: Path) -> list[Path]:
    """The pictures in a folder, by name."""
    try:
        names = sorted(entry for entry in folder.iterdir() if entry.suffix.lower() in SUFFIXES)
    except OSError as error:
        message = f"{folder} cannot be read: {error.strerror}"
        raise UsageError(message, hint="name a folder that you may read") from error
    pictures = [entry for entry in names if entry.is_file()]
    if not pictures:
        message = f"there is no picture in {folder}"
        raise UsageError(
            message, hint="name the folder that holds them; folders below do not count"
        )
    if len(pictures) > MOST_PICTURES:
        message = f"{folder} holds {len(pictures)} pictures; {MOST_PICTURES} are the limit"
        raise UsageError(message, hint="divide them over several folders")
    return pictures


def answer_of(run: Run) -> dict[str, Any]:
    """What a caller wants of a run: the answer with its place in the journal."""
    task = run.task if isinstance(run.task, dict) else {}
    return {**answer_data(str(task.get("image")), run.id, run.outcome)}


def write_table(rows: Iterable[dict[str, Any]], out: Path) -> None:
    """A table for a spreadsheet or a data frame, best picture first."""
    table = sorted((_row(row) for row in rows), key=lambda row: -(row["quality_score"] or 0))
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        _write_table(table, out)
    except OSError as error:
        message = f"cannot write the table to {out}: {error.strerror}"
        raise UsageError(message, hint="name a place where you may write") from error


def _write_table(table: list[dict[str, Any]], out: Path) -> None:
    if out.suffix.lower() == ".parquet":
        try:
            import pyarrow
            import pyarrow.parquet
        except ModuleNotFoundError as missing:
            message = "Parquet needs the package 'pyarrow'"
            raise PrerequisiteError(message, hint="pip install pyarrow, or write .csv") from missing
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(table), out)
        return
    with out.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(table)


def summary_page(runs: Sequence[Run]) -> Page:
    """Many pictures on one page, worst first: what somebody who must sort them wants to see."""
    ordered = sorted(runs, key=lambda run: (run.outcome.score if run.outcome else 0) or 0)
    rows = [_row(answer_of(run)) for run in ordered]
    columns = (
        Column(name="image"),
        Column(name="quality", digits=2),
        Column(name="level"),
        Column(name="distortions"),
    )
    cells = tuple((r["image"], r["quality_score"], r["level"], r["distortions"]) for r in rows)
    table = Table(
        title="All pictures, worst first",
        columns=columns,
        rows=cells,
        bar=Bar(column="quality", full=5.0),
    )
    pictures = [_thumbnail(run, row) for run, row in zip(ordered, rows, strict=True)][:MOST_SHOWN]
    sections = (
        Section(title="Table", panels=(table,)),
        Section(title="Pictures", panels=tuple(picture for picture in pictures if picture)),
    )
    graded = [row["quality_score"] for row in rows if row["quality_score"] is not None]
    spread = f" from {graded[0]:.2f} to {graded[-1]:.2f} of 5" if graded else ""
    return Page(
        title=f"Quality of {len(runs)} pictures",
        status="accepted" if all(map(_accepted, runs)) else "rejected",
        verdict=f"{len(graded)} of {len(runs)} graded,{spread}",
        sections=sections,
    )


def _row(answer: dict[str, Any]) -> dict[str, Any]:
    low, high = answer.get("interval") or (None, None)
    found = answer.get("distortions") or []
    return {
        "image": answer.get("image"),
        "quality_score": answer.get("quality_score"),
        "level": answer.get("level"),
        "final_answer": answer.get("final_answer"),
        "low": low,
        "high": high,
        "distortions": ", ".join(f"{item['name']} ({item['severity']})" for item in found),
    }


def _thumbnail(run: Run, row: dict[str, Any]) -> Image | None:
    answer = run.outcome.answer if run.outcome else None
    pictures = answer.get("pictures") if isinstance(answer, dict) else None
    if not isinstance(pictures, dict):
        return None
    maps = pictures.get("maps")
    combined = maps.get("combined") if isinstance(maps, dict) else None
    score = row["quality_score"]
    return Image(
        title=f"{Path(str(row['image'])).name}: {score:.2f}" if score else str(row["image"]),
        base=Bitmap(blob=str(pictures["base"])),
        overlay=Bitmap(blob=str(combined)) if combined else None,
        caption=row["distortions"] or "no visible distortion",
        alt=str(row["image"]),
    )


def _accepted(run: Run) -> bool:
    return run.outcome is not None and run.outcome.accepted
