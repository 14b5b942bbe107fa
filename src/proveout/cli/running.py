"""`proveout APP run`, `proveout resume` and `proveout demo`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from proveout.cli.flags import given, parameters, with_parameters
from proveout.cli.output import emit, progress, say
from proveout.cli.session import conclude, resumable, stoppable, workspace
from proveout.kernel.app import App
from proveout.kernel.budget import BOUNDS, Budget
from proveout.kernel.errors import UsageError
from proveout.kernel.run import Run
from proveout.kernel.types import Task

if TYPE_CHECKING:
    from proveout.runtime import Workspace
    from proveout.watching import Watch

Model = Annotated[
    str | None, typer.Option("--model", "-m", help="offline, claude, openai:NAME, local, …")
]
Seed = Annotated[int, typer.Option(help="for experts and scripts that draw lots")]
Rounds = Annotated[int | None, typer.Option(help="most rounds")]
Calls = Annotated[int | None, typer.Option(help="most model calls")]
Tokens = Annotated[int | None, typer.Option(help="most tokens")]
Cost = Annotated[float | None, typer.Option("--cost-usd", help="most money")]
Seconds = Annotated[float | None, typer.Option("--time-limit", help="most seconds")]
Engine = Annotated[str | None, typer.Option(help="inline, threads or processes")]
Workers = Annotated[int | None, typer.Option(help="workers of the engine")]
Record = Annotated[Path | None, typer.Option(help="write the model's replies to this cassette")]
Journal = Annotated[Path | None, typer.Option(help="another journal file")]
Report = Annotated[
    Path | None, typer.Option("--report", "-o", help=".html, .md, .json, .xml, .txt")
]
Json = Annotated[bool, typer.Option("--json", help="the run as JSON on stdout")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="no progress")]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="show task, model and ceiling; run nothing")
]
Resume = Annotated[
    bool, typer.Option("--resume", help="go on with the newest unfinished run of this task")
]


def command_of(app: App) -> typer.Typer:
    """The command group of an app, its flags made from its task."""
    group = typer.Typer(help=app.summary, no_args_is_help=True)
    task = app.load(app.task)

    def run(  # noqa: PLR0913 - a command line has as many flags as it has
        *,
        fields: dict[str, Any],
        model: Model = None,
        seed: Seed = 0,
        rounds: Rounds = None,
        calls: Calls = None,
        tokens: Tokens = None,
        cost_usd: Cost = None,
        time_limit: Seconds = None,
        engine: Engine = None,
        workers: Workers = None,
        record: Record = None,
        journal: Journal = None,
        report: Report = None,
        json: Json = False,
        quiet: Quiet = False,
        resume: Resume = False,
        dry_run: DryRun = False,
    ) -> None:
        flags = {
            "model.name": model,
            **_bounds(rounds, calls, tokens, cost_usd, time_limit),
            "engine.name": engine,
            "engine.workers": workers,
            "model.record": record and str(record),
            "journal.path": journal and str(journal),
        }
        _check_report(report)
        with workspace(flags) as opened, stoppable(opened), resumable():
            made = opened.task(app, given(task, fields))
            if dry_run:
                _announce(app, made.model_dump(mode="json"), opened.settings)
                return
            with progress(opened.settings.budget.rounds, quiet=quiet or json) as watch:
                finished = _run(opened, app, made, seed, watch, resume=resume)
            conclude(opened, finished, as_json=json, report=report)

    run.__doc__ = f"Run a task.\n\nExample: proveout {app.name} run {app.example}"
    group.command("run")(with_parameters(run, parameters(task)))
    group.callback()(lambda: None)
    if app.commands:
        app.load(app.commands)(group)
    return group


def _bounds(*given_bounds: float | None) -> dict[str, float]:
    """The settings of those bounds that were given, in the order in which a budget has them."""
    named = zip(BOUNDS, given_bounds, strict=True)
    return {f"budget.{bound}": value for bound, value in named if value is not None}


def _run(  # noqa: PLR0913
    opened: "Workspace", app: App, task: Task, seed: int, watch: "Watch", *, resume: bool
) -> Run:
    """A new run, or with `resume` the one of this task that was stopped."""
    unfinished = opened.unfinished(app, task, seed=seed) if resume else None
    if unfinished is None:
        return opened.start(app, task, seed=seed, watch=watch)
    return opened.resume(unfinished, budget=opened.settings.budget, watch=watch)


def resume(  # noqa: PLR0913
    run: Annotated[str, typer.Argument(help="id, unique part of it, or `last`")] = "last",
    model: Model = None,
    rounds: Rounds = None,
    calls: Calls = None,
    tokens: Tokens = None,
    cost_usd: Cost = None,
    time_limit: Seconds = None,
    journal: Journal = None,
    report: Report = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Go on with a run that was interrupted, or whose budget was too small.

    Example: proveout resume last --rounds 40
    """
    _check_report(report)
    bounds = _bounds(rounds, calls, tokens, cost_usd, time_limit)
    flags = {"journal.path": journal and str(journal), "model.name": model, **bounds}
    with workspace(flags) as opened, stoppable(opened):
        found = opened.find(run)
        before = opened.read(found)
        more = {name.removeprefix("budget."): value for name, value in bounds.items()}
        budget = Budget.model_validate({**before.budget.model_dump(), **more})
        if model is None:
            opened.use_model(before.model)
        with resumable(found), progress(budget.rounds, quiet=quiet or json) as watch:
            finished = opened.resume(found, budget=budget, watch=watch)
        conclude(opened, finished, as_json=json, report=report)


def demo(
    out: Annotated[Path, typer.Option(help="folder for the reports")] = Path("proveout-demo"),
    json: Json = False,
) -> None:
    """Run the applications on bundled data: no key, no network, a few seconds.

    Example: proveout demo --out /tmp/demo
    """
    from proveout import apps
    from proveout.report.export import write
    from proveout.report.view import page_of

    shown = []
    with workspace({"model.name": "offline"}) as opened, stoppable(opened), resumable():
        for app in apps.installed().values():
            if not app.demo:
                continue
            say(f"{app.name}: {app.summary}", style="bold")
            task = opened.task(app, app.load(app.demo)(_folder(out)))
            with progress(opened.settings.budget.rounds, quiet=json) as watch:
                run = opened.start(app, task, watch=watch)
            path = out / f"{app.name}.html"
            page = page_of(run, opened.panels(run), opened.chain_state(run.id))
            write(page, path, opened.journal.get)
            replayed = opened.replay(run.id)
            outcome = run.outcome
            accepted = outcome is not None and outcome.accepted
            say(f"{outcome.summary if outcome else ''}", style="green" if accepted else "red")
            say(f"replayed {replayed.judged} verdicts, all the same: {replayed.faithful}")
            shown.append(
                {"app": app.name, "run": run.id, "accepted": accepted, "report": str(path)}
            )
    if json:
        emit(shown)
    for row in shown:
        say(f"report: {row['report']}")
    if not all(row["accepted"] for row in shown):
        raise typer.Exit(1)


def _folder(path: Path) -> Path:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"cannot make the folder {path}: {error.strerror}"
        raise UsageError(message, hint="name a place where you may write with --out") from error
    return path


def _check_report(path: Path | None) -> None:
    """A report that cannot be written is better known before the run than after it."""
    if path is not None:
        from proveout.report.export import format_of

        format_of(path)


def _announce(app: App, task: Any, settings: Any) -> None:
    emit(
        {
            "app": app.name,
            "task": task,
            "model": settings.model.name,
            "roles": settings.model.roles,
            "ceiling": settings.budget.model_dump(),
        }
    )
