"""`proveout solver …`: a synthetic company, its rules and data, its tasks solved and graded."""

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from proveout.cli.output import emit, progress, say
from proveout.cli.running import Cost, Journal, Json, Model, Quiet, Report, Rounds, Seconds
from proveout.cli.session import conclude, resumable, stoppable, workspace
from proveout.kernel.errors import UsageError

BaseUrl = Annotated[str, typer.Option(help="the service: http://host:port")]
Benchmark = Annotated[str, typer.Option(help="which benchmark of the service")]
Specs = Annotated[str, typer.Option(help="only these tasks: t001,t002")]
Profile = Annotated[
    Literal["wiki", "erc3-prod"], typer.Option(help="how rules are read where pages are silent")
]
ApiRoot = Annotated[str, typer.Option(help="path below which tasks have their API")]
AccountKey = Annotated[
    str, typer.Option(envvar="ERC3_API_KEY", help="of the service, where it wants one")
]
Recordings = Annotated[
    Path | None, typer.Option(help="keep every exchange here, to solve the tasks again later")
]
Workers = Annotated[int, typer.Option(min=1, max=64, help="tasks at a time")]
Rerun = Literal["none", "first", "all"]
ROOT = "erc3-dev"


def add_commands(group: typer.Typer) -> None:
    """Put the commands of this app in its group; `run` works through a benchmark."""
    for name, command in (
        ("solve", solve),
        ("run", run),
        ("world", world),
        ("acquire", acquire),
        ("bench", bench),
        ("improve", improve),
    ):
        group.command(name)(command)


def solve(  # noqa: PLR0913
    text: Annotated[str, typer.Argument(help="the request, in its own words")],
    task_url: Annotated[str, typer.Option(help="the task's API: http://host/api_root/task_id")],
    profile: Profile = "wiki",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="change and send nothing")] = False,
    model: Model = None,
    rounds: Rounds = None,
    cost_usd: Cost = None,
    time_limit: Seconds = None,
    journal: Journal = None,
    report: Report = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Solve one task and send the reply.

    Example: proveout solver solve 'Who leads the depot project?' --task-url http://…/erc3-dev/tsk-1
    """
    from proveout import apps

    flags = flags_of(model, rounds, cost_usd, time_limit, journal)
    fields = {"text": text, "task_url": task_url, "profile": profile, "rehearse": dry_run}
    app = apps.find("solver")
    with workspace(flags) as opened, stoppable(opened), resumable():
        task = opened.task(app, fields)
        with progress(opened.settings.budget.rounds, quiet=quiet or json) as watch:
            finished = opened.start(app, task, watch=watch)
        conclude(opened, finished, as_json=json, report=report)


def run(  # noqa: PLR0913
    base_url: BaseUrl,
    benchmark: Benchmark,
    specs: Specs = "",
    profile: Profile = "wiki",
    api_root: ApiRoot = ROOT,
    account_key: AccountKey = "",
    workers: Workers = 1,
    record: Recordings = None,
    model: Model = None,
    rounds: Rounds = None,
    cost_usd: Cost = None,
    time_limit: Seconds = None,
    journal: Journal = None,
    report: Report = None,
    json: Json = False,
) -> None:
    """Work through a benchmark: start a session, solve, complete, submit.

    Example: proveout solver run --base-url http://localhost:8765 --benchmark world-7 --workers 2
    """
    from proveout.apps.solver.metrics import measure
    from proveout.cli.solver_bench import show
    from proveout.cli.solver_session import Origin, work_through

    flags = flags_of(model, rounds, cost_usd, time_limit, journal)
    service = Origin(base_url, benchmark, api_root, account_key)
    results = work_through(
        service, specs=_listed(specs), profile=profile, workers=workers, flags=flags, record=record
    )
    metrics = measure(results)
    show(metrics, results, as_json=json, report=report)
    if any(result.error for result in results):
        raise typer.Exit(3)
    if metrics.score is not None and metrics.score < 1.0:
        raise typer.Exit(1)


def world(
    seed: Annotated[int, typer.Option(min=0, help="which company")] = 0,
    port: Annotated[int, typer.Option(min=0, max=65_535, help="0 takes a free one")] = 8765,
    hide_eval: Annotated[bool, typer.Option("--hide-eval", help="grade in secret")] = False,
) -> None:
    """Serve a synthetic company with tasks and grader until Ctrl-C.

    Example: proveout solver world --seed 7 --port 8765
    """
    import subprocess

    # A process of its own: whoever solves must not be able to see what grades it. It ends with its
    # standard input, so it cannot outlive this one, however this one ends.
    command = [sys.executable, "-m", "proveout.apps.solver.world.server", "--until-stdin-closes"]
    command += ["--seed", str(seed), "--port", str(port)]
    command += ["--hide-eval"] if hide_eval else []
    say(f"benchmark world-{seed}; stop with Ctrl-C")
    try:
        with subprocess.Popen(command, stdin=subprocess.PIPE) as process:
            code = process.wait()
    except KeyboardInterrupt:
        # At any instant, also while it starts: on the way out its standard input is closed.
        code = 0
    if code not in (0, -2, 130):
        message = "the company could not be served"
        raise UsageError(message, hint="is the port taken? try --port 0")


def acquire(  # noqa: PLR0913
    base_url: BaseUrl,
    out: Annotated[Path, typer.Option(help="folder for rules, map and snapshot")],
    benchmark: Benchmark = "",
    spec: Annotated[str, typer.Option(help="a task whose data to take; the first if empty")] = "",
    profile: Profile = "wiki",
    api_root: ApiRoot = ROOT,
    json: Json = False,
) -> None:
    """Acquire what solving rests on: rules with quotes, the API map, the SQL snapshot.

    Example: proveout solver acquire --base-url http://localhost:8765 --out company/
    """
    from proveout.cli.solver_acquire import acquire_all

    report = acquire_all(base_url, out, benchmark, spec, profile, api_root)
    if json:
        emit(report)
        return
    for name, value in report.items():
        say(f"{name}: {value}")


def bench(  # noqa: PLR0913
    worlds: Annotated[str, typer.Option(help="seeds: 3, 0-9 or 1,4,7")] = "0-2",
    families: Annotated[str, typer.Option(help="only these families: A,B")] = "",
    specs: Specs = "",
    rerun: Annotated[Rerun, typer.Option(help="which worlds are solved twice")] = "first",
    workers: Workers = 2,
    record: Recordings = None,
    model: Model = None,
    rounds: Rounds = None,
    cost_usd: Cost = None,
    time_limit: Seconds = None,
    journal: Journal = None,
    report: Report = None,
    json: Json = False,
) -> None:
    """Generate companies, solve their tasks, grade them in another process; score per family.

    Example: proveout solver bench --worlds 0-9 --json
    """
    from proveout.apps.solver.metrics import measure
    from proveout.cli.solver_bench import bench_all, seeds_of, show

    results, again = bench_all(
        seeds_of(worlds),
        flags_of(model, rounds, cost_usd, time_limit, journal),
        families=families,
        specs=_listed(specs),
        rerun=rerun,
        workers=workers,
        record=record,
    )
    metrics = measure(results, again)
    show(metrics, results, as_json=json, report=report)
    if metrics.score is None or metrics.score < 1.0 or metrics.forbidden:
        raise typer.Exit(1)


def improve(  # noqa: PLR0913
    source: Annotated[
        str, typer.Argument(help="a folder of --record, a file of `bench --json`, or a run's id")
    ],
    out: Annotated[Path | None, typer.Option(help="folder for regression cases")] = None,
    workers: Workers = 1,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="activate nothing")] = False,
    model: Model = None,
    rounds: Rounds = None,
    journal: Journal = None,
    report: Report = None,
    json: Json = False,
) -> None:
    """Learn from what went wrong: clusters, changes to make, patches behind a regression gate.

    Exit 1 if a recorded task that had passed is answered otherwise today.

    Example: proveout solver improve recordings/ --out regression/ --report improve.html
    """
    from proveout.cli.solver_improve import improve_from, tell

    flags = flags_of(model, rounds, None, None, journal)
    made = improve_from(source, flags, out=out, workers=workers, activate=not dry_run)
    if json:
        emit(made.model_dump(mode="json"))
    else:
        tell(made)
    if report is not None:
        from proveout.cli.solver_improve_page import page_of
        from proveout.report.export import write

        write(page_of(made), report)
        say(f"report: {report}")
    if made.gate.changed:
        raise typer.Exit(1)


def flags_of(
    model: str | None,
    rounds: int | None,
    cost_usd: float | None,
    seconds: float | None,
    journal: Path | None,
) -> dict[str, str | float | None]:
    """Settings that the command line overrides."""
    return {
        "model.name": model,
        "budget.rounds": rounds,
        "budget.cost_usd": cost_usd,
        "budget.seconds": seconds,
        "journal.path": str(journal) if journal else None,
    }


def _listed(names: str) -> list[str]:
    return [name.strip() for name in names.split(",") if name.strip()]
