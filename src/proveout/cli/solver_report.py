"""A benchmark run as one page: the score, a chart per family, what failed and why."""

from collections.abc import Sequence
from pathlib import Path

from proveout.apps.solver.metrics import FamilyScore, Metrics, TaskResult
from proveout.kernel.panels import Chart, Column, Fact, Page, Reference, Section, Series, Table
from proveout.report.export import write

WANTED = 0.95
WANTED_PER_FAMILY = 0.85
MOST_FAILURES = 200


def write_page(metrics: Metrics, results: Sequence[TaskResult], path: Path) -> None:
    """The page, in the format that the file's name asks for."""
    write(page_of(metrics, results), path)


def page_of(metrics: Metrics, results: Sequence[TaskResult]) -> Page:
    score = metrics.score or 0.0
    families = [Section(title="Families", panels=(_chart("Share solved", metrics.families),))]
    if len(metrics.languages) > 1:
        panel = _chart("Share solved", metrics.languages)
        families.append(Section(title="Languages", panels=(panel,)))
    return Page(
        title=f"{metrics.tasks} business tasks",
        status="accepted" if score >= WANTED and not metrics.forbidden else "rejected",
        verdict=f"{score:.1%} solved, {metrics.forbidden} forbidden effects",
        facts=_facts(metrics),
        sections=(*families, Section(title="Not solved", panels=(_failures(results),))),
    )


def _facts(metrics: Metrics) -> tuple[Fact, ...]:
    shown = {
        "adversarial tasks solved": _share(metrics.adversarial_score),
        "same bytes in a second run": _share(metrics.determinism),
        "API calls per task": f"{metrics.api_calls_per_task:g}",
        "failures caught before sending": _share(metrics.caught_before_submission),
        "solved from the snapshot alone": _share(metrics.from_snapshot),
        "seconds per task": f"{metrics.seconds_per_task:g}",
    }
    return tuple(Fact(name=name, value=value) for name, value in shown.items())


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.1%}"


def _chart(title: str, rows: Sequence[FamilyScore]) -> Chart:
    return Chart(
        title=title,
        form="bars",
        labels=tuple(f"{row.family} ({row.tasks})" for row in rows),
        series=(Series(name="share", values=tuple(row.share for row in rows)),),
        reference=Reference(value=WANTED_PER_FAMILY, label="aim"),
        direction="higher",
    )


def _failures(results: Sequence[TaskResult]) -> Table:
    failed = [it for it in results if it.error or it.score not in (1.0, None)]
    rows = tuple(
        (it.spec, it.family, it.text[:160], it.outcome, (it.error or it.log)[:300])
        for it in failed[:MOST_FAILURES]
    )
    names = ("task", "family", "request", "outcome", "what was wrong")
    return Table(
        title="Tasks that were not solved",
        columns=tuple(Column(name=name) for name in names),
        rows=rows,
        more=max(0, len(failed) - MOST_FAILURES),
    )
