"""From Python and notebooks: run an app, look at the result.

    import proveout
    proveout.run("pattern", expression="[a-f]+[0-9]{2}", shortest=9)

The result shows itself in a notebook; elsewhere it has the run, the answer and a report.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from proveout import apps
from proveout.kernel.budget import Budget
from proveout.kernel.panels import Page
from proveout.kernel.run import Run
from proveout.kernel.types import Task
from proveout.report.export import write
from proveout.report.notebook import Display, Glance
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

    def __getitem__(self, name: str) -> JsonValue:
        """A part of an answer that has parts: `result["quality_score"]`."""
        if not isinstance(self.answer, dict):
            raise KeyError(name)
        return self.answer[name]

    def save(self, path: str | Path) -> Path:
        """Write the report; the ending chooses the format."""
        with Workspace(readonly=True) as opened:
            return write(self.page, Path(path), opened.journal.get)

    @property
    def report(self) -> Display:
        """The whole page, to be shown in a notebook; the result itself shows the beginning."""
        return Display(self.page, _blob)

    def _repr_html_(self) -> str:
        more = f"run {self.run.id} · all of it: .report, or .save('report.html')"
        return Glance(self.page, _blob, more)._repr_html_()


def run(
    app: str, *, model: str | None = None, seed: int = 0, budget: Budget | None = None, **task: Any
) -> Result:
    """Run a task of an app; its fields are keyword arguments."""
    flags: dict[str, Any] = {"model.name": model}
    if budget is not None:
        flags.update({f"budget.{bound}": value for bound, value in budget.model_dump().items()})
    return run_with(app, task, flags, seed=seed)


def run_with(
    app: str,
    fields: Mapping[str, Any],
    flags: Mapping[str, Any],
    *,
    seed: int = 0,
    before: Callable[[Task], None] | None = None,
) -> Result:
    """Run a task under settings given by their dotted names; `before` may refuse it."""
    with Workspace(load(flags)) as opened:
        chosen = apps.find(app)
        task = opened.task(chosen, fields)
        if before is not None:
            before(task)
        return _result(opened, opened.start(chosen, task, seed=seed))


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


def _blob(name: str) -> bytes:
    with Workspace(readonly=True) as opened:
        return opened.journal.get(name)
