"""The example app from Python: run, watch, judge again. `python examples/pattern_run.py`."""

from pathlib import Path

import proveout
from proveout import apps
from proveout.kernel.events import Event, VerdictGiven
from proveout.report.export import write
from proveout.report.view import page_of


def watch(event: Event) -> None:
    """Called with every event as it is written."""
    if isinstance(event, VerdictGiven):
        codes = sorted(finding.code for finding in event.verdict.findings)
        print(event.key, "accepted" if event.verdict.accepted else f"rejected: {codes}")


def main(folder: Path) -> None:
    with proveout.Workspace() as workspace:
        app = apps.find("pattern")
        task = workspace.task(app, {"expression": "[a-f]+-[0-9]{2,}", "shortest": 8})
        run = workspace.start(app, task, watch=watch)
        assert run.outcome is not None
        print(run.outcome.summary)
        report = write(page_of(run, workspace.panels(run)), folder / "pattern.html")
        print("report:", report)
        print("replay gives the same verdicts:", workspace.replay(run.id).faithful)


if __name__ == "__main__":
    main(Path())
