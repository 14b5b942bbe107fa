"""A search as it goes: phase, best score, time left."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.markup import escape
from rich.progress import Progress, ProgressColumn, Task, TextColumn
from rich.progress_bar import ProgressBar
from rich.text import Text

from proveout.cli.output import progress, stderr
from proveout.kernel.events import Event, EvidenceObserved, Note, ProposalMade, VerdictGiven
from proveout.kernel.run import Run

PHASES = {
    "first": "models",
    "card": "models",
    "refine": "refining",
    "debug": "mending",
    "blend": "blending",
    "lean": "blending",
    "final": "final run",
    "evaluate-init": "models",
    "evaluate-merged": "merging",
    "evaluate-refined": "refining",
    "evaluate-ensemble": "blending",
    "evaluate-final": "final run",
}
PROBLEM = "@problem"
"""The observation that says, among much else, whether more or less is better."""


class Leader:
    """The best accepted score so far."""

    def __init__(self, fetch: Callable[[str], bytes]) -> None:
        self._fetch = fetch
        self._direction = ""
        self._last: float | None = None
        self.best: float | None = None

    def see(self, event: Event) -> None:
        if isinstance(event, EvidenceObserved) and event.key == PROBLEM:
            self._direct(event.content)
        elif isinstance(event, VerdictGiven) and event.verdict.accepted:
            self._score(event.verdict.score)

    def recall(self, run: Run) -> None:
        """What a run that goes on had come to."""
        if PROBLEM in run.observed:
            self._direct(run.observed[PROBLEM])
        for attempt in run.attempts:
            if attempt.verdict is not None and attempt.verdict.accepted:
                self._score(attempt.verdict.score)

    def _direct(self, content: str) -> None:
        self._direction = str(json.loads(self._fetch(content)).get("direction", ""))

    def _score(self, score: float | None) -> None:
        if score is None:
            return
        self._last = score
        if self._direction:
            choose = max if self._direction == "maximize" else min
            self.best = score if self.best is None else choose(self.best, score)

    @property
    def caption(self) -> str:
        if self.best is not None:
            return f"best {self.best:.5g}"
        return "" if self._last is None else f"last {self._last:.5g}"


class TimeUsed(ProgressColumn):
    """Drawn by the clock: nothing happens for long while scripts run."""

    def render(self, task: Task) -> ProgressBar:
        total = task.total or 0.0
        return ProgressBar(total=total, completed=min(task.elapsed or 0.0, total), width=30)


class TimeLeft(ProgressColumn):
    def render(self, task: Task) -> Text:
        return Text(f"{max(0.0, (task.total or 0.0) - (task.elapsed or 0.0)):.0f} s left")


@contextmanager
def watching(
    seconds: float,
    fetch: Callable[[str], bytes],
    *,
    quiet: bool,
    before: Run | None = None,
    console: Console | None = None,
) -> Iterator[Callable[[Event], None]]:
    """A bar of the time that is used, on a terminal; plain lines elsewhere."""
    console = console or stderr()
    if quiet or not console.is_terminal:
        with progress(0, quiet=quiet) as watch:
            yield watch
        return
    leader = Leader(fetch)
    if before is not None:
        leader.recall(before)
        seconds -= before.elapsed
    columns = (
        TextColumn("{task.description:<10}"),
        TimeUsed(),
        TimeLeft(),
        TextColumn("{task.fields[best]}"),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("looking", total=max(seconds, 0.0), best=leader.caption)

        def watch(event: Event) -> None:
            leader.see(event)
            if isinstance(event, ProposalMade):
                bar.update(task, description=phase_of(event.key))
            elif isinstance(event, VerdictGiven):
                verdict = event.verdict
                bar.update(task, best=leader.caption)
                codes = " ".join(sorted({finding.code for finding in verdict.findings}))
                mark = "[green]✓[/]" if verdict.accepted else "[red]✗[/]"
                score = "" if verdict.score is None else f"{verdict.score:.6g}"
                bar.console.print(f"{mark} {escape(event.key):<16} {score:<12} [dim]{codes}[/]")
            elif isinstance(event, Note):
                bar.console.print(f"[dim]{escape(event.text)}[/]")

        yield watch


def phase_of(key: str) -> str:
    """From the place of an attempt in the run's tree."""
    branch = key.split("#")[0].split("/")[-1].split("~")[0]
    return PHASES.get(branch) or PHASES.get(branch.split("-")[0], branch)
