"""What the commands share: opening a workspace, running under signals, closing words."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

import typer

from proveout.cli.output import emit, say, stderr
from proveout.kernel.errors import Interrupted
from proveout.kernel.run import Run, run_data

if TYPE_CHECKING:
    from proveout.runtime import Workspace


@contextmanager
def workspace(
    flags: dict[str, Any] | None = None, *, readonly: bool = False
) -> "Iterator[Workspace]":
    """The workspace as configured, with flags on top."""
    from proveout.runtime import Workspace
    from proveout.settings import load

    with Workspace(load(flags or {}), readonly=readonly) as opened:
        yield opened


@contextmanager
def stoppable(opened: "Workspace") -> Iterator[None]:
    """Ctrl-C once finishes the attempt and stops, twice stops now; both can be resumed."""

    def stop(number: int, frame: FrameType | None) -> None:
        del frame
        if opened.cancel.is_set() and number == signal.SIGINT:
            raise KeyboardInterrupt
        opened.cancel.set()
        # Not through the console: the signal may have come while it was writing.
        with suppress(OSError):
            os.write(sys.stderr.fileno(), b"stopping after this attempt; once more to stop now\n")

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def conclude(opened: "Workspace", run: Run, *, as_json: bool, report: Path | None) -> None:
    """Show how a run ended, write its report, and leave with the right exit code."""
    from proveout.report.export import write
    from proveout.report.terminal import show
    from proveout.report.view import page_of

    page = page_of(run, opened.panels(run), opened.chain_state(run.id))
    if report is not None:
        write(page, report, opened.journal.get)
    if as_json:
        emit(run_data(run))
    else:
        # Wrapped at the terminal's width, unlike single lines, which are left to the terminal.
        console = stderr()
        console.soft_wrap = False
        show(page, console, opened.journal.get)
    if report is not None:
        say(f"report: {report}")
    say(f"next:   proveout replay {run.id}")
    if run.outcome is None or not run.outcome.accepted:
        raise typer.Exit(1)


@contextmanager
def resumable(run: str = "") -> Iterator[None]:
    """Say how to go on when a run is interrupted."""
    try:
        yield
    except (Interrupted, KeyboardInterrupt):
        say(f"interrupted; go on with: proveout resume {run or 'last'}")
        raise typer.Exit(130) from None
