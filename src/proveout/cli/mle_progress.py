"""A search as it goes: phase, best score, time left."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.markup import escape

from proveout.cli.output import progress, stderr
from proveout.kernel.events import Event, Note, ProposalMade, VerdictGiven

PHASES = {
    "first": "models",
    "refine": "refining",
    "debug": "mending",
    "blend": "blending",
    "final": "final run",
}


@contextmanager
def watching(seconds: float, *, quiet: bool) -> Iterator[Callable[[Event], None]]:
    """A bar of the time that is used, on a terminal; plain lines elsewhere."""
    console = stderr()
    if quiet or not console.is_terminal:
        with progress(0, quiet=quiet) as watch:
            yield watch
        return
    from rich.progress import BarColumn, Progress, TextColumn

    columns = (
        TextColumn("{task.description:<10}"),
        BarColumn(bar_width=30),
        TextColumn("{task.fields[left]}"),
        TextColumn("{task.fields[best]}"),
    )
    began = time.monotonic()
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("looking", total=seconds, left="", best="")

        def watch(event: Event) -> None:
            used = time.monotonic() - began
            bar.update(task, completed=min(used, seconds), left=f"{max(0, seconds - used):.0f} s")
            if isinstance(event, ProposalMade):
                bar.update(task, description=phase_of(event.key))
            elif isinstance(event, VerdictGiven):
                verdict = event.verdict
                if verdict.accepted and verdict.score is not None:
                    bar.update(task, best=f"last {verdict.score:.5g}")
                codes = " ".join(sorted({finding.code for finding in verdict.findings}))
                mark = "[green]✓[/]" if verdict.accepted else "[red]✗[/]"
                score = "" if verdict.score is None else f"{verdict.score:.6g}"
                bar.console.print(f"{mark} {escape(event.key):<16} {score:<12} [dim]{codes}[/]")
            elif isinstance(event, Note):
                bar.console.print(f"[dim]{escape(event.text)}[/]")

        yield watch


def phase_of(key: str) -> str:
    """From the place of an attempt in the run's tree."""
    branch = key.split("#")[0].split("/")[-1]
    return PHASES.get(branch.split("-")[0], branch)
