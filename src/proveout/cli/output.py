"""What a person and a pipe see: JSON on stdout, words on stderr, one shape for errors."""

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, Any

from rich.console import Console
from rich.markup import escape

from proveout.kernel.errors import PrerequisiteError, ProveoutError
from proveout.kernel.events import (
    BudgetDrained,
    BudgetWarned,
    Event,
    Note,
    ProposalMade,
    RunResumed,
    VerdictGiven,
)

PIPE_WIDTH = 200
"""Columns of a table that no terminal shows: nothing is cut off on its way to another program."""


class Paper(Console):
    """A console that falls silent when its reader leaves: no run depends on being watched."""

    def on_broken_pipe(self) -> None:
        self.quiet = True
        _silence(self.file)


def stderr() -> Console:
    return Paper(stderr=True, highlight=False, soft_wrap=True)


def stdout() -> Console:
    wide = None if sys.stdout.isatty() or "COLUMNS" in os.environ else PIPE_WIDTH
    return Paper(highlight=False, width=wide)


def say(text: str, *, style: str = "") -> None:
    """A line for the person; never data."""
    stderr().print(escape(text), style=style)


def emit(data: Any) -> None:
    """Data for the pipe."""
    send(json.dumps(data, indent=2, ensure_ascii=False, default=str) + "\n")


def send(text: str) -> None:
    """Text for the pipe; a reader that has left wants no more of it."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        _silence(sys.stdout)
    except OSError as error:
        _silence(sys.stdout)
        message = f"stdout cannot be written: {error.strerror}"
        raise PrerequisiteError(message) from error


def give_up_unwritten() -> None:
    """What stdout did not take now, Python would try to write, and fail, at the very end."""
    try:
        sys.stdout.flush()
    except OSError:
        _silence(sys.stdout)


def _silence(stream: IO[str]) -> None:
    """What is written from here on goes nowhere, the buffer that is still full included."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def complain(error: ProveoutError, *, as_json: bool) -> None:
    """An error as a sentence, and as data too where data was asked for."""
    if as_json:
        emit({"error": {"code": error.code, "message": error.message, "hint": error.hint}})
    console = stderr()
    console.print(f"[bold red]error[/] {escape(error.message)}")
    if error.hint:
        console.print(f"      {escape(error.hint)}")


def debugging() -> bool:
    return bool(os.environ.get("PROVEOUT_DEBUG"))


@contextmanager
def progress(rounds: int, *, quiet: bool) -> Iterator[Callable[[Event], None]]:
    """A reader of a run: a bar on a terminal, plain lines elsewhere, nothing when quiet."""
    if quiet:
        yield lambda _event: None
        return
    console = stderr()
    if not console.is_terminal:
        yield lambda event: _line(console, event)
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[now]}"),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("rounds", total=rounds, now="")

        def watch(event: Event) -> None:
            if isinstance(event, ProposalMade):
                bar.update(task, now=f"judging {escape(event.key)}")
            elif isinstance(event, VerdictGiven):
                bar.update(task, advance=1, now="")
            _line(bar.console, event)

        yield watch


def _line(console: Console, event: Event) -> None:
    if isinstance(event, VerdictGiven):
        verdict = event.verdict
        mark = "[green]accepted[/]" if verdict.accepted else "[red]rejected[/]"
        score = "" if verdict.score is None else f"  score {verdict.score:g}"
        codes = " ".join(sorted({finding.code for finding in verdict.findings}))
        console.print(f"{mark}  {escape(event.key):<16}{score}  [dim]{escape(codes)}[/]")
    elif isinstance(event, BudgetWarned):
        text = f"budget: {event.bound} at {event.used:g} of {event.limit:g}"
        console.print(f"[yellow]{escape(text)}[/]")
    elif isinstance(event, BudgetDrained):
        text = f"budget spent: {event.bound} ({event.used:g} of {event.limit:g})"
        console.print(f"[yellow]{escape(text)}[/]")
    elif isinstance(event, Note):
        console.print(f"[dim]{escape(event.text)}[/]")
    elif isinstance(event, RunResumed):
        console.print("[dim]resumed[/]")
