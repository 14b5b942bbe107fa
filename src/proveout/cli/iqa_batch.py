"""`proveout iqa batch`: many images, a JSON line each, resumable; tables and pages of many."""

import json as jsonlib
import os
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from proveout.apps.iqa.answers import demand_pictures
from proveout.cli.iqa_answers import answer_of, pictures_in
from proveout.cli.output import say, stderr
from proveout.cli.running import Journal, Model
from proveout.kernel.errors import ProveoutError, UsageError

SECONDS_PER_IMAGE = 600.0
Line = dict[str, Any]
"""Of the input or of the output."""


class BadLine(Line):
    """A line of the input that says nothing to assess, as the output tells it."""


def batch(  # noqa: PLR0913
    source: Annotated[Path, typer.Argument(help="JSON lines (image_path, query, …), or a folder")],
    out: Annotated[Path, typer.Option("--out", help="answers, one JSON line each")],
    resume: Annotated[
        bool, typer.Option("--resume", help="skip what the output has; try again what failed")
    ] = False,
    workers: Annotated[int, typer.Option(min=1, max=64, help="processes")] = 1,
    most: Annotated[
        int | None, typer.Option("--max-samples", min=1, help="stop after so many")
    ] = None,
    model: Model = None,
    journal: Journal = None,
) -> None:
    """Assess every line of a file, or every picture of a folder; what is bad does not stop it.

    Example: proveout iqa batch questions.jsonl --out answers.jsonl --resume --workers 2
    """
    samples = list(_samples(source))[:most]
    done = _done(out) if resume else set()
    _check_out(out, resume=resume)
    left = [sample for sample in samples if sample["sample_id"] not in done]
    say(f"{len(samples)} samples, {len(samples) - len(left)} done before")
    bad = [sample for sample in left if isinstance(sample, BadLine)]
    waiting = [sample for sample in left if not isinstance(sample, BadLine)]
    for line in bad:
        say(line["error_details"], style="red")
        _append(out, line)
    flags = {"model.name": model, "journal.path": journal and str(journal)}
    failed = len(bad) + _assess_all(waiting, flags, out, workers)
    say(f"{len(left) - failed} answered, {failed} failed: {out}")
    if failed:
        raise typer.Exit(1)


def assess_sample(work: tuple[Line, Line]) -> Line:
    """One line of the input to one line of the output; runs in a worker."""
    from proveout import apps
    from proveout.runtime import Workspace
    from proveout.settings import load

    sample, flags = work
    fields = {
        "image": sample["image_path"],
        "query": sample.get("query"),
        "reference": sample.get("reference_path"),
        "choices": sample.get("choices"),
        "compare": sample.get("compare_path"),
        "box": sample.get("box"),
        "mask": sample.get("mask_path"),
    }
    try:
        with Workspace(load(flags)) as opened:
            app = apps.find("iqa")
            task = opened.task(app, {name: value for name, value in fields.items() if value})
            demand_pictures(task)
            run = opened.start(app, task)
    except ProveoutError as error:
        return {**sample, "final_status": "error", "error_details": str(error)}
    answer = answer_of(run)
    answer.pop("run")
    status = "success" if answer["accepted"] else "partial"
    return {**sample, **answer, "final_status": status, "replan_count": answer["iterations"]}


def _assess_all(waiting: Sequence[Line], flags: Line, out: Path, workers: int) -> int:
    from rich.progress import Progress

    from proveout.adapters.engine.local import open_engine

    engine = open_engine("processes" if workers > 1 else "inline", workers)
    work = [(sample, flags) for sample in waiting]
    failed = 0
    try:
        with Progress(console=stderr(), disable=not stderr().is_terminal) as bar:
            task = bar.add_task("images", total=len(work))
            results = engine.run(
                assess_sample, work, timeout_seconds=SECONDS_PER_IMAGE, cancel=threading.Event()
            )
            for finished in results:
                line = finished.value or {
                    **waiting[finished.index],
                    "final_status": "error",
                    "error_details": finished.error,
                }
                _append(out, line)
                failed += line["final_status"] == "error"
                bar.advance(task)
    finally:
        engine.close()
    return failed


def _samples(source: Path) -> Iterator[Line]:
    if source.is_dir():
        for picture in pictures_in(source):
            yield {"image_path": str(picture), "sample_id": picture.name}
        return
    try:
        lines = source.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        message = f"{source} cannot be read: {error}"
        raise UsageError(message) from error
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            sample = jsonlib.loads(line)
        except (ValueError, RecursionError) as error:
            yield _bad(number, f"line {number} of {source} is not JSON: {error}")
            continue
        if not isinstance(sample, dict) or not isinstance(sample.get("image_path"), str):
            hint = 'a line looks like {"image_path": "a.jpg", "query": "Is it blurry?"}'
            yield _bad(number, f"line {number} of {source} has no image_path ({hint})")
            continue
        yield {**sample, "sample_id": str(sample.get("sample_id", number))}


def _bad(number: int, details: str) -> BadLine:
    return BadLine(sample_id=str(number), final_status="error", error_details=details)


def _check_out(out: Path, *, resume: bool) -> None:
    """Before hours of work, not after."""
    if out.is_dir():
        message = f"{out} is a folder"
        raise UsageError(message, hint=f"name a file in it: {out / 'answers.jsonl'}")
    if not out.parent.is_dir():
        message = f"there is no folder {out.parent}"
        raise UsageError(message, hint="make it, or name another file")
    if out.exists() and not resume:
        message = f"{out} exists"
        raise UsageError(message, hint="go on with --resume, or name another file")


def _done(out: Path) -> set[str]:
    """What the output has already answered.

    A torn last line is cut off, and lines of samples that failed are taken out: both are done anew.
    """
    if not out.is_file():
        return set()
    content = out.read_bytes()
    whole = content[: content.rfind(b"\n") + 1].splitlines(keepends=True)
    try:
        lines = [(line, jsonlib.loads(line)) for line in whole if line.strip()]
        known = {str(said["sample_id"]) for _, said in lines if not _failed(said)}
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        message = f"{out} was not written by this command"
        raise UsageError(message, hint="name another file") from error
    answered = b"".join(line for line, said in lines if not _failed(said))
    if answered != content:
        _replace(out, answered)
    return known


def _failed(line: Line) -> bool:
    return bool(line.get("final_status") == "error")


def _replace(out: Path, content: bytes) -> None:
    """The whole new content or the whole old one, whenever the machine stops."""
    beside = out.with_name(f".{out.name}.{os.getpid()}")
    try:
        with beside.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(out)
    finally:
        beside.unlink(missing_ok=True)


def _append(out: Path, line: Line) -> None:
    """One whole line or nothing: a single write to a file opened for appending, then synced."""
    content = (jsonlib.dumps(line, ensure_ascii=False, sort_keys=True) + "\n").encode()
    descriptor = os.open(out, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    try:
        os.write(descriptor, content)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
