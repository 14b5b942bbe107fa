"""`proveout solver bench`: synthetic companies, their tasks solved and graded; the figures."""

import json as jsons
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from rich.table import Table as RichTable

from proveout.apps.solver.cases import amended
from proveout.apps.solver.experience import codes_of
from proveout.apps.solver.metrics import Metrics, TaskResult
from proveout.cli.output import emit, say, stderr
from proveout.cli.solver_session import Fields, Origin, work_through
from proveout.kernel.errors import PrerequisiteError, UsageError

MOST_WORLDS = 1_000
MOST_FAILURES = 40
START_SECONDS = 120.0
Rerun = Literal["none", "first", "all"]


def bench_all(
    seeds: Sequence[int],
    flags: Fields,
    *,
    families: str = "",
    specs: Sequence[str] = (),
    rerun: Rerun = "first",
    workers: int = 2,
    record: Path | None = None,
) -> tuple[list[TaskResult], list[TaskResult]]:
    """Results over all companies, and those of the companies that were solved again."""
    results: list[TaskResult] = []
    again: list[TaskResult] = []
    with TemporaryDirectory(prefix="proveout-bench-") as folder:
        own = {
            "journal.path": flags["journal.path"] or str(Path(folder) / "journal.db"),
            # Companies differ: what one taught must not colour how the next one is read.
            "experience.scope": "run",
        }
        for position, seed in enumerate(seeds):
            twice = rerun == "all" or (rerun == "first" and position == 0)
            place = record / f"world-{seed}" if record else None
            first, second = _one_world(
                seed, families, specs, {**flags, **own}, workers, twice=twice, record=place
            )
            results += first
            again += second
    return results, again


def _one_world(  # noqa: PLR0913
    seed: int,
    families: str,
    specs: Sequence[str],
    flags: Fields,
    workers: int,
    *,
    twice: bool,
    record: Path | None,
) -> tuple[list[TaskResult], list[TaskResult]]:
    with served(seed, families) as (base_url, report):
        service = Origin(base_url, f"world-{seed}", "erc3-dev")
        runs = []
        for again in range(2 if twice else 1):
            solved = work_through(
                service,
                specs=specs,
                profile="wiki",
                workers=workers,
                flags=flags,
                label=f"world {seed}",
                record=None if again else record,
            )
            runs.append(_told(solved, report, seed))
            report.write_text("")
    if record is not None:
        about = {it.spec.partition("/")[2]: it for it in runs[0]}
        amended(record, {name: _graded(it) for name, it in about.items()})
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


def _graded(result: TaskResult) -> Fields:
    return {"family": result.family, "score": result.score, "codes": result.codes}


def _told(results: Sequence[TaskResult], report: Path, seed: int) -> list[TaskResult]:
    """Results with what only the grader's side knows: the family, and forbidden effects."""
    lines = [jsons.loads(line) for line in report.read_text().splitlines()]
    by_spec = {line["spec"]: line for line in lines}
    told = []
    for result in results:
        line = by_spec.get(result.spec, {})
        log = "\n".join(line.get("logs") or ()) or result.log
        found = [code for code in result.codes if code.startswith("solver.")]
        told.append(
            result.model_copy(
                update={
                    "spec": f"{seed}/{result.spec}",
                    "family": line.get("family", ""),
                    "language": line.get("language", ""),
                    "adversarial": bool(line.get("adversarial")),
                    "forbidden": bool(line.get("leaks") or line.get("forbidden_writes")),
                    "log": log,
                    "codes": (*codes_of(log), *found),
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
