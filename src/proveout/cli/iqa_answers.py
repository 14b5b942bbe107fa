"""What goes into an assessment, and what comes out as data: an answer, a table, a page of many."""

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from proveout.kernel.errors import PrerequisiteError, UsageError
from proveout.kernel.panels import Bar, Bitmap, Column, Image, Page, Section, Table
from proveout.kernel.run import Run

TABLES = (".csv", ".parquet")
COLUMNS = ("image", "quality_score", "level", "final_answer", "low", "high", "distortions")
MOST_SHOWN = 200
"""Thumbnails in a summary page; more would not open from a mail."""


def demand_pictures(task: Any) -> None:
    """Every file of a task can be read: known before a run begins, so that none is left behind.

    Raises:
        UsageError: about the first that cannot, or about a marked region that does not fit.
    """
    from proveout.apps.iqa.drawing import MARKED
    from proveout.apps.iqa.evidence import frame_of, region_of

    for path in task.pictures.values():
        frame_of(path)
    if task.drawn:
        for path in filter(None, (task.image, task.compare)):
            region_of(path, MARKED, task.drawn)


def answer_of(run: Run) -> dict[str, Any]:
    """What a caller wants of a run: the answer with its place in the journal."""
    answer = run.outcome.answer if run.outcome else None
    task = run.task if isinstance(run.task, dict) else {}
    body = dict(answer) if isinstance(answer, dict) else {}
    body.pop("pictures", None)
    return {"image": task.get("image"), "run": run.id, "accepted": _accepted(run), **body}


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
