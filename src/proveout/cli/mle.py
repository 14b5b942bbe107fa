"""`proveout mle …`: from a folder of tables to a submission and the script that made it."""

import gc
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from proveout.cli.mle_pausing import Pause, demand_known, going_on, tell
from proveout.cli.output import emit, say
from proveout.cli.running import Calls, Cost, Journal, Json, Model, Quiet, Seed, Tokens
from proveout.cli.session import resumable, stoppable, workspace
from proveout.kernel.errors import Interrupted, UsageError
from proveout.kernel.run import Run, run_data

if TYPE_CHECKING:
    from proveout.runtime import Workspace
    from proveout.watching import Watch

Folder = Annotated[Path, typer.Argument(help="folder with a description and CSV or Parquet files")]
Seconds = Annotated[float, typer.Option("--time-limit", min=5, help="most seconds, all included")]
ALLOCATED_BEFORE_COLLECTING = 20_000


def add_commands(group: typer.Typer) -> None:
    """Put the commands of this app in its group; `run` knows folders and time."""
    from proveout.cli.mle_check import add

    group.command("run")(run)
    group.command("init")(init)
    add(group)


def run(  # noqa: PLR0913
    context: typer.Context,
    task_dir: Folder,
    out: Annotated[Path, typer.Option(help="folder for the submission and all that led to it")],
    time_limit: Seconds = 300.0,
    mode: Annotated[
        Literal["default", "paper"], typer.Option(help="`paper`: the published algorithms")
    ] = "default",
    smoke: Annotated[bool, typer.Option("--smoke", help="a quick look: under a minute")] = False,
    card: Annotated[
        str | None, typer.Option(help="a model of your own: a script, or a name")
    ] = None,
    pin: Annotated[str | None, typer.Option(help="refine only blocks with this name")] = None,
    forbid: Annotated[str | None, typer.Option(help="leave blocks with this name alone")] = None,
    pause: Annotated[
        bool, typer.Option("--pause", help="stop after the next step, to look and to steer")
    ] = False,
    workers: Annotated[int | None, typer.Option(min=1, help="scripts at a time")] = None,
    model: Model = None,
    seed: Seed = 0,
    calls: Calls = None,
    tokens: Tokens = None,
    cost_usd: Cost = None,
    journal: Journal = None,
    resume: Annotated[
        bool,
        typer.Option("--resume", help="go on with the unfinished run of this folder, as steered"),
    ] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Solve a task: submission.csv, solution.py, solution.ipynb and report.html in OUT.

    Example: proveout mle run titanic/ --out titanic-out --time-limit 300
    """
    flags: dict[str, str | float | None] = {
        "model.name": model,
        "budget.seconds": time_limit,
        "budget.calls": calls,
        "budget.tokens": tokens,
        "budget.cost_usd": cost_usd,
        "engine.name": "threads",
        "engine.workers": workers,
        "journal.path": str(journal) if journal else None,
    }
    steering = {"card": card, "pin": pin, "forbid": forbid}
    said = {name: value for name, value in steering.items() if value is not None}
    paths = {"folder": _place(task_dir), "out": _place(out)}
    fields = {**paths, "mode": mode, "smoke": smoke, **said}
    if pause and mode == "paper":
        message = "`paper` mode follows the published algorithms and takes no pause"
        raise UsageError(message)
    with _workspace(flags) as opened:
        search = Searching(opened, fields, said, seed, going_on(context))
        finished = search.run(resume=resume, pause=pause, quiet=quiet or json)
        _conclude(opened, finished, Path(paths["out"]), as_json=json)


def _place(path: Path) -> str:
    return str(path.expanduser().resolve())


@contextmanager
def _workspace(flags: Mapping[str, str | float | None]) -> "Iterator[Workspace]":
    """As configured, with as many workers as there are cores; it can be stopped and resumed."""
    from proveout import apps
    from proveout.apps.mle.search.searching import usable_cores

    given = {name: value for name, value in flags.items() if value is not None}
    given["budget.rounds"] = apps.find("mle").bounds["rounds"]
    given.setdefault("engine.workers", usable_cores())
    with workspace(given) as opened, stoppable(opened), resumable():
        yield opened


@dataclass
class Searching:
    """A search that is begun, or that goes on as a person says now."""

    opened: "Workspace"
    fields: Mapping[str, Any]
    said: Mapping[str, str]
    """Steering that was given with this command."""
    seed: int
    going_on: str
    """The command that goes on with it."""

    def run(self, *, resume: bool, pause: bool, quiet: bool) -> Run:
        from proveout import apps
        from proveout.apps.mle.task import STEERING
        from proveout.cli.mle_progress import watching

        app, opened = apps.find("mle"), self.opened
        _spare_the_collector()
        task = opened.task(app, self.fields)
        found = opened.unfinished(app, task, seed=self.seed, whatever=STEERING) if resume else None
        before = opened.read(found) if found else None
        if before is not None:
            chosen = opened.settings.model
            by_rule = chosen.name == "offline" and not chosen.roles
            demand_known(before, self.said, by_rule=by_rule)
        elif resume:
            say("no unfinished run was asked for the very same: a new one begins")
        budget, name = opened.settings.budget, found or opened.new_id(app)
        with watching(budget.seconds, opened.journal.get, quiet=quiet, before=before) as watch:
            told = Pause(opened, watch) if pause else watch
            with self._stopping(name, told):
                if before is None:
                    return opened.start(app, task, seed=self.seed, watch=told, run=name)
                return opened.resume(name, budget=budget, watch=told, **self.said)

    @contextmanager
    def _stopping(self, run: str, told: "Watch") -> Iterator[None]:
        """Say what was found so far when the run is stopped, by a person or at a pause point."""
        try:
            yield
        except (Interrupted, KeyboardInterrupt):
            opened, paused = self.opened, isinstance(told, Pause) and told.reached
            if opened.journal.last(run) is None:
                raise
            tell(opened.read(run), opened.journal.get, paused=paused, command=self.going_on)
            raise typer.Exit(130) from None


def _spare_the_collector() -> None:
    """A search reads thousands of syntax nodes, and what it has loaded stays until it ends: looking
    through all of that for circles again and again was an eighth of its own work."""
    gc.freeze()
    gc.set_threshold(ALLOCATED_BEFORE_COLLECTING, 10, 10)


def _conclude(opened: "Workspace", run: Run, out: Path, *, as_json: bool) -> None:
    """The choice in a few lines; everything else is in the report."""
    from proveout.report.export import write
    from proveout.report.view import page_of

    out.mkdir(parents=True, exist_ok=True)
    report = out / "report.html"
    write(page_of(run, opened.panels(run), opened.chain_state(run.id)), report, opened.journal.get)
    if as_json:
        emit(run_data(run))
    outcome = run.outcome
    accepted = outcome is not None and outcome.accepted
    answer = outcome.answer if outcome and isinstance(outcome.answer, dict) else {}
    say(outcome.summary if outcome else "unfinished", style="green" if accepted else "red")
    for title, name in (("submission: ", "submission"), ("script:     ", "solution")):
        if name in answer:
            say(f"{title}{answer[name]}")
    say(f"report:     {report}")
    say(f"next:       proveout replay {run.id}")
    if not accepted:
        raise typer.Exit(1)


def init(
    folder: Folder,
    force: Annotated[bool, typer.Option("--force", help="replace task.toml")] = False,
    json: Json = False,
) -> None:
    """Look at a folder and write down what it asks for, as task.toml, to be corrected by hand.

    Example: proveout mle init titanic/
    """
    from proveout.apps.mle.intake import look, write_toml

    path = folder / "task.toml"
    if path.exists() and not force:
        message = f"{path} is there already"
        raise UsageError(message, hint="edit it, or replace it with --force")
    looked = look(folder)
    problem = looked.problem
    write_toml(problem, path)
    if json:
        emit(problem.model_dump(mode="json"))
        return
    say(f"wrote {path}: {problem.kind}, predict {', '.join(problem.targets)} by {problem.metric}")
    for finding in looked.findings:
        say(f"noticed: {finding.message}" + (f". {finding.hint}" if finding.hint else ""))
