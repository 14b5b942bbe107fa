"""From Python and notebooks: run an app, look at the result.

    import proveout
    proveout.run("pattern", expression="[a-f]+[0-9]{2}", shortest=9)

The result shows itself in a notebook; elsewhere it has the run, the answer and a report.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from proveout import apps
from proveout.kernel.budget import Budget
from proveout.kernel.panels import Page
from proveout.kernel.run import Run
from proveout.report.export import write
from proveout.report.notebook import display
from proveout.report.view import page_of
from proveout.runtime import Workspace
from proveout.settings import load


@dataclass(frozen=True)
class Result:
    """A finished run with its page."""

    run: Run
    page: Page = field(repr=False)

    @property
    def accepted(self) -> bool:
        return self.run.outcome is not None and self.run.outcome.accepted

    @property
    def answer(self) -> JsonValue:
        return self.run.outcome.answer if self.run.outcome else None

    def save(self, path: str | Path) -> Path:
        """Write the report; the ending chooses the format."""
        with Workspace(readonly=True) as opened:
            return write(self.page, Path(path), opened.journal.get)

    def _repr_html_(self) -> str:
        with Workspace(readonly=True) as opened:
            return display(self.page, opened.journal.get)._repr_html_()


def run(
    app: str, *, model: str | None = None, seed: int = 0, budget: Budget | None = None, **task: Any
) -> Result:
    """Run a task of an app; its fields are keyword arguments."""
    flags: dict[str, Any] = {"model.name": model}
    if budget is not None:
        flags.update({f"budget.{bound}": value for bound, value in budget.model_dump().items()})
    with Workspace(load(flags)) as opened:
        chosen = apps.find(app)
        return _result(opened, opened.start(chosen, opened.task(chosen, task), seed=seed))


def resume(run: str = "last") -> Result:
    """Go on with a run that was interrupted."""
    with Workspace() as opened:
        found = opened.find(run)
        opened.use_model(opened.read(found).model)
        return _result(opened, opened.resume(found))


def show(run: str = "last") -> Result:
    """A run of the journal, to look at."""
    with Workspace(readonly=True) as opened:
        return _result(opened, opened.read(opened.find(run)))


def _result(opened: Workspace, run: Run) -> Result:
    return Result(run, page_of(run, opened.panels(run), opened.chain_state(run.id)))
