"""`proveout solver bench` and `improve`: what was solved, how well, and what to learn from it."""

import json as jsons
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Literal

import typer
from rich.table import Table as RichTable

from proveout.apps.solver.metrics import Metrics, TaskResult, measure
from proveout.cli.output import emit, say, stderr
from proveout.cli.running import Cost, Journal, Json, Model, Report, Rounds, Seconds
from proveout.cli.solver_session import Service, flags_of, work_through
from proveout.kernel.errors import PrerequisiteError, UsageError

MOST_WORLDS = 1_000
MOST_FAILURES = 40
START_SECONDS = 120.0
Rerun = Literal["none", "first", "all"]


def bench(  # noqa: PLR0913
    worlds: Annotated[str, typer.Option(help="seeds: 3, 0-9 or 1,4,7")] = "0-2",
    families: Annotated[str, typer.Option(help="only these families: A,B")] = "",
    specs: Annotated[str, typer.Option(help="only these tasks")] = "",
    rerun: Annotated[Rerun, typer.Option(help="which worlds are solved twice")] = "first",
    workers: Annotated[int, typer.Option(min=1, max=64, help="tasks at a time")] = 2,
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
    seeds = seeds_of(worlds)
    wanted = [part.strip() for part in specs.split(",") if part.strip()]
    with TemporaryDirectory(prefix="proveout-bench-") as folder:
        place = Path(journal) if journal else Path(folder) / "journal.db"
        flags = flags_of(model, rounds, cost_usd, time_limit, place)
        # Companies differ: what one grader taught must not colour how the next world is read.
        flags["experience.scope"] = "run"
        results: list[TaskResult] = []
        again: list[TaskResult] = []
        for position, seed in enumerate(seeds):
            twice = rerun == "all" or (rerun == "first" and position == 0)
            first, second = _one_world(seed, families, wanted, flags, workers, twice=twice)
            results += first
            again += second
    metrics = measure(results, again)
    show(metrics, results, as_json=json, report=report)
    if metrics.score is None or metrics.score < 1.0 or metrics.forbidden:
        raise typer.Exit(1)


def _one_world(  # noqa: PLR0913
    seed: int,
    families: str,
    specs: Sequence[str],
    flags: dict[str, Any],
    workers: int,
    *,
    twice: bool,
) -> tuple[list[TaskResult], list[TaskResult]]:
    with served(seed, families) as (base_url, report):
        service = Service(base_url, f"world-{seed}", "erc3-dev")
        runs = []
        for _ in range(2 if twice else 1):
            label = f"world {seed}"
            solved = work_through(
                service, specs=specs, profile="wiki", workers=workers, flags=flags, label=label
            )
            runs.append(_told(solved, report, seed))
            report.write_text("")
    return runs[0], runs[1] if twice else []


@contextmanager
def served(seed: int, families: str = "") -> Iterator[tuple[str, Path]]:
    """A company in a process of its own, which ends when we do: its address and its report."""
    with TemporaryDirectory(prefix="proveout-world-") as folder:
        report = Path(folder) / "report.jsonl"
        command = [sys.executable, "-m", "proveout.apps.solver.world.server"]
        command += ["--seed", str(seed), "--port", "0", "--until-stdin-closes"]
        command += ["--report", str(report)]
        command += ["--families", families] if families else []
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        try:
            yield _address(process), report
        finally:
            if process.stdin is not None:
                process.stdin.close()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            if process.stdout is not None:
                process.stdout.close()


def _address(process: "subprocess.Popen[str]") -> str:
    line = process.stdout.readline() if process.stdout else ""
    try:
        return str(jsons.loads(line)["url"])
    except (ValueError, KeyError, TypeError):
        message = "the synthetic company could not be served"
        hint = "try: python -m proveout.apps.solver.world.server --seed 0"
        raise PrerequisiteError(message, hint=hint) from None


def _told(results: Sequence[TaskResult], report: Path, seed: int) -> list[TaskResult]:
    """Results with what only the grader's side knows: the family, and forbidden effects."""
    lines = [jsons.loads(line) for line in report.read_text().splitlines()]
    by_spec = {line["spec"]: line for line in lines}
    told = []
    for result in results:
        line = by_spec.get(result.spec, {})
        told.append(
            result.model_copy(
                update={
                    "spec": f"{seed}/{result.spec}",
                    "family": line.get("family", ""),
                    "language": line.get("language", ""),
                    "adversarial": bool(line.get("adversarial")),
                    "forbidden": bool(line.get("leaks") or line.get("forbidden_writes")),
                    "log": "\n".join(line.get("logs") or ()) or result.log,
                    "score": line.get("score", result.score if not result.error else 0.0),
                }
            )
        )
    return told


def show(
    metrics: Metrics, results: Sequence[TaskResult], *, as_json: bool, report: Path | None
) -> None:
    """The figures: JSON on stdout, or tables for people; and a page if one is wanted."""
    if as_json:
        failed = [it.model_dump(mode="json") for it in results if it.error or it.score != 1.0]
        emit({**metrics.model_dump(mode="json"), "failures": failed})
    else:
        _tables(metrics, results)
    if report is not None:
        from proveout.cli.solver_report import write_page

        write_page(metrics, results, report)
        say(f"report: {report}")


def _tables(metrics: Metrics, results: Sequence[TaskResult]) -> None:
    console = stderr()
    console.soft_wrap = False
    families = RichTable("family", "tasks", "right", "share", title="Score per family")
    for row in metrics.families:
        colour = "green" if row.share >= 0.85 else "red"
        share = f"[{colour}]{row.share:.0%}[/]"
        families.add_row(row.family, str(row.tasks), f"{row.right:g}", share)
    console.print(families)
    figures = RichTable("figure", "value", title="Figures")
    for name, value in metrics.model_dump(exclude={"families", "languages"}).items():
        figures.add_row(name.replace("_", " "), "–" if value is None else str(value))
    console.print(figures)
    for result in [it for it in results if it.error or it.score not in (1.0, None)][:MOST_FAILURES]:
        why = result.error or " · ".join(result.log.splitlines())
        say(f"{result.spec} [{result.outcome}] {result.text[:100]} — {why[:160]}", style="yellow")


def seeds_of(text: str) -> list[int]:
    """`3`, `0-9`, `1,4,7` or a mixture."""
    seeds: list[int] = []
    for part in text.split(","):
        low, _, high = part.strip().partition("-")
        try:
            seeds.extend(range(int(low), int(high or low) + 1))
        except ValueError:
            message = f"{text!r} is no list of seeds"
            raise UsageError(message, hint="write 3, 0-9 or 1,4,7") from None
        if len(seeds) > MOST_WORLDS:
            message = f"{len(seeds)} worlds are too many"
            raise UsageError(message, hint=f"at most {MOST_WORLDS}")
    return seeds


def improve(
    run: Annotated[str, typer.Argument(help="a failures file of `bench --json`, or a run's id")],
    journal: Journal = None,
    out: Annotated[Path | None, typer.Option(help="folder for regression cases")] = None,
    json: Json = False,
) -> None:
    """Learn from what went wrong: clusters, regression cases, and patches behind a gate.

    Example: proveout solver improve bench.json
    """
    from proveout.cli.solver_improve import improve_from

    emit_or_say(improve_from(run, journal, out), as_json=json)


def emit_or_say(value: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        emit(value)
        return
    for name, part in value.items():
        say(f"{name}: {part if isinstance(part, str | int | float) else jsons.dumps(part)}")
